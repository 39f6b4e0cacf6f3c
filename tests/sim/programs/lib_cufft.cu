// Transforms by cuFFT of lengths with small and large prime factors, in two dimensions, in batches with strides, of reals, in place.
#include <cmath>
#include <complex>
#include <cstdio>
#include <cufft.h>
#include <vector>

typedef std::complex<double> Number;

static std::vector<Number> direct(const std::vector<Number> &x, int sign) {
    const size_t n = x.size();
    std::vector<Number> sums(n);
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < n; j++)
            sums[k] += x[j] * std::polar(1.0, sign * 2 * M_PI * (double)(j * k % n) / (double)n);
    return sums;
}
static std::vector<Number> numbers(size_t n) {
    std::vector<Number> x(n);
    for (size_t i = 0; i < n; i++) x[i] = {(double)(i * i % 7), (double)(i % 3) - 1};
    return x;
}

static void length(int n, int sign) {
    const std::vector<Number> x = numbers((size_t)n), wanted = direct(x, sign);
    std::vector<cufftComplex> host((size_t)n);
    for (size_t i = 0; i < host.size(); i++) host[i] = {(float)x[i].real(), (float)x[i].imag()};
    cufftComplex *memory;
    cufftHandle plan;
    cudaMalloc(&memory, host.size() * sizeof *memory);
    cudaMemcpy(memory, host.data(), host.size() * sizeof *memory, cudaMemcpyHostToDevice);
    const cufftResult made = cufftPlan1d(&plan, n, CUFFT_C2C, 1);
    const cufftResult done = cufftExecC2C(plan, memory, memory, sign);
    cudaMemcpy(host.data(), memory, host.size() * sizeof *memory, cudaMemcpyDeviceToHost);
    double worst = 0;
    for (size_t i = 0; i < host.size(); i++)
        worst = std::max(worst, std::abs(Number(host[i].x, host[i].y) - wanted[i]));
    printf("%d: %d %d %s\n", n, made, done, worst < 1e-3 * n ? "right" : "wrong");
    cufftDestroy(plan);
    cudaFree(memory);
}

// 3 x 10 reals in place, whose rows are padded to 12, and back.
static void reals() {
    const int rows = 3, columns = 10, half = columns / 2 + 1;
    double *memory, host[rows][2 * half];
    cudaMallocManaged(&memory, sizeof host);
    std::vector<Number> x(rows * columns);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) memory[r * 2 * half + c] = (r * 5 + c * c) % 11;
    const double first = memory[2 * half + 3];
    cufftHandle there, back;
    cufftPlan2d(&there, rows, columns, CUFFT_D2Z);
    cufftPlan2d(&back, rows, columns, CUFFT_Z2D);
    cufftExecD2Z(there, memory, (cufftDoubleComplex *)memory);
    cudaDeviceSynchronize();
    Number sum = 0; // element (1, 2), directly
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            sum += (double)((r * 5 + c * c) % 11) * std::polar(1.0, -2 * M_PI * (r / 3.0 + 2 * c / 10.0));
    const cufftDoubleComplex *result = (cufftDoubleComplex *)memory;
    printf("reals: %d", std::abs(sum - Number(result[half + 2].x, result[half + 2].y)) < 1e-9);
    cufftExecZ2D(back, (cufftDoubleComplex *)memory, memory);
    cudaDeviceSynchronize();
    printf(" %d\n", std::fabs(memory[2 * half + 3] / (rows * columns) - first) < 1e-9);
    cufftDestroy(there);
    cufftDestroy(back);
    cudaFree(memory);
}

// Columns of 4 numbers in rows of 3: two of the columns, the third stays.
static void columns() {
    cufftComplex *memory;
    cudaMallocManaged(&memory, 12 * sizeof *memory);
    for (int i = 0; i < 12; i++) memory[i] = {(float)i, 0};
    int n = 4, embed = 4;
    cufftHandle plan;
    cufftPlanMany(&plan, 1, &n, &embed, 3, 1, &embed, 3, 1, CUFFT_C2C, 2);
    cufftExecC2C(plan, memory, memory, CUFFT_FORWARD);
    cudaDeviceSynchronize();
    for (int i = 0; i < 12; i++) printf(" (%ld, %ld)", lrintf(memory[i].x), lrintf(memory[i].y));
    printf("\nwrong type: %d\n", cufftExecR2C(plan, (float *)memory, memory));
    cufftDestroy(plan);
    cudaFree(memory);
}

int main() {
    for (int n : {1, 8, 60, 97, 2 * 127}) length(n, n == 60 ? CUFFT_INVERSE : CUFFT_FORWARD);
    reals();
    columns();
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
