/* What a cell of papara's stages 07 to 09 costs a scheduler, and what is around it: loops over registers, step by step with the
   branches, the edge in shared memory, and the costs in a table there. The numbers in the READMEs of 07 to 09 are from it. A measurement,
   not a test; results/papara_loops_h200.tsv is its output.

     nvcc -O3 -std=c++17 -gencode arch=compute_90a,code=sm_90a experiments/gpu/papara_loops.cu -o papara_loops && ./papara_loops

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

/* Costs from a table in shared memory, which all of a block's warps read; AHEAD: a row's costs are loaded while the row before is
   computed. The table has as many rows as amino acids need, 24. */
enum { LETTERS = 24, TABLE_EDGES = 56 };
template <int COLUMNS> static __device__ __forceinline__ void load_costs(const uint4 *from, uint32_t *to) {
#pragma unroll
    for (int q = 0; q < COLUMNS / 4; q++) {
        const uint4 four = from[q * WARP];
        to[4 * q] = four.x;
        to[4 * q + 1] = four.y;
        to[4 * q + 2] = four.z;
        to[4 * q + 3] = four.w;
    }
}

template <int COLUMNS, int WARPS, bool AHEAD>
static __global__ void __launch_bounds__(WARPS *WARP, 1) cells_of_table(uint32_t *memory) {
    extern __shared__ uint4 table[];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    uint2 *edges = (uint2 *)(table + LETTERS * COLUMNS / 4 * WARP) + warp * TABLE_EDGES * WARP + lane;
    uint32_t *letters = (uint32_t *)(edges - warp * TABLE_EDGES * WARP - lane + WARPS * TABLE_EDGES * WARP);
    for (int k = threadIdx.x; k < LETTERS * COLUMNS / 4 * WARP; k += WARPS * WARP) table[k] = make_uint4(k, k, k, k);
    for (int j = 0; j < TABLE_EDGES; j++) edges[j * WARP] = make_uint2(0, 0);
    for (int k = threadIdx.x; k < WARPS * (TABLE_EDGES + 2); k += WARPS * WARP)
        letters[k] = k * 7 % LETTERS * (COLUMNS / 4) * WARP;
    letters += warp * (TABLE_EDGES + 2);
    uint32_t S[COLUMNS], open[COLUMNS], D, diagonal = 0;
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        S[c] = memory[threadIdx.x + c];
        open[c] = memory[threadIdx.x + 5 * COLUMNS + c];
    }
    __syncthreads();
#pragma unroll 1
    for (int step = 0; step < STEPS / TABLE_EDGES; step++) {
        uint32_t cost[2][COLUMNS], next = letters[1];
        if (AHEAD) load_costs<COLUMNS>(table + lane + letters[0], cost[0]);
#pragma unroll 1
        for (int j = 0; j < TABLE_EDGES; j += 2) {
#pragma unroll
            for (int r = 0; r < 2; r++) {
                const uint2 at = edges[(j + r) * WARP];
                if (AHEAD) {
                    load_costs<COLUMNS>(table + lane + next, cost[1 - r]);
                    next = letters[j + r + 2];
                } else {
                    load_costs<COLUMNS>(table + lane + letters[j + r], cost[r]);
                }
                D = at.y;
                row<COLUMNS, SHIFTED>(S, cost[r], open, open, diagonal, &D);
                diagonal = at.x;
                edges[(j + r) * WARP] = make_uint2(S[COLUMNS - 1], D);
            }
        }
    }
    for (int c = 0; c < COLUMNS; c++) D += S[c];
    memory[blockIdx.x * WARPS * WARP + threadIdx.x] = D;
}

template <int COLUMNS, int WARPS, bool AHEAD>
static void measure_table(const char *what, uint32_t *memory, int multiprocessors, double clocks_per_ms) {
    const size_t bytes = LETTERS * COLUMNS / 4 * WARP * sizeof(uint4) +
                         WARPS * (TABLE_EDGES * WARP * sizeof(uint2) + (TABLE_EDGES + 2) * sizeof(uint32_t));
    cudaFuncSetAttribute(cells_of_table<COLUMNS, WARPS, AHEAD>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         (int)bytes);
    float least = 1e30f;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        cudaEvent_t begin, end;
        cudaEventCreate(&begin);
        cudaEventCreate(&end);
        cudaEventRecord(begin);
        cells_of_table<COLUMNS, WARPS, AHEAD><<<multiprocessors, WARPS * WARP, bytes>>>(memory);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        float ms;
        cudaEventElapsedTime(&ms, begin, end);
        if (ms < least) least = ms;
    }
    const double rows = STEPS / TABLE_EDGES * TABLE_EDGES,
                 clocks = least * clocks_per_ms / (rows * COLUMNS * WARPS / 4);
    printf("\"%s\"\t%d", what, COLUMNS);
    for (int warps = 1; warps <= 4; warps++) {
        if (warps == WARPS / 4)
            printf("\t%.2f", clocks);
        else
            printf("\t");
    }
    printf("\n");
    if (cudaGetLastError() != cudaSuccess) printf("# a launch failed\n");
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
            printf("\tNA");
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
    printf("# device: %s\n# command: experiments/gpu/papara_loops.cu, compiled as it says\n", properties.name);
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
#define TABLE(columns, warps, ahead, what) \
    measure_table<columns, warps, ahead>(what, memory, properties.multiProcessorCount, khz)
    TABLE(32, 8, false, "shifted scores, costs in a table, edge");
    TABLE(32, 8, true, "and costs loaded a row ahead");
    TABLE(16, 8, true, "and costs loaded a row ahead");
    TABLE(16, 12, true, "and costs loaded a row ahead");
    cudaFree(memory);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
