/* warpladder likelihood: the log-likelihood of a tree. */
#include "cli/likelihood.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "harness/base/clock.h"
#include "peeling/data/contradiction.h"
#include "peeling/evaluate/evaluate.h"

static const wl_command command = {
    .name = "likelihood",
    .summary =
        "Print the natural logarithm of the probability of an alignment, given a tree with branch lengths and a model "
        "of substitution with its parameters; nothing is optimised. In double precision the result is the same on "
        "every device to ten digits and more.",
    .example = "warpladder likelihood --tree tree.nwk --alignment genes.fasta --model GY94+G4 --kappa 2.1 --omega 0.2 "
               "--alpha 0.7\n"
               "  warpladder likelihood --tree tree.nex --alignment genes.nex --model GTR+G4 --rates 1,4,1,1,4,1 "
               "--frequencies observed --site-likelihoods sites.tsv",
    .options = likelihood_options,
    .common = WL_TAKES_QUIET | WL_TAKES_JSON,
};

typedef struct {
    const wl_line *line;
    likelihood_request request;
    peeling_columns columns;
    peeling_tree tree;
    peeling_edge *edges;
    peeling_join *joins;
    peeling_model model;
    peeling_input input;
    char **names; // of the tips, in one block, where a chain writes trees; else NULL
    wl_outfile sites;
    double begun;
} job;

static void note(const job *j, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(const job *j, const char *format, ...) {
    if (j->line->quiet) return;
    va_list arguments;
    va_start(arguments, format);
    fputs("warpladder likelihood: note: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

/* --- Reading ----------------------------------------------------------------------------------------------------- */

static wl_status read_columns(job *j, const wl_alignment *alignment) {
    const peeling_settings *settings = &j->request.settings;
    wl_status status = peeling_columns_make(j->request.alignment, alignment, peeling_alphabet_of(settings->kind),
                                            settings->code, &j->columns);
    if (status != WL_OK) return status;
    if (j->columns.stop_column) note(j, "%s: the last codon is a stop codon, and is left out", j->request.alignment);
    if (j->columns.like_nucleotides)
        note(j, "%s: no letter is but A, C, G, T, U or N, and all are read as amino acids", j->request.alignment);
    if (j->columns.gap_rows > 0)
        note(j, "%s: no letter in %u row%s, the first of them '%.80s'", j->request.alignment, j->columns.gap_rows,
             j->columns.gap_rows == 1 ? "" : "s", alignment->rows[j->columns.first_gap_row].name);
    return WL_OK;
}

static wl_status read_tree(job *j, const wl_alignment *alignment) {
    wl_newick newick;
    wl_status status = wl_newick_read_number(j->request.tree, j->request.tree_number, &newick);
    if (status != WL_OK) return status;
    uint32_t *tip_of = malloc(newick.nodes * sizeof *tip_of);
    if (tip_of == NULL) status = wl_fail(WL_NO_MACHINE, "not enough memory for a tree of %u nodes", newick.nodes);
    if (status == WL_OK)
        status = peeling_columns_match(j->request.tree, &newick, j->request.alignment, alignment, tip_of);
    if (status == WL_OK) status = peeling_tree_from_newick(j->request.tree, &newick, tip_of, &j->tree);
    free(tip_of);
    wl_newick_free(&newick);
    return status;
}

/* Pointers, then texts. */
static wl_status copy_names(job *j, const wl_alignment *alignment) {
    size_t size = 0;
    for (uint32_t t = 0; t < j->tree.tips; t++) size += sizeof *j->names + strlen(alignment->rows[t].name) + 1;
    j->names = malloc(size);
    if (j->names == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %u names", j->tree.tips);
    char *text = (char *)(j->names + j->tree.tips);
    for (uint32_t t = 0; t < j->tree.tips; t++) {
        j->names[t] = strcpy(text, alignment->rows[t].name);
        text += strlen(text) + 1;
    }
    return WL_OK;
}

static wl_status read_data(job *j) {
    wl_alignment alignment;
    wl_status status = wl_alignment_read(j->request.alignment, j->request.format, &alignment);
    if (status != WL_OK) return status;
    status = read_tree(j, &alignment);
    if (status == WL_OK) status = read_columns(j, &alignment);
    if (status == WL_OK && j->request.trace) status = copy_names(j, &alignment);
    wl_alignment_free(&alignment);
    return status;
}

static int from_data(peeling_frequencies frequencies) {
    return frequencies == PEELING_OBSERVED || frequencies == PEELING_F1X4 || frequencies == PEELING_F3X4;
}

/* Whether a model would be refused whatever the alignment has. */
static int is_refused_anyway(const peeling_settings *settings) {
    peeling_settings equal = *settings;
    peeling_model model;
    equal.frequencies = PEELING_EQUAL;
    return peeling_model_make(&equal, &model) != WL_OK;
}

static wl_status make_input(job *j) {
    peeling_settings *settings = &j->request.settings;
    if (from_data(settings->frequencies)) peeling_columns_frequencies(&j->columns, settings);
    wl_status status = peeling_model_make(settings, &j->model);
    if (status != WL_OK) {
        char said[512];
        snprintf(said, sizeof said, "%s", wl_error());
        if (status != WL_BAD_INPUT || (from_data(settings->frequencies) && !is_refused_anyway(settings)))
            return wl_fail(status, "%s: %s", j->request.alignment, said);
        return wl_fail(WL_BAD_USAGE, "option --model: %s", said); // all of it is from the command line
    }
    j->edges = malloc(j->tree.nodes * sizeof *j->edges);
    j->joins = malloc(j->tree.tips * sizeof *j->joins);
    if (j->edges == NULL || j->joins == NULL)
        return wl_fail(WL_NO_MACHINE, "not enough memory for a tree of %u tips", j->tree.tips);
    j->input = (peeling_input){.precision = j->request.precision,
                               .model = &j->model,
                               .data = j->columns.data,
                               .matrices = j->tree.nodes - 1,
                               .partials = j->tree.tips - 1,
                               .work_only = j->request.steps == 0};
    peeling_tree_work(&j->tree, j->edges, j->joins, &j->input.work);
    return WL_OK;
}

/* --- Evaluating -------------------------------------------------------------------------------------------------- */

/* Codons of which two or three nucleotides change at once, or in ways that kappa and omega make rare, have probabilities that may be
   less than the rounding of transition matrices. A second evaluation, with a model that was rounded otherwise, shows it. */
static wl_status compare_rounding(const job *j, peeling_evaluator *evaluator, double total) {
    if (j->columns.alphabet != PEELING_CODONS || j->line->quiet) return WL_OK;
    peeling_model again;
    double other;
    wl_status status = peeling_model_make_again(&j->request.settings, &again);
    if (status == WL_OK) status = peeling_evaluator_set_model(evaluator, &again);
    if (status == WL_OK) status = peeling_evaluator_run(evaluator, &j->input.work, &other, NULL);
    const double held = j->request.precision == PEELING_DOUBLE ? 1e-9 : 1e-6;
    if (status == WL_OK && other != total && !(fabs(other - total) <= held * fmax(1, fabs(total))))
        note(j,
             "rounding alone makes it %.10f or %.10f: a codon changes in a way so rare that transition probabilities "
             "have no more digits",
             total, other);
    return status;
}

static wl_status evaluate(const job *j, double *site, likelihood_result *result) {
    const wl_device_list *list = &j->request.devices;
    const size_t skipped = list->count > 1; // the list begins with the CPU
    peeling_evaluator *evaluator;
    wl_status status =
        peeling_evaluator_open(list->items + skipped, list->count - skipped, j->request.variant, &j->input, &evaluator);
    if (status != WL_OK) return status;
    const double begun = wl_now();
    status = peeling_evaluator_run(evaluator, &j->input.work, &result->total, site);
    result->evaluation = wl_now() - begun;
    if (status == WL_OK) status = compare_rounding(j, evaluator, result->total);
    result->device = list->items + skipped;
    result->devices = peeling_evaluator_devices(evaluator);
    result->variant = peeling_evaluator_engine(evaluator, 0)->variant->name;
    peeling_evaluator_close(evaluator);
    return status;
}

/* --- The work ---------------------------------------------------------------------------------------------------- */

/* Whether a pattern cannot be, whatever the rates: tips that no length separates have no state in common. set [nodes]: scratch. */
static int is_impossible(const job *j, uint32_t pattern, uint64_t *set) {
    const peeling_tree *tree = &j->tree;
    const peeling_data *data = &j->columns.data;
    const uint64_t full = ~(uint64_t)0;
    for (uint32_t v = 0; v < tree->nodes; v++) {
        set[v] = v < tree->tips ? data->set[data->code[(size_t)v * data->patterns + pattern]] : full;
        for (int k = 0; v >= tree->tips && k < 2; k++)
            if (tree->length[tree->child[v][k]] == 0) set[v] &= set[tree->child[v][k]];
        if (set[v] == 0) return 1;
    }
    return 0;
}

static wl_status note_impossible(const job *j, const likelihood_result *result) {
    uint32_t count[2] = {0}, first[2] = {0}; // of columns that can be, and that cannot
    uint64_t *set = malloc(j->tree.nodes * sizeof *set);
    if (set == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %u sets", j->tree.nodes);
    for (uint32_t c = 0; c < j->columns.columns; c++) {
        const uint32_t pattern = j->columns.pattern_of[c];
        if (!isinf(result->site[pattern])) continue;
        const int cannot = is_impossible(j, pattern, set);
        if (count[cannot]++ == 0) first[cannot] = c;
    }
    free(set);
    if (count[1] > 0)
        note(j, "%u column%s cannot be: probability 0, the first of them column %u", count[1], count[1] == 1 ? "" : "s",
             first[1] + 1);
    if (count[0] > 0)
        note(j, "%u column%s can be, but so rarely that rounding makes the probability 0, the first of them column %u",
             count[0], count[0] == 1 ? "" : "s", first[0] + 1);
    return WL_OK;
}

static wl_status note_contradictions(const job *j) {
    const int is_double = j->request.precision == PEELING_DOUBLE;
    uint32_t count, first;
    wl_status status =
        peeling_contradictions(&j->tree, &j->columns.data, j->model.states, j->request.precision, &count, &first);
    if (status == WL_OK && count > 0) {
        uint32_t column = 0; // patterns are in the order of their first columns
        while (j->columns.pattern_of[column] != first) column++;
        note(j,
             "%s: in %u pattern%s, the first of them column %u, so many tips at one node contradict each other that %s "
             "precision may give too low a likelihood%s",
             j->request.tree, count, count == 1 ? "" : "s", column + 1, is_double ? "double" : "single",
             is_double ? "" : "; --precision double holds more");
    }
    return status;
}

static wl_status write_result(job *j, likelihood_result *result) {
    if (j->sites.stream) {
        likelihood_write_sites(j->sites.stream, result);
        wl_status status = wl_outfile_commit(&j->sites);
        if (status != WL_OK) return status;
    }
    result->seconds = wl_now() - j->begun;
    if (!j->line->quiet) likelihood_summarise(result);
    likelihood_print(stdout, result, j->line->json);
    return WL_OK;
}

static wl_status compute(job *j) {
    double *site = malloc((j->columns.data.patterns + 1) * sizeof *site);
    if (site == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %u patterns", j->columns.data.patterns);
    likelihood_result result = {
        .columns = &j->columns, .settings = &j->request.settings, .precision = j->request.precision, .site = site};
    wl_status status = evaluate(j, site, &result);
    if (status == WL_OK) status = note_contradictions(j);
    if (status == WL_OK) status = note_impossible(j, &result);
    if (status == WL_OK) status = write_result(j, &result);
    free(site);
    return status;
}

static wl_status likelihood(const wl_line *line) {
    job j = {.line = line, .begun = wl_now()};
    wl_status status = likelihood_read_options(line, &j.request);
    if (status == WL_OK && j.request.sites) status = wl_outfile_open(j.request.sites, &j.sites);
    if (status == WL_OK) status = read_data(&j);
    if (status == WL_OK) status = make_input(&j);
    if (status == WL_OK && j.request.steps > 0)
        status = likelihood_chain(&j.request, &j.input, &j.tree, (const char **)j.names, line->json, line->quiet);
    else if (status == WL_OK)
        status = compute(&j);
    wl_outfile_discard(&j.sites);
    free(j.edges);
    free(j.joins);
    free(j.names);
    peeling_tree_free(&j.tree);
    peeling_columns_free(&j.columns);
    return status;
}

int wl_command_likelihood(int argc, char **argv) {
    wl_line line;
    int finished;
    wl_status status = wl_line_read(&command, argc, argv, &line, &finished);
    if (status == WL_OK && !finished) status = likelihood(&line);
    if (!finished) wl_line_free(&line);
    return wl_finish(&command, status);
}
