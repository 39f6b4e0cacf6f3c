/* Thrust's random numbers: the same sequences as Thrust's own. */
#pragma once

#include <cstdint>

namespace thrust {
namespace random {

template <typename T, T A, T C, T M> class linear_congruential_engine {
    static_assert(C == 0 && M > 0 && sizeof(T) == 4, "of those that Thrust names");
    T state;

  public:
    typedef T result_type;
    static const result_type min = 1, max = M - 1;
    static const result_type default_seed = 1;
    explicit linear_congruential_engine(result_type s = default_seed) { seed(s); }
    void seed(result_type s = default_seed) { state = s % M == 0 ? 1 : s % M; }
    result_type operator()() { return state = (T)((uint64_t)state * A % M); }
    void discard(unsigned long long count) {
        for (uint64_t factor = A; count > 0; count /= 2, factor = factor * factor % M)
            if (count % 2) state = (T)(state * factor % M);
    }
    bool operator==(const linear_congruential_engine &o) const { return state == o.state; }
    bool operator!=(const linear_congruential_engine &o) const { return state != o.state; }
};
typedef linear_congruential_engine<uint32_t, 16807, 0, 2147483647> minstd_rand0;
typedef linear_congruential_engine<uint32_t, 48271, 0, 2147483647> minstd_rand;
typedef minstd_rand default_random_engine;

/* What the distributions have in common: two parameters. */
template <typename T> class wl_distribution {
  protected:
    T first, second;

  public:
    typedef T result_type;
    typedef std::pair<T, T> param_type;
    wl_distribution(T first, T second) : first(first), second(second) {}
    void reset() {}
    param_type param() const { return {first, second}; }
    void param(const param_type &p) { first = p.first, second = p.second; }
    T a() const { return first; }
    T b() const { return second; }
};
template <typename T = double> struct uniform_real_distribution : wl_distribution<T> {
    explicit uniform_real_distribution(T a = 0, T b = 1) : wl_distribution<T>(a, b) {}
    template <typename E> T operator()(E &engine) { return (*this)(engine, this->param()); }
    template <typename E> T operator()(E &engine, const typename wl_distribution<T>::param_type &p) {
        T x = (T)(engine() - E::min);
        x /= (T)1 + (T)(E::max - E::min);
        return x * (p.second - p.first) + p.first;
    }
};
template <typename T = int> struct uniform_int_distribution : wl_distribution<T> {
    explicit uniform_int_distribution(T a = 0, T b = std::numeric_limits<T>::max()) : wl_distribution<T>(a, b) {}
    template <typename E> T operator()(E &engine) { return (*this)(engine, this->param()); }
    template <typename E> T operator()(E &engine, const typename wl_distribution<T>::param_type &p) {
        return (T)uniform_real_distribution<double>((double)p.first, (double)p.second + 1)(engine);
    }
};
template <typename T = double> struct normal_distribution : wl_distribution<T> {
    explicit normal_distribution(T mean = 0, T deviation = 1) : wl_distribution<T>(mean, deviation) {}
    T mean() const { return this->first; }
    T stddev() const { return this->second; }
    template <typename E> T operator()(E &engine) { return (*this)(engine, this->param()); }
    template <typename E> T operator()(E &engine, const typename wl_distribution<T>::param_type &p) {
        typedef typename E::result_type U;
        constexpr U range = E::max - E::min;
        constexpr T scale = (T)(1. / (double)range);
        T factor = (T)-1.4142135623730950488016887242097;
        U u = engine() - E::min;
        if (u > range / 2) u = range - u, factor = -factor;
        const T x = (T)u * scale + scale / 2;
        return p.first + p.second * factor * (T)::erfcinv(2 * x);
    }
};

} // namespace random
using namespace random;
} // namespace thrust
