/* warpladder likelihood --optimize, --partitions: the likelihood of several parts of an alignment, and its maximum. */
#include <math.h>
#include <string.h>

#include "cli/likelihood/likelihood.h"
#include "cli/message.h"
#include "harness/base/clock.h"
#include "harness/base/json.h"
#include "harness/base/outfile.h"
#include "harness/base/text.h"
#include "harness/base/timings.h"
#include "tools/likelihood/optimize/search.h"

/* JSON has no number for infinities. */
void likelihood_put_log(const char *before, double number) {
    fputs(before, stdout);
    if (isinf(number))
        fputs("null", stdout);
    else
        printf("%.17g", number);
}

static void print(const likelihood_request *request, const peeling_search *s, int json, double seconds) {
    char model[PEELING_LINE];
    if (!json) {
        printf("%.10f\n", s->total);
        return;
    }
    likelihood_put_log("{\"log_likelihood\": ", s->total);
    fputs(", \"partitions\": [", stdout);
    for (size_t p = 0; p < s->count; p++) {
        const peeling_likelihood *l = &s->parts[p];
        wl_put_text(stdout, p == 0 ? "{\"name\": " : ", {\"name\": ", peeling_search_name(s, p));
        likelihood_put_log(", \"log_likelihood\": ", l->total);
        wl_put_text(stdout,
                    ", \"model\": ", peeling_model_line(&l->settings, PEELING_LINE_IQTREE, model, sizeof model));
        likelihood_put_log(", \"length_scale\": ", s->scale[p]);
        printf(", \"taxa\": %u, \"columns\": %u, \"patterns\": %u}", l->columns.tips, l->columns.columns,
               l->columns.data.patterns);
    }
    fputs("]", stdout);
    if (s->request->branches || s->request->model)
        printf(", \"rounds\": %u, \"evaluations\": %lu", s->found.rounds, s->found.evaluations);
    wl_put_text(stdout, ", \"precision\": ", likelihood_precision_name(request));
    wl_put_text(stdout, ", \"device\": ", request->read.devices[0].name);
    wl_put_text(stdout, ", \"variant\": ", s->parts[0].variant);
    wl_put_number(stdout, ", \"seconds\": ", seconds, "null");
    fputs("}\n", stdout);
}

/* Simulated time is not told. */
static void summarise(const likelihood_request *request, const peeling_search *s, double seconds) {
    const peeling_search_request *asked = s->request;
    char model[PEELING_LINE];
    uint64_t columns = 0;
    for (size_t p = 0; p < s->count; p++) {
        const peeling_likelihood *l = &s->parts[p];
        columns += l->columns.columns;
        wl_print(stderr, "warpladder likelihood: %s%s%s", s->partitions.count > 0 ? peeling_search_name(s, p) : "",
                 s->partitions.count > 0 ? ": " : "",
                 peeling_model_line(&l->settings, PEELING_LINE_IQTREE, model, sizeof model));
        if (s->partitions.count > 0) fprintf(stderr, ", %.6f", l->total);
        if (asked->scaled) fprintf(stderr, ", lengths times %.6g", s->scale[p]);
        fputc('\n', stderr);
    }
    fprintf(stderr, "warpladder likelihood: ");
    if (asked->branches || asked->model) fprintf(stderr, "%u round%s; ", s->found.rounds, wl_plural(s->found.rounds));
    fprintf(stderr, "%u taxa, %llu columns, %s precision, on %s (%s)", s->parts[0].columns.tips,
            (unsigned long long)columns, likelihood_precision_name(request), request->read.devices[0].name,
            s->parts[0].variant);
    if (request->read.devices[0].backend != WL_SIM) fprintf(stderr, "; %.2f s in all", seconds);
    fputc('\n', stderr);
}

static void show_round(unsigned round, double log) {
    fprintf(stderr, "\rround %u, log-likelihood %.4f\033[K", round, log);
}

/* --- All of it --------------------------------------------------------------------------------------------------- */

static int ends_with(const char *text, const char *end) {
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

/* IQ-TREE's where the name ends as NEXUS files' do, else RAxML-NG's. */
static peeling_line_style style_of(const char *path) {
    return ends_with(path, ".nex") || ends_with(path, ".nexus") ? PEELING_LINE_IQTREE : PEELING_LINE_RAXML;
}

wl_status likelihood_search_run(const wl_line *line, const likelihood_request *request, double begun) {
    const likelihood_search *asked = &request->search;
    const peeling_search_request wanted = {.read = &request->read,
                                           .partitions = asked->partitions,
                                           .branches = asked->branches,
                                           .model = asked->model,
                                           .scaled = asked->scaled,
                                           .progress = wl_shows_progress(line) ? show_round : NULL};
    peeling_search s = {0};
    const char *const paths[] = {request->sites, asked->best_tree, asked->best_model};
    enum { SITES, TREE, MODEL, FILES };
    wl_outfile files[FILES] = {0};
    wl_status status = WL_OK;
    for (size_t i = 0; i < FILES && status == WL_OK; i++)
        if (paths[i]) status = wl_outfile_open(paths[i], &files[i]);
    if (status == WL_OK) status = peeling_search_run(&wanted, &s);
    if (wanted.progress) fputs("\r\033[K", stderr);
    const double writing = wl_timings_now();
    if (status == WL_OK && paths[SITES]) peeling_search_write_sites(files[SITES].stream, &s);
    if (status == WL_OK && paths[TREE]) peeling_search_write_tree(files[TREE].stream, &s);
    if (status == WL_OK && paths[MODEL]) peeling_search_write_models(files[MODEL].stream, &s, style_of(paths[MODEL]));
    for (size_t i = 0; i < FILES && status == WL_OK; i++)
        if (paths[i]) status = wl_outfile_commit(&files[i]);
    for (size_t i = 0; i < FILES; i++) wl_outfile_discard(&files[i]);
    if (status == WL_OK) {
        const double seconds = wl_now() - begun;
        if (!line->quiet) summarise(request, &s, seconds);
        print(request, &s, line->json, seconds);
        wl_timings_since(WL_PHASE_WRITE, writing, 0);
    }
    peeling_search_free(&s);
    return status;
}
