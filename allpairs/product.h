/* A tile of the product of two matrices of bytes or bits on the tensor cores: 128 x 128 sums by a block of 128 threads.

   Both matrices have their rows along k, in words of 32 bits (four bytes, 32 bits): sum[j][i] = row j of A times row i of B. A chunk
   of 16 words of each of the 256 rows is in shared memory at a time; while it is multiplied, the next is on its way through
   registers. A warp has 64 x 64 sums.

   A tensor core takes words l % 4 and l % 4 + 4 of eight from lane l, but the order along k does not matter as long as it is the same in
   A and B. So lane l takes words 4 (l % 4) .. + 3 in one load of 16 bytes, which serves two steps. */
#ifndef ALLPAIRS_PRODUCT_H
#define ALLPAIRS_PRODUCT_H

#include "harness/device/mma.h"

enum {
    WL_PRODUCT_TILE = 128,    /* rows of A and of B: there must be so many, whatever is in the last ones */
    WL_PRODUCT_THREADS = 128, /* four warps, two by two */
    WL_PRODUCT_CHUNK = 16,    /* words; rows must be whole chunks, 16-byte aligned */
    WL_PRODUCT_FOURS = WL_PRODUCT_CHUNK / 4,
    WL_PRODUCT_WARP_TILE = 64,
    WL_PRODUCT_DOWN = WL_PRODUCT_WARP_TILE / 16, /* of a warp's 16 x 8 products */
    WL_PRODUCT_ACROSS = WL_PRODUCT_WARP_TILE / 8,
    WL_PRODUCT_LOADS = WL_PRODUCT_TILE * WL_PRODUCT_FOURS / WL_PRODUCT_THREADS
};

/* d += a b, of one of the kinds that harness/device/mma.h has. */
typedef void (*wl_product_multiply)(int d[4], const uint32_t a[4], const uint32_t b[2]);

static __device__ __forceinline__ void wl_product_bytes(int d[4], const uint32_t a[4], const uint32_t b[2]) {
    wl_mma_m16n8k32_s8(d, a, b, d);
}
static __device__ __forceinline__ void wl_product_bits(int d[4], const uint32_t a[4], const uint32_t b[2]) {
    wl_mma_m16n8k256_b1(d, a, b, d);
}

/* A thread's sums: of row 16 r + WL_MMA_D_ROW(lane, k), column 8 c + WL_MMA_D_COLUMN(lane, k) of its warp's part. */
typedef struct {
    int sum[WL_PRODUCT_DOWN][WL_PRODUCT_ACROSS][4];
} wl_product_sums;

/* Row and column of the warp's part in the tile. */
static __device__ __forceinline__ int wl_product_row(void) { return threadIdx.x / 64 * WL_PRODUCT_WARP_TILE; }
static __device__ __forceinline__ int wl_product_column(void) { return threadIdx.x / 32 % 2 * WL_PRODUCT_WARP_TILE; }

static __device__ __forceinline__ void wl_product_fetch(uint4 *on_the_way, const uint4 *rows, size_t row_fours) {
#pragma unroll
    for (int k = 0; k < WL_PRODUCT_LOADS; k++) {
        const int four = threadIdx.x + k * WL_PRODUCT_THREADS;
        on_the_way[k] = rows[four / WL_PRODUCT_FOURS * row_fours + four % WL_PRODUCT_FOURS];
    }
}
static __device__ __forceinline__ void wl_product_put_down(const uint4 *on_the_way, uint4 *chunk) {
#pragma unroll
    for (int k = 0; k < WL_PRODUCT_LOADS; k++) chunk[threadIdx.x + k * WL_PRODUCT_THREADS] = on_the_way[k];
}

/* A warp's part of a chunk. */
static __device__ __forceinline__ void wl_product_step(wl_product_multiply multiply,
                                                       const uint4 (*a_rows)[WL_PRODUCT_FOURS],
                                                       const uint4 (*b_rows)[WL_PRODUCT_FOURS], wl_product_sums *s) {
    const int lane = threadIdx.x % 32;
    uint4 upper[WL_PRODUCT_DOWN], lower[WL_PRODUCT_DOWN];
#pragma unroll
    for (int r = 0; r < WL_PRODUCT_DOWN; r++) {
        upper[r] = a_rows[16 * r + lane / 4][lane % 4];
        lower[r] = a_rows[16 * r + lane / 4 + 8][lane % 4];
    }
#pragma unroll
    for (int c = 0; c < WL_PRODUCT_ACROSS; c++) {
        const uint4 column = b_rows[8 * c + lane / 4][lane % 4];
        const uint32_t b[2][2] = {{column.x, column.y}, {column.z, column.w}};
#pragma unroll
        for (int r = 0; r < WL_PRODUCT_DOWN; r++) {
            const uint32_t first[4] = {upper[r].x, lower[r].x, upper[r].y, lower[r].y};
            const uint32_t second[4] = {upper[r].z, lower[r].z, upper[r].w, lower[r].w};
            multiply(s->sum[r][c], first, b[0]);
            multiply(s->sum[r][c], second, b[1]);
        }
    }
}

/* All sums of a tile; all threads of the block together. words: of a row. */
static __device__ __forceinline__ void wl_product(wl_product_multiply multiply,
                                                  const uint32_t *a, // [WL_PRODUCT_TILE][words]
                                                  const uint32_t *b, // [WL_PRODUCT_TILE][words]
                                                  size_t words, wl_product_sums *s) {
    __shared__ uint4 a_chunk[2][WL_PRODUCT_TILE][WL_PRODUCT_FOURS], b_chunk[2][WL_PRODUCT_TILE][WL_PRODUCT_FOURS];
    const size_t row_fours = words / 4, chunks = words / WL_PRODUCT_CHUNK;
    uint4 a_next[WL_PRODUCT_LOADS], b_next[WL_PRODUCT_LOADS];
#pragma unroll
    for (int r = 0; r < WL_PRODUCT_DOWN; r++)
#pragma unroll
        for (int c = 0; c < WL_PRODUCT_ACROSS; c++)
#pragma unroll
            for (int k = 0; k < 4; k++) s->sum[r][c][k] = 0;
    for (size_t k = 0; k <= chunks; k++) {
        if (k < chunks) {
            wl_product_fetch(a_next, (const uint4 *)a + k * WL_PRODUCT_FOURS, row_fours);
            wl_product_fetch(b_next, (const uint4 *)b + k * WL_PRODUCT_FOURS, row_fours);
        }
        if (k > 0)
            wl_product_step(multiply, &a_chunk[(k - 1) % 2][wl_product_row()],
                            &b_chunk[(k - 1) % 2][wl_product_column()], s);
        if (k < chunks) {
            wl_product_put_down(a_next, &a_chunk[k % 2][0][0]);
            wl_product_put_down(b_next, &b_chunk[k % 2][0][0]);
        }
        __syncthreads(); /* chunk k is there, and nobody reads chunk k - 1 any more */
    }
}

#endif
