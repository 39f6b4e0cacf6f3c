/* The inner skeleton, which every core includes three times, with BITS 8, 16 and 32. It computes a job's scores, for all lanes
   COLUMNS columns at a time.

   The recurrence is that of sw/problem.h without the maximum with 0: the subtraction of G_ext from F saturates at 0, and H is
   at least F. No other operation saturates. At the low end nothing can leave a lane's range, because kernel.c chooses the
   width. At the high end H grows by at most `highest` from one cell to the next, so a lane's best exceeds the limit before
   anything wraps round, and is then not believed.

   The including file has the operations of sw/kit/vectors_*.h, and transpose(words, columns) and place(). */
#include "sw/kit/bits.h"

/* What a block needs besides its columns. */
typedef struct {
    const uint8_t *query; // [rows] of the band
    uint32_t rows;
    int first, last; // is it the first band, the last?
    vector open, extend;
    vector keep; // 0 in the lanes that begin a subject, all bits in the others
} OF_BITS(band_);

/* Computes columns from .. to - 1 of a row. left and E: H of the column before and E of this one, afterwards those for the next
   column. Best scores are taken from `matched`, which does not wait for E and F: the best alignment ends with a match.

   Gaps open from `beside`, not from H: F never follows E directly, but the same two gaps in the other order cost the same. So
   the chain from column to column is E's alone: two operations. */
INLINE void OF_BITS(part_)(const int from, const int to, const OF_BITS(band_) * band, const vector *score,
                           vector *diagonal, vector *F, vector *most, vector *left, vector *E) {
    for (int c = from; c < to; c++) {
        const vector matched = ADD(diagonal[c], score[c]);
        most[c % BESTS] = MAX_TOO(most[c % BESTS], matched);
        const vector beside = MAX(matched, F[c]), H = MAX(beside, *E);
        diagonal[c] = *left;
        *left = H;
        const vector opened = SUB(beside, band->open);
        *E = MAX(SUB(*E, band->extend), opened);
        F[c] = MAX(DECAY(F[c], band->extend), opened);
    }
}

/* Computes a block. The call replaces what three arguments hold.
   In cells [rows][2] are H and E of the column before, afterwards of the block's last column.
   In edge [COLUMNS][2] are H and F of the row above, afterwards of the last row.
   In corner is H of the row above in the column before, afterwards in the block's last column.
   E and F are stored for the next cell.

   Columns from CUT on are one row late. So an iteration has two short chains of operations instead of a long one. */
INLINE void OF_BITS(rows_)(const int begins, const OF_BITS(band_) * band, const vector *profile, vector *cells,
                           vector *edge, vector *corner, vector *best) {
    const OF_BITS(band_) here = *band; // a copy, so that the compiler keeps its vectors in registers
    const vector zero = SPLAT(0);
    vector diagonal[COLUMNS], F[COLUMNS], most[BESTS], left = zero, E, cut_left = zero, cut_E = zero;
    for (int k = 0; k < BESTS; k++) most[k] = *best;
    for (int c = 0; c < COLUMNS; c++) F[c] = diagonal[c] = zero;
    if (!band->first) {
        diagonal[0] = begins ? both(*corner, band->keep) : *corner;
        for (int c = 1; c < COLUMNS; c++) diagonal[c] = edge[2 * (c - 1)];
        for (int c = 0; c < COLUMNS; c++) F[c] = edge[2 * c + 1];
        *corner = edge[2 * (COLUMNS - 1)];
    }
    const uint32_t late = CUT < COLUMNS; // rows
    UNROLL_ROWS
    for (uint32_t i = 0; i < band->rows; i++) {
        const vector *score = profile + (size_t)band->query[i] * COLUMNS;
        const vector was_left = cut_left, was_E = cut_E;
        left = cells[2 * i], E = cells[2 * i + 1];
        if (begins) {
            left = both(left, band->keep);
            E = both(E, band->keep);
        }
        OF_BITS(part_)(0, CUT, &here, score, diagonal, F, most, &left, &E);
        if (late) {
            cut_left = left;
            cut_E = E;
            if (i == 0) continue;
            left = was_left, E = was_E;
            score = profile + (size_t)band->query[i - 1] * COLUMNS;
            OF_BITS(part_)(CUT, COLUMNS, &here, score, diagonal, F, most, &left, &E);
        }
        cells[2 * (i - late)] = left;
        cells[2 * (i - late) + 1] = E;
    }
    if (late) {
        const uint32_t i = band->rows - 1;
        const vector *score = profile + (size_t)band->query[i] * COLUMNS;
        left = cut_left, E = cut_E;
        OF_BITS(part_)(CUT, COLUMNS, &here, score, diagonal, F, most, &left, &E);
        cells[2 * i] = left;
        cells[2 * i + 1] = E;
    }
    if (!band->last) {
        for (int c = 0; c < COLUMNS; c++) {
            edge[2 * c] = c + 1 < COLUMNS ? diagonal[c + 1] : left;
            edge[2 * c + 1] = F[c];
        }
    }
    for (int k = 0; k < BESTS; k++) *best = MAX(*best, most[k]);
}

/* Copies the lanes' next residues: those of a block of this run. Once per cache line it also prefetches the lanes' next lines,
   because there are too many streams for the CPU to follow. fetch_ and profile_ are not inlined, because the compiler runs out of
   registers in rows_ then. */
static NOINLINE void OF_BITS(fetch_)(const cpu_lanes *lanes, uint32_t block, uint32_t *words) {
    const size_t at = (size_t)block * COLUMNS;
    FETCH_UNROLLED
    for (size_t lane = 0; lane < LANES; lane++) memcpy(&words[place(lane)], lanes->next[lane] + at, COLUMNS);
    if (block % (CACHE_LINE / COLUMNS) != 0) return;
    for (size_t lane = 0; lane < LANES; lane++) __builtin_prefetch(lanes->next[lane] + at + CACHE_LINE);
}

/* Fills the profile: the scores of every residue of the query with the lanes' next residues. It looks up four vectors before it
   stores the first, because the compiler assumes that a store may change the matrix. */
static NOINLINE void OF_BITS(profile_)(const cpu_job *job, const uint8_t *used, int used_count, const uint32_t *words,
                                       vector *profile) {
    const int8_t(*matrix)[SW_CODES] = job->matrix;
    vector residues[COLUMNS], scores[COLUMNS];
    transpose(words, residues);
    for (const uint8_t *end = used + used_count; used < end; used++) {
        vector *to = profile + (size_t)*used * COLUMNS;
        for (int c = 0; c < COLUMNS; c++) scores[c] = WIDEN(scores_of(matrix[*used], residues[c]));
        for (int c = 0; c < COLUMNS; c++) to[c] = scores[c];
    }
}

/* Subjects that have ended hand in their scores, and their lanes take others; `whole`: so do subjects that have overflowed.
   Sets all bits of these lanes in `begins`. Returns whether there are any. */
static int OF_BITS(hand_in_)(cpu_lanes *lanes, int whole, CELL *best, CELL *begins) {
    const cpu_job *job = lanes->job;
    int any = 0;
    for (size_t lane = 0; lane < LANES; lane++) {
        begins[lane] = 0;
        if (lanes->item[lane] == IDLE) continue;
        const int over = best[lane] > MOST - job->highest;
        if (lanes->left[lane] > 0 && !(over && whole)) continue;
        int *score = &job->score[lanes->item[lane]];
        if (over)
            *score = NO_SCORE;
        else if (*score != NO_SCORE && *score < best[lane])
            *score = best[lane];
        lanes->busy--;
        lanes_refill(lanes, lane);
        best[lane] = 0;
        begins[lane] = -1;
        any = 1;
    }
    return any;
}

/* Computes one band against all subjects. */
static void OF_BITS(scan_band_)(const cpu_job *job, const cpu_memory *memory, uint32_t first, uint32_t rows,
                                const uint8_t *used, int used_count) {
    OF_BITS(band_) band = {.query = job->query + first, .rows = rows, .first = first == 0};
    band.last = first + rows == job->rows;
    band.open = SPLAT(job->gap_open);
    band.extend = SPLAT(job->gap_extend);
    band.keep = SPLAT(0);
    vector corner = SPLAT(0), best = SPLAT(0);
    vector *cells = (vector *)memory->cells, *profile = (vector *)memory->profile, *edge = (vector *)memory->edges;
    _Alignas(VECTOR_BYTES) uint32_t words[VECTOR_BYTES];
    memset(words, SW_END, sizeof words);
    cpu_lanes lanes;
    lanes_start(&lanes, job, LANES);
    int begins = 1;
    while (lanes.busy > 0) {
        const uint32_t run = lanes_run(&lanes, LANES);
        OF_BITS(fetch_)(&lanes, 0, words);
        for (uint32_t block = 0; block < run; block++) {
            OF_BITS(profile_)(job, used, used_count, words, profile);
            if (block + 1 < run) OF_BITS(fetch_)(&lanes, block + 1, words); // stored long before they are loaded
            if (begins)
                OF_BITS(rows_)(1, &band, profile, cells, edge, &corner, &best);
            else
                OF_BITS(rows_)(0, &band, profile, cells, edge, &corner, &best);
            begins = 0;
            if (!(band.first && band.last)) edge += 2 * COLUMNS;
        }
        lanes_advance(&lanes, LANES, run);
        _Alignas(VECTOR_BYTES) CELL best_of[LANES], beginning[LANES];
        store(best_of, best);
        begins = OF_BITS(hand_in_)(&lanes, band.first && band.last, best_of, beginning);
        if (begins) {
            best = load(best_of);
            band.keep = SUB(SPLAT(-1), load(beginning));
        }
    }
}

static void OF_BITS(scan_)(const cpu_job *job, const cpu_memory *memory) {
    uint8_t used[SW_CODES], is_used[256] = {0};
    int used_count = 0;
    for (uint32_t i = 0; i < job->rows; i++) is_used[job->query[i]] = 1;
    for (int code = 0; code < SW_CODES; code++)
        if (is_used[code]) used[used_count++] = (uint8_t)code;
    for (size_t item = 0; item < job->count; item++) job->score[item] = 0;
    for (uint32_t first = 0; first < job->rows; first += BAND_ROWS) {
        const uint32_t rows = job->rows - first < BAND_ROWS ? job->rows - first : BAND_ROWS;
        OF_BITS(scan_band_)(job, memory, first, rows, used, used_count);
    }
}

#include "sw/kit/bits.h"
