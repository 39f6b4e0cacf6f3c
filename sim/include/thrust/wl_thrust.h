/* The simulated device's stand-in for Thrust: vectors of device memory, iterators and algorithms, which run on the host in the order of the
   sequential ones. */
#pragma once

#include <algorithm>
#include <functional>
#include <iostream>
#include <iterator>
#include <limits>
#include <numeric>
#include <complex>
#include <system_error>
#include <tuple>
#include <vector>

#include "cuda/std/wl_std"
#include "sim_library.h"

WL_ANY_CODE

#define THRUST_VERSION 300000

namespace thrust {

using std::abs;
using std::arg;
using std::complex;
using std::conj;
using std::cos;
using std::exp;
using std::get;
using std::log;
using std::make_pair;
using std::make_tuple;
using std::norm;
using std::pair;
using std::polar;
using std::pow;
using std::sin;
using std::sqrt;
using std::swap;
using std::tie;
using std::tuple;
using std::tuple_element;
using std::tuple_size;

using std::bit_and;
using std::bit_or;
using std::bit_xor;
using std::divides;
using std::equal_to;
using std::greater;
using std::greater_equal;
using std::less;
using std::less_equal;
using std::logical_and;
using std::logical_not;
using std::logical_or;
using std::minus;
using std::modulus;
using std::multiplies;
using std::negate;
using std::not_equal_to;
using std::plus;
template <typename T = void> struct maximum {
    T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
template <typename T = void> struct minimum {
    T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
template <typename T = void> struct identity {
    const T &operator()(const T &x) const { return x; }
};
template <typename T> struct square {
    T operator()(const T &x) const { return x * x; }
};
template <typename A, typename R> struct unary_function {
    typedef A argument_type;
    typedef R result_type;
};
template <typename A, typename B, typename R> struct binary_function {
    typedef A first_argument_type;
    typedef B second_argument_type;
    typedef R result_type;
};

// ---------------------------------------------------------------- where to compute

struct wl_policy {
    cudaStream_t stream;
    wl_policy on(cudaStream_t s) const { return {s}; }
    template <typename A> wl_policy operator()(const A &) const { return *this; } // an allocator
};
static const wl_policy device = {nullptr}, host = {nullptr}, seq = {nullptr};
namespace cuda {
static const wl_policy par = {nullptr}, par_nosync = {nullptr};
}
namespace omp {
static const wl_policy par = {nullptr};
}
namespace cpp {
static const wl_policy par = {nullptr};
}
namespace system {
namespace cuda {
using thrust::cuda::par;
}
} // namespace system
inline const std::error_category &cuda_category() { return std::generic_category(); }
using std::system_error;
namespace system {
using std::error_code;
using std::system_error;
} // namespace system

/* An algorithm is on its way: what kernels have been queued before is over, and host code may read the result when it returns. */
struct wl_computing {
    wl_sim::wl_in_stream scope;
    explicit wl_computing(const wl_policy &policy = {nullptr}) { wl_sim::wl_begin_computing("Thrust", policy.stream); }
};

// ---------------------------------------------------------------- pointers and vectors

template <typename T> class device_ptr {
    T *p;

  public:
    typedef std::remove_const_t<T> value_type;
    typedef T element_type;
    typedef T &reference;
    typedef device_ptr pointer;
    typedef std::ptrdiff_t difference_type;
    typedef std::random_access_iterator_tag iterator_category;
    device_ptr(T *p = nullptr) : p(p) {}
    template <typename U, typename = std::enable_if_t<std::is_convertible<U *, T *>::value>>
    device_ptr(const device_ptr<U> &o) : p(o.get()) {}
    T *get() const { return p; }
    T &operator*() const { return (*this)[0]; }
    T *operator->() const { return p; }
    T &operator[](difference_type i) const { return wl_sim::wl_host_element(p + i, sizeof(T)), p[i]; }
    device_ptr &operator++() { return ++p, *this; }
    device_ptr &operator--() { return --p, *this; }
    device_ptr operator++(int) { return p++; }
    device_ptr operator--(int) { return p--; }
    device_ptr &operator+=(difference_type n) { return p += n, *this; }
    device_ptr &operator-=(difference_type n) { return p -= n, *this; }
    device_ptr operator+(difference_type n) const { return p + n; }
    device_ptr operator-(difference_type n) const { return p - n; }
    friend device_ptr operator+(difference_type n, device_ptr a) { return a + n; }
    template <typename U> difference_type operator-(const device_ptr<U> &o) const { return p - o.get(); }
    template <typename U> bool operator==(const device_ptr<U> &o) const { return p == o.get(); }
    template <typename U> bool operator!=(const device_ptr<U> &o) const { return p != o.get(); }
    template <typename U> bool operator<(const device_ptr<U> &o) const { return p < o.get(); }
    template <typename U> bool operator>(const device_ptr<U> &o) const { return p > o.get(); }
    template <typename U> bool operator<=(const device_ptr<U> &o) const { return p <= o.get(); }
    template <typename U> bool operator>=(const device_ptr<U> &o) const { return p >= o.get(); }
    explicit operator bool() const { return p != nullptr; }
};
template <typename T> using device_reference = T &;
template <typename T> T *raw_pointer_cast(T *p) { return p; }
template <typename T> T *raw_pointer_cast(const device_ptr<T> &p) { return p.get(); }
template <typename T> T &raw_reference_cast(T &x) { return x; }
template <typename T> device_ptr<T> device_pointer_cast(T *p) { return p; }
template <typename T> device_ptr<T> device_pointer_cast(const device_ptr<T> &p) { return p; }
template <typename T> device_ptr<T> device_malloc(size_t n) {
    T *p = nullptr;
    cudaMalloc(&p, n * sizeof(T));
    return p;
}
template <typename T> void device_free(device_ptr<T> p) { cudaFree((void *)p.get()); }

/* A vector's memory is the device's, whichever allocator its type names. */
template <typename T> struct device_allocator { typedef T value_type; };
template <typename T, typename A = device_allocator<T>> class device_vector {
    T *memory = nullptr;
    size_t count = 0, room = 0;

    void reserve_exactly(size_t n) {
        T *now = nullptr;
        if (n > 0 && cudaMalloc(&now, n * sizeof(T)) != cudaSuccess) throw std::bad_alloc();
        wl_computing computing;
        for (size_t i = 0; i < count; i++) now[i] = memory[i];
        cudaFree(memory);
        memory = now;
        room = n;
    }

  public:
    typedef T value_type;
    typedef T &reference;
    typedef const T &const_reference;
    typedef device_ptr<T> iterator, pointer;
    typedef device_ptr<const T> const_iterator, const_pointer;
    typedef size_t size_type;
    typedef std::ptrdiff_t difference_type;
    device_vector() = default;
    explicit device_vector(size_t n, const T &value = T()) { resize(n, value); }
    device_vector(const device_vector &o) { assign(o.begin(), o.end()); }
    device_vector(device_vector &&o) noexcept { swap(o); }
    template <typename U, typename B> device_vector(const device_vector<U, B> &o) { assign(o.begin(), o.end()); }
    template <typename U, typename B> device_vector(const std::vector<U, B> &o) { assign(o.begin(), o.end()); }
    device_vector(std::initializer_list<T> l) { assign(l.begin(), l.end()); }
    template <typename I, typename = typename std::iterator_traits<I>::iterator_category>
    device_vector(I first, I last) {
        assign(first, last);
    }
    ~device_vector() { cudaFree(memory); }
    device_vector &operator=(const device_vector &o) {
        if (this != &o) assign(o.begin(), o.end());
        return *this;
    }
    device_vector &operator=(device_vector &&o) noexcept { return swap(o), *this; }
    template <typename U, typename B> device_vector &operator=(const device_vector<U, B> &o) {
        return assign(o.begin(), o.end()), *this;
    }
    template <typename U, typename B> device_vector &operator=(const std::vector<U, B> &o) {
        return assign(o.begin(), o.end()), *this;
    }
    device_vector &operator=(std::initializer_list<T> l) { return assign(l.begin(), l.end()), *this; }
    template <typename I, typename = typename std::iterator_traits<I>::iterator_category> void assign(I first, I last) {
        const size_t n = (size_t)std::distance(first, last);
        if (n > room) count = 0, reserve_exactly(n);
        wl_computing computing;
        std::copy(first, last, memory);
        count = n;
    }
    void assign(size_t n, const T &value) { clear(), resize(n, value); }
    void swap(device_vector &o) { std::swap(memory, o.memory), std::swap(count, o.count), std::swap(room, o.room); }
    size_t size() const { return count; }
    size_t capacity() const { return room; }
    bool empty() const { return count == 0; }
    void clear() { count = 0; }
    void reserve(size_t n) {
        if (n > room) reserve_exactly(n);
    }
    void shrink_to_fit() { reserve_exactly(count); }
    void resize(size_t n, const T &value = T()) {
        reserve(n);
        wl_computing computing;
        for (size_t i = count; i < n; i++) memory[i] = value;
        count = n;
    }
    void push_back(const T &value) {
        if (count == room) reserve_exactly(room ? 2 * room : 8);
        wl_computing computing;
        memory[count++] = value;
    }
    void pop_back() { count--; }
    template <typename I, typename = typename std::iterator_traits<I>::iterator_category>
    iterator insert(iterator at, I first, I last) {
        const size_t place = (size_t)(at - begin()), more = (size_t)std::distance(first, last);
        const std::vector<T> values(first, last); // they may be of this vector
        resize(count + more);
        wl_computing computing;
        std::copy_backward(memory + place, memory + count - more, memory + count);
        std::copy(values.begin(), values.end(), memory + place);
        return begin() + (difference_type)place;
    }
    iterator insert(iterator at, size_t n, const T &value) {
        const std::vector<T> values(n, value);
        return insert(at, values.begin(), values.end());
    }
    iterator insert(iterator at, const T &value) { return insert(at, (size_t)1, value); }
    iterator erase(iterator first, iterator last) {
        wl_computing computing;
        std::copy(last.get(), memory + count, first.get());
        count -= (size_t)(last - first);
        return first;
    }
    iterator erase(iterator at) { return erase(at, at + 1); }
    iterator begin() { return memory; }
    iterator end() { return memory + count; }
    const_iterator begin() const { return memory; }
    const_iterator end() const { return memory + count; }
    const_iterator cbegin() const { return memory; }
    const_iterator cend() const { return memory + count; }
    auto rbegin() { return std::make_reverse_iterator(end()); }
    auto rend() { return std::make_reverse_iterator(begin()); }
    pointer data() { return memory; }
    const_pointer data() const { return memory; }
    T &operator[](size_t i) {
        wl_computing();
        return begin()[i];
    }
    const T &operator[](size_t i) const {
        wl_computing();
        return begin()[i];
    }
    T &front() { return (*this)[0]; }
    T &back() { return (*this)[count - 1]; }
    operator std::vector<T>() const {
        wl_computing computing;
        return std::vector<T>(memory, memory + count);
    }
};
template <typename T, typename A = std::allocator<T>> class host_vector : public std::vector<T, A> {
  public:
    using std::vector<T, A>::vector;
    host_vector() = default;
    template <typename I, typename = typename std::iterator_traits<I>::iterator_category> host_vector(I first, I last) {
        wl_computing computing;
        std::vector<T, A>::assign(first, last);
    }
    host_vector(const std::vector<T, A> &o) : std::vector<T, A>(o) {}
    template <typename U, typename B> host_vector(const device_vector<U, B> &o) : host_vector(o.begin(), o.end()) {}
    template <typename U, typename B> host_vector &operator=(const device_vector<U, B> &o) {
        return *this = host_vector(o);
    }
};
template <typename T, typename A, typename B>
bool operator==(const device_vector<T, A> &a, const device_vector<T, B> &b) {
    wl_computing computing;
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}
template <typename T, typename A, typename B>
bool operator!=(const device_vector<T, A> &a, const device_vector<T, B> &b) {
    return !(a == b);
}
template <typename T, typename A, typename B>
bool operator==(const host_vector<T, A> &a, const device_vector<T, B> &b) {
    wl_computing computing;
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}
template <typename T, typename A, typename B>
bool operator==(const device_vector<T, A> &a, const host_vector<T, B> &b) {
    return b == a;
}
template <typename T> using universal_vector = device_vector<T>;
template <typename T> using universal_host_pinned_vector = device_vector<T>;
template <typename T> using universal_ptr = device_ptr<T>;
template <typename T> device_ptr<T> device_new(size_t n = 1) {
    const device_ptr<T> p = device_malloc<T>(n);
    wl_computing computing;
    for (size_t i = 0; i < n; i++) new (p.get() + i) T();
    return p;
}
template <typename T> void device_delete(device_ptr<T> p, size_t = 1) { device_free(p); }

// ---------------------------------------------------------------- iterators that compute

template <typename Self, typename Value, typename Reference> class wl_iterator {
    Self &self() { return *static_cast<Self *>(this); }
    const Self &self() const { return *static_cast<const Self *>(this); }

  public:
    typedef Value value_type;
    typedef Reference reference;
    typedef void pointer;
    typedef std::ptrdiff_t difference_type;
    typedef std::random_access_iterator_tag iterator_category;
    Reference operator*() const { return self().at(0); }
    Reference operator[](difference_type i) const { return self().at(i); }
    Self &operator++() { return self().move(1), self(); }
    Self &operator--() { return self().move(-1), self(); }
    Self operator++(int) {
        Self before = self();
        return self().move(1), before;
    }
    Self operator--(int) {
        Self before = self();
        return self().move(-1), before;
    }
    Self &operator+=(difference_type n) { return self().move(n), self(); }
    Self &operator-=(difference_type n) { return self().move(-n), self(); }
    Self operator+(difference_type n) const {
        Self next = self();
        return next.move(n), next;
    }
    Self operator-(difference_type n) const {
        Self next = self();
        return next.move(-n), next;
    }
    friend Self operator+(difference_type n, const Self &a) { return a + n; }
    difference_type operator-(const Self &o) const { return self().from(o); }
    bool operator==(const Self &o) const { return self().from(o) == 0; }
    bool operator!=(const Self &o) const { return self().from(o) != 0; }
    bool operator<(const Self &o) const { return self().from(o) < 0; }
    bool operator>(const Self &o) const { return self().from(o) > 0; }
    bool operator<=(const Self &o) const { return self().from(o) <= 0; }
    bool operator>=(const Self &o) const { return self().from(o) >= 0; }
};
template <typename T> struct counting_iterator : wl_iterator<counting_iterator<T>, T, T> {
    T value;
    explicit counting_iterator(T value = T()) : value(value) {}
    T at(std::ptrdiff_t i) const { return (T)(value + (T)i); }
    void move(std::ptrdiff_t n) { value = (T)(value + (T)n); }
    std::ptrdiff_t from(const counting_iterator &o) const { return (std::ptrdiff_t)(value - o.value); }
};
template <typename T> counting_iterator<T> make_counting_iterator(T value) { return counting_iterator<T>(value); }
template <typename T> struct constant_iterator : wl_iterator<constant_iterator<T>, T, T> {
    T value;
    std::ptrdiff_t place;
    explicit constant_iterator(T value, std::ptrdiff_t place = 0) : value(value), place(place) {}
    T at(std::ptrdiff_t) const { return value; }
    void move(std::ptrdiff_t n) { place += n; }
    std::ptrdiff_t from(const constant_iterator &o) const { return place - o.place; }
};
template <typename T> constant_iterator<T> make_constant_iterator(T value) { return constant_iterator<T>(value); }
template <typename F, typename I, typename R = void, typename V = void>
struct transform_iterator
    : wl_iterator<transform_iterator<F, I, R, V>, std::decay_t<decltype(std::declval<F>()(*std::declval<I>()))>,
                  std::decay_t<decltype(std::declval<F>()(*std::declval<I>()))>> {
    I base;
    F function;
    transform_iterator(I base, F function) : base(base), function(function) {}
    transform_iterator &operator=(const transform_iterator &o) { // a lambda is not assigned
        base = o.base;
        return *this;
    }
    transform_iterator(const transform_iterator &) = default;
    auto at(std::ptrdiff_t i) const -> std::decay_t<decltype(std::declval<F>()(*std::declval<I>()))> {
        F f = function;
        return f(base[i]);
    }
    void move(std::ptrdiff_t n) { base += n; }
    std::ptrdiff_t from(const transform_iterator &o) const { return base - o.base; }
};
template <typename I, typename F> transform_iterator<F, I> make_transform_iterator(I base, F function) {
    return {base, function};
}
template <typename E, typename I>
struct permutation_iterator : wl_iterator<permutation_iterator<E, I>, typename std::iterator_traits<E>::value_type,
                                          decltype(*std::declval<E>())> {
    E elements;
    I index;
    permutation_iterator(E elements, I index) : elements(elements), index(index) {}
    decltype(*std::declval<E>()) at(std::ptrdiff_t i) const { return elements[index[i]]; }
    void move(std::ptrdiff_t n) { index += n; }
    std::ptrdiff_t from(const permutation_iterator &o) const { return index - o.index; }
};
template <typename E, typename I> permutation_iterator<E, I> make_permutation_iterator(E elements, I index) {
    return {elements, index};
}
template <typename Tuple> struct zip_iterator;
template <typename... I>
struct zip_iterator<std::tuple<I...>>
    : wl_iterator<zip_iterator<std::tuple<I...>>, std::tuple<typename std::iterator_traits<I>::value_type...>,
                  std::tuple<decltype(*std::declval<I>())...>> {
    std::tuple<I...> all;
    explicit zip_iterator(std::tuple<I...> all) : all(all) {}
    std::tuple<decltype(*std::declval<I>())...> at(std::ptrdiff_t n) const {
        return std::apply([n](const I &...each) { return std::tuple<decltype(*each)...>(each[n]...); }, all);
    }
    void move(std::ptrdiff_t n) {
        std::apply([n](I &...each) { ((each += n), ...); }, all);
    }
    std::ptrdiff_t from(const zip_iterator &o) const { return std::get<0>(all) - std::get<0>(o.all); }
};
template <typename... I> zip_iterator<std::tuple<I...>> make_zip_iterator(std::tuple<I...> all) {
    return zip_iterator<std::tuple<I...>>(all);
}
template <typename A, typename... I, typename = typename std::iterator_traits<A>::iterator_category>
auto make_zip_iterator(A first, I... rest) {
    return make_zip_iterator(std::make_tuple(first, rest...));
}
struct wl_nothing {
    template <typename T> const wl_nothing &operator=(const T &) const { return *this; }
};
template <typename = void> struct discard_iterator : wl_iterator<discard_iterator<>, wl_nothing, wl_nothing> {
    std::ptrdiff_t place = 0;
    wl_nothing at(std::ptrdiff_t) const { return {}; }
    void move(std::ptrdiff_t n) { place += n; }
    std::ptrdiff_t from(const discard_iterator &o) const { return place - o.place; }
};
inline discard_iterator<> make_discard_iterator() { return {}; }
template <typename I> auto make_reverse_iterator(I i) { return std::make_reverse_iterator(i); }
template <typename I> auto distance(I a, I b) { return b - a; }
template <typename I, typename N> void advance(I &i, N n) { i += n; }

// ---------------------------------------------------------------- algorithms

/* Each with a policy before the iterators, or without. */
#define WL_THRUST(name)                                                                          \
    template <typename... A> auto name(const wl_policy &policy, A &&...values) {                 \
        wl_computing computing(policy);                                                          \
        return wl_##name(std::forward<A>(values)...);                                            \
    }                                                                                            \
    template <typename First, typename... A,                                                     \
              typename = std::enable_if_t<!std::is_same<std::decay_t<First>, wl_policy>::value>> \
    auto name(First &&first, A &&...values) {                                                    \
        wl_computing computing;                                                                  \
        return wl_##name(std::forward<First>(first), std::forward<A>(values)...);                \
    }
#define WL_AS_STD(name)                                                                                      \
    template <typename... A> auto wl_##name(A &&...values) { return std::name(std::forward<A>(values)...); } \
    WL_THRUST(name)
#define WL_AS_STD_VOID(name) WL_AS_STD(name)
WL_AS_STD(for_each)
WL_AS_STD(for_each_n)
WL_AS_STD(copy)
WL_AS_STD(copy_n)
WL_AS_STD(fill)
WL_AS_STD(fill_n)
WL_AS_STD(generate)
WL_AS_STD(replace)
WL_AS_STD(reverse)
WL_AS_STD(reverse_copy)
WL_AS_STD(sort)
WL_AS_STD(stable_sort)
WL_AS_STD(is_sorted)
WL_AS_STD(unique)
WL_AS_STD(unique_copy)
WL_AS_STD(remove)
WL_AS_STD(count)
WL_AS_STD(count_if)
WL_AS_STD(find)
WL_AS_STD(find_if)
WL_AS_STD(equal)
WL_AS_STD(mismatch)
WL_AS_STD(any_of)
WL_AS_STD(all_of)
WL_AS_STD(none_of)
WL_AS_STD(min_element)
WL_AS_STD(max_element)
WL_AS_STD(minmax_element)
WL_AS_STD(adjacent_difference)
WL_AS_STD(swap_ranges)
WL_AS_STD(merge)
WL_AS_STD(set_union)
WL_AS_STD(set_intersection)
WL_AS_STD(set_difference)
WL_AS_STD(set_symmetric_difference)
WL_AS_STD(remove_copy)
WL_AS_STD(replace_copy)
WL_AS_STD(replace_copy_if)
WL_AS_STD(partition_copy)
WL_AS_STD(partition_point)
WL_AS_STD(is_partitioned)
WL_AS_STD(is_sorted_until)
WL_AS_STD(find_if_not)
WL_AS_STD(generate_n)
WL_AS_STD(uninitialized_copy)
WL_AS_STD(uninitialized_copy_n)
WL_AS_STD(uninitialized_fill)
WL_AS_STD(uninitialized_fill_n)
WL_AS_STD(equal_range)
WL_AS_STD(shuffle)

/* Elements are chosen by what they are, or by what stands at the same place in a second range, the stencil. */
template <typename I, typename O, typename P> O wl_copy_if(I first, I last, O out, P p) {
    return std::copy_if(first, last, out, p);
}
template <typename I, typename S, typename O, typename P> O wl_copy_if(I first, I last, S stencil, O out, P p) {
    for (; first != last; ++first, ++stencil)
        if (p(*stencil)) *out = *first, ++out;
    return out;
}
WL_THRUST(copy_if)
template <typename I, typename O, typename P> O wl_remove_copy_if(I first, I last, O out, P p) {
    return std::remove_copy_if(first, last, out, p);
}
template <typename I, typename S, typename O, typename P> O wl_remove_copy_if(I first, I last, S stencil, O out, P p) {
    return wl_copy_if(first, last, stencil, out, [&](const auto &x) { return !p(x); });
}
WL_THRUST(remove_copy_if)
template <typename I, typename P> I wl_remove_if(I first, I last, P p) { return std::remove_if(first, last, p); }
template <typename I, typename S, typename P> I wl_remove_if(I first, I last, S stencil, P p) {
    return wl_remove_copy_if(first, last, stencil, first, p);
}
WL_THRUST(remove_if)
template <typename I, typename P, typename T> void wl_replace_if(I first, I last, P p, const T &value) {
    std::replace_if(first, last, p, value);
}
template <typename I, typename S, typename P, typename T>
void wl_replace_if(I first, I last, S stencil, P p, const T &value) {
    for (; first != last; ++first, ++stencil)
        if (p(*stencil)) *first = value;
}
WL_THRUST(replace_if)
template <typename I, typename P> I wl_stable_partition(I first, I last, P p) {
    return std::stable_partition(first, last, p);
}
template <typename I, typename S, typename P> I wl_stable_partition(I first, I last, S stencil, P p) {
    std::vector<typename std::iterator_traits<I>::value_type> chosen, others;
    for (I i = first; i != last; ++i, ++stencil) (p(*stencil) ? chosen : others).push_back(*i);
    return std::copy(others.begin(), others.end(), std::copy(chosen.begin(), chosen.end(), first)) -
           (std::ptrdiff_t)others.size();
}
template <typename... A> auto wl_partition(A &&...values) { return wl_stable_partition(std::forward<A>(values)...); }
WL_THRUST(stable_partition)
WL_THRUST(partition)

template <typename I, typename O, typename F> O wl_transform(I first, I last, O out, F f) {
    return std::transform(first, last, out, f);
}
template <typename I, typename J, typename O, typename F> O wl_transform(I first, I last, J second, O out, F f) {
    return std::transform(first, last, second, out, f);
}
WL_THRUST(transform)
template <typename I, typename O, typename F, typename P> O wl_transform_if(I first, I last, O out, F f, P p) {
    for (; first != last; ++first, ++out)
        if (p(*first)) *out = f(*first);
    return out;
}
template <typename I, typename S, typename O, typename F, typename P>
O wl_transform_if(I first, I last, S stencil, O out, F f, P p) {
    for (; first != last; ++first, ++stencil, ++out)
        if (p(*stencil)) *out = f(*first);
    return out;
}
template <typename I, typename J, typename S, typename O, typename F, typename P>
O wl_transform_if(I first, I last, J second, S stencil, O out, F f, P p) {
    for (; first != last; ++first, ++second, ++stencil, ++out)
        if (p(*stencil)) *out = f(*first, *second);
    return out;
}
WL_THRUST(transform_if)
template <typename I, typename T, typename Op> T wl_reduce(I first, I last, T value, Op op) {
    for (; first != last; ++first) value = op(value, *first);
    return value;
}
template <typename I, typename T> T wl_reduce(I first, I last, T value) {
    return wl_reduce(first, last, value, std::plus<T>());
}
template <typename I> auto wl_reduce(I first, I last) {
    return wl_reduce(first, last, typename std::iterator_traits<I>::value_type());
}
WL_THRUST(reduce)
template <typename I, typename F, typename T, typename Op> T wl_transform_reduce(I first, I last, F f, T value, Op op) {
    for (; first != last; ++first) value = op(value, f(*first));
    return value;
}
WL_THRUST(transform_reduce)
template <typename I, typename J, typename T, typename P, typename M>
T wl_inner_product(I first, I last, J second, T value, P plus, M times) {
    for (; first != last; ++first, ++second) value = plus(value, times(*first, *second));
    return value;
}
template <typename I, typename J, typename T> T wl_inner_product(I first, I last, J second, T value) {
    return wl_inner_product(first, last, second, value, std::plus<T>(), std::multiplies<T>());
}
WL_THRUST(inner_product)
template <typename I, typename O, typename Op> O wl_inclusive_scan(I first, I last, O out, Op op) {
    return std::partial_sum(first, last, out, op);
}
template <typename I, typename O> O wl_inclusive_scan(I first, I last, O out) {
    return std::partial_sum(first, last, out);
}
template <typename I, typename O, typename T, typename Op> O wl_inclusive_scan(I first, I last, O out, T value, Op op) {
    for (; first != last; ++first, ++out) *out = value = op(value, *first);
    return out;
}
WL_THRUST(inclusive_scan)
template <typename I, typename O, typename T, typename Op> O wl_exclusive_scan(I first, I last, O out, T value, Op op) {
    for (; first != last; ++first, ++out) {
        const T next = op(value, *first); // `out` may be `first`
        *out = value;
        value = next;
    }
    return out;
}
template <typename I, typename O, typename T> O wl_exclusive_scan(I first, I last, O out, T value) {
    return wl_exclusive_scan(first, last, out, value, std::plus<T>());
}
template <typename I, typename O> O wl_exclusive_scan(I first, I last, O out) {
    return wl_exclusive_scan(first, last, out, typename std::iterator_traits<I>::value_type());
}
WL_THRUST(exclusive_scan)
template <typename I, typename F, typename O, typename Op>
O wl_transform_inclusive_scan(I first, I last, O out, F f, Op op) {
    return std::partial_sum(make_transform_iterator(first, f), make_transform_iterator(last, f), out, op);
}
WL_THRUST(transform_inclusive_scan)
template <typename I, typename F, typename O, typename T, typename Op>
O wl_transform_exclusive_scan(I first, I last, O out, F f, T value, Op op) {
    return wl_exclusive_scan(make_transform_iterator(first, f), make_transform_iterator(last, f), out, value, op);
}
WL_THRUST(transform_exclusive_scan)
/* A scan of each run of equal keys. */
template <typename K, typename V, typename O, typename E = std::equal_to<>, typename Op = std::plus<>>
O wl_inclusive_scan_by_key(K first, K last, V values, O out, E equal = E(), Op op = Op()) {
    typename std::iterator_traits<V>::value_type sum{};
    for (K k = first; k != last; ++k, ++values, ++out) {
        sum = k != first && equal(*std::prev(k), *k) ? op(sum, *values) : *values;
        *out = sum;
    }
    return out;
}
WL_THRUST(inclusive_scan_by_key)
template <typename K, typename V, typename O, typename T = typename std::iterator_traits<V>::value_type,
          typename E = std::equal_to<>, typename Op = std::plus<>>
O wl_exclusive_scan_by_key(K first, K last, V values, O out, T begin = T(), E equal = E(), Op op = Op()) {
    T sum = begin;
    for (K k = first; k != last; ++k, ++values, ++out) {
        if (k != first && !equal(*std::prev(k), *k)) sum = begin;
        const T next = op(sum, *values); // `out` may be `values`
        *out = sum;
        sum = next;
    }
    return out;
}
WL_THRUST(exclusive_scan_by_key)
template <typename I, typename T = typename std::iterator_traits<I>::value_type>
void wl_sequence(I first, I last, T value = T(), T step = 1) {
    for (; first != last; ++first, value = (T)(value + step)) *first = value;
}
WL_THRUST(sequence)
template <typename I, typename F> void wl_tabulate(I first, I last, F f) {
    for (I i = first; i != last; ++i) *i = f(i - first);
}
WL_THRUST(tabulate)
template <typename M, typename I, typename O> O wl_gather(M first, M last, I in, O out) {
    for (; first != last; ++first, ++out) *out = in[*first];
    return out;
}
WL_THRUST(gather)
template <typename I, typename M, typename O> void wl_scatter(I first, I last, M map, O out) {
    for (; first != last; ++first, ++map) out[*map] = *first;
}
WL_THRUST(scatter)
template <typename M, typename S, typename I, typename O, typename P>
O wl_gather_if(M first, M last, S stencil, I in, O out, P p) {
    for (; first != last; ++first, ++stencil, ++out)
        if (p(*stencil)) *out = in[*first];
    return out;
}
template <typename M, typename S, typename I, typename O> O wl_gather_if(M first, M last, S stencil, I in, O out) {
    return wl_gather_if(first, last, stencil, in, out, [](const auto &x) { return (bool)x; });
}
WL_THRUST(gather_if)
template <typename I, typename M, typename S, typename O, typename P>
void wl_scatter_if(I first, I last, M map, S stencil, O out, P p) {
    for (; first != last; ++first, ++map, ++stencil)
        if (p(*stencil)) out[*map] = *first;
}
template <typename I, typename M, typename S, typename O> void wl_scatter_if(I first, I last, M map, S stencil, O out) {
    wl_scatter_if(first, last, map, stencil, out, [](const auto &x) { return (bool)x; });
}
WL_THRUST(scatter_if)
template <typename K, typename V, typename C> void wl_stable_sort_by_key(K first, K last, V values, C less) {
    typedef typename std::iterator_traits<K>::value_type Key;
    typedef typename std::iterator_traits<V>::value_type Value;
    std::vector<std::pair<Key, Value>> all;
    for (K k = first; k != last; ++k) all.emplace_back(*k, values[k - first]);
    std::stable_sort(all.begin(), all.end(), [&](const auto &a, const auto &b) { return less(a.first, b.first); });
    for (size_t i = 0; i < all.size(); i++)
        first[(std::ptrdiff_t)i] = all[i].first, values[(std::ptrdiff_t)i] = all[i].second;
}
template <typename K, typename V> void wl_stable_sort_by_key(K first, K last, V values) {
    wl_stable_sort_by_key(first, last, values, std::less<>());
}
template <typename... A> void wl_sort_by_key(A &&...values) { wl_stable_sort_by_key(std::forward<A>(values)...); }
WL_THRUST(sort_by_key)
WL_THRUST(stable_sort_by_key)
template <typename K, typename V, typename OK, typename OV, typename E, typename Op>
std::pair<OK, OV> wl_reduce_by_key(K first, K last, V values, OK keys_out, OV values_out, E equal, Op op) {
    typedef typename std::iterator_traits<V>::value_type T;
    while (first != last) {
        const typename std::iterator_traits<K>::value_type key = *first;
        T sum = *values;
        for (++first, ++values; first != last && equal(key, *first); ++first, ++values) sum = op(sum, *values);
        *keys_out = key, ++keys_out;
        *values_out = sum, ++values_out;
    }
    return {keys_out, values_out};
}
template <typename K, typename V, typename OK, typename OV>
auto wl_reduce_by_key(K first, K last, V values, OK keys_out, OV values_out) {
    return wl_reduce_by_key(first, last, values, keys_out, values_out, std::equal_to<>(), std::plus<>());
}
template <typename K, typename V, typename OK, typename OV, typename E>
auto wl_reduce_by_key(K first, K last, V values, OK keys_out, OV values_out, E equal) {
    return wl_reduce_by_key(first, last, values, keys_out, values_out, equal, std::plus<>());
}
WL_THRUST(reduce_by_key)
template <typename K, typename V> std::pair<K, V> wl_unique_by_key(K first, K last, V values) {
    K to = first;
    V values_to = values;
    for (K k = first; k != last; ++k, ++values)
        if (k == first || !(*k == *std::prev(to))) *to = *k, *values_to = *values, ++to, ++values_to;
    return {to, values_to};
}
WL_THRUST(unique_by_key)
template <typename K, typename V, typename OK, typename OV, typename E = std::equal_to<>>
std::pair<OK, OV> wl_unique_by_key_copy(K first, K last, V values, OK keys_out, OV values_out, E equal = E()) {
    return wl_reduce_by_key(first, last, values, keys_out, values_out, equal,
                            [](const auto &a, const auto &) { return a; });
}
WL_THRUST(unique_by_key_copy)
template <typename I, typename E = std::equal_to<>> auto wl_unique_count(I first, I last, E equal = E()) {
    std::ptrdiff_t runs = first != last;
    for (; first != last && std::next(first) != last; ++first) runs += !equal(*first, *std::next(first));
    return runs;
}
WL_THRUST(unique_count)
template <typename K, typename L, typename V, typename W, typename OK, typename OV, typename C = std::less<>>
std::pair<OK, OV> wl_merge_by_key(K first, K last, L begin, L end, V values, W others, OK keys_out, OV values_out,
                                  C less = C()) {
    for (; first != last || begin != end; ++keys_out, ++values_out) {
        if (first == last || (begin != end && less(*begin, *first)))
            *keys_out = *begin, *values_out = *others, ++begin, ++others;
        else
            *keys_out = *first, *values_out = *values, ++first, ++values;
    }
    return {keys_out, values_out};
}
WL_THRUST(merge_by_key)
/* The bound of one value, or those of a range of values into a third range. */
#define WL_BOUND(name)                                                                                  \
    template <typename I, typename T> I wl_##name(I first, I last, const T &value) {                    \
        return std::name(first, last, value);                                                           \
    }                                                                                                   \
    template <typename I, typename J, typename O> O wl_##name(I first, I last, J begin, J end, O out) { \
        for (; begin != end; ++begin, ++out) *out = std::name(first, last, *begin) - first;             \
        return out;                                                                                     \
    }                                                                                                   \
    WL_THRUST(name)
WL_BOUND(lower_bound)
WL_BOUND(upper_bound)
#undef WL_BOUND
template <typename I, typename T> bool wl_binary_search(I first, I last, const T &value) {
    return std::binary_search(first, last, value);
}
WL_THRUST(binary_search)
#undef WL_AS_STD
#undef WL_AS_STD_VOID
#undef WL_THRUST

/* A function of several arguments becomes one of a tuple. */
template <typename F> struct zip_function {
    F function;
    template <typename T> decltype(auto) operator()(T &&all) const {
        return std::apply(function, std::forward<T>(all));
    }
};
template <typename F> zip_function<F> make_zip_function(F function) { return {function}; }

/* Where values go through a function before they are stored. */
template <typename F, typename O> struct wl_stored_through {
    F function;
    O place;
    template <typename T> const wl_stored_through &operator=(const T &x) const {
        return *place = F(function)(x), *this;
    }
};
template <typename F, typename O>
struct transform_output_iterator : wl_iterator<transform_output_iterator<F, O>, void, wl_stored_through<F, O>> {
    O base;
    F function;
    transform_output_iterator(O base, F function) : base(base), function(function) {}
    wl_stored_through<F, O> at(std::ptrdiff_t i) const { return {function, base + i}; }
    void move(std::ptrdiff_t n) { base += n; }
    std::ptrdiff_t from(const transform_output_iterator &o) const { return base - o.base; }
};
template <typename O, typename F> transform_output_iterator<F, O> make_transform_output_iterator(O base, F function) {
    return {base, function};
}

} // namespace thrust

#include "thrust/wl_placeholders.h"
#include "thrust/wl_random.h"

WL_ANY_CODE_END
