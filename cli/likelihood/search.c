/* warpladder likelihood without --chain: the likelihood of one tree or several, and its maximum. */
#include <string.h>

#include "cli/likelihood/likelihood.h"
#include "cli/message.h"
#include "harness/base/clock.h"
#include "harness/base/outfile.h"
#include "harness/base/text.h"
#include "harness/base/timings.h"
#include "tools/likelihood/optimize/report.h"

static void show_round(unsigned round, double log) {
    fprintf(stderr, "\rround %u, log-likelihood %.4f\033[K", round, log);
}

static int ends_with(const char *text, const char *end) {
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

/* IQ-TREE's where the name ends as NEXUS files' do, else RAxML-NG's. */
static peeling_line_style style_of(const char *path) {
    return ends_with(path, ".nex") || ends_with(path, ".nexus") ? PEELING_LINE_IQTREE : PEELING_LINE_RAXML;
}

enum { SITES, TREE, MODEL, FILES };

typedef struct {
    const wl_args *args;
    const char *paths[FILES];
    wl_outfile files[FILES];
    double begun;
} output;

static wl_status take(void *context, peeling_search *s) {
    output *to = context;
    const double writing = wl_timings_now();
    if (s->request->progress) fputs("\r\033[K", stderr);
    if (to->paths[SITES]) peeling_search_write_sites(to->files[SITES].stream, s);
    if (to->paths[TREE]) peeling_search_write_tree(to->files[TREE].stream, s);
    if (to->paths[MODEL]) peeling_search_write_models(to->files[MODEL].stream, s, style_of(to->paths[MODEL]));
    for (size_t i = 0; i < FILES && s->tree == s->trees; i++)
        if (to->paths[i]) WL_TRY(wl_outfile_commit(&to->files[i]));
    const double seconds = wl_now() - to->begun;
    if (!to->args->quiet) peeling_report_lines(stderr, s, seconds);
    if (to->args->json)
        peeling_report_json(stdout, s, seconds);
    else
        printf("%.10f\n", s->total);
    wl_timings_since(WL_PHASE_WRITE, writing, 0);
    return WL_OK;
}

wl_status likelihood_search_run(const wl_args *args, const likelihood_request *request, double begun) {
    const likelihood_search *asked = &request->search;
    const int searches = asked->branches || asked->model;
    const peeling_search_request wanted = {.read = &request->read,
                                           .has_model = wl_argument_given(&args->own, "model"),
                                           .partitions = asked->partitions,
                                           .branches = asked->branches,
                                           .model = asked->model,
                                           .scaled = asked->scaled,
                                           .all_trees = asked->all_trees,
                                           .device_is_chosen = strcmp(wl_argument(&args->own, "device"), "auto") != 0,
                                           .progress = searches && wl_shows_progress(args) ? show_round : NULL};
    output to = {.args = args, .paths = {request->sites, asked->best_tree, asked->best_model}, .begun = begun};
    wl_status status = WL_OK;
    for (size_t i = 0; i < FILES && status == WL_OK; i++)
        if (to.paths[i]) status = wl_outfile_open(to.paths[i], &to.files[i]);
    if (status == WL_OK) status = peeling_search_run(&wanted, take, &to);
    if (status != WL_OK && wanted.progress) fputs("\r\033[K", stderr);
    for (size_t i = 0; i < FILES; i++) wl_outfile_discard(&to.files[i]);
    return status;
}
