/* Chooses which pairs are computed one by one (sw/core), and computes them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "sw/problem.h"

/* What the choice depends on. */
typedef struct {
    size_t vector_bytes, lanes; // of the width that comes next
    int threads;
    size_t queries; // that share the threads
} cpu_choice;

/* How many of the first subjects to compute one by one, so that all together take the least time: for a query of `rows` rows and
   subjects of these lengths, longest first. */
size_t cpu_alone_count(const cpu_choice *choice, uint32_t rows, const uint32_t *length, size_t count);

/* Bytes that a pair takes while all threads compute it. */
double cpu_alone_bytes(const cpu_choice *choice, uint32_t rows, uint32_t length);

/* A pair that is computed alone. */
typedef struct {
    size_t query;
    uint32_t subject;
    double cells;
} cpu_pair;

/* Computes pairs [count], which it sorts, and writes score [queries][database]. bits: lanes of so many are known to be too narrow,
   or 0. */
wl_status cpu_alone_compute(const sw_input *input, cpu_pair *pairs, size_t count, int threads, int bits, int *score);
