/* The loop of wl_words_loop, written once. Who includes it has defined VECTOR, SET(word), ADD(a, b), MINIMUM(a, b), signed,
   and UNKNOWN(vector), "it may have changed". */
#include <string.h>

#include "harness/probes/rates_cpu.h"

enum { CHAINS = 8, OPERATIONS = 2 };

#define CHAIN(x)                     \
    x = MINIMUM(ADD(x, more), most); \
    UNKNOWN(x)

/* Eight independent chains, as in rates_cpu_bytes.h. */
static double loop(uint64_t steps, uint64_t *sum) {
    VECTOR more = SET(3), most = SET(700);
    VECTOR a = SET(100), b = SET(101), c = SET(102), d = SET(103), e = SET(104), f = SET(105), g = SET(106),
           h = SET(107);
    for (uint64_t step = 0; step < steps; step++) {
        CHAIN(a);
        CHAIN(b);
        CHAIN(c);
        CHAIN(d);
        CHAIN(e);
        CHAIN(f);
        CHAIN(g);
        CHAIN(h);
    }
    VECTOR all = MINIMUM(MINIMUM(MINIMUM(a, b), MINIMUM(c, d)), MINIMUM(MINIMUM(e, f), MINIMUM(g, h)));
    memcpy(sum, &all, sizeof *sum);
    return (double)steps * CHAINS * OPERATIONS * (double)sizeof(VECTOR) / 2;
}
