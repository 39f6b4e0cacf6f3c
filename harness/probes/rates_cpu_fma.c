/* The multiply-add loops of processors without AVX2 and FMA: vectors of 16 bytes, which SSE2, NEON and their like have. A
   multiplication and an addition where there is no instruction for both. */
typedef float four __attribute__((vector_size(16)));
typedef double two __attribute__((vector_size(16)));

static inline four set_four(float x) { return (four){x, x, x, x}; }
static inline two set_two(double x) { return (two){x, x}; }
static inline four add_product_four(four a, four b, four c) { return a * b + c; }
static inline two add_product_two(two a, two b, two c) { return a * b + c; }

#if defined __SSE2__
#define UNKNOWN(vector) __asm__ volatile("" : "+x"(vector))
#elif defined __aarch64__
#define UNKNOWN(vector) __asm__ volatile("" : "+w"(vector))
#else
#define UNKNOWN(vector) __asm__ volatile("" : "+m"(vector))
#endif

#define LOOP floats
#define NUMBER float
#define VECTOR four
#define SET set_four
#define MULTIPLY_ADD add_product_four
#include "harness/probes/rates_cpu_fma.h"

#define LOOP doubles
#define NUMBER double
#define VECTOR two
#define SET set_two
#define MULTIPLY_ADD add_product_two
#include "harness/probes/rates_cpu_fma.h"

wl_fma_loop *const wl_fma_floats_portable = floats;
wl_fma_loop *const wl_fma_doubles_portable = doubles;
