// Mathematical functions against the host's, within the documented error.
#include <cmath>
#include <cstdio>

__global__ void compute(const double *x, double *y, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    double v = x[i];
    float f = (float)v;
    y[i] = exp(v) - exp2(v) + log(v + 2) * log1p(v) + pow(v + 1, 1.5);
    y[i + n] = sin(v) * cos(v) + tan(v) + atan2(v, 2.0) + sinh(v) + erf(v) + tgamma(v + 1);
    y[i + 2 * n] = rsqrt(v + 1) + cbrt(v) + hypot(v, 2.0) + fmod(v, 0.3) + norm3d(v, 1.0, 2.0) + normcdf(v);
    y[i + 3 * n] = expf(f) + __expf(f) + sqrtf(f) + fmaf(f, f, 1) + rsqrtf(f + 1) + sinpif(f) + fminf(f, 0.5f) +
                   roundf(f * 3) + truncf(f * 3);
    y[i + 4 * n] = __popc(i * 77) + __clz(i + 1) + __ffs(i + 8) + __brev(i) % 7 + __mulhi(i << 20, 1 << 20) + abs(-i) +
                   min(i, 3) + max(i, 5);
    y[i + 5 * n] = erfinv(v * 0.5) + normcdfinv(0.25 + v * 0.1) + erfcx(v) + sinpi(v) + cospi(v) + exp10(v);
}

int main() {
    const int n = 16;
    double *x, *y;
    cudaMallocManaged(&x, n * sizeof *x);
    cudaMallocManaged(&y, 6 * n * sizeof *y);
    for (int i = 0; i < n; i++) x[i] = i / 8.0;
    compute<<<1, 32>>>(x, y, n);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        double v = x[i];
        float f = (float)v;
        double a = exp(v) - exp2(v) + log(v + 2) * log1p(v) + pow(v + 1, 1.5);
        double b = sin(v) * cos(v) + tan(v) + atan2(v, 2.0) + sinh(v) + erf(v) + tgamma(v + 1);
        double c =
            1 / sqrt(v + 1) + cbrt(v) + hypot(v, 2.0) + fmod(v, 0.3) + sqrt(v * v + 5) + 0.5 * erfc(-v / sqrt(2.0));
        double d = 2 * expf(f) + sqrtf(f) + fmaf(f, f, 1) + 1 / sqrtf(f + 1) + sin(M_PI * f) + fminf(f, 0.5f) +
                   roundf(f * 3) + truncf(f * 3);
        wrong += std::fabs(a - y[i]) > 1e-12 * std::fabs(a) + 1e-13;
        wrong += std::fabs(b - y[i + n]) > 1e-11 * std::fabs(b) + 1e-12;
        wrong += std::fabs(c - y[i + 2 * n]) > 1e-12 * std::fabs(c);
        wrong += std::fabs(d - y[i + 3 * n]) > 1e-4 * std::fabs(d);
    }
    printf("wrong %d\n", wrong);
    for (int i = 0; i < n; i++) printf("%g %.9f\n", y[i + 4 * n], y[i + 5 * n]);
}
