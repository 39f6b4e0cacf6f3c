// cuBLAS: each call against the loops that define it. A GPU: nvcc lib_cublas.cu -lcublas.
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

static cublasHandle_t handle;

static void say(const char *what, bool good) { printf("%s: %s\n", what, good ? "ok" : "WRONG"); }

template <typename T> struct Device {
    T *at;
    size_t count;
    explicit Device(const std::vector<T> &from) : count(from.size()) {
        cudaMalloc(&at, count * sizeof(T));
        cudaMemcpy(at, from.data(), count * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~Device() { cudaFree(at); }
    std::vector<T> back() const {
        std::vector<T> to(count);
        cudaMemcpy(to.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost);
        return to;
    }
};

static double number(int i) { return (i * 37 % 19 - 9) / 8.0; } // exact in all types
static std::vector<double> numbers(int count, int from) {
    std::vector<double> all(count);
    for (int i = 0; i < count; i++) all[i] = number(i + from);
    return all;
}
template <typename T> std::vector<T> as(const std::vector<double> &from) {
    std::vector<T> to(from.size());
    for (size_t i = 0; i < from.size(); i++) to[i] = (T)(float)from[i];
    return to;
}
template <typename T> bool same(const std::vector<T> &is, const std::vector<double> &should, double within) {
    for (size_t i = 0; i < is.size(); i++)
        if (!(std::fabs((double)(float)is[i] - should[i]) <= within)) return false;
    return is.size() == should.size();
}

enum { M = 13, N = 7, K = 10 };
/* C = alpha op(A) op(B) + beta C */
static std::vector<double> product(bool ta, bool tb, const std::vector<double> &a, const std::vector<double> &b,
                                   std::vector<double> c, double alpha, double beta) {
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
            double sum = 0;
            for (int l = 0; l < K; l++) sum += (ta ? a[i * K + l] : a[l * M + i]) * (tb ? b[l * N + j] : b[j * K + l]);
            c[j * M + i] = alpha * sum + beta * c[j * M + i];
        }
    return c;
}

static void products(void) {
    const std::vector<double> a = numbers(M * K, 0), b = numbers(K * N, 5), c = numbers(M * N, 11);
    bool floats = true, doubles = true, halves = true, mixed = true;
    for (int which = 0; which < 4; which++) {
        const bool ta = which & 1, tb = which & 2;
        const cublasOperation_t of_a = ta ? CUBLAS_OP_T : CUBLAS_OP_N, of_b = tb ? CUBLAS_OP_T : CUBLAS_OP_N;
        const int lda = ta ? K : M, ldb = tb ? N : K;
        const std::vector<double> should = product(ta, tb, a, b, c, 2, 0.5);
        Device<float> fa(as<float>(a)), fb(as<float>(b)), fc(as<float>(c));
        const float two = 2, half = 0.5;
        cublasSgemm(handle, of_a, of_b, M, N, K, &two, fa.at, lda, fb.at, ldb, &half, fc.at, M);
        floats = floats && same(fc.back(), should, 0);
        Device<double> da(as<double>(a)), db(as<double>(b)), dc(as<double>(c));
        const double d2 = 2, d5 = 0.5;
        cublasDgemm(handle, of_a, of_b, M, N, K, &d2, da.at, lda, db.at, ldb, &d5, dc.at, M);
        doubles = doubles && same(dc.back(), should, 0);
        Device<__half> ha(as<__half>(a)), hb(as<__half>(b)), hc(as<__half>(c));
        const __half h2 = __float2half(2), h5 = __float2half(0.5f);
        cublasHgemm(handle, of_a, of_b, M, N, K, &h2, ha.at, lda, hb.at, ldb, &h5, hc.at, M);
        halves = halves && same(hc.back(), should, 0.05);
        Device<float> mc(as<float>(c));
        cublasGemmEx(handle, of_a, of_b, M, N, K, &two, ha.at, CUDA_R_16F, lda, hb.at, CUDA_R_16F, ldb, &half, mc.at,
                     CUDA_R_32F, M, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
        mixed = mixed && same(mc.back(), should, 0);
        // As programs before CUDA 11 say it.
        Device<float> old(as<float>(c));
        cublasGemmEx(handle, of_a, of_b, M, N, K, &two, ha.at, CUDA_R_16F, lda, hb.at, CUDA_R_16F, ldb, &half, old.at,
                     CUDA_R_32F, M, CUDA_R_32F, CUBLAS_GEMM_DFALT_TENSOR_OP);
        mixed = mixed && same(old.back(), should, 0);
    }
    say("gemm of floats", floats);
    say("gemm of doubles", doubles);
    say("gemm of halves", halves);
    say("gemm of halves into floats", mixed);
}

static void batches(void) {
    enum { BATCH = 3 };
    const std::vector<double> a = numbers(BATCH * M * K, 1), b = numbers(BATCH * K * N, 2);
    Device<float> da(as<float>(a)), db(as<float>(b)), strided(std::vector<float>(BATCH * M * N, 0)),
        listed(std::vector<float>(BATCH * M * N, NAN));
    const float one = 1, none = 0;
    std::vector<double> should;
    std::vector<const float *> as_list, bs_list;
    std::vector<float *> cs_list;
    for (int i = 0; i < BATCH; i++) {
        const std::vector<double> one_of =
            product(false, false, std::vector<double>(a.begin() + i * M * K, a.begin() + (i + 1) * M * K),
                    std::vector<double>(b.begin() + i * K * N, b.begin() + (i + 1) * K * N),
                    std::vector<double>(M * N, 0), 1, 0);
        should.insert(should.end(), one_of.begin(), one_of.end());
        as_list.push_back(da.at + i * M * K);
        bs_list.push_back(db.at + i * K * N);
        cs_list.push_back(listed.at + i * M * N);
    }
    cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, M, N, K, &one, da.at, M, M * K, db.at, K, K * N, &none,
                              strided.at, M, M * N, BATCH);
    say("strided batch", same(strided.back(), should, 0));
    Device<const float *> pa(as_list), pb(bs_list);
    Device<float *> pc(cs_list);
    cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, M, N, K, &one, pa.at, M, pb.at, K, &none, pc.at, M, BATCH);
    say("batch over what is no number, with beta 0", same(listed.back(), should, 0));
}

static void vectors(void) {
    const std::vector<double> x = numbers(30, 3), y = numbers(30, 8);
    Device<double> dx(as<double>(x)), dy(as<double>(y));
    double result, dot = 0, norm = 0, sum = 0, three = 3;
    int place;
    for (int i = 0; i < 10; i++) dot += x[3 * i] * y[2 * (9 - i)]; // a negative step runs from the end
    cublasDdot(handle, 10, dx.at, 3, dy.at, -2, &result);
    say("dot with steps 3 and -2", result == dot);
    for (double v : x) norm += v * v, sum += std::fabs(v);
    cublasDnrm2(handle, 30, dx.at, 1, &result);
    say("nrm2", std::fabs(result - std::sqrt(norm)) < 1e-12);
    cublasDasum(handle, 30, dx.at, 1, &result);
    say("asum", result == sum);
    int most = 0;
    for (int i = 1; i < 30; i++)
        if (std::fabs(x[i]) > std::fabs(x[most])) most = i;
    cublasIdamax(handle, 30, dx.at, 1, &place);
    say("amax counts from 1", place == most + 1);
    std::vector<double> should = y;
    for (int i = 0; i < 30; i++) should[i] += 3 * x[i];
    cublasDaxpy(handle, 30, &three, dx.at, 1, dy.at, 1);
    say("axpy", same(dy.back(), should, 0));
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
    Device<double> factor(std::vector<double>{3, 0});
    cublasDscal(handle, 30, factor.at, dx.at, 1);
    cublasDdot(handle, 30, dx.at, 1, dx.at, 1, factor.at + 1);
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
    say("scal and dot with scalars on the device", factor.back()[1] == 9 * norm);
}

static void matrices(void) {
    const std::vector<double> a = numbers(M * N, 4), x = numbers(M, 6), y = numbers(N, 2);
    Device<float> da(as<float>(a)), dx(as<float>(x)), dy(as<float>(y)), at(std::vector<float>(M * N, 0));
    const float one = 1, two = 2, none = 0;
    std::vector<double> should(N);
    for (int j = 0; j < N; j++) {
        should[j] = 2 * y[j];
        for (int i = 0; i < M; i++) should[j] += a[j * M + i] * x[i];
    }
    cublasSgemv(handle, CUBLAS_OP_T, M, N, &one, da.at, M, dx.at, 1, &two, dy.at, 1);
    say("gemv of the transpose", same(dy.back(), should, 0));
    cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, N, M, &one, da.at, M, &none, nullptr, N, at.at, N);
    std::vector<double> turned(M * N);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) turned[i * N + j] = a[j * M + i];
    say("geam as a transposition", same(at.back(), turned, 0));
    Device<cuComplex> ca(std::vector<cuComplex>{{1, 2}, {3, -1}}), cc(std::vector<cuComplex>{{0, 0}});
    const cuComplex c1 = {1, 0}, c0 = {0, 0};
    cublasCgemm(handle, CUBLAS_OP_C, CUBLAS_OP_N, 1, 1, 2, &c1, ca.at, 2, ca.at, 2, &c0, cc.at, 1);
    const cuComplex z = cc.back()[0];
    say("gemm of complex numbers, conjugated", z.x == 15 && z.y == 0);
}

int main() {
    cublasCreate(&handle);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    products();
    batches();
    vectors();
    matrices();
    const float one = 1;
    say("a leading dimension that is too small is refused",
        cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, nullptr, 3, nullptr, 4, &one, nullptr, 4) ==
            CUBLAS_STATUS_INVALID_VALUE);
    cublasSetStream(handle, stream);
    cudaStreamDestroy(stream);
    cublasDestroy(handle);
    return cudaDeviceSynchronize() != cudaSuccess;
}
