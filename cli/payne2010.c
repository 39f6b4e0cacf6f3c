/* Payne et al. 2010, Figure 4: all-pairs distance, and what the measured numbers say about its factor of 1700. */
#include <math.h>
#include <string.h>

#include "cli/grid.h"
#include "cli/reproduce.h"

/* Three digits, with separators from a thousand on: "6,986", "6.99". `text` of 32 bytes, which is returned. */
static const char *number(double value, char *text) {
    if (value >= 999.5) return wl_thousands((uint64_t)(value + 0.5), text);
    snprintf(text, 32, "%.3g", value);
    return text;
}

typedef struct {
    double serial_ms, final_ms, stated; /* the paper's CPU code, last stage and factor */
    double ns;                          /* the paper's CPU time a comparison */
    double cycles;                      /* the same in cycles of its CPU */
} claim;

static claim claim_of(const wl_reproduced *r) {
    claim c = {.final_ms = NAN, .stated = NAN};
    c.serial_ms = wl_paper_number(&r->paper, wl_paper_row(&r->paper, "variant", "serial"), "ms");
    for (size_t i = 0; i < r->paper.row_count; i++) {
        c.final_ms = wl_paper_number(&r->paper, i, "ms"); /* the stages are in order; the last one stays */
        c.stated = wl_paper_number(&r->paper, i, "speedup");
    }
    c.ns = 1e6 * c.serial_ms / r->work;
    c.cycles = c.ns * wl_paper_header_number(&r->paper, "cpu_ghz");
    return c;
}

static void print_claim(FILE *stream, const wl_reproduced *r, const claim *c) {
    char work[32], ms[32], ns[32], cycles[32], few_ms[32], few_ns[32], few_cycles[32], stated[32];
    const char *instances = wl_paper_header(&r->paper, "instances"),
               *attributes = wl_paper_header(&r->paper, "attributes");
    fprintf(stream, "\nThe factor of %s, checked\n", number(c->stated, stated));
    fprintf(
        stream,
        "  The paper: %s x %s x %s = %s comparisons in %s ms on a CPU of %s GHz. That is %s ns or\n"
        "  %s cycles for each: two loads, a compare and an add. A thousandth of it, %s ms, is %s ns or %s cycles.\n",
        instances, instances, attributes, wl_thousands((uint64_t)r->work, work), number(c->serial_ms, ms),
        wl_paper_header(&r->paper, "cpu_ghz"), number(c->ns, ns), number(c->cycles, cycles),
        number(c->serial_ms / 1000, few_ms), number(c->ns / 1000, few_ns), number(c->cycles / 1000, few_cycles));
}

/* The serial codes here; *slow and *fast receive the largest and smallest mean. Returns how many were timed. */
static size_t print_serials(FILE *stream, const wl_reproduced *r, const claim *c, double *slow, double *fast) {
    char ns[32], full[32], few[32];
    size_t timed = 0;
    *slow = 0;
    *fast = INFINITY;
    for (size_t i = 0; i < r->serials; i++) {
        const wl_reproduced_row *row = &r->rows[i];
        if (!isfinite(row->mean_ms)) continue;
        timed++;
        *slow = fmax(*slow, row->mean_ms);
        *fast = fmin(*fast, row->mean_ms);
        fprintf(stream,
                "  Here, the same serial code (%s): %s ns a comparison. The paper's time is %s times that; a "
                "thousandth of\n"
                "  the paper's time, %s times.\n",
                strchr(row->method, '-') ? strchr(row->method, '-') : row->method,
                number(1e6 * row->mean_ms / r->work, ns), number(c->serial_ms / row->mean_ms, full),
                number(c->serial_ms / row->mean_ms / 1000, few));
    }
    return timed;
}

/* How much slower than one core of today a core of 2010 can have been, at this work. Generous on both sides: what is
   asked is whether a factor of a thousand is missing, not how fast either is. */
static const double slowest_plausible = 50, fastest_plausible = 0.5;

static void print_verdict(FILE *stream, const claim *c, double slow, double fast) {
    char full[32], few[32], real[32], stated[32];
    int as_printed = c->serial_ms / slow <= slowest_plausible;
    int a_thousandth =
        c->serial_ms / 1000 / fast <= slowest_plausible && c->serial_ms / 1000 / slow >= fastest_plausible;
    if (as_printed || !a_thousandth) {
        fprintf(stream, "  These numbers do not tell whether the paper's CPU time is right.\n");
        return;
    }
    fprintf(stream,
            "  A core of 2010 may be %s to %s times slower than this one, but not %s times and more. The paper's CPU "
            "time\n",
            number(c->serial_ms / 1000 / slow, few), number(c->serial_ms / 1000 / fast, real),
            number(c->serial_ms / slow, full));
    fprintf(stream,
            "  looks a thousand times too large, as of microseconds labelled mS. Read so, and with the GPU's time as "
            "printed,\n"
            "  the factor is %s ms / %s ms = %s, not %s.\n",
            number(c->serial_ms / 1000, few), number(c->final_ms, full),
            number(c->serial_ms / 1000 / c->final_ms, real), number(c->stated, stated));
}

/* The last stage here against each CPU code here. */
static void print_factor_here(FILE *stream, const wl_reproduced *r) {
    const wl_reproduced_row *last = &r->rows[r->count - 1];
    char text[32];
    if (last->kind != WL_ROW_STAGE || !isfinite(last->mean_ms)) {
        fprintf(stream, "  The factor here takes a GPU to measure.\n");
        return;
    }
    fprintf(stream, "  Here, the last stage (%s, kernel time) is", last->variant->name);
    for (size_t s = 0; s < r->serials; s++)
        fprintf(stream, " %s times as fast as %s,", number(last->over_serial[s].median, text), r->rows[s].method);
    fprintf(stream,
            "\n  and %s times as fast as the best CPU code. With preparing and copies it takes %.3g ms instead of %.3g "
            "ms.\n",
            number(last->over_best_cpu.median, text), last->total_ms, last->mean_ms);
}

static void audit(FILE *stream, const wl_reproduced *r) {
    claim c = claim_of(r);
    double slow, fast;
    print_claim(stream, r, &c);
    if (print_serials(stream, r, &c, &slow, &fast) > 0) print_verdict(stream, &c, slow, fast);
    print_factor_here(stream, r);
}

const wl_reproduction wl_reproduction_payne2010 = {
    .name = "payne2010",
    .table = "payne2010_figure4",
    .problem = "lessons",
    .pattern = "lessons/0[1-5]_*",
    .summary = "Payne et al. 2010, Figure 4: all-pairs distance, five kernels against serial CPU code",
    .audit = audit,
};
