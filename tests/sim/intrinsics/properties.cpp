/* The program, and the properties of vector types and integer functions. */
#include "properties.h"

#include <cstddef>

#include "sim_integer.h"
#include "sim_math.h"
#include "vector_types.h"

size_t properties_checked, properties_failed;

// ---------------------------------------------------------------- vector types: CUDA Programming Guide, table 7

#define LAYOUT(type, size, alignment) static_assert(sizeof(type) == (size) && alignof(type) == (alignment), #type)
LAYOUT(char1, 1, 1);
LAYOUT(char2, 2, 2);
LAYOUT(char3, 3, 1);
LAYOUT(char4, 4, 4);
LAYOUT(uchar4, 4, 4);
LAYOUT(short1, 2, 2);
LAYOUT(short2, 4, 4);
LAYOUT(short3, 6, 2);
LAYOUT(short4, 8, 8);
LAYOUT(ushort4, 8, 8);
LAYOUT(int1, 4, 4);
LAYOUT(int2, 8, 8);
LAYOUT(int3, 12, 4);
LAYOUT(int4, 16, 16);
LAYOUT(uint3, 12, 4);
LAYOUT(uint4, 16, 16);
LAYOUT(long2, 16, 16);
LAYOUT(long4, 32, 16);
LAYOUT(longlong1, 8, 8);
LAYOUT(longlong2, 16, 16);
LAYOUT(longlong3, 24, 8);
LAYOUT(longlong4, 32, 16);
LAYOUT(float1, 4, 4);
LAYOUT(float2, 8, 8);
LAYOUT(float3, 12, 4);
LAYOUT(float4, 16, 16);
LAYOUT(double1, 8, 8);
LAYOUT(double2, 16, 16);
LAYOUT(double3, 24, 8);
LAYOUT(double4, 32, 16);
LAYOUT(double4_32a, 32, 32);
LAYOUT(dim3, 12, 4);
static_assert(offsetof(char4, w) == 3 && offsetof(int4, w) == 12 && offsetof(double3, z) == 16, "members in order");
static_assert(dim3(7).y == 1 && dim3(7).z == 1 && dim3().x == 1 && dim3(1, 2, 3).z == 3, "missing dimensions are 1");

// ---------------------------------------------------------------- integers

static int slow_count(uint64_t x) {
    int count = 0;
    for (; x != 0; x >>= 1) count += x & 1;
    return count;
}
static int slow_leading_zeros(uint64_t x, int width) {
    int count = 0;
    for (int i = width - 1; i >= 0 && (x >> i & 1) == 0; i--) count++;
    return count;
}
static int slow_first_set(uint64_t x) {
    for (int i = 0; i < 64; i++)
        if (x >> i & 1) return i + 1;
    return 0;
}
static uint64_t slow_reverse(uint64_t x, int width) {
    uint64_t reversed = 0;
    for (int i = 0; i < width; i++) reversed |= (x >> i & 1) << (width - 1 - i);
    return reversed;
}
/* Bits from..from+31 of hi:lo, bits outside it 0. */
static unsigned slow_window(unsigned lo, unsigned hi, int from) {
    unsigned window = 0;
    for (int i = 0; i < 32; i++) {
        int at = from + i;
        unsigned bit = at < 0 || at > 63 ? 0 : at < 32 ? lo >> at & 1 : hi >> (at - 32) & 1;
        window |= bit << i;
    }
    return window;
}
/* As CUDA's documentation of __byte_perm has it, statement by statement. */
static unsigned slow_byte_perm(unsigned x, unsigned y, unsigned s) {
    unsigned char tmp64[8], res[4];
    for (int i = 0; i < 4; i++) tmp64[i] = (unsigned char)(x >> 8 * i), tmp64[4 + i] = (unsigned char)(y >> 8 * i);
    unsigned selector0 = (s >> 0) & 0x7, selector1 = (s >> 4) & 0x7, selector2 = (s >> 8) & 0x7,
             selector3 = (s >> 12) & 0x7;
    res[0] = tmp64[selector0], res[1] = tmp64[selector1], res[2] = tmp64[selector2], res[3] = tmp64[selector3];
    return res[0] | (unsigned)res[1] << 8 | (unsigned)res[2] << 16 | (unsigned)res[3] << 24;
}
/* Field i of `width` bits of a word. */
static int64_t field(uint64_t word, int i, int width, bool is_signed) {
    uint64_t value = word >> (i * width) & ((1u << width) - 1);
    return is_signed && value >> (width - 1) ? (int64_t)value - (1 << width) : (int64_t)value;
}
static uint64_t slow_dot(uint64_t a, uint64_t b, uint64_t c, int terms, int a_width, int b_first, bool is_signed) {
    int64_t sum = (int64_t)c;
    for (int i = 0; i < terms; i++) sum += field(a, i, a_width, is_signed) * field(b, b_first + i, 8, is_signed);
    return (uint32_t)sum;
}

static void check_integers() {
    static operands o("integers", "www");
    for (size_t i = 0; i < operands::COUNT; i++) {
        unsigned a = (unsigned)o.a[i], b = (unsigned)o.b[i], c = (unsigned)o.c[i];
        int x = (int)a, y = (int)b;
        expect("__popc", __popc(a), slow_count(a), a);
        expect("__clz", __clz(x), slow_leading_zeros(a, 32), a);
        expect("__ffs", __ffs(x), slow_first_set(a), a);
        expect("__brev", __brev(a), slow_reverse(a, 32), a);
        expect("__byte_perm", __byte_perm(a, b, c), slow_byte_perm(a, b, c), a, b, c);
        int shift = c % 32, clamped = c < 32 ? (int)c : 32;
        expect("__funnelshift_l", __funnelshift_l(a, b, c), slow_window(a, b, 32 - shift), a, b, c);
        expect("__funnelshift_r", __funnelshift_r(a, b, c), slow_window(a, b, shift), a, b, c);
        expect("__funnelshift_lc", __funnelshift_lc(a, b, c), slow_window(a, b, 32 - clamped), a, b, c);
        expect("__funnelshift_rc", __funnelshift_rc(a, b, c), slow_window(a, b, clamped), a, b, c);
        expect("__mulhi", (unsigned)__mulhi(x, y),
               (unsigned)((int64_t)x * y / (1ll << 32) - ((int64_t)x * y % (1ll << 32) < 0)), a, b);
        expect("__umulhi", __umulhi(a, b), (uint64_t)a * b / (1ull << 32), a, b);
        expect("__mul24", (unsigned)__mul24(x, y), (uint32_t)(field(a, 0, 24, true) * field(b, 0, 24, true)), a, b);
        expect("__umul24", __umul24(a, b), (uint32_t)(field(a, 0, 24, false) * field(b, 0, 24, false)), a, b);
        int64_t sum = (int64_t)x + y, difference = (int64_t)x - y;
        expect("__hadd", (unsigned)__hadd(x, y), (uint32_t)((sum - (sum & 1)) / 2), a, b);
        expect("__rhadd", (unsigned)__rhadd(x, y), (uint32_t)((sum + (sum & 1)) / 2), a, b);
        expect("__uhadd", __uhadd(a, b), ((uint64_t)a + b) / 2, a, b);
        expect("__urhadd", __urhadd(a, b), ((uint64_t)a + b + 1) / 2, a, b);
        expect("__sad", __sad(x, y, c), (uint32_t)((uint64_t)(difference < 0 ? -difference : difference) + c), a, b, c);
        int64_t unsigned_difference = (int64_t)a - b;
        expect("__usad", __usad(a, b, c),
               (uint32_t)((uint64_t)(unsigned_difference < 0 ? -unsigned_difference : unsigned_difference) + c), a, b,
               c);
        expect("__dp4a int", (unsigned)__dp4a(x, y, (int)c), slow_dot(a, b, c, 4, 8, 0, true), a, b, c);
        expect("__dp4a unsigned", __dp4a(a, b, c), slow_dot(a, b, c, 4, 8, 0, false), a, b, c);
        expect("__dp2a_lo int", (unsigned)__dp2a_lo(x, y, (int)c), slow_dot(a, b, c, 2, 16, 0, true), a, b, c);
        expect("__dp2a_lo unsigned", __dp2a_lo(a, b, c), slow_dot(a, b, c, 2, 16, 0, false), a, b, c);
        expect("__dp2a_hi int", (unsigned)__dp2a_hi(x, y, (int)c), slow_dot(a, b, c, 2, 16, 2, true), a, b, c);
        expect("__dp2a_hi unsigned", __dp2a_hi(a, b, c), slow_dot(a, b, c, 2, 16, 2, false), a, b, c);
        expect("min mixed", min(x, b), a < b ? a : b, a, b);
        expect("max mixed", max(a, y), a < b ? b : a, a, b);
    }
    for (unsigned s = 0; s < 0x20000; s++)
        expect("__byte_perm", __byte_perm(0x33221100, 0x77665544, s), slow_byte_perm(0x33221100, 0x77665544, s), s);
    char4 bytes = make_char4(-128, 127, -1, 3), others = make_char4(-128, -128, 127, 2);
    expect("__dp4a char4", (unsigned)__dp4a(bytes, others, 10), (uint32_t)(16384 - 16256 - 127 + 6 + 10), 0);
    expect("__dp2a_hi", (unsigned)__dp2a_hi(make_short2(-32768, 7), bytes, 1), (uint32_t)(32768 + 21 + 1), 0);

    static operands q("long integers", "qq");
    for (size_t i = 0; i < operands::COUNT; i++) {
        uint64_t a = q.a[i], b = q.b[i];
        expect("__popcll", __popcll(a), slow_count(a), a);
        expect("__clzll", __clzll((int64_t)a), slow_leading_zeros(a, 64), a);
        expect("__ffsll", __ffsll((int64_t)a), slow_first_set(a), a);
        expect("__brevll", __brevll(a), slow_reverse(a, 64), a);
        /* By hand, in 32-bit digits. */
        uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
        uint64_t middle = (a0 * b0 >> 32) + (uint32_t)(a1 * b0) + (uint32_t)(a0 * b1);
        uint64_t high = a1 * b1 + (a1 * b0 >> 32) + (a0 * b1 >> 32) + (middle >> 32);
        expect("__umul64hi", __umul64hi(a, b), high, a, b);
        expect("__mul64hi", __mul64hi((int64_t)a, (int64_t)b), high - (a >> 63 ? b : 0) - (b >> 63 ? a : 0), a, b);
    }
}

int main() {
    check_integers();
    check_simd();
    check_floats();
    check_halves();
    check_bfloat16();
    printf("%zu results, %zu wrong\n", properties_checked, properties_failed);
    return properties_failed > 0;
}
