/* cuBLAS for programs on the simulated device. Products of float and double matrices are a CPU BLAS's where the machine has one
   (libblas.so.3, opened when first asked for), else loops, as all other types are. */
#pragma GCC diagnostic ignored "-Wpsabi" // of complex numbers, before GCC 4.4
#include "cublas_v2.h"

#include <dlfcn.h>

#include <cmath>
#include <complex>

#include "sim/internal.h"
#include "sim_library.h"

using namespace wl_sim;

struct cublasContext {
    cudaStream_t stream;
    cublasPointerMode_t pointers;
    cublasMath_t math;
};

namespace {

typedef std::vector<wl_use> Ranges;
typedef long long Stride;

// ---------------------------------------------------------------- numbers

/* How a stored type is computed with. */
template <typename T> struct Computed { typedef T type; };
template <> struct Computed<__half> { typedef float type; };
template <> struct Computed<__nv_bfloat16> { typedef float type; };
template <> struct Computed<cuComplex> { typedef std::complex<float> type; };
template <> struct Computed<cuDoubleComplex> { typedef std::complex<double> type; };
template <typename T> using computed = typename Computed<T>::type;

template <typename T> computed<T> value(const T &x) { return x; }
float value(const __half &x) { return __half2float(x); }
float value(const __nv_bfloat16 &x) { return __bfloat162float(x); }
std::complex<float> value(const cuComplex &x) { return {x.x, x.y}; }
std::complex<double> value(const cuDoubleComplex &x) { return {x.x, x.y}; }

template <typename T, typename V> void store(T *to, const V &x) { *to = (T)x; }
template <> void store(__half *to, const float &x) { *to = __float2half(x); }
template <> void store(__nv_bfloat16 *to, const float &x) { *to = __float2bfloat16(x); }
void store(cuComplex *to, const std::complex<float> &x) { *to = {x.real(), x.imag()}; }
void store(cuDoubleComplex *to, const std::complex<double> &x) { *to = {x.real(), x.imag()}; }

template <typename V> V conjugate(const V &x) { return x; }
template <typename V> std::complex<V> conjugate(const std::complex<V> &x) { return std::conj(x); }
template <typename V> double magnitude(const V &x) { return std::fabs((double)x); }
template <typename V> double magnitude(const std::complex<V> &x) { return std::fabs(x.real()) + std::fabs(x.imag()); }
template <typename V> double square(const V &x) { return (double)x * (double)x; }
template <typename V> double square(const std::complex<V> &x) { return std::norm(std::complex<double>(x)); }

// ---------------------------------------------------------------- arguments

template <typename T> wl_use vector(const T *x, int n, int step, bool writes) {
    const size_t items = n > 0 ? (size_t)(n - 1) * (size_t)std::abs(step) + 1 : 0;
    return {x, items * sizeof(T), writes};
}
wl_use matrix(const void *a, size_t item, int rows, int columns, int ld, bool writes) {
    const size_t items = rows > 0 && columns > 0 ? (size_t)(columns - 1) * (size_t)ld + (size_t)rows : 0;
    return {a, items * item, writes};
}

/* Element i of a vector that may run backwards. */
template <typename T> T &item(T *x, int n, int step, int i) {
    return step >= 0 ? x[(size_t)i * (size_t)step] : x[(size_t)(n - 1 - i) * (size_t)-step];
}

/* A number that the host or the device holds, as the handle says. */
bool device_scalars(cublasHandle_t handle) { return handle && handle->pointers == CUBLAS_POINTER_MODE_DEVICE; }
template <typename T> wl_use scalar(cublasHandle_t handle, const T *p, bool writes) {
    return {p, device_scalars(handle) ? sizeof(T) : 0, writes};
}

cublasStatus_t begin(cublasHandle_t handle, const char *what, const Ranges &ranges) {
    if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    return wl_library_call(what, handle->stream, ranges.data(), ranges.size()) ? CUBLAS_STATUS_SUCCESS
                                                                               : CUBLAS_STATUS_EXECUTION_FAILED;
}
/* In a captured stream, the call becomes a node: `again` is the call, for the handle as it is now. */
template <typename F> bool becomes_node(cublasHandle_t handle, F again) {
    return handle && wl_becomes_node(handle->stream, [context = *handle, again](cudaStream_t stream) {
               cublasContext later = context;
               later.stream = stream;
               again(&later);
           });
}
template <typename T> wl_factor<T> factor(cublasHandle_t handle, const T *p) {
    const bool of_device = !handle || device_scalars(handle);
    return {of_device ? T() : *p, of_device ? p : nullptr};
}
#define BEGIN(handle, what, ...)                                              \
    do {                                                                      \
        if ((handle) == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;        \
        const cublasStatus_t begun = begin(handle, what, Ranges __VA_ARGS__); \
        if (begun != CUBLAS_STATUS_SUCCESS) return begun;                     \
    } while (0);                                                              \
    const DeviceWindow window

// ---------------------------------------------------------------- products

/* C = alpha op(A) op(B) + beta C, in the type V. */
template <typename A, typename C, typename V> struct Product {
    cublasOperation_t of_a, of_b;
    int m, n, k;
    V alpha, beta;
    int lda, ldb, ldc;
};

bool is_plain(cublasOperation_t op) { return op == CUBLAS_OP_N; }

template <typename V, typename A> V element(const A *a, int ld, cublasOperation_t op, int row, int column) {
    const V x = (V)value(is_plain(op) ? a[(size_t)column * ld + row] : a[(size_t)row * ld + column]);
    return op == CUBLAS_OP_C ? conjugate(x) : x;
}

template <typename A, typename C, typename V>
void multiply_by_loops(const Product<A, C, V> &p, const A *a, const A *b, C *c) {
    std::vector<V> left((size_t)p.m * p.k), column(p.m); // op(A), by columns
    for (int l = 0; l < p.k; l++)
        for (int i = 0; i < p.m; i++) left[(size_t)l * p.m + i] = element<V>(a, p.lda, p.of_a, i, l);
    for (int j = 0; j < p.n; j++) {
        std::fill(column.begin(), column.end(), V());
        for (int l = 0; l < p.k; l++) {
            const V factor = element<V>(b, p.ldb, p.of_b, l, j);
            const V *from = left.data() + (size_t)l * p.m;
            for (int i = 0; i < p.m; i++) column[i] += from[i] * factor;
        }
        for (int i = 0; i < p.m; i++) {
            C *to = c + (size_t)j * p.ldc + i;
            V sum = p.alpha * column[i];
            if (p.beta != V()) sum += p.beta * (V)value(*to); // C may hold anything where beta is 0
            store(to, sum);
        }
    }
}

template <typename T>
using blas_gemm = void (*)(int, int, int, int, int, int, T, const T *, int, const T *, int, T, T *, int);
template <typename T> blas_gemm<T> blas(const char *name) {
    void *library = dlopen("libblas.so.3", RTLD_NOW | RTLD_LOCAL);
    return library ? (blas_gemm<T>)dlsym(library, name) : nullptr;
}
template <typename T> bool by_blas(const Product<T, T, T> &p, const T *a, const T *b, T *c, blas_gemm<T> gemm) {
    enum { BY_COLUMNS = 102, PLAIN = 111, TRANSPOSED = 112 };
    if (gemm == nullptr) return false;
    gemm(BY_COLUMNS, is_plain(p.of_a) ? PLAIN : TRANSPOSED, is_plain(p.of_b) ? PLAIN : TRANSPOSED, p.m, p.n, p.k,
         p.alpha, a, p.lda, b, p.ldb, p.beta, c, p.ldc);
    return true;
}
template <typename A, typename C, typename V> void multiply(const Product<A, C, V> &p, const A *a, const A *b, C *c) {
    multiply_by_loops(p, a, b, c);
}
template <> void multiply(const Product<float, float, float> &p, const float *a, const float *b, float *c) {
    static const blas_gemm<float> gemm = blas<float>("cblas_sgemm");
    if (!by_blas(p, a, b, c, gemm)) multiply_by_loops(p, a, b, c);
}
template <> void multiply(const Product<double, double, double> &p, const double *a, const double *b, double *c) {
    static const blas_gemm<double> gemm = blas<double>("cblas_dgemm");
    if (!by_blas(p, a, b, c, gemm)) multiply_by_loops(p, a, b, c);
}

template <typename A, typename C, typename V> bool fits(const Product<A, C, V> &p) {
    return p.m >= 0 && p.n >= 0 && p.k >= 0 && p.lda >= std::max(1, is_plain(p.of_a) ? p.m : p.k) &&
           p.ldb >= std::max(1, is_plain(p.of_b) ? p.k : p.n) && p.ldc >= std::max(1, p.m);
}
template <typename A, typename C, typename V>
void add_ranges(const Product<A, C, V> &p, const A *a, const A *b, C *c, Ranges *to) {
    const bool tn = !is_plain(p.of_a), bn = !is_plain(p.of_b);
    to->push_back(matrix(a, sizeof(A), tn ? p.k : p.m, tn ? p.m : p.k, p.lda, false));
    to->push_back(matrix(b, sizeof(A), bn ? p.n : p.k, bn ? p.k : p.n, p.ldb, false));
    to->push_back(matrix(c, sizeof(C), p.m, p.n, p.ldc, true));
}

/* `batch` products, each with its own matrices. */
template <typename A, typename C, typename V>
cublasStatus_t products(cublasHandle_t handle, const char *what, Product<A, C, V> &&p, const V *alpha, const V *beta,
                        const std::vector<const A *> &a, const std::vector<const A *> &b, const std::vector<C *> &c,
                        Ranges ranges = {}) {
    if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!fits(p)) return CUBLAS_STATUS_INVALID_VALUE;
    if (becomes_node(handle, [=, al = factor(handle, alpha), be = factor(handle, beta)](cublasHandle_t later) {
            products<A, C, V>(later, what, Product<A, C, V>(p), al, be, a, b, c, ranges);
        }))
        return CUBLAS_STATUS_SUCCESS;
    if (p.m == 0 || p.n == 0) return CUBLAS_STATUS_SUCCESS;
    ranges.reserve(ranges.size() + 2 + 3 * c.size());
    ranges.push_back(scalar(handle, alpha, false));
    ranges.push_back(scalar(handle, beta, false));
    for (size_t i = 0; i < c.size(); i++) add_ranges(p, a[i], b[i], c[i], &ranges);
    const cublasStatus_t begun = begin(handle, what, ranges);
    const DeviceWindow window;
    if (begun != CUBLAS_STATUS_SUCCESS) return begun;
    p.alpha = *alpha;
    p.beta = *beta;
    for (size_t i = 0; i < c.size(); i++) multiply(p, a[i], b[i], c[i]);
    return CUBLAS_STATUS_SUCCESS;
}

template <typename T> std::vector<T *> strided(T *first, Stride stride, int batch) {
    std::vector<T *> all;
    for (int i = 0; i < batch; i++) all.push_back(first + stride * i);
    return all;
}

/* alpha and beta of a type with another to compute in. */
template <typename T> computed<T> widened(cublasHandle_t handle, const T *p) {
    return device_scalars(handle) && !is_device((uintptr_t)p, sizeof(T)) ? computed<T>() : value(*p);
}

template <typename T>
cublasStatus_t gemm(cublasHandle_t handle, const char *what, cublasOperation_t of_a, cublasOperation_t of_b, int m,
                    int n, int k, const T *alpha, const std::vector<const T *> &a, int lda,
                    const std::vector<const T *> &b, int ldb, const T *beta, const std::vector<T *> &c, int ldc,
                    Ranges ranges = {}) {
    typedef computed<T> V;
    if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (becomes_node(handle, [=, al = factor(handle, alpha), be = factor(handle, beta)](cublasHandle_t later) {
            gemm<T>(later, what, of_a, of_b, m, n, k, al, a, lda, b, ldb, be, c, ldc, ranges);
        }))
        return CUBLAS_STATUS_SUCCESS;
    ranges.reserve(ranges.size() + 2);
    const V wide_alpha = widened(handle, alpha), wide_beta = widened(handle, beta);
    ranges.push_back(scalar(handle, alpha, false));
    ranges.push_back(scalar(handle, beta, false));
    cublasContext on_host = *handle;
    on_host.pointers = CUBLAS_POINTER_MODE_HOST;
    return products<T, T, V>(&on_host, what, {of_a, of_b, m, n, k, V(), V(), lda, ldb, ldc}, &wide_alpha, &wide_beta, a,
                             b, c, ranges);
}

/* Arrays of pointers, which lie in device memory. */
template <typename T> bool pointers(T *const *from, int batch, std::vector<T *> *to, Ranges *ranges) {
    if (batch < 0 || !is_device((uintptr_t)from, sizeof *from * (size_t)batch)) return false;
    const RangeWindow window((uintptr_t)from, sizeof *from * (size_t)batch);
    to->assign(from, from + batch);
    ranges->push_back({from, sizeof *from * (size_t)batch, false});
    return true;
}
template <typename T>
cublasStatus_t gemm_batched(cublasHandle_t handle, const char *what, cublasOperation_t of_a, cublasOperation_t of_b,
                            int m, int n, int k, const T *alpha, const T *const *a, int lda, const T *const *b, int ldb,
                            const T *beta, T *const *c, int ldc, int batch) {
    if (becomes_node(handle, [=, al = factor(handle, alpha), be = factor(handle, beta)](cublasHandle_t later) {
            gemm_batched<T>(later, what, of_a, of_b, m, n, k, al, a, lda, b, ldb, be, c, ldc, batch);
        }))
        return CUBLAS_STATUS_SUCCESS;
    std::vector<const T *> as, bs;
    std::vector<T *> cs;
    Ranges ranges;
    if (!pointers<const T>(a, batch, &as, &ranges) || !pointers<const T>(b, batch, &bs, &ranges) ||
        !pointers<T>(c, batch, &cs, &ranges)) {
        complain(std::string(what) + ": the array of pointers is not in device memory");
        return CUBLAS_STATUS_EXECUTION_FAILED;
    }
    return gemm<T>(handle, what, of_a, of_b, m, n, k, alpha, as, lda, bs, ldb, beta, cs, ldc, ranges);
}

template <typename A, typename C, typename V>
cublasStatus_t gemm_as(cublasHandle_t handle, const char *what, cublasOperation_t of_a, cublasOperation_t of_b, int m,
                       int n, int k, const void *alpha, const void *a, int lda, Stride stride_a, const void *b, int ldb,
                       Stride stride_b, const void *beta, void *c, int ldc, Stride stride_c, int batch) {
    return products<A, C, V>(handle, what, {of_a, of_b, m, n, k, V(), V(), lda, ldb, ldc}, (const V *)alpha,
                             (const V *)beta, strided((const A *)a, stride_a, batch),
                             strided((const A *)b, stride_b, batch), strided((C *)c, stride_c, batch));
}

/* A product whose types are arguments. */
cublasStatus_t gemm_ex(cublasHandle_t handle, const char *what, cublasOperation_t of_a, cublasOperation_t of_b, int m,
                       int n, int k, const void *alpha, const void *a, cudaDataType type_a, int lda, Stride stride_a,
                       const void *b, cudaDataType type_b, int ldb, Stride stride_b, const void *beta, void *c,
                       cudaDataType type_c, int ldc, Stride stride_c, int batch, cublasComputeType_t compute) {
#define GEMM_AS(A, C, V)                                                                                         \
    gemm_as<A, C, V>(handle, what, of_a, of_b, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, \
                     stride_c, batch)
    if (type_a != type_b) return CUBLAS_STATUS_NOT_SUPPORTED;
    switch (compute) {
        case CUBLAS_COMPUTE_64F:
        case CUBLAS_COMPUTE_64F_PEDANTIC:
            if (type_a == CUDA_R_64F && type_c == CUDA_R_64F) return GEMM_AS(double, double, double);
            return CUBLAS_STATUS_NOT_SUPPORTED;
        case CUBLAS_COMPUTE_32I:
        case CUBLAS_COMPUTE_32I_PEDANTIC:
            // Only what runs on tensor cores: A transposed and B not, and everything a multiple of 4.
            if (type_a != CUDA_R_8I || type_c != CUDA_R_32I || is_plain(of_a) || !is_plain(of_b) ||
                ((uintptr_t)a | (uintptr_t)b | (uintptr_t)c) % 4 != 0 || (m | k | lda | ldb | ldc) % 4 != 0)
                return CUBLAS_STATUS_NOT_SUPPORTED;
            return GEMM_AS(int8_t, int, int);
        case CUBLAS_COMPUTE_16F:
        case CUBLAS_COMPUTE_16F_PEDANTIC: {
            if (type_a != CUDA_R_16F || type_c != CUDA_R_16F) return CUBLAS_STATUS_NOT_SUPPORTED;
            return gemm<__half>(handle, what, of_a, of_b, m, n, k, (const __half *)alpha,
                                strided((const __half *)a, stride_a, batch), lda,
                                strided((const __half *)b, stride_b, batch), ldb, (const __half *)beta,
                                strided((__half *)c, stride_c, batch), ldc);
        }
        default: // in float
            if (type_a == CUDA_R_32F && type_c == CUDA_R_32F) return GEMM_AS(float, float, float);
            if (type_a == CUDA_R_16F && type_c == CUDA_R_16F) return GEMM_AS(__half, __half, float);
            if (type_a == CUDA_R_16F && type_c == CUDA_R_32F) return GEMM_AS(__half, float, float);
            if (type_a == CUDA_R_16BF && type_c == CUDA_R_16BF) return GEMM_AS(__nv_bfloat16, __nv_bfloat16, float);
            if (type_a == CUDA_R_16BF && type_c == CUDA_R_32F) return GEMM_AS(__nv_bfloat16, float, float);
            if (type_a == CUDA_R_8I && type_c == CUDA_R_32F) return GEMM_AS(int8_t, float, float);
            return CUBLAS_STATUS_NOT_SUPPORTED;
    }
#undef GEMM_AS
}

// ---------------------------------------------------------------- vectors

template <typename T>
cublasStatus_t axpy(cublasHandle_t h, int n, const T *alpha, const T *x, int incx, T *y, int incy) {
    if (becomes_node(h, [=, al = factor(h, alpha)](cublasHandle_t later) { axpy<T>(later, n, al, x, incx, y, incy); }))
        return CUBLAS_STATUS_SUCCESS;
    BEGIN(h, "cublas axpy", ({scalar(h, alpha, false), vector(x, n, incx, false), vector(y, n, incy, true)}));
    const auto a = value(*alpha);
    for (int i = 0; i < n; i++)
        store(&item(y, n, incy, i), a * value(item(x, n, incx, i)) + value(item(y, n, incy, i)));
    return CUBLAS_STATUS_SUCCESS;
}
template <typename T> cublasStatus_t scal(cublasHandle_t h, int n, const T *alpha, T *x, int incx) {
    if (incx <= 0) n = 0;
    if (becomes_node(h, [=, al = factor(h, alpha)](cublasHandle_t later) { scal<T>(later, n, al, x, incx); }))
        return CUBLAS_STATUS_SUCCESS;
    BEGIN(h, "cublas scal", ({scalar(h, alpha, false), vector(x, n, incx, true)}));
    const auto a = value(*alpha);
    for (int i = 0; i < n; i++) store(&item(x, n, incx, i), a * value(item(x, n, incx, i)));
    return CUBLAS_STATUS_SUCCESS;
}
template <typename T> cublasStatus_t copy(cublasHandle_t h, int n, const T *x, int incx, T *y, int incy) {
    if (becomes_node(h, [=](cublasHandle_t later) { copy(later, n, x, incx, y, incy); })) return CUBLAS_STATUS_SUCCESS;
    BEGIN(h, "cublas copy", ({vector(x, n, incx, false), vector(y, n, incy, true)}));
    for (int i = 0; i < n; i++) item(y, n, incy, i) = item(x, n, incx, i);
    return CUBLAS_STATUS_SUCCESS;
}
template <typename T> cublasStatus_t swap(cublasHandle_t h, int n, T *x, int incx, T *y, int incy) {
    if (becomes_node(h, [=](cublasHandle_t later) { swap(later, n, x, incx, y, incy); })) return CUBLAS_STATUS_SUCCESS;
    BEGIN(h, "cublas swap", ({vector(x, n, incx, true), vector(y, n, incy, true)}));
    for (int i = 0; i < n; i++) std::swap(item(y, n, incy, i), item(x, n, incx, i));
    return CUBLAS_STATUS_SUCCESS;
}

/* becomes_node, for a call whose result is a number: the host cannot get it from a graph. */
template <typename F> bool node_gives_result(cublasHandle_t handle, F again) {
    return device_scalars(handle) && becomes_node(handle, again);
}

/* A sum over one or two vectors, formed in double or complex double. */
template <typename T, typename R, typename TERM>
cublasStatus_t sum(cublasHandle_t h, const char *what, const Ranges &ranges, int n, R *result, TERM term) {
    const cublasStatus_t begun = begin(h, what, ranges); // of the vectors and the result
    const DeviceWindow window;
    if (begun != CUBLAS_STATUS_SUCCESS) return begun;
    T total = T();
    for (int i = 0; i < n; i++) total += term(i);
    store(result, (computed<R>)total);
    if (!device_scalars(h)) wait_for_all(); // the result is there when the call returns
    return CUBLAS_STATUS_SUCCESS;
}
template <typename T> struct Wide { typedef double type; };
template <> struct Wide<cuComplex> { typedef std::complex<double> type; };
template <> struct Wide<cuDoubleComplex> { typedef std::complex<double> type; };

template <typename T>
cublasStatus_t dot(cublasHandle_t h, int n, const T *x, int incx, const T *y, int incy, T *result, bool conjugated) {
    typedef typename Wide<T>::type W;
    if (node_gives_result(h, [=](cublasHandle_t later) { dot(later, n, x, incx, y, incy, result, conjugated); }))
        return CUBLAS_STATUS_SUCCESS;
    return sum<W>(h, "cublas dot", {vector(x, n, incx, false), vector(y, n, incy, false), scalar(h, result, true)}, n,
                  result, [&](int i) {
                      const W left = W(value(item(x, n, incx, i)));
                      return (conjugated ? conjugate(left) : left) * W(value(item(y, n, incy, i)));
                  });
}
template <typename T, typename R> cublasStatus_t asum(cublasHandle_t h, int n, const T *x, int incx, R *result) {
    if (node_gives_result(h, [=](cublasHandle_t later) { asum(later, n, x, incx, result); }))
        return CUBLAS_STATUS_SUCCESS;
    return sum<double>(h, "cublas asum", {vector(x, n, incx, false), scalar(h, result, true)}, n, result,
                       [&](int i) { return magnitude(value(item(x, n, incx, i))); });
}
template <typename T, typename R> cublasStatus_t nrm2(cublasHandle_t h, int n, const T *x, int incx, R *result) {
    if (node_gives_result(h, [=](cublasHandle_t later) { nrm2(later, n, x, incx, result); }))
        return CUBLAS_STATUS_SUCCESS;
    const cublasStatus_t status = sum<double>(h, "cublas nrm2", {vector(x, n, incx, false), scalar(h, result, true)}, n,
                                              result, [&](int i) { return square(value(item(x, n, incx, i))); });
    if (status == CUBLAS_STATUS_SUCCESS) *result = std::sqrt(*result);
    return status;
}
template <typename T> cublasStatus_t extreme(cublasHandle_t h, int n, const T *x, int incx, int *result, double sign) {
    if (node_gives_result(h, [=](cublasHandle_t later) { extreme(later, n, x, incx, result, sign); }))
        return CUBLAS_STATUS_SUCCESS;
    int best = 0; // the first is 1, and 0 says that there is none
    double most = 0;
    const cublasStatus_t status =
        sum<int>(h, "cublas amax", {vector(x, n, incx, false), scalar(h, result, true)}, n, result, [&](int i) {
            const double m = sign * magnitude(value(item(x, n, incx, i)));
            if (best == 0 || m > most) best = i + 1, most = m;
            return 0;
        });
    if (status == CUBLAS_STATUS_SUCCESS) *result = best;
    return status;
}

template <typename T>
cublasStatus_t gemv(cublasHandle_t h, cublasOperation_t op, int m, int n, const T *alpha, const T *a, int lda,
                    const T *x, int incx, const T *beta, T *y, int incy) {
    typedef computed<T> V;
    if (m < 0 || n < 0 || lda < std::max(1, m) || incx == 0 || incy == 0) return CUBLAS_STATUS_INVALID_VALUE;
    if (becomes_node(h, [=, al = factor(h, alpha), be = factor(h, beta)](cublasHandle_t later) {
            gemv<T>(later, op, m, n, al, a, lda, x, incx, be, y, incy);
        }))
        return CUBLAS_STATUS_SUCCESS;
    const int rows = is_plain(op) ? m : n, columns = is_plain(op) ? n : m;
    BEGIN(h, "cublas gemv",
          ({scalar(h, alpha, false), scalar(h, beta, false), matrix(a, sizeof(T), m, n, lda, false),
            vector(x, columns, incx, false), vector(y, rows, incy, true)}));
    const V of_product = value(*alpha), of_y = value(*beta);
    for (int i = 0; i < rows; i++) {
        V total = V();
        for (int l = 0; l < columns; l++) total += element<V>(a, lda, op, i, l) * value(item(x, columns, incx, l));
        total *= of_product;
        if (of_y != V()) total += of_y * value(item(y, rows, incy, i));
        store(&item(y, rows, incy, i), total);
    }
    return CUBLAS_STATUS_SUCCESS;
}
template <typename T>
cublasStatus_t ger(cublasHandle_t h, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *a,
                   int lda) {
    if (m < 0 || n < 0 || lda < std::max(1, m)) return CUBLAS_STATUS_INVALID_VALUE;
    if (becomes_node(
            h, [=, al = factor(h, alpha)](cublasHandle_t later) { ger<T>(later, m, n, al, x, incx, y, incy, a, lda); }))
        return CUBLAS_STATUS_SUCCESS;
    BEGIN(h, "cublas ger",
          ({scalar(h, alpha, false), vector(x, m, incx, false), vector(y, n, incy, false),
            matrix(a, sizeof(T), m, n, lda, true)}));
    const T factor = *alpha;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) a[(size_t)j * lda + i] += factor * item(x, m, incx, i) * item(y, n, incy, j);
    return CUBLAS_STATUS_SUCCESS;
}
template <typename T>
cublasStatus_t geam(cublasHandle_t h, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n, const T *alpha,
                    const T *a, int lda, const T *beta, const T *b, int ldb, T *c, int ldc) {
    typedef computed<T> V;
    if (m < 0 || n < 0 || ldc < std::max(1, m)) return CUBLAS_STATUS_INVALID_VALUE;
    const bool at = !is_plain(of_a), bt = !is_plain(of_b);
    if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (becomes_node(h, [=, al = factor(h, alpha), be = factor(h, beta)](cublasHandle_t later) {
            geam<T>(later, of_a, of_b, m, n, al, a, lda, be, b, ldb, c, ldc);
        }))
        return CUBLAS_STATUS_SUCCESS;
    if (begin(h, "cublas geam", {scalar(h, alpha, false), scalar(h, beta, false)}) != CUBLAS_STATUS_SUCCESS)
        return CUBLAS_STATUS_EXECUTION_FAILED;
    const V left = value(*alpha), right = value(*beta);
    Ranges ranges = {matrix(c, sizeof(T), m, n, ldc, true)}; // a factor of 0 leaves its matrix alone, which may be null
    if (left != V()) ranges.push_back(matrix(a, sizeof(T), at ? n : m, at ? m : n, lda, false));
    if (right != V()) ranges.push_back(matrix(b, sizeof(T), bt ? n : m, bt ? m : n, ldb, false));
    const cublasStatus_t begun = begin(h, "cublas geam", ranges);
    const DeviceWindow window;
    if (begun != CUBLAS_STATUS_SUCCESS) return begun;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            V total = V();
            if (left != V()) total += left * element<V>(a, lda, of_a, i, j);
            if (right != V()) total += right * element<V>(b, ldb, of_b, i, j);
            store(&c[(size_t)j * ldc + i], total);
        }
    return CUBLAS_STATUS_SUCCESS;
}

} // namespace

// ---------------------------------------------------------------- the interface

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
    if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    *handle = new cublasContext{nullptr, CUBLAS_POINTER_MODE_HOST, CUBLAS_DEFAULT_MATH};
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
    if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}

#define FIELD(set, get, type, field)                                                                 \
    cublasStatus_t set(cublasHandle_t handle, type x) {                                              \
        return handle ? (handle->field = x, CUBLAS_STATUS_SUCCESS) : CUBLAS_STATUS_NOT_INITIALIZED;  \
    }                                                                                                \
    cublasStatus_t get(cublasHandle_t handle, type *x) {                                             \
        return handle ? (*x = handle->field, CUBLAS_STATUS_SUCCESS) : CUBLAS_STATUS_NOT_INITIALIZED; \
    }
FIELD(cublasSetStream_v2, cublasGetStream_v2, cudaStream_t, stream)
FIELD(cublasSetPointerMode_v2, cublasGetPointerMode_v2, cublasPointerMode_t, pointers)
FIELD(cublasSetMathMode, cublasGetMathMode, cublasMath_t, math)
#undef FIELD

cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int *version) { return *version = 130000, CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t, void *, size_t) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t, cublasAtomicsMode_t) { return CUBLAS_STATUS_SUCCESS; }

static const struct {
    cublasStatus_t status;
    const char *name, *text;
} statuses[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE", "an unsupported value or parameter was passed"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "the program failed to execute"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "the functionality is not supported"},
};
const char *cublasGetStatusName(cublasStatus_t status) {
    for (const auto &s : statuses)
        if (s.status == status) return s.name;
    return "CUBLAS_STATUS_INTERNAL_ERROR";
}
const char *cublasGetStatusString(cublasStatus_t status) {
    for (const auto &s : statuses)
        if (s.status == status) return s.text;
    return "an internal operation failed";
}

static cublasStatus_t move(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                           cudaMemcpyKind kind) {
    if (width == 0 || height == 0) return CUBLAS_STATUS_SUCCESS;
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind) == cudaSuccess
               ? CUBLAS_STATUS_SUCCESS
               : CUBLAS_STATUS_MAPPING_ERROR;
}
cublasStatus_t cublasSetVector(int n, int size, const void *x, int incx, void *y, int incy) {
    return move(y, (size_t)incy * size, x, (size_t)incx * size, size, n, cudaMemcpyHostToDevice);
}
cublasStatus_t cublasGetVector(int n, int size, const void *x, int incx, void *y, int incy) {
    return move(y, (size_t)incy * size, x, (size_t)incx * size, size, n, cudaMemcpyDeviceToHost);
}
cublasStatus_t cublasSetMatrix(int rows, int columns, int size, const void *a, int lda, void *b, int ldb) {
    return move(b, (size_t)ldb * size, a, (size_t)lda * size, (size_t)rows * size, columns, cudaMemcpyHostToDevice);
}
cublasStatus_t cublasGetMatrix(int rows, int columns, int size, const void *a, int lda, void *b, int ldb) {
    return move(b, (size_t)ldb * size, a, (size_t)lda * size, (size_t)rows * size, columns, cudaMemcpyDeviceToHost);
}

#define GEMM(L, T, plain)                                                                                              \
    cublasStatus_t plain(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,            \
                         const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc) {     \
        return gemm<T>(h, "cublas" #L "gemm", ta, tb, m, n, k, alpha, {a}, lda, {b}, ldb, beta, {c}, ldc);             \
    }                                                                                                                  \
    cublasStatus_t cublas##L##gemmBatched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n,  \
                                          int k, const T *alpha, const T *const a[], int lda, const T *const b[],      \
                                          int ldb, const T *beta, T *const c[], int ldc, int batch) {                  \
        return gemm_batched<T>(h, "cublas" #L "gemmBatched", ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc,     \
                               batch);                                                                                 \
    }                                                                                                                  \
    cublasStatus_t cublas##L##gemmStridedBatched(                                                                      \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const T *alpha, const T *a, \
        int lda, Stride sa, const T *b, int ldb, Stride sb, const T *beta, T *c, int ldc, Stride sc, int batch) {      \
        return gemm<T>(h, "cublas" #L "gemmStridedBatched", ta, tb, m, n, k, alpha, strided(a, sa, batch), lda,        \
                       strided(b, sb, batch), ldb, beta, strided(c, sc, batch), ldc);                                  \
    }
#define TYPE(L, T, R, N)                                                                                             \
    cublasStatus_t cublas##L##axpy_v2(cublasHandle_t h, int n, const T *al, const T *x, int ix, T *y, int iy) {      \
        return axpy(h, n, al, x, ix, y, iy);                                                                         \
    }                                                                                                                \
    cublasStatus_t cublas##L##scal_v2(cublasHandle_t h, int n, const T *al, T *x, int ix) {                          \
        return scal(h, n, al, x, ix);                                                                                \
    }                                                                                                                \
    cublasStatus_t cublas##L##copy_v2(cublasHandle_t h, int n, const T *x, int ix, T *y, int iy) {                   \
        return copy(h, n, x, ix, y, iy);                                                                             \
    }                                                                                                                \
    cublasStatus_t cublas##L##swap_v2(cublasHandle_t h, int n, T *x, int ix, T *y, int iy) {                         \
        return swap(h, n, x, ix, y, iy);                                                                             \
    }                                                                                                                \
    cublasStatus_t cublas##N##nrm2_v2(cublasHandle_t h, int n, const T *x, int ix, R *r) {                           \
        return nrm2(h, n, x, ix, r);                                                                                 \
    }                                                                                                                \
    cublasStatus_t cublas##N##asum_v2(cublasHandle_t h, int n, const T *x, int ix, R *r) {                           \
        return asum(h, n, x, ix, r);                                                                                 \
    }                                                                                                                \
    cublasStatus_t cublasI##L##amax_v2(cublasHandle_t h, int n, const T *x, int ix, int *r) {                        \
        return extreme(h, n, x, ix, r, 1);                                                                           \
    }                                                                                                                \
    cublasStatus_t cublasI##L##amin_v2(cublasHandle_t h, int n, const T *x, int ix, int *r) {                        \
        return extreme(h, n, x, ix, r, -1);                                                                          \
    }                                                                                                                \
    cublasStatus_t cublas##L##gemv_v2(cublasHandle_t h, cublasOperation_t op, int m, int n, const T *al, const T *a, \
                                      int lda, const T *x, int ix, const T *be, T *y, int iy) {                      \
        return gemv(h, op, m, n, al, a, lda, x, ix, be, y, iy);                                                      \
    }                                                                                                                \
    cublasStatus_t cublas##L##geam(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n,       \
                                   const T *al, const T *a, int lda, const T *be, const T *b, int ldb, T *c,         \
                                   int ldc) {                                                                        \
        return geam(h, ta, tb, m, n, al, a, lda, be, b, ldb, c, ldc);                                                \
    }                                                                                                                \
    GEMM(L, T, cublas##L##gemm_v2)
TYPE(S, float, float, S)
TYPE(D, double, double, D)
TYPE(C, cuComplex, float, Sc)
TYPE(Z, cuDoubleComplex, double, Dz)
GEMM(H, __half, cublasHgemm)

#define DOT(name, T, conjugated)                                                                          \
    cublasStatus_t name(cublasHandle_t h, int n, const T *x, int incx, const T *y, int incy, T *result) { \
        return dot(h, n, x, incx, y, incy, result, conjugated);                                           \
    }
DOT(cublasSdot_v2, float, false)
DOT(cublasDdot_v2, double, false)
DOT(cublasCdotu_v2, cuComplex, false)
DOT(cublasCdotc_v2, cuComplex, true)
DOT(cublasZdotu_v2, cuDoubleComplex, false)
DOT(cublasZdotc_v2, cuDoubleComplex, true)
#define GER(name, T)                                                                                                \
    cublasStatus_t name(cublasHandle_t h, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy, \
                        T *a, int lda) {                                                                            \
        return ger(h, m, n, alpha, x, incx, y, incy, a, lda);                                                       \
    }
GER(cublasSger_v2, float)
GER(cublasDger_v2, double)

cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                            const void *alpha, const void *a, cudaDataType type_a, int lda, const void *b,
                            cudaDataType type_b, int ldb, const void *beta, void *c, cudaDataType type_c, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t) {
    return gemm_ex(h, "cublasGemmEx", ta, tb, m, n, k, alpha, a, type_a, lda, 0, b, type_b, ldb, 0, beta, c, type_c,
                   ldc, 0, 1, compute);
}
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                                          int k, const void *alpha, const void *a, cudaDataType type_a, int lda,
                                          Stride sa, const void *b, cudaDataType type_b, int ldb, Stride sb,
                                          const void *beta, void *c, cudaDataType type_c, int ldc, Stride sc, int batch,
                                          cublasComputeType_t compute, cublasGemmAlgo_t) {
    return gemm_ex(h, "cublasGemmStridedBatchedEx", ta, tb, m, n, k, alpha, a, type_a, lda, sa, b, type_b, ldb, sb,
                   beta, c, type_c, ldc, sc, batch, compute);
}
cublasStatus_t cublasSgemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                             const float *alpha, const void *a, cudaDataType type_a, int lda, const void *b,
                             cudaDataType type_b, int ldb, const float *beta, void *c, cudaDataType type_c, int ldc) {
    return gemm_ex(h, "cublasSgemmEx", ta, tb, m, n, k, alpha, a, type_a, lda, 0, b, type_b, ldb, 0, beta, c, type_c,
                   ldc, 0, 1, CUBLAS_COMPUTE_32F);
}

// Real numbers of any type, summed in the type of the execution.
static double real_at(const void *x, cudaDataType type, size_t i) {
    switch (type) {
        case CUDA_R_16F:
            return __half2float(((const __half *)x)[i]);
        case CUDA_R_16BF:
            return __bfloat162float(((const __nv_bfloat16 *)x)[i]);
        case CUDA_R_32F:
            return ((const float *)x)[i];
        default:
            return ((const double *)x)[i];
    }
}
static size_t size_of_real(cudaDataType type) {
    return type == CUDA_R_16F || type == CUDA_R_16BF ? 2 : type == CUDA_R_32F ? 4 : type == CUDA_R_64F ? 8 : 0;
}
cublasStatus_t cublasDotEx(cublasHandle_t h, int n, const void *x, cudaDataType type_x, int incx, const void *y,
                           cudaDataType type_y, int incy, void *result, cudaDataType type, cudaDataType execution) {
    if (!size_of_real(type_x) || !size_of_real(type_y) || !size_of_real(type)) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (node_gives_result(h, [=](cublasHandle_t later) {
            cublasDotEx(later, n, x, type_x, incx, y, type_y, incy, result, type, execution);
        }))
        return CUBLAS_STATUS_SUCCESS;
    const size_t items = n > 0 ? (size_t)(n - 1) : 0;
    const size_t bytes_x = (items * (size_t)std::abs(incx) + (n > 0)) * size_of_real(type_x),
                 bytes_y = (items * (size_t)std::abs(incy) + (n > 0)) * size_of_real(type_y);
    BEGIN(h, "cublasDotEx",
          {{x, bytes_x, false}, {y, bytes_y, false}, {result, device_scalars(h) ? size_of_real(type) : 0, true}});
    double sum = 0;
    for (int i = 0; i < n; i++) {
        const size_t at_x = (size_t)(incx >= 0 ? i : n - 1 - i) * (size_t)std::abs(incx),
                     at_y = (size_t)(incy >= 0 ? i : n - 1 - i) * (size_t)std::abs(incy);
        sum += real_at(x, type_x, at_x) * real_at(y, type_y, at_y);
        if (execution == CUDA_R_32F) sum = (float)sum;
    }
    if (type == CUDA_R_16F) store((__half *)result, (float)sum);
    if (type == CUDA_R_16BF) store((__nv_bfloat16 *)result, (float)sum);
    if (type == CUDA_R_32F) store((float *)result, sum);
    if (type == CUDA_R_64F) store((double *)result, sum);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDotcEx(cublasHandle_t h, int n, const void *x, cudaDataType type_x, int incx, const void *y,
                            cudaDataType type_y, int incy, void *result, cudaDataType type, cudaDataType execution) {
    return cublasDotEx(h, n, x, type_x, incx, y, type_y, incy, result, type, execution);
}

} // extern "C"
