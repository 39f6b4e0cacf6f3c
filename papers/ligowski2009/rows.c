/* Figure 4's points for people, for a file and for JSON. */
#include <math.h>
#include <string.h>

#include "papers/ligowski2009/paper.h"
#include "harness/base/stats.h"

static int is_of(const ligowski_point *point, const ligowski_line *line) {
    return point->line.variant == line->variant && point->line.devices_used == line->devices_used;
}

/* The point of a line; NULL when there is none. */
static const ligowski_point *find(const ligowski_run *run, const char *database, uint32_t query_length,
                                  const ligowski_line *line) {
    for (size_t i = 0; i < run->count; i++) {
        const ligowski_point *p = &run->points[i];
        if (p->query_length == query_length && strcmp(p->database, database) == 0 && is_of(p, line)) return p;
    }
    return NULL;
}

/* ---- a row ---- */

/* "cpu_simd" and "16 threads"; or "one GPU", "two GPUs". `head` of 96 bytes, which is returned. */
static const char *head_of(const ligowski_line *line, char *head) {
    const int threads = line->variant->launch_slices != NULL ? 1 : line->devices[0].multiprocessors;
    if (line->variant->backend == WL_CPU)
        snprintf(head, 96, "%s\n%d thread%s", line->variant->name, threads, threads == 1 ? "" : "s");
    else
        snprintf(head, 96, "%s\n%s", line->variant->name, line->devices_used == 2 ? "two GPUs" : "one GPU");
    return head;
}

/* The paper's points have no variant. */
static void put(wl_rows *out, const ligowski_point *p, double from, double to, const char *relation) {
    const wl_variant *variant = p->line.variant;
    char head[96];
    wl_rows_row(
        out, WL_TEXT("database", p->database), WL_COUNT("query_length", from), WL_COUNT("query_to", to),
        WL_TEXT("variant", variant ? variant->name : "paper"),
        WL_TEXT("backend", variant ? wl_backend_name(variant->backend) : "paper"),
        WL_COUNT("devices", p->line.devices_used), WL_TEXT("relation", relation),
        WL_TEXT("check", variant ? wl_verdict_line(&p->verdict).text : "paper"),
        WL_COUNT("samples", variant ? (double)p->samples : NAN), WL_NUMBER("kernel_ms_median", p->ms.median),
        WL_NUMBER("kernel_ms_q1", p->ms.lower_quartile), WL_NUMBER("kernel_ms_q3", p->ms.upper_quartile),
        WL_SHOW_OF(variant && variant->backend == WL_CPU, "gcups", variant ? head_of(&p->line, head) : NULL, p->gcups),
        WL_NUMBER("joules", p->joules), WL_NUMBER("watts", p->watts), WL_NUMBER("work_per_joule", p->work / p->joules));
}

static void put_point(wl_rows *out, const ligowski_point *p) { put(out, p, p->query_length, p->query_length, "="); }

/* ---- tables for people, a line's points below each other ---- */

static void curve(wl_rows *out, const void *of, int table) {
    (void)table;
    const ligowski_run *run = of;
    for (size_t i = 0; i < run->count; i++) {
        const ligowski_point *p = &run->points[i];
        if (strcmp(p->database, "Swiss-Prot") != 0) continue;
        if (i > 0 && p->query_length == run->points[i - 1].query_length) continue;
        wl_rows_line(out, WL_SHOW_WHOLE(NULL, "query\nresidues", p->query_length));
        for (size_t l = 0; l < run->line_count; l++)
            put_point(out, find(run, p->database, p->query_length, &run->lines[l]));
    }
}

/* What one line has where the paper's row says something: the value at its query, the lowest from its query on (">"), the
   highest ("~"). */
static double here(const ligowski_run *run, size_t row, const ligowski_line *line) {
    const char *database = wl_paper_text(&run->figure, row, "database");
    const char *relation = wl_paper_text(&run->figure, row, "relation");
    double from = wl_paper_number(&run->figure, row, "query_from");
    double least = NAN, most = NAN, last = NAN;
    for (size_t i = 0; i < run->count; i++) {
        const ligowski_point *p = &run->points[i];
        if (database == NULL || strcmp(p->database, database) != 0 || !is_of(p, line)) continue;
        if (p->query_length >= from && !(p->gcups >= least)) least = p->gcups;
        if (!(p->gcups <= most)) most = p->gcups;
        if (p->query_length == from) last = p->gcups;
    }
    if (relation == NULL) return NAN;
    return *relation == '>' ? least : *relation == '~' ? most : last;
}

/* What the paper's text says, and the same of each line here. */
static void said(wl_rows *out, const void *of, int table) {
    (void)table;
    const ligowski_run *run = of;
    for (size_t row = 0; row < run->figure.rows; row++) {
        const char *relation = wl_paper_text(&run->figure, row, "relation");
        char text[200], format[16];
        snprintf(text, sizeof text, "%s, %s", wl_paper_text(&run->figure, row, "database"),
                 wl_paper_text(&run->figure, row, "what"));
        snprintf(format, sizeof format, "%.1s%%.3g", *relation == '=' ? "" : relation);
        wl_rows_line(out, WL_SHOW_TEXT(NULL, "the paper's text", text),
                     WL_AS(format, NULL, "paper\none core", wl_paper_number(&run->figure, row, "gcups_1")),
                     WL_AS(format, NULL, "paper\ntwo cores", wl_paper_number(&run->figure, row, "gcups_2")));
        for (size_t l = 0; l < run->line_count; l++)
            put_point(out, &(ligowski_point){.line = run->lines[l], .gcups = here(run, row, &run->lines[l])});
    }
}

static void print_head(FILE *stream, const ligowski_run *run) {
    char subjects[32], letters[32];
    fprintf(stream, "%s, %s: %s, %zu queries of %u to %u residues, GCUPS\n", wl_paper_header(&run->figure, "short"),
            wl_paper_header(&run->figure, "figure"), run->problem->title, run->query_count, run->shortest,
            run->longest);
    fprintf(stream,
            "the database: %s random sequences, %s residues, lognormal lengths like Swiss-Prot's up to %s; BLOSUM62, "
            "11 + k\n",
            wl_thousands(run->subjects, subjects), wl_thousands(run->letters, letters),
            wl_paper_header(&run->figure, "longest"));
    char so[96] = "only CPU codes are timed";
    if (run->reduced > 1)
        snprintf(so, sizeof so, "only CPU codes are timed, on 1/%zu of the paper's database", run->reduced);
    wl_reproduction_print_machines(stream, &run->figure, run->machine, run->devices.count > 1, so);
    fputc('\n', stream);
}

/* How far the quartiles of a point's times are apart, at most. */
static void print_spread(FILE *stream, const ligowski_run *run) {
    const ligowski_point *widest = NULL;
    double most = 0;
    for (size_t i = 0; i < run->count; i++) {
        const ligowski_point *p = &run->points[i];
        const double spread = (p->ms.upper_quartile - p->ms.lower_quartile) / p->ms.median;
        if (!isfinite(p->gcups) || !(spread > most)) continue;
        widest = p;
        most = spread;
    }
    if (widest == NULL) return;
    fprintf(stream, "The quartiles of a point's times are up to %.2g %% apart (%s, query of %u).\n", 100 * most,
            widest->line.variant->name, widest->query_length);
    if (most >= 0.05) fputs("That is much: run nothing else, and repeat.\n", stream);
}

static void print_failures(FILE *stream, const ligowski_run *run) {
    for (size_t i = 0; i < run->count; i++) {
        const ligowski_point *p = &run->points[i];
        if (wl_passed(&p->verdict)) continue;
        fprintf(stream, "%s, %s, query of %u: %s\n", p->line.variant->name, p->database, p->query_length,
                wl_verdict_line(&p->verdict).text);
    }
}

void ligowski_print(FILE *stream, const ligowski_run *run) {
    print_head(stream, run);
    wl_rows_print(stream, 0, curve, run, 0);
    fputc('\n', stream);
    wl_rows_print(stream, 1, said, run, 0);
    fprintf(stream,
            "\nHere: medians of kernel times. > is the lowest from that length on, ~ the highest of all. The paper's\n"
            "curve is a picture; the table has only what its text states.\n");
    print_spread(stream, run);
    print_failures(stream, run);
}

/* ---- for programs ---- */

/* The paper's rows, one core and two, in the columns of ours: what is drawn beside them. */
static void put_paper(wl_rows *out, const wl_paper *figure) {
    for (size_t row = 0; row < figure->rows; row++) {
        for (size_t cores = 1; cores <= 2; cores++) {
            const ligowski_point p = {.database = wl_paper_text(figure, row, "database"),
                                      .line = {.devices_used = cores},
                                      .ms = wl_summarize(NULL, 0),
                                      .gcups = wl_paper_number(figure, row, cores == 1 ? "gcups_1" : "gcups_2"),
                                      .joules = NAN,
                                      .watts = NAN};
            if (isfinite(p.gcups))
                put(out, &p, wl_paper_number(figure, row, "query_from"), wl_paper_number(figure, row, "query_to"),
                    wl_paper_text(figure, row, "relation"));
        }
    }
}

void ligowski_head(FILE *stream, const void *of, int table) {
    (void)table;
    const ligowski_run *run = of;
    fprintf(stream,
            "# title: %s, %zu queries of %u to %u residues\n"
            "# database: %zu random sequences, %llu residues, lognormal lengths like Swiss-Prot's up to %s\n"
            "# scoring: BLOSUM62, a gap of k residues costs 11 + k\n",
            run->problem->title, run->query_count, run->shortest, run->longest, run->subjects,
            (unsigned long long)run->letters, wl_paper_header(&run->figure, "longest"));
}

void ligowski_rows(wl_rows *out, const void *of, int table) {
    (void)table;
    const ligowski_run *run = of;
    put_paper(out, &run->figure);
    for (size_t l = 0; l < run->line_count; l++) // a line's points stand together, so that a line can be drawn
        for (size_t i = 0; i < run->count; i++)
            if (is_of(&run->points[i], &run->lines[l])) put_point(out, &run->points[i]);
}

static void points(wl_rows *out, const void *of, int table) {
    (void)table;
    const ligowski_run *run = of;
    for (size_t i = 0; i < run->count; i++) put_point(out, &run->points[i]);
}

void ligowski_print_json(FILE *stream, const void *of) {
    const ligowski_run *run = of;
    fprintf(stream, ", \"seed\": %llu, \"subjects\": %zu, \"letters\": %llu", (unsigned long long)run->seed,
            run->subjects, (unsigned long long)run->letters);
    wl_rows_json(stream, "points", points, run, 0);
    wl_rows_json(stream, "paper", wl_paper_rows, &run->figure, 0);
}
