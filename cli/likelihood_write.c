/* What `warpladder likelihood` writes. */
#include <math.h>

#include "cli/likelihood.h"
#include "harness/base/json.h"

static const char *s(uint32_t count) { return count == 1 ? "" : "s"; }

void likelihood_write_sites(FILE *stream, const likelihood_result *result) {
    fputs("column\tlog_likelihood\n", stream);
    for (uint32_t c = 0; c < result->columns->columns; c++)
        fprintf(stream, "%u\t%.17g\n", c + 1, result->site[result->columns->pattern_of[c]]);
}

/* Whose time says nothing. */
static int is_simulated(const likelihood_result *result) { return result->device->backend == WL_SIM; }

static const char *precision_name(peeling_precision precision) {
    return precision == PEELING_SINGLE ? "single" : "double";
}

void likelihood_print(FILE *stream, const likelihood_result *result, int json) {
    char model[32];
    if (!json) {
        fprintf(stream, "%.10f\n", result->total);
        return;
    }
    fputs("{\"log_likelihood\": ", stream);
    if (isinf(result->total)) /* which JSON has no number for */
        fputs("null", stream);
    else
        fprintf(stream, "%.17g", result->total);
    wl_put_text(stream, ", \"model\": ", peeling_model_name(result->settings, model));
    fprintf(stream, ", \"taxa\": %u, \"columns\": %u, \"patterns\": %u, \"precision\": \"%s\"", result->columns->tips,
            result->columns->columns, result->columns->data.patterns, precision_name(result->precision));
    wl_put_text(stream, ", \"device\": ", result->device->name);
    fprintf(stream, ", \"devices\": %zu", result->devices);
    wl_put_text(stream, ", \"variant\": ", result->variant);
    wl_put_number(stream, ", \"evaluation_seconds\": ", is_simulated(result) ? NAN : result->evaluation, "null");
    fputs("}\n", stream);
}

void likelihood_summarise(const likelihood_result *result) {
    char model[32];
    const uint32_t tips = result->columns->tips, columns = result->columns->columns,
                   patterns = result->columns->data.patterns;
    fprintf(stderr, "warpladder likelihood: %s, %u taxa, %u %s%s, %u pattern%s; ",
            peeling_model_name(result->settings, model), tips, columns,
            result->columns->alphabet == PEELING_CODONS ? "codon column" : "column", s(columns), patterns, s(patterns));
    if (!is_simulated(result)) fprintf(stderr, "evaluated in %.2f ms, ", 1e3 * result->evaluation);
    fprintf(stderr, "%s precision, on ", precision_name(result->precision));
    if (result->devices > 1) fprintf(stderr, "%zu x ", result->devices);
    fprintf(stderr, "%s (%s)", result->device->name, result->variant);
    if (!is_simulated(result)) fprintf(stderr, "; %.2f s in all", result->seconds);
    fputc('\n', stderr);
}
