/* library_cublas: the joins as matrix products by NVIDIA's library, to compare our own products with.

   Idea: the sums of equation 3 over one child are a matrix product, P^(r) [S x S] times F_r [S x C]. All children and
   rate classes of a level are a batch of one size: one call of cuBLAS. All transition matrices are one product.
   Changed, against our own kernels: each product goes to memory and comes back, because the library cannot multiply
   both children or rescale. Tips are vectors like all others, though a known state needs no sum.
   Expected: with 61 states the speed of the library's kernels, with tensor cores for doubles. With 4 states little,
   since the library's smallest tile has more rows than these matrices.
   Measured: on an H200 a quarter of 09's speed with 3,600 codons in doubles, 1/33 of 08's with a million nucleotides.
   See: warpladder run peeling/library_cublas 'peeling/0*' */
#include "harness/gpu/cublas.h"
#include "peeling/kit/scale.h"
#include "peeling/kit/stage.h"
#include "peeling/model/generator.h"
#include "peeling/problem.h"

enum {
    BLOCK = 256,
    MULTIPLE = 4,            // states are padded to a multiple of it, so that columns are aligned to 16 bytes
    BATCH_MOST = 65535,      // products per call: old versions of cuBLAS use a grid's z for them
    MATRIX_BYTES = 1 << 26,  // about: transition matrices that are computed together
    PRODUCT_BYTES = 1 << 28, // about: second children's products that are computed together
};

/* The stage's own memory: room for transition matrices that are computed together, then addresses, then products. */
typedef struct {
    size_t edges_each, joins_each; // computed together
    size_t numbers;                // in the matrices of edges_each edges
    size_t addresses;              // in the batches of all joins
    size_t bytes;
} library_parts;

static library_parts parts_of(const peeling_input *in, const peeling_task *task) {
    const size_t W = task->padded, R = task->rates, C = task->patterns;
    const size_t edge = R * W * W, join = R * C * W * peeling_real(in);
    library_parts p;
    p.edges_each = 1 + MATRIX_BYTES / (sizeof(double) * edge);
    if (p.edges_each > in->matrices) p.edges_each = in->matrices;
    p.joins_each = 1 + PRODUCT_BYTES / (join + 1);
    if (p.joins_each > in->partials) p.joins_each = in->partials;
    if (p.joins_each > BATCH_MOST / (2 * R)) p.joins_each = BATCH_MOST / (2 * R);
    p.numbers = p.edges_each * edge;
    p.addresses = 2 * R * in->partials;
    p.bytes = 2 * sizeof(double) * p.numbers + 3 * sizeof(void *) * p.addresses + p.joins_each * join;
    return p;
}
static size_t own_bytes(const peeling_input *in, const peeling_task *task) { return parts_of(in, task).bytes; }

/* --- Transition matrices ----------------------------------------------------------------------------------------- */

/* E diag(factor): one thread per entry of an (edge, rate class). */
static __global__ void __launch_bounds__(BLOCK) scale(peeling_task task, size_t first, size_t edges,
                                                      double *scaled) { // [edges][rates][padded][padded]
    const size_t i = blockIdx.x * (size_t)BLOCK + threadIdx.x, W = task.padded, R = task.rates;
    if (i >= edges * R * W * W) return;
    scaled[i] = task.right[i % (W * W)] * task.factor[(first * R + i / (W * W)) * W + i % W];
}

/* Puts the sums where P^(r) belongs. */
template <typename real>
static __global__ void __launch_bounds__(BLOCK) place(peeling_task task, size_t first, size_t edges,
                                                      const double *sum) { // [edges][rates][padded][padded]
    const size_t thread = blockIdx.x * (size_t)BLOCK + threadIdx.x, W = task.padded, R = task.rates;
    if (thread >= edges * R * W * W) return;
    const uint32_t j = (uint32_t)(thread % W), i = (uint32_t)(thread / W % W);
    const size_t edge = first + thread / (W * W * R), r = thread / (W * W) % R;
    real *P = peeling_matrix<real>(&task, task.edges[edge].matrix, (uint32_t)r); // [s][j]
    P[i * W + j] = (real)peeling_probability(&task, i, j, sum[thread]);
}

/* sum = (E diag(factor)) E^-1 in rows, all edges and classes below each other. cuBLAS reads matrices by columns, so it
   sees each of the three as its transpose. The transpose of a product is the product of the transposes in the other
   order. */
template <typename real> static wl_status matrices_of(peeling_state *s) {
    const library_parts p = parts_of(s->input, &s->task);
    const size_t W = s->task.padded, entries = s->task.rates * W * W;
    double *scaled = (double *)s->own, *sum = scaled + p.numbers;
    const double one = 1, zero = 0;
    cublasHandle_t handle;
    wl_status status = wl_cublas_handle(&handle);
    if (status != WL_OK) return status;
    for (size_t first = 0; first < s->task.edge_count; first += p.edges_each) {
        const size_t left = s->task.edge_count - first, edges = left < p.edges_each ? left : p.edges_each;
        const int rows = (int)(edges * s->task.rates * W);
        scale<<<peeling_blocks(edges * entries, BLOCK), BLOCK>>>(s->task, first, edges, scaled);
        WL_LAUNCHED();
        WL_CUBLAS(wl_cublas_library(NULL)->cublasGemmEx(
            handle, CUBLAS_OP_N, CUBLAS_OP_N, (int)W, rows, (int)W, &one, s->task.left, CUDA_R_64F, (int)W, scaled,
            CUDA_R_64F, (int)W, &zero, sum, CUDA_R_64F, (int)W, CUBLAS_COMPUTE_64F, CUBLAS_GEMM_DEFAULT));
        place<real><<<peeling_blocks(edges * entries, BLOCK), BLOCK>>>(s->task, first, edges, sum);
        WL_LAUNCHED();
    }
    return WL_OK;
}
static wl_status matrices(peeling_state *s) { return PEELING_BY_PRECISION(matrices_of, s); }

/* --- Joins ------------------------------------------------------------------------------------------------------- */

/* Writes the addresses of the batches: join j, child k, class r at (2 j + k) R + r. The first child's product goes
   where the join's F will be, the second child's to `second`. */
template <typename real>
static __global__ void __launch_bounds__(BLOCK)
    point(peeling_task task, uint32_t joins, size_t joins_each,
          real *second,                                     // [joins_each][rates][patterns][padded]
          const real **P, const real **F, real **product) { // [joins][2][rates]
    const size_t i = blockIdx.x * (size_t)BLOCK + threadIdx.x, R = task.rates, C = task.patterns;
    if (i >= joins * 2 * R) return;
    const size_t j = i / (2 * R);
    const uint32_t k = (uint32_t)(i / R % 2), r = (uint32_t)(i % R);
    const peeling_join join = task.joins[j];
    P[i] = peeling_matrix<real>(&task, join.matrix[k], r);
    F[i] = peeling_vector<real>(&task, join.child[k], r, 0);
    product[i] =
        k == 0 ? peeling_partial<real>(&task, join.to, r, 0) : second + (j % joins_each * R + r) * C * task.padded;
}

/* F = the first child's product times the second's, rescaled. Each (r, c) of a join has `lanes` lanes, a power of two
   up to 32. */
template <typename real>
static __global__ void __launch_bounds__(BLOCK)
    combine(peeling_task task, uint32_t first, size_t columns, size_t joins_each,
            const real *second, // [joins_each][rates][patterns][padded]
            uint32_t lanes) {
    const size_t column = (blockIdx.x * (size_t)BLOCK + threadIdx.x) / lanes, R = task.rates, C = task.patterns;
    const uint32_t lane = threadIdx.x % lanes, r = (uint32_t)(column / C % R);
    const bool here = column < columns; // lanes without a column stay: the shuffles need all lanes
    const size_t c = column % C, j = here ? first + column / (R * C) : first;
    const peeling_join join = task.joins[j];
    real *F = peeling_partial<real>(&task, join.to, r, c);
    const real *other = second + ((j % joins_each * R + r) * C + c) * task.padded;
    real most = 0;
    for (uint32_t s = lane; here && s < task.padded; s += lanes) {
        const real product = F[s] * other[s];
        F[s] = product;
        most = product > most ? product : most;
    }
    for (uint32_t step = lanes / 2; step > 0; step /= 2) {
        const real theirs = __shfl_xor_sync(0xffffffffu, most, step);
        most = theirs > most ? theirs : most;
    }
    if (!here) return;
    int e;
    const real factor = peeling_scale(most, &e);
    for (uint32_t s = lane; s < task.padded; s += lanes) F[s] *= factor;
    if (lane > 0) return;
    peeling_remember(&task, &join, r, c, e);
}

/* In rows, product [C][W] = F [C][W] P^T. cuBLAS reads by columns, so for it product [W x C] = P [W x W] F [W x C]. P
   has its rows one after the other, so the library sees its transpose and must transpose it back. */
static int multiply(cublasHandle_t handle, int W, int C, const double *const *P, const double *const *F,
                    double *const *product, int batch) {
    const double one = 1, zero = 0;
    return wl_cublas_library(NULL)->cublasDgemmBatched(handle, CUBLAS_OP_T, CUBLAS_OP_N, W, C, W, &one, P, W, F, W,
                                                       &zero, product, W, batch);
}
static int multiply(cublasHandle_t handle, int W, int C, const float *const *P, const float *const *F,
                    float *const *product, int batch) {
    const float one = 1, zero = 0;
    return wl_cublas_library(NULL)->cublasSgemmBatched(handle, CUBLAS_OP_T, CUBLAS_OP_N, W, C, W, &one, P, W, F, W,
                                                       &zero, product, W, batch);
}

template <typename real> static wl_status joins_of(peeling_state *s) {
    const library_parts p = parts_of(s->input, &s->task);
    const peeling_task task = s->task;
    const size_t R = task.rates, W = task.padded;
    const real **P = (const real **)((double *)s->own + 2 * p.numbers), **F = P + p.addresses;
    real **product = (real **)(F + p.addresses), *second = (real *)(product + p.addresses);
    uint32_t lanes = 1;
    while (lanes < PEELING_WARP && 2 * lanes <= W) lanes *= 2;
    cublasHandle_t handle;
    wl_status status = wl_cublas_handle(&handle);
    if (status != WL_OK) return status;
    point<real><<<peeling_blocks(2 * R * s->join_count, BLOCK), BLOCK>>>(task, s->join_count, p.joins_each, second, P,
                                                                         F, product);
    WL_LAUNCHED();
    for (uint32_t l = 0; l < s->levels; l++)
        for (size_t first = s->first_join[l]; first < s->first_join[l + 1]; first += p.joins_each) {
            const size_t left = s->first_join[l + 1] - first, joins = left < p.joins_each ? left : p.joins_each;
            const size_t columns = joins * R * task.patterns, at = 2 * R * first;
            WL_CUBLAS(multiply(handle, (int)W, (int)task.patterns, P + at, F + at, product + at, (int)(2 * R * joins)));
            combine<real><<<peeling_blocks(columns * lanes, BLOCK), BLOCK>>>(task, (uint32_t)first, columns,
                                                                             p.joins_each, second, lanes);
            WL_LAUNCHED();
        }
    return WL_OK;
}
static wl_status joins(peeling_state *s) { return PEELING_BY_PRECISION(joins_of, s); }

/* --- The stage --------------------------------------------------------------------------------------------------- */

static uint32_t padded(uint32_t states) { return (states + MULTIPLE - 1) / MULTIPLE * MULTIPLE; }
static const char *refuses(const wl_device *, const peeling_input *in) {
    const char *why = NULL;
    if (wl_cublas_library(&why) == NULL) return why;
    if (in->model->rates > BATCH_MOST / 2) return "more rate classes than a call of cuBLAS takes matrices";
    return in->data.patterns > INT32_MAX ? "cuBLAS takes matrices of at most 2^31 - 1 columns" : NULL;
}
static wl_status make_handle(peeling_state *) { // here, not while the clock runs
    cublasHandle_t handle;
    return wl_cublas_handle(&handle);
}
static const char *version(void) {
    const wl_cublas *library = wl_cublas_library(NULL);
    return library == NULL ? "" : library->version;
}

PEELING_STAGE(.idea = "a batch of matrix products a level by NVIDIA's library", .source = "NVIDIA cuBLAS",
              .padded = padded, .refuses = refuses, .tips_as_vectors = 1, .matrices = matrices, .joins = joins,
              .own_bytes = own_bytes, .ready = make_handle, .rate = {WL_RATE_FP32, WL_RATE_MMA_F64}, .version = version)
