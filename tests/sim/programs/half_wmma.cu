// Warp matrix functions: half, bfloat16, tf32 and bytes, by rows and by columns; products that are exact.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

template <typename T>
__global__ void gemm16(const T *a, const T *b, float *c) { // a by rows, b by columns, 32 x 32 x 32
    const int row = blockIdx.y * 16, column = blockIdx.x * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 1.0f);
    for (int k = 0; k < 32; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> fb;
        wmma::load_matrix_sync(fa, a + row * 32 + k, 32);
        wmma::load_matrix_sync(fb, b + column * 32 + k, 32);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    for (int i = 0; i < sum.num_elements; i++) sum.x[i] *= 2;
    wmma::store_matrix_sync(c + row * 32 + column, sum, 32, wmma::mem_row_major);
}
__global__ void bytes(const signed char *a, const signed char *b, int *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
    wmma::fill_fragment(sum, -5);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(sum, fa, fb, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_col_major);
}
__global__ void tf32(const float *a, const float *b, float *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    wmma::load_matrix_sync(fa, a, 8);
    wmma::load_matrix_sync(fb, b, 16);
    for (int i = 0; i < fa.num_elements; i++) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
    wmma::mma_sync(sum, fa, fb, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

template <typename T> static int check16() {
    T *a, *b;
    float *c;
    cudaMallocManaged(&a, 1024 * sizeof(T));
    cudaMallocManaged(&b, 1024 * sizeof(T));
    cudaMallocManaged(&c, 1024 * sizeof(float));
    for (int i = 0; i < 1024; i++) a[i] = T((float)(i % 13 - 6)), b[i] = T((float)(i % 7) * 0.5f);
    gemm16<T><<<dim3(2, 2), 32>>>(a, b, c);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < 32; i++)
        for (int j = 0; j < 32; j++) {
            float sum = 1;
            for (int k = 0; k < 32; k++) sum += (float)a[i * 32 + k] * (float)b[j * 32 + k];
            wrong += c[i * 32 + j] != 2 * sum;
        }
    return wrong;
}

int main() {
    printf("half %d, bfloat16 %d\n", check16<__half>(), check16<__nv_bfloat16>());
    signed char *a, *b;
    int *c, wrong = 0;
    cudaMallocManaged(&a, 256);
    cudaMallocManaged(&b, 256);
    cudaMallocManaged(&c, 1024);
    for (int i = 0; i < 256; i++) a[i] = (signed char)(i * 5), b[i] = (signed char)(i * 11);
    bytes<<<1, 32>>>(a, b, c);
    cudaDeviceSynchronize();
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            int sum = -5;
            for (int k = 0; k < 16; k++) sum += a[i * 16 + k] * b[k * 16 + j];
            wrong += c[j * 16 + i] != sum;
        }
    float *fa, *fb, *fc;
    cudaMallocManaged(&fa, 512);
    cudaMallocManaged(&fb, 512);
    cudaMallocManaged(&fc, 1024);
    for (int i = 0; i < 128; i++) fa[i] = (float)(i % 9), fb[i] = (float)(i % 5 - 2);
    tf32<<<1, 32>>>(fa, fb, fc);
    cudaDeviceSynchronize();
    int wrong32 = 0;
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            float sum = 0;
            for (int k = 0; k < 8; k++) sum += fa[i * 8 + k] * fb[k * 16 + j];
            wrong32 += fc[i * 16 + j] != sum;
        }
    printf("bytes %d, tf32 %d, %s\n", wrong, wrong32, cudaGetErrorName(cudaGetLastError()));
}
