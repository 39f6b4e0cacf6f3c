/* half and bfloat16 against doubles: the exact result is formed in double, and the nearest number of the format is
   looked for among all of them. Compiled with -frounding-math. */
#include "properties.h"

#include <cfenv>
#include <cmath>

#include "cuda_bf16.h"
#include "cuda_fp16.h"

enum mode { NEAREST, TOWARDS_ZERO, UP, DOWN };

/* What the checks need to know of a format. */
template <typename T> struct format;
template <> struct format<__half> {
    typedef __half2 pair;
    static constexpr const char *name = "half";
    static constexpr const char *kinds = "hhh";
    static constexpr unsigned infinity = 0x7c00;
    static double value(unsigned bits) { return half_value((uint16_t)bits); }
};
template <> struct format<__nv_bfloat16> {
    typedef __nv_bfloat162 pair;
    static constexpr const char *name = "bfloat16";
    static constexpr const char *kinds = "bbb";
    static constexpr unsigned infinity = 0x7f80;
    static double value(unsigned bits) { return as_float((uint64_t)bits << 16); }
};

/* The value of magnitude `bits`, infinity taken as the number that would come next: where rounding decides to
   overflow. */
template <typename T> static double magnitude(unsigned bits) {
    typedef format<T> F;
    return bits < F::infinity ? F::value(bits) : 2 * F::value(F::infinity - 1) - F::value(F::infinity - 2);
}

/* `x` rounded to the format. NaN is 0x7fff. */
template <typename T> static unsigned slow_round(double x, mode mode = NEAREST) {
    typedef format<T> F;
    if (std::isnan(x)) return 0x7fff;
    unsigned sign = std::signbit(x) ? 0x8000 : 0, low = 0, high = F::infinity;
    double size = fabs(x);
    if (std::isinf(x)) return sign | F::infinity;
    /* The largest magnitude that is at most `size`, by halving. */
    while (high - low > 1) {
        unsigned middle = (low + high) / 2;
        if (magnitude<T>(middle) <= size)
            low = middle;
        else
            high = middle;
    }
    double below = magnitude<T>(low), above = magnitude<T>(high);
    bool outwards;
    if (size == below) return sign | low;
    if (mode == NEAREST)
        outwards = size - below > above - size || (size - below == above - size && low % 2 == 1);
    else
        outwards = mode == (sign ? DOWN : UP);
    if (size >= above) outwards = mode == NEAREST || outwards; /* beyond the largest number: infinity, or stay */
    return sign | (outwards ? high : low);
}

/* A result rounded to odd in double: towards zero, and where the processor says that it was inexact, the last bit
   set. */
template <typename Operation> static double exactly(Operation operation) {
    fesetround(FE_TOWARDZERO);
    feclearexcept(FE_ALL_EXCEPT);
    volatile double result = operation();
    bool inexact = fetestexcept(FE_INEXACT);
    fesetround(FE_TONEAREST);
    return inexact ? as_double(bits_as<uint64_t>((double)result) | 1) : (double)result;
}

template <typename T> static T from(unsigned bits) { return bits_as<T>((uint16_t)bits); }
template <typename T> static unsigned bits(T x) {
    unsigned bits = bits_as<uint16_t>(x);
    return __hisnan(x) ? 0x7fff : bits;
}
template <typename T> static double value(unsigned bits) { return format<T>::value(bits); }

static double saturated(double x) { return x > 1 ? 1 : x > 0 ? x : 0; }
static double relu(double x) { return x < 0 || x == 0 ? 0 : x; }
/* The larger of two, +0 above -0; NaN loses. */
static double larger(double x, double y) {
    if (x == 0 && y == 0) return std::signbit(x) ? y : x;
    return fmax(x, y);
}
static double smaller(double x, double y) { return -larger(-x, -y); }
static double or_nan(double x, double y, double result) { return std::isnan(x) || std::isnan(y) ? NAN : result; }

#define EXPECT_2(function, result) \
    expect(#function, bits(function(from<T>(a), from<T>(b))), slow_round<T>(result), a, b)

template <typename T> static void check_two(unsigned a, unsigned b) {
    volatile double x = value<T>(a), y = value<T>(b);
    double sum = exactly([&] { return x + y; }), product = exactly([&] { return x * y; });
    /* To nearest, a sum of zero is +0 unless both are -0: what rounding towards zero gives too. */
    double difference = exactly([&] { return x - y; });
    EXPECT_2(__hadd, sum);
    EXPECT_2(__hsub, difference);
    EXPECT_2(__hmul, product);
    EXPECT_2(__hdiv, exactly([&] { return x / y; }));
    double rounded_sum = value<T>(slow_round<T>(sum)), rounded_product = value<T>(slow_round<T>(product));
    EXPECT_2(__hadd_sat, saturated(rounded_sum));
    EXPECT_2(__hsub_sat, saturated(value<T>(slow_round<T>(difference))));
    EXPECT_2(__hmul_sat, saturated(rounded_product));
    EXPECT_2(__hmax, larger(x, y));
    EXPECT_2(__hmin, smaller(x, y));
    EXPECT_2(__hmax_nan, or_nan(x, y, larger(x, y)));
    EXPECT_2(__hmin_nan, or_nan(x, y, smaller(x, y)));
    bool unordered = std::isnan(x) || std::isnan(y);
    T s = from<T>(a), t = from<T>(b);
#define EXPECT_COMPARISON(name, relation)                                 \
    expect("__h" #name, __h##name(s, t), !unordered && (relation), a, b); \
    expect("__h" #name "u", __h##name##u(s, t), unordered || (relation), a, b)
    EXPECT_COMPARISON(eq, x == y);
    EXPECT_COMPARISON(ne, x != y);
    EXPECT_COMPARISON(lt, x < y);
    EXPECT_COMPARISON(le, x <= y);
    EXPECT_COMPARISON(gt, x > y);
    EXPECT_COMPARISON(ge, x >= y);
    expect("!=", s != t, !(x == y), a, b);
}

template <typename T> static void check_one(unsigned a) {
    double x = value<T>(a);
    T s = from<T>(a);
    expect("to float", bits_of((float)s), bits_of((float)x), a);
    expect("__habs", bits(__habs(s)), slow_round<T>(fabs(x)), a);
    expect("__hneg", bits(__hneg(s)), slow_round<T>(-x), a);
    expect("htrunc", bits(htrunc(s)), slow_round<T>(trunc(x)), a);
    expect("hceil", bits(hceil(s)), slow_round<T>(ceil(x)), a);
    expect("hfloor", bits(hfloor(s)), slow_round<T>(floor(x)), a);
    expect("hrint", bits(hrint(s)), slow_round<T>(rint(x)), a);
    expect("hsqrt", bits(hsqrt(s)), slow_round<T>(sqrt(x)), a);
    expect("__hisinf", (unsigned)__hisinf(s), std::isinf(x) ? (x > 0 ? 1 : -1u) : 0, a);
    expect("to bool", (bool)s, x != 0, a);
    expect("from double", bits(T(x)), slow_round<T>(x), a);
    /* Between this number and the next: the middle, and just beside it. */
    double next = value<T>((a + 1) & 0xffff), middle = (x + next) / 2;
    if (std::isfinite(middle)) {
        expect("from double", bits(T(middle)), slow_round<T>(middle), a);
        expect("from double", bits(T(nextafter(middle, INFINITY))), slow_round<T>(nextafter(middle, INFINITY)), a);
        expect("from double", bits(T(nextafter(middle, -INFINITY))), slow_round<T>(nextafter(middle, -INFINITY)), a);
    }
}

template <typename T> static void check_three(unsigned a, unsigned b, unsigned c) {
    volatile double x = value<T>(a), y = value<T>(b), z = value<T>(c);
    double sum = exactly([&] { return fma(x, y, z); }), rounded = value<T>(slow_round<T>(sum));
    T s = from<T>(a), t = from<T>(b), u = from<T>(c);
    expect("__hfma", bits(__hfma(s, t, u)), slow_round<T>(sum), a, b, c);
    expect("__hfma_sat", bits(__hfma_sat(s, t, u)), slow_round<T>(saturated(rounded)), a, b, c);
    expect("__hfma_relu", bits(__hfma_relu(s, t, u)), slow_round<T>(relu(rounded)), a, b, c);
}

/* Pairs do in each lane what single numbers do. */
template <typename T> static void check_pairs(unsigned a, unsigned b, unsigned c, unsigned d) {
    typedef typename format<T>::pair pair;
    T p = from<T>(a), q = from<T>(b), r = from<T>(c), s = from<T>(d);
    pair x(p, q), y(r, s);
    auto same = [&](const char *name, pair found, T low, T high) {
        expect(name, bits(found.x) | bits(found.y) << 16, bits(low) | bits(high) << 16, a | b << 16, c | d << 16);
    };
    same("__hadd2", __hadd2(x, y), __hadd(p, r), __hadd(q, s));
    same("__hsub2", x - y, __hsub(p, r), __hsub(q, s));
    same("__hmul2", x * y, __hmul(p, r), __hmul(q, s));
    same("__hfma2", __hfma2(x, y, x), __hfma(p, r, p), __hfma(q, s, q));
    same("__hmax2", __hmax2(x, y), __hmax(p, r), __hmax(q, s));
    same("__hmin2", __hmin2(x, y), __hmin(p, r), __hmin(q, s));
    same("__hneg2", -x, __hneg(p), __hneg(q));
    same("__hlt2", __hlt2(x, y), T(__hlt(p, r) ? 1.0f : 0.0f), T(__hlt(q, s) ? 1.0f : 0.0f));
    same("__lowhigh2highlow", __lowhigh2highlow(x), q, p);
    expect("__hge2_mask", __hge2_mask(x, y), (__hge(p, r) ? 0xffffu : 0) | (__hge(q, s) ? 0xffff0000u : 0), a, b);
    expect("__hbeq2", __hbeq2(x, y), __heq(p, r) && __heq(q, s), a, b);
    expect("__hbneu2", x != y, __hneu(p, r) && __hneu(q, s), a, b);
}

template <typename T> static void check_format() {
    for (unsigned a = 0; a < 0x10000; a++) check_one<T>(a);
    static operands o(format<T>::name, format<T>::kinds), other("the other lane", format<T>::kinds);
    /* Every number with some others, in both orders. */
    for (unsigned a = 0; a < 0x10000; a++) {
        for (unsigned k = 0; k < 8; k++) {
            unsigned b = (unsigned)o.b[(a * 8 + k) % operands::COUNT];
            check_two<T>(a, b);
            check_two<T>(b, a);
        }
    }
    for (size_t i = 0; i < operands::COUNT; i++) {
        unsigned a = (unsigned)o.a[i], b = (unsigned)o.b[i], c = (unsigned)o.c[i];
        check_two<T>(a, b);
        check_three<T>(a, b, c);
        /* c near -a b: what is left after cancellation. */
        check_three<T>(a, b, slow_round<T>(-value<T>(a) * value<T>(b)));
        check_three<T>(a, b, (slow_round<T>(-value<T>(a) * value<T>(b)) + 1) & 0xffff);
        check_pairs<T>(a, (unsigned)other.a[i], b, (unsigned)other.b[i]);
    }
}

// ---------------------------------------------------------------- conversions of half

template <typename T> static uint64_t slow_integer(double x, double low, double beyond, T least, T most, T nan) {
    return std::isnan(x) ? (uint64_t)nan : x < low ? (uint64_t)least : x >= beyond ? (uint64_t)most : (uint64_t)(T)x;
}
#define FOR_MODES(CHECK) \
    CHECK(rn, rint, NEAREST) CHECK(rz, trunc, TOWARDS_ZERO) CHECK(ru, ceil, UP) CHECK(rd, floor, DOWN)

static void check_half_conversions() {
    for (unsigned a = 0; a < 0x10000; a++) {
        double x = half_value((uint16_t)a);
        __half h = from<__half>(a);
#define CHECK(mode, rule, MODE)                                                                                       \
    expect("__half2int_" #mode, (uint64_t)(int64_t)__half2int_##mode(h),                                              \
           slow_integer<int>(rule(x), -0x1p31, 0x1p31, INT32_MIN, INT32_MAX, 0), a);                                  \
    expect("__half2uint_" #mode, __half2uint_##mode(h), slow_integer<unsigned>(rule(x), 0, 0x1p32, 0, UINT32_MAX, 0), \
           a);                                                                                                        \
    expect("__half2short_" #mode, (uint64_t)(int64_t)__half2short_##mode(h),                                          \
           slow_integer<short>(rule(x), -0x1p15, 0x1p15, INT16_MIN, INT16_MAX, 0), a);                                \
    expect("__half2ushort_" #mode, __half2ushort_##mode(h),                                                           \
           slow_integer<unsigned short>(rule(x), 0, 0x1p16, 0, UINT16_MAX, 0), a);                                    \
    expect("__half2ll_" #mode, (uint64_t)__half2ll_##mode(h),                                                         \
           slow_integer<long long>(rule(x), -0x1p63, 0x1p63, INT64_MIN, INT64_MAX, INT64_MIN), a);                    \
    expect("__half2ull_" #mode, __half2ull_##mode(h),                                                                 \
           slow_integer<unsigned long long>(rule(x), 0, 0x1p64, 0, UINT64_MAX, 1ull << 63), a);
        FOR_MODES(CHECK)
#undef CHECK
        expect("__half2char_rz", (uint64_t)(int64_t)__half2char_rz(h),
               slow_integer<signed char>(trunc(x), -128, 128, -128, 127, 0), a);
        expect("__half2uchar_rz", __half2uchar_rz(h), slow_integer<unsigned char>(trunc(x), 0, 256, 0, 255, 0), a);
    }
    static operands f("to half", "f"), q("to half", "q"), w("to half", "w"), d("to half", "d");
    for (size_t i = 0; i < operands::COUNT; i++) {
        float x = as_float(f.a[i]);
        long long l = (long long)q.a[i];
        /* Beyond 2^53 a double would round; any number that large is beyond half's range, too. */
        double from_signed = (double)(l > (1ll << 53) ? 1ll << 53 : l < -(1ll << 53) ? -(1ll << 53) : l);
        double from_unsigned = (double)(q.a[i] > 1ull << 53 ? 1ull << 53 : q.a[i]);
#define CHECK(mode, rule, MODE)                                                                                       \
    expect("__float2half_" #mode, bits(__float2half_##mode(x)), slow_round<__half>(x, MODE), f.a[i]);                 \
    expect("__ll2half_" #mode, bits(__ll2half_##mode(l)), slow_round<__half>(from_signed, MODE), q.a[i]);             \
    expect("__ull2half_" #mode, bits(__ull2half_##mode(q.a[i])), slow_round<__half>(from_unsigned, MODE), q.a[i]);    \
    expect("__int2half_" #mode, bits(__int2half_##mode((int)w.a[i])), slow_round<__half>((int)w.a[i], MODE), w.a[i]); \
    expect("__uint2half_" #mode, bits(__uint2half_##mode((unsigned)w.a[i])),                                          \
           slow_round<__half>((unsigned)w.a[i], MODE), w.a[i]);                                                       \
    expect("__short2half_" #mode, bits(__short2half_##mode((short)w.a[i])), slow_round<__half>((short)w.a[i], MODE),  \
           w.a[i]);                                                                                                   \
    expect("__ushort2half_" #mode, bits(__ushort2half_##mode((unsigned short)w.a[i])),                                \
           slow_round<__half>((unsigned short)w.a[i], MODE), w.a[i]);
        FOR_MODES(CHECK)
#undef CHECK
        expect("__double2half", bits(__double2half(as_double(d.a[i]))), slow_round<__half>(as_double(d.a[i])), d.a[i]);
    }
}

/* Patterns 0 to 2047 count in units of 2^-24, and so do sums up to 2048: what an alignment kernel that keeps its
   scores in half2 rests on. */
static void check_patterns() {
    for (unsigned a = 0; a <= 2048; a++)
        for (unsigned b = 0; a + b <= 2048; b++)
            expect("__hadd of patterns", bits(__hadd(from<__half>(a), from<__half>(b))), a + b, a, b);
}

void check_halves() {
    check_format<__half>();
    check_half_conversions();
    check_patterns();
}

void check_bfloat16() {
    check_format<__nv_bfloat16>();
    static operands f("to bfloat16", "f"), w("to bfloat16", "w");
    for (size_t i = 0; i < operands::COUNT; i++) {
        float x = as_float(f.a[i]);
#define CHECK(mode, rule, MODE)                                                                                      \
    expect("__float2bfloat16_" #mode, bits(__float2bfloat16_##mode(x)), slow_round<__nv_bfloat16>(x, MODE), f.a[i]); \
    expect("__int2bfloat16_" #mode, bits(__int2bfloat16_##mode((int)w.a[i])),                                        \
           slow_round<__nv_bfloat16>((int)w.a[i], MODE), w.a[i]);                                                    \
    expect("__uint2bfloat16_" #mode, bits(__uint2bfloat16_##mode((unsigned)w.a[i])),                                 \
           slow_round<__nv_bfloat16>((unsigned)w.a[i], MODE), w.a[i]);
        FOR_MODES(CHECK)
#undef CHECK
    }
}
