/* cuBLAS as a yardstick: NVIDIA's library of matrix products, opened when it is first asked for, so that the program neither
   needs it to be built nor to be started. Its functions under their own names and with their own arguments, which are
   those of NVIDIA's documentation: matrices are column by column, and "leading dimension" is the distance between two columns. */
#pragma once

#include "harness/base/linkage.h"
#include "harness/device/cuda_check.h"
#include "harness/base/device.h"

WL_C_BEGIN

/* cublasStatus_t, cublasOperation_t, cudaDataType_t, cublasComputeType_t and cublasGemmAlgo_t are ints here; these values are the same
   from cuBLAS 11 to 13. */
enum { CUBLAS_STATUS_SUCCESS = 0 };
enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1 };
enum { CUBLAS_COMPUTE_64F = 70, CUBLAS_COMPUTE_32I = 72 };
enum { CUBLAS_GEMM_DEFAULT = -1 };
#ifdef WL_SIMULATED // for tests/library; else CUDA's headers have them
enum { CUDA_R_64F = 1, CUDA_R_8I = 3, CUDA_R_32I = 10 };
#endif

/* The library's handle; it belongs to one GPU. */
typedef struct cublasContext *cublasHandle_t;

typedef struct {
    /* C = alpha op(A) op(B) + beta C, op(A) m x k, op(B) k x n, of the types given. */
    int (*cublasGemmEx)(cublasHandle_t handle, int transa, int transb, int m, int n, int k, const void *alpha,
                        const void *A, int Atype, int lda, const void *B, int Btype, int ldb, const void *beta, void *C,
                        int Ctype, int ldc, int compute_type, int algorithm);
    /* `batch` products of doubles or floats, the matrices' addresses in arrays [batch] in the GPU's memory. */
    int (*cublasDgemmBatched)(cublasHandle_t handle, int transa, int transb, int m, int n, int k, const double *alpha,
                              const double *const A[], int lda, const double *const B[], int ldb, const double *beta,
                              double *const C[], int ldc, int batch);
    int (*cublasSgemmBatched)(cublasHandle_t handle, int transa, int transb, int m, int n, int k, const float *alpha,
                              const float *const A[], int lda, const float *const B[], int ldb, const float *beta,
                              float *const C[], int ldc, int batch);
    char version[32]; // "cuBLAS 13.1.0"
} wl_cublas;

/* libcublas.so.13, .12 or .11, where the linker looks or in /usr/local/cuda; or the file that the environment variable WL_CUBLAS
   names. NULL when there is none, with the reason in words in `*why` (may be NULL). Both stay valid. */
const wl_cublas *wl_cublas_library(const char **why);

/* The handle of the calling thread's current GPU, made at the first call and kept; its work goes to the thread's default stream,
   as all of ours does. One thread at a time may use it. WL_NO_MACHINE when there is no library. */
wl_status wl_cublas_handle(cublasHandle_t *handle);

/* What a call returned, as an error of ours that names it. */
wl_status wl_cublas_check(int status, const char *call, const char *file, int line);
#define WL_CUBLAS(call) WL_TRY(wl_cublas_check((call), #call, __FILE__, __LINE__))

WL_C_END
