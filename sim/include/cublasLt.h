/* The part of cuBLASLt that examples call: products of matrices with a scale, a bias and a rectifier, by cuBLAS's own. */
#pragma once

#include "cublas_v2.h"

typedef struct cublasLtContext *cublasLtHandle_t;
typedef enum { CUBLASLT_ORDER_COL = 0, CUBLASLT_ORDER_ROW = 1 } cublasLtOrder_t;
typedef enum {
    CUBLASLT_EPILOGUE_DEFAULT = 1,
    CUBLASLT_EPILOGUE_RELU = 2,
    CUBLASLT_EPILOGUE_BIAS = 4,
    CUBLASLT_EPILOGUE_RELU_BIAS = 6
} cublasLtEpilogue_t;
typedef enum {
    CUBLASLT_MATMUL_DESC_COMPUTE_TYPE,
    CUBLASLT_MATMUL_DESC_SCALE_TYPE,
    CUBLASLT_MATMUL_DESC_POINTER_MODE,
    CUBLASLT_MATMUL_DESC_TRANSA,
    CUBLASLT_MATMUL_DESC_TRANSB,
    CUBLASLT_MATMUL_DESC_TRANSC,
    CUBLASLT_MATMUL_DESC_FILL_MODE,
    CUBLASLT_MATMUL_DESC_EPILOGUE,
    CUBLASLT_MATMUL_DESC_BIAS_POINTER
} cublasLtMatmulDescAttributes_t;
typedef enum {
    CUBLASLT_MATRIX_LAYOUT_TYPE,
    CUBLASLT_MATRIX_LAYOUT_ORDER,
    CUBLASLT_MATRIX_LAYOUT_ROWS,
    CUBLASLT_MATRIX_LAYOUT_COLS,
    CUBLASLT_MATRIX_LAYOUT_LD,
    CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
    CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET
} cublasLtMatrixLayoutAttribute_t;
typedef enum {
    CUBLASLT_MATMUL_PREF_SEARCH_MODE,
    CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES
} cublasLtMatmulPreferenceAttributes_t;

typedef struct {
    cublasComputeType_t compute;
    cudaDataType scale;
    int of_a, of_b, epilogue;
    const void *bias;
} cublasLtMatmulDescOpaque_t, *cublasLtMatmulDesc_t;
typedef struct {
    cudaDataType type;
    int order;
    unsigned long long rows, columns;
    long long ld;
    int batch;
    long long stride;
} cublasLtMatrixLayoutOpaque_t, *cublasLtMatrixLayout_t;
typedef struct {
    size_t workspace;
} cublasLtMatmulPreferenceOpaque_t, *cublasLtMatmulPreference_t;
typedef struct {
    int way;
} cublasLtMatmulAlgo_t;
typedef struct {
    cublasLtMatmulAlgo_t algo;
    size_t workspaceSize;
    cublasStatus_t state;
    float wavesCount;
} cublasLtMatmulHeuristicResult_t;

static inline cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) { return cublasCreate((cublasHandle_t *)handle); }
static inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) { return cublasDestroy((cublasHandle_t)handle); }

static inline cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *made, cublasComputeType_t compute,
                                                      cudaDataType scale) {
    *made =
        new cublasLtMatmulDescOpaque_t{compute, scale, CUBLAS_OP_N, CUBLAS_OP_N, CUBLASLT_EPILOGUE_DEFAULT, nullptr};
    return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t made) {
    return delete made, CUBLAS_STATUS_SUCCESS;
}
/* `bytes` of a value become a member of the same size. */
template <typename T> static inline cublasStatus_t wl_set_member(T *member, const void *value, size_t bytes) {
    if (value == nullptr || bytes != sizeof *member) return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(member, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t d,
                                                            cublasLtMatmulDescAttributes_t which, const void *value,
                                                            size_t bytes) {
    switch (which) {
        case CUBLASLT_MATMUL_DESC_TRANSA:
            return wl_set_member(&d->of_a, value, bytes);
        case CUBLASLT_MATMUL_DESC_TRANSB:
            return wl_set_member(&d->of_b, value, bytes);
        case CUBLASLT_MATMUL_DESC_EPILOGUE:
            return wl_set_member(&d->epilogue, value, bytes);
        case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
            return wl_set_member(&d->bias, value, bytes);
        default:
            return CUBLAS_STATUS_NOT_SUPPORTED;
    }
}

static inline cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *made, cudaDataType type,
                                                        unsigned long long rows, unsigned long long columns,
                                                        long long ld) {
    *made = new cublasLtMatrixLayoutOpaque_t{type, CUBLASLT_ORDER_COL, rows, columns, ld, 1, 0};
    return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t made) {
    return delete made, CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t l,
                                                              cublasLtMatrixLayoutAttribute_t which, const void *value,
                                                              size_t bytes) {
    switch (which) {
        case CUBLASLT_MATRIX_LAYOUT_ORDER:
            return wl_set_member(&l->order, value, bytes);
        case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
            return wl_set_member(&l->batch, value, bytes);
        case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
            return wl_set_member(&l->stride, value, bytes);
        default:
            return CUBLAS_STATUS_NOT_SUPPORTED;
    }
}

static inline cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *made) {
    return *made = new cublasLtMatmulPreferenceOpaque_t{0}, CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t made) {
    return delete made, CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t,
                                                                  cublasLtMatmulPreferenceAttributes_t, const void *,
                                                                  size_t) {
    return CUBLAS_STATUS_SUCCESS; // there is one way
}
static inline cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t,
                                                            cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                                            cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                                            cublasLtMatmulPreference_t, int wanted,
                                                            cublasLtMatmulHeuristicResult_t *results, int *count) {
    *count = wanted > 0;
    if (*count) results[0] = {{0}, 0, CUBLAS_STATUS_SUCCESS, 1};
    return CUBLAS_STATUS_SUCCESS;
}

/* What follows the product: a bias for each row, and negative numbers become 0. */
template <typename T> __global__ static void wl_epilogue(T *d, long long ld, int rows, const T *bias, bool positive) {
    const int row = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (row >= rows) return;
    float x = (float)d[blockIdx.y * ld + row] + (bias ? (float)bias[row] : 0.0f);
    d[blockIdx.y * ld + row] = (T)(positive && x < 0 ? 0.0f : x);
}
template <typename T>
static inline void wl_finish(const cublasLtMatmulDescOpaque_t &m, T *d, const cublasLtMatrixLayoutOpaque_t &l,
                             cudaStream_t stream) {
    const dim3 grid((unsigned)((l.rows + 127) / 128), (unsigned)l.columns);
    const bool bias = m.epilogue & CUBLASLT_EPILOGUE_BIAS, positive = m.epilogue & CUBLASLT_EPILOGUE_RELU;
    for (int i = 0; i < l.batch; i++)
        wl_sim::launch(wl_sim_shape(grid, 128, 0, stream), &wl_epilogue<T>, d + i * l.stride, l.ld, (int)l.rows,
                       bias ? (const T *)m.bias : nullptr, positive);
}

/* D = alpha op(A) op(B) + beta C. */
static inline cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t m, const void *alpha,
                                            const void *a, cublasLtMatrixLayout_t of_a, const void *b,
                                            cublasLtMatrixLayout_t of_b, const void *beta, const void *c,
                                            cublasLtMatrixLayout_t of_c, void *d, cublasLtMatrixLayout_t of_d,
                                            const cublasLtMatmulAlgo_t *, void *, size_t, cudaStream_t stream) {
    if (!handle || !m || !of_a || !of_b || !of_d) return CUBLAS_STATUS_INVALID_VALUE;
    const bool plain = (m->epilogue & ~CUBLASLT_EPILOGUE_RELU_BIAS) == 0 || m->epilogue == CUBLASLT_EPILOGUE_DEFAULT;
    if (!plain || of_a->order || of_b->order || of_d->order || (of_c && of_c->order))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    const size_t item = of_d->type == CUDA_R_64F ? 8 : of_d->type == CUDA_R_16F || of_d->type == CUDA_R_16BF ? 2 : 4;
    if (of_c && c && c != d)
        for (int i = 0; i < of_d->batch; i++)
            cudaMemcpy2DAsync((char *)d + i * of_d->stride * (long long)item, (size_t)of_d->ld * item,
                              (const char *)c + i * of_c->stride * (long long)item, (size_t)of_c->ld * item,
                              of_d->rows * item, of_d->columns, cudaMemcpyDeviceToDevice, stream);
    const auto inner = m->of_a == CUBLAS_OP_N ? of_a->columns : of_a->rows;
    cublasSetStream((cublasHandle_t)handle, stream);
    const cublasStatus_t status = cublasGemmStridedBatchedEx(
        (cublasHandle_t)handle, (cublasOperation_t)m->of_a, (cublasOperation_t)m->of_b, (int)of_d->rows,
        (int)of_d->columns, (int)inner, alpha, a, of_a->type, (int)of_a->ld, of_a->stride, b, of_b->type, (int)of_b->ld,
        of_b->stride, beta, d, of_d->type, (int)of_d->ld, of_d->stride, of_d->batch, m->compute, CUBLAS_GEMM_DEFAULT);
    if (status != CUBLAS_STATUS_SUCCESS || m->epilogue == CUBLASLT_EPILOGUE_DEFAULT) return status;
    if (of_d->type == CUDA_R_32F) return wl_finish(*m, (float *)d, *of_d, stream), status;
    if (of_d->type == CUDA_R_16F) return wl_finish(*m, (__half *)d, *of_d, stream), status;
    return CUBLAS_STATUS_NOT_SUPPORTED;
}
