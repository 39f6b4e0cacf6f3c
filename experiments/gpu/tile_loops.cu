/* Where a tile of lesson 12's product of bits loses its time, and which tile would lose less. What
   varies: the sizes of the block's and the warp's part, the stages of asynchronous copies, three
   ways to load fragments, and whether it copies and writes. It is a measurement, not a test,
   although every tile is compared with the host first. Its output is results/tile_loops_h200.tsv.

     nvcc -O3 -gencode arch=compute_90a,code=sm_90a -I. experiments/gpu/tile_loops.cu -o tile_loops && ./tile_loops */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "harness/device/mma.h"

/* `what`, at run time. PAIRED: whole sectors by an exchange of lanes; SHARED: whole lines by way of shared memory; STREAM: stores that the
   second-level cache may drop first; STAGGER: half of the first blocks begin 20 us late */
enum { COPY = 1, WRITE = 2, PAIRED = 4, SHARED = 8, STREAM = 16, STAGGER = 32 };
enum { LOAD_8 = 0, LOAD_16 = 1, LOAD_MATRIX = 2 };

static __device__ __forceinline__ void copy16(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
}
static __device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> static __device__ __forceinline__ void wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}
static __device__ __forceinline__ void load_matrix(uint32_t r[4], const void *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(row))
                 : "memory");
}

/* Which 16 bytes of a row in shared memory have its piece p: p ^ swizzle(row). */
static __host__ __device__ constexpr int swizzle(int row, int fours) {
    return ((row & 1) << 2 | (row & 2) | (row >> 2 & 1)) & (fours - 1);
}

template <int DOWN_, int ACROSS_, int WARPS_DOWN_, int WARPS_ACROSS_, int FOURS_, int STAGES_, int LOAD_> struct shape {
    static constexpr int DOWN = DOWN_, ACROSS = ACROSS_, WARPS_DOWN = WARPS_DOWN_, WARPS_ACROSS = WARPS_ACROSS_,
                         FOURS = FOURS_, STAGES = STAGES_, LOAD = LOAD_;
    static constexpr int ROWS = 16 * DOWN * WARPS_DOWN, COLUMNS = 8 * ACROSS * WARPS_ACROSS,
                         THREADS = 32 * WARPS_DOWN * WARPS_ACROSS, STAGE = (ROWS + COLUMNS) * FOURS,
                         BYTES = STAGE * STAGES * 16, TOGETHER = THREADS / FOURS;
    static_assert(TOGETHER % 8 == 0, "the swizzle is the same for all copies of a thread");
};

template <typename S>
static __device__ __forceinline__ void copy_rows(int rows, uint4 *to, const uint4 *from, size_t row_fours) {
    const int row = threadIdx.x / S::FOURS, piece = threadIdx.x % S::FOURS;
    to += row * S::FOURS + (piece ^ swizzle(row, S::FOURS));
    from += row * row_fours + piece;
#pragma unroll
    for (int k = 0; k * S::TOGETHER < rows; k++)
        if (rows % S::TOGETHER == 0 || row + k * S::TOGETHER < rows)
            copy16(to + k * S::TOGETHER * S::FOURS, from + k * S::TOGETHER * row_fours);
}

template <typename S>
static __device__ __forceinline__ void step(const uint4 *a_rows, const uint4 *b_rows, int sum[S::DOWN][S::ACROSS][4]) {
    const int lane = threadIdx.x % 32, group = lane / 4, member = lane % 4;
    if (S::LOAD == LOAD_8) {
        const int x = swizzle(group, S::FOURS) ^ member / 2;
#pragma unroll
        for (int s = 0; s < S::FOURS / 2; s++) {
            uint32_t a[S::DOWN][4];
            const int at = 2 * ((2 * s) ^ x) + member % 2;
#pragma unroll
            for (int r = 0; r < S::DOWN; r++) {
                const uint2 u = ((const uint2 *)(a_rows + (16 * r + group) * S::FOURS))[at];
                const uint2 l = ((const uint2 *)(a_rows + (16 * r + group + 8) * S::FOURS))[at];
                a[r][0] = u.x, a[r][1] = l.x, a[r][2] = u.y, a[r][3] = l.y;
            }
#pragma unroll
            for (int c = 0; c < S::ACROSS; c++) {
                const uint2 v = ((const uint2 *)(b_rows + (8 * c + group) * S::FOURS))[at];
                const uint32_t b[2] = {v.x, v.y};
#pragma unroll
                for (int r = 0; r < S::DOWN; r++) wl_mma_m16n8k256_b1(sum[r][c], a[r], b, sum[r][c]);
            }
        }
    } else if (S::LOAD == LOAD_16) {
        const int x = swizzle(group, S::FOURS) ^ member;
#pragma unroll
        for (int s = 0; s < S::FOURS / 4; s++) {
            uint4 upper[S::DOWN], lower[S::DOWN];
            const int at = (4 * s) ^ x;
#pragma unroll
            for (int r = 0; r < S::DOWN; r++) {
                upper[r] = a_rows[(16 * r + group) * S::FOURS + at];
                lower[r] = a_rows[(16 * r + group + 8) * S::FOURS + at];
            }
#pragma unroll
            for (int c = 0; c < S::ACROSS; c++) {
                const uint4 v = b_rows[(8 * c + group) * S::FOURS + at];
                const uint32_t b[2][2] = {{v.x, v.y}, {v.z, v.w}};
#pragma unroll
                for (int r = 0; r < S::DOWN; r++) {
                    const uint32_t first[4] = {upper[r].x, lower[r].x, upper[r].y, lower[r].y};
                    wl_mma_m16n8k256_b1(sum[r][c], first, b[0], sum[r][c]);
                }
#pragma unroll
                for (int r = 0; r < S::DOWN; r++) {
                    const uint32_t second[4] = {upper[r].z, lower[r].z, upper[r].w, lower[r].w};
                    wl_mma_m16n8k256_b1(sum[r][c], second, b[1], sum[r][c]);
                }
            }
        }
    } else {
        const int x = swizzle(lane % 8, S::FOURS);
#pragma unroll
        for (int s = 0; s < S::FOURS / 2; s++) {
            uint32_t a[S::DOWN][4];
#pragma unroll
            for (int r = 0; r < S::DOWN; r++)
                load_matrix(a[r], a_rows + (16 * r + lane % 16) * S::FOURS + ((2 * s + lane / 16) ^ x));
#pragma unroll
            for (int c = 0; c < S::ACROSS; c += 2) {
                uint32_t b[4];
                load_matrix(b, b_rows + (8 * c + lane / 16 * 8 + lane % 8) * S::FOURS + ((2 * s + lane / 8 % 2) ^ x));
#pragma unroll
                for (int r = 0; r < S::DOWN; r++) wl_mma_m16n8k256_b1(sum[r][c], a[r], b, sum[r][c]);
#pragma unroll
                for (int r = 0; r < S::DOWN; r++) wl_mma_m16n8k256_b1(sum[r][c + 1], a[r], b + 2, sum[r][c + 1]);
            }
        }
    }
}

static __device__ __forceinline__ void put(int *distance, int n, int j, int i, int value) {
    if (j < n && i < n) distance[(size_t)n * j + i] = value;
}

template <typename S>
static __device__ __forceinline__ void write(int sum[S::DOWN][S::ACROSS][4], const int *ones, int *distance, int n,
                                             int first_j, int first_i, int mirrored_from, int what) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    first_j += warp / S::WARPS_ACROSS * S::DOWN * 16, first_i += warp % S::WARPS_ACROSS * S::ACROSS * 8;
    if (what & WRITE) {
        int row_ones[S::DOWN][2]; // read before the first store: the compiler cannot know that it changes none
#pragma unroll
        for (int r = 0; r < 2 * S::DOWN; r++)
            row_ones[r / 2][r % 2] = ones[first_j + 16 * (r / 2) + WL_MMA_D_ROW(lane, 2 * (r % 2))];
#pragma unroll
        for (int c = 0; c < S::ACROSS; c++) {
            const int i = first_i + 8 * c + WL_MMA_D_COLUMN(lane, 0);
            const int ones0 = ones[i], ones1 = ones[i + 1];
#pragma unroll
            for (int r = 0; r < S::DOWN; r++)
#pragma unroll
                for (int k = 0; k < 4; k += 2) {
                    const int j = first_j + 16 * r + WL_MMA_D_ROW(lane, k);
                    const int v0 = (row_ones[r][k / 2] + ones0) / 2 - sum[r][c][k];
                    const int v1 = (row_ones[r][k / 2] + ones1) / 2 - sum[r][c][k + 1];
                    if (what & PAIRED) { // lanes of two neighbouring rows write one row together, then the other
                        const int odd = lane / 4 % 2, other = __shfl_xor_sync(~0u, odd ? v0 : v1, 4);
                        put(distance, n, j - odd, i + odd, odd ? other : v0);
                        put(distance, n, j - odd + 1, i + odd, odd ? v1 : other);
                    } else {
                        put(distance, n, j, i, v0);
                        put(distance, n, j, i + 1, v1);
                    }
                    if (i >= mirrored_from) {
                        put(distance, n, i, j, v0);
                        put(distance, n, i + 1, j, v1);
                    }
                }
        }
    } else {
        int all = 0;
#pragma unroll
        for (int r = 0; r < S::DOWN; r++)
#pragma unroll
            for (int c = 0; c < S::ACROSS; c++)
#pragma unroll
                for (int k = 0; k < 4; k++) all ^= sum[r][c][k];
        if (all == 0x7fffffff) distance[0] = all;
    }
}

/* Sums to shared memory, [ROWS][COLUMNS + 1], and from there rows and columns to global memory, lane beside lane. */
template <typename S, bool STREAMING>
static __device__ __forceinline__ void write_shared(int sum[S::DOWN][S::ACROSS][4], int *tile, const int *ones,
                                                    int *distance, int n, int first_j, int first_i, int mirrored_from) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, WARPS = S::THREADS / 32, PITCH = S::COLUMNS + 1;
    const int row = warp / S::WARPS_ACROSS * S::DOWN * 16, column = warp % S::WARPS_ACROSS * S::ACROSS * 8;
    __syncthreads();
#pragma unroll
    for (int r = 0; r < S::DOWN; r++)
#pragma unroll
        for (int c = 0; c < S::ACROSS; c++)
#pragma unroll
            for (int k = 0; k < 4; k++)
                tile[(row + 16 * r + WL_MMA_D_ROW(lane, k)) * PITCH + column + 8 * c + WL_MMA_D_COLUMN(lane, k)] =
                    sum[r][c][k];
    __syncthreads();
    int ones_i[S::COLUMNS / 32];
#pragma unroll
    for (int k = 0; k < S::COLUMNS / 32; k++) ones_i[k] = ones[first_i + 32 * k + lane];
    for (int r = warp; r < S::ROWS && first_j + r < n; r += WARPS) {
        const int ones_j = ones[first_j + r];
        int *to = distance + (size_t)n * (first_j + r) + first_i;
#pragma unroll
        for (int k = 0; k < S::COLUMNS / 32; k++) {
            const int value = (ones_j + ones_i[k]) / 2 - tile[r * PITCH + 32 * k + lane];
            if (first_i + 32 * k + lane >= n) continue;
            if (STREAMING)
                __stcs(&to[32 * k + lane], value);
            else
                to[32 * k + lane] = value;
        }
    }
    int ones_j[S::ROWS / 32];
#pragma unroll
    for (int k = 0; k < S::ROWS / 32; k++) ones_j[k] = ones[first_j + 32 * k + lane];
    for (int c = warp; c < S::COLUMNS && first_i + c < n; c += WARPS) {
        if (first_i + c < mirrored_from) continue;
        const int one_i = ones[first_i + c];
        int *to = distance + (size_t)n * (first_i + c) + first_j;
#pragma unroll
        for (int k = 0; k < S::ROWS / 32; k++) {
            const int value = (ones_j[k] + one_i) / 2 - tile[(32 * k + lane) * PITCH + c];
            if (first_j + 32 * k + lane >= n) continue;
            if (STREAMING)
                __stcs(&to[32 * k + lane], value);
            else
                to[32 * k + lane] = value;
        }
    }
}

/* order: of the tiles, row << 16 | column. Block b takes tiles b, b + blocks .. */
template <typename S>
static __global__ void __launch_bounds__(S::THREADS, S::THREADS > 128 ? 1 : 2)
    tiles(const uint32_t *features, const int *ones, int *distance, int n, int words, const uint32_t *order, int count,
          int what) {
    extern __shared__ uint4 shared[];
    const int chunks = words / 4 / S::FOURS, warp = threadIdx.x / 32;
    const size_t row_fours = words / 4;
    const uint4 *rows = (const uint4 *)features;
    if ((what & STAGGER) && blockIdx.x >= 132 && blockIdx.x < 264) __nanosleep(20000);
    int ahead_tile = blockIdx.x, ahead_chunk = 0, ahead_stage = 0;
    auto issue = [&]() {
        if (ahead_tile < count && (what & COPY)) {
            const uint32_t tile = order[ahead_tile];
            uint4 *to = shared + ahead_stage * S::STAGE;
            copy_rows<S>(S::ROWS, to, rows + (tile >> 16) * S::ROWS * row_fours + ahead_chunk * S::FOURS, row_fours);
            copy_rows<S>(S::COLUMNS, to + S::ROWS * S::FOURS,
                         rows + (tile & 0xffff) * S::COLUMNS * row_fours + ahead_chunk * S::FOURS, row_fours);
            if (++ahead_chunk == chunks) ahead_chunk = 0, ahead_tile += gridDim.x;
        }
        ahead_stage = ahead_stage + 1 == S::STAGES ? 0 : ahead_stage + 1;
        commit();
    };
    for (int k = 0; k < S::STAGES - 1; k++) issue();
    int stage = 0;
    for (int t = blockIdx.x; t < count; t += gridDim.x) {
        int sum[S::DOWN][S::ACROSS][4];
#pragma unroll
        for (int k = 0; k < S::DOWN * S::ACROSS * 4; k++) sum[k / 4 / S::ACROSS][k / 4 % S::ACROSS][k % 4] = 0;
#pragma unroll 1
        for (int k = 0; k < chunks; k++) {
            wait<S::STAGES - 2>();
            __syncthreads();
            issue();
            const uint4 *from = shared + stage * S::STAGE;
            step<S>(from + warp / S::WARPS_ACROSS * S::DOWN * 16 * S::FOURS,
                    from + (S::ROWS + warp % S::WARPS_ACROSS * S::ACROSS * 8) * S::FOURS, sum);
            stage = stage + 1 == S::STAGES ? 0 : stage + 1;
        }
        const uint32_t tile = order[t];
        const int j = (tile >> 16) * S::ROWS, i = (tile & 0xffff) * S::COLUMNS;
        if (what & SHARED) {
            if (S::BYTES >= S::ROWS * (S::COLUMNS + 1) * 4) {
                if (what & STREAM)
                    write_shared<S, true>(sum, (int *)shared, ones, distance, n, j, i, j + S::ROWS);
                else
                    write_shared<S, false>(sum, (int *)shared, ones, distance, n, j, i, j + S::ROWS);
            }
        } else {
            write<S>(sum, ones, distance, n, j, i, j + S::ROWS, what);
        }
    }
}

/* A tile a block; fragments of a step are loaded while the step before is multiplied, also across the barrier, and the copies are
   spread over the steps. */
template <typename S>
static __device__ __forceinline__ void fragments(uint32_t a[S::DOWN][4], uint32_t b[S::ACROSS / 2][4],
                                                 const uint4 *a_rows, const uint4 *b_rows, int step) {
    const int lane = threadIdx.x % 32, x = swizzle(lane % 8, S::FOURS);
#pragma unroll
    for (int r = 0; r < S::DOWN; r++)
        load_matrix(a[r], a_rows + (16 * r + lane % 16) * S::FOURS + ((2 * step + lane / 16) ^ x));
#pragma unroll
    for (int c = 0; c < S::ACROSS / 2; c++)
        load_matrix(b[c], b_rows + (16 * c + lane / 16 * 8 + lane % 8) * S::FOURS + ((2 * step + lane / 8 % 2) ^ x));
}

template <typename S>
static __global__ void __launch_bounds__(S::THREADS, S::THREADS > 128 ? 1 : 2)
    ahead(const uint32_t *features, const int *ones, int *distance, int n, int words, const uint32_t *order, int count,
          int what) {
    extern __shared__ uint4 shared[];
    const int STEPS = S::FOURS / 2, K = (S::ROWS + S::COLUMNS) / S::TOGETHER;
    const int lines = words / 4 / S::FOURS, warp = threadIdx.x / 32;
    const size_t row_fours = words / 4;
    const uint32_t tile = order[blockIdx.x];
    const int j = (tile >> 16) * S::ROWS, i = (tile & 0xffff) * S::COLUMNS;
    if ((what & STAGGER) && blockIdx.x >= 132 && blockIdx.x < 264) __nanosleep(20000);
    const int row = threadIdx.x / S::FOURS, piece = threadIdx.x % S::FOURS;
    uint4 *to = shared + row * S::FOURS + (piece ^ swizzle(row, S::FOURS));
    const uint4 *from_a = (const uint4 *)features + (j + row) * row_fours + piece,
                *from_b = (const uint4 *)features + (i + row) * row_fours + piece;
    auto copy = [&](int line, int first, int last) {
        if (line >= lines || !(what & COPY)) return;
        uint4 *there = to + line % S::STAGES * S::STAGE;
#pragma unroll
        for (int k = first; k < last; k++) {
            const int r = k * S::TOGETHER;
            copy16(there + r * S::FOURS,
                   (r < S::ROWS ? from_a + r * row_fours : from_b + (r - S::ROWS) * row_fours) + line * S::FOURS);
        }
    };
    int sum[S::DOWN][S::ACROSS][4];
#pragma unroll
    for (int k = 0; k < S::DOWN * S::ACROSS * 4; k++) sum[k / 4 / S::ACROSS][k / 4 % S::ACROSS][k % 4] = 0;
    for (int line = 0; line < S::STAGES - 1; line++) {
        copy(line, 0, K);
        commit();
    }
    const uint4 *a_rows = shared + warp / S::WARPS_ACROSS * S::DOWN * 16 * S::FOURS,
                *b_rows = shared + (S::ROWS + warp % S::WARPS_ACROSS * S::ACROSS * 8) * S::FOURS;
    uint32_t a[2][S::DOWN][4], b[2][S::ACROSS / 2][4];
    wait<S::STAGES - 2>();
    __syncthreads();
    fragments<S>(a[0], b[0], a_rows, b_rows, 0);
    int stage = 0;
#pragma unroll 1
    for (int line = 0; line < lines; line++) {
        const int next_stage = stage + 1 == S::STAGES ? 0 : stage + 1;
#pragma unroll
        for (int step = 0; step < STEPS; step++) {
            const int now = step % 2, next = 1 - now;
            if (step + 1 < STEPS) {
                fragments<S>(a[next], b[next], a_rows + stage * S::STAGE, b_rows + stage * S::STAGE, step + 1);
                copy(line + S::STAGES - 1, step * K / (STEPS - 1), (step + 1) * K / (STEPS - 1));
                if (step + 2 == STEPS) commit();
            } else {
                wait<S::STAGES - 2>();
                __syncthreads();
                if (line + 1 < lines)
                    fragments<S>(a[next], b[next], a_rows + next_stage * S::STAGE, b_rows + next_stage * S::STAGE, 0);
            }
#pragma unroll
            for (int c = 0; c < S::ACROSS; c++)
#pragma unroll
                for (int r = 0; r < S::DOWN; r++)
                    wl_mma_m16n8k256_b1(sum[r][c], a[now][r], &b[now][c / 2][c % 2 * 2], sum[r][c]);
        }
        stage = next_stage;
    }
    if (what & SHARED) {
        if (S::BYTES >= S::ROWS * (S::COLUMNS + 1) * 4) {
            if (what & STREAM)
                write_shared<S, true>(sum, (int *)shared, ones, distance, n, j, i, j + S::ROWS);
            else
                write_shared<S, false>(sum, (int *)shared, ones, distance, n, j, i, j + S::ROWS);
        }
    } else {
        write<S>(sum, ones, distance, n, j, i, j + S::ROWS, what);
    }
}

/* --- Lesson 12's tile as it is, in the same order of tiles --------------------------------------------------------- */

enum {
    TILE = 128,                   // instances along a side of a block's tile
    WARP_TILE = TILE / 2,         // the same of a warp's part
    BLOCK = 128,                  // threads: four warps, two by two
    CHUNK = 16,                   // words of a row that are in shared memory at a time
    FOURS = CHUNK / 4,            // the same in units of four words, which one load brings
    LOADS = TILE * FOURS / BLOCK, // of a thread, for a chunk of a tile's rows
    DOWN = WARP_TILE / 16,        // products of 16 x 8 sums in a warp's part, one below the other
    ACROSS = WARP_TILE / 8,       // and side by side
};

/* All threads load a chunk of a tile's rows into registers. */
static __device__ __forceinline__ void load_chunk(const uint4 *rows, // [TILE][row_fours]
                                                  size_t row_fours,
                                                  uint4 *next) { // [LOADS]
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
        const int four = threadIdx.x + k * BLOCK;
        next[k] = rows[four / FOURS * row_fours + four % FOURS];
    }
}
static __device__ __forceinline__ void store_chunk(const uint4 *next, // [LOADS]
                                                   uint4 *chunk) {    // [TILE][FOURS], shared
#pragma unroll
    for (int k = 0; k < LOADS; k++) chunk[threadIdx.x + k * BLOCK] = next[k];
}

/* A warp adds the products of its rows of a chunk. A tensor core takes words l % 4 and l % 4 + 4 of eight from lane l, but the
   order of the features does not matter as long as it is the same in a and b. So lane l takes the four words from 4 (l % 4)
   on, which one load brings and which are enough for two instructions. */
static __device__ __forceinline__ void multiply_chunk(const uint4 (*a)[FOURS], // [WARP_TILE][FOURS]
                                                      const uint4 (*b)[FOURS], // [WARP_TILE][FOURS]
                                                      int (*sum)[ACROSS][4]) { // [DOWN][ACROSS][4]
    const int lane = threadIdx.x % 32;
    uint4 upper[DOWN], lower[DOWN]; // rows lane / 4 and lane / 4 + 8 of 16
#pragma unroll
    for (int r = 0; r < DOWN; r++) {
        upper[r] = a[16 * r + lane / 4][lane % 4];
        lower[r] = a[16 * r + lane / 4 + 8][lane % 4];
    }
#pragma unroll
    for (int c = 0; c < ACROSS; c++) {
        const uint4 column = b[8 * c + lane / 4][lane % 4];
        const uint32_t b_first[2] = {column.x, column.y}, b_second[2] = {column.z, column.w};
#pragma unroll
        for (int r = 0; r < DOWN; r++) {
            const uint32_t a_first[4] = {upper[r].x, lower[r].x, upper[r].y, lower[r].y};
            const uint32_t a_second[4] = {upper[r].z, lower[r].z, upper[r].w, lower[r].w};
            wl_mma_m16n8k256_b1(sum[r][c], a_first, b_first, sum[r][c]);
            wl_mma_m16n8k256_b1(sum[r][c], a_second, b_second, sum[r][c]);
        }
    }
}

static __global__ void __launch_bounds__(BLOCK) lesson(const uint32_t *features, const int *ones, int *distance, int n,
                                                       int words, const uint32_t *order, int count, int what) {
    __shared__ uint4 a[2][TILE][FOURS], b[2][TILE][FOURS];
    const uint32_t tile = order[blockIdx.x];
    const int j = (tile >> 16) * TILE, i = (tile & 0xffff) * TILE;
    const int warp_j = threadIdx.x / 64 * WARP_TILE, warp_i = threadIdx.x / 32 % 2 * WARP_TILE;
    const uint4 *rows_j = (const uint4 *)(features + (size_t)j * words),
                *rows_i = (const uint4 *)(features + (size_t)i * words);
    const size_t chunks = words / CHUNK;
    uint4 next_a[LOADS], next_b[LOADS];
    int sum[DOWN][ACROSS][4] = {};
    for (size_t k = 0; k <= chunks; k++) {
        if (k < chunks) {
            load_chunk(rows_j + k * FOURS, words / 4, next_a);
            load_chunk(rows_i + k * FOURS, words / 4, next_b);
        }
        if (k > 0) multiply_chunk(&a[(k - 1) % 2][warp_j], &b[(k - 1) % 2][warp_i], sum);
        if (k < chunks) {
            store_chunk(next_a, &a[k % 2][0][0]);
            store_chunk(next_b, &b[k % 2][0][0]);
        }
        __syncthreads(); // chunk k is there, and no thread reads chunk k - 1 any more
    }
    write<shape<4, 8, 2, 2, 4, 2, LOAD_16>>(sum, ones, distance, n, j, i, j + TILE, what);
}

/* --- Host -------------------------------------------------------------------------------------------------------- */

#define OK(call)                                                                                  \
    do {                                                                                          \
        cudaError_t e_ = (call);                                                                  \
        if (e_ != cudaSuccess) {                                                                  \
            printf("%s:%d %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(e_)), exit(1); \
        }                                                                                         \
    } while (0)

enum { MOST = 10240, GUARD = 512 };
static uint32_t *features, *order_device;
static int *ones, *distance;
static int chips;
static int n, words; // of the problem at hand
static std::vector<uint32_t> host;
static std::vector<int> host_ones;

static void fill(int instances, int w) {
    n = instances, words = w;
    host.assign((size_t)(n + GUARD) * words, 0);
    host_ones.assign(n + GUARD, 0);
    uint32_t x = 12345;
    for (int j = 0; j < n; j++)
        for (int k = 0; k < words; k++) {
            x = x * 1664525u + 1013904223u;
            const uint32_t v = (x >> 16 | x << 16) ^ (uint32_t)(j * 2654435761u);
            host[(size_t)j * words + k] = v;
            host_ones[j] += __builtin_popcount(v);
        }
    OK(cudaMemcpy(features, host.data(), 4 * host.size(), cudaMemcpyHostToDevice));
    OK(cudaMemcpy(ones, host_ones.data(), 4 * host_ones.size(), cudaMemcpyHostToDevice));
}

/* Tiles that reach the diagonal or above, `group` rows of tiles at a time, column by column within. */
static int make_order(int rows, int columns, int group) {
    std::vector<uint32_t> o;
    const int down = (n + rows - 1) / rows, across = (n + columns - 1) / columns;
    for (int g = 0; g < down; g += group)
        for (int i = 0; i < across; i++)
            for (int j = g; j < g + group && j < down; j++)
                if ((i + 1) * columns > j * rows) o.push_back((uint32_t)j << 16 | i);
    OK(cudaMemcpy(order_device, o.data(), 4 * o.size(), cudaMemcpyHostToDevice));
    return (int)o.size();
}

typedef void (*kernel)(const uint32_t *, const int *, int *, int, int, const uint32_t *, int, int);
struct entry {
    const char *name;
    kernel function;
    int rows, columns, threads, bytes, chunk_words;
    int tile_a_block;
};

static float launch(const entry &e, int blocks, int count, int what, int repeats) {
    cudaEvent_t begin, end;
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&end));
    float best = 1e30f;
    for (int k = 0; k < repeats; k++) {
        float ms = 0;
        OK(cudaEventRecord(begin));
        e.function<<<blocks, e.threads, e.bytes>>>(features, ones, distance, n, words, order_device, count, what);
        OK(cudaGetLastError());
        OK(cudaEventRecord(end));
        OK(cudaEventSynchronize(end));
        OK(cudaEventElapsedTime(&ms, begin, end));
        best = ms < best ? ms : best;
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    return best;
}

static int wrong(const entry &e, int what, int blocks) {
    OK(cudaMemset(distance, 0xee, (size_t)4 * n * n));
    const int count = make_order(e.rows, e.columns, 3);
    launch(e, blocks ? blocks : count, count, what, 1);
    std::vector<int> got((size_t)n * n);
    OK(cudaMemcpy(got.data(), distance, 4 * got.size(), cudaMemcpyDeviceToHost));
    static std::vector<int> expected;
    if (expected.empty())
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                int s = 0;
                for (int k = 0; k < words; k++)
                    s += __builtin_popcount(host[(size_t)j * words + k] & host[(size_t)i * words + k]);
                expected.push_back((host_ones[j] + host_ones[i]) / 2 - s);
            }
    int bad = 0;
    for (size_t k = 0; k < got.size(); k++) bad += got[k] != expected[k];
    return bad;
}

#define SHAPE(name, ...)                                                                             \
    {                                                                                                \
        name, tiles<shape<__VA_ARGS__>>, shape<__VA_ARGS__>::ROWS, shape<__VA_ARGS__>::COLUMNS,      \
            shape<__VA_ARGS__>::THREADS, shape<__VA_ARGS__>::BYTES, shape<__VA_ARGS__>::FOURS * 4, 0 \
    }
#define AHEAD(name, ...)                                                                             \
    {                                                                                                \
        name, ahead<shape<__VA_ARGS__>>, shape<__VA_ARGS__>::ROWS, shape<__VA_ARGS__>::COLUMNS,      \
            shape<__VA_ARGS__>::THREADS, shape<__VA_ARGS__>::BYTES, shape<__VA_ARGS__>::FOURS * 4, 1 \
    }
static const entry entries[] = {
    {"lesson_12", lesson, 128, 128, 128, 0, 16, 1},
    /* name: warp's part, warps, bytes of a row a chunk, stages, load */
    SHAPE("64x64_2x2_64B_2_load16", 4, 8, 2, 2, 4, 2, LOAD_16),
    SHAPE("64x64_2x2_64B_2_matrix", 4, 8, 2, 2, 4, 2, LOAD_MATRIX),
    SHAPE("64x64_2x2_128B_2_matrix", 4, 8, 2, 2, 8, 2, LOAD_MATRIX),
    SHAPE("64x64_2x2_128B_3_matrix", 4, 8, 2, 2, 8, 3, LOAD_MATRIX),
    AHEAD("64x64_2x2_128B_3_ahead", 4, 8, 2, 2, 8, 3, LOAD_MATRIX),
    AHEAD("64x64_4x2_128B_4_ahead", 4, 8, 4, 2, 8, 4, LOAD_MATRIX),
    SHAPE("64x96_2x2_128B_2_matrix", 4, 12, 2, 2, 8, 2, LOAD_MATRIX),
};

static bool by_shared(const entry &e) { return e.bytes >= e.rows * (e.columns + 1) * 4; }

static void measure(int instances, int attributes) {
    const int row_words = 3 * ((attributes + 31) / 32);
    const double useful = (double)instances * instances * 32 * row_words;
    printf("# %d x %d nucleotides: %.3f T multiplications and additions of half the pairs\n", instances, attributes,
           useful / 1e12);
    printf("tile\tgroup\tblocks\tcopies\twrites\tms\tTops\n");
    for (const entry &e : entries) {
        fill(instances, (row_words + e.chunk_words - 1) / e.chunk_words * e.chunk_words);
        int resident = 0;
        OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, e.function, e.threads, e.bytes));
        for (int group = 1; group <= 16; group *= 4) {
            const int count = make_order(e.rows, e.columns, group);
            for (int all = 0; all < 2; all++) { // blocks: a tile each, or as many as are resident
                if (all == 1 && e.tile_a_block) continue;
                const int most = resident * chips, blocks = all == 0 || count < most ? count : most;
                static const int kinds[] = {COPY | WRITE,
                                            COPY | WRITE | PAIRED,
                                            COPY | SHARED,
                                            COPY | SHARED | STREAM,
                                            COPY | SHARED | STREAM | STAGGER,
                                            COPY | WRITE | STAGGER,
                                            COPY,
                                            0};
                static const char *const copies[] = {"yes", "yes", "yes", "yes", "yes", "yes", "yes", "no"};
                static const char *const writes[] = {
                    "yes", "pairs", "shared", "shared_stream", "shared_stream_stagger", "stagger", "no", "no"};
                for (int k = 0; k < 8; k++) {
                    if (group != 4 && k != 2) continue;
                    if ((kinds[k] & SHARED) && (!by_shared(e) || all == 1)) continue;
                    const float ms = launch(e, blocks, count, kinds[k], 9);
                    printf("\"%s\"\t%d\t%d\t\"%s\"\t\"%s\"\t%.4f\t%.0f\n", e.name, group, blocks, copies[k], writes[k],
                           (double)ms, useful / (double)ms / 1e9);
                }
            }
        }
        fflush(stdout);
    }
}

int main() {
    cudaDeviceProp properties;
    OK(cudaGetDeviceProperties(&properties, 0));
    chips = properties.multiProcessorCount;
    printf("# device: %s, %d multiprocessors\n", properties.name, chips);
    OK(cudaMalloc(&features, (size_t)4 * (MOST + GUARD) * 1024));
    OK(cudaMalloc(&ones, 4 * (MOST + GUARD)));
    OK(cudaMalloc(&distance, (size_t)4 * MOST * MOST));
    OK(cudaMalloc(&order_device, 1 << 20));
    int failed = 0;
    for (const entry &e : entries) {
        cudaFuncAttributes a;
        OK(cudaFuncSetAttribute(e.function, cudaFuncAttributeMaxDynamicSharedMemorySize, e.bytes));
        OK(cudaFuncGetAttributes(&a, e.function));
        int resident = 0;
        OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, e.function, e.threads, e.bytes));
        fill(777, 5 * 32);
        int bad = wrong(e, COPY | WRITE, 0) + wrong(e, COPY | WRITE | PAIRED, e.tile_a_block ? 0 : 5);
        if (by_shared(e)) bad += wrong(e, COPY | SHARED, 0) + wrong(e, COPY | SHARED | STREAM, 0);
        printf("# %s: %d registers, %d bytes of local memory, %d blocks of %d threads a multiprocessor, %s\n", e.name,
               a.numRegs, (int)a.localSizeBytes, resident, e.threads, bad ? "WRONG" : "right");
        failed |= bad != 0;
    }
    measure(10000, 10000);
    measure(4096, 8192);
    return failed;
}
