/* library_cublas: lesson 10's matrix product by NVIDIA's library, the yardstick of lessons 10 to 15.

   Idea: who has found a matrix product in a problem need not write one. The features are lesson 10's; cuBLAS multiplies the bytes on
   the tensor cores; a kernel of our own makes distances of its sums.
   Changed, against lesson 10: the library writes its 32-bit sums to memory, and the last subtraction reads them again, since
   nothing can be added to its kernel.
   Should do: what a byte's tensor cores give, of which lesson 10 reaches 0.38 on an H200 (4,096 x 8,192). A product of a matrix
   with its own transpose is symmetric, and bits are an eighth of bytes; the library has neither, lessons 11 and 12 do.
   Did: three times as fast as lesson 10 on an H200, half as fast as lesson 11, a tenth of lesson 15.
   See: warpladder run 'lessons/1*' lessons/library_cublas --instances 4096 --attributes 8192 */
#include "harness/gpu/cublas.h"
#include "harness/device/warpgroup.h"
#include "lessons/kit/product.h"

enum {
    BYTES = 4,     // of a word: a feature is a byte
    MULTIPLE = 16, // cuBLAS' integer kernels: columns 16 bytes aligned, m and k multiples of 4
    BLOCK = 256,
    ROWS_MOST = 65535, // of a grid
};

typedef struct {
    lessons_state *features;
    int *product; // device memory, [side][side]: features that row j and row i share
    int side;     // instances, rounded up to MULTIPLE
    cublasHandle_t handle;
} library_state;

static __global__ void __launch_bounds__(BLOCK) distances(const int *product, // [side][side]
                                                          const int *ones,    // [padded]
                                                          int *distance,      // [instances][instances]
                                                          int instances, int side) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= instances) return;
    for (int j = blockIdx.y; j < instances; j += gridDim.y)
        distance[(size_t)instances * j + i] = lessons_distance(ones[j], ones[i], product[(size_t)side * j + i]);
}

static int side_of(const lessons_input *in) { return (in->instances + MULTIPLE - 1) / MULTIPLE * MULTIPLE; }

static const char *supports(const wl_device *device, const void *input) {
    const lessons_input *in = (const lessons_input *)input;
    const char *why = NULL;
    if (wl_cublas_library(&why) == NULL) return why;
    if (sizeof(uint32_t) * (double)lessons_feature_words(in, BYTES) > INT32_MAX)
        return "cuBLAS takes matrices of at most 2^31 - 1 rows: fewer attributes or a smaller alphabet";
    why = lessons_product_supports(device, input, BYTES);
    if (why != NULL) return why;
    const double side = side_of(in), features = (double)lessons_padded(in) * (lessons_feature_words(in, BYTES) + 1);
    return lessons_fits(
        device, in, sizeof(uint32_t) * features + sizeof(int) * side * side + in->instances * (double)in->attributes);
}

static void release(void *state) {
    library_state *s = (library_state *)state;
    if (s == NULL) return;
    lessons_release(s->features);
    cudaFree(s->product);
    free(s);
}

static wl_status fill(const lessons_input *in, library_state *s) {
    wl_status status = wl_cublas_handle(&s->handle);
    if (status == WL_OK) status = lessons_prepare_features(in, BYTES, (void **)&s->features);
    if (status != WL_OK) return status;
    s->side = side_of(in);
    WL_CUDA(wl_cuda_output((void **)&s->product, sizeof(int) * s->side * s->side));
    return WL_OK;
}

static wl_status prepare(const wl_device *, const void *input, void **state) {
    library_state *s = (library_state *)calloc(1, sizeof *s);
    if (s == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a state");
    wl_status status = fill((const lessons_input *)input, s);
    if (status != WL_OK)
        release(s);
    else
        *state = s;
    return status;
}

/* To cuBLAS, whose matrices go column by column, our rows of k features are the columns of a k x side matrix F; what is wanted
   is F^T F: "TN", the only form its integer kernels have. The result is symmetric, so rows or columns are all the same. The
   rows behind the last instance, up to lesson 10's tile, are 0. */
static wl_status multiply(const library_state *s) {
    const int one = 1, zero = 0, k = (int)(sizeof(uint32_t) * s->features->pitch);
    const void *features = s->features->data; // [padded][k] bytes
    if (k == 0) {
        WL_CUDA(cudaMemsetAsync(s->product, 0, sizeof(int) * s->side * s->side));
        return WL_OK;
    }
    WL_CUBLAS(wl_cublas_library(NULL)->cublasGemmEx(s->handle, CUBLAS_OP_T, CUBLAS_OP_N, s->side, s->side, k, &one,
                                                    features, CUDA_R_8I, k, features, CUDA_R_8I, k, &zero, s->product,
                                                    CUDA_R_32I, s->side, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
    return WL_OK;
}

static wl_status launch(void *state) {
    const library_state *s = (const library_state *)state;
    const int instances = s->features->instances;
    if (instances == 0) return WL_OK;
    wl_status status = multiply(s);
    if (status != WL_OK) return status;
    const size_t padded = ((size_t)instances + TILE - 1) / TILE * TILE;
    const int *ones = (const int *)((const uint32_t *)s->features->data + padded * s->features->pitch);
    const dim3 grid((instances + BLOCK - 1) / BLOCK, instances < ROWS_MOST ? instances : ROWS_MOST);
    distances<<<grid, BLOCK>>>(s->product, ones, s->features->distance, instances, s->side);
    WL_LAUNCHED();
    return WL_OK;
}

static wl_status collect(void *state, void *output) {
    return lessons_collect(((library_state *)state)->features, output);
}

/* Lesson 10's, and the sums on their way through memory. */
static void cost(const wl_device *device, const void *input, wl_cost *cost) {
    enum { HOPPER = 90 };
    const int warpgroups = WL_WARPGROUP_COMPILED && device->compute_capability == HOPPER; // as its kernels do there
    const double side = side_of((const lessons_input *)input);
    lessons_product_cost(input, BYTES, 1, warpgroups ? WL_RATE_WGMMA_S8 : WL_RATE_MMA_S8, cost);
    cost->bytes += 2 * sizeof(int) * side * side;
}

static const char *version(void) {
    const wl_cublas *library = wl_cublas_library(NULL);
    return library == NULL ? "" : library->version;
}

static const wl_variant yardstick = {
    .problem = "lessons",
    .name = "library_cublas",
    .idea = "lesson 10's matrix product by NVIDIA's library",
    .source = "NVIDIA cuBLAS",
    .backend = WL_DEVICE_BACKEND,
    .supports = supports,
    .prepare = prepare,
    .launch = launch,
    .collect = collect,
    .release = release,
    .cost = cost,
    .instruction_set = version,
};
WL_REGISTER(yardstick)
