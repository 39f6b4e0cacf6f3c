/* Equal columns once. */
#pragma once

#include <stdint.h>

#include "harness/base/error.h"

/* Patterns are in the order in which their first columns come. */
typedef struct {
    uint32_t count;
    uint32_t *of;   // [columns]: each column's pattern
    double *weight; // [count]: how many columns have it
    int hashed;     // how often all columns were hashed
} peeling_patterns;

enum { PEELING_HASH_BITS = 64 };

/* Threads share the work on so many letters. One takes 0.05 s for them; on a busy machine, threads wait that long for each other. */
enum { PEELING_LETTERS_SHARED = 1 << 24 };

/* Turns code [tips][columns] into code [tips][count]. hash_bits: of a column's hash; with fewer, more columns have the same by accident,
   and the work is done again; the result is the same. WL_NO_MACHINE: memory is short. On success the caller frees `of` and `weight`. */
wl_status peeling_patterns_make(uint16_t *code, uint32_t tips, uint32_t columns, int hash_bits, int threads,
                                peeling_patterns *patterns);
