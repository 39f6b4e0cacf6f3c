// cuBLASLt's product with a bias and a rectifier, and cuBLAS's product of vectors of any type.
#include <cublasLt.h>
#include <cstdio>
int main() {
    float a[6] = {1, 4, 2, 5, 3, 6}, b[6] = {1, 2, 3, -1, -2, -3}, bias[2] = {1, 10}, c[4], one = 1, zero = 0, *d, dot;
    cudaMalloc(&d, 20 * sizeof *d);
    cudaMemcpy(d, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(d + 6, b, sizeof b, cudaMemcpyHostToDevice);
    cudaMemcpy(d + 12, bias, sizeof bias, cudaMemcpyHostToDevice);
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t of_a, of_b, of_c;
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t way;
    size_t workspace = 0;
    int ways;
    const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_RELU_BIAS;
    const float *of_bias = d + 12;
    cublasLtCreate(&handle);
    cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
    cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &of_bias, sizeof of_bias);
    cublasLtMatrixLayoutCreate(&of_a, CUDA_R_32F, 2, 3, 2);
    cublasLtMatrixLayoutCreate(&of_b, CUDA_R_32F, 3, 2, 3);
    cublasLtMatrixLayoutCreate(&of_c, CUDA_R_32F, 2, 2, 2);
    cublasLtMatmulPreferenceCreate(&preference);
    cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                                         sizeof workspace);
    cublasLtMatmulAlgoGetHeuristic(handle, product, of_a, of_b, of_c, of_c, preference, 1, &way, &ways);
    const cublasStatus_t status = cublasLtMatmul(handle, product, &one, d, of_a, d + 6, of_b, &zero, d + 14, of_c,
                                                 d + 14, of_c, &way.algo, nullptr, workspace, 0);
    cudaMemcpy(c, d + 14, sizeof c, cudaMemcpyDeviceToHost);
    printf("%d ways, status %d: %g %g %g %g\n", ways, status, c[0], c[1], c[2], c[3]);
    cublasHandle_t blas;
    cublasCreate(&blas);
    cublasDotEx(blas, 3, d, CUDA_R_32F, 2, d + 6, CUDA_R_32F, 1, &dot, CUDA_R_32F, CUDA_R_32F);
    printf("%g\n", dot);
    cublasDestroy(blas), cublasLtDestroy(handle);
    cublasLtMatmulDescDestroy(product), cublasLtMatrixLayoutDestroy(of_a), cublasLtMatrixLayoutDestroy(of_b);
    cublasLtMatrixLayoutDestroy(of_c), cublasLtMatmulPreferenceDestroy(preference);
}
