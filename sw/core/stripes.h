/* The inner skeleton, which every core includes three times, with BITS 8, 16 and 32: one pair's table, a column at a time, in the
   layout of Farrar 2007. The including file has the operations of sw/kit/vectors_*.h.

   A lane has `segments` neighbouring rows. So the vectors of a column depend on each other as cells of a column do. Lanes depend
   on each other only where one's last row is above the next one's first. There H is known, from the column before. F is not
   known and is taken as 0. After the column, put_right_ corrects what that left out, which is mostly nothing.

   Numbers stay in range as in sw/cpu_simd/columns.h: E never falls below 0, so neither does H, and F is at least -G_open. With a
   base, 0 stands for the base. No H is below it, so an E or F below it does not matter. */
#include "sw/kit/bits.h"

static void OF_BITS(fill_)(const uint8_t *rows, uint32_t count, uint32_t segments, const int8_t (*matrix)[SW_CODES],
                           const uint8_t *used, int used_count, unsigned char *profile) {
    _Alignas(VECTOR_BYTES) uint8_t letters[VECTOR_BYTES];
    memset(letters, SW_END, sizeof letters);
    for (uint32_t i = 0; i < segments; i++) {
        for (size_t lane = 0, row = i; lane < LANES; lane++, row += segments)
            letters[lane] = row < count ? rows[row] : SW_END;
        const vector residues = load(letters);
        for (int u = 0; u < used_count; u++)
            store(profile + ((size_t)used[u] * segments + i) * VECTOR_BYTES,
                  WIDEN(scores_of(matrix[used[u]], residues)));
    }
}

INLINE int OF_BITS(last_lane_)(vector v) {
    _Alignas(VECTOR_BYTES) CELL lanes[LANES];
    store(lanes, v);
    return lanes[LANES - 1];
}

static int OF_BITS(largest_)(vector v) {
    _Alignas(VECTOR_BYTES) CELL lanes[LANES];
    store(lanes, v);
    int most = 0;
    for (size_t lane = 0; lane < LANES; lane++)
        if (lanes[lane] > most) most = lanes[lane];
    return most;
}

/* The first row of the column with an H of `value`, which is its best. */
static uint32_t OF_BITS(first_row_)(const vector *cells, uint32_t segments, int value) {
    const vector below = SPLAT(value - 1);
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < segments; i++) {
        if (!ANY_IS_ABOVE(cells[2 * i], below)) continue;
        _Alignas(VECTOR_BYTES) CELL lanes[LANES];
        store(lanes, cells[2 * i]);
        uint32_t row = i;
        for (size_t lane = 0; lanes[lane] != value; lane++) row += segments;
        if (row < first) first = row;
    }
    return first;
}

/* Corrects the column for F from the lanes before: it changes H, E of the next column, and F of the row below. A lane is done when
   its own F is at least as large: F - G_ext <= H - G_open, since H opens it. */
static vector OF_BITS(put_right_)(vector *cells, uint32_t segments, const pair_tile *t, vector F) {
    const vector open = SPLAT(t->gap_open), extend = SPLAT(t->gap_extend),
                 open_less_extend = SPLAT(t->gap_open - t->gap_extend);
    vector incoming = MAX(TO_NEXT(F), SPLAT(0));
    if (!ANY_IS_ABOVE(incoming, DECAY(cells[0], open_less_extend))) return F;
    const double across = (double)segments * t->gap_extend; // what a gap through all of a lane costs
    if (across < MOST) {
        _Alignas(VECTOR_BYTES) CELL lanes[LANES];
        store(lanes, incoming);
        for (size_t lane = 1; lane < LANES; lane++) {
            const int through = lanes[lane - 1] - (int)across;
            if (through > lanes[lane]) lanes[lane] = (CELL)through;
        }
        incoming = load(lanes);
        F = MAX(F, DECAY(incoming, SPLAT((int)across)));
    }
    for (uint32_t i = 0; i < segments; i++) {
        const vector H = cells[2 * i];
        if (!ANY_IS_ABOVE(incoming, DECAY(H, open_less_extend))) return F;
        const vector larger = MAX(H, incoming);
        cells[2 * i] = larger;
        cells[2 * i + 1] = MAX(cells[2 * i + 1], SUB(larger, open));
        incoming = DECAY(incoming, extend);
    }
    return F;
}

#if BITS == 16
/* Chooses `base`: no H of the tile may be below it, and none may be too far above. To the right, H falls by no more than a gap
   costs. Returns whether the lanes are wide enough. */
static int OF_BITS(set_base_)(pair_tile *t) {
    const CELL *edge = t->edge;
    vector *cells = (vector *)t->cells, high = SPLAT(0), low = SPLAT(-MOST); // low: of -H
    for (uint32_t i = 0; i < t->segments; i++) {
        high = MAX(high, cells[2 * i]);
        low = MAX(low, SUB(SPLAT(0), cells[2 * i]));
    }
    _Alignas(VECTOR_BYTES) CELL lows[LANES];
    store(lows, low);
    int least = lows[0], most = OF_BITS(largest_)(high) + t->base;
    for (size_t lane = 1; lane < LANES; lane++)
        if (lows[lane] > least) least = lows[lane];
    double base = (double)t->base - least - t->gap_open - (double)t->columns * t->gap_extend;
    if (t->corner < base) base = t->corner;
    if (t->corner > most) most = t->corner;
    for (uint32_t c = 0; c < t->columns && !t->is_first; c++) {
        const int H = edge[2 * c] + t->edge_base;
        if (H < base) base = H;
        if (H > most) most = H;
    }
    if (base < 0 || t->is_first) base = 0;
    if (most - base > MOST - t->highest) return 0;
    const int shift = t->base - (int)base;
    t->base = (int)base;
    if (shift == 0) return 1;
    const vector less = SPLAT(shift > -MOST ? -shift : MOST), more = SPLAT(shift > 0 ? shift : 0);
    for (uint32_t i = 0; i < t->segments; i++) {
        if (shift > 0) {
            cells[2 * i] = ADD(cells[2 * i], more);
            cells[2 * i + 1] = ADD(cells[2 * i + 1], more);
        } else {
            cells[2 * i] = SUB(cells[2 * i], less);
            cells[2 * i + 1] = DECAY(cells[2 * i + 1], less);
        }
    }
    return 1;
}
#endif

/* Where the profile has the score of barred row k for this letter; NULL: another band has the row. */
INLINE CELL *OF_BITS(score_at_)(const pair_tile *t, uint8_t letter, uint32_t k) {
    const uint32_t row = t->bar_row[k] - t->first_row; // wraps round above the band
    if (t->bar_row[k] < t->first_row || row / t->segments >= LANES) return NULL;
    const size_t vector = (size_t)letter * t->segments + row % t->segments;
    return (CELL *)(t->profile + vector * VECTOR_BYTES) + row / t->segments;
}

/* A barred pair scores less than any H makes up for: its H is its E or F. */
static void OF_BITS(bar_)(const pair_tile *t, uint32_t c, uint8_t letter) {
    for (uint32_t k = t->bar_at[c]; k < t->bar_at[c + 1]; k++) {
        CELL *score = OF_BITS(score_at_)(t, letter, k);
        if (score == NULL) continue;
        t->bar_saved[k - t->bar_at[c]] = *score;
        *score = BITS == 32 ? -MOST / 2 : -MOST;
    }
}

static void OF_BITS(unbar_)(const pair_tile *t, uint32_t c, uint8_t letter) {
    for (uint32_t k = t->bar_at[c]; k < t->bar_at[c + 1]; k++) {
        CELL *score = OF_BITS(score_at_)(t, letter, k);
        if (score != NULL) *score = (CELL)t->bar_saved[k - t->bar_at[c]];
    }
}

/* Only a column whose best is above this mark is looked at. */
static vector OF_BITS(mark_)(const pair_tile *t) {
    int mark = (t->by_row && t->best > 0 ? t->best - 1 : t->best) - t->base;
    if (mark > MOST - t->highest) mark = MOST - t->highest;
    return SPLAT(mark < 0 ? 0 : mark);
}

static tile_end OF_BITS(compute_)(pair_tile *t) {
#if BITS == 16
    if (!OF_BITS(set_base_)(t)) return TILE_TOO_NARROW;
#endif
    const uint32_t segments = t->segments;
    const vector open = SPLAT(t->gap_open), extend = SPLAT(t->gap_extend), zero = SPLAT(0);
    const int base = t->base, from_edge = t->edge_base - base;
    vector *cells = (vector *)t->cells, mark = OF_BITS(mark_)(t);
    CELL *edge = t->edge;
    int corner = t->corner - base;
    t->edge_base = base;
    for (uint32_t c = 0; c < t->columns; c++) {
        const vector *score = (const vector *)t->profile + (size_t)t->letters[c] * segments;
        vector diagonal = either(TO_NEXT(cells[2 * (segments - 1)]), FIRST(corner)), F = zero, most = zero;
        if (!t->is_first) {
            corner = edge[2 * c] + from_edge;
            const int above = edge[2 * c + 1] + from_edge;
            F = FIRST(above > 0 ? above : 0);
        }
        if (t->bar_at != NULL) OF_BITS(bar_)(t, t->first_column + c, t->letters[c]);
        const vector *end = cells + 2 * (size_t)segments;
        UNROLL_SEGMENTS
        for (vector *cell = cells; cell < end; cell += 2) {
            vector E = cell[1];
            const vector H = MAX(MAX(ADD(diagonal, *score++), E), F);
            diagonal = cell[0];
            most = MAX_TOO(most, H);
            const vector opened = SUB(H, open);
            E = MAX(DECAY(E, extend), opened);
            F = MAX(SUB(F, extend), opened);
            cell[0] = H;
            cell[1] = E;
        }
        if (t->bar_at != NULL) OF_BITS(unbar_)(t, t->first_column + c, t->letters[c]);
        F = OF_BITS(put_right_)(cells, segments, t, F);
        if (!t->is_last) {
            edge[2 * c] = (CELL)OF_BITS(last_lane_)(cells[2 * (segments - 1)]);
            edge[2 * c + 1] = (CELL)OF_BITS(last_lane_)(F);
        }
        if (!ANY_IS_ABOVE(most, mark)) continue;
        const int best = OF_BITS(largest_)(most);
        if (best > MOST - t->highest) return TILE_TOO_NARROW;
        const uint32_t row = t->wants_end ? OF_BITS(first_row_)(cells, segments, best) : 0;
        if (best + base > t->best || (best + base == t->best && row < t->best_row)) {
            t->best = best + base;
            t->best_row = row;
            t->best_column = t->first_column + c;
            mark = OF_BITS(mark_)(t);
        }
        if (best + base == t->goal) {
            t->corner = corner + base;
            return TILE_GOAL;
        }
    }
    t->corner = corner + base;
    return TILE_DONE;
}

#include "sw/kit/bits.h"
