/* The recurrence of sw/problem.h a row at a time, for alignments of one pair. Split so that the compiler makes
   vectors of it: all of a row but E depends on the row above alone, and E is one scan along the row.

   Rows are the query's, columns the subject's; column 0 and row 0 are the boundary. */
#pragma once

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "sw/core/pair.h"

/* Minus infinity, and the floor of alignments that must begin at a corner; scores stay below 2^30. E and F
   open from an H that is no lower than the floor, so nothing overflows however long the gaps. */
#define SW_NEVER (INT_MIN / 2)

/* Two sequences, and what rows of theirs are computed with. */
typedef struct {
    const sw_scoring *scoring;
    const uint8_t *query, *subject; // [m], [n] codes
    uint32_t m, n;
    int8_t *profile; // [SW_LETTERS][n]: a query's letter against the subject's, made when it first occurs
    char made[SW_LETTERS];
    int *H, *E, *F, *T;      // [n + 1] each
    const sw_barred *barred; // NULL, or what may not pair
    uint32_t *bars;          // [barred->count]
} sw_rows;

/* The sequences must outlive it, and `barred`, which may be NULL. On success free with sw_rows_free. */
wl_status sw_rows_make(const sw_scoring *scoring, const uint8_t *query, uint32_t m, const uint8_t *subject, uint32_t n,
                       const sw_barred *barred, sw_rows *rows);
void sw_rows_free(sw_rows *rows);

/* Row 0 over columns 0 .. n, H[0] being 0: in a local alignment all zero, else a gap that begins at the corner. */
void sw_rows_begin(sw_rows *rows, uint32_t n, int local);
/* Row `query_at` + 1 of the columns from subject_at on: H and F from the row above to this one, E, and in T the
   largest of floor, M and F. left is H[i][0]. Returns the row's largest H but for column 0. directions [n + 1]:
   SW_STEP bits of columns 1 .. n, or NULL. */
int sw_rows_next(sw_rows *rows, uint32_t query_at, uint32_t subject_at, uint32_t n, int left, int floor,
                 uint8_t *directions);
/* The columns of that row, from 1 to n, that are barred: how many, into rows->bars in rising order. */
size_t sw_rows_bars(sw_rows *rows, uint32_t query_at, uint32_t subject_at, uint32_t n);
/* The same row of alignments that begin in the first `begins` columns only. Where H is not above 0, it is SW_NEVER, and so it has to be
   before the first row. `through`, unless 0: a column that an alignment of this score ends in, too. */
int sw_rows_next_from(sw_rows *rows, uint32_t query_at, uint32_t subject_at, uint32_t n, uint32_t begins,
                      uint32_t through, int score);
/* What the query's letter at query_at scores against the subject's from subject_at on. */
const int8_t *sw_rows_profile(sw_rows *rows, uint32_t query_at, uint32_t subject_at);

/* Where a cell's values come from. Equals: a pair before a gap, a query's residue against a gap before a subject's, a
   gap that goes on before one that opens. */
enum {
    SW_STEP_F = 1,         // H is F, which is more than the pair's
    SW_STEP_E = 2,         // H is E, which is more than both
    SW_STEP_F_EXTENDS = 4, // F is the F above less an extension, not less than H above less an opening
    SW_STEP_E_EXTENDS = 8  // the same for E, to the left
};

/* Follows the steps [rows + 1][columns + 1] from the last cell, which is in F if `in_gap`, to the corner. Writes 'M', 'I' and 'D' to the
   front of `path` [rows + columns], without a 0 at the end, and returns how many. */
size_t sw_rows_follow_back(const uint8_t *steps, uint32_t rows, uint32_t columns, int in_gap, char *path);
