/* Columns with the same hash are taken for equal, and then all of them are compared, row by row: a row fits into the cache, a column
   does not. If two of them differ, all is done again with another hash. */
#include "tools/likelihood/data/patterns.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"

enum { BLOCK = 2048 }; // columns that a thread hashes through all rows: 16 KB of hashes

typedef struct {
    uint16_t *code; // [tips][columns]
    uint32_t tips, columns;
    int threads;
    uint64_t *hash;  // [columns]
    uint32_t *first; // [patterns]: a pattern's first column
    uint32_t *slots; // [mask + 1]: pattern + 1; 0: none
    size_t mask;
    peeling_patterns *made;
} finder;

static void hash_columns(const finder *f, uint64_t seed, uint64_t bits) {
#pragma omp parallel for schedule(static) num_threads(f->threads)
    for (uint32_t block = 0; block < f->columns; block += BLOCK) {
        const uint32_t count = f->columns - block < BLOCK ? f->columns - block : BLOCK;
        uint64_t *hash = f->hash + block;
        for (uint32_t c = 0; c < count; c++) hash[c] = seed;
        for (uint32_t r = 0; r < f->tips; r++) {
            const uint16_t *row = f->code + (size_t)r * f->columns + block;
            for (uint32_t c = 0; c < count; c++) {
                hash[c] = (hash[c] ^ row[c]) * 0xD6E8FEB86659FD93u; // odd: of two codes no two hashes become one
                hash[c] ^= hash[c] >> 32;
            }
        }
        for (uint32_t c = 0; c < count; c++) hash[c] &= bits;
    }
}

static void group_by_hash(const finder *f) {
    peeling_patterns *made = f->made;
    memset(f->slots, 0, (f->mask + 1) * sizeof *f->slots);
    made->count = 0;
    for (uint32_t c = 0; c < f->columns; c++) {
        size_t slot = f->hash[c] & f->mask;
        uint32_t p;
        for (; (p = f->slots[slot]) != 0; slot = (slot + 1) & f->mask)
            if (f->hash[f->first[p - 1]] == f->hash[c]) break;
        if (p == 0) {
            f->first[made->count] = c;
            made->weight[made->count] = 0;
            p = f->slots[slot] = ++made->count;
        }
        made->weight[p - 1]++;
        made->of[c] = p - 1;
    }
}

/* Whether each column has the letters of its pattern's first. */
static int groups_are_equal(const finder *f) {
    int differ = 0;
#pragma omp parallel for schedule(static) num_threads(f->threads) reduction(| : differ)
    for (uint32_t r = 0; r < f->tips; r++) {
        const uint16_t *row = f->code + (size_t)r * f->columns;
        for (uint32_t c = 0; c < f->columns; c++) differ |= row[c] != row[f->first[f->made->of[c]]];
    }
    return !differ;
}

/* A pattern's first column is never before it, so this can be done in place: first within each row, then the rows move together. */
static void keep_first_columns(const finder *f) {
    const uint32_t count = f->made->count;
#pragma omp parallel for schedule(static) num_threads(f->threads)
    for (uint32_t r = 0; r < f->tips; r++) {
        uint16_t *row = f->code + (size_t)r * f->columns;
        for (uint32_t p = 0; p < count; p++) row[p] = row[f->first[p]];
    }
    for (uint32_t r = 1; r < f->tips; r++)
        memmove(f->code + (size_t)r * count, f->code + (size_t)r * f->columns, count * sizeof *f->code);
}

wl_status peeling_patterns_make(uint16_t *code, uint32_t tips, uint32_t columns, int hash_bits, int threads,
                                peeling_patterns *patterns) {
    finder f = {.code = code, .tips = tips, .columns = columns, .mask = 1, .made = patterns};
    f.threads = (uint64_t)tips * columns < PEELING_LETTERS_SHARED ? 1 : threads;
    const size_t room = (size_t)columns + 1; // so that no size is 0
    while (f.mask + 1 < 2 * room) f.mask = 2 * f.mask + 1;
    *patterns = (peeling_patterns){0};
    if (!WL_ALLOCATE(WL_ARRAY(f.hash, room), WL_ARRAY(f.first, room), WL_ARRAY(f.slots, f.mask + 1),
                     WL_ARRAY(patterns->weight, room), WL_ARRAY(patterns->of, room)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for %u columns", columns);
    do {
        patterns->hashed++;
        hash_columns(&f, 0x9E3779B97F4A7C15u * (uint64_t)patterns->hashed,
                     UINT64_MAX >> (PEELING_HASH_BITS - hash_bits));
        group_by_hash(&f);
    } while (!groups_are_equal(&f));
    keep_first_columns(&f);
    WL_FREE(f.slots, f.first, f.hash);
    return WL_OK;
}
