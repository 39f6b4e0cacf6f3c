/* What a cell of papara's stages 07 and 08 costs a scheduler, and what is around it: loops over registers, step by step with the
   branches and the edge in shared memory. The table in papara/08_shifted_scores/README.md is made of it. A measurement, not a test;
   results/papara_loops_h200.tsv is its output.

     nvcc -O3 -std=c++17 -gencode arch=compute_90a,code=sm_90a tests/gpu/papara_loops.cu -o papara_loops && ./papara_loops

   A thread has COLUMNS cells of a row, two vectors in each register, as the stages have them. Clocks are of one scheduler, for one
   column of a warp (64 cells). */
#include <cstdint>
#include <cstdio>

enum { STEPS = 4096, REPEATS = 3, WARP = 32, EDGES = 64 };
enum cell { PLAIN, SHIFTED, SHIFTED_APART, NO_GAP }; // APART: the additions as instructions of their own
enum around { NOTHING, BRANCHES, EDGE, BOTH };

template <int COLUMNS, cell CELL>
static __device__ __forceinline__ void row(uint32_t *S, const uint32_t *cost, const uint32_t *open,
                                           const uint32_t *extend, uint32_t diagonal, uint32_t *D) {
    if (CELL == PLAIN) {
        uint32_t left = diagonal;
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            const uint32_t above = S[c];
            *D = __viaddmin_s16x2(left, open[c], __vadd2(*D, extend[c]));
            left = S[c] = __viaddmin_s16x2(diagonal, cost[c], __viaddmin_s16x2(above, 0x00030003u, *D));
            diagonal = above;
        }
        return;
    }
#pragma unroll
    for (int c = COLUMNS - 1; c >= 0; c--) {
        const uint32_t from = c > 0 ? S[c - 1] : diagonal;
        S[c] = CELL == SHIFTED_APART ? __vmins2(__vadd2(from, cost[c]), S[c]) : __viaddmin_s16x2(from, cost[c], S[c]);
    }
#pragma unroll
    for (int c = 0; c < COLUMNS && CELL != NO_GAP; c++) {
        const uint32_t next = __viaddmin_s16x2(S[c], open[c], *D);
        S[c] = __vmins2(S[c], *D);
        *D = next;
    }
}

template <int COLUMNS, cell CELL, around AROUND>
static __global__ void __launch_bounds__(WARP) cells(uint32_t *memory, uint64_t letters_of) {
    __shared__ uint2 edges[EDGES][WARP];
    uint32_t S[COLUMNS], cost[4][COLUMNS], open[COLUMNS], extend[COLUMNS], D = memory[threadIdx.x], diagonal = 0;
    for (int c = 0; c < COLUMNS; c++) {
        S[c] = memory[threadIdx.x + c];
        for (int state = 0; state < 4; state++) cost[state][c] = memory[threadIdx.x + (state + 1) * COLUMNS + c];
        open[c] = memory[threadIdx.x + 5 * COLUMNS + c];
        extend[c] = memory[threadIdx.x + 6 * COLUMNS + c];
    }
    for (int j = 0; j < EDGES; j++) edges[j][threadIdx.x] = make_uint2(0, 0);
    uint64_t letters = letters_of;
#pragma unroll 1
    for (int step = 0; step < STEPS; step++, letters = letters >> 4 | letters << 60) {
        if (AROUND == EDGE || AROUND == BOTH) {
            const uint2 at = edges[step % EDGES][threadIdx.x];
            D = at.y;
            diagonal = at.x;
        }
        if (AROUND == BRANCHES || AROUND == BOTH) {
            switch ((int)letters & 15) {
                case 1:
                    row<COLUMNS, CELL>(S, cost[0], open, extend, diagonal, &D);
                    break;
                case 2:
                    row<COLUMNS, CELL>(S, cost[1], open, extend, diagonal, &D);
                    break;
                case 4:
                    row<COLUMNS, CELL>(S, cost[2], open, extend, diagonal, &D);
                    break;
                default:
                    row<COLUMNS, CELL>(S, cost[3], open, extend, diagonal, &D);
            }
        } else {
            row<COLUMNS, CELL>(S, cost[0], open, extend, diagonal, &D);
        }
        if (AROUND == EDGE || AROUND == BOTH) edges[step % EDGES][threadIdx.x] = make_uint2(S[COLUMNS - 1], D);
    }
    for (int c = 0; c < COLUMNS; c++) D += S[c] + cost[1][c] + cost[2][c] + cost[3][c];
    memory[blockIdx.x * WARP + threadIdx.x] = D;
}

template <int COLUMNS, cell CELL, around AROUND>
static void measure(const char *what, uint32_t *memory, int multiprocessors, double clocks_per_ms) {
    printf("\"%s\"\t%d", what, COLUMNS);
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, cells<COLUMNS, CELL, AROUND>);
    const int most = 65536 / ((attributes.numRegs + 7) / 8 * 8 * WARP) / 4;
    for (int warps = 1; warps <= 4; warps++) {
        float least = 1e30f;
        for (int repeat = 0; repeat < REPEATS && warps <= most; repeat++) {
            cudaEvent_t begin, end;
            cudaEventCreate(&begin);
            cudaEventCreate(&end);
            cudaEventRecord(begin);
            cells<COLUMNS, CELL, AROUND><<<multiprocessors * 4 * warps, WARP>>>(memory, 0x1248142182414812ull);
            cudaEventRecord(end);
            cudaEventSynchronize(end);
            float ms;
            cudaEventElapsedTime(&ms, begin, end);
            if (ms < least) least = ms;
        }
        if (warps <= most)
            printf("\t%.2f", least * clocks_per_ms / ((double)STEPS * COLUMNS * warps));
        else
            printf("\t");
    }
    printf("\n");
    if (cudaGetLastError() != cudaSuccess) printf("# a launch failed\n");
}

int main() {
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    int khz = 0;
    cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
    uint32_t *memory;
    cudaMalloc(&memory, 1 << 24);
    cudaMemset(memory, 0, 1 << 24);
    printf("# what: clocks of a scheduler for one column of a warp (64 cells), by warps a scheduler as registers "
           "allow; least of 3\n");
    printf("# device: %s\n# command: tests/gpu/papara_loops.cu, compiled as it says\n", properties.name);
    printf("loop\tcolumns\twarps_1\twarps_2\twarps_3\twarps_4\n");
#define ROW(columns, cell, around, what) \
    measure<columns, cell, around>(what, memory, properties.multiProcessorCount, khz)
    ROW(16, PLAIN, NOTHING, "stage 07's cell");
    ROW(16, PLAIN, BOTH, "with branches and edge");
    ROW(16, SHIFTED, NOTHING, "shifted scores");
    ROW(24, SHIFTED, NOTHING, "shifted scores");
    ROW(32, SHIFTED, NOTHING, "shifted scores");
    ROW(32, SHIFTED_APART, NOTHING, "and the diagonal's addition apart from the minimum");
    ROW(32, NO_GAP, NOTHING, "and no skipped sites: one instruction");
    ROW(32, SHIFTED, BRANCHES, "shifted scores and branches");
    ROW(32, SHIFTED, EDGE, "shifted scores and edge");
    ROW(16, SHIFTED, BOTH, "shifted scores, branches and edge");
    ROW(24, SHIFTED, BOTH, "shifted scores, branches and edge");
    ROW(32, SHIFTED, BOTH, "shifted scores, branches and edge");
    cudaFree(memory);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
