/* Values to bit planes and back: the one place that knows where a site's bits are. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "distances/problem.h"

enum { DISTANCES_MISSING = 255 }; // a value that is not there

/* Words of a plane. */
size_t distances_words(uint64_t sites);
/* Planes for `values` different values: in binary for DISTANCES_DIFFERENT (1 .. 128), in unary for DISTANCES_STEPS (1 .. 8); at least
   1. */
int distances_planes(distances_sum sum, int values);

/* One instance: value [sites], DISTANCES_MISSING or below 2^planes (binary) or at most planes (unary), into
   bits [planes + 1][words], all of which are written. Returns how many values are missing. */
uint64_t distances_pack(distances_sum sum, int planes, uint64_t sites, const uint8_t *value, size_t words,
                        uint64_t *bits);
/* And back. */
void distances_unpack(distances_sum sum, int planes, uint64_t sites, const uint64_t *bits, size_t words,
                      uint8_t *value);
