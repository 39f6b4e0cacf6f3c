/* SIMD-in-a-word and DPX functions, lane by lane in 64-bit arithmetic. */
#include "properties.h"

#include "sim_dpx.h"

typedef int64_t lane_function(int64_t a, int64_t b, int64_t c, int width);

static int64_t lane(uint64_t word, int i, int width, bool is_signed) {
    int64_t value = (int64_t)(word >> (i * width) & ((1ull << width) - 1));
    return is_signed && value >> (width - 1) ? value - (1ll << width) : value;
}
/* The function in every lane; whatever it gives is cut to the lane's width. */
static uint64_t each(lane_function *function, int width, bool is_signed, uint64_t a, uint64_t b, uint64_t c) {
    uint64_t word = 0;
    for (int i = 0; i < 32 / width; i++) {
        uint64_t value = (uint64_t)function(lane(a, i, width, is_signed), lane(b, i, width, is_signed),
                                            lane(c, i, width, is_signed), width);
        word |= (value & ((1ull << width) - 1)) << (i * width);
    }
    return word;
}
static uint64_t sum_of(lane_function *function, int width, bool is_signed, uint64_t a, uint64_t b) {
    uint64_t sum = 0;
    for (int i = 0; i < 32 / width; i++)
        sum += (uint64_t)function(lane(a, i, width, is_signed), lane(b, i, width, is_signed), 0, width);
    return sum;
}

static int64_t least(int width) { return -(1ll << (width - 1)); }
static int64_t most(int width) { return (1ll << (width - 1)) - 1; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t clamp_signed(int64_t x, int width) { return smaller(larger(x, least(width)), most(width)); }
static int64_t clamp_unsigned(int64_t x, int width) { return smaller(larger(x, 0), (1ll << width) - 1); }
static int64_t wrap_signed(int64_t x, int width) { return lane((uint64_t)x, 0, width, true); }
static int64_t wrap_unsigned(int64_t x, int width) { return lane((uint64_t)x, 0, width, false); }

#define FUNCTION [](int64_t a, int64_t b, int64_t c, int width) -> int64_t
#define UNUSED (void)a, (void)b, (void)c, (void)width

#define CHECK_1(name, width, is_signed, expression) \
    expect(#name, name(a),                          \
           each(                                    \
               FUNCTION {                           \
                   UNUSED;                          \
                   return expression;               \
               },                                   \
               width, is_signed, a, b, c),          \
           a)
#define CHECK_2(name, width, is_signed, expression) \
    expect(#name, name(a, b),                       \
           each(                                    \
               FUNCTION {                           \
                   UNUSED;                          \
                   return expression;               \
               },                                   \
               width, is_signed, a, b, c),          \
           a, b)
#define CHECK_3(name, width, is_signed, expression) \
    expect(#name, (unsigned)name(a, b, c),          \
           each(                                    \
               FUNCTION {                           \
                   UNUSED;                          \
                   return expression;               \
               },                                   \
               width, is_signed, a, b, c),          \
           a, b, c)
#define CHECK_COMPARISON(relation, n, width, is_signed, expression)        \
    CHECK_2(__vcmp##relation##n, width, is_signed, (expression) ? -1 : 0); \
    CHECK_2(__vset##relation##n, width, is_signed, (expression) ? 1 : 0)

#define CHECK_FAMILY(n, width)                                              \
    CHECK_2(__vadd##n, width, false, a + b);                                \
    CHECK_2(__vaddss##n, width, true, clamp_signed(a + b, width));          \
    CHECK_2(__vaddus##n, width, false, clamp_unsigned(a + b, width));       \
    CHECK_2(__vsub##n, width, false, a - b);                                \
    CHECK_2(__vsubss##n, width, true, clamp_signed(a - b, width));          \
    CHECK_2(__vsubus##n, width, false, clamp_unsigned(a - b, width));       \
    CHECK_1(__vabs##n, width, true, a < 0 ? -a : a);                        \
    CHECK_1(__vabsss##n, width, true, clamp_signed(a < 0 ? -a : a, width)); \
    CHECK_1(__vneg##n, width, true, -a);                                    \
    CHECK_1(__vnegss##n, width, true, clamp_signed(-a, width));             \
    CHECK_2(__vavgs##n, width, true, (a + b + (a + b >= 0)) >> 1);          \
    CHECK_2(__vavgu##n, width, false, (a + b + 1) >> 1);                    \
    CHECK_2(__vhaddu##n, width, false, (a + b) >> 1);                       \
    CHECK_2(__vmaxs##n, width, true, larger(a, b));                         \
    CHECK_2(__vmaxu##n, width, false, larger(a, b));                        \
    CHECK_2(__vmins##n, width, true, smaller(a, b));                        \
    CHECK_2(__vminu##n, width, false, smaller(a, b));                       \
    CHECK_2(__vabsdiffs##n, width, true, a > b ? a - b : b - a);            \
    CHECK_2(__vabsdiffu##n, width, false, a > b ? a - b : b - a);           \
    expect("__vsads" #n, __vsads##n(a, b),                                  \
           sum_of(                                                          \
               FUNCTION {                                                   \
                   UNUSED;                                                  \
                   return a > b ? a - b : b - a;                            \
               },                                                           \
               width, true, a, b),                                          \
           a, b);                                                           \
    expect("__vsadu" #n, __vsadu##n(a, b),                                  \
           sum_of(                                                          \
               FUNCTION {                                                   \
                   UNUSED;                                                  \
                   return a > b ? a - b : b - a;                            \
               },                                                           \
               width, false, a, b),                                         \
           a, b);                                                           \
    CHECK_COMPARISON(eq, n, width, false, a == b);                          \
    CHECK_COMPARISON(ne, n, width, false, a != b);                          \
    CHECK_COMPARISON(lts, n, width, true, a < b);                           \
    CHECK_COMPARISON(ltu, n, width, false, a < b);                          \
    CHECK_COMPARISON(les, n, width, true, a <= b);                          \
    CHECK_COMPARISON(leu, n, width, false, a <= b);                         \
    CHECK_COMPARISON(gts, n, width, true, a > b);                           \
    CHECK_COMPARISON(gtu, n, width, false, a > b);                          \
    CHECK_COMPARISON(ges, n, width, true, a >= b);                          \
    CHECK_COMPARISON(geu, n, width, false, a >= b)

#define CHECK_DPX(suffix, width, is_signed, wrap)                                  \
    CHECK_3(__vimax3_##suffix, width, is_signed, larger(larger(a, b), c));         \
    CHECK_3(__vimin3_##suffix, width, is_signed, smaller(smaller(a, b), c));       \
    CHECK_3(__viaddmax_##suffix, width, is_signed, larger(wrap(a + b, width), c)); \
    CHECK_3(__viaddmin_##suffix, width, is_signed, smaller(wrap(a + b, width), c))
#define CHECK_DPX_RELU(suffix, width)                                                                  \
    CHECK_3(__vimax3_##suffix##_relu, width, true, larger(larger(larger(a, b), c), 0));                \
    CHECK_3(__vimin3_##suffix##_relu, width, true, larger(smaller(smaller(a, b), c), 0));              \
    CHECK_3(__viaddmax_##suffix##_relu, width, true, larger(larger(wrap_signed(a + b, width), c), 0)); \
    CHECK_3(__viaddmin_##suffix##_relu, width, true, larger(smaller(wrap_signed(a + b, width), c), 0))

static void check_predicates(uint32_t a, uint32_t b) {
    bool won, high, low;
    int x = (int)a, y = (int)b;
    expect("__vibmax_s32", (unsigned)__vibmax_s32(x, y, &won), (uint32_t)larger(x, y), a, b);
    expect("__vibmax_s32 predicate", won, x >= y, a, b);
    expect("__vibmin_s32", (unsigned)__vibmin_s32(x, y, &won), (uint32_t)smaller(x, y), a, b);
    expect("__vibmin_s32 predicate", won, x <= y, a, b);
    expect("__vibmax_u32", __vibmax_u32(a, b, &won), a > b ? a : b, a, b);
    expect("__vibmax_u32 predicate", won, a >= b, a, b);
    expect("__vibmin_u32", __vibmin_u32(a, b, &won), a < b ? a : b, a, b);
    expect("__vibmin_u32 predicate", won, a <= b, a, b);
#define CHECK_PREDICATES(name, is_signed, pick, relation)                                            \
    expect(#name, name(a, b, &high, &low),                                                           \
           each(                                                                                     \
               FUNCTION {                                                                            \
                   UNUSED;                                                                           \
                   return pick(a, b);                                                                \
               },                                                                                    \
               16, is_signed, a, b, 0),                                                              \
           a, b);                                                                                    \
    expect(#name " high", high, lane(a, 1, 16, is_signed) relation lane(b, 1, 16, is_signed), a, b); \
    expect(#name " low", low, lane(a, 0, 16, is_signed) relation lane(b, 0, 16, is_signed), a, b)
    CHECK_PREDICATES(__vibmax_s16x2, true, larger, >=);
    CHECK_PREDICATES(__vibmax_u16x2, false, larger, >=);
    CHECK_PREDICATES(__vibmin_s16x2, true, smaller, <=);
    CHECK_PREDICATES(__vibmin_u16x2, false, smaller, <=);
}

void check_simd() {
    static operands o("simd", "www");
    for (size_t i = 0; i < operands::COUNT; i++) {
        uint32_t a = (uint32_t)o.a[i], b = (uint32_t)o.b[i], c = (uint32_t)o.c[i];
        CHECK_FAMILY(2, 16);
        CHECK_FAMILY(4, 8);
        CHECK_DPX(s16x2, 16, true, wrap_signed);
        CHECK_DPX(u16x2, 16, false, wrap_unsigned);
        CHECK_DPX_RELU(s16x2, 16);
        CHECK_DPX(s32, 32, true, wrap_signed);
        CHECK_DPX(u32, 32, false, wrap_unsigned);
        CHECK_DPX_RELU(s32, 32);
        CHECK_2(__vimax_s16x2_relu, 16, true, larger(larger(a, b), 0));
        CHECK_2(__vimin_s16x2_relu, 16, true, larger(smaller(a, b), 0));
        expect("__vimax_s32_relu", (unsigned)__vimax_s32_relu((int)a, (int)b),
               (uint32_t)larger(larger((int)a, (int)b), 0), a, b);
        expect("__vimin_s32_relu", (unsigned)__vimin_s32_relu((int)a, (int)b),
               (uint32_t)larger(smaller((int)a, (int)b), 0), a, b);
        check_predicates(a, b);
    }
    /* Every pair of bytes, in one lane with its neighbours all zero and all one: nothing crosses a lane's border. */
    for (uint32_t x = 0; x < 256; x++) {
        for (uint32_t y = 0; y < 256; y++) {
            uint32_t a = x << 8 | 0xff000000, b = y << 8 | 0x00ff00ff, c = 0;
            CHECK_FAMILY(4, 8);
        }
    }
}
