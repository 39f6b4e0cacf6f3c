/* Payne et al. 2010, Figure 4: all-pairs distance, and what the measured numbers say about its factor of 1700. */
#include <math.h>
#include <string.h>

#include "harness/base/grid.h"
#include "papers/common/reproduce.h"

/* Three digits, with separators from a thousand on: "6,986", "6.99". `text` of 32 bytes, which is returned. */
static const char *number(double value, char *text) {
    if (value >= 999.5) return wl_thousands((uint64_t)(value + 0.5), text);
    snprintf(text, 32, "%.3g", value);
    return text;
}

typedef struct {
    double serial_ms, final_ms, stated; // the paper's CPU code, last stage and factor
    double ns;                          // the paper's CPU time a comparison
    double cycles;                      // the same in cycles of its CPU
} claim;

static claim claim_of(const wl_reproduced *r) {
    claim c = {.final_ms = NAN, .stated = NAN};
    c.serial_ms = wl_paper_number(&r->paper, wl_paper_row(&r->paper, "variant", "serial"), "ms");
    for (size_t i = 0; i < r->paper.rows; i++) {
        c.final_ms = wl_paper_number(&r->paper, i, "ms"); // the stages are in order; the last one stays
        c.stated = wl_paper_number(&r->paper, i, "speedup");
    }
    c.ns = 1e6 * c.serial_ms / r->work;
    c.cycles = c.ns * wl_paper_header_number(&r->paper, "cpu_ghz");
    return c;
}

static void print_claim(FILE *stream, const wl_reproduced *r, const claim *c) {
    char a[32], b[32], d[32];
    fprintf(stream, "\nThe factor of %s, checked\n", number(c->stated, a));
    fprintf(stream, "  The paper: %s x %s x %s = %s comparisons in %s ms on a CPU of %s GHz.\n",
            wl_paper_header(&r->paper, "instances"), wl_paper_header(&r->paper, "instances"),
            wl_paper_header(&r->paper, "attributes"), wl_thousands((uint64_t)r->work, a), number(c->serial_ms, b),
            wl_paper_header(&r->paper, "cpu_ghz"));
    fprintf(stream, "  That is %s ns or %s cycles for each: three loads, a store, a compare, an add and the indices.\n",
            number(c->ns, a), number(c->cycles, b));
    fprintf(stream, "  A thousandth of it, %s ms, is %s ns or %s cycles.\n", number(c->serial_ms / 1000, a),
            number(c->ns / 1000, b), number(c->cycles / 1000, d));
}

/* The serial codes here; *slow and *fast receive the largest and smallest mean. Returns how many were timed. */
static size_t print_serials(FILE *stream, const wl_reproduced *r, double *slow, double *fast) {
    char ns[32];
    size_t timed = 0;
    *slow = 0;
    *fast = INFINITY;
    for (size_t i = 0; i < r->serials; i++) {
        const wl_reproduced_row *row = &r->rows[i];
        const char *flag = strchr(row->method, '-');
        if (!isfinite(row->mean_ms)) continue;
        *slow = fmax(*slow, row->mean_ms);
        *fast = fmin(*fast, row->mean_ms);
        fprintf(stream, "%s %s ns per comparison (%s)", timed == 0 ? "  Here, the same serial loop takes" : ",",
                number(1e6 * row->mean_ms / r->work, ns), flag == NULL ? row->method : flag);
        timed++;
    }
    if (timed > 0) fputs(".\n", stream);
    return timed;
}

/* How many times what it takes here a run of 2010 can have taken, at this work. Generous on both sides: what is asked is
   whether a factor of a thousand is missing, not how fast either machine is, nor how busy. Since both are a thousand apart, each
   time here supports one of the two readings of the paper's time, or neither. */
static const double slowest_plausible = 50, fastest_plausible = 0.05;

static void print_verdict(FILE *stream, const claim *c, double slow, double fast) {
    char a[32], b[32], d[32], e[32];
    double low = c->serial_ms / slow, high = c->serial_ms / fast;
    fprintf(stream, "  The paper's time is %s to %s times that; a thousandth of it, %s to %s times.\n", number(low, a),
            number(high, b), number(low / 1000, d), number(high / 1000, e));
    fprintf(stream,
            "  Times here from %s to %s ns per comparison support the thousandth; longer ones the time as printed.\n",
            number(c->ns / 1000 / slowest_plausible, a), number(c->ns / slowest_plausible, b));
    int as_printed = low <= slowest_plausible;
    int a_thousandth = !as_printed && high / 1000 <= slowest_plausible && low / 1000 >= fastest_plausible;
    if (!a_thousandth) {
        fprintf(stream, "  These numbers do not show whether the paper's CPU time is right.\n");
        return;
    }
    fprintf(stream,
            "  A CPU of 2010 may need a few times as long as one of today, but not hundreds of times. The paper's CPU\n"
            "  time looks a thousand times too large, like microseconds printed as milliseconds. Read that way, and\n"
            "  with the GPU's time as printed, the factor is %s ms / %s ms = %s, not %s.\n",
            number(c->serial_ms / 1000, a), number(c->final_ms, b), number(c->serial_ms / 1000 / c->final_ms, d),
            number(c->stated, e));
}

/* The last stage here against each CPU code here; a library's is none. */
static void print_factor_here(FILE *stream, const wl_reproduced *r) {
    const wl_reproduced_row *last = &r->rows[r->count - 1];
    while (last > r->rows && last->variant != NULL && wl_variant_is_library(last->variant)) last--;
    char text[32];
    if (last->kind != WL_ROW_STAGE || !isfinite(last->mean_ms)) {
        fprintf(stream, "  Measuring the factor here needs a GPU.\n");
        return;
    }
    fprintf(stream, "  Here, %s (kernel time) is", last->variant->name);
    for (size_t s = 0; s < r->serials; s++)
        fprintf(stream, " %s times as fast as %s,", number(last->over_serial[s].median, text), r->rows[s].method);
    fprintf(stream, "\n  and %s times as fast as the best CPU code. ", number(last->over_best_cpu.median, text));
    fprintf(stream, "With preparing and copies it takes %.3g ms, not %.3g ms.\n", last->total_ms, last->mean_ms);
}

static void audit(FILE *stream, const wl_reproduced *r) {
    claim c = claim_of(r);
    double slow, fast;
    print_claim(stream, r, &c);
    if (print_serials(stream, r, &slow, &fast) > 0) print_verdict(stream, &c, slow, fast);
    print_factor_here(stream, r);
}

static const wl_stage_table table = {
    .table = "payne2010_figure4",
    .problem = "lessons",
    .pattern = "lessons/0[1-5]_*",
    .ladder = "lessons/[0-9]* lessons/library*",
    .size = {"instances", "attributes"},
    .audit = audit,
};

static const wl_option options[] = {
    {"extended", NULL, NULL, "all stages, not only the paper's, and what limits each of them (a roofline)"},
    {"size", "NxM", NULL, "with --extended: instances and attributes instead of the paper's"},
    {"max-time", "S", NULL, "at most this many seconds for sampling one variant (default: 15; without a GPU 4)"},
    {NULL, NULL, NULL, NULL},
};

static wl_reproduction paper = {
    .name = "payne2010",
    .summary = "Payne et al. 2010, Figure 4: all-pairs distance, five kernels against serial CPU code",
    .run = wl_reproduce_stages,
    .plan = &table,
    .options = options,
};

WL_REGISTER_REPRODUCTION(paper)
