/* The loop of wl_fma_loop, written once, for either kind of number. Who includes it has defined LOOP, the function's name, NUMBER,
   VECTOR, SET(number), MULTIPLY_ADD(a, b, c), which is a b + c, and UNKNOWN(vector), "it may have changed"; all but the last
   are undefined again, so that it can be included a second time. */
#include <string.h>

#include "harness/probes/rates_cpu.h"

#ifndef CHAIN
#define CHAIN(x)                       \
    x = MULTIPLY_ADD(x, factor, term); \
    UNKNOWN(x)

enum { CHAINS = 12, OPERATIONS = 2 };
#endif

/* Twelve independent chains: an instruction takes four cycles, and two can start in each, which is eight; a few more, since they
   do not start in the best order. Variables, as in rates_cpu_bytes.h. The numbers tend to 2: none becomes so small that
   it takes longer. */
static double LOOP(uint64_t steps, uint64_t *sum) {
    VECTOR factor = SET((NUMBER)0.75), term = SET((NUMBER)0.5);
    VECTOR a = SET(1), b = SET(2), c = SET(3), d = SET(4), e = SET(5), f = SET(6), g = SET(7), h = SET(8), i = SET(9),
           j = SET(10), k = SET(11), l = SET(12);
    for (uint64_t step = 0; step < steps; step++) {
        CHAIN(a);
        CHAIN(b);
        CHAIN(c);
        CHAIN(d);
        CHAIN(e);
        CHAIN(f);
        CHAIN(g);
        CHAIN(h);
        CHAIN(i);
        CHAIN(j);
        CHAIN(k);
        CHAIN(l);
    }
    VECTOR all = a + b + c + d + e + f + g + h + i + j + k + l;
    memcpy(sum, &all, sizeof *sum);
    return (double)steps * CHAINS * OPERATIONS * (double)(sizeof(VECTOR) / sizeof(NUMBER));
}

#undef LOOP
#undef NUMBER
#undef VECTOR
#undef SET
#undef MULTIPLY_ADD
