/* Which pairs are better computed one by one (sw/pair), and doing that. */
#ifndef SW_CPU_SIMD_ALONE_H
#define SW_CPU_SIMD_ALONE_H

#include <stddef.h>
#include <stdint.h>

#include "sw/problem.h"

/* What the choice depends on. */
typedef struct {
    size_t vector_bytes, lanes; /* of the width that is next */
    int threads;
    size_t queries; /* that share the threads */
} cpu_choice;

/* Of a query of so many rows and subjects of these lengths, longest first: how many of the first are better computed one by one, so that
   all take the least time. */
size_t cpu_alone_count(const cpu_choice *choice, uint32_t rows, const uint32_t *length, size_t count);

/* Bytes that the pair takes while it is computed by so many threads. */
double cpu_alone_bytes(const cpu_choice *choice, uint32_t rows, uint32_t length);

/* One of them. */
typedef struct {
    size_t query;
    uint32_t subject;
    double cells;
} cpu_pair;

/* Compute pairs [count] and write score [queries][database]; bits: of lanes that are known to be too narrow, or 0. Sorts them. */
wl_status cpu_alone_compute(const sw_input *input, cpu_pair *pairs, size_t count, int threads, int bits, int *score);

#endif
