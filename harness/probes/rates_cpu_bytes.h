/* The loop of wl_bytes_loop, written once. Who includes it has defined VECTOR, SET(byte), SUBTRACT(a, b) saturating at 0,
   MAXIMUM(a, b) and UNKNOWN(vector), "it may have changed". Unsigned, because SSE2 has no signed maximum; signed ones
   take as long. */
#include <string.h>

#include "harness/probes/rates_cpu.h"

enum { CHAINS = 8, OPERATIONS = 2 };

#define CHAIN(x)                           \
    x = MAXIMUM(SUBTRACT(x, less), least); \
    UNKNOWN(x)

/* Eight independent chains: each operation waits for the one before it in its chain, and an instruction that takes
   a cycle or two can start every half or quarter of one. Eight variables, because gcc keeps an array in memory here. */
static double loop(uint64_t steps, uint64_t *sum) {
    VECTOR less = SET(3), least = SET(7);
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
    VECTOR all = MAXIMUM(MAXIMUM(MAXIMUM(a, b), MAXIMUM(c, d)), MAXIMUM(MAXIMUM(e, f), MAXIMUM(g, h)));
    memcpy(sum, &all, sizeof *sum);
    return (double)steps * CHAINS * OPERATIONS * (double)sizeof(VECTOR);
}
