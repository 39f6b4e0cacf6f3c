/* The part of cuBLAS that examples call, on a CPU BLAS (sim/program/cublas.cpp). Matrices are stored by columns, as there. */
#pragma once
#define CUBLAS_API_H_ // which other headers ask for

#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "library_types.h"

typedef struct cublasContext *cublasHandle_t;
typedef enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 } cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3
} cublasMath_t;
typedef enum {
    CUBLAS_GEMM_DFALT = -1,
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
    CUBLAS_GEMM_DFALT_TENSOR_OP = 99
} cublasGemmAlgo_t;
typedef enum {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32I_PEDANTIC = 73,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
typedef cudaDataType cublasDataType_t;

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasSetVector(int n, int size, const void *x, int incx, void *y, int incy);
cublasStatus_t cublasGetVector(int n, int size, const void *x, int incx, void *y, int incy);
cublasStatus_t cublasSetMatrix(int rows, int columns, int size, const void *a, int lda, void *b, int ldb);
cublasStatus_t cublasGetMatrix(int rows, int columns, int size, const void *a, int lda, void *b, int ldb);

/* The functions of one type: its letter, its name, the type of a norm, and the letters of amax and nrm2. */
#define WL_CUBLAS_TYPE(L, type, real, N)                                                                          \
    cublasStatus_t cublas##L##axpy_v2(cublasHandle_t, int n, const type *alpha, const type *x, int incx, type *y, \
                                      int incy);                                                                  \
    cublasStatus_t cublas##L##scal_v2(cublasHandle_t, int n, const type *alpha, type *x, int incx);               \
    cublasStatus_t cublas##L##copy_v2(cublasHandle_t, int n, const type *x, int incx, type *y, int incy);         \
    cublasStatus_t cublas##L##swap_v2(cublasHandle_t, int n, type *x, int incx, type *y, int incy);               \
    cublasStatus_t cublas##N##nrm2_v2(cublasHandle_t, int n, const type *x, int incx, real *result);              \
    cublasStatus_t cublas##N##asum_v2(cublasHandle_t, int n, const type *x, int incx, real *result);              \
    cublasStatus_t cublasI##L##amax_v2(cublasHandle_t, int n, const type *x, int incx, int *result);              \
    cublasStatus_t cublasI##L##amin_v2(cublasHandle_t, int n, const type *x, int incx, int *result);              \
    cublasStatus_t cublas##L##gemv_v2(cublasHandle_t, cublasOperation_t, int m, int n, const type *alpha,         \
                                      const type *a, int lda, const type *x, int incx, const type *beta, type *y, \
                                      int incy);                                                                  \
    cublasStatus_t cublas##L##geam(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n,            \
                                   const type *alpha, const type *a, int lda, const type *beta, const type *b,    \
                                   int ldb, type *c, int ldc);                                                    \
    WL_CUBLAS_GEMM(L, type, cublas##L##gemm_v2)
#define WL_CUBLAS_GEMM(L, type, plain)                                                                                 \
    cublasStatus_t plain(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const type *alpha, \
                         const type *a, int lda, const type *b, int ldb, const type *beta, type *c, int ldc);          \
    cublasStatus_t cublas##L##gemmBatched(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k,   \
                                          const type *alpha, const type *const a[], int lda, const type *const b[],    \
                                          int ldb, const type *beta, type *const c[], int ldc, int batch);             \
    cublasStatus_t cublas##L##gemmStridedBatched(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n,   \
                                                 int k, const type *alpha, const type *a, int lda, long long stride_a, \
                                                 const type *b, int ldb, long long stride_b, const type *beta,         \
                                                 type *c, int ldc, long long stride_c, int batch);
WL_CUBLAS_TYPE(S, float, float, S)
WL_CUBLAS_TYPE(D, double, double, D)
WL_CUBLAS_TYPE(C, cuComplex, float, Sc)
WL_CUBLAS_TYPE(Z, cuDoubleComplex, double, Dz)
WL_CUBLAS_GEMM(H, __half, cublasHgemm)
#undef WL_CUBLAS_TYPE
#undef WL_CUBLAS_GEMM

#define WL_CUBLAS_DOT(name, type) \
    cublasStatus_t name(cublasHandle_t, int n, const type *x, int incx, const type *y, int incy, type *result);
WL_CUBLAS_DOT(cublasSdot_v2, float)
WL_CUBLAS_DOT(cublasDdot_v2, double)
WL_CUBLAS_DOT(cublasCdotu_v2, cuComplex)
WL_CUBLAS_DOT(cublasCdotc_v2, cuComplex)
WL_CUBLAS_DOT(cublasZdotu_v2, cuDoubleComplex)
WL_CUBLAS_DOT(cublasZdotc_v2, cuDoubleComplex)
#undef WL_CUBLAS_DOT
#define WL_CUBLAS_GER(name, type)                                                                                \
    cublasStatus_t name(cublasHandle_t, int m, int n, const type *alpha, const type *x, int incx, const type *y, \
                        int incy, type *a, int lda);
WL_CUBLAS_GER(cublasSger_v2, float)
WL_CUBLAS_GER(cublasDger_v2, double)
#undef WL_CUBLAS_GER
cublasStatus_t cublasDotEx(cublasHandle_t, int n, const void *x, cudaDataType type_x, int incx, const void *y,
                           cudaDataType type_y, int incy, void *result, cudaDataType type, cudaDataType execution);
cublasStatus_t cublasDotcEx(cublasHandle_t, int n, const void *x, cudaDataType type_x, int incx, const void *y,
                            cudaDataType type_y, int incy, void *result, cudaDataType type, cudaDataType execution);

cublasStatus_t cublasGemmEx(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k,
                            const void *alpha, const void *a, cudaDataType type_a, int lda, const void *b,
                            cudaDataType type_b, int ldb, const void *beta, void *c, cudaDataType type_c, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k,
                                          const void *alpha, const void *a, cudaDataType type_a, int lda,
                                          long long stride_a, const void *b, cudaDataType type_b, int ldb,
                                          long long stride_b, const void *beta, void *c, cudaDataType type_c, int ldc,
                                          long long stride_c, int batch, cublasComputeType_t compute, cublasGemmAlgo_t);
cublasStatus_t cublasSgemmEx(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k,
                             const float *alpha, const void *a, cudaDataType type_a, int lda, const void *b,
                             cudaDataType type_b, int ldb, const float *beta, void *c, cudaDataType type_c, int ldc);
}

/* Older programs name the type that sums have. */
static inline cublasComputeType_t wl_compute_type(cudaDataType type) {
    return type == CUDA_R_16F   ? CUBLAS_COMPUTE_16F
           : type == CUDA_R_64F ? CUBLAS_COMPUTE_64F
           : type == CUDA_R_32I ? CUBLAS_COMPUTE_32I
                                : CUBLAS_COMPUTE_32F;
}
static inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m,
                                          int n, int k, const void *alpha, const void *a, cudaDataType type_a, int lda,
                                          const void *b, cudaDataType type_b, int ldb, const void *beta, void *c,
                                          cudaDataType type_c, int ldc, cudaDataType compute, cublasGemmAlgo_t way) {
    return cublasGemmEx(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc,
                        wl_compute_type(compute), way);
}
static inline cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t op_a,
                                                        cublasOperation_t op_b, int m, int n, int k, const void *alpha,
                                                        const void *a, cudaDataType type_a, int lda, long long stride_a,
                                                        const void *b, cudaDataType type_b, int ldb, long long stride_b,
                                                        const void *beta, void *c, cudaDataType type_c, int ldc,
                                                        long long stride_c, int batch, cudaDataType compute,
                                                        cublasGemmAlgo_t way) {
    return cublasGemmStridedBatchedEx(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, stride_a, b, type_b, ldb,
                                      stride_b, beta, c, type_c, ldc, stride_c, batch, wl_compute_type(compute), way);
}

#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasGetVersion cublasGetVersion_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasSetWorkspace cublasSetWorkspace_v2
#define cublasSaxpy cublasSaxpy_v2
#define cublasDaxpy cublasDaxpy_v2
#define cublasCaxpy cublasCaxpy_v2
#define cublasZaxpy cublasZaxpy_v2
#define cublasSscal cublasSscal_v2
#define cublasDscal cublasDscal_v2
#define cublasCscal cublasCscal_v2
#define cublasZscal cublasZscal_v2
#define cublasScopy cublasScopy_v2
#define cublasDcopy cublasDcopy_v2
#define cublasCcopy cublasCcopy_v2
#define cublasZcopy cublasZcopy_v2
#define cublasSswap cublasSswap_v2
#define cublasDswap cublasDswap_v2
#define cublasCswap cublasCswap_v2
#define cublasZswap cublasZswap_v2
#define cublasSnrm2 cublasSnrm2_v2
#define cublasDnrm2 cublasDnrm2_v2
#define cublasScnrm2 cublasScnrm2_v2
#define cublasDznrm2 cublasDznrm2_v2
#define cublasSasum cublasSasum_v2
#define cublasDasum cublasDasum_v2
#define cublasScasum cublasScasum_v2
#define cublasDzasum cublasDzasum_v2
#define cublasIsamax cublasISamax_v2
#define cublasIdamax cublasIDamax_v2
#define cublasIcamax cublasICamax_v2
#define cublasIzamax cublasIZamax_v2
#define cublasIsamin cublasISamin_v2
#define cublasIdamin cublasIDamin_v2
#define cublasIcamin cublasICamin_v2
#define cublasIzamin cublasIZamin_v2
#define cublasSdot cublasSdot_v2
#define cublasDdot cublasDdot_v2
#define cublasCdotu cublasCdotu_v2
#define cublasCdotc cublasCdotc_v2
#define cublasZdotu cublasZdotu_v2
#define cublasZdotc cublasZdotc_v2
#define cublasSgemv cublasSgemv_v2
#define cublasDgemv cublasDgemv_v2
#define cublasCgemv cublasCgemv_v2
#define cublasZgemv cublasZgemv_v2
#define cublasSger cublasSger_v2
#define cublasDger cublasDger_v2
#define cublasSgemm cublasSgemm_v2
#define cublasDgemm cublasDgemm_v2
#define cublasCgemm cublasCgemm_v2
#define cublasZgemm cublasZgemm_v2
