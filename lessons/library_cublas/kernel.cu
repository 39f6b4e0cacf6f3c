/* library_cublas: lesson 10's matrix product by NVIDIA's library, the yardstick of lessons 10 to 16.

   Idea: if a problem contains a matrix product, a library may compute it. The features are lesson 10's; cuBLAS multiplies
   the bytes on the tensor cores; a kernel of ours computes distances from its sums.
   Changed, compared with lesson 10: the library writes its 32-bit sums to memory, and the last subtraction reads them
   again, because nothing can be added to the library's kernel.
   Expected: what the tensor cores give for bytes, of which lesson 10 reaches 0.38 on an H200 (4,096 x 8,192). The library
   uses neither bits nor symmetry; lessons 11 and 12 do.
   Measured: 3.2 times as fast as lesson 10 on an H200; 0.50 of lesson 11's speed, 0.098 of lesson 15's.
   See: warpladder run 'lessons/1*' lessons/library_cublas --instances 4096 --attributes 8192 */
#include "harness/gpu/cublas.h"
#include "harness/device/warpgroup.h"
#include "lessons/kit/features.h"

enum {
    BYTES = 4,     // features per word: a feature is a byte
    MULTIPLE = 16, // for cuBLAS's integer kernels: columns aligned to 16 bytes, m and k multiples of 4
    BLOCK = 256,
    ROWS_MOST = 65535, // of a grid
};

/* state->work: int product [side][side], the number of features that rows j and i share. */
static __global__ void __launch_bounds__(BLOCK) distances(const int *product, // [side][side]
                                                          const int *ones,    // [padded]
                                                          int *distance,      // [instances][instances]
                                                          int instances, int side) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= instances) return;
    for (int j = blockIdx.y; j < instances; j += gridDim.y)
        distance[(size_t)instances * j + i] = lessons_distance(ones[j], ones[i], product[(size_t)side * j + i]);
}

/* Instances, rounded up to MULTIPLE. */
static int side_of(int instances) { return (instances + MULTIPLE - 1) / MULTIPLE * MULTIPLE; }
static size_t product_bytes(int instances) { return sizeof(int) * side_of(instances) * side_of(instances); }

static const char *supports(const wl_device *device, const void *input) {
    const lessons_input *in = (const lessons_input *)input;
    const char *why = NULL;
    if (wl_cublas_library(&why) == NULL) return why;
    if (sizeof(uint32_t) * (double)lessons_feature_words(in, BYTES) > INT32_MAX)
        return "cuBLAS takes matrices of at most 2^31 - 1 rows: fewer attributes or a smaller alphabet";
    why = lessons_features_supports<BYTES>(device, input);
    if (why != NULL) return why;
    const double features = (double)lessons_padded(in->instances) * (lessons_feature_words(in, BYTES) + 1);
    return lessons_fits(
        device, in,
        sizeof(uint32_t) * features + product_bytes(in->instances) + in->instances * (double)in->attributes);
}

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    cublasHandle_t handle;
    WL_TRY(wl_cublas_handle(&handle)); // made here, not in the timed region
    WL_TRY((lessons_prepare_features<BYTES, LESSONS_ROW_WORDS>(device, input, state)));
    lessons_state *s = (lessons_state *)*state;
    return wl_prepared(wl_cuda_output(&s->work, product_bytes(s->instances)), s, lessons_release, state);
}

/* cuBLAS stores matrices column by column, so it sees our rows of k features as the columns of a k x side matrix F. We need
   F^T F: "TN", the only form that its integer kernels have. The result is symmetric, so its order does not matter. The
   rows after the last instance, up to lesson 10's tile, are 0. */
static wl_status multiply(const lessons_state *s) {
    const int one = 1, zero = 0, side = side_of(s->instances), k = (int)(sizeof(uint32_t) * s->pitch);
    cublasHandle_t handle;
    if (k == 0) {
        WL_CUDA(cudaMemsetAsync(s->work, 0, product_bytes(s->instances)));
        return WL_OK;
    }
    WL_TRY(wl_cublas_handle(&handle));
    // data: [padded][k] bytes
    WL_CUBLAS(wl_cublas_library(NULL)->cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, side, side, k, &one, s->data,
                                                    CUDA_R_8I, k, s->data, CUDA_R_8I, k, &zero, s->work, CUDA_R_32I,
                                                    side, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
    return WL_OK;
}

static wl_status launch(void *state) {
    const lessons_state *s = (const lessons_state *)state;
    const int instances = s->instances;
    if (instances == 0) return WL_OK;
    WL_TRY(multiply(s));
    const dim3 grid((instances + BLOCK - 1) / BLOCK, instances < ROWS_MOST ? instances : ROWS_MOST);
    distances<<<grid, BLOCK>>>((const int *)s->work, lessons_ones(s), s->distance, instances, side_of(instances));
    WL_LAUNCHED();
    return WL_OK;
}

/* Lesson 10's cost, and the sums that pass through memory. */
static void cost(const wl_device *device, const void *input, wl_cost *cost) {
    enum { HOPPER = 90 };
    const int warpgroups =
        WL_WARPGROUP_COMPILED && device->compute_capability == HOPPER; // which the library's kernels use there
    lessons_features_cost<BYTES, 2, WL_RATE_MMA_S8>(device, input, cost);
    if (warpgroups) cost->rate = WL_RATE_WGMMA_S8;
    cost->bytes += 2.0 * product_bytes(((const lessons_input *)input)->instances);
}

static const char *version(void) {
    const wl_cublas *library = wl_cublas_library(NULL);
    return library == NULL ? "" : library->version;
}

LESSONS_FEATURES_STAGE(BYTES, .idea = "lesson 10's matrix product by NVIDIA's library", .source = "NVIDIA cuBLAS",
                       .supports = supports, .prepare = prepare, .launch = launch, .cost = cost,
                       .instruction_set = version)
