/* The suite's one source of random data: seeded, the same on every machine and compiler. */
#pragma once

#include <stdint.h>

#include "harness/base/linkage.h"

WL_C_BEGIN

/* SplitMix64 (Steele, Lea & Flood, OOPSLA 2014): counter plus mixing function, so streams are cheap to start. */
typedef struct {
    uint64_t state;
} wl_random;

/* The mixing function: every bit of the result depends on every bit of the word. No protection against malice. */
uint64_t wl_random_mix(uint64_t word);

/* Stream `stream` of `seed`: different streams are statistically independent. */
wl_random wl_random_stream(uint64_t seed, uint64_t stream);
uint64_t wl_random_next(wl_random *random);
/* A whole number in [0, bound), every value equally likely; bound >= 1. */
uint32_t wl_random_below(wl_random *random, uint32_t bound);
/* A number in [0, 1) with 53 random bits. */
double wl_random_unit(wl_random *random);

WL_C_END
