/* Parts of the search for further alignments: two sequences in one direction, and what is barred in them. */
#pragma once

#include "tools/search/align/align.h"
#include "sw/core/pair.h"

typedef struct {
    const sw_scoring *scoring;
    const uint8_t *query, *subject; // [m], [n] codes
    uint32_t m, n;
    sw_barred barred;
} sw_one_way;

/* The cell with the best score; if several have it, the one with the least subject position, then the least query position, from 1. And how
   many they are. */
typedef struct {
    int score;
    uint32_t query, subject;
    size_t count;
} sw_cells;

/* The best alignment that begins in the first `rows` of the query or in the first `columns` of the subject, each beginning of which scores
   more than 0: where it ends. Cells that no such alignment reaches are left out, so it takes little time where there are few. */
wl_status sw_find_from(const sw_one_way *way, uint32_t rows, uint32_t columns, sw_cells *best);

/* The best alignment that shares a pair with `path`, each continuation of which from there scores more than 0: where it ends. */
wl_status sw_find_through(const sw_one_way *way, const sw_alignment *path, sw_cells *best);

/* How many residues of either an alignment of this score takes that begins at the first pair: the fewest of the query, then of the
   subject. None: 0, also where an alignment that takes fewer or as many of the query scores more. */
wl_status sw_reach(const sw_one_way *way, int score, uint32_t *rows, uint32_t *columns);
