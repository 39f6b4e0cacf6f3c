/* What the variants call of cuBLAS, as its documentation has it, in plain loops: matrices column by column, C = alpha op(A) op(B)
   + beta C, C not read where beta is 0. Arguments that the library does not take are refused as it refuses them. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "harness/gpu/cublas.h"

enum { INVALID_VALUE = 7, NOT_SUPPORTED = 15 };

/* Entry (row, column) of op(X). */
template <typename number> static number entry(const number *X, int transposed, int leading, int row, int column) {
    return transposed ? X[(size_t)row * leading + column] : X[(size_t)column * leading + row];
}

static int is_valid(int transa, int transb, int m, int n, int k, int lda, int ldb, int ldc) {
    const int rows_a = transa ? k : m, rows_b = transb ? n : k;
    return m >= 0 && n >= 0 && k >= 0 && lda >= (rows_a > 1 ? rows_a : 1) && ldb >= (rows_b > 1 ? rows_b : 1) &&
           ldc >= (m > 1 ? m : 1);
}

template <typename number, typename sums>
static int product(int transa, int transb, int m, int n, int k, sums alpha, const number *A, int lda, const number *B,
                   int ldb, sums beta, sums *C, int ldc) {
    if (!is_valid(transa, transb, m, n, k, lda, ldb, ldc)) return INVALID_VALUE;
    for (int column = 0; column < n; column++)
        for (int row = 0; row < m; row++) {
            sums sum = 0;
            for (int i = 0; i < k; i++)
                sum += (sums)entry(A, transa, lda, row, i) * (sums)entry(B, transb, ldb, i, column);
            sums *to = &C[(size_t)column * ldc + row];
            *to = alpha * sum + (beta == 0 ? 0 : beta * *to);
        }
    return CUBLAS_STATUS_SUCCESS;
}

template <typename number>
static int batch_of(int transa, int transb, int m, int n, int k, const number *alpha, const number *const A[], int lda,
                    const number *const B[], int ldb, const number *beta, number *const C[], int ldc, int batch) {
    int status = CUBLAS_STATUS_SUCCESS;
    if (batch < 0) status = INVALID_VALUE;
    for (int i = 0; i < batch && status == CUBLAS_STATUS_SUCCESS; i++)
        status = product(transa, transb, m, n, k, *alpha, A[i], lda, B[i], ldb, *beta, C[i], ldc);
    return status;
}

/* Of bytes only what runs on tensor cores: A transposed and B not, 4-byte aligned, m, k and leading dimensions multiples of 4. */
static int gemm_ex(cublasHandle_t, int transa, int transb, int m, int n, int k, const void *alpha, const void *A,
                   int Atype, int lda, const void *B, int Btype, int ldb, const void *beta, void *C, int Ctype, int ldc,
                   int compute_type, int) {
    if (Atype == CUDA_R_64F && Btype == CUDA_R_64F && Ctype == CUDA_R_64F && compute_type == CUBLAS_COMPUTE_64F)
        return product(transa, transb, m, n, k, *(const double *)alpha, (const double *)A, lda, (const double *)B, ldb,
                       *(const double *)beta, (double *)C, ldc);
    if (Atype != CUDA_R_8I || Btype != CUDA_R_8I || Ctype != CUDA_R_32I || compute_type != CUBLAS_COMPUTE_32I)
        return NOT_SUPPORTED;
    const uintptr_t addresses = (uintptr_t)A | (uintptr_t)B | (uintptr_t)C;
    if (transa != CUBLAS_OP_T || transb != CUBLAS_OP_N || addresses % 4 != 0 || (m | k | lda | ldb | ldc) % 4 != 0)
        return NOT_SUPPORTED;
    return product(transa, transb, m, n, k, *(const int *)alpha, (const int8_t *)A, lda, (const int8_t *)B, ldb,
                   *(const int *)beta, (int *)C, ldc);
}

static int batch_of_doubles(cublasHandle_t, int transa, int transb, int m, int n, int k, const double *alpha,
                            const double *const A[], int lda, const double *const B[], int ldb, const double *beta,
                            double *const C[], int ldc, int batch) {
    return batch_of(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, batch);
}
static int batch_of_floats(cublasHandle_t, int transa, int transb, int m, int n, int k, const float *alpha,
                           const float *const A[], int lda, const float *const B[], int ldb, const float *beta,
                           float *const C[], int ldc, int batch) {
    return batch_of(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, batch);
}

const wl_cublas *wl_cublas_library(const char **why) {
    static const wl_cublas library = {gemm_ex, batch_of_doubles, batch_of_floats, "plain loops"};
    if (why != NULL) *why = "";
    return &library;
}

wl_status wl_cublas_handle(cublasHandle_t *handle) {
    *handle = NULL;
    return WL_OK;
}

wl_status wl_cublas_check(int status, const char *call, const char *file, int line) {
    if (status == CUBLAS_STATUS_SUCCESS) return WL_OK;
    return wl_fail(WL_CHECK_FAILED, "%s:%d: %.200s: status %d", file, line, call, status);
}
