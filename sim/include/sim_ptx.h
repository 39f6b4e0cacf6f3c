/* What the instructions of inline PTX do: sim/ptx.c makes calls of them. A function is named after its instruction, and has the
   instruction's types as arguments of its template. */
#pragma once

#include "sim_copy_async.h"
#include "sim_float.h"
#include "sim_half_formats.h"
#include "sim_integer.h"
#include "sim_mma.h"
#include "sim_warp.h"

WL_DEVICE_CODE

extern "C" void *wl_sim_shared_at(size_t address); // of which a program may have kept the lower 32 bits only

namespace wl_ptx {

typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef uint8_t u8, b8;
typedef uint16_t u16, b16;
typedef uint32_t u32, b32, tf32;
typedef uint64_t u64, b64;
typedef float f32;
typedef double f64;
typedef bool pred;
// Halves are registers' bits, too; they are computed with in float.
struct f16 {
    uint16_t bits;
};
struct bf16 {
    uint16_t bits;
};
template <typename H> struct two { H low, high; };
typedef two<f16> f16x2;
typedef two<bf16> bf16x2;

/* A value as type T: the same bits where one side is a float or half and the other is not. */
template <typename T, typename V> WL_DEVICE_INLINE T get(V v) {
    constexpr bool bits = std::is_class<T>::value || std::is_class<V>::value ||
                          std::is_floating_point<T>::value != std::is_floating_point<V>::value;
    if constexpr (std::is_pointer<V>::value) {
        return (T)(uintptr_t)v;
    } else if constexpr (std::is_enum<V>::value) {
        return (T)v;
    } else if constexpr (bits && sizeof(T) == sizeof(V) && !std::is_same<T, V>::value) {
        T t;
        __builtin_memcpy(&t, &v, sizeof t);
        return t;
    } else if constexpr (std::is_class<T>::value && std::is_integral<V>::value) {
        return get<T>((std::conditional_t<sizeof(T) == 2, u16, u32>)v);
    } else {
        return (T)v;
    }
}
template <typename D, typename V> WL_DEVICE_INLINE void set(D &to, V v) {
    if constexpr (std::is_pointer<D>::value)
        to = (D)(uintptr_t)v;
    else if constexpr (std::is_class<V>::value && sizeof(D) > sizeof(V))
        to = get<D>(get<u16>(v));
    else
        to = get<D>(v);
}

template <typename A, typename O> WL_DEVICE_INLINE char *global(A address, O offset) {
    return (char *)get<u64>(address) + (std::ptrdiff_t)offset;
}
template <typename A, typename O> WL_DEVICE_INLINE char *shared(A address, O offset) {
    return (char *)wl_sim_shared_at(get<u64>(address) + (u64)offset);
}

// ---------------------------------------------------------------- special registers

WL_DEVICE_INLINE u32 special_laneid(void) { return wl_sim_lane(); }
WL_DEVICE_INLINE u32 special_warpid(void) {
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32;
}
WL_DEVICE_INLINE u32 special_nwarpid(void) { return 64; }
WL_DEVICE_INLINE u32 special_lanemask_eq(void) { return 1u << wl_sim_lane(); }
WL_DEVICE_INLINE u32 special_lanemask_lt(void) { return special_lanemask_eq() - 1; }
WL_DEVICE_INLINE u32 special_lanemask_le(void) { return special_lanemask_lt() | special_lanemask_eq(); }
WL_DEVICE_INLINE u32 special_lanemask_gt(void) { return ~special_lanemask_le(); }
WL_DEVICE_INLINE u32 special_lanemask_ge(void) { return ~special_lanemask_lt(); }
// A block runs on the multiprocessor that its number says, of the four that the device has.
WL_DEVICE_INLINE u32 special_smid(void) { return (blockIdx.x + blockIdx.y + blockIdx.z) % 4; }
WL_DEVICE_INLINE u32 special_nsmid(void) { return 4; }
WL_DEVICE_INLINE u32 special_clock(void) { return (u32)wl_sim_clock(); }
WL_DEVICE_INLINE u64 special_clock64(void) { return (u64)wl_sim_clock(); }
WL_DEVICE_INLINE u64 special_globaltimer(void) { return (u64)wl_sim_clock(); }
WL_DEVICE_INLINE u32 special_globaltimer_lo(void) { return (u32)wl_sim_clock(); }

// ---------------------------------------------------------------- arithmetic

/* Halves are computed with as floats. */
template <typename T> WL_DEVICE_INLINE T operand(T x) { return x; }
WL_DEVICE_INLINE float operand(f16 x) { return wl_half_to_float(x.bits); }
WL_DEVICE_INLINE float operand(bf16 x) { return wl_bit_cast<float>((u32)x.bits << 16); }
template <typename T, typename V> WL_DEVICE_INLINE T rounded(V v) {
    if constexpr (std::is_same<T, f16>::value)
        return f16{(uint16_t)wl_float_to_half<WL_RN>((float)v)};
    else if constexpr (std::is_same<T, bf16>::value)
        return bf16{(uint16_t)wl_float_to_bfloat16<WL_RN>((float)v)};
    else
        return (T)v;
}
template <typename T> struct halves : std::false_type {};
template <typename H> struct halves<two<H>> : std::true_type { typedef H type; };
/* f of each half of two, or of the value itself. */
template <typename T, typename F, typename... V> WL_DEVICE_INLINE T computed(F f, V... v) {
    if constexpr (halves<T>::value) {
        typedef typename halves<T>::type H;
        return T{computed<H>(f, v.low...), computed<H>(f, v.high...)};
    } else {
        return rounded<T>(f(operand(v)...));
    }
}
template <typename T> using unsigned_of = std::conditional_t<sizeof(T) == 8, u64, u32>;
/* Integers wrap. */
template <typename T> struct wrapping {
    typedef std::conditional_t<std::is_integral<T>::value, unsigned_of<T>, T> type;
};
#define WL_ONE(name, ...)                                                                  \
    template <typename T, typename D, typename A> WL_DEVICE_INLINE void name(D &d, A va) { \
        set(d, computed<T>([](auto a) { return __VA_ARGS__; }, get<T>(va)));               \
    }
#define WL_TWO(name, ...)                                                                                    \
    template <typename T, typename D, typename A, typename B> WL_DEVICE_INLINE void name(D &d, A va, B vb) { \
        set(d, computed<T>([](auto a, auto b) { return __VA_ARGS__; }, get<T>(va), get<T>(vb)));             \
    }
#define WL_THREE(name, ...)                                                                                          \
    template <typename T, typename D, typename A, typename B, typename C>                                            \
    WL_DEVICE_INLINE void name(D &d, A va, B vb, C vc) {                                                             \
        set(d, computed<T>([](auto a, auto b, auto c) { return __VA_ARGS__; }, get<T>(va), get<T>(vb), get<T>(vc))); \
    }
#define WL_WRAP(x) ((typename wrapping<decltype(x)>::type)(x))
WL_TWO(do_add, WL_WRAP(a) + WL_WRAP(b))
WL_TWO(do_sub, WL_WRAP(a) - WL_WRAP(b))
WL_TWO(do_mul, WL_WRAP(a) * WL_WRAP(b))
WL_TWO(do_mul_lo, WL_WRAP(a) * WL_WRAP(b))
WL_TWO(do_div, a / b)
WL_TWO(do_div_full, a / b)
WL_TWO(do_rem, a % b)
WL_TWO(do_min, b < a ? b : a)
WL_TWO(do_max, a < b ? b : a)
WL_TWO(do_and, a &b)
WL_TWO(do_or, a | b)
WL_TWO(do_xor, a ^ b)
WL_ONE(do_not, ~a)
WL_ONE(do_cnot, a == 0)
WL_ONE(do_neg, -WL_WRAP(a))
WL_ONE(do_abs, a < 0 ? -a : a)
WL_ONE(do_sqrt, __builtin_sqrt(a))
WL_ONE(do_rsqrt, 1 / __builtin_sqrt(a))
WL_ONE(do_rcp, 1 / a)
WL_ONE(do_sin, __builtin_sin(a))
WL_ONE(do_cos, __builtin_cos(a))
WL_ONE(do_tanh, __builtin_tanh(a))
WL_ONE(do_ex2, __builtin_exp2(a))
WL_ONE(do_lg2, __builtin_log2(a))
WL_THREE(do_mad_lo, WL_WRAP(a) * WL_WRAP(b) + WL_WRAP(c))
WL_THREE(do_fma, std::is_same<decltype(a), f64>::value ? (decltype(a))__builtin_fma(a, b, c)
                                                       : (decltype(a))__builtin_fmaf((float)a, (float)b, (float)c))
WL_THREE(do_mad, a *b + c)
template <typename T>
using wide = std::conditional_t<std::is_signed<T>::value, std::conditional_t<sizeof(T) == 4, s64, s32>,
                                std::conditional_t<sizeof(T) == 4, u64, u32>>;
template <typename T, typename D, typename A, typename B> WL_DEVICE_INLINE void do_mul_wide(D &d, A a, B b) {
    set(d, (wide<T>)get<T>(a) * (wide<T>)get<T>(b));
}
template <typename T, typename D, typename A, typename B, typename C>
WL_DEVICE_INLINE void do_mad_wide(D &d, A a, B b, C c) {
    set(d, (wide<T>)get<T>(a) * (wide<T>)get<T>(b) + get<wide<T>>(c));
}
template <typename T> WL_DEVICE_INLINE T high_product(T a, T b) {
    typedef std::conditional_t<std::is_signed<T>::value, __int128, unsigned __int128> W;
    return (T)((W)a * (W)b >> 8 * sizeof(T));
}
template <typename T, typename D, typename A, typename B> WL_DEVICE_INLINE void do_mul_hi(D &d, A a, B b) {
    set(d, high_product(get<T>(a), get<T>(b)));
}
template <typename T, typename D, typename A, typename B, typename C>
WL_DEVICE_INLINE void do_mad_hi(D &d, A a, B b, C c) {
    set(d, (T)(high_product(get<T>(a), get<T>(b)) + get<T>(c)));
}
// A shift by all bits and more leaves no bit, or the sign.
template <typename T, typename D, typename A, typename B> WL_DEVICE_INLINE void do_shl(D &d, A a, B by) {
    set(d, get<u32>(by) >= 8 * sizeof(T) ? (T)0 : (T)(get<unsigned_of<T>>(a) << get<u32>(by)));
}
template <typename T, typename D, typename A, typename B> WL_DEVICE_INLINE void do_shr(D &d, A a, B by) {
    const T x = get<T>(a);
    set(d, get<u32>(by) >= 8 * sizeof(T) ? (T)(x < 0 ? -1 : 0) : (T)(x >> get<u32>(by)));
}
#define WL_FUNNEL(name, shifted)                                          \
    template <typename T, typename D, typename A, typename B, typename C> \
    WL_DEVICE_INLINE void name(D &d, A low, B high, C by) {               \
        const u64 x = (u64)get<u32>(high) << 32 | get<u32>(low);          \
        const u32 n = get<u32>(by);                                       \
        set(d, (u32)(shifted));                                           \
    }
WL_FUNNEL(do_shf_l_wrap, (x << n % 32) >> 32)
WL_FUNNEL(do_shf_r_wrap, x >> n % 32)
WL_FUNNEL(do_shf_l_clamp, n > 31 ? x : (x << n) >> 32)
WL_FUNNEL(do_shf_r_clamp, x >> (n > 31 ? 32 : n))
#undef WL_FUNNEL
// Position and length are their lowest 8 bits.
template <typename T, typename D, typename A, typename B, typename C>
WL_DEVICE_INLINE void do_bfe(D &d, A a, B position, C bits) {
    const u32 from = get<u32>(position) & 255, size = get<u32>(bits) & 255;
    constexpr u32 width = 8 * sizeof(T);
    const T x = get<T>(a);
    const unsigned_of<T> field = from < width ? (unsigned_of<T>)x >> from : 0;
    if (size == 0) return set(d, (T)0);
    if (std::is_signed<T>::value && from + size < width)
        return set(d, (T)((T)(field << (width - size)) >> (width - size)));
    if (std::is_signed<T>::value) return set(d, from < width ? (T)(x >> from) : (T)(x < 0 ? -1 : 0));
    set(d, (T)(size < width ? field & (((unsigned_of<T>)1 << size) - 1) : field));
}
template <typename T, typename D, typename A, typename B, typename P, typename S>
WL_DEVICE_INLINE void do_bfi(D &d, A a, B b, P position, S bits) {
    const u32 from = get<u32>(position) & 255, size = get<u32>(bits) & 255;
    typedef unsigned_of<T> U;
    const U ones = size >= 8 * sizeof(T) ? ~(U)0 : ((U)1 << size) - 1, mask = from < 8 * sizeof(T) ? ones << from : 0;
    set(d, (get<U>(b) & ~mask) | (from < 8 * sizeof(T) ? get<U>(a) << from & mask : 0));
}
template <typename T, typename D, typename A> WL_DEVICE_INLINE void do_popc(D &d, A a) {
    set(d, (u32)__popcll(get<T>(a)));
}
template <typename T, typename D, typename A> WL_DEVICE_INLINE void do_clz(D &d, A a) {
    set(d, (u32)(__clzll((s64)get<T>(a)) - (64 - 8 * (int)sizeof(T))));
}
template <typename T, typename D, typename A> WL_DEVICE_INLINE void do_brev(D &d, A a) {
    set(d, (T)(__brevll(get<T>(a)) >> (64 - 8 * sizeof(T))));
}
template <typename T, typename D, typename A> WL_DEVICE_INLINE void do_bfind(D &d, A a) {
    const T x = get<T>(a);
    const u64 bits = (u64)(unsigned_of<T>)(x < 0 ? ~x : x);
    set(d, bits ? (u32)(63 - __clzll((s64)bits)) : 0xffffffffu);
}
template <typename T, typename D, typename A, typename B, typename C>
WL_DEVICE_INLINE void do_prmt(D &d, A a, B b, C c) {
    set(d, __byte_perm(get<u32>(a), get<u32>(b), get<u32>(c)));
}
/* The bits of `table` say what becomes of the three bits of a, b and c. */
template <typename T, typename D, typename A, typename B, typename C, typename L>
WL_DEVICE_INLINE void do_lop3(D &d, A va, B vb, C vc, L table) {
    const u32 a = get<u32>(va), b = get<u32>(vb), c = get<u32>(vc);
    u32 r = 0;
    for (u32 i = 0; i < 8; i++)
        if ((u32)table >> i & 1) r |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    set(d, r);
}
template <typename TA, typename TB, typename D, typename A, typename B, typename C>
WL_DEVICE_INLINE void do_dp4a(D &d, A a, B b, C c) {
    if constexpr (std::is_signed<TA>::value)
        set(d, __dp4a((int)get<u32>(a), (int)get<u32>(b), (int)get<u32>(c)));
    else
        set(d, __dp4a(get<u32>(a), get<u32>(b), get<u32>(c)));
}

// ---------------------------------------------------------------- values, comparisons, conversions

template <typename T, typename D, typename A> WL_DEVICE_INLINE void do_mov(D &d, A a) { set(d, get<T>(a)); }
template <typename T, typename D, typename A, typename B> WL_DEVICE_INLINE void do_mov_pack(D &d, A low, B high) {
    constexpr u32 half = 4 * sizeof(T);
    typedef std::conditional_t<sizeof(T) == 8, u32, u16> H;
    set(d, (T)((T)get<H>(high) << half | (T)get<H>(low)));
}
template <typename T, typename D, typename E, typename A> WL_DEVICE_INLINE void do_mov_unpack(D &low, E &high, A a) {
    typedef std::conditional_t<sizeof(T) == 8, u32, u16> H;
    const T x = get<T>(a);
    set(low, (H)x);
    set(high, (H)(x >> 4 * sizeof(T)));
}
template <typename T, typename D, typename A, typename B, typename C>
WL_DEVICE_INLINE void do_selp(D &d, A a, B b, C chosen) {
    set(d, chosen ? get<T>(a) : get<T>(b));
}
#define WL_COMPARE(name, expression)                                                                                   \
    template <typename T, typename D, typename A, typename B> WL_DEVICE_INLINE void do_setp_##name(D &d, A va, B vb) { \
        const auto a = operand(get<T>(va)), b = operand(get<T>(vb));                                                   \
        d = expression;                                                                                                \
    }                                                                                                                  \
    template <typename R, typename T, typename D, typename A, typename B>                                              \
    WL_DEVICE_INLINE void do_set_##name(D &d, A va, B vb) {                                                            \
        const auto a = operand(get<T>(va)), b = operand(get<T>(vb));                                                   \
        set(d, expression ? (std::is_floating_point<R>::value ? (R)1 : (R)-1) : (R)0);                                 \
    }
WL_COMPARE(eq, a == b)
WL_COMPARE(ne, a != b)
WL_COMPARE(lt, a < b)
WL_COMPARE(le, a <= b)
WL_COMPARE(gt, a > b)
WL_COMPARE(ge, a >= b)
WL_COMPARE(lo, a < b)
WL_COMPARE(ls, a <= b)
WL_COMPARE(hi, a > b)
WL_COMPARE(hs, a >= b)
#undef WL_COMPARE
/* From one type to another; floats become integers as the name says. */
#define WL_CONVERT(name, whole)                                                                       \
    template <typename T, typename F, typename D, typename A> WL_DEVICE_INLINE void name(D &d, A a) { \
        const auto x = operand(get<F>(a));                                                            \
        if constexpr (std::is_floating_point<decltype(x)>::value && std::is_integral<T>::value) {     \
            const double v = whole((double)x), most = (double)std::numeric_limits<T>::max(),          \
                         least = (double)std::numeric_limits<T>::min();                               \
            set(d, v != v       ? (T)0                                                                \
                   : v >= most  ? std::numeric_limits<T>::max()                                       \
                   : v <= least ? std::numeric_limits<T>::min()                                       \
                                : (T)v);                                                              \
        } else {                                                                                      \
            set(d, rounded<T>(x));                                                                    \
        }                                                                                             \
    }
WL_CONVERT(do_cvt, __builtin_rint)
WL_CONVERT(do_cvt_rni, __builtin_rint)
WL_CONVERT(do_cvt_rzi, __builtin_trunc)
WL_CONVERT(do_cvt_rmi, __builtin_floor)
WL_CONVERT(do_cvt_rpi, __builtin_ceil)
#undef WL_CONVERT
template <typename T, typename F, typename D, typename A> WL_DEVICE_INLINE void do_cvt_rna(D &d, A a) { // tf32
    set(d, (get<u32>(get<f32>(a)) + 0x1000u) & 0xffffe000u);
}
template <typename T, typename F, typename D, typename A, typename B>
WL_DEVICE_INLINE void do_cvt(D &d, A high, B low) {
    typedef typename halves<T>::type H;
    set(d, T{rounded<H>(get<f32>(low)), rounded<H>(get<f32>(high))});
}
template <typename T, typename D, typename A> WL_DEVICE_INLINE void do_cvta_to(D &d, A a) { set(d, get<T>(a)); }
template <typename T, typename D, typename A> WL_DEVICE_INLINE void do_cvta(D &d, A a) {
    set(d, (u64)wl_sim_shared_at(get<u64>(a)));
}

// ---------------------------------------------------------------- memory

template <typename T, int N> struct alignas(N * sizeof(T)) vector { T x[N]; };
template <typename T, typename D> WL_DEVICE_INLINE void do_ld(D &d, const char *at) { set(d, *(const T *)at); }
template <typename T, typename A> WL_DEVICE_INLINE void do_st(char *at, A a) { *(T *)at = get<T>(a); }
template <typename T, typename D> WL_DEVICE_INLINE void do_ld_volatile(D &d, const char *at) {
    set(d, *(const volatile T *)at);
}
template <typename T, typename A> WL_DEVICE_INLINE void do_st_volatile(char *at, A a) { *(volatile T *)at = get<T>(a); }
template <typename T, typename D> WL_DEVICE_INLINE void do_ld_v2(D &a, D &b, const char *at) {
    const vector<T, 2> v = *(const vector<T, 2> *)at;
    set(a, v.x[0]), set(b, v.x[1]);
}
template <typename T, typename D> WL_DEVICE_INLINE void do_ld_v4(D &a, D &b, D &c, D &d, const char *at) {
    const vector<T, 4> v = *(const vector<T, 4> *)at;
    set(a, v.x[0]), set(b, v.x[1]), set(c, v.x[2]), set(d, v.x[3]);
}
template <typename T, typename A> WL_DEVICE_INLINE void do_st_v2(char *at, A a, A b) {
    *(vector<T, 2> *)at = {{get<T>(a), get<T>(b)}};
}
template <typename T, typename A> WL_DEVICE_INLINE void do_st_v4(char *at, A a, A b, A c, A d) {
    *(vector<T, 4> *)at = {{get<T>(a), get<T>(b), get<T>(c), get<T>(d)}};
}
WL_DEVICE_INLINE void do_prefetch_L1(const char *) {}
WL_DEVICE_INLINE void do_prefetch_L2(const char *) {}
WL_DEVICE_INLINE void do_prefetchu_L1(const char *) {}

/* What atomic operations of C++ take for a type of PTX's. */
template <typename T> struct atomic_of { typedef T type; };
template <> struct atomic_of<u64> { typedef unsigned long long type; };
template <> struct atomic_of<s64> { typedef unsigned long long type; };
#define WL_ATOMIC(name, function)                                                                             \
    template <typename T, typename D, typename A> WL_DEVICE_INLINE void do_atom_##name(D &d, char *at, A a) { \
        typedef typename atomic_of<T>::type X;                                                                \
        set(d, get<T>(function((X *)at, get<X>(a))));                                                         \
    }                                                                                                         \
    template <typename T, typename A> WL_DEVICE_INLINE void do_red_##name(char *at, A a) {                    \
        typedef typename atomic_of<T>::type X;                                                                \
        function((X *)at, get<X>(a));                                                                         \
    }
WL_ATOMIC(add, atomicAdd)
WL_ATOMIC(min, atomicMin)
WL_ATOMIC(max, atomicMax)
WL_ATOMIC(and, atomicAnd)
WL_ATOMIC(or, atomicOr)
WL_ATOMIC(xor, atomicXor)
WL_ATOMIC(exch, atomicExch)
WL_ATOMIC(inc, atomicInc)
WL_ATOMIC(dec, atomicDec)
#undef WL_ATOMIC
template <typename T, typename D, typename A, typename B>
WL_DEVICE_INLINE void do_atom_cas(D &d, char *at, A compare, B value) {
    typedef typename atomic_of<T>::type X;
    set(d, atomicCAS((X *)at, get<X>(compare), get<X>(value)));
}
template <typename A, typename B> WL_DEVICE_INLINE void do_cp_async(A to, B from, int bytes) {
    wl_sim_copy_async(to, from, (unsigned)bytes, 0);
}
template <typename A, typename B, typename S> WL_DEVICE_INLINE void do_cp_async(A to, B from, int bytes, S loaded) {
    wl_sim_copy_async(to, from, (unsigned)bytes, (unsigned)bytes - (unsigned)loaded);
}
WL_DEVICE_INLINE void do_cp_async_commit_group(void) { wl_sim_copy_commit(); }
WL_DEVICE_INLINE void do_cp_async_wait_group(int groups) { wl_sim_copy_wait((unsigned)groups); }
WL_DEVICE_INLINE void do_cp_async_wait_all(void) {
    wl_sim_copy_commit();
    wl_sim_copy_wait(0);
}

// ---------------------------------------------------------------- threads together

WL_DEVICE_INLINE void do_bar(int = 0, WL_SIM_HERE) { wl_sim_barrier(0, file, line); }
WL_DEVICE_INLINE void do_barrier(int = 0, WL_SIM_HERE) { wl_sim_barrier(0, file, line); }
WL_DEVICE_INLINE void do_bar_warp(unsigned mask, WL_SIM_HERE) { __syncwarp(mask, file, line); }
WL_DEVICE_INLINE void do_membar(void) { __threadfence(); }
WL_DEVICE_INLINE void do_fence(void) { __threadfence(); }
WL_DEVICE_INLINE void do_nanosleep(unsigned ns) { __nanosleep(ns); }
template <typename T> WL_DEVICE_INLINE void do_nanosleep(unsigned ns) { __nanosleep(ns); }
WL_DEVICE_INLINE void do_trap(WL_SIM_HERE) { wl_sim_trap("the kernel calls trap", file, line); }
WL_DEVICE_INLINE void do_griddepcontrol_wait(void) {}
WL_DEVICE_INLINE void do_griddepcontrol_launch_dependents(void) {}
template <typename T, typename D> WL_DEVICE_INLINE void do_activemask(D &d) { set(d, wl_sim_active_mask()); }
/* `clamp` says how wide the groups are in its second byte. */
#define WL_SHUFFLE(name, function)                                                                \
    template <typename T, typename D, typename A, typename B>                                     \
    WL_DEVICE_INLINE void do_shfl_##name(D &d, A a, B b, int clamp, unsigned mask, WL_SIM_HERE) { \
        set(d, function(mask, get<u32>(a), get<u32>(b), 32 - (clamp >> 8 & 31), file, line));     \
    }
WL_SHUFFLE(idx, __shfl_sync)
WL_SHUFFLE(up, __shfl_up_sync)
WL_SHUFFLE(down, __shfl_down_sync)
WL_SHUFFLE(bfly, __shfl_xor_sync)
#undef WL_SHUFFLE
template <typename T, typename D, typename A>
WL_DEVICE_INLINE void do_vote_ballot(D &d, A a, unsigned mask, WL_SIM_HERE) {
    set(d, __ballot_sync(mask, a != 0, file, line));
}
template <typename T, typename D, typename A> WL_DEVICE_INLINE void do_vote_all(D &d, A a, unsigned mask, WL_SIM_HERE) {
    d = __all_sync(mask, a != 0, file, line) != 0;
}
template <typename T, typename D, typename A> WL_DEVICE_INLINE void do_vote_any(D &d, A a, unsigned mask, WL_SIM_HERE) {
    d = __any_sync(mask, a != 0, file, line) != 0;
}
template <typename T, typename D, typename A>
WL_DEVICE_INLINE void do_match_any(D &d, A a, unsigned mask, WL_SIM_HERE) {
    set(d, __match_any_sync(mask, get<T>(a), file, line));
}

/* ldmatrix: `count` matrices of 8 rows of 16 bytes, each row of which a lane has the address of. */
template <int COUNT, bool TURNED>
WL_SIM_MMA_INSIDE static wl_sim_mma_quad exchange_rows(wl_sim_mma_quad mine, const char *file, int line) {
    wl_sim_mma_quad all[32], r = {};
    wl_sim_warp_exchange(&mine, sizeof mine, all, file, line);
    const unsigned lane = wl_sim_lane();
    for (int k = 0; k < COUNT; k++) {
        if (!TURNED) r.x[k] = all[8 * k + lane / 4].x[lane % 4];
        for (unsigned half = 0; TURNED && half < 2; half++)
            r.x[k] |= (all[8 * k + 2 * (lane % 4) + half].x[lane / 8] >> lane / 4 % 2 * 16 & 0xffff) << half * 16;
    }
    return r;
}
template <int COUNT, bool TURNED>
WL_DEVICE_INLINE wl_sim_mma_quad matrices(const char *at, const char *file, int line) {
    vector<u32, 4> row = {};
    if (wl_sim_lane() < 8 * COUNT) row = *(const vector<u32, 4> *)at;
    return exchange_rows<COUNT, TURNED>(wl_sim_mma_quad{{row.x[0], row.x[1], row.x[2], row.x[3]}}, file, line);
}
#define WL_MATRICES(suffix, turned)                                                                          \
    template <typename T, typename D>                                                                        \
    WL_DEVICE_INLINE void do_ldmatrix_m8n8_x1##suffix(D &a, const char *at, WL_SIM_HERE) {                   \
        set(a, matrices<1, turned>(at, file, line).x[0]);                                                    \
    }                                                                                                        \
    template <typename T, typename D>                                                                        \
    WL_DEVICE_INLINE void do_ldmatrix_m8n8_x2##suffix(D &a, D &b, const char *at, WL_SIM_HERE) {             \
        const wl_sim_mma_quad r = matrices<2, turned>(at, file, line);                                       \
        set(a, r.x[0]), set(b, r.x[1]);                                                                      \
    }                                                                                                        \
    template <typename T, typename D>                                                                        \
    WL_DEVICE_INLINE void do_ldmatrix_m8n8_x4##suffix(D &a, D &b, D &c, D &d, const char *at, WL_SIM_HERE) { \
        const wl_sim_mma_quad r = matrices<4, turned>(at, file, line);                                       \
        set(a, r.x[0]), set(b, r.x[1]), set(c, r.x[2]), set(d, r.x[3]);                                      \
    }
WL_MATRICES(, false)
WL_MATRICES(_trans, true)
#undef WL_MATRICES

/* mma.m16n8kK of halves, bfloats and tf32: element (row, k) of A is in the lane 4 (row % 8) + ..., as harness/device/mma.h draws it. */
template <typename E> struct in_register {
    static constexpr int count = sizeof(two<E>) == 4 ? 2 : 1;
    static double at(u32 bits, int i) {
        if constexpr (count == 2)
            return operand(E{(u16)(bits >> 16 * i)});
        else
            return wl_bit_cast<float>(bits & 0xffffe000u);
    }
};
struct fragments {
    u32 a[4], b[2];
};
template <typename E, int K>
WL_SIM_MMA_INSIDE static wl_sim_mma_quad multiply(fragments mine, wl_sim_mma_quad c, const char *file, int line) {
    constexpr int PER = in_register<E>::count;
    fragments all[32];
    wl_sim_warp_exchange(&mine, sizeof mine, all, file, line);
    const int lane = (int)wl_sim_lane();
    for (int r = 0; r < 4; r++) {
        const int row = lane / 4 + 8 * (r / 2), column = 2 * (lane % 4) + r % 2;
        double sum = wl_bit_cast<float>(c.x[r]);
        for (int k = 0; k < K; k++) {
            const int place = k / PER % 4, half = k / (4 * PER);
            sum += in_register<E>::at(all[4 * (row % 8) + place].a[row / 8 + 2 * half], k % PER) *
                   in_register<E>::at(all[4 * column + place].b[half], k % PER);
        }
        c.x[r] = wl_bit_cast<u32>((float)sum);
    }
    return c;
}
template <typename E, int K>
WL_DEVICE_INLINE void multiply_floats(float *d, const fragments &f, const float *c, const char *file, int line) {
    const wl_sim_mma_quad r = multiply<E, K>(f,
                                             wl_sim_mma_quad{{wl_bit_cast<u32>(c[0]), wl_bit_cast<u32>(c[1]),
                                                              wl_bit_cast<u32>(c[2]), wl_bit_cast<u32>(c[3])}},
                                             file, line);
    for (int i = 0; i < 4; i++) d[i] = wl_bit_cast<float>(r.x[i]);
}
template <int K, typename TD, typename TA, typename TB, typename TC, typename D, typename C, typename... R>
WL_DEVICE_INLINE void product(D *d, const C *c, const char *file, int line, R... registers) {
    constexpr int OF_A = (int)sizeof...(R) * 2 / 3;
    const u32 all[] = {get<u32>(registers)...};
    fragments f = {};
    for (int i = 0; i < OF_A; i++) f.a[i] = all[i];
    for (int i = OF_A; i < (int)sizeof...(R); i++) f.b[i - OF_A] = all[i];
    typedef std::conditional_t<std::is_same<TA, tf32>::value, float, TA> E;
    float sums[4], from[4];
    if constexpr (std::is_same<TC, f32>::value)
        for (int i = 0; i < 4; i++) from[i] = get<f32>(c[i]);
    else
        for (int i = 0; i < 4; i++) from[i] = wl_half_to_float((u16)(get<u32>(c[i / 2]) >> 16 * (i % 2)));
    multiply_floats<E, K>(sums, f, from, file, line);
    if constexpr (std::is_same<TD, f32>::value)
        for (int i = 0; i < 4; i++) set(d[i], sums[i]);
    else
        for (int i = 0; i < 2; i++) set(d[i], f16x2{rounded<f16>(sums[2 * i]), rounded<f16>(sums[2 * i + 1])});
}
#define WL_GIVE4 d0 = d[0], d1 = d[1], d2 = d[2], d3 = d[3]
// With four floats of D, or two registers of two halves; a short K has half as many registers of A and B.
template <typename TD, typename TA, typename TB, typename TC, typename D, typename R, typename C>
WL_DEVICE_INLINE void do_mma_m16n8k16_row_col(D &d0, D &d1, D &d2, D &d3, R a0, R a1, R a2, R a3, R b0, R b1, C c0,
                                              C c1, C c2, C c3, WL_SIM_HERE) {
    D d[4];
    const C c[] = {c0, c1, c2, c3};
    product<16, TD, TA, TB, TC>(d, c, file, line, a0, a1, a2, a3, b0, b1);
    WL_GIVE4;
}
template <typename TD, typename TA, typename TB, typename TC, typename D, typename R, typename C>
WL_DEVICE_INLINE void do_mma_m16n8k16_row_col(D &d0, D &d1, R a0, R a1, R a2, R a3, R b0, R b1, C c0, C c1,
                                              WL_SIM_HERE) {
    D d[2];
    const C c[] = {c0, c1};
    product<16, TD, TA, TB, TC>(d, c, file, line, a0, a1, a2, a3, b0, b1);
    d0 = d[0], d1 = d[1];
}
template <typename TD, typename TA, typename TB, typename TC, typename D, typename R, typename C>
WL_DEVICE_INLINE void do_mma_m16n8k8_row_col(D &d0, D &d1, D &d2, D &d3, R a0, R a1, R a2, R a3, R b0, R b1, C c0, C c1,
                                             C c2, C c3, WL_SIM_HERE) {
    D d[4];
    const C c[] = {c0, c1, c2, c3};
    product<8, TD, TA, TB, TC>(d, c, file, line, a0, a1, a2, a3, b0, b1);
    WL_GIVE4;
}
template <typename TD, typename TA, typename TB, typename TC, typename D, typename R, typename C>
WL_DEVICE_INLINE void do_mma_m16n8k8_row_col(D &d0, D &d1, D &d2, D &d3, R a0, R a1, R b0, C c0, C c1, C c2, C c3,
                                             WL_SIM_HERE) {
    D d[4];
    const C c[] = {c0, c1, c2, c3};
    product<8, TD, TA, TB, TC>(d, c, file, line, a0, a1, b0);
    WL_GIVE4;
}
#undef WL_GIVE4
#undef WL_ONE
#undef WL_TWO
#undef WL_THREE
#undef WL_WRAP

} // namespace wl_ptx

WL_DEVICE_CODE_END
