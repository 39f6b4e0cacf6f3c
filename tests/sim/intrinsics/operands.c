#include "operands.h"

#include <math.h>
#include <string.h>

#include "harness/base/random.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

// ---------------------------------------------------------------- edge cases

static const uint32_t word_edges[] = {
    0,          1,          2,          0x7f,       0x80,       0xff,       0x100,      0x7fff,
    0x8000,     0xffff,     0x10000,    0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe,
    0x7fff7fff, 0x80008000, 0x7fff8000, 0x80007fff, 0x80808080, 0x7f7f7f7f, 0x7f80ff00, 0x00ff00ff,
    0x01010101, 0x00010001, 0xffff0000, 0xaaaaaaaa, 0x55555555, 0x00ffffff, 0x00003210, 0xfedcba98,
};
static const uint64_t quad_edges[] = {
    0,
    1,
    2,
    0xff,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    0x100000000,
    0x1000000, /* 2^24, and odd numbers above it, which a float lacks */
    0x1000001,
    0x1000003,
    0x20000000000000, /* 2^53, the same for double */
    0x20000000000001,
    0x20000000000003,
    0x3fffffffffffff,
    0x40000000000001,
    0x7fffffffffffffff,
    0x8000000000000000,
    0x8000000000000001,
    0x8000000000000400, /* 2^63 + 2^10: a tie in double */
    0x8000000000000c00,
    0xffffffffffffffff,
    0xfffffffffffffffe,
    0xfffffffffffffc00,
    0xffffff8000000000, /* a tie below 2^64 in float */
    0xffff000000000000,
    0x0123456789abcdef,
    65504,
    65519,
    65520,
    65536,
    0xffffffffffff0010, /* -65520 */
};
static const double float_edges[] = {
    0.0,           0.5,         1.0,
    1.5,           2.5,         3.5,
    0x1p-149,      0x1p-148,    0x1.fffffcp-127,
    0x1p-126,      0x1p-25,     0x1.8p-25,
    0x1p-24,       0x1.8p-24,   0x1p-14,
    0x1.ffcp-15,   0x1.ffep-15, 0x1.002p0,
    0x1.006p0,     65504.0,     65519.996,
    65520.0,       65536.0,     0x1p23,
    0x1.000002p24, 0x1p31,      0x1.fffffep30,
    0x1p32,        0x1p63,      0x1.fffffep127,
    INFINITY,      NAN,         0x1p126,
    0x1.8p126,     0x1p127,     0.1f,
    3.0,           0x1p64,
};
static const double double_edges[] = {
    0.0,
    0.5,
    1.0,
    1.5,
    2.5,
    3.5,
    0x1p-1074,
    0x1.fffffffffffffp-1023,
    0x1p-1022,
    0x1p-149,
    0x1p-150,
    0x1.8p-150,
    0x1p-24,
    0x1p-25,
    65504.0,
    65519.99999,
    65520.0,
    0x1p23,
    0x1p31,
    2147483647.5,
    0x1p32,
    0x1p53,
    0x1p62,
    0x1p63,
    0x1p64,
    0x1.fffffefp127,
    0x1.ffffffp127,
    0x1.fffffffffffffp1023,
    INFINITY,
    NAN,
    0x1.000001p0,
    0x1.0000010000001p0,
    0x1.003p0,
    0x1.0030000000001p0,
    4294967295.5,
    0.49999999999999994,
};
static const uint16_t half_edges[] = {
    0x0000, 0x0001, 0x0002, 0x0003, 0x0200, 0x03ff, 0x0400, 0x0401, 0x07ff, 0x0800, 0x3555,
    0x3800, 0x3bff, 0x3c00, 0x3c01, 0x3e00, 0x4000, 0x4100, 0x4200, 0x4248, 0x6400, 0x6800,
    0x6801, 0x7000, 0x77ff, 0x7800, 0x7bfe, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff,
};
static const uint16_t bfloat16_edges[] = {
    0x0000, 0x0001, 0x0002, 0x0003, 0x0040, 0x007f, 0x0080, 0x0081, 0x0100, 0x1f80, 0x2000,
    0x3555, 0x3f00, 0x3f7f, 0x3f80, 0x3f81, 0x3fc0, 0x4000, 0x4020, 0x4040, 0x4300, 0x4380,
    0x4f00, 0x4f80, 0x5f00, 0x7f00, 0x7f7e, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0, 0x7fff,
};

static uint64_t float_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static uint64_t double_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static float float_of(uint64_t bits) {
    uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, sizeof x);
    return x;
}

/* How many edges a kind has, and edge `i`; of a signed kind, every edge and its negative. */
static size_t edges(char kind) {
    switch (kind) {
        case 'w':
            return COUNT(word_edges);
        case 'q':
            return COUNT(quad_edges);
        case 'f':
            return 2 * COUNT(float_edges);
        case 'd':
            return 2 * COUNT(double_edges);
        case 'h':
        case 'p':
        case 'b':
        case 'r':
            return 2 * COUNT(half_edges);
        default:
            return 0;
    }
}
static uint64_t edge(char kind, size_t i) {
    switch (kind) {
        case 'w':
            return word_edges[i];
        case 'q':
            return quad_edges[i];
        case 'f':
            return float_bits((float)float_edges[i / 2]) ^ (uint64_t)(i % 2) << 31;
        case 'd':
            return double_bits(double_edges[i / 2]) ^ (uint64_t)(i % 2) << 63;
        case 'h':
            return half_edges[i / 2] ^ (unsigned)(i % 2) << 15;
        case 'b':
            return bfloat16_edges[i / 2] ^ (unsigned)(i % 2) << 15;
        case 'p':
            return edge('h', i) | edge('h', (i * 7 + 3) % edges('h')) << 16;
        case 'r':
            return edge('b', i) | edge('b', (i * 7 + 3) % edges('b')) << 16;
        default:
            return 0;
    }
}

// ---------------------------------------------------------------- random operands

/* Half of them with exponents near that of 1, where sums and products interact. */
static uint64_t random_float(wl_random *random) {
    uint64_t r = wl_random_next(random);
    switch (r >> 62) {
        case 0:
            return r & 0xffffffff;
        case 1:
            return (r & 0x807fffff) | (127 - 16 + (r >> 32) % 32) << 23;
        case 2:
            return float_bits((float)(int32_t)r / (float)(1u << (r >> 32) % 32)); /* near whole and half numbers */
        default:
            return float_bits((float)((int)(r % 8192) - 4096) / 2);
    }
}
static uint64_t random_double(wl_random *random) {
    uint64_t r = wl_random_next(random), s = wl_random_next(random);
    switch (s % 4) {
        case 0:
            return r;
        case 1:
            return (r & 0x800fffffffffffff) | (1023 - 40 + (s >> 32) % 80) << 52;
        case 2:
            return double_bits((double)(int64_t)r / (double)(1ull << (s >> 32) % 64));
        default:
            return double_bits((double)((int)(r % 8192) - 4096) / 2);
    }
}
static uint64_t random_half(wl_random *random) {
    uint64_t r = wl_random_next(random);
    switch (r >> 62) {
        case 0:
            return r & 0xffff;
        case 1:
            return r & 0x07ff; /* patterns 0 to 2047: subnormals, and what counts in the same unit */
        case 2:
            return (r & 0x83ff) | (15 - 6 + (r >> 32) % 12) << 10;
        default:
            return half_of_integer((int)(r % 4097) - 2048);
    }
}
static uint64_t random_bfloat16(wl_random *random) {
    uint64_t r = wl_random_next(random);
    switch (r >> 62) {
        case 0:
            return r & 0xffff;
        case 1:
            return r & 0x01ff;
        default:
            return (r & 0x807f) | (127 - 5 + (r >> 32) % 10) << 7;
    }
}
static uint64_t random_word(wl_random *random) {
    uint64_t r = wl_random_next(random), word = 0;
    switch (r >> 62) {
        case 0:
            return r & 0xffffffff;
        case 1: /* halves at the ends of their range */
            for (int i = 0; i < 2; i++, r >>= 16) word |= (((r & 3) * 0x4000 + (r >> 2 & 7) - 4) & 0xffff) << 16 * i;
            return word;
        case 2: /* the same with bytes */
            for (int i = 0; i < 4; i++, r >>= 8) word |= (((r & 3) * 0x40 + (r >> 2 & 7) - 4) & 0xff) << 8 * i;
            return word;
        default:
            return (uint32_t)((int)(r % 128) - 64);
    }
}
static uint64_t random_quad(wl_random *random) {
    uint64_t r = wl_random_next(random), s = wl_random_next(random);
    switch (s % 4) {
        case 0:
            return r;
        case 1:
            return r >> (s >> 32) % 64;
        case 2:
            return (uint64_t)((int64_t)r >> (s >> 32) % 64);
        default:
            return (1ull << (s >> 32) % 64) + r % 16 - 8;
    }
}
/* A number of [low, high], logarithmically even where the ends are positive. */
static double random_between(wl_random *random, double low, double high) {
    double u = wl_random_unit(random);
    return low > 0 ? low * pow(high / low, u) : low + (high - low) * u;
}
/* The half next below |x|, with x's sign; enough for operands. */
static uint64_t random_half_between(wl_random *random, double low, double high) {
    double x = random_between(random, low, high);
    uint64_t bits = float_bits((float)x);
    if (fabs(x) < 0x1p-14) return bits >> 16 & 0x8000;
    return (bits >> 16 & 0x8000) | ((bits & 0x7fffffff) - (112u << 23)) >> 13;
}

static uint64_t random_operand(char kind, wl_random *random) {
    uint64_t low;
    switch (kind) {
        case 'w':
            return random_word(random);
        case 'q':
            return random_quad(random);
        case 'f':
            return random_float(random);
        case 'd':
            return random_double(random);
        case 'h':
            return random_half(random);
        case 'b':
            return random_bfloat16(random);
        case 'p':
            low = random_half(random);
            return low | random_half(random) << 16;
        case 'r':
            low = random_bfloat16(random);
            return low | random_bfloat16(random) << 16;
        case 'm':
            return float_bits((float)random_between(random, -3, 3));
        case 'n':
            return float_bits((float)random_between(random, 0.01, 1000));
        case 'e':
            return random_half_between(random, -3, 3);
        case 'k':
            return random_half_between(random, 0.01, 1000);
        default:
            return 0;
    }
}

// ---------------------------------------------------------------- lists

/* Once in a while an operand nearly cancels what came before it, which is where roundings are hard. */
static void cancel(const char *kinds, wl_random *random, uint64_t *a, uint64_t *b, uint64_t *c) {
    uint64_t r = wl_random_next(random), few = r >> 3 & 3;
    if (r % 8 != 0) return;
    if (strcmp(kinds, "ff") == 0) *b = (*a ^ 0x80000000) + few;
    if (strcmp(kinds, "dd") == 0) *b = (*a ^ 0x8000000000000000) + few;
    if (strcmp(kinds, "fff") == 0) *c = float_bits(-(float_of(*a) * float_of(*b))) + few;
}

void make_operands(const char *name, const char *kinds, size_t count, operand_lists operands) {
    uint64_t stream = 0xcbf29ce484222325;
    for (const char *p = name; *p; p++) stream = (stream ^ (unsigned char)*p) * 0x100000001b3;
    wl_random random = wl_random_stream(2010, stream);

    uint64_t *lists[3] = {operands.a, operands.b, operands.c};
    size_t operand_count = strlen(kinds);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < 3; k++) {
            char kind = k < operand_count ? kinds[k] : '\0';
            size_t n = edges(kind), pairs = n * (operand_count > 1 ? edges(kinds[1]) : 1);
            uint64_t r = wl_random_next(&random);
            if (n > 0 && i < pairs) {
                /* Every edge, or every pair of edges; a third operand is drawn. */
                size_t chosen = k == 0 ? i % n : k == 1 ? i / edges(kinds[0]) % n : r % n;
                lists[k][i] = edge(kind, chosen);
            } else if (n > 0 && r % 8 == 0) {
                lists[k][i] = edge(kind, (r >> 8) % n);
            } else {
                lists[k][i] = random_operand(kind, &random);
            }
        }
        cancel(kinds, &random, &lists[0][i], &lists[1][i], &lists[2][i]);
    }
}

double half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
    double magnitude = exponent == 31  ? (fraction ? NAN : INFINITY)
                       : exponent == 0 ? ldexp(fraction, -24)
                                       : ldexp(fraction + 1024, exponent - 25);
    return bits >> 15 ? -magnitude : magnitude;
}

uint16_t half_of_integer(int x) {
    unsigned magnitude = (unsigned)(x < 0 ? -x : x), exponent = 0;
    if (magnitude == 0) return 0;
    while (magnitude >> (exponent + 1)) exponent++;
    unsigned fraction = (exponent <= 10 ? magnitude << (10 - exponent) : magnitude >> (exponent - 10)) & 0x3ff;
    return (uint16_t)((x < 0) << 15 | (exponent + 15) << 10 | fraction);
}

double operand_value(char kind, uint64_t bits) {
    return kind == 'e' || kind == 'k' ? half_value((uint16_t)bits) : (double)float_of(bits);
}
