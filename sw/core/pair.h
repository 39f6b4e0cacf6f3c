/* The score of a pair's best local alignment, and where it ends. All lanes and threads work on one table. For sequences that are
   too long, or too few, to give each lane a subject of its own (sw/cpu_simd). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "sw/scoring/scoring.h"

/* Which end to find, if several have the best score. */
typedef enum {
    SW_ANY_END,       // none: only the score is set
    SW_LEAST_SUBJECT, // the least subject position, then the least query position
    SW_LEAST_QUERY    // the least query position, then the least subject position
} sw_which_end;

/* The pairs of residues that an alignment has, row by row of the query: at most one in each. */
typedef struct {
    uint32_t first, rows;
    uint32_t *column; // [rows]: the subject's residue, from 1; 0: none
} sw_path;

/* Pairs that no alignment may have: those of `count` paths of two whole sequences. Their residues query and subject are the first of the
   two sequences that are aligned, which run backwards from there if `backwards`. */
typedef struct {
    const sw_path *paths;
    size_t count;
    uint32_t query, subject;
    int backwards;
} sw_barred;

typedef struct {
    const sw_scoring *scoring;
    const uint8_t *query, *subject; // [m], [n] codes
    uint32_t m, n;
    sw_which_end end;
    int score;               // the best score if it is known: the computation ends where it is reached; else 0
    int bits;                // lanes of 8 or 16 bits that are known to be too narrow for the score; else 0
    int threads;             // at most
    const sw_barred *barred; // or NULL
} sw_pair;

typedef struct {
    int score;
    uint32_t query, subject; // residues up to and with the alignment's last pair; 0 if the score is 0
} sw_pair_best;

/* The bytes of a band's H, at most; its E are as many. With vectors of up to 32 bytes, H and E take half of a first-level cache,
   and the profile has the rest. With 64 bytes, longer columns pay: a column's beginning costs more than the second-level cache. */
static inline size_t sw_pair_band_bytes(size_t vector_bytes) { return (size_t)(vector_bytes < 64 ? 8 : 16) << 10; }

/* Computes the recurrence of sw/problem.h. WL_NO_MACHINE if memory is short, or if WL_CPU_ISA asks for what this CPU lacks. */
wl_status sw_pair_find(const sw_pair *pair, sw_pair_best *best);
