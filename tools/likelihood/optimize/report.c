#include "tools/likelihood/optimize/report.h"

#include <math.h>

#include "harness/base/json.h"
#include "harness/base/text.h"

/* Only the likelihood was asked for, of one model. */
static int is_plain(const peeling_search *s) {
    return !s->request->branches && !s->request->model && s->request->partitions == NULL;
}

static const char *precision_of(const peeling_search *s) {
    return s->request->read->precision == PEELING_SINGLE ? "single" : "double";
}

/* AIC, AICc and BIC, of the numbers and columns of all partitions; AICc is none where columns are too few. */
static void criteria_of(const peeling_search *s, double found[3]) {
    const double k = peeling_search_free_numbers(s), n = (double)peeling_search_columns(s);
    found[0] = 2 * k - 2 * s->total;
    found[1] = n > k + 1 ? found[0] + 2 * k * (k + 1) / (n - k - 1) : NAN;
    found[2] = k * log(n) - 2 * s->total;
}

/* --- JSON -------------------------------------------------------------------------------------------------------- */

/* It has no number for infinities. */
static void put_log(FILE *stream, const char *before, double number) {
    fputs(before, stream);
    if (isfinite(number))
        fprintf(stream, "%.17g", number);
    else
        fputs("null", stream);
}

static void put_data(FILE *stream, const peeling_likelihood *l) {
    fprintf(stream, ", \"taxa\": %u, \"columns\": %llu, \"patterns\": %u", l->columns.tips,
            (unsigned long long)peeling_columns_total(&l->columns), l->columns.data.patterns);
}

static void put_partitions(FILE *stream, const peeling_search *s) {
    char model[PEELING_LINE];
    fputs(", \"partitions\": [", stream);
    for (size_t p = 0; p < s->count; p++) {
        const peeling_likelihood *l = &s->parts[p];
        wl_put_text(stream, p == 0 ? "{\"name\": " : ", {\"name\": ", peeling_search_name(s, p));
        put_log(stream, ", \"log_likelihood\": ", l->total);
        wl_put_text(stream,
                    ", \"model\": ", peeling_model_line(&l->settings, PEELING_LINE_IQTREE, model, sizeof model));
        put_log(stream, ", \"length_scale\": ", s->scale[p]);
        put_data(stream, l);
        putc('}', stream);
    }
    fputs("]", stream);
}

static void put_search(FILE *stream, const peeling_search *s) {
    double criteria[3];
    criteria_of(s, criteria);
    fprintf(stream, ", \"rounds\": %u, \"evaluations\": %lu, \"free_parameters\": %u", s->found.rounds,
            s->found.evaluations, peeling_search_free_numbers(s));
    put_log(stream, ", \"aic\": ", criteria[0]);
    put_log(stream, ", \"aicc\": ", criteria[1]);
    put_log(stream, ", \"bic\": ", criteria[2]);
}

void peeling_report_json(FILE *stream, const peeling_search *s, double seconds) {
    const wl_device *device = s->request->read->devices;
    const peeling_likelihood *first = &s->parts[0];
    char model[PEELING_NAME];
    put_log(stream, "{\"log_likelihood\": ", s->total);
    if (s->request->all_trees) fprintf(stream, ", \"tree\": %zu", s->tree);
    if (is_plain(s)) {
        wl_put_text(stream, ", \"model\": ", peeling_model_name(&first->settings, model));
        put_data(stream, first);
    } else {
        put_partitions(stream, s);
    }
    if (s->request->branches || s->request->model) put_search(stream, s);
    wl_put_text(stream, ", \"precision\": ", precision_of(s));
    wl_put_text(stream, ", \"device\": ", device->name);
    if (is_plain(s)) fprintf(stream, ", \"devices\": %zu", first->devices);
    wl_put_text(stream, ", \"variant\": ", first->variant);
    if (is_plain(s))
        wl_put_number(stream, ", \"evaluation_seconds\": ", device->backend == WL_SIM ? NAN : first->seconds, "null");
    else
        wl_put_number(stream, ", \"seconds\": ", seconds, "null");
    fputs("}\n", stream);
}

/* --- Lines ------------------------------------------------------------------------------------------------------- */

static const char begin[] = "warpladder likelihood: ";

/* Simulated time is not told. */
static void tell_plain(FILE *stream, const peeling_search *s, double seconds) {
    const peeling_likelihood *l = &s->parts[0];
    const wl_device *device = s->request->read->devices;
    const int is_simulated = device->backend == WL_SIM;
    char model[PEELING_NAME];
    const uint64_t columns = peeling_columns_total(&l->columns);
    const uint32_t patterns = l->columns.data.patterns;
    wl_print(stream, "%s%s, %u taxa, %llu %s%s, %u pattern%s; ", begin, peeling_model_name(&l->settings, model),
             l->columns.tips, (unsigned long long)columns,
             l->columns.alphabet == PEELING_CODONS ? "codon column" : "column", wl_plural(columns), patterns,
             wl_plural(patterns));
    if (!is_simulated) fprintf(stream, "evaluated in %.2f ms, ", 1e3 * l->seconds);
    fprintf(stream, "%s precision, on ", precision_of(s));
    if (l->devices > 1) fprintf(stream, "%zu x ", l->devices);
    fprintf(stream, "%s (%s)", device->name, l->variant);
    if (!is_simulated) fprintf(stream, "; %.2f s in all", seconds);
    putc('\n', stream);
}

static void tell_models(FILE *stream, const peeling_search *s) {
    const int named = s->request->partitions != NULL;
    char model[PEELING_LINE];
    for (size_t p = 0; p < s->count; p++) {
        const peeling_likelihood *l = &s->parts[p];
        wl_print(stream, "%s%s%s%s", begin, named ? peeling_search_name(s, p) : "", named ? ": " : "",
                 peeling_model_line(&l->settings, PEELING_LINE_IQTREE, model, sizeof model));
        if (named) fprintf(stream, ", %.6f", l->total);
        if (s->scaled) fprintf(stream, ", lengths times %.6g", s->scale[p]);
        putc('\n', stream);
    }
}

static void tell_criteria(FILE *stream, const peeling_search *s) {
    double criteria[3];
    const unsigned count = peeling_search_free_numbers(s);
    criteria_of(s, criteria);
    fprintf(stream, "%s%u free parameter%s: AIC %.4f, ", begin, count, wl_plural(count), criteria[0]);
    if (isnan(criteria[1]))
        fputs("no AICc of so few columns, ", stream);
    else
        fprintf(stream, "AICc %.4f, ", criteria[1]);
    fprintf(stream, "BIC %.4f\n", criteria[2]);
}

void peeling_report_lines(FILE *stream, const peeling_search *s, double seconds) {
    const wl_device *device = s->request->read->devices;
    const int searched = s->request->branches || s->request->model;
    if (s->request->all_trees && !searched && s->tree < s->trees) return; // the last tree's line is enough
    if (is_plain(s)) {
        tell_plain(stream, s, seconds);
        return;
    }
    tell_models(stream, s);
    if (searched) tell_criteria(stream, s);
    fputs(begin, stream);
    if (searched) fprintf(stream, "%u round%s; ", s->found.rounds, wl_plural(s->found.rounds));
    fprintf(stream, "%u taxa, %llu columns, %s precision, on %s (%s)", s->parts[0].columns.tips,
            (unsigned long long)peeling_search_columns(s), precision_of(s), device->name, s->parts[0].variant);
    if (device->backend != WL_SIM) fprintf(stream, "; %.2f s in all", seconds);
    putc('\n', stream);
}
