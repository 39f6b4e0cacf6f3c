/* What a cell of sw/08_two_pipes costs a scheduler, and what its parts do: loops over registers, without memory. The table in
   sw/08_two_pipes/README.md is made of it. A measurement, not a test; results/sw_loops_h200.tsv is its output.

     nvcc -O3 -std=c++17 -gencode arch=compute_90a,code=sm_90a experiments/gpu/sw_loops.cu -o sw_loops && ./sw_loops

   A thread has ROWS cells of a column, two in each register, as the stage has them. What varies is how the additions are done,
   whether gap costs are constants, and whether the best is kept. Clocks are of one scheduler, for one row of a warp. */
#include <cuda_fp16.h>

#include <cstdint>
#include <cstdio>

enum { ROWS = 16, COLUMNS = 4, STEPS = 2048, REPEATS = 3 };

enum additions {
    READY,
    INTEGER,
    FLOAT,
    FLOAT_JOINED
}; // READY: nothing to add. JOINED: two subjects' scores, two multiply-adds
enum costs { REGISTER, CONSTANT };
enum best_kept { NO_BEST, BEST, BEST_OF_TWO, BEST_AS_FLOAT }; // by a maximum of three for two rows; of two for each
// Which maxima with an addition in them are a float's addition and a maximum of two, so that the integer units do less of it.
enum split { NONE, F_SPLIT, BOTH_SPLIT, H_TOO };

#define MINUS_ONE 0x80018001u // as floats

static __device__ __forceinline__ uint32_t bits(__half2 pair) { return *(const uint32_t *)&pair; }
static __device__ __forceinline__ __half2 floats(uint32_t word) { return *(const __half2 *)&word; }

template <additions ADDITIONS, costs COSTS, best_kept KEPT, bool E_AS_FLOAT, split SPLIT>
static __global__ void cells(uint32_t *memory, uint32_t open_argument, uint32_t extend_argument) {
    const uint32_t minus_extend = COSTS == CONSTANT ? 0xFFFFFFFFu : extend_argument;
    const uint32_t minus_open = COSTS == CONSTANT ? (ADDITIONS == INTEGER ? 0xFFF4FFF4u : 0x800C800Cu) : open_argument;
    uint32_t H[ROWS], E[ROWS], score[ROWS], F = memory[threadIdx.x], best = 0, diagonal = 0;
    for (int r = 0; r < ROWS; r++) {
        H[r] = memory[threadIdx.x + r];
        E[r] = memory[threadIdx.x + r + ROWS];
        score[r] = memory[threadIdx.x + r + 2 * ROWS];
    }
#pragma unroll 1
    for (int step = 0; step < STEPS; step++) {
#pragma unroll
        for (int column = 0; column < COLUMNS; column++) {
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const __half2 x = floats(score[r]), y = floats(score[r ^ 1]);
                uint32_t matched = diagonal;
                if (ADDITIONS == INTEGER) matched = __vadd2(diagonal, score[r]);
                if (ADDITIONS == FLOAT) matched = bits(__hadd2(floats(diagonal), x));
                if (ADDITIONS == FLOAT_JOINED)
                    matched = bits(__hfma2(__low2half2(x), floats(0x00003C00u),
                                           __hfma2(__low2half2(y), floats(0x3C000000u), floats(diagonal))));
                diagonal = H[r];
                if (SPLIT == H_TOO)
                    H[r] = __vimax_s16x2_relu(matched, __vmaxs2(E[r], F));
                else
                    H[r] = __vimax3_s16x2_relu(matched, E[r], F);
                uint32_t opened = H[r];
                if (ADDITIONS == INTEGER) opened = __vadd2(H[r], minus_open);
                if (ADDITIONS == FLOAT || ADDITIONS == FLOAT_JOINED)
                    opened = bits(__hadd2(floats(H[r]), floats(minus_open)));
                if (E_AS_FLOAT) // relu(E - opened) + opened
                    E[r] =
                        bits(__hadd2(__hfma2_relu(floats(opened), floats(0xBC00BC00u), floats(E[r])), floats(opened)));
                else if (SPLIT >= BOTH_SPLIT)
                    E[r] = __vimax_s16x2_relu(bits(__hadd2(floats(E[r]), floats(MINUS_ONE))), opened);
                else
                    E[r] = __viaddmax_s16x2_relu(E[r], minus_extend, opened);
                if (SPLIT >= F_SPLIT)
                    F = __vimax_s16x2_relu(bits(__hadd2(floats(F), floats(MINUS_ONE))), opened);
                else
                    F = __viaddmax_s16x2_relu(F, minus_extend, opened);
                if (KEPT == BEST_OF_TWO) best = __vmaxs2(best, H[r]);
                if (KEPT == BEST_AS_FLOAT) best = bits(__hmax2(floats(best), floats(H[r])));
                if (KEPT == BEST && r % 2 == 1) best = __vimax3_s16x2(best, H[r - 1], H[r]);
            }
        }
    }
    uint32_t all = F ^ best;
    for (int r = 0; r < ROWS; r++) all ^= H[r] ^ E[r];
    memory[blockIdx.x * blockDim.x + threadIdx.x] = all;
}

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "sw_loops: %s\n", cudaGetErrorString(error));
    exit(4);
}

static uint32_t *memory;
static cudaDeviceProp device;

template <additions ADDITIONS, costs COSTS, best_kept KEPT, bool E_AS_FLOAT = false, split SPLIT = NONE>
static void time(const char *what) {
    enum { SCHEDULERS = 4 };
    printf("\"%s\"", what);
    for (int warps = 1; warps <= 6; warps++) { // a scheduler
        float least = 1e30f;
        int kilohertz = 0;
        check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            cudaEvent_t begin, end;
            float ms;
            check(cudaEventCreate(&begin));
            check(cudaEventCreate(&end));
            check(cudaEventRecord(begin));
            cells<ADDITIONS, COSTS, KEPT, E_AS_FLOAT, SPLIT>
                <<<device.multiProcessorCount, 32 * SCHEDULERS * warps>>>(memory, 0x800C800Cu, 0xFFFFFFFFu);
            check(cudaGetLastError());
            check(cudaEventRecord(end));
            check(cudaEventSynchronize(end));
            check(cudaEventElapsedTime(&ms, begin, end));
            if (ms < least) least = ms;
        }
        printf("\t%.2f", least * kilohertz / ((double)warps * STEPS * COLUMNS * ROWS));
    }
    printf("\n");
}

int main(void) {
    check(cudaGetDeviceProperties(&device, 0));
    check(cudaMalloc((void **)&memory, 64 << 20));
    check(cudaMemset(memory, 1, 64 << 20));
    printf("# what: clocks of a scheduler for one row of a warp (64 cells), by warps a scheduler; least of %d\n",
           REPEATS);
    printf("# device: %s\n# command: experiments/gpu/sw_loops.cu, compiled as it says\n", device.name);
    printf("loop");
    for (int warps = 1; warps <= 6; warps++) printf("\twarps_%d", warps);
    printf("\n");
    time<READY, CONSTANT, BEST>("three maxima and the best, nothing else");
    time<INTEGER, REGISTER, BEST>("all of stage 07's cell, integers only, scores ready to add");
    time<FLOAT, REGISTER, BEST>("the additions as floats, scores ready to add");
    time<FLOAT_JOINED, REGISTER, BEST>("and two multiply-adds to bring the scores together");
    time<FLOAT_JOINED, CONSTANT, BEST>("and gap costs as constants");
    time<FLOAT_JOINED, CONSTANT, NO_BEST>("and no best");
    time<FLOAT, CONSTANT, BEST>("constants, the best, and scores ready to add");
    time<FLOAT_JOINED, CONSTANT, BEST, true>("constants, the best, and E's maximum in the float units, too");
    time<FLOAT, CONSTANT, NO_BEST>("constants, no best, and scores ready to add");
    time<FLOAT, CONSTANT, BEST_OF_TWO>("ready to add, the best by a maximum of two for each row");
    time<FLOAT, CONSTANT, BEST_AS_FLOAT>("ready to add, the best by a float's maximum for each row");
    time<FLOAT, CONSTANT, BEST, false, F_SPLIT>("ready to add, F by a float's addition and a maximum of two");
    time<FLOAT, CONSTANT, BEST, false, BOTH_SPLIT>("ready to add, E and F so");
    time<FLOAT, CONSTANT, BEST, false, H_TOO>("ready to add, E and F so, and H by two maxima of two");
    time<FLOAT, CONSTANT, BEST_OF_TWO, false, BOTH_SPLIT>("ready to add, E and F so, the best by a maximum of two");
    return 0;
}
