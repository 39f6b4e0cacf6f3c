/* 13_async_copies: the multiplications are done; what is left is to bring the data along.

   Idea: lesson 12 multiplies in a third of its time. It moves four registers before each product, waits for each chunk, and
   writes 32 bytes here and there. None of it has to be.
   Changed: rows are copied to shared memory asynchronously, two lines ahead, and loaded from there as the tensor cores want them
   (harness/product_async.h). Sums go to shared memory, too, and from there to global memory by whole rows and whole columns.
   Should do: above half of what the tensor cores do in a loop without memory.
   Did: 0.58 of that on an H200 at 10,000 x 10,000 nucleotides, 1.9 times as fast as lesson 12; 0.51 at 4,096 x 8,192.
   See: warpladder run lessons/1* --instances 10000 --attributes 10000 --alphabet 4 */
#include "harness/product_async.h"
#include "lessons/product.h"

enum {
    BITS = 32, // of a word: a feature is a bit
    WARPS = WL_PRODUCT_THREADS / 32
};

/* Tiles before row j of the upper triangle: lesson 12. */
static __device__ __forceinline__ unsigned before(unsigned j, unsigned tiles) { return j * tiles - j * (j - 1) / 2; }

/* A row of distances of tile (tile_j, tile_i) after the other; or, step and pitch exchanged, a column. */
static __device__ __forceinline__ void write(const int *sums, size_t pitch, size_t step,
                                             const int *ones, // [padded]
                                             int *distance,   // [instances][instances]
                                             int instances, int first_j, int first_i) {
    const int lane = threadIdx.x % 32;
    int column_ones[TILE / 32];
#pragma unroll
    for (int k = 0; k < TILE / 32; k++) column_ones[k] = ones[first_i + 32 * k + lane];
    for (int j = threadIdx.x / 32; j < TILE && first_j + j < instances; j += WARPS) {
        const int row_ones = ones[first_j + j];
        int *to = distance + (size_t)instances * (first_j + j) + first_i;
#pragma unroll
        for (int k = 0; k < TILE / 32; k++) {
            const int i = 32 * k + lane;
            if (first_i + i < instances) to[i] = (row_ones + column_ones[k]) / 2 - sums[j * pitch + i * step];
        }
    }
}

static __global__ void __launch_bounds__(WL_PRODUCT_THREADS, 2)
    async_copies(const uint32_t *features, // [padded][words]
                 const int *ones,          // [padded]
                 int *distance,            // [instances][instances]
                 int instances, size_t words, unsigned tiles) {
    extern __shared__ uint4 shared[];
    int *sums = (int *)shared; // [TILE][WL_PRODUCT_PITCH], when the rows have gone
    const double b = tiles + 0.5;
    unsigned j = (unsigned)(b - sqrt(b * b - 2.0 * blockIdx.x));
    while (before(j + 1, tiles) <= blockIdx.x) j++;
    while (before(j, tiles) > blockIdx.x) j--;
    const unsigned i = j + (blockIdx.x - before(j, tiles));
    const int first_j = (int)j * TILE, first_i = (int)i * TILE;

    wl_product_sums common;
    wl_product_async(wl_product_bits, features + first_j * words, features + first_i * words, words, shared, &common);
    wl_product_put_sums(&common, sums);
    write(sums, WL_PRODUCT_PITCH, 1, ones, distance, instances, first_j, first_i);
    if (i > j) write(sums, 1, WL_PRODUCT_PITCH, ones, distance, instances, first_i, first_j);
}

static const char *supports(const wl_device *device, const void *input) {
    return lessons_product_supports(device, input, BITS);
}

static wl_status prepare(const wl_device *, const void *input, void **state) {
    WL_CUDA(cudaFuncSetAttribute(async_copies, cudaFuncAttributeMaxDynamicSharedMemorySize, WL_PRODUCT_SHARED));
    return lessons_prepare_rows((const lessons_input *)input, BITS, WL_PRODUCT_LINE, state);
}

static wl_status launch(void *state) {
    lessons_state *s = (lessons_state *)state;
    const int tiles = (s->instances + TILE - 1) / TILE;
    if (tiles == 0) return WL_OK;
    const uint32_t *features = (const uint32_t *)s->data;
    const int *ones = (const int *)(features + (size_t)tiles * TILE * s->pitch);
    async_copies<<<(unsigned)tiles *(tiles + 1) / 2, WL_PRODUCT_THREADS, WL_PRODUCT_SHARED>>>(
        features, ones, s->distance, s->instances, s->pitch, (unsigned)tiles);
    WL_LAUNCHED();
    return WL_OK;
}

static void cost(const wl_device *, const void *input, wl_cost *cost) {
    lessons_product_cost(input, BITS, 0.5, WL_RATE_MMA_B1, cost);
}

static const wl_variant lesson = {
    .problem = "lessons",
    .name = "13_async_copies",
    .idea = "rows copied ahead, fragments loaded as they are wanted, whole lines written",
    .source = "Warpladder",
    .backend = WL_DEVICE_BACKEND,
    .supports = supports,
    .prepare = prepare,
    .launch = launch,
    .collect = lessons_collect,
    .release = lessons_release,
    .cost = cost,
};
WL_REGISTER(lesson)
