// cuSPARSE's generic interface: products with vectors and matrices, of sparse matrices, triangular solutions, other layouts.
#include <cstdio>
#include <cusparse.h>
#include <vector>

static cusparseHandle_t handle;
template <typename T> static T *managed(std::initializer_list<T> values) {
    T *memory;
    cudaMallocManaged(&memory, values.size() * sizeof(T));
    std::copy(values.begin(), values.end(), memory);
    return memory;
}
template <typename T> static void show(const char *what, const T *x, int n) {
    cudaDeviceSynchronize();
    printf("%s:", what);
    for (int i = 0; i < n; i++) printf(" %g", (double)x[i]);
    printf("\n");
}

int main() {
    // 1 0 2 0
    // 0 3 0 0
    // 4 0 5 6
    int *offsets = managed<int>({0, 2, 3, 6}), *columns = managed<int>({0, 2, 1, 0, 2, 3});
    float *values = managed<float>({1, 2, 3, 4, 5, 6}), *x = managed<float>({1, 2, 3, 4}),
          *y = managed<float>({1, 1, 1});
    const float two = 2, one = 1, zero = 0;
    cusparseCreate(&handle);
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t vx, vy;
    cusparseCreateCsr(&a, 3, 4, 6, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    cusparseCreateDnVec(&vx, 4, x, CUDA_R_32F);
    cusparseCreateDnVec(&vy, 3, y, CUDA_R_32F);
    size_t bytes = 0;
    void *work;
    cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &two, a, vx, &one, vy, CUDA_R_32F,
                            CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
    cudaMalloc(&work, bytes);
    cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &two, a, vx, &one, vy, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT,
                 work);
    show("2 A x + y", y, 3);
    cusparseSpMV(handle, CUSPARSE_OPERATION_TRANSPOSE, &one, a, vy, &zero, vx, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT,
                 work);
    show("transposed", x, 4);
    printf("sizes do not fit: %s\n",
           cusparseGetErrorName(cusparseSpMV(handle, CUSPARSE_OPERATION_TRANSPOSE, &one, a, vx, &zero, vy, CUDA_R_32F,
                                             CUSPARSE_SPMV_ALG_DEFAULT, work)));

    float *dense = managed<float>({1, 2, 3, 4, 5, 6, 7, 8}), *product = managed<float>({0, 0, 0, 0, 0, 0});
    cusparseDnMatDescr_t b, c;
    cusparseCreateDnMat(&b, 4, 2, 2, dense, CUDA_R_32F, CUSPARSE_ORDER_ROW);
    cusparseCreateDnMat(&c, 3, 2, 3, product, CUDA_R_32F, CUSPARSE_ORDER_COL);
    cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, b, &zero, c,
                 CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, work);
    show("A B", product, 6);

    // The transpose of A, and A's product with it.
    int *row_offsets = managed<int>({0, 0, 0, 0, 0}), *rows = managed<int>({0, 0, 0, 0, 0, 0});
    float *turned = managed<float>({0, 0, 0, 0, 0, 0});
    cusparseCsr2cscEx2(handle, 3, 4, 6, values, offsets, columns, turned, row_offsets, rows, CUDA_R_32F,
                       CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG1, work);
    show("by columns", turned, 6);
    cusparseSpMatDescr_t t, s;
    cusparseCreateCsr(&t, 4, 3, 6, row_offsets, rows, turned, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    int *square_offsets = managed<int>({0, 0, 0, 0});
    cusparseCreateCsr(&s, 3, 3, 0, square_offsets, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    cusparseSpGEMMDescr_t multiply;
    cusparseSpGEMM_createDescr(&multiply);
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    size_t more = 0;
    void *memory[2];
    cusparseSpGEMM_workEstimation(handle, plain, plain, &one, a, t, &zero, s, CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT,
                                  multiply, &more, nullptr);
    cudaMalloc(&memory[0], more);
    cusparseSpGEMM_workEstimation(handle, plain, plain, &one, a, t, &zero, s, CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT,
                                  multiply, &more, memory[0]);
    cusparseSpGEMM_compute(handle, plain, plain, &one, a, t, &zero, s, CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT, multiply,
                           &more, nullptr);
    cudaMalloc(&memory[1], more);
    cusparseSpGEMM_compute(handle, plain, plain, &one, a, t, &zero, s, CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT, multiply,
                           &more, memory[1]);
    int64_t m, n, count;
    cusparseSpMatGetSize(s, &m, &n, &count);
    int *square_columns;
    float *square;
    cudaMallocManaged(&square_columns, (size_t)count * sizeof(int));
    cudaMallocManaged(&square, (size_t)count * sizeof(float));
    cusparseCsrSetPointers(s, square_offsets, square_columns, square);
    cusparseSpGEMM_copy(handle, plain, plain, &one, a, t, &zero, s, CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT, multiply);
    printf("%d x %d, %d elements\n", (int)m, (int)n, (int)count);
    show("A transposed A", square, (int)count);

    // Its lower triangle, solved.
    cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
    cusparseSpMatSetAttribute(s, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill);
    float *right = managed<float>({5, 9, 91}), *solved = managed<float>({0, 0, 0});
    cusparseDnVecDescr_t vr, vs;
    cusparseCreateDnVec(&vr, 3, right, CUDA_R_32F);
    cusparseCreateDnVec(&vs, 3, solved, CUDA_R_32F);
    cusparseSpSVDescr_t solve;
    cusparseSpSV_createDescr(&solve);
    cusparseSpSV_bufferSize(handle, plain, &one, s, vr, vs, CUDA_R_32F, CUSPARSE_SPSV_ALG_DEFAULT, solve, &more);
    cusparseSpSV_analysis(handle, plain, &one, s, vr, vs, CUDA_R_32F, CUSPARSE_SPSV_ALG_DEFAULT, solve, memory[0]);
    cusparseSpSV_solve(handle, plain, &one, s, vr, vs, CUDA_R_32F, CUSPARSE_SPSV_ALG_DEFAULT, solve);
    show("solved", solved, 3);
    cudaDeviceReset();
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
