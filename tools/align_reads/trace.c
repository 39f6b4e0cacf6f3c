/* A row of the parallelogram has n - m + 1 cells. Cell k of row j is column i = j + k of problem.h. So its diagonal neighbour is cell k of
   the row above, an inserted letter comes from cell k + 1 there, and a skipped site from cell k - 1 of the same row.

   The rows are computed in stretches, and each cell leaves a byte that says where its values came from. Only one stretch of bytes is
   kept, and for each stretch the row above it. If there are several stretches, the way back computes all but the last again, only as
   far to the right as the path can still get.

   No cost is negative, so a cell that costs more than `most` is on no path of interest. A block of cells is left out of a row if none of
   the cells that lead into it costs less. Of reads that fit somewhere, few blocks remain after the first letters. With nine edges,
   align-reads takes 0.3 of the time that it took with all blocks (results/tools_1core.tsv). */
#include "tools/align_reads/trace.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/cpu.h"
#include "harness/base/memory.h"

/* Where S came from, and whether D came from S: on the way back, the gap then ends. */
enum { DIAGONAL = 0, SKIPPED = 1, INSERTED = 2, MOVE = 3, CLOSED = 4 };

enum { BLOCK = 64 };

typedef struct {
    const papara_input *input;
    const uint32_t *site;
    const uint8_t *codes;
    uint32_t m, width; // of the parallelogram
    int most;
    uint32_t rows;  // of a stretch
    int *above;     // [stretches][width + 1]: the row above each stretch, and a cell that does not exist
    int *S, *D;     // [width + 1] each; PAPARA_INFINITE in blocks that are not alive
    uint8_t *alive; // [blocks]: a cell of S is at most `most`
    uint8_t *steps; // [rows][width]
} tracer;

static int smaller(int a, int b) { return a < b ? a : b; }

/* Opening costs no less than extending, so opening a gap where S is D, right after a gap, need not be tried. */
static int skipped_site(const tracer *t, uint32_t site, int S, int D) {
    const papara_penalties *p = &t->input->penalties;
    return site & PAPARA_CGAP ? smaller(S, D) : smaller(S + p->gap_open, D + p->gap_extend);
}

/* Computes cells `first` to `end` - 1 of row j from the row above in S, given D of the first. Returns the lowest S. Only D runs from cell
   to cell. The other costs of the block come before it, and S comes after it, in loops that the compiler can vectorise. */
WL_VECTORS
static int next_cells(const tracer *t, uint32_t j, uint32_t first, uint32_t end, int D_first, uint8_t *restrict step) {
    const papara_penalties *p = &t->input->penalties;
    const int mismatch = p->mismatch, insertion = p->insertion, cgap = p->cgap, open = p->gap_open,
              extend = p->gap_extend;
    const uint32_t *restrict A = t->site + (j - 1); // A[k]: site j + k, counted from 1
    const uint32_t set = t->input->sets[t->codes[j - 1]];
    int *restrict S = t->S, *restrict D = t->D;
    for (uint32_t k = first; k < end; k++) {
        int diagonal = S[k] + (A[k] & set ? 0 : mismatch) + (A[k] & PAPARA_CGAP ? cgap : 0);
        int inserted = S[k + 1] + insertion;
        S[k] = diagonal <= inserted ? diagonal : inserted;
        step[k] = diagonal <= inserted ? DIAGONAL : INSERTED;
    }
    D[first] = D_first;
    for (uint32_t k = first + 1; k < end; k++) {
        int opened = S[k - 1] + (A[k] & PAPARA_CGAP ? 0 : open), longer = D[k - 1] + (A[k] & PAPARA_CGAP ? 0 : extend);
        D[k] = opened < longer ? opened : longer;
    }
    int least = PAPARA_INFINITE;
    for (uint32_t k = first; k < end; k++) {
        int skipped = D[k] < S[k] + (step[k] == INSERTED);
        step[k] = skipped ? SKIPPED : step[k];
        S[k] = D[k] < S[k] ? D[k] : S[k];
        least = S[k] < least ? S[k] : least;
    }
    for (uint32_t k = first > 0 ? first : 1; k < end; k++) {
        int opened = S[k - 1] + (A[k] & PAPARA_CGAP ? 0 : open);
        step[k] |= opened == D[k] ? CLOSED : 0;
    }
    return least;
}

/* The first `width` cells of row j. */
static void next_row(const tracer *t, uint32_t j, uint32_t width, uint8_t *step) {
    for (uint32_t first = 0; first < width; first += BLOCK) {
        const uint32_t end = width - first < BLOCK ? width : first + BLOCK;
        uint8_t *alive = &t->alive[first / BLOCK];
        const int D =
            first == 0 ? PAPARA_INFINITE : skipped_site(t, t->site[j - 1 + first], t->S[first - 1], t->D[first - 1]);
        if (!*alive && D > t->most && t->S[end] + t->input->penalties.insertion > t->most) continue;
        *alive = next_cells(t, j, first, end, D, step) <= t->most;
        if (*alive) continue;
        for (uint32_t k = first; k < end; k++) t->S[k] = t->D[k] = PAPARA_INFINITE;
    }
}

/* Computes stretch s, for the first time or again. S is then its last row. */
static void compute(const tracer *t, uint32_t s, uint32_t width) {
    uint32_t first = s * t->rows, last = t->m - first < t->rows ? t->m : first + t->rows;
    memcpy(t->S, t->above + s * ((size_t)t->width + 1), ((size_t)t->width + 1) * sizeof *t->S);
    memset(t->alive, 0, (width - 1) / BLOCK + 1);
    for (uint32_t k = 0; k < width; k++) {
        t->D[k] = PAPARA_INFINITE;
        t->alive[k / BLOCK] |= t->S[k] <= t->most;
    }
    for (uint32_t j = first + 1; j <= last; j++) next_row(t, j, width, t->steps + (j - first - 1) * (size_t)t->width);
}

/* The way back through stretch s, from its last row's cell k. Returns the cell of the row above. */
static uint32_t follow(const tracer *t, uint32_t s, uint32_t k, int32_t *column) {
    uint32_t first = s * t->rows, j = t->m - first < t->rows ? t->m : first + t->rows;
    while (j > first) {
        const uint8_t *step = t->steps + (j - first - 1) * (size_t)t->width;
        if ((step[k] & MOVE) == SKIPPED) {
            while (!(step[k] & CLOSED)) k--;
            k--;
        } else if ((step[k] & MOVE) == DIAGONAL) {
            j--;
            column[j] = (int32_t)(j + k);
        } else {
            j--;
            column[j] = -1;
            k++;
        }
    }
    return k;
}

/* The score, and the way to it if it is at most `most`. */
static int trace(const tracer *t, int32_t *column) {
    const uint32_t stretches = (t->m - 1) / t->rows + 1;
    const size_t pitch = (size_t)t->width + 1;
    memset(t->above, 0, t->width * sizeof *t->above);
    t->above[t->width] = PAPARA_INFINITE;
    for (uint32_t s = 0; s < stretches; s++) {
        compute(t, s, t->width);
        if (s + 1 < stretches) memcpy(t->above + (s + 1) * pitch, t->S, pitch * sizeof *t->S);
    }
    uint32_t k = 0;
    for (uint32_t c = 1; c < t->width; c++)
        if (t->S[c] < t->S[k]) k = c;
    const int score = t->S[k];
    if (score > t->most) return PAPARA_INFINITE;
    for (uint32_t s = stretches; s-- > 0;) {
        /* An inserted letter leads one cell to the right. Wrong values after the last computed cell move one cell to the
           left per row, so they never meet the path. */
        uint32_t right = t->width - k > t->rows + 1 ? k + t->rows + 1 : t->width;
        if (s + 1 < stretches) compute(t, s, right);
        k = follow(t, s, k, column);
    }
    return score;
}

/* Rows per stretch: as many as fit into `memory`, but at least the number for which bytes and rows above take the least memory. */
static uint32_t rows_of(uint32_t m, uint32_t width, size_t memory) {
    uint64_t fit = memory / width, least = 1;
    while (least * least < 4 * (uint64_t)m) least++; // `rows` bytes and m / rows ints per cell of a row
    if (fit < least) fit = least;
    return fit < m ? (uint32_t)fit : m;
}

wl_status papara_trace_within(const papara_input *input, const uint32_t *site, const uint8_t *codes, uint32_t m,
                              int most, size_t memory, int32_t *column, int *score) {
    tracer t = {.input = input, .site = site, .codes = codes, .m = m, .width = input->sites - m + 1, .most = most};
    t.rows = rows_of(m, t.width, memory);
    const size_t stretches = (m - 1) / t.rows + 1, pitch = (size_t)t.width + 1;
    const size_t bytes = (stretches + 2) * pitch * sizeof *t.S + (size_t)t.rows * t.width;
    size_t since = 0;
    /* Asking how much memory is free takes longer than a short read. */
    if ((bytes > 2 * PAPARA_TRACE_MEMORY && !wl_memory_room(&since, bytes)) ||
        !WL_ALLOCATE(WL_ARRAY(t.above, stretches * pitch), WL_ARRAY(t.S, 2 * pitch),
                     WL_ARRAY(t.alive, t.width / BLOCK + 1), WL_ARRAY(t.steps, (size_t)t.rows * t.width)))
        return wl_fail(WL_NO_MACHINE, "not enough memory to align a read of %u letters to %u sites", m, input->sites);
    t.D = t.S + pitch;
    *score = trace(&t, column);
    WL_FREE(t.steps, t.alive, t.S, t.above);
    return WL_OK;
}

wl_status papara_trace(const papara_input *input, const uint32_t *site, const uint8_t *codes, uint32_t m, int most,
                       int32_t *column, int *score) {
    return papara_trace_within(input, site, codes, m, most, PAPARA_TRACE_MEMORY, column, score);
}
