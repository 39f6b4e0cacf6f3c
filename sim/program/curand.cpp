/* cuRAND: far jumps in XORWOW's sequence, and the host's generators. */
#include "curand_kernel.h"

#include <cmath>
#include <mutex>

#include "sim/internal.h"
#include "sim_library.h"

using namespace wl_sim;

namespace {

/* A step of XORWOW's five words is a linear map of 160 bits: column i is where bit i goes. */
struct Map {
    unsigned column[160][5];
};

void apply(const Map &map, unsigned v[5]) {
    unsigned to[5] = {0};
    for (int i = 0; i < 160; i++)
        if (v[i / 32] >> i % 32 & 1)
            for (int w = 0; w < 5; w++) to[w] ^= map.column[i][w];
    for (int w = 0; w < 5; w++) v[w] = to[w];
}

Map step(void) {
    Map map;
    for (int i = 0; i < 160; i++) {
        curandStateXORWOW_t state = {};
        state.v[i / 32] = 1u << i % 32;
        curand(&state);
        for (int w = 0; w < 5; w++) map.column[i][w] = state.v[w];
    }
    return map;
}

constexpr int SUBSEQUENCE = 67; // of 2^67 numbers

/* 2^power steps, for powers up to 67 + 63; each is made of the one before when somebody first asks for it. */
const Map &jump(size_t power) {
    static std::vector<Map> made;
    static std::mutex mutex;
    std::lock_guard<std::mutex> guard(mutex);
    if (made.empty()) {
        made.reserve(SUBSEQUENCE + 64);
        made.push_back(step());
    }
    while (made.size() <= power) {
        const Map &before = made.back();
        Map twice = before;
        for (auto &column : twice.column) apply(before, column);
        made.push_back(twice);
    }
    return made[power];
}

} // namespace

extern "C" void wl_sim_xorwow_skip(unsigned v[5], unsigned long long count, int subsequences) {
    for (size_t bit = 0; count >> bit; bit++) {
        if (count >> bit & 1) apply(jump(bit + (subsequences ? SUBSEQUENCE : 0)), v);
        if (bit == 63) break;
    }
}

/* Number n comes from subsequence n % 4096, so that a GPU's threads fill an array together. Normal numbers come in pairs. */
struct curandGenerator_st {
    static constexpr size_t LANES = 4096;
    bool host;
    cudaStream_t stream;
    unsigned long long seed, offset;
    std::vector<curandStateXORWOW_t> lanes; // empty: to be made of seed and offset
};

namespace {

void begin_lanes(curandGenerator_st *g) {
    g->lanes.resize(g->LANES);
    curand_init(g->seed, 0, 0, &g->lanes[0]);
    for (size_t i = 1; i < g->LANES; i++) {
        g->lanes[i] = g->lanes[i - 1];
        apply(jump(SUBSEQUENCE), g->lanes[i].v);
    }
    const unsigned long long each = g->offset / g->LANES, rest = g->offset % g->LANES;
    for (size_t i = 0; i < g->LANES && g->offset; i++) skipahead(each + (i < rest), &g->lanes[i]);
}

template <typename T, typename NEXT>
curandStatus_t fill(curandGenerator_t g, const char *what, T *to, size_t count, NEXT next, size_t at_once) {
    if (g == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    if (count % at_once != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    // The node goes on with the generator's numbers each time that it is run.
    if (!g->host && wl_becomes_node(g->stream, [=](cudaStream_t stream) {
            const cudaStream_t own = std::exchange(g->stream, stream);
            fill(g, what, to, count, next, at_once);
            g->stream = own;
        }))
        return CURAND_STATUS_SUCCESS;
    const wl_use all = wl_used(to, count, true);
    if (!g->host && !wl_library_call(what, g->stream, &all, 1)) return CURAND_STATUS_LAUNCH_FAILURE;
    if (g->lanes.empty()) begin_lanes(g);
    const DeviceWindow window;
    for (size_t i = 0; i < count; i += at_once) next(&g->lanes[(g->offset + i / at_once) % g->LANES], to + i);
    g->offset = (g->offset + count / at_once) % g->LANES;
    return CURAND_STATUS_SUCCESS;
}

template <typename T, typename PAIR>
curandStatus_t fill_normal(curandGenerator_t g, const char *what, T *to, size_t count, T mean, T deviation,
                           PAIR (*next)(curandStateXORWOW_t *)) {
    return fill(
        g, what, to, count,
        [=](curandStateXORWOW_t *s, T *at) {
            const PAIR two = next(s);
            at[0] = mean + deviation * two.x;
            at[1] = mean + deviation * two.y;
        },
        2);
}

curandStatus_t create(curandGenerator_t *generator, curandRngType_t type, bool host) {
    if (type != CURAND_RNG_PSEUDO_DEFAULT && type != CURAND_RNG_PSEUDO_XORWOW) return CURAND_STATUS_TYPE_ERROR;
    *generator = new curandGenerator_st{host, nullptr, 0, 0, {}};
    return CURAND_STATUS_SUCCESS;
}

} // namespace

extern "C" {

curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type) {
    return create(generator, type, false);
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type) {
    return create(generator, type, true);
}
curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
    delete generator;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
    generator->seed = seed;
    generator->lanes.clear();
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
    generator->offset = offset;
    generator->lanes.clear();
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
    generator->stream = stream;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGenerate(curandGenerator_t g, unsigned *to, size_t count) {
    return fill(
        g, "curandGenerate", to, count, [](curandStateXORWOW_t *s, unsigned *at) { *at = curand(s); }, 1);
}
curandStatus_t curandGenerateUniform(curandGenerator_t g, float *to, size_t count) {
    return fill(
        g, "curandGenerateUniform", to, count, [](curandStateXORWOW_t *s, float *at) { *at = curand_uniform(s); }, 1);
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double *to, size_t count) {
    return fill(
        g, "curandGenerateUniformDouble", to, count,
        [](curandStateXORWOW_t *s, double *at) { *at = curand_uniform_double(s); }, 1);
}
curandStatus_t curandGenerateNormal(curandGenerator_t g, float *to, size_t count, float mean, float deviation) {
    return fill_normal(g, "curandGenerateNormal", to, count, mean, deviation, curand_normal2<curandStateXORWOW_t>);
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double *to, size_t count, double mean,
                                          double deviation) {
    return fill_normal(g, "curandGenerateNormalDouble", to, count, mean, deviation,
                       curand_normal2_double<curandStateXORWOW_t>);
}
}
