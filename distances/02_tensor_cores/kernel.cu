/* 02_tensor_cores: both counts as products of bit matrices.

   Idea: binary tensor cores count the places at which two rows of bits both have a one. Row j has, for each value v, the bits
   "is v", and column i has "is present and not v". Both are one exactly where the values differ. In unary planes, "above p"
   meets "present and not above p", and the other way round. The sites compared are present times present.
   Changed: a kernel unfolds rows and columns into these features, and lesson 13's tile multiplies them. More than 16 values
   are left to stage 01, because the unfolded rows would be too long.
   Expected: the tensor cores are the limit; 10,000 x 10,000 nucleotides with missing values take 0.48 ms at their rate for bits.
   Measured: 1.06 ms on an H200, 11 times as fast as stage 01.
   See: warpladder run distances */
#include "distances/kit/device.h"
#include "allpairs/product_async.h"

enum { TILE = WL_PRODUCT_TILE, PLANES_MOST = 4, PACK_THREADS = 256 };

static __host__ __device__ inline int features_of(int planes, int steps) { return steps ? 2 * planes : 1 << planes; }

/* A block unfolds one instance: its features as a row (side 0) or as a column (side 1). After the last instance they are 0. */
static __global__ void unfold(const uint32_t *from, // [count][planes + 1][words]
                              size_t count, int planes, size_t words, int steps, int side,
                              uint32_t *features, // [padded][features_of][words]
                              uint32_t *present,  // [padded][present_words]; NULL if not needed
                              size_t present_words) {
    const size_t instance = blockIdx.x, stride = (size_t)(planes + 1) * words;
    const int kinds = features_of(planes, steps);
    if (present != NULL && threadIdx.x < present_words - words)
        present[instance * present_words + words + threadIdx.x] = 0;
    for (size_t w = threadIdx.x; w < words; w += blockDim.x) {
        const uint32_t *at = from + instance * stride + w;
        const uint32_t here = instance < count ? at[planes * words] : 0;
        if (present != NULL) present[instance * present_words + w] = here;
        for (int f = 0; f < kinds; f++) {
            uint32_t is = here;
            if (steps) { // above f % planes
                is &= instance < count ? at[f % planes * words] : 0;
                if (f >= planes) is = here & ~is;
            } else { // value f
                for (int p = 0; p < planes && instance < count; p++) is &= f >> p & 1 ? at[p * words] : ~at[p * words];
            }
            features[(instance * kinds + f) * words + w] = side == 0 ? is : here & ~is;
        }
    }
}

static __device__ __forceinline__ void write(const wl_product_sums *s, uint32_t *to, // [rows][columns]
                                             size_t rows, size_t columns, size_t tile_j, size_t tile_i, int mirrored) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int r = 0; r < WL_PRODUCT_DOWN; r++)
#pragma unroll
        for (int c = 0; c < WL_PRODUCT_ACROSS; c++)
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const size_t j = tile_j * TILE + wl_product_row() + 16 * r + WL_MMA_D_ROW(lane, k);
                const size_t i = tile_i * TILE + wl_product_column() + 8 * c + WL_MMA_D_COLUMN(lane, k);
                if (j >= rows || i >= columns) continue;
                to[j * columns + i] = (uint32_t)s->sum[r][c][k];
                if (mirrored) to[i * columns + j] = (uint32_t)s->sum[r][c][k];
            }
}

static __global__ void __launch_bounds__(WL_PRODUCT_THREADS, 2)
    product(const uint32_t *row_features,    // [padded][words]
            const uint32_t *column_features, // [padded][words]
            size_t words, size_t rows, size_t columns, unsigned tiles_across, int symmetric,
            uint32_t *to) { // [rows][columns]
    const size_t tile_j = blockIdx.x / tiles_across, tile_i = blockIdx.x % tiles_across;
    if (symmetric && tile_i < tile_j) return;
    extern __shared__ uint4 shared[];
    wl_product_sums s;
    wl_product_async(wl_product_bits, row_features + tile_j * TILE * words, column_features + tile_i * TILE * words,
                     words, shared, &s);
    write(&s, to, rows, columns, tile_j, tile_i, symmetric && tile_i > tile_j);
}

static __global__ void fill(uint32_t *to, size_t count, uint32_t value) {
    for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k < count; k += (size_t)gridDim.x * blockDim.x)
        to[k] = value;
}

/* --- Host -------------------------------------------------------------------------------------------------------- */

static size_t tiles(size_t count) { return (count + TILE - 1) / TILE; }

/* Rows of a product are whole lines. Rows of features are, because they have an even number of features of whole half lines. */
static size_t present_words(size_t words) { return (words + WL_PRODUCT_LINE - 1) / WL_PRODUCT_LINE * WL_PRODUCT_LINE; }

/* Where the parts of `work` begin, in words: features of rows and of columns, then present values of rows and, if the columns
   are other instances, of columns. */
typedef struct {
    size_t row_features, column_features, row_present, column_present, words;
} parts;

static parts parts_of(const distances_input *in) {
    const size_t words = 2 * in->words, rows = tiles(in->rows.count) * TILE, columns = tiles(in->columns.count) * TILE;
    const size_t kinds = features_of(in->planes, in->sum == DISTANCES_STEPS);
    parts p;
    p.row_features = 0;
    p.column_features = rows * kinds * words;
    p.row_present = p.column_features + columns * kinds * words;
    p.column_present = in->symmetric ? p.row_present : p.row_present + rows * present_words(words);
    p.words = p.column_present + columns * present_words(words);
    return p;
}

static const char *supports(const wl_device *device, const void *input) {
    enum { AMPERE = 80, BLACKWELL = 100 };
    const distances_input *in = (const distances_input *)input;
    if (device->compute_capability < AMPERE && device->backend == WL_GPU)
        return "tensor cores multiply bits from compute capability 8.0 on";
    if (device->compute_capability >= BLACKWELL && device->backend == WL_GPU)
        return "from compute capability 10.0 on, GPUs multiply bits in software, slower than stage 01";
    if (in->sum == DISTANCES_DIFFERENT && in->planes > PLANES_MOST) return "more than 16 values: stage 01 is for them";
    if ((double)tiles(in->rows.count) * (double)tiles(in->columns.count) > INT32_MAX)
        return "more than 2 billion tiles; give fewer instances at a time";
    return distances_fits(device, in, sizeof(uint32_t) * parts_of(in).words);
}

/* Each launch makes the features again, so that their time counts. */
static wl_status prepare(const wl_device *device, const void *input, void **state) {
    WL_CUDA(cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, WL_PRODUCT_SHARED));
    return distances_upload(device, input, sizeof(uint32_t) * parts_of((const distances_input *)input).words, state);
}

static wl_status launch(void *state) {
    distances_state *s = (distances_state *)state;
    const distances_input *in = s->input;
    const size_t pairs = s->rows * s->columns;
    if (pairs == 0) return WL_OK;
    const int steps = in->sum == DISTANCES_STEPS, kinds = features_of(in->planes, steps);
    const parts p = parts_of(in);
    uint32_t *row_present = in->complete || in->distance_only ? NULL : s->work + p.row_present;
    uint32_t *column_present = in->complete || in->distance_only || in->symmetric ? NULL : s->work + p.column_present;
    unfold<<<(unsigned)(tiles(s->rows) * TILE), PACK_THREADS>>>(s->row_planes, s->rows, in->planes, s->words, steps, 0,
                                                                s->work + p.row_features, row_present,
                                                                present_words(s->words));
    WL_LAUNCHED();
    unfold<<<(unsigned)(tiles(s->columns) * TILE), PACK_THREADS>>>(s->column_planes, s->columns, in->planes, s->words,
                                                                   steps, 1, s->work + p.column_features,
                                                                   column_present, present_words(s->words));
    WL_LAUNCHED();
    const unsigned across = (unsigned)tiles(s->columns), blocks = (unsigned)tiles(s->rows) * across;
    product<<<blocks, WL_PRODUCT_THREADS, WL_PRODUCT_SHARED>>>(s->work + p.row_features, s->work + p.column_features,
                                                               kinds * s->words, s->rows, s->columns, across,
                                                               in->symmetric, s->result);
    WL_LAUNCHED();
    if (in->distance_only) return WL_OK;
    if (in->complete)
        fill<<<1024, PACK_THREADS>>>(s->result + pairs, pairs, (uint32_t)in->sites);
    else
        product<<<blocks, WL_PRODUCT_THREADS, WL_PRODUCT_SHARED>>>(s->work + p.row_present, s->work + p.column_present,
                                                                   present_words(s->words), s->rows, s->columns, across,
                                                                   in->symmetric, s->result + pairs);
    WL_LAUNCHED();
    return WL_OK;
}

/* ANDs and additions of bits: each row of features with each column of features, and present with present. */
static void cost(const wl_device *, const void *input, wl_cost *cost) {
    const distances_input *in = (const distances_input *)input;
    const double kinds = features_of(in->planes, in->sum == DISTANCES_STEPS) + (in->complete ? 0 : 1);
    const double pairs = (double)in->rows.count * (double)in->columns.count * (in->symmetric ? 0.5 : 1);
    distances_cost(in, 2 * pairs * (double)in->sites * kinds, WL_RATE_MMA_B1, cost);
}

DISTANCES_STAGE(.idea = "sites that differ, and sites compared, as products of bit matrices",
                .limits = "up to 16 values of a site", .supports = supports, .prepare = prepare, .launch = launch,
                .cost = cost)
