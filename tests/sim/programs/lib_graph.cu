// Calls of libraries in a captured stream become nodes of its graph, with the host's factors as they were at the call.
// A GPU: nvcc lib_graph.cu -lcublas -lcusparse -lcufft.
#include <cublas_v2.h>
#include <cufft.h>
#include <cusparse.h>

#include <cmath>
#include <cstdio>
#include <initializer_list>

template <typename T> static T *on_device(std::initializer_list<T> from) {
    T *to;
    cudaMalloc(&to, from.size() * sizeof(T));
    cudaMemcpy(to, from.begin(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
    return to;
}
static void show(const char *what, const float *from, int count) {
    float to[8];
    cudaMemcpy(to, from, count * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%s:", what);
    for (int i = 0; i < count; i++) printf(" %g", roundf(to[i] * 1000) / 1000 + 0); // no -0
    printf("\n");
}

__global__ void half_of(const float *from, float *to) { *to = *from / 2; }

int main(void) {
    enum { N = 4 };
    float *x = on_device({1.f, 2.f, 3.f, 4.f}), *y = on_device({0.f, 0.f, 0.f, 0.f}),
          *z = on_device({1.f, 1.f, 1.f, 1.f}), *product = on_device({0.f, 0.f, 0.f, 0.f}),
          *square = on_device({1.f, 1.f, 1.f, 1.f}), *dot = on_device({0.f}), *factor = on_device({0.f});
    int *offsets = on_device({0, 1, 2, 3, 4}), *columns = on_device({3, 2, 1, 0});
    float *values = on_device({1.f, 10.f, 100.f, 1000.f});
    float2 *signal = on_device({float2{1, 0}, float2{2, 0}, float2{3, 0}, float2{4, 0}});
    cudaStream_t stream, other;
    cudaStreamCreate(&stream);
    cudaStreamCreate(&other);
    cublasHandle_t blas;
    cublasCreate(&blas);
    cublasSetStream(blas, stream);
    cusparseHandle_t sparse;
    cusparseCreate(&sparse);
    cusparseSetStream(sparse, stream);
    cufftHandle plan;
    cufftPlan1d(&plan, N, CUFFT_C2C, 1);
    cufftSetStream(plan, stream);
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t from, to;
    cusparseCreateCsr(&matrix, N, N, N, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    cusparseCreateDnVec(&from, N, y, CUDA_R_32F);
    cusparseCreateDnVec(&to, N, product, CUDA_R_32F);

    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    float alpha = 2, one = 1, zero = 0;
    cublasSaxpy(blas, N, &alpha, x, 1, y, 1); // y += 2 x
    alpha = 1000;                             // too late for the node
    cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE);
    cublasSdot(blas, N, x, 1, y, 1, dot);
    half_of<<<1, 1, 0, stream>>>(dot, factor);
    cublasSscal(blas, N, factor, z, 1); // by what the graph has computed
    cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_HOST);
    cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, y, 2, z, 2, &one, square, 2);
    cusparseSpMV(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, from, &zero, to, CUDA_R_32F,
                 CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
    cufftExecC2C(plan, signal, signal, CUFFT_FORWARD);
    cudaStreamEndCapture(stream, &graph);
    cusparseDestroySpMat(matrix); // the node keeps what it needs
    cusparseDestroyDnVec(from);
    cusparseDestroyDnVec(to);
    cusparseDestroy(sparse);
    cublasDestroy(blas);
    cufftDestroy(plan);

    show("before a launch", y, N);
    cudaGraphExec_t executable;
    cudaGraphInstantiate(&executable, graph, 0);
    for (int i = 0; i < 2; i++) {
        cudaGraphLaunch(executable, other);
        cudaStreamSynchronize(other);
        show("y", y, N);
        show("dot", dot, 1);
        show("z", z, N);
        show("square", square, N);
        show("product", product, N);
        show("signal", (const float *)signal, 2 * N);
    }
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
