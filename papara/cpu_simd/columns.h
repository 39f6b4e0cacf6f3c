/* The inner loops. Each core includes them twice, with BITS 16 and 32. They compute a unit's scores, one block of COLUMNS sites at a
   time, each block against all reads of the unit.

   Row j of papara/problem.h's recurrence with E = GP_E, O = GP_OE - GP_E, P[i] = E[1] + ... + E[i], and S' and D' for
   S and D - P[i] - insertion * j:
       X[i][j]  = min(S'[i-1][j-1] + (M[i][j] + CG[i] - E[i] - insertion), S'[i][j-1])
       D'[i][j] = min(D'[i-1][j], X[i-1][j] + O[i])
       S'[i][j] = min(X[i][j], D'[i][j])
   papara/08_shifted_scores/README.md derives this.

   A cell outside its row is read only as the left or upper neighbour of a cell that exists, and is infinite then. Diagonal neighbours
   of cells always exist. So at most one cost is ever added to an infinite value, and it needs room for only one.

   The including file defines
       vector, VECTOR_BYTES
       splat_BITS(x), add_BITS(a, b), sub_BITS, min_BITS, max_BITS     signed lanes that wrap round
       TOO, min_too_BITS      the same as min_BITS on other execution units, for every TOO-th column */
/* Unrolls early. Otherwise gcc turns a loop that copies an array into memcpy, and keeps the array in memory. */
#define ALL_COLUMNS _Pragma("GCC unroll 8")
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define LANES (VECTOR_BYTES * 8 / BITS)
#define CELL JOIN(JOIN(int, BITS), _t)
#define WIDTH JOIN(BITS_, BITS)
#define OF_BITS(name) JOIN(name, BITS)
#define ADD OF_BITS(add_)
#define SUB OF_BITS(sub_)
#define MIN OF_BITS(min_)
#define MAX OF_BITS(max_)
#define MIN_TOO OF_BITS(min_too_)
#define SPLAT OF_BITS(splat_)

#include "papara/cpu_simd/table.h"

/* A read's current row in a block. */
typedef struct {
    vector S[COLUMNS]; // S' of the row above
    vector diagonal;   // S' of the row above in the column before the block
} OF_BITS(row_);

/* Computes rows first .. last of a block that begins with site `site`. Row j has the letter codes[j - 1]. border [m + 1][2]: S' and D'
   of the column before, then of the block's last column. walled: some columns do not exist in some of these rows. They are computed
   all the same, but no D' may come from them, and no row may use their S' as its upper neighbour. */
INLINE void OF_BITS(rows_)(const int walled, const OF_BITS(block_) * block, const uint8_t *codes, uint32_t first,
                           uint32_t last, uint32_t site, uint32_t shift, OF_BITS(row_) * row, vector *border) {
    vector S[COLUMNS], X[COLUMNS], open[COLUMNS], diagonal = row->diagonal;
    for (int c = 0; c < COLUMNS; c++) {
        S[c] = row->S[c];
        open[c] = block->open[c];
    }
    for (size_t j = first; j <= last; j++) {
        const vector *cost = block->cost[codes[j - 1]];
        const vector left = border[2 * j];
        vector D = border[2 * j + 1];
        for (int c = COLUMNS - 1; c > 0; c--) X[c] = MIN(ADD(S[c - 1], cost[c]), S[c]);
        X[0] = MIN(ADD(diagonal, cost[0]), S[0]);
        diagonal = left;
        // Row j has the sites j .. j + shift; the first of them has no D'.
        const vector *begin = block->wall + 2 * COLUMNS - (j >= site ? j - site + 1 : 0);
        const vector *end = block->wall + (j + shift < site + COLUMNS ? site + COLUMNS - 1 - j - shift : 0);
        for (int c = 0; c < COLUMNS; c++) { // from X, not S': so only one minimum waits for the column before
            D = MIN(D, ADD(c == 0 ? left : X[c - 1], open[c]));
            if (walled) D = MAX(D, begin[c]);
            S[c] = c % TOO == 1 ? MIN_TOO(X[c], D) : MIN(X[c], D);
            if (walled) S[c] = MAX(S[c], end[c]);
        }
        border[2 * j] = S[COLUMNS - 1];
        border[2 * j + 1] = D;
    }
    ALL_COLUMNS for (int c = 0; c < COLUMNS; c++) row->S[c] = S[c];
    row->diagonal = diagonal;
}

static void OF_BITS(walled_rows_)(const OF_BITS(block_) * block, const uint8_t *codes, uint32_t first, uint32_t last,
                                  uint32_t site, uint32_t shift, OF_BITS(row_) * row, vector *border) {
    OF_BITS(rows_)(1, block, codes, first, last, site, shift, row, border);
}

/* Computes one read in the block of sites site .. site + COLUMNS - 1 (from 1). Sites above n exist in no row. */
static void OF_BITS(read_)(const OF_BITS(block_) * block, const uint8_t *codes, uint32_t m, uint32_t site, uint32_t n,
                           vector zero, vector *border, vector *best) {
    // Row j has the sites j .. j + shift, so site i has the rows i - shift .. i.
    const uint32_t shift = n - m, last_site = site + COLUMNS - 1;
    const uint32_t first = site > shift + 1 ? site - shift : 1, last = last_site < m ? last_site : m;
    OF_BITS(row_) row = {.diagonal = border[2 * (first - 1)]};
    for (int c = 0; c < COLUMNS; c++)
        row.S[c] = site + (uint32_t)c <= shift ? SUB(zero, block->drift[c]) : SPLAT(cpu_infinite(WIDTH));
    if (first == 1) border[0] = row.S[COLUMNS - 1];

    const uint32_t enters = last_site > shift + first ? last_site - shift : first; // the first row with the last column
    const uint32_t leaves = last < site ? last : site;                             // the last row with the first
    if (enters <= leaves) {
        if (first < enters) OF_BITS(walled_rows_)(block, codes, first, enters - 1, site, shift, &row, border);
        OF_BITS(rows_)(0, block, codes, enters, leaves, site, shift, &row, border);
        if (leaves < last) OF_BITS(walled_rows_)(block, codes, leaves + 1, last, site, shift, &row, border);
    } else {
        OF_BITS(walled_rows_)(block, codes, first, last, site, shift, &row, border);
    }
    if (last == m) {
        for (int c = 0; c < COLUMNS; c++)
            if (site + (uint32_t)c >= m && site + (uint32_t)c <= n) *best = MIN(*best, ADD(row.S[c], block->drift[c]));
    }
}

/* Adds P back: values in the borders become S - insertion * j again. Infinite ones stay infinite. */
static void OF_BITS(settle_)(vector *border, size_t count, vector drift) {
    const vector most = SUB(SPLAT(cpu_infinite(WIDTH)), drift);
    for (size_t k = 0; k < count; k++) border[k] = ADD(MIN(border[k], most), drift);
}

static void OF_BITS(scan_)(const cpu_job *job, const cpu_memory *memory) {
    const papara_input *in = job->input;
    const papara_penalties *p = &in->penalties;
    OF_BITS(block_) *block = (OF_BITS(block_) *)memory->table;
    vector *borders = (vector *)memory->borders, *best = (vector *)memory->bests;
    const vector infinite = SPLAT(cpu_infinite(WIDTH));
    // 0 is stored as this number, so that the lowest S' still fits.
    const int64_t room = cpu_drift_room(p, job->longest, WIDTH);
    const int64_t zero = cpu_lowest(WIDTH) + room + (int64_t)p->insertion * job->longest;

    OF_BITS(wall_)(block);
    size_t rows = 0;
    for (size_t r = 0; r < job->reads; r++) {
        const uint32_t m = in->reads.length[job->read[r]];
        vector *border = borders + 2 * rows;
        border[0] = SPLAT(zero);
        for (size_t k = 1; k < 2 * ((size_t)m + 1); k++) border[k] = infinite;
        best[r] = infinite;
        rows += (size_t)m + 1;
    }
    vector drift = SPLAT(0);
    int64_t drifted = 0; // the most that it can be in any lane
    for (uint32_t site = 1; site <= in->sites; site += COLUMNS) {
        if (drifted + COLUMNS * p->gap_extend > room) {
            OF_BITS(settle_)(borders, 2 * rows, drift);
            drift = SPLAT(0);
            drifted = 0;
        }
        OF_BITS(fill_)(job, site, drift, block);
        drifted += COLUMNS * p->gap_extend;
        drift = block->drift[COLUMNS - 1];
        vector *border = borders;
        for (size_t r = 0; r < job->reads; r++) {
            const uint32_t m = in->reads.length[job->read[r]];
            const uint8_t *codes = in->reads.codes + in->reads.start[job->read[r]];
            OF_BITS(read_)(block, codes, m, site, in->sites, SPLAT(zero), border, &best[r]);
            border += 2 * ((size_t)m + 1);
        }
    }
    for (size_t r = 0; r < job->reads; r++) {
        const int64_t inserted = (int64_t)p->insertion * in->reads.length[job->read[r]];
        const CELL *found = (const CELL *)&best[r];
        int *score = job->score + job->read[r] * in->vectors + job->first_vector;
        for (size_t lane = 0; lane < job->vectors; lane++) score[lane] = (int)(found[lane] - zero + inserted);
    }
}

#undef ALL_COLUMNS
#undef JOIN2
#undef JOIN
#undef LANES
#undef CELL
#undef WIDTH
#undef OF_BITS
#undef ADD
#undef SUB
#undef MIN
#undef MAX
#undef MIN_TOO
#undef SPLAT
#undef BITS
