/* The cost of an alignment, from its columns alone.

   The cost of letters on sites and of inserted letters is plain. The cost of skipped sites between two letters depends on where inserted
   letters stand among them, which the columns do not say. The read has the lowest cost of all orders.

   Mostly that is one gap, before or after all inserted letters. But a row of problem.h has only the columns i = j .. j + n - m, so many
   inserted letters or skipped sites may have no room in one piece. A gap in two pieces opens twice, for nothing if a site has CGAP.
   Before the first letter on a site, the begin of the read matters too: letters inserted there may be followed by skipped sites, which
   are not free once the read has begun. So all orders are tried, site by site. The state is the number of sites, the number of inserted
   letters, and whether the last step was a skip. */
#include <stdlib.h>

#include "tools/align_reads/trace.h"

static const int64_t never = INT64_MAX / 4;

typedef struct {
    const papara_input *input;
    const uint32_t *site;
    uint32_t spare;      // n - m: how far i may be ahead of j
    int64_t *gap, *shut; // [m + 1]: the lowest cost per number of inserted letters, with an open gap and without one
} costs;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static int exists(const costs *c, uint32_t i, uint32_t j) { return i >= j && i - j <= c->spare; }

/* The cost of skips and insertions from letter `row` on site `from` up to letter row + inserted and site `to`. In row 0 the read has not
   begun, and may begin at any site. */
static int64_t between(const costs *c, uint32_t from, uint32_t to, uint32_t row, uint32_t inserted) {
    const papara_penalties *p = &c->input->penalties;
    int64_t *gap = c->gap, *shut = c->shut;
    for (uint32_t i = from; i <= to; i++) {
        int free_gap = i > 0 && c->site[i - 1] & PAPARA_CGAP;
        int64_t open = free_gap ? 0 : p->gap_open, extend = free_gap ? 0 : p->gap_extend;
        for (uint32_t x = 0; x <= inserted; x++) {
            int can_skip = i > from && row + x > 0 && exists(c, i, row + x);
            gap[x] = can_skip ? least(least(shut[x] + open, gap[x] + extend), never) : never;
            if (x == 0)
                shut[x] = exists(c, i, row) && (i == from || row == 0) ? 0 : never;
            else
                shut[x] = exists(c, i, row + x) ? least(least(gap[x - 1], shut[x - 1]) + p->insertion, never) : never;
        }
    }
    return least(gap[inserted], shut[inserted]);
}

/* The sum over letters on sites, and over the pieces before, between and after them. */
static int64_t sum(const costs *c, const uint8_t *codes, uint32_t m, const int32_t *column) {
    const papara_penalties *p = &c->input->penalties;
    uint32_t at = 0, row = 0; // the last letter with a site, and the site, from 1
    int64_t cost = 0;
    for (uint32_t j = 1; j <= m; j++) {
        if (column[j - 1] == -1) continue;
        if (column[j - 1] < 0 || (uint32_t)column[j - 1] >= c->input->sites) return -1;
        uint32_t i = (uint32_t)column[j - 1] + 1, A = c->site[i - 1];
        if (i <= at || !exists(c, i, j)) return -1;
        if (row == 0 && i - 1 <= c->spare) at = i - 1; // it begins there: a shortcut
        cost += between(c, at, i - 1, row, j - 1 - row);
        if (cost >= never) return -1;
        cost += (A & c->input->sets[codes[j - 1]] ? 0 : p->mismatch) + (A & PAPARA_CGAP ? p->cgap : 0);
        at = i;
        row = j;
    }
    /* After the last one, only as many sites are skipped as the inserted letters need. */
    cost += between(c, at, at > m ? at : m, row, m - row);
    return cost < never ? cost : -1;
}

int64_t papara_alignment_cost(const papara_input *input, const uint32_t *site, const uint8_t *codes, uint32_t m,
                              const int32_t *column) {
    costs c = {.input = input, .site = site, .spare = input->sites - m};
    c.gap = malloc(2 * ((size_t)m + 1) * sizeof *c.gap);
    if (c.gap == NULL) return PAPARA_NO_MEMORY;
    c.shut = c.gap + m + 1;
    int64_t cost = sum(&c, codes, m, column);
    free(c.gap);
    return cost;
}
