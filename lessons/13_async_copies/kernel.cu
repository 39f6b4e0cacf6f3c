/* 13_async_copies: the multiplications are fast enough; this lesson brings the data along in time.

   Idea: multiplying takes a third of lesson 12's time. The rest: it moves four registers before each product, waits for
   each chunk, and reads two numbers of ones for each distance. None of these is necessary.
   Changed: rows are copied to shared memory asynchronously, two lines ahead, and loaded from there in the order of the
   tensor cores (allpairs/product_async.h). At the end of a tile each number of ones is read once.
   Expected: more than half of what the tensor cores do in a loop without memory.
   Measured: 0.58 of that on an H200 at 10,000 x 10,000 nucleotides, 1.9 times as fast as lesson 12; 0.49 at 4,096 x 8,192.
   See: warpladder run lessons/1* --instances 10000 --attributes 10000 --alphabet 4 */
#include "allpairs/product_async.h"
#include "lessons/kit/product.h"

enum { BITS = 32 }; // features per word: a feature is a bit

/* Tiles before row j of the upper triangle, as in lesson 12. */
static __device__ __forceinline__ unsigned before(unsigned j, unsigned tiles) { return j * tiles - j * (j - 1) / 2; }

/* Writes a thread's distances of tile (j, i), and mirrored. It reads the number of ones once per row and column. */
static __device__ __forceinline__ void write(const wl_product_sums *common,
                                             const int *ones, // [padded]
                                             int *distance,   // [instances][instances]
                                             int instances, int tile_j, int tile_i, int mirrored) {
    const int lane = threadIdx.x % 32;
    const int first_j = tile_j * TILE + wl_product_row(), first_i = tile_i * TILE + wl_product_column();
    int column_ones[WL_PRODUCT_ACROSS][2];
#pragma unroll
    for (int c = 0; c < 2 * WL_PRODUCT_ACROSS; c++)
        column_ones[c / 2][c % 2] = ones[first_i + 8 * (c / 2) + WL_MMA_D_COLUMN(lane, c % 2)];
#pragma unroll
    for (int r = 0; r < 2 * WL_PRODUCT_DOWN; r++) {
        const int j = first_j + 16 * (r / 2) + WL_MMA_D_ROW(lane, 2 * (r % 2));
        if (j >= instances) continue;
        const int row_ones = ones[j];
#pragma unroll
        for (int c = 0; c < 2 * WL_PRODUCT_ACROSS; c++) {
            const int i = first_i + 8 * (c / 2) + WL_MMA_D_COLUMN(lane, c % 2);
            if (i >= instances) continue;
            const int value =
                lessons_distance(row_ones, column_ones[c / 2][c % 2], common->sum[r / 2][c / 2][2 * (r % 2) + c % 2]);
            distance[(size_t)instances * j + i] = value;
            if (mirrored) distance[(size_t)instances * i + j] = value;
        }
    }
}

static __global__ void __launch_bounds__(WL_PRODUCT_THREADS, 2)
    async_copies(const uint32_t *features, // [padded][words]
                 const int *ones,          // [padded]
                 int *distance,            // [instances][instances]
                 int instances, size_t words, unsigned tiles) {
    extern __shared__ uint4 shared[];
    const double b = tiles + 0.5;
    unsigned j = (unsigned)(b - sqrt(b * b - 2.0 * blockIdx.x));
    while (before(j + 1, tiles) <= blockIdx.x) j++;
    while (before(j, tiles) > blockIdx.x) j--;
    const unsigned i = j + (blockIdx.x - before(j, tiles));
    wl_product_sums common;
    wl_product_async(wl_product_bits, features + j * TILE * words, features + i * TILE * words, words, shared, &common);
    write(&common, ones, distance, instances, (int)j, (int)i, i > j);
}

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    WL_CUDA(cudaFuncSetAttribute(async_copies, cudaFuncAttributeMaxDynamicSharedMemorySize, WL_PRODUCT_SHARED));
    return lessons_prepare_rows<BITS, WL_PRODUCT_LINE>(device, input, state);
}

static wl_status launch(void *state) {
    lessons_state *s = (lessons_state *)state;
    const int tiles = (s->instances + TILE - 1) / TILE;
    if (tiles == 0) return WL_OK;
    const uint32_t *features = (const uint32_t *)s->data;
    async_copies<<<(unsigned)tiles *(tiles + 1) / 2, WL_PRODUCT_THREADS, WL_PRODUCT_SHARED>>>(
        features, lessons_ones(s), s->distance, s->instances, s->pitch, (unsigned)tiles);
    WL_LAUNCHED();
    return WL_OK;
}

LESSONS_PRODUCT_STAGE(
    BITS, .idea = "rows copied ahead, fragments loaded in the order of the tensor cores",
    .on_gpu = "an asynchronous copy's store to shared memory is no shared request, and makes fewer passes",
    .prepare = prepare, .launch = launch)
