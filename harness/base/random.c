#include "harness/base/random.h"

static const uint64_t golden = 0x9E3779B97F4A7C15u; // 2^64 over the golden ratio: the counter's odd step

uint64_t wl_random_mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* The seed is mixed before the stream's number is added, and the sum again: neither nearby seeds nor nearby streams start
   at nearby states, and exchanging the two numbers gives another stream. */
wl_random wl_random_stream(uint64_t seed, uint64_t stream) {
    wl_random random = {wl_random_mix(wl_random_mix(seed + golden) + stream * golden)};
    return random;
}

uint64_t wl_random_next(wl_random *random) {
    random->state += golden;
    return wl_random_mix(random->state);
}

/* Lemire's method: the high half of a 32 x 32-bit product, rejecting the few products that would favour some values. */
uint32_t wl_random_below(wl_random *random, uint32_t bound) {
    uint32_t rejected = (uint32_t)-bound % bound; // 2^32 mod bound
    for (;;) {
        uint64_t product = (wl_random_next(random) >> 32) * bound;
        if ((uint32_t)product >= rejected) return (uint32_t)(product >> 32);
    }
}

double wl_random_unit(wl_random *random) { return (double)(wl_random_next(random) >> 11) * 0x1p-53; }
