/* What limits Smith-Waterman: the paper's sums on its machine and on this one, and how near to its own limit each line
   comes. */
#include <math.h>
#include <string.h>

#include "papers/ligowski2009/paper.h"
#include "harness/probes/rates.h"

enum { SECTOR = 32 };

/* ---- the paper's sums ---- */

/* The GPU that was timed; NULL when none was. */
static const wl_device *gpu_of(const ligowski_run *run) {
    return run->devices.count > 1 ? &run->devices.items[1] : NULL;
}

/* GCUPS by the paper's sum for `row`, with this machine's rates. Whole bandwidth for 128-bit accesses too: that they had
   half of it was the paper's chip's way. */
static double sum_here(const ligowski_run *run, size_t row) {
    const char *kind = wl_paper_text(&run->limits, row, "kind");
    if (gpu_of(run) == NULL || kind == NULL) return NAN;
    const wl_rates *rates = wl_rates_of(gpu_of(run), WL_RATE_INT32);
    double rate = strcmp(kind, "bytes") == 0 ? rates->bandwidth : rates->operations[WL_RATE_INT32];
    return 1e-9 * rate / wl_paper_number(&run->limits, row, "per_cell");
}

/* Bytes per cell that the row's variant moved on the simulated device; NaN when it was not counted. */
static double counted(const ligowski_run *run, size_t row) {
    const char *variant = wl_paper_text(&run->limits, row, "variant"), *kind = wl_paper_text(&run->limits, row, "kind");
    for (size_t i = 0; i < run->traffic.count; i++) {
        const wl_count *c = &run->traffic.items[i];
        if (variant == NULL || strcmp(c->variant->name, variant) != 0 || !wl_passed(&c->verdict)) continue;
        if (kind == NULL || strcmp(kind, "bytes") != 0) continue;
        return SECTOR * (double)(c->total.global_load_sectors + c->total.global_store_sectors) / run->traffic.work;
    }
    return NAN;
}

static void sums(wl_rows *out, const void *of, int table) {
    (void)table;
    const ligowski_run *run = of;
    for (size_t row = 0; row < run->limits.rows; row++) {
        const wl_paper *limits = &run->limits;
        const double bytes = counted(run, row);
        wl_rows_row(out, WL_SHOW_TEXT(NULL, "the paper's sums", wl_paper_text(limits, row, "what")),
                    WL_SHOW_TEXT(NULL, "section", wl_paper_text(limits, row, "section")),
                    WL_SHOW(NULL, "per\ncell", wl_paper_number(limits, row, "per_cell")),
                    WL_SHOW_TEXT(NULL, "", wl_paper_text(limits, row, "kind")),
                    WL_SHOW(NULL, "its limit\nGCUPS", wl_paper_number(limits, row, "gcups")),
                    WL_SHOW(NULL, "here\nGCUPS", sum_here(run, row)),
                    WL_SHOW_TEXT(NULL, "stage", isfinite(bytes) ? wl_paper_text(limits, row, "variant") : NULL),
                    WL_SHOW(NULL, "counted\nper cell", bytes));
    }
}

static void print_sums(FILE *stream, const ligowski_run *run) {
    fprintf(stream, "\nThe paper's machine: %.0f G operations/s and %.0f GB/s per core.",
            1e-9 * wl_paper_header_number(&run->limits, "operations_per_second"),
            1e-9 * wl_paper_header_number(&run->limits, "bytes_per_second"));
    if (gpu_of(run) != NULL) {
        const wl_rates *rates = wl_rates_of(gpu_of(run), WL_RATE_INT32);
        fprintf(stream, " %s, measured: %.0f G 32-bit integer operations/s, %.0f GB/s.", gpu_of(run)->name,
                1e-9 * rates->operations[WL_RATE_INT32], 1e-9 * rates->bandwidth);
    }
    fputs("\n\n", stream);
    wl_rows_print(stream, 1, sums, run, 0);
    for (size_t i = run->traffic.first; i < run->traffic.count; i++)
        if (!wl_passed(&run->traffic.items[i].verdict))
            fprintf(stream, "%s on the simulated device: %s\n", run->traffic.items[i].variant->name,
                    wl_verdict_line(&run->traffic.items[i].verdict).text);
    if (run->traffic.count > 0)
        fprintf(
            stream,
            "\nCounted: all global bytes of the stage on the simulated device, %s, in sectors of %d: the sums leave\n"
            "out the sequences, the scores and the edges.\n",
            run->traffic.shape, SECTOR);
}

/* ---- what each line needs and reaches ---- */

typedef struct {
    double operations, bytes;                  // per cell
    double rate;                               // operations per second, of one device
    const char *rate_name;                     // "" where no operations are declared
    double limit_operations, limit_bytes;      // GCUPS of all its devices
    double reached, random, regular, fraction; // GCUPS: the highest on the Swiss-Prot lengths, ...; of the limit
} reach;

static reach reach_of(const ligowski_run *run, const ligowski_line *line) {
    reach r = {NAN, NAN, NAN, "", NAN, NAN, NAN, NAN, NAN, NAN};
    for (size_t i = 0; i < run->count; i++) {
        const ligowski_point *p = &run->points[i];
        if (p->line.variant != line->variant || p->line.devices_used != line->devices_used || !isfinite(p->gcups))
            continue;
        if (strcmp(p->database, "Random1000") == 0) r.random = p->gcups;
        if (strcmp(p->database, "Regular1000") == 0) r.regular = p->gcups;
        if (strcmp(p->database, "Swiss-Prot") != 0 || p->gcups <= r.reached) continue;
        double devices = (double)line->devices_used;
        const wl_rates *rates = wl_rates_of(&line->devices[0], p->cost.rate);
        r.reached = p->gcups; // what a cell needs is taken where it was reached
        if (p->cost.operations > 0 && p->cost.rate > WL_RATE_NONE && p->cost.rate < WL_RATES) {
            r.operations = p->cost.operations / p->work;
            r.rate = rates->operations[p->cost.rate];
            r.rate_name = wl_rate_name(p->cost.rate);
            r.limit_operations = 1e-9 * devices * r.rate / r.operations;
        }
        if (p->cost.bytes > 0) {
            r.bytes = p->cost.bytes / p->work;
            r.limit_bytes = 1e-9 * devices * rates->bandwidth / r.bytes;
        }
    }
    double best = isfinite(r.regular) && !(r.regular <= r.reached) ? r.regular : r.reached;
    const int unknown = isfinite(r.operations) && isnan(r.rate);                 // that limit may be the nearer one
    r.fraction = unknown ? NAN : best / fmin(r.limit_operations, r.limit_bytes); // fmin takes the one that is a number
    return r;
}

/* For people `shown` in place of the variant and the backend. */
static void put_reach(wl_rows *out, const char *shown, const char *variant, const char *backend, size_t devices,
                      const reach *r, double bytes_per_s) {
    char rate[64];
    snprintf(rate, sizeof rate, "%s %.4g", r->rate_name, 1e-9 * r->rate);
    wl_rows_row(
        out, WL_SHOW_TEXT(NULL, "what the stage itself needs", shown), WL_TEXT("variant", variant),
        WL_TEXT("backend", backend), WL_COUNT("devices", devices),
        WL_SHOW_TEXT(NULL, "de-\nvices", devices == 2 ? "2" : ""), WL_TEXT("rate", r->rate_name),
        WL_SHOW("operations_per_cell", "operations\nper cell", r->operations), WL_NUMBER("operations_per_s", r->rate),
        WL_SHOW_TEXT(NULL, "rate,\nG/s", isfinite(r->rate) ? rate : NULL),
        WL_SHOW("limit_operations_gcups", "limit\nGCUPS", r->limit_operations),
        WL_SHOW("bytes_per_cell", "bytes\nper cell", r->bytes), WL_NUMBER("bytes_per_s", bytes_per_s),
        WL_SHOW("limit_bytes_gcups", "limit\nGCUPS", r->limit_bytes),
        WL_SHOW("swiss_prot_gcups", "Swiss-Prot,\nhighest", r->reached),
        WL_SHOW("random_gcups", "Random-\n1000", r->random), WL_SHOW("regular_gcups", "Regular-\n1000", r->regular),
        WL_NUMBER("limit_fraction", r->fraction), WL_AS("%.3g %%", NULL, "share of\nlimit", 100 * r->fraction));
}

static void reaches(wl_rows *out, const void *of, int table) {
    (void)table;
    const ligowski_run *run = of;
    for (size_t l = 0; l < run->line_count; l++) {
        const ligowski_line *line = &run->lines[l];
        const reach r = reach_of(run, line);
        char shown[96];
        snprintf(shown, sizeof shown, "%s, %s", line->variant->name, line->variant->backend == WL_CPU ? "CPU" : "GPU");
        put_reach(out, shown, line->variant->name, wl_backend_name(line->variant->backend), line->devices_used, &r,
                  wl_rates_of(&line->devices[0], WL_RATE_INT32)->bandwidth);
    }
}

static void print_verdict(FILE *stream, const ligowski_run *run) {
    double reached = wl_paper_header_number(&run->limits, "reached_gcups");
    fprintf(stream, "\nThe paper reached %.3g GCUPS on Regular1000, %.0f %% of its limit by %s.\n", reached,
            100 * wl_paper_header_number(&run->limits, "reached"), wl_paper_header(&run->limits, "reached_of"));
    const ligowski_line *fastest = NULL; // on one device, with a limit to compare it with
    reach r = {.reached = 0};
    for (size_t l = 0; l < run->line_count; l++) {
        reach other = reach_of(run, &run->lines[l]);
        if (run->lines[l].devices_used > 1 || !isfinite(other.fraction) || !(other.reached > r.reached)) continue;
        fastest = &run->lines[l];
        r = other;
    }
    if (fastest == NULL) return;
    int by_bytes = !(r.limit_operations <= r.limit_bytes);
    fprintf(stream, "Here %s reached %.4g GCUPS, %.0f %% of its limit by %s: %.3g per cell at %.4g G/s.\n",
            fastest->variant->name, r.regular > r.reached ? r.regular : r.reached, 100 * r.fraction,
            by_bytes ? "bandwidth" : r.rate_name, by_bytes ? r.bytes : r.operations,
            1e-9 * (by_bytes ? wl_rates_of(&fastest->devices[0], WL_RATE_INT32)->bandwidth : r.rate));
}

void ligowski_print_limits(FILE *stream, const ligowski_run *run) {
    print_sums(stream, run);
    fputc('\n', stream);
    wl_rows_print(stream, 1, reaches, run, 0);
    print_verdict(stream, run);
}

/* ---- the files ---- */

void ligowski_sums_head(FILE *stream, const void *run, int table) {
    (void)table;
    fprintf(stream, "# title: %s: the paper's sums, with this machine's rates\n",
            ((const ligowski_run *)run)->problem->title);
}

static void put_sum(wl_rows *out, const ligowski_run *run, size_t row, const char *backend, double per_cell,
                    double gcups) {
    const char *kind = wl_paper_text(&run->limits, row, "kind");
    const int bytes = kind != NULL && strcmp(kind, "bytes") == 0;
    wl_rows_row(out, WL_TEXT("limit", wl_paper_text(&run->limits, row, "what")),
                WL_TEXT("variant", wl_paper_text(&run->limits, row, "variant")), WL_TEXT("backend", backend),
                WL_NUMBER("operations_per_cell", bytes ? NAN : per_cell),
                WL_NUMBER("bytes_per_cell", bytes ? per_cell : NAN), WL_NUMBER("limit_gcups", gcups));
}

/* The paper's limit by each sum, the same with this GPU's rates, and what the stage moved on the simulated device. */
void ligowski_sums_rows(wl_rows *out, const void *of, int table) {
    (void)table;
    const ligowski_run *run = of;
    for (size_t row = 0; row < run->limits.rows; row++) {
        const double per_cell = wl_paper_number(&run->limits, row, "per_cell"), bytes = counted(run, row);
        put_sum(out, run, row, "paper", per_cell, wl_paper_number(&run->limits, row, "gcups"));
        if (gpu_of(run) != NULL) put_sum(out, run, row, "gpu", per_cell, sum_here(run, row));
        if (isfinite(bytes)) put_sum(out, run, row, "sim", bytes, NAN);
    }
}

/* The paper's kernel in the columns of ours: its sums for what limits it, its numbers for what it reached. */
static void put_paper(wl_rows *out, const ligowski_run *run) {
    const wl_paper *limits = &run->limits, *figure = &run->figure;
    size_t operations = wl_paper_row(limits, "what", wl_paper_header(limits, "reached_of"));
    size_t bytes = limits->rows;
    for (size_t row = 0; row < limits->rows; row++) {
        const char *variant = wl_paper_text(limits, row, "variant"), *kind = wl_paper_text(limits, row, "kind");
        if (variant != NULL && strcmp(variant, wl_paper_header(figure, "variant")) == 0 && kind != NULL &&
            strcmp(kind, "bytes") == 0)
            bytes = row;
    }
    const reach of_paper = {
        .operations = wl_paper_number(limits, operations, "per_cell"),
        .rate = wl_paper_header_number(limits, "operations_per_second"),
        .limit_operations = wl_paper_number(limits, operations, "gcups"),
        .bytes = wl_paper_number(limits, bytes, "per_cell"),
        .limit_bytes = wl_paper_number(limits, bytes, "gcups"),
        .reached = wl_paper_number(figure, wl_paper_row(figure, "relation", "~"), "gcups_1"),
        .random = wl_paper_number(figure, wl_paper_row(figure, "database", "Random1000"), "gcups_1"),
        .regular = wl_paper_number(figure, wl_paper_row(figure, "database", "Regular1000"), "gcups_1"),
        .fraction = wl_paper_header_number(limits, "reached"),
        .rate_name = "paper's sum",
    };
    put_reach(out, NULL, "the paper", "paper", 1, &of_paper, wl_paper_header_number(limits, "bytes_per_second"));
}

void ligowski_limits_head(FILE *stream, const void *run, int table) {
    (void)table;
    fprintf(stream, "# title: %s: what limits it, and what was reached\n", ((const ligowski_run *)run)->problem->title);
}

void ligowski_limits_rows(wl_rows *out, const void *run, int table) {
    put_paper(out, run);
    reaches(out, run, table);
}
