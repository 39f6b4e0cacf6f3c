#include "tools/search/align/rows.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/cpu.h"
#include "harness/base/memory.h"

static inline int larger(int a, int b) { return a > b ? a : b; }

wl_status sw_rows_make(const sw_scoring *scoring, const uint8_t *query, uint32_t m, const uint8_t *subject, uint32_t n,
                       const sw_barred *barred, sw_rows *rows) {
    *rows = (sw_rows){.scoring = scoring, .query = query, .subject = subject, .m = m, .n = n, .barred = barred};
    size_t columns = (size_t)n + 1;
    if (!WL_ALLOCATE(WL_ARRAY(rows->profile, SW_LETTERS * columns), WL_ARRAY(rows->H, 4 * columns),
                     WL_ARRAY(rows->bars, barred ? barred->count : 0)))
        return wl_fail(WL_NO_MACHINE, "no memory to align sequences of %u and %u letters", m, n);
    rows->E = rows->H + columns;
    rows->F = rows->E + columns;
    rows->T = rows->F + columns;
    return WL_OK;
}

void sw_rows_free(sw_rows *rows) {
    WL_FREE(rows->profile, rows->H, rows->bars);
    *rows = (sw_rows){0};
}

const int8_t *sw_rows_profile(sw_rows *rows, uint32_t query_at, uint32_t subject_at) {
    uint8_t letter = rows->query[query_at];
    int8_t *scores = rows->profile + (size_t)letter * rows->n;
    if (!rows->made[letter])
        for (uint32_t j = 0; j < rows->n; j++) scores[j] = rows->scoring->matrix[letter][rows->subject[j]];
    rows->made[letter] = 1;
    return scores + subject_at;
}

void sw_rows_begin(sw_rows *rows, uint32_t n, int local) {
    rows->H[0] = 0;
    rows->F[0] = SW_NEVER;
    int gap = -rows->scoring->gap_open;
    for (uint32_t j = 1; j <= n; j++) {
        rows->H[j] = local ? 0 : gap;
        rows->F[j] = SW_NEVER;
        gap = larger(gap - rows->scoring->gap_extend, SW_NEVER);
    }
}

/* F and T from the row above. */
WL_VECTORS static void from_above(size_t n, const int8_t *restrict score, int open, int extend, int floor,
                                  const int *restrict H, int *restrict F, int *restrict T) {
    for (size_t j = 1; j <= n; j++) {
        F[j] = larger(F[j] - extend, H[j] - open);
        T[j] = larger(larger(H[j - 1] + score[j - 1], F[j]), floor);
    }
}

/* The same, and the bits of F. */
WL_VECTORS static void from_above_traced(size_t n, const int8_t *restrict score, int open, int extend, int floor,
                                         const int *restrict H, int *restrict F, int *restrict T,
                                         uint8_t *restrict step) {
    for (size_t j = 1; j <= n; j++) {
        int longer = F[j] - extend, opened = H[j] - open, pair = H[j - 1] + score[j - 1];
        F[j] = larger(longer, opened);
        T[j] = larger(larger(pair, F[j]), floor);
        step[j] = (uint8_t)((F[j] > pair ? SW_STEP_F : 0) | (longer >= opened ? SW_STEP_F_EXTENDS : 0));
    }
}

/* Eight columns, whatever the machine's vectors are. */
enum { LANES = 8 };
typedef int lanes __attribute__((vector_size(LANES * sizeof(int))));
typedef int lanes_anywhere __attribute__((vector_size(LANES * sizeof(int)), aligned(sizeof(int)), may_alias));

/* A macro, as vectors wider than the machine's cannot be a function's parameters. */
#define LARGER_LANES(a, b) (((a) & ((a) > (b))) | ((b) & ~((a) > (b))))

/* E opens from T as well as from H: where H is E, opening another gap cannot beat going on. So a row's E is the best
   over all columns before of T less a gap from there: within eight columns by doubling the distance three times, and
   from eight to the next eight by one step. */
WL_VECTORS static void along(size_t n, int open, int extend, const int *restrict T, int *restrict E) {
    const lanes never = (lanes){0} + SW_NEVER, first = (lanes){0} + E[0];
    const lanes from_start = extend * (lanes){1, 2, 3, 4, 5, 6, 7, 8};
    lanes before = first; // E of the column before, in every lane
    size_t j = 1;
    for (; j + LANES <= n + 1; j += LANES) {
        lanes best = *(const lanes_anywhere *)&T[j - 1] - open;
        lanes other = __builtin_shuffle(never, best, (lanes){0, 8, 9, 10, 11, 12, 13, 14}) - extend;
        best = LARGER_LANES(best, other);
        other = __builtin_shuffle(never, best, (lanes){0, 0, 8, 9, 10, 11, 12, 13}) - 2 * extend;
        best = LARGER_LANES(best, other);
        other = __builtin_shuffle(never, best, (lanes){0, 0, 0, 0, 8, 9, 10, 11}) - 4 * extend;
        best = LARGER_LANES(best, other);
        other = before - from_start;
        best = LARGER_LANES(best, other);
        *(lanes_anywhere *)&E[j] = best;
        before = __builtin_shuffle(best, (lanes){7, 7, 7, 7, 7, 7, 7, 7});
    }
    for (int e = before[0]; j <= n; j++) {
        e = larger(e - extend, T[j - 1] - open);
        E[j] = e;
    }
}

WL_VECTORS static int finish(size_t n, const int *restrict T, const int *restrict E, int *restrict H) {
    int best = INT_MIN;
    for (size_t j = 1; j <= n; j++) {
        H[j] = larger(T[j], E[j]);
        best = larger(best, H[j]);
    }
    return best;
}

WL_VECTORS static void trace_along(size_t n, int open, int extend, const int *restrict T, const int *restrict E,
                                   uint8_t *restrict step) {
    for (size_t j = 1; j <= n; j++)
        step[j] = (uint8_t)(step[j] | (E[j] > T[j] ? SW_STEP_E : 0) |
                            (E[j - 1] - extend >= T[j - 1] - open ? SW_STEP_E_EXTENDS : 0));
}

size_t sw_rows_bars(sw_rows *rows, uint32_t query_at, uint32_t subject_at, uint32_t n) {
    const sw_barred *b = rows->barred;
    size_t count = 0;
    for (size_t p = 0; b && p < b->count; p++) {
        const sw_path *path = &b->paths[p];
        const uint32_t k = (b->backwards ? b->query - query_at : b->query + query_at) - path->first; // before it: wraps
        if (k >= path->rows || path->column[k] == 0) continue;
        const uint32_t s = path->column[k] - 1, at = b->backwards ? b->subject - s : s - b->subject;
        if (at < subject_at || at - subject_at >= n) continue;
        size_t i = count++;
        for (; i > 0 && rows->bars[i - 1] > at - subject_at + 1; i--) rows->bars[i] = rows->bars[i - 1];
        rows->bars[i] = at - subject_at + 1;
    }
    return count;
}

/* F and T where a pair may also follow `zero`: nothing, or SW_NEVER. */
WL_VECTORS static void from_above_or(size_t n, const int8_t *restrict score, int open, int extend, int zero,
                                     const int *restrict H, int *restrict F, int *restrict T) {
    for (size_t j = 1; j <= n; j++) {
        F[j] = larger(F[j] - extend, H[j] - open);
        T[j] = larger(larger(H[j - 1], zero) + score[j - 1], F[j]);
    }
}

WL_VECTORS static int finish_above_0(size_t n, const int *restrict T, const int *restrict E, int *restrict H) {
    int best = INT_MIN;
    for (size_t j = 1; j <= n; j++) {
        const int value = larger(T[j], E[j]);
        H[j] = value > 0 ? value : SW_NEVER;
        best = larger(best, value);
    }
    return best;
}

/* What a row is computed by. */
typedef struct {
    int floor;   // of T
    int is_from; // begins: see sw_rows_next_from
    uint32_t begins, through;
    int through_score;
    uint8_t *directions;
} row_rule;

/* Columns at + 1 .. at + n of the row: some of it stays in the first-level cache from one step to the next. H[at] is the row above's. */
static int some_columns(sw_rows *rows, const row_rule *rule, const int8_t *score, uint32_t at, uint32_t n, size_t *bar,
                        size_t bars) {
    const int open = rows->scoring->gap_open, extend = rows->scoring->gap_extend;
    int *const H = rows->H + at, *const E = rows->E + at, *const F = rows->F + at, *const T = rows->T + at;
    uint8_t *const directions = rule->directions ? rule->directions + at : NULL;
    const uint32_t begins = rule->begins > at + n ? n : rule->begins > at ? rule->begins - at : 0;
    if (rule->is_from) {
        from_above_or(begins, score + at, open, extend, 0, H, F, T);
        from_above_or(n - begins, score + at + begins, open, extend, SW_NEVER, H + begins, F + begins, T + begins);
    } else if (directions) {
        from_above_traced(n, score + at, open, extend, rule->floor, H, F, T, directions);
    } else {
        from_above(n, score + at, open, extend, rule->floor, H, F, T);
    }
    for (; *bar < bars && rows->bars[*bar] <= at + n; ++*bar) {
        const uint32_t j = rows->bars[*bar] - at;
        T[j] = larger(F[j], rule->floor);
        if (directions) directions[j] |= SW_STEP_F;
    }
    if (rule->through > at && rule->through <= at + n)
        T[rule->through - at] = larger(T[rule->through - at], rule->through_score);
    along(n, open, extend, T, E);
    if (directions) trace_along(n, open, extend, T, E, directions);
    return rule->is_from ? finish_above_0(n, T, E, H) : finish(n, T, E, H);
}

static int next_row(sw_rows *rows, const row_rule *rule, uint32_t query_at, uint32_t subject_at, uint32_t n, int left) {
    enum { SOME = 1024 };
    const int8_t *score = sw_rows_profile(rows, query_at, subject_at);
    const size_t bars = sw_rows_bars(rows, query_at, subject_at, n);
    size_t bar = 0;
    int best = INT_MIN, above = rows->H[0], here = left;
    rows->T[0] = left;
    rows->E[0] = SW_NEVER;
    for (uint32_t at = 0; at < n; at += SOME) {
        const uint32_t some = n - at < SOME ? n - at : SOME;
        const int next_above = rows->H[at + some];
        rows->H[at] = above;
        best = larger(best, some_columns(rows, rule, score, at, some, &bar, bars));
        rows->H[at] = here;
        above = next_above;
        here = rows->H[at + some];
    }
    if (n == 0) rows->H[0] = left;
    return best;
}

int sw_rows_next(sw_rows *rows, uint32_t query_at, uint32_t subject_at, uint32_t n, int left, int floor,
                 uint8_t *directions) {
    return next_row(rows, &(row_rule){.floor = floor, .directions = directions}, query_at, subject_at, n, left);
}

int sw_rows_next_from(sw_rows *rows, uint32_t query_at, uint32_t subject_at, uint32_t n, uint32_t begins,
                      uint32_t through, int score) {
    const row_rule rule = {
        .floor = SW_NEVER, .is_from = 1, .begins = begins, .through = through, .through_score = score};
    return next_row(rows, &rule, query_at, subject_at, n, SW_NEVER);
}

size_t sw_rows_follow_back(const uint8_t *steps, uint32_t rows, uint32_t columns, int in_gap, char *path) {
    const size_t pitch = (size_t)columns + 1;
    uint32_t i = rows, j = columns;
    char *const end = path + i + j, *next = end; // from the end, then moved to where it belongs
    enum { ANY, IN_F, IN_E } state = in_gap ? IN_F : ANY;
    while (i > 0 || j > 0) {
        const uint8_t step = steps[i * pitch + j];
        if (state == ANY) state = step & SW_STEP_E ? IN_E : step & SW_STEP_F ? IN_F : ANY;
        if (state == IN_E) {
            *--next = 'D';
            j--;
            if (!(step & SW_STEP_E_EXTENDS)) state = ANY;
        } else if (state == IN_F) {
            *--next = 'I';
            i--;
            if (!(step & SW_STEP_F_EXTENDS)) state = ANY;
        } else {
            *--next = 'M';
            i--;
            j--;
        }
    }
    memmove(path, next, (size_t)(end - next));
    return (size_t)(end - next);
}
