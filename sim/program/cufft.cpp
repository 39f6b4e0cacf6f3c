/* cuFFT for programs on the simulated device. Everything is computed in double precision. */
#include "cufft.h"

#include <cmath>
#include <map>
#include <memory>
#include <mutex>

#include "cufftXt.h"
#include "sim/internal.h"
#include "sim_library.h"

using namespace wl_sim;

namespace {

// ---------------------------------------------------------------- one dimension

struct Number {
    double x, y;
};
Number operator*(Number a, Number b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
Number operator+(Number a, Number b) { return {a.x + b.x, a.y + b.y}; }
Number conjugate(Number a) { return {a.x, -a.y}; }
Number root(long double turns) {
    const long double angle = 2 * 3.141592653589793238462643383279502884L * turns;
    return {(double)cosl(angle), (double)sinl(angle)};
}

constexpr size_t LARGEST_RADIX = 61;

size_t smallest_factor(size_t n) {
    for (size_t p = 2; p * p <= n; p++)
        if (n % p == 0) return p;
    return n;
}

/* Transforms of one length, forward: sums of x[j] w^(jk), w = exp(-2 pi i / n). A length with a large prime factor is done as a
   convolution of a length that is a power of two (Bluestein). */
class Line {
    size_t n;
    std::vector<Number> roots; // roots[j] = w^j
    std::vector<size_t> factors;
    std::unique_ptr<Line> longer;
    std::vector<Number> chirp, transformed; // chirp[j] = exp(-pi i j^2 / n)

    void combine(const Number *in, size_t stride, Number *out, size_t length, const size_t *factor) const {
        if (length == 1) {
            *out = *in;
            return;
        }
        const size_t p = *factor, m = length / p, step = n / length;
        for (size_t r = 0; r < p; r++) combine(in + r * stride, stride * p, out + r * m, m, factor + 1);
        Number terms[LARGEST_RADIX];
        for (size_t k = 0; k < m; k++) {
            for (size_t r = 0; r < p; r++) terms[r] = out[r * m + k] * roots[r * k * step];
            for (size_t q = 0; q < p; q++) {
                Number sum = terms[0];
                for (size_t r = 1; r < p; r++) sum = sum + terms[r] * roots[r * q % p * (n / p)];
                out[q * m + k] = sum;
            }
        }
    }

    void convolve(Number *x) const {
        std::vector<Number> a(longer->n, Number{0, 0});
        for (size_t j = 0; j < n; j++) a[j] = x[j] * chirp[j];
        longer->run(a.data());
        for (size_t j = 0; j < a.size(); j++) a[j] = conjugate(a[j] * transformed[j]); // the inverse, by conjugates
        longer->run(a.data());
        const double scale = 1.0 / (double)longer->n;
        for (size_t j = 0; j < n; j++) x[j] = conjugate(a[j]) * chirp[j] * Number{scale, 0};
    }

  public:
    explicit Line(size_t n) : n(n) {
        for (size_t rest = n; rest > 1; rest /= factors.back()) factors.push_back(smallest_factor(rest));
        if (!factors.empty() && factors.back() > LARGEST_RADIX) {
            size_t length = 1;
            while (length < 2 * n - 1) length *= 2;
            longer = std::make_unique<Line>(length);
            transformed.assign(length, Number{0, 0});
            for (size_t j = 0; j < n; j++) {
                chirp.push_back(root(-(long double)(j * j % (2 * n)) / (long double)(2 * n)));
                transformed[j] = transformed[(length - j) % length] = conjugate(chirp[j]);
            }
            longer->run(transformed.data());
        } else {
            for (size_t j = 0; j < n; j++) roots.push_back(root(-(long double)j / (long double)n));
        }
    }
    void run(Number *x) const {
        if (longer) return convolve(x);
        std::vector<Number> from(x, x + n);
        combine(from.data(), 1, x, n, factors.data());
    }
};

// ---------------------------------------------------------------- plans

typedef std::vector<long long> Sizes;

/* How the elements of one side lie in memory; an empty `embed`: as cuFFT lays them out by default. */
struct Layout {
    Sizes embed;
    long long stride, distance;
};

struct Plan {
    cudaStream_t stream;
    Sizes n;
    Layout in, out;
    int type; // 0: not made yet
    long long batch;
};

std::map<cufftHandle, Plan> plans;
std::mutex mutex;

Plan *plan_of(cufftHandle handle) {
    std::lock_guard<std::mutex> guard(mutex);
    const auto at = plans.find(handle);
    return at == plans.end() ? nullptr : &at->second;
}

bool is_double(int type) { return type >= CUFFT_Z2Z; }
bool from_real(int type) { return type == CUFFT_R2C || type == CUFFT_D2Z; }
bool to_real(int type) { return type == CUFFT_C2R || type == CUFFT_Z2D; }

/* One side of a transform. */
struct Side {
    Sizes counts; // elements in each dimension
    Layout layout;
    bool real, doubles;
    size_t item;
    char *memory;

    Side(const Plan &p, bool output, bool in_place, void *memory)
        : counts(p.n),
          layout(output ? p.out : p.in),
          real(output ? to_real(p.type) : from_real(p.type)),
          doubles(is_double(p.type)),
          item((real ? 1 : 2) * (doubles ? 8 : 4)),
          memory((char *)memory) {
        const bool half = from_real(p.type) || to_real(p.type);
        if (half && !real) counts.back() = counts.back() / 2 + 1;
        if (!layout.embed.empty()) return;
        layout.embed = counts;
        if (real && in_place)
            layout.embed.back() = 2 * (counts.back() / 2 + 1); // rows are padded to those of the result
        layout.stride = layout.distance = 1;
        for (long long size : layout.embed) layout.distance *= size;
    }
    /* Of element i, counted over `sizes`; past the side's own counts: -1. */
    long long place(long long batch, size_t i, const Sizes &sizes) const {
        long long at = 0, scale = 1;
        for (size_t d = sizes.size(); d-- > 0;) {
            const long long coordinate = (long long)(i % (size_t)sizes[d]);
            if (coordinate >= counts[d]) return -1;
            at += coordinate * scale;
            scale *= layout.embed[d];
            i /= (size_t)sizes[d];
        }
        return batch * layout.distance + at * layout.stride;
    }
    wl_use used(long long batch, bool writes) const {
        size_t last = 1;
        for (long long size : counts) last *= (size_t)size;
        return {memory, (size_t)(place(batch - 1, last - 1, counts) + 1) * item, writes};
    }
    Number get(long long at) const {
        if (doubles) {
            const double *p = (const double *)(memory + (size_t)at * item);
            return {p[0], real ? 0 : p[1]};
        }
        const float *p = (const float *)(memory + (size_t)at * item);
        return {p[0], real ? 0 : p[1]};
    }
    void put(long long at, Number x) const {
        char *p = memory + (size_t)at * item;
        if (doubles) {
            ((double *)p)[0] = x.x;
            if (!real) ((double *)p)[1] = x.y;
        } else {
            ((float *)p)[0] = (float)x.x;
            if (!real) ((float *)p)[1] = (float)x.y;
        }
    }
};

/* The element that is the conjugate of element i where the result is real: all coordinates are negated. */
size_t mirrored(size_t i, const Sizes &n) {
    size_t at = 0, scale = 1;
    for (size_t d = n.size(); d-- > 0;) {
        const size_t size = (size_t)n[d], coordinate = i % size;
        at += (size - coordinate) % size * scale;
        scale *= size;
        i /= size;
    }
    return at;
}

void transform(std::vector<Number> *all, const Sizes &n, const std::vector<Line> &lines) {
    size_t stride = 1;
    std::vector<Number> line;
    for (size_t d = n.size(); d-- > 0; stride *= (size_t)n[d]) {
        const size_t size = (size_t)n[d];
        line.resize(size);
        for (size_t first = 0; first < all->size(); first++) {
            if (first / stride % size != 0) continue;
            for (size_t j = 0; j < size; j++) line[j] = (*all)[first + j * stride];
            lines[d].run(line.data());
            for (size_t j = 0; j < size; j++) (*all)[first + j * stride] = line[j];
        }
    }
}

cufftResult execute(const Plan *p, const char *what, void *in, void *out, int direction) {
    const Side from(*p, false, in == out, in), to(*p, true, in == out, out);
    const wl_use uses[] = {from.used(p->batch, false), to.used(p->batch, true)};
    if (!wl_library_call(what, p->stream, uses, 2)) return CUFFT_EXEC_FAILED;
    const DeviceWindow window;
    size_t count = 1;
    std::vector<Line> lines;
    for (long long size : p->n) count *= (size_t)size, lines.emplace_back((size_t)size);
    std::vector<Number> all(count);
    for (long long batch = 0; batch < p->batch; batch++) {
        for (size_t i = 0; i < count; i++) {
            const long long at = from.place(batch, i, p->n);
            all[i] = at >= 0 ? from.get(at) : conjugate(from.get(from.place(batch, mirrored(i, p->n), p->n)));
            if (direction == CUFFT_INVERSE) all[i] = conjugate(all[i]);
        }
        transform(&all, p->n, lines);
        for (size_t i = 0; i < count; i++) {
            const long long at = to.place(batch, i, p->n);
            if (at >= 0) to.put(at, direction == CUFFT_INVERSE ? conjugate(all[i]) : all[i]);
        }
    }
    return CUFFT_SUCCESS;
}

cufftResult execute(cufftHandle handle, const char *what, void *in, void *out, int direction, int type) {
    const Plan *p = plan_of(handle);
    if (p == nullptr || p->type == 0) return CUFFT_INVALID_PLAN;
    if (type != 0 && p->type != type) return CUFFT_INVALID_TYPE;
    if (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE) return CUFFT_INVALID_VALUE;
    if (wl_becomes_node(p->stream, [plan = *p, what, in, out, direction](cudaStream_t stream) {
            Plan later = plan;
            later.stream = stream;
            execute(&later, what, in, out, direction);
        }))
        return CUFFT_SUCCESS;
    return execute(p, what, in, out, direction);
}

Layout layout_of(int rank, const long long *embed, long long stride, long long distance) {
    if (embed == nullptr) return {{}, 1, 0};
    return {Sizes(embed, embed + rank), stride, distance};
}

} // namespace

extern "C" {

cufftResult cufftCreate(cufftHandle *plan) {
    static cufftHandle next = 1;
    std::lock_guard<std::mutex> guard(mutex);
    plans[ *plan = next++] = {};
    return CUFFT_SUCCESS;
}
cufftResult cufftDestroy(cufftHandle plan) {
    std::lock_guard<std::mutex> guard(mutex);
    return plans.erase(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream) {
    Plan *p = plan_of(plan);
    if (p == nullptr) return CUFFT_INVALID_PLAN;
    return p->stream = stream, CUFFT_SUCCESS;
}
cufftResult cufftGetVersion(int *version) { return *version = CUFFT_VERSION, CUFFT_SUCCESS; }
cufftResult cufftGetProperty(libraryPropertyType type, int *value) {
    return *value = type == MAJOR_VERSION ? CUFFT_VERSION / 1000 : 0, CUFFT_SUCCESS;
}

cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long *n, long long *in_embed, long long in_stride,
                                long long in_distance, long long *out_embed, long long out_stride,
                                long long out_distance, cufftType type, long long batch, size_t *work_bytes) {
    Plan *p = plan_of(plan);
    if (p == nullptr) return CUFFT_INVALID_PLAN;
    if (rank < 1 || rank > 3 || batch < 1) return CUFFT_INVALID_VALUE;
    for (int i = 0; i < rank; i++)
        if (n[i] < 1) return CUFFT_INVALID_SIZE;
    // Without one of them, both sides have the default layout.
    if (in_embed == nullptr || out_embed == nullptr) in_embed = out_embed = nullptr;
    *p = {p->stream,
          Sizes(n, n + rank),
          layout_of(rank, in_embed, in_stride, in_distance),
          layout_of(rank, out_embed, out_stride, out_distance),
          type,
          batch};
    if (work_bytes) *work_bytes = 0;
    return CUFFT_SUCCESS;
}
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *n, int *in_embed, int in_stride, int in_distance,
                              int *out_embed, int out_stride, int out_distance, cufftType type, int batch,
                              size_t *work_bytes) {
    if (rank < 1 || rank > 3) return CUFFT_INVALID_VALUE;
    Sizes sizes(n, n + rank), in, out;
    if (in_embed) in.assign(in_embed, in_embed + rank);
    if (out_embed) out.assign(out_embed, out_embed + rank);
    return cufftMakePlanMany64(plan, rank, sizes.data(), in_embed ? in.data() : nullptr, in_stride, in_distance,
                               out_embed ? out.data() : nullptr, out_stride, out_distance, type, batch, work_bytes);
}
cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *work_bytes) {
    return cufftMakePlanMany(plan, 1, &nx, nullptr, 1, 0, nullptr, 1, 0, type, batch, work_bytes);
}
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *work_bytes) {
    int n[] = {nx, ny};
    return cufftMakePlanMany(plan, 2, n, nullptr, 1, 0, nullptr, 1, 0, type, 1, work_bytes);
}
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *work_bytes) {
    int n[] = {nx, ny, nz};
    return cufftMakePlanMany(plan, 3, n, nullptr, 1, 0, nullptr, 1, 0, type, 1, work_bytes);
}
cufftResult cufftPlanMany(cufftHandle *plan, int rank, int *n, int *in_embed, int in_stride, int in_distance,
                          int *out_embed, int out_stride, int out_distance, cufftType type, int batch) {
    cufftCreate(plan);
    return cufftMakePlanMany(*plan, rank, n, in_embed, in_stride, in_distance, out_embed, out_stride, out_distance,
                             type, batch, nullptr);
}
cufftResult cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch) {
    cufftCreate(plan);
    return cufftMakePlan1d(*plan, nx, type, batch, nullptr);
}
cufftResult cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type) {
    cufftCreate(plan);
    return cufftMakePlan2d(*plan, nx, ny, type, nullptr);
}
cufftResult cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz, cufftType type) {
    cufftCreate(plan);
    return cufftMakePlan3d(*plan, nx, ny, nz, type, nullptr);
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *in, cufftComplex *out, int direction) {
    return execute(plan, "cufftExecC2C", in, out, direction, CUFFT_C2C);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal *in, cufftComplex *out) {
    return execute(plan, "cufftExecR2C", in, out, CUFFT_FORWARD, CUFFT_R2C);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *in, cufftReal *out) {
    return execute(plan, "cufftExecC2R", in, out, CUFFT_INVERSE, CUFFT_C2R);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleComplex *out, int direction) {
    return execute(plan, "cufftExecZ2Z", in, out, direction, CUFFT_Z2Z);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *in, cufftDoubleComplex *out) {
    return execute(plan, "cufftExecD2Z", in, out, CUFFT_FORWARD, CUFFT_D2Z);
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleReal *out) {
    return execute(plan, "cufftExecZ2D", in, out, CUFFT_INVERSE, CUFFT_Z2D);
}

// ---------------------------------------------------------------- the extended interface

cufftResult cufftXtSetGPUs(cufftHandle plan, int count, int *gpus) {
    if (plan_of(plan) == nullptr) return CUFFT_INVALID_PLAN;
    return count == 1 && gpus[0] == 0 ? CUFFT_SUCCESS : CUFFT_INVALID_DEVICE;
}
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long *n, long long *in_embed, long long in_stride,
                                long long in_distance, cudaDataType in_type, long long *out_embed, long long out_stride,
                                long long out_distance, cudaDataType out_type, long long batch, size_t *work_bytes,
                                cudaDataType) {
    const int pair = in_type == CUDA_C_32F   ? out_type == CUDA_C_32F   ? CUFFT_C2C
                                               : out_type == CUDA_R_32F ? CUFFT_C2R
                                                                        : 0
                     : in_type == CUDA_C_64F ? out_type == CUDA_C_64F   ? CUFFT_Z2Z
                                               : out_type == CUDA_R_64F ? CUFFT_Z2D
                                                                        : 0
                     : in_type == CUDA_R_32F ? CUFFT_R2C
                     : in_type == CUDA_R_64F ? CUFFT_D2Z
                                             : 0;
    if (pair == 0) return CUFFT_NOT_IMPLEMENTED; // halves
    return cufftMakePlanMany64(plan, rank, n, in_embed, in_stride, in_distance, out_embed, out_stride, out_distance,
                               (cufftType)pair, batch, work_bytes);
}
cufftResult cufftXtExec(cufftHandle plan, void *in, void *out, int direction) {
    return execute(plan, "cufftXtExec", in, out, direction, 0);
}

cufftResult cufftXtMalloc(cufftHandle plan, cudaLibXtDesc **memory, cufftXtSubFormat format) {
    const Plan *p = plan_of(plan);
    if (p == nullptr) return CUFFT_INVALID_PLAN;
    const size_t bytes = std::max(Side(*p, false, true, nullptr).used(p->batch, false).bytes,
                                  Side(*p, true, true, nullptr).used(p->batch, true).bytes);
    cudaXtDesc *d = new cudaXtDesc{CUDA_XT_DESCRIPTOR_VERSION, 1, {0}, {nullptr}, {bytes}, nullptr};
    if (cudaMalloc(&d->data[0], bytes) != cudaSuccess) return delete d, CUFFT_ALLOC_FAILED;
    *memory = new cudaLibXtDesc{CUDA_XT_DESCRIPTOR_VERSION, d, LIB_FORMAT_CUFFT, format, nullptr};
    return CUFFT_SUCCESS;
}
cufftResult cufftXtFree(cudaLibXtDesc *memory) {
    cudaFree(memory->descriptor->data[0]);
    delete memory->descriptor;
    delete memory;
    return CUFFT_SUCCESS;
}
cufftResult cufftXtMemcpy(cufftHandle, void *to, void *from, cufftXtCopyType type) {
    const auto of = [](void *p) { return ((cudaLibXtDesc *)p)->descriptor; };
    const cudaError_t error =
        type == CUFFT_COPY_HOST_TO_DEVICE ? cudaMemcpy(of(to)->data[0], from, of(to)->size[0], cudaMemcpyHostToDevice)
        : type == CUFFT_COPY_DEVICE_TO_HOST
            ? cudaMemcpy(to, of(from)->data[0], of(from)->size[0], cudaMemcpyDeviceToHost)
            : cudaMemcpy(of(to)->data[0], of(from)->data[0], of(from)->size[0], cudaMemcpyDeviceToDevice);
    return error ? CUFFT_EXEC_FAILED : CUFFT_SUCCESS;
}
cufftResult cufftXtExecDescriptor(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out, int direction) {
    return execute(plan, "cufftXtExecDescriptor", in->descriptor->data[0], out->descriptor->data[0], direction, 0);
}
}
