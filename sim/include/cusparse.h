/* cuSPARSE's generic interface for simulated programs (sim/program/cusparse.cpp): sparse matrices by rows, by columns and by coordinates. */
#pragma once
#define CUSPARSEAPI // which other headers ask for

#include <stdint.h>

#include "cuComplex.h"
#include "cuda_runtime.h"
#include "library_types.h"

#define CUSPARSE_VERSION 12600

typedef enum {
    CUSPARSE_STATUS_SUCCESS = 0,
    CUSPARSE_STATUS_NOT_INITIALIZED = 1,
    CUSPARSE_STATUS_ALLOC_FAILED = 2,
    CUSPARSE_STATUS_INVALID_VALUE = 3,
    CUSPARSE_STATUS_ARCH_MISMATCH = 4,
    CUSPARSE_STATUS_MAPPING_ERROR = 5,
    CUSPARSE_STATUS_EXECUTION_FAILED = 6,
    CUSPARSE_STATUS_INTERNAL_ERROR = 7,
    CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
    CUSPARSE_STATUS_ZERO_PIVOT = 9,
    CUSPARSE_STATUS_NOT_SUPPORTED = 10,
    CUSPARSE_STATUS_INSUFFICIENT_RESOURCES = 11
} cusparseStatus_t;
typedef enum { CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE } cusparsePointerMode_t;
typedef enum { CUSPARSE_ACTION_SYMBOLIC, CUSPARSE_ACTION_NUMERIC } cusparseAction_t;
typedef enum {
    CUSPARSE_MATRIX_TYPE_GENERAL,
    CUSPARSE_MATRIX_TYPE_SYMMETRIC,
    CUSPARSE_MATRIX_TYPE_HERMITIAN,
    CUSPARSE_MATRIX_TYPE_TRIANGULAR
} cusparseMatrixType_t;
typedef enum { CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER } cusparseFillMode_t;
typedef enum { CUSPARSE_DIAG_TYPE_NON_UNIT, CUSPARSE_DIAG_TYPE_UNIT } cusparseDiagType_t;
typedef enum { CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_INDEX_BASE_ONE } cusparseIndexBase_t;
typedef enum {
    CUSPARSE_OPERATION_NON_TRANSPOSE,
    CUSPARSE_OPERATION_TRANSPOSE,
    CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE
} cusparseOperation_t;
typedef enum { CUSPARSE_DIRECTION_ROW, CUSPARSE_DIRECTION_COLUMN } cusparseDirection_t;
typedef enum { CUSPARSE_SOLVE_POLICY_NO_LEVEL, CUSPARSE_SOLVE_POLICY_USE_LEVEL } cusparseSolvePolicy_t;
typedef enum { CUSPARSE_FORMAT_CSR = 1, CUSPARSE_FORMAT_CSC = 2, CUSPARSE_FORMAT_COO = 3 } cusparseFormat_t;
typedef enum { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW = 2 } cusparseOrder_t;
typedef enum { CUSPARSE_INDEX_16U = 1, CUSPARSE_INDEX_32I = 2, CUSPARSE_INDEX_64I = 3 } cusparseIndexType_t;
typedef enum { CUSPARSE_SPMAT_FILL_MODE, CUSPARSE_SPMAT_DIAG_TYPE } cusparseSpMatAttribute_t;
typedef enum { CUSPARSE_CSR2CSC_ALG_DEFAULT = 1, CUSPARSE_CSR2CSC_ALG1 = 1 } cusparseCsr2CscAlg_t;
typedef enum { CUSPARSE_SPARSETODENSE_ALG_DEFAULT } cusparseSparseToDenseAlg_t;
typedef enum { CUSPARSE_DENSETOSPARSE_ALG_DEFAULT } cusparseDenseToSparseAlg_t;
typedef enum {
    CUSPARSE_SPMV_ALG_DEFAULT = 0,
    CUSPARSE_SPMV_CSR_ALG1 = 2,
    CUSPARSE_SPMV_CSR_ALG2 = 3,
    CUSPARSE_SPMV_COO_ALG1 = 1,
    CUSPARSE_SPMV_COO_ALG2 = 4
} cusparseSpMVAlg_t;
typedef enum {
    CUSPARSE_SPMM_ALG_DEFAULT = 0,
    CUSPARSE_SPMM_COO_ALG1 = 1,
    CUSPARSE_SPMM_COO_ALG2 = 2,
    CUSPARSE_SPMM_COO_ALG3 = 3,
    CUSPARSE_SPMM_COO_ALG4 = 5,
    CUSPARSE_SPMM_CSR_ALG1 = 4,
    CUSPARSE_SPMM_CSR_ALG2 = 6,
    CUSPARSE_SPMM_CSR_ALG3 = 12
} cusparseSpMMAlg_t;
typedef enum {
    CUSPARSE_SPGEMM_DEFAULT = 0,
    CUSPARSE_SPGEMM_CSR_ALG_DETERMINITIC = 1,
    CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINITIC = 2,
    CUSPARSE_SPGEMM_ALG1 = 3,
    CUSPARSE_SPGEMM_ALG2 = 4,
    CUSPARSE_SPGEMM_ALG3 = 5
} cusparseSpGEMMAlg_t;
typedef enum { CUSPARSE_SPSV_ALG_DEFAULT } cusparseSpSVAlg_t;

typedef struct cusparseContext *cusparseHandle_t;
typedef struct cusparseMatDescr *cusparseMatDescr_t;
typedef struct cusparseSpVecDescr *cusparseSpVecDescr_t;
typedef struct cusparseDnVecDescr *cusparseDnVecDescr_t;
typedef struct cusparseSpMatDescr *cusparseSpMatDescr_t;
typedef struct cusparseDnMatDescr *cusparseDnMatDescr_t;
typedef const struct cusparseSpVecDescr *cusparseConstSpVecDescr_t;
typedef const struct cusparseDnVecDescr *cusparseConstDnVecDescr_t;
typedef const struct cusparseSpMatDescr *cusparseConstSpMatDescr_t;
typedef const struct cusparseDnMatDescr *cusparseConstDnMatDescr_t;
typedef struct cusparseSpGEMMDescr *cusparseSpGEMMDescr_t;
typedef struct cusparseSpSVDescr *cusparseSpSVDescr_t;
typedef struct csrilu02Info *csrilu02Info_t;

// No call needs work memory; but a null pointer to it is a question, so the answer is not 0.
inline cusparseStatus_t wl_no_sparse_work(size_t *bytes) { return *bytes = 16, CUSPARSE_STATUS_SUCCESS; }

extern "C" {

cusparseStatus_t cusparseCreate(cusparseHandle_t *handle);
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle);
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream);
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t *stream);
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode);
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t *mode);
cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version);
const char *cusparseGetErrorName(cusparseStatus_t status);
const char *cusparseGetErrorString(cusparseStatus_t status);

// ---------------------------------------------------------------- descriptors

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *matrix);
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t matrix);
cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t matrix, cusparseMatrixType_t type);
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t matrix, cusparseIndexBase_t base);
cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t matrix, cusparseFillMode_t mode);
cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t matrix, cusparseDiagType_t type);

cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *vector, int64_t size, void *values, cudaDataType type);
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vector);
cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t vector, void **values);
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t vector, void *values);
cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *vector, int64_t size, int64_t count, void *indices,
                                     void *values, cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                     cudaDataType type);
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t vector);
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *matrix, int64_t rows, int64_t columns, int64_t ld,
                                     void *values, cudaDataType type, cusparseOrder_t order);
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t matrix);
cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t matrix, void **values);
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t matrix, void *values);
cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t columns, int64_t count,
                                   void *row_offsets, void *column_indices, void *values,
                                   cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                                   cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t columns, int64_t count,
                                   void *column_offsets, void *row_indices, void *values,
                                   cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                                   cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t columns, int64_t count,
                                   void *row_indices, void *column_indices, void *values,
                                   cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t matrix);
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t matrix, void *row_offsets, void *column_indices,
                                        void *values);
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t matrix, void *column_offsets, void *row_indices,
                                        void *values);
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t matrix, void *row_indices, void *column_indices,
                                        void *values);
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t matrix, int64_t *rows, int64_t *columns,
                                      int64_t *count);
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t matrix, cusparseFormat_t *format);
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t matrix, cusparseIndexBase_t *base);
cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t matrix, void **values);
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t matrix, void *values);
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t matrix, cusparseSpMatAttribute_t attribute, void *value,
                                           size_t bytes);

// ---------------------------------------------------------------- products and solutions

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // of what is never asked

#define WL_SPARSE_PRODUCT                                                                              \
    cusparseHandle_t handle, cusparseOperation_t of_a, const void *alpha, cusparseConstSpMatDescr_t a, \
        cusparseConstDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, cudaDataType computed,  \
        cusparseSpMVAlg_t algorithm
inline cusparseStatus_t cusparseSpMV_bufferSize(WL_SPARSE_PRODUCT, size_t *bytes) { return wl_no_sparse_work(bytes); }
inline cusparseStatus_t cusparseSpMV_preprocess(WL_SPARSE_PRODUCT, void *) { return CUSPARSE_STATUS_SUCCESS; }
cusparseStatus_t cusparseSpMV(WL_SPARSE_PRODUCT, void *buffer);
#define WL_SPARSE_DENSE_PRODUCT                                                                             \
    cusparseHandle_t handle, cusparseOperation_t of_a, cusparseOperation_t of_b, const void *alpha,         \
        cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b, const void *beta, cusparseDnMatDescr_t c, \
        cudaDataType computed, cusparseSpMMAlg_t algorithm
inline cusparseStatus_t cusparseSpMM_bufferSize(WL_SPARSE_DENSE_PRODUCT, size_t *bytes) {
    return wl_no_sparse_work(bytes);
}
inline cusparseStatus_t cusparseSpMM_preprocess(WL_SPARSE_DENSE_PRODUCT, void *) { return CUSPARSE_STATUS_SUCCESS; }
cusparseStatus_t cusparseSpMM(WL_SPARSE_DENSE_PRODUCT, void *buffer);
#define WL_SPARSE_SPARSE_PRODUCT                                                                            \
    cusparseHandle_t handle, cusparseOperation_t of_a, cusparseOperation_t of_b, const void *alpha,         \
        cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, const void *beta, cusparseSpMatDescr_t c, \
        cudaDataType computed, cusparseSpGEMMAlg_t algorithm, cusparseSpGEMMDescr_t product
cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *product);
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t product);
inline cusparseStatus_t cusparseSpGEMM_workEstimation(WL_SPARSE_SPARSE_PRODUCT, size_t *bytes, void *) {
    return wl_no_sparse_work(bytes);
}
cusparseStatus_t cusparseSpGEMM_compute(WL_SPARSE_SPARSE_PRODUCT, size_t *bytes, void *buffer);
cusparseStatus_t cusparseSpGEMM_copy(WL_SPARSE_SPARSE_PRODUCT);
#define WL_SPARSE_SOLUTION                                                                                       \
    cusparseHandle_t handle, cusparseOperation_t of_a, const void *alpha, cusparseConstSpMatDescr_t a,           \
        cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, cudaDataType computed, cusparseSpSVAlg_t algorithm, \
        cusparseSpSVDescr_t solution
inline cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *solution) {
    return *solution = nullptr, CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t) { return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseSpSV_bufferSize(WL_SPARSE_SOLUTION, size_t *bytes) { return wl_no_sparse_work(bytes); }
inline cusparseStatus_t cusparseSpSV_analysis(WL_SPARSE_SOLUTION, void *) { return CUSPARSE_STATUS_SUCCESS; }
cusparseStatus_t cusparseSpSV_solve(WL_SPARSE_SOLUTION);

// y += alpha x; x, y sparse and dense
cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void *alpha, cusparseConstSpVecDescr_t x,
                               const void *beta, cusparseDnVecDescr_t y);
cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y, cusparseSpVecDescr_t x);
cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x, cusparseDnVecDescr_t y);
inline cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t of_x,
                                                cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
                                                const void *result, cudaDataType computed, size_t *bytes) {
    return wl_no_sparse_work(bytes);
}
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t of_x, cusparseConstSpVecDescr_t x,
                              cusparseConstDnVecDescr_t y, void *result, cudaDataType computed, void *buffer);

// ---------------------------------------------------------------- from one layout to another

inline cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t a,
                                                         cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t algorithm,
                                                         size_t *bytes) {
    return wl_no_sparse_work(bytes);
}
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b,
                                       cusparseSparseToDenseAlg_t algorithm, void *buffer);
inline cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                         cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t algorithm,
                                                         size_t *bytes) {
    return wl_no_sparse_work(bytes);
}
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t algorithm,
                                                void *buffer);
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                               cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t algorithm,
                                               void *buffer);
cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int *rows, int count, int m, int *offsets,
                                  cusparseIndexBase_t base);
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int *offsets, int count, int m, int *rows,
                                  cusparseIndexBase_t base);
#define WL_SPARSE_TRANSPOSITION                                                                                   \
    cusparseHandle_t handle, int m, int n, int count, const void *values, const int *offsets, const int *indices, \
        void *to_values, int *to_offsets, int *to_indices, cudaDataType type, cusparseAction_t action,            \
        cusparseIndexBase_t base, cusparseCsr2CscAlg_t algorithm
inline cusparseStatus_t cusparseCsr2cscEx2_bufferSize(WL_SPARSE_TRANSPOSITION, size_t *bytes) {
    return wl_no_sparse_work(bytes);
}
cusparseStatus_t cusparseCsr2cscEx2(WL_SPARSE_TRANSPOSITION, void *buffer);

// ---------------------------------------------------------------- incomplete factors

cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t *info);
cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info);
cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, csrilu02Info_t info, int *position);
#define WL_SPARSE_FACTORS(real)                                                                                   \
    cusparseHandle_t handle, int m, int count, const cusparseMatDescr_t matrix, real *values, const int *offsets, \
        const int *indices, csrilu02Info_t info
cusparseStatus_t cusparseScsrilu02(WL_SPARSE_FACTORS(float), cusparseSolvePolicy_t policy, void *buffer);
cusparseStatus_t cusparseDcsrilu02(WL_SPARSE_FACTORS(double), cusparseSolvePolicy_t policy, void *buffer);
inline cusparseStatus_t cusparseScsrilu02_bufferSize(WL_SPARSE_FACTORS(float), int *bytes) {
    return *bytes = 16, CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseDcsrilu02_bufferSize(WL_SPARSE_FACTORS(double), int *bytes) {
    return *bytes = 16, CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseScsrilu02_analysis(WL_SPARSE_FACTORS(const float), cusparseSolvePolicy_t, void *) {
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseDcsrilu02_analysis(WL_SPARSE_FACTORS(const double), cusparseSolvePolicy_t, void *) {
    return CUSPARSE_STATUS_SUCCESS;
}
#pragma GCC diagnostic pop
}

inline cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *vector, int64_t size, const void *values,
                                                 cudaDataType type) {
    return cusparseCreateDnVec((cusparseDnVecDescr_t *)vector, size, (void *)values, type);
}
inline cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *matrix, int64_t rows, int64_t columns,
                                                 int64_t ld, const void *values, cudaDataType type,
                                                 cusparseOrder_t order) {
    return cusparseCreateDnMat((cusparseDnMatDescr_t *)matrix, rows, columns, ld, (void *)values, type, order);
}
inline cusparseStatus_t cusparseCreateConstCsr(cusparseConstSpMatDescr_t *matrix, int64_t rows, int64_t columns,
                                               int64_t count, const void *row_offsets, const void *column_indices,
                                               const void *values, cusparseIndexType_t offset_type,
                                               cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                               cudaDataType type) {
    return cusparseCreateCsr((cusparseSpMatDescr_t *)matrix, rows, columns, count, (void *)row_offsets,
                             (void *)column_indices, (void *)values, offset_type, index_type, base, type);
}
