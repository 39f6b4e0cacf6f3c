/* Floating-point arithmetic and conversions, against the host processor's own rounding modes. Compiled with
   -frounding-math, so that the compiler leaves operations where the mode is set. */
#include "properties.h"

#include <cfenv>
#include <cmath>

#include "sim_convert.h"
#include "sim_float.h"
#include "sim_math.h"

#define MODES(CHECK) CHECK(rn, FE_TONEAREST) CHECK(rz, FE_TOWARDZERO) CHECK(ru, FE_UPWARD) CHECK(rd, FE_DOWNWARD)

#define CHECK_FLOAT(name, found, mode, expression, ...)                      \
    do {                                                                     \
        fesetround(mode);                                                    \
        volatile float expected = (expression);                              \
        fesetround(FE_TONEAREST);                                            \
        expect(name, bits_of(found), bits_of((float)expected), __VA_ARGS__); \
    } while (0)

static void check_arithmetic() {
    static operands o("float arithmetic", "fff");
    static operands pairs("float pairs", "ff"); /* with b near -a */
    for (size_t i = 0; i < 2 * operands::COUNT; i++) {
        operands &from = i < operands::COUNT ? o : pairs;
        size_t k = i % operands::COUNT;
        uint64_t a = from.a[k], b = from.b[k], c = from.c[k];
        volatile float x = as_float(a), y = as_float(b), z = as_float(c);
#define CHECK(mode, host)                                                 \
    CHECK_FLOAT("__fadd_" #mode, __fadd_##mode(x, y), host, x + y, a, b); \
    CHECK_FLOAT("__fsub_" #mode, __fsub_##mode(x, y), host, x - y, a, b); \
    CHECK_FLOAT("__fmul_" #mode, __fmul_##mode(x, y), host, x *y, a, b);  \
    CHECK_FLOAT("__fdiv_" #mode, __fdiv_##mode(x, y), host, x / y, a, b); \
    CHECK_FLOAT("__frcp_" #mode, __frcp_##mode(x), host, 1.0f / x, a);    \
    CHECK_FLOAT("__fsqrt_" #mode, __fsqrt_##mode(x), host, sqrtf(x), a);  \
    CHECK_FLOAT("__fmaf_" #mode, __fmaf_##mode(x, y, z), host, fmaf(x, y, z), a, b, c);
        MODES(CHECK)
#undef CHECK
    }
}

/* `x` rounded to a whole number by `rule`, as a T: the range's ends beyond it, `nan` for a NaN. */
template <typename T>
static uint64_t slow_integer(double x, double (*rule)(double), double low, double beyond, uint64_t nan) {
    if (std::isnan(x)) return nan;
    double whole = rule(x);
    if (whole < low) return (uint64_t)(T)low;
    if (whole >= beyond) return (uint64_t)(T)((T)low - 1); /* the largest: one before the smallest */
    return (uint64_t)(T)whole;
}
template <> uint64_t slow_integer<int>(double x, double (*rule)(double), double low, double beyond, uint64_t nan) {
    if (std::isnan(x)) return (uint32_t)nan;
    double whole = rule(x);
    return (uint32_t)(whole < low ? INT32_MIN : whole >= beyond ? INT32_MAX : (int)whole);
}
template <>
uint64_t slow_integer<long long>(double x, double (*rule)(double), double low, double beyond, uint64_t nan) {
    if (std::isnan(x)) return nan;
    double whole = rule(x);
    return (uint64_t)(whole < low ? INT64_MIN : whole >= beyond ? INT64_MAX : (long long)whole);
}
#define RULE_rn rint
#define RULE_rz trunc
#define RULE_ru ceil
#define RULE_rd floor

/* Is x the largest number that is at most n; the smallest that is at least n? long double holds all 64 bits of n. */
template <typename T> static bool next_below(T x, unsigned long long n) {
    return (long double)x <= (long double)n && (long double)std::nextafter(x, (T)INFINITY) > (long double)n;
}
template <typename T> static bool next_above(T x, unsigned long long n) {
    return (long double)x >= (long double)n && (long double)std::nextafter(x, -(T)INFINITY) < (long double)n;
}

static void check_conversions() {
    const uint64_t highest = 1ull << 63;
    static operands f("float conversions", "f"), d("double conversions", "d"), q("long conversions", "q"),
        w("conversions", "w");
    for (size_t i = 0; i < operands::COUNT; i++) {
        float x = as_float(f.a[i]);
        double y = as_double(d.a[i]);
        volatile double vy = y;
#define CHECK(mode, host)                                                                                             \
    expect("__float2int_" #mode, (unsigned)__float2int_##mode(x),                                                     \
           slow_integer<int>(x, RULE_##mode, -0x1p31, 0x1p31, 0), f.a[i]);                                            \
    expect("__float2uint_" #mode, __float2uint_##mode(x), slow_integer<unsigned>(x, RULE_##mode, 0, 0x1p32, 0),       \
           f.a[i]);                                                                                                   \
    expect("__float2ll_" #mode, __float2ll_##mode(x),                                                                 \
           slow_integer<long long>(x, RULE_##mode, -0x1p63, 0x1p63, highest), f.a[i]);                                \
    expect("__float2ull_" #mode, __float2ull_##mode(x), slow_integer<uint64_t>(x, RULE_##mode, 0, 0x1p64, highest),   \
           f.a[i]);                                                                                                   \
    expect("__double2int_" #mode, (unsigned)__double2int_##mode(y),                                                   \
           slow_integer<int>(y, RULE_##mode, -0x1p31, 0x1p31, 1u << 31), d.a[i]);                                     \
    expect("__double2uint_" #mode, __double2uint_##mode(y),                                                           \
           slow_integer<unsigned>(y, RULE_##mode, 0, 0x1p32, 1u << 31), d.a[i]);                                      \
    expect("__double2ll_" #mode, __double2ll_##mode(y),                                                               \
           slow_integer<long long>(y, RULE_##mode, -0x1p63, 0x1p63, highest), d.a[i]);                                \
    expect("__double2ull_" #mode, __double2ull_##mode(y), slow_integer<uint64_t>(y, RULE_##mode, 0, 0x1p64, highest), \
           d.a[i]);                                                                                                   \
    CHECK_FLOAT("__double2float_" #mode, __double2float_##mode(y), host, (float)vy, d.a[i]);
        MODES(CHECK)
#undef CHECK
        volatile int n = (int)w.a[i];
        volatile unsigned u = (unsigned)w.a[i];
        volatile long long l = (long long)q.a[i];
        volatile unsigned long long m = q.a[i];
#define CHECK(mode, host)                                                                                   \
    CHECK_FLOAT("__int2float_" #mode, __int2float_##mode(n), host, (float)n, w.a[i]);                       \
    CHECK_FLOAT("__uint2float_" #mode, __uint2float_##mode(u), host, (float)u, w.a[i]);                     \
    CHECK_FLOAT("__ll2float_" #mode, __ll2float_##mode(l), host, (float)l, q.a[i]);                         \
    {                                                                                                       \
        fesetround(host);                                                                                   \
        volatile double from_signed = (double)l;                                                            \
        fesetround(FE_TONEAREST);                                                                           \
        expect("__ll2double_" #mode, bits_of(__ll2double_##mode(l)), bits_of((double)from_signed), q.a[i]); \
    }
        MODES(CHECK)
#undef CHECK
        /* The host compiler's conversion of unsigned 64-bit numbers is a sequence that is right to nearest only. In the
           other modes: the result lies on the right side of the number, and no neighbour lies between them. */
        expect("__ull2float_rn", bits_of(__ull2float_rn(m)), bits_of((float)m), m);
        expect("__ull2double_rn", bits_of(__ull2double_rn(m)), bits_of((double)m), m);
        expect("__ull2float_rz", next_below(__ull2float_rz(m), m), 1, m);
        expect("__ull2float_rd", next_below(__ull2float_rd(m), m), 1, m);
        expect("__ull2float_ru", next_above(__ull2float_ru(m), m), 1, m);
        expect("__ull2double_rz", next_below(__ull2double_rz(m), m), 1, m);
        expect("__ull2double_rd", next_below(__ull2double_rd(m), m), 1, m);
        expect("__ull2double_ru", next_above(__ull2double_ru(m), m), 1, m);
    }
    for (size_t i = 0; i < operands::COUNT; i++) {
        double y = as_double(d.a[i]);
        expect("__hiloint2double", bits_of(__hiloint2double(__double2hiint(y), __double2loint(y))), bits_of(y), d.a[i]);
    }
}

/* The smaller number; a NaN loses, -0 lies below +0. */
template <typename T> static T slow_min(T x, T y) {
    if (std::isnan(x)) return y;
    if (std::isnan(y)) return x;
    if (x == 0 && y == 0) return std::signbit(x) ? x : y;
    return x < y ? x : y;
}

static void check_min_max() {
    static operands o("min max", "ff"), p("min max", "dd");
    for (size_t i = 0; i < operands::COUNT; i++) {
        float x = as_float(o.a[i]), y = as_float(o.b[i]);
        expect("min float", bits_of(min(x, y)), bits_of(slow_min(x, y)), o.a[i], o.b[i]);
        expect("max float", bits_of(max(x, y)), bits_of(-slow_min(-x, -y)), o.a[i], o.b[i]);
        double u = as_double(p.a[i]), v = as_double(p.b[i]);
        expect("min double", bits_of(min(u, v)), bits_of(slow_min(u, v)), p.a[i], p.b[i]);
        expect("max double", bits_of(max(u, v)), bits_of(-slow_min(-u, -v)), p.a[i], p.b[i]);
        expect("__saturatef", bits_of(__saturatef(x)), bits_of(x > 1 ? 1.0f : x > 0 ? x : 0.0f), o.a[i]);
    }
    expect("__fdividef large", bits_of(__fdividef(3.0f, 0x1.8p126f)), 0, 0);
    expect("__fdividef", bits_of(__fdividef(3.0f, 0x1p126f)), bits_of(0x1.8p-125f), 0);
    expect("__fdividef infinite", std::isnan(__fdividef(INFINITY, 0x1p127f)), 1, 0);
}

void check_floats() {
    check_arithmetic();
    check_conversions();
    check_min_max();
}
