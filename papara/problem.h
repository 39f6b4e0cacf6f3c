/* PaPaRa: the score of every read against the ancestral state vector of every edge of a tree (Alachiotis, Berger &
   Stamatakis 2012). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "harness/base/linkage.h"
#include "harness/bench/variant.h"

WL_C_BEGIN

enum {
    PAPARA_CODES = 32,         // all codes of letters are below this
    PAPARA_PENALTY_MOST = 255, // the largest penalty
    PAPARA_INFINITE = 1 << 30  // the score of a cell that does not exist; every alignment costs less
};
#define PAPARA_READ_MOST ((uint32_t)1 << 20)  // letters of a read: the worst score stays below PAPARA_INFINITE
#define PAPARA_SITES_MOST ((uint32_t)1 << 26) // of a reference alignment
#define PAPARA_CGAP ((uint32_t)1 << 31)       // flag of a site: the virtual root is a gap there

/* Constants in the paper's equation 1, and the defaults here. Each 0 .. PAPARA_PENALTY_MOST. */
typedef struct {
    int mismatch;   // M: 3
    int insertion;  // I, a letter of the read without a site: 3
    int gap_open;   // GP_OE, the first site that the read skips: 4; at least gap_extend
    int gap_extend; // GP_E, each further site: 1
    int cgap;       // CG, a letter on a site with CGAP: 3. Skipping such a site costs nothing.
} papara_penalties;
#define PAPARA_PENALTIES \
    { .mismatch = 3, .insertion = 3, .gap_open = 4, .gap_extend = 1, .cgap = 3 }

/* Reads in one block of memory, in the order given. A view: it owns no memory. */
typedef struct {
    size_t count;
    const uint32_t *length; // [count], each 1 .. sites
    const uint64_t *start;  // [count]: read r is codes[start[r]] .. codes[start[r] + length[r] - 1]
    const uint8_t *codes;   // each below PAPARA_CODES, see papara_input.sets
    uint64_t letters;       // sum of length
    uint32_t longest;       // 0 when count is 0
} papara_reads;

/* The input of every variant, from the harness or from `align-reads`. Only views: the caller keeps the memory until the variant's
   state is released.

   A is a vector of n sites, B a read of m letters, 1 <= m <= n. Sites i and letters j count from 1, as in the paper. Row j has only
   the columns i = j .. j + n - m. Row 0 is 0 in i = 0 .. n - m. Every other cell is infinite, and so is D in a row's first column.
     (CG, GP_OE, GP_E) = (cgap, 0, 0) where A[i] has CGAP, else (0, gap_open, gap_extend)
     M[i][j] = 0 where sets[B[j]] and A[i] have a state in common, else mismatch
     D[i][j] = min(S[i-1][j] + GP_OE[i], D[i-1][j] + GP_E[i])
     S[i][j] = min(S[i-1][j-1] + M[i][j] + CG[i], D[i][j], S[i][j-1] + insertion)
   The score of a pair is the lowest S[i][m]; lower is better. */
typedef struct {
    papara_penalties penalties;
    int states;                  // 4: bits A, C, G, T of a site, or 20: bits in the order of ARNDCQEGHILKMFPSTWYV
    uint32_t sets[PAPARA_CODES]; /* the states of each code, at least one. With 4 states, code and set are the same
                                    number, 1 .. 15; sets[0] is 15, and no read uses it. */
    papara_reads reads;
    size_t vectors;
    uint32_t sites;       // n
    const uint32_t *site; // [vectors][sites]: the states' bits, at least one, and PAPARA_CGAP
} papara_input;

/* The result is int score[reads.count][vectors]. Work is n x m cell updates per pair, as the paper counts for its CPU codes, although
   only m x (n - m + 1) are computed, which it counts for its GPU. */

/* The largest score that a read of this length can have: every letter mismatched, on a site with CGAP. */
int64_t papara_score_most(const papara_penalties *p, uint32_t length);
/* The cells that are computed, m x (n - m + 1) per pair. */
double papara_cells_computed(const papara_reads *reads, size_t vectors, uint32_t sites);

WL_C_END
