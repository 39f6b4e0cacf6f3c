/* A reproduction's rows: from samples to means, and as table, file and JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/base/quantity.h"
#include "papers/common/reproduce.h"
#include "harness/bench/results.h"
#include "harness/base/stats.h"
#include "harness/base/memory.h"

static const wl_ratio no_ratio = {NAN, NAN, NAN};

static int is_ok(const wl_measurement *m) { return m != NULL && wl_passed(&m->row.verdict); }

/* ---- samples to rows ---- */

/* Mean and deviation over the data sets of each one's median: what varies is then the data, not the clock. */
static wl_status over_datasets(const wl_measurement *m, wl_reproduced_row *row) {
    uint32_t datasets = 0;
    for (size_t i = 0; i < m->sample_count; i++)
        if (m->samples[i].dataset >= datasets) datasets = m->samples[i].dataset + 1;
    double *ms = malloc((m->sample_count + 1) * sizeof *ms), *medians = malloc((datasets + 1) * sizeof *medians);
    if (ms == NULL || medians == NULL) {
        WL_FREE(ms, medians);
        return wl_fail(WL_NO_MACHINE, "not enough memory for the samples");
    }
    for (uint32_t d = 0; d < datasets; d++) {
        size_t count = 0;
        for (size_t i = 0; i < m->sample_count; i++)
            if (m->samples[i].dataset == d && !m->samples[i].discarded) ms[count++] = m->samples[i].ms;
        if (count > 0) medians[row->datasets++] = wl_median(ms, count);
    }
    wl_summary summary = wl_summarize(medians, row->datasets);
    row->mean_ms = summary.mean;
    row->deviation_ms = summary.deviation;
    row->total_ms = m->row.total_ms.median;
    WL_FREE(ms, medians);
    return WL_OK;
}

static wl_reproduced_row *add_row(wl_reproduced *r, wl_reproduced_kind kind, const wl_variant *variant) {
    wl_reproduced_row *row = &r->rows[r->count++];
    *row = (wl_reproduced_row){.kind = kind, .variant = variant, .over_best_cpu = no_ratio};
    for (size_t s = 0; s < WL_SERIALS_MOST; s++) row->over_serial[s] = no_ratio;
    row->paper_ms = row->paper_speedup = row->mean_ms = row->deviation_ms = row->total_ms = NAN;
    return row;
}

/* "serial CPU, -O0" of a variant serial_O0. */
static void name_serial(const wl_paper *paper, wl_reproduced_row *row) {
    size_t at = wl_paper_row(paper, "variant", "serial");
    const char *method = wl_paper_text(paper, at, "method"), *flag = strrchr(row->variant->name, '_');
    snprintf(row->method, sizeof row->method, "%.40s, %s%.20s", method == NULL ? "serial CPU" : method,
             flag != NULL && flag[1] == 'O' ? "-" : "", flag == NULL ? row->variant->name : flag + 1);
    row->paper_ms = wl_paper_number(paper, at, "ms");
}

static wl_status add_serials(wl_reproduced *r) {
    wl_status status = WL_OK;
    for (size_t i = 0; i < r->measurements.count; i++) {
        const wl_measurement *m = &r->measurements.items[i];
        if (m->variant->backend != WL_CPU || m->variant->launch_slices == NULL || r->count == WL_SERIALS_MOST) continue;
        wl_reproduced_row *row = add_row(r, WL_ROW_SERIAL, m->variant);
        row->timed = m;
        name_serial(&r->paper, row);
        if (is_ok(m) && status == WL_OK) status = over_datasets(m, row);
    }
    r->serials = r->count;
    /* Nobody knows which of them the paper's was: its time stands beside the slowest alone, not several times. */
    size_t slowest = 0;
    for (size_t i = 1; i < r->serials; i++)
        if (r->rows[i].mean_ms > r->rows[slowest].mean_ms) slowest = i;
    for (size_t i = 0; i < r->serials; i++)
        if (i != slowest) r->rows[i].paper_ms = NAN;
    return status;
}

static wl_status add_best_cpu(wl_reproduced *r) {
    const wl_measurement *best = NULL;
    for (size_t i = 0; i < r->measurements.count; i++) {
        const wl_measurement *m = &r->measurements.items[i];
        if (m->variant->backend != WL_CPU || m->variant->launch_slices != NULL) continue;
        int faster = best == NULL || !is_ok(best) || (is_ok(m) && m->row.kernel_ms.median < best->row.kernel_ms.median);
        if (faster) best = m;
    }
    if (best == NULL) return WL_OK;
    wl_reproduced_row *row = add_row(r, WL_ROW_BEST_CPU, best->variant);
    snprintf(row->method, sizeof row->method, "best CPU");
    row->timed = best;
    return is_ok(best) ? over_datasets(best, row) : WL_OK;
}

/* What was measured or counted of this variant on a GPU's side of the table. */
static wl_status find_stage(wl_reproduced *r, const char *variant, wl_reproduced_row *row) {
    for (size_t i = 0; i < r->measurements.count && row->timed == NULL; i++) {
        const wl_measurement *m = &r->measurements.items[i];
        if (m->variant->backend == WL_GPU && strcmp(m->variant->name, variant) == 0) row->timed = m;
    }
    for (size_t i = 0; i < r->traffic.count; i++)
        if (strcmp(r->traffic.items[i].variant->name, variant) == 0) row->counted = &r->traffic.items[i];
    if (row->timed != NULL)
        row->variant = row->timed->variant;
    else if (row->counted != NULL)
        row->variant = row->counted->variant;
    return is_ok(row->timed) ? over_datasets(row->timed, row) : WL_OK;
}

/* A row of the paper that is no CPU code, with whatever is known of the variant of that name. */
static wl_status add_stage(wl_reproduced *r, size_t paper_row) {
    const char *method = wl_paper_text(&r->paper, paper_row, "method");
    const char *variant = wl_paper_text(&r->paper, paper_row, "variant");
    if (method == NULL || variant == NULL)
        return wl_fail(WL_BAD_INPUT, "%s: the columns method and variant are missing", r->paper.path);
    if (strcmp(variant, "serial") == 0) return WL_OK;
    wl_reproduced_row *row = add_row(r, WL_ROW_STAGE, NULL);
    snprintf(row->method, sizeof row->method, "%s", method);
    row->paper_ms = wl_paper_number(&r->paper, paper_row, "ms");
    row->paper_speedup = wl_paper_number(&r->paper, paper_row, "speedup");
    return find_stage(r, variant, row);
}

/* "tensor cores" of a variant 10_tensor_cores. */
static void name_stage(const char *variant, char *name, size_t size) {
    snprintf(name, size, "%s", variant + strspn(variant, "0123456789_"));
    for (char *at = name; *at; at++)
        if (*at == '_') *at = ' ';
}

/* A stage that the paper does not have; nothing where there is a row of it. */
static wl_status add_another(wl_reproduced *r, const wl_variant *variant) {
    for (size_t i = 0; i < r->count; i++)
        if (r->rows[i].variant != NULL && strcmp(r->rows[i].variant->name, variant->name) == 0) return WL_OK;
    wl_reproduced_row *row = add_row(r, WL_ROW_STAGE, NULL);
    name_stage(variant->name, row->method, sizeof row->method);
    return find_stage(r, variant->name, row);
}

static wl_status add_others(wl_reproduced *r) {
    for (size_t i = 0; i < r->measurements.count; i++)
        if (r->measurements.items[i].variant->backend == WL_GPU)
            WL_TRY(add_another(r, r->measurements.items[i].variant));
    for (size_t i = r->traffic.first; i < r->traffic.count; i++) WL_TRY(add_another(r, r->traffic.items[i].variant));
    return WL_OK;
}

static wl_ratio over(const wl_measurement *baseline, const wl_measurement *m) {
    if (!is_ok(baseline) || !is_ok(m) || baseline == m) return no_ratio;
    return wl_speedup(baseline, m);
}

wl_status wl_reproduced_fill(wl_reproduced *r) {
    r->count = 0;
    r->rows = calloc(WL_SERIALS_MOST + 1 + r->paper.rows + r->measurements.count + r->traffic.count, sizeof *r->rows);
    if (r->rows == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for the table");
    WL_TRY(add_serials(r));
    WL_TRY(add_best_cpu(r));
    for (size_t i = 0; i < r->paper.rows; i++) WL_TRY(add_stage(r, i));
    WL_TRY(add_others(r));
    for (size_t i = 0; r->other_size && i < r->count; i++) r->rows[i].paper_ms = r->rows[i].paper_speedup = NAN;
    const wl_measurement *best = NULL;
    for (size_t i = 0; i < r->count; i++)
        if (r->rows[i].kind == WL_ROW_BEST_CPU) best = r->rows[i].timed;
    for (size_t i = 0; i < r->count; i++) {
        for (size_t s = 0; s < r->serials; s++) r->rows[i].over_serial[s] = over(r->rows[s].timed, r->rows[i].timed);
        r->rows[i].over_best_cpu = over(best, r->rows[i].timed);
    }
    return WL_OK;
}

static const wl_verdict *verdict_of(const wl_reproduced_row *row) {
    return row->timed != NULL ? &row->timed->row.verdict : row->counted != NULL ? &row->counted->verdict : NULL;
}

static wl_verdict_text check_of(const wl_reproduced_row *row) {
    return verdict_of(row) != NULL ? wl_verdict_line(verdict_of(row)) : (wl_verdict_text){"not here"};
}

/* ---- rows ---- */

/* For people: four digits that mean something, "44,865", "20.96", "0.03119"; a factor. */
static const char *as_ms(double number) { return number >= 9999.5 ? NULL : number >= 999.95 ? "%.0f" : "%.4g"; }
static const char *as_factor(double ratio) { return ratio >= 1000 ? "%.0f" : "%.3g"; }

static void put_ratio(wl_rows *out, const char *over, const char *head, const wl_ratio *ratio) {
    char names[3][96], text[WL_QUANTITY];
    snprintf(names[0], sizeof *names, "speedup_%s", over);
    snprintf(names[1], sizeof *names, "speedup_%s_low", over);
    snprintf(names[2], sizeof *names, "speedup_%s_high", over);
    wl_rows_put(out, WL_NUMBER(names[0], ratio->median), WL_NUMBER(names[1], ratio->low),
                WL_NUMBER(names[2], ratio->high),
                WL_SHOW_TEXT(
                    NULL, head,
                    isfinite(ratio->median) ? wl_cpu_factor_text(ratio->median, ratio->low, ratio->high, text) : NULL));
}

/* What plots/roofline.gp draws, under the names that files of `run` have for it. */
static void put_cost(wl_rows *out, const wl_measurement *timed) {
    const wl_row nothing = {
        .kernel_ms.median = NAN, .bytes = NAN, .operations = NAN, .rate_per_s = NAN, .bandwidth = NAN};
    const wl_row *row = is_ok(timed) ? &timed->row : &nothing;
    wl_rows_put(out, WL_NUMBER("kernel_ms_median", row->kernel_ms.median), WL_NUMBER("bytes", row->bytes),
                WL_NUMBER("operations", row->operations), WL_TEXT("rate", *row->rate ? row->rate : "NA"),
                WL_NUMBER("rate_per_s", row->rate_per_s), WL_NUMBER("bandwidth", row->bandwidth));
}

static void put_counted(FILE *json, const wl_count *counted) {
    if (counted == NULL || !wl_passed(&counted->verdict)) return;
    fputs(", \"counted\": {", json);
    for (size_t c = 0; c < WL_COUNTERS; c++)
        fprintf(json, "%s\"%s\": %llu", c > 0 ? ", " : "", wl_counter_name(c),
                (unsigned long long)wl_counter(&counted->total, c));
    fputc('}', json);
}

static void put_row(wl_rows *out, const wl_reproduced *r, const wl_reproduced_row *row, double paper_serial) {
    const wl_verdict *verdict = verdict_of(row);
    const double by_ms = row->kind == WL_ROW_STAGE ? paper_serial / row->paper_ms : NAN;
    const double ns = 1e6 * row->mean_ms / r->work;
    char head[96];
    wl_rows_put(out, WL_SHOW_TEXT("method", "method", row->method),
                WL_SHOW_TEXT("variant", "variant", row->variant == NULL ? "" : row->variant->name),
                WL_TEXT("backend", row->variant == NULL ? "" : wl_backend_name(row->variant->backend)),
                WL_TEXT("check", check_of(row).text),
                WL_SHOW_TEXT(NULL, "check", verdict != NULL ? wl_verdict_word(verdict) : "not here"),
                WL_AS(as_ms(row->paper_ms), "paper_ms", "paper\nms", row->paper_ms),
                WL_AS(as_factor(row->paper_speedup), "paper_speedup", "paper's\nfactor", row->paper_speedup),
                WL_AS(as_factor(by_ms), NULL, "by its\nms", by_ms), WL_COUNT("datasets", row->datasets),
                WL_AS(as_ms(row->mean_ms), "kernel_ms_mean", "kernel\nms", row->mean_ms),
                WL_AS("%.2g", "kernel_ms_sd", "devi-\nation", row->deviation_ms),
                WL_AS(as_ms(row->total_ms), "total_ms_median", "total\nms", row->total_ms),
                WL_NUMBER("ns_per_unit", ns));
    for (size_t s = 0; s < r->serials; s++) {
        const char *flag = strchr(r->rows[s].method, ',');
        snprintf(head, sizeof head, "over\n%s", flag == NULL ? r->rows[s].method : flag + 2);
        put_ratio(out, r->rows[s].variant->name, head, &row->over_serial[s]);
    }
    const wl_row *timed = is_ok(row->timed) ? &row->timed->row : NULL;
    wl_rows_put(out, WL_NUMBER("joules", timed ? timed->joules : NAN), WL_NUMBER("watts", timed ? timed->watts : NAN),
                WL_NUMBER("work_per_joule", timed ? timed->work_per_joule : NAN));
    put_ratio(out, "best_cpu", "over the\nbest CPU", &row->over_best_cpu);
    snprintf(head, sizeof head, "ns per\n%.*s", wl_singular(r->problem->unit), r->problem->unit);
    wl_rows_put(out, WL_AS("%.3g", NULL, head, ns));
    if (r->extended) put_cost(out, row->timed);
    if (out->record != NULL && out->record->is_json) put_counted(out->record->stream, row->counted);
    wl_rows_end(out);
}

void wl_reproduced_rows(wl_rows *out, const void *of, int table) {
    (void)table;
    const wl_reproduced *r = of;
    const double paper_serial = wl_paper_number(&r->paper, wl_paper_row(&r->paper, "variant", "serial"), "ms");
    for (size_t i = 0; i < r->count; i++) put_row(out, r, &r->rows[i], paper_serial);
}

void wl_reproduced_print(FILE *stream, const wl_reproduced *r) {
    wl_rows_print(stream, 3, wl_reproduced_rows, r, 0);
    for (size_t i = 0; i < r->count; i++)
        if (verdict_of(&r->rows[i]) == NULL || !wl_passed(verdict_of(&r->rows[i])))
            fprintf(stream, "%s: %s\n", r->rows[i].method, check_of(&r->rows[i]).text);
}

void wl_reproduced_head(FILE *stream, const void *of, int table) {
    (void)table;
    const wl_reproduced *r = of;
    fprintf(stream, "# title: %s, %s, %zu data set%s\n# work: %.0f\n# unit: %s\n", r->problem->title, r->shape,
            r->datasets, r->datasets == 1 ? "" : "s", r->work, r->problem->unit);
}

void wl_reproduced_print_json(FILE *stream, const void *of) {
    const wl_reproduced *r = of;
    wl_put_text(stream, ", \"shape\": ", r->shape);
    fprintf(stream, ", \"seed\": %llu, \"work\": %.0f", (unsigned long long)r->seed, r->work);
    wl_rows_json(stream, "rows", wl_reproduced_rows, r, 0);
}
