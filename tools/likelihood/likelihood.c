#include "tools/likelihood/likelihood.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/base/memory.h"
#include "tools/likelihood/variable.h"

typedef peeling_likelihood_request request;

void peeling_likelihood_note(const request *r, const char *format, ...) {
    if (r->note == NULL) return;
    va_list arguments;
    va_start(arguments, format);
    r->note(format, arguments);
    va_end(arguments);
}

/* --- Reading ----------------------------------------------------------------------------------------------------- */

wl_status likelihood_make_columns(const request *r, const wl_alignment *alignment, peeling_columns *columns) {
    const peeling_alphabet alphabet = peeling_alphabet_of(r->settings.kind);
    const uint64_t *constant = r->constant;
    if (constant[0] + constant[1] + constant[2] + constant[3] == 0)
        return peeling_columns_make(r->alignment, alignment, alphabet, r->settings.code, r->threads, columns);
    char name[PEELING_NAME];
    if (r->settings.variable_only)
        return wl_fail(WL_BAD_USAGE, "option --constant-sites: found with +ASC, which has none; expected one of them");
    if (alphabet != PEELING_NUCLEOTIDES)
        return wl_fail(WL_BAD_USAGE, "option --constant-sites: the model %s has no nucleotides; expected one of those",
                       peeling_model_name(&r->settings, name));
    return peeling_columns_make_constant(r->alignment, alignment, constant, r->threads, columns);
}

static wl_status read_columns(const request *r, const wl_alignment *alignment, peeling_columns *columns) {
    WL_TRY(likelihood_make_columns(r, alignment, columns));
    if (columns->stop_column)
        peeling_likelihood_note(r, "%s: the last codon is a stop codon, and is left out", r->alignment);
    if (columns->like_nucleotides)
        peeling_likelihood_note(r, "%s: the letters are nucleotides', and are read as amino acids", r->alignment);
    if (columns->gap_rows > 0)
        peeling_likelihood_note(r, "%s: no letter in %u row%s, the first of them '%.80s'", r->alignment,
                                columns->gap_rows, wl_plural(columns->gap_rows),
                                alignment->rows[columns->first_gap_row].name);
    return WL_OK;
}

static wl_status make_tree(const request *r, const wl_alignment *alignment, const wl_newick *newick,
                           peeling_tree *tree) {
    uint32_t *tip_of = malloc(newick->nodes * sizeof *tip_of);
    if (tip_of == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a tree of %u nodes", newick->nodes);
    wl_status status = peeling_columns_match(r->tree, newick, r->alignment, alignment, tip_of);
    if (status == WL_OK) status = peeling_tree_from_newick(r->tree, newick, tip_of, tree);
    free(tip_of);
    return status;
}

/* Pointers, then texts, in one block. */
static wl_status copy_names(const wl_alignment *alignment, char ***names) {
    size_t size = 0;
    for (size_t t = 0; t < alignment->count; t++) size += sizeof **names + strlen(alignment->rows[t].name) + 1;
    *names = malloc(size);
    if (*names == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu names", alignment->count);
    char *text = (char *)(*names + alignment->count);
    for (size_t t = 0; t < alignment->count; t++) {
        (*names)[t] = strcpy(text, alignment->rows[t].name);
        text += strlen(text) + 1;
    }
    return WL_OK;
}

static int from_data(peeling_frequencies frequencies) {
    return frequencies == PEELING_OBSERVED || frequencies == PEELING_F1X4 || frequencies == PEELING_F3X4;
}

/* Whether a model would be refused whatever the alignment has. */
static int is_refused_anyway(const peeling_settings *settings) {
    peeling_settings equal = *settings;
    peeling_model *model = malloc(sizeof *model);
    double share;
    equal.frequencies = PEELING_EQUAL;
    const int is = model == NULL || peeling_model_make_part(&equal, 0, model, &share) != WL_OK;
    free(model);
    return is;
}

wl_status peeling_likelihood_model(const request *r, peeling_likelihood *l) {
    l->settings = r->settings;
    const int counts = from_data(l->settings.frequencies);
    if (counts) peeling_columns_frequencies(&l->columns, &l->settings);
    double share;
    const wl_status status = peeling_model_make_part(&l->settings, 0, &l->model, &share);
    if (status == WL_OK) return WL_OK;
    char said[512];
    snprintf(said, sizeof said, "%s", wl_error());
    if (status != WL_BAD_INPUT || (counts && !is_refused_anyway(&l->settings)))
        return wl_fail(status, "%s: %s", r->alignment, said);
    return wl_fail(WL_BAD_USAGE, "option --model: %s", said); // all of it is from the command line
}

/* --- All of it --------------------------------------------------------------------------------------------------- */

wl_status peeling_likelihood_prepare(const request *r, const wl_alignment *alignment, wl_newick *newick) {
    uint32_t pruned = 0, negative = 0;
    if (r->prunes) WL_TRY(peeling_columns_prune(newick, alignment, &pruned));
    for (uint32_t v = 0; r->fills_lengths && v < newick->nodes; v++) {
        if (newick->length[v] >= 0) continue;
        negative += newick->length[v] < 0;
        newick->length[v] = 0.1;
    }
    if (pruned > 0)
        peeling_likelihood_note(r, "%s: %u tip%s without a row %s left out", r->tree, pruned, wl_plural(pruned),
                                pruned == 1 ? "is" : "are");
    if (negative > 0)
        peeling_likelihood_note(r, "%s: %u branch length%s below 0, from which no search can begin: it begins at 0.1",
                                r->tree, negative, negative == 1 ? " is" : "s are");
    return WL_OK;
}

wl_status peeling_likelihood_read(const request *r, peeling_likelihood *l) {
    wl_alignment alignment;
    wl_newick newick;
    *l = (peeling_likelihood){0};
    WL_TRY(wl_alignment_read(r->alignment, r->format, &alignment));
    wl_status status = wl_newick_read_number(r->tree, r->tree_number, &newick);
    if (status == WL_OK) {
        status = peeling_likelihood_prepare(r, &alignment, &newick);
        if (status == WL_OK) status = peeling_likelihood_make(r, &alignment, &newick, l);
        wl_newick_free(&newick);
    }
    wl_alignment_free(&alignment);
    return status;
}

wl_status peeling_likelihood_make(const request *r, const wl_alignment *alignment, const wl_newick *newick,
                                  peeling_likelihood *l) {
    *l = (peeling_likelihood){0};
    char name[PEELING_NAME];
    if (r->settings.parts > 1 && r->keeps_partials)
        return wl_fail(WL_BAD_USAGE, "option --model: %s has exchange rates for each class, and can only be evaluated",
                       peeling_model_name(&r->settings, name));
    WL_TRY(make_tree(r, alignment, newick, &l->tree));
    WL_TRY(read_columns(r, alignment, &l->columns));
    if (r->settings.variable_only) WL_TRY(likelihood_look_for_constant(r, alignment, l));
    WL_TRY(copy_names(alignment, &l->names));
    WL_TRY(peeling_likelihood_model(r, l));
    l->edges = malloc(l->tree.nodes * sizeof *l->edges);
    l->joins = malloc(l->tree.tips * sizeof *l->joins);
    l->site = malloc((l->columns.data.patterns + (size_t)PEELING_STATES_MOST) * sizeof *l->site);
    if (l->edges == NULL || l->joins == NULL || l->site == NULL)
        return wl_fail(WL_NO_MACHINE, "not enough memory for a tree of %u tips and %u patterns", l->tree.tips,
                       l->columns.data.patterns);
    l->input = (peeling_input){.precision = r->precision,
                               .model = &l->model,
                               .data = l->columns.data,
                               .matrices = l->tree.nodes - 1,
                               .partials = l->tree.tips - 1,
                               .work_only = !r->keeps_partials};
    peeling_tree_work(&l->tree, l->edges, l->joins, &l->input.work);
    return l->settings.variable_only ? likelihood_add_constant(l) : WL_OK;
}

void peeling_likelihood_free(peeling_likelihood *l) {
    WL_FREE(l->edges, l->joins, l->site, l->names, l->code, l->weight, l->column);
    peeling_tree_free(&l->tree);
    peeling_columns_free(&l->columns);
    *l = (peeling_likelihood){0};
}

/* --- Contradictions --------------------------------------------------------------------------------------------- */

/* Half of what lies between a column's best state and the smallest number: then what is lost, if it is not the best in
   the end, is nothing to the best. */
static double bits_held(peeling_precision precision) { return precision == PEELING_DOUBLE ? 510 : 63; }

/* What tip t takes off the states that it does not show. */
static double bits_of(const peeling_tree *tree, uint32_t t) {
    return tree->length[t] > 0 && tree->length[t] < 1 ? -log2(tree->length[t]) : 0;
}

/* node_of [nodes]: of an inner node, the topmost from which no length separates it; bits [nodes]: of all tips there. */
static void find_nodes(const peeling_tree *tree, uint32_t *node_of, double *bits) {
    for (uint32_t v = tree->nodes; v-- > 0;) { // parents come before their children
        const uint32_t parent = tree->parent[v];
        bits[v] = 0;
        if (v >= tree->tips)
            node_of[v] = parent != WL_NO_NODE && tree->length[v] == 0 ? node_of[parent] : v;
        else
            bits[node_of[v] = node_of[parent]] += bits_of(tree, v);
    }
}

/* off [patterns][states]: the bits of the node's tips with that state. */
static void add_tips(const peeling_tree *tree, const peeling_data *data, size_t states, const uint32_t *node_of,
                     uint32_t node, double *off) {
    for (uint32_t t = 0; t < tree->tips; t++) {
        const double bits = bits_of(tree, t);
        if (node_of[t] != node || bits == 0) continue;
        const uint16_t *code = data->code + (size_t)t * data->patterns;
        for (size_t c = 0; c < data->patterns; c++)
            if (code[c] < states) off[c * states + code[c]] += bits;
    }
}

static void mark(const double *off, size_t patterns, size_t states, double held, unsigned char *marked) {
    for (size_t c = 0; c < patterns; c++) {
        int above = 0;
        for (size_t s = 0; s < states; s++) above += off[c * states + s] > held;
        if (above > 1) marked[c] = 1;
    }
}

/* Finds patterns in which precision may be lost at a node with many branches (joins with no length between them). There, every tip of
   another state takes a factor of about its branch's length off a state's partials. A state that falls too far below the best of its
   column becomes 0, although it might have caught up later.
   A pattern, 0 .. data->patterns - 1, counts if, at one node, the tips of two states or more each take off as much as `precision` holds
   without loss. *count is their number, *first the first one (undefined if there is none). Tips of several states, and subtrees, are not
   looked at. WL_NO_MACHINE: memory is short. See docs/likelihood.md, "How exact". */
static wl_status find_contradictions(const peeling_tree *tree, const peeling_data *data, int states,
                                     peeling_precision precision, uint32_t *count, uint32_t *first) {
    const size_t patterns = data->patterns, S = (size_t)states;
    const double held = bits_held(precision);
    uint32_t *node_of = malloc(tree->nodes * sizeof *node_of);
    double *bits = malloc(tree->nodes * sizeof *bits), *off = NULL;
    unsigned char *marked = calloc(patterns + 1, 1);
    int ready = node_of && bits && marked;
    *count = 0;
    if (ready) find_nodes(tree, node_of, bits);
    for (uint32_t v = tree->tips; ready && v < tree->nodes; v++) {
        if (bits[v] <= 2 * held) continue;
        if (off == NULL) off = malloc((patterns * S + 1) * sizeof *off);
        ready = off != NULL;
        if (!ready) break;
        memset(off, 0, patterns * S * sizeof *off);
        add_tips(tree, data, S, node_of, v, off);
        mark(off, patterns, S, held, marked);
    }
    for (size_t c = patterns; ready && c-- > 0;) {
        if (!marked[c]) continue;
        *first = (uint32_t)c;
        ++*count;
    }
    WL_FREE(marked, off, bits, node_of);
    return ready ? WL_OK : wl_fail(WL_NO_MACHINE, "not enough memory to look at %u tips together", tree->tips);
}

/* --- Notes ------------------------------------------------------------------------------------------------------- */

/* Codons of which two or three nucleotides change at once, or in ways that kappa and omega make rare, have probabilities that may be
   less than the rounding of transition matrices. A second evaluation, with a model that was rounded otherwise, shows it. */
static wl_status note_rounding(const request *r, const peeling_likelihood *l, peeling_evaluator *evaluator) {
    peeling_model *again = malloc(sizeof *again);
    double other;
    wl_status status =
        again ? peeling_model_make_again(&l->settings, again) : wl_fail(WL_NO_MACHINE, "not enough memory for a model");
    if (status == WL_OK) status = peeling_evaluator_set_model(evaluator, again);
    if (status == WL_OK) status = peeling_evaluator_run(evaluator, &l->input.work, &other, NULL);
    free(again);
    if (status != WL_OK) return status;
    const double held = r->precision == PEELING_DOUBLE ? 1e-9 : 1e-6;
    if (other != l->total && !(fabs(other - l->total) <= held * fmax(1, fabs(l->total))))
        peeling_likelihood_note(
            r,
            "rounding alone makes it %.10f or %.10f: a codon changes in a way so rare that its transition probability "
            "has no more digits",
            l->total, other);
    return WL_OK;
}

static wl_status note_contradictions(const request *r, const peeling_likelihood *l) {
    const int is_double = r->precision == PEELING_DOUBLE;
    uint32_t count, first, column = 0;
    WL_TRY(find_contradictions(&l->tree, &l->columns.data, l->model.states, r->precision, &count, &first));
    if (count == 0) return WL_OK;
    while (l->columns.pattern_of[column] != first) column++; // patterns are in the order of their first columns
    peeling_likelihood_note(
        r,
        "%s: in %u pattern%s, the first of them column %u, so many tips at one node contradict each other that %s "
        "precision may give too low a likelihood%s",
        r->tree, count, wl_plural(count), column + 1, is_double ? "double" : "single",
        is_double ? "" : "; --precision double holds more");
    return WL_OK;
}

/* Whether a pattern cannot be, whatever the rates: tips that no length separates have no state in common. set [nodes]: scratch. */
static int is_impossible(const peeling_likelihood *l, uint32_t pattern, uint64_t *set) {
    const peeling_tree *tree = &l->tree;
    const peeling_data *data = &l->columns.data;
    const uint64_t full = ~(uint64_t)0;
    for (uint32_t v = 0; v < tree->nodes; v++) {
        set[v] = v < tree->tips ? data->set[data->code[(size_t)v * data->patterns + pattern]] : full;
        for (int k = 0; v >= tree->tips && k < 2; k++)
            if (tree->length[tree->child[v][k]] == 0) set[v] &= set[tree->child[v][k]];
        if (set[v] == 0) return 1;
    }
    return 0;
}

static wl_status note_impossible(const request *r, const peeling_likelihood *l) {
    uint32_t count[2] = {0}, first[2] = {0}; // of columns that can be, and that cannot
    uint64_t *set = malloc(l->tree.nodes * sizeof *set);
    if (set == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %u sets", l->tree.nodes);
    for (uint32_t c = 0; c < l->columns.columns; c++) {
        const uint32_t pattern = l->columns.pattern_of[c];
        if (!isinf(l->site[pattern])) continue;
        const int cannot = is_impossible(l, pattern, set);
        if (count[cannot]++ == 0) first[cannot] = c;
    }
    free(set);
    if (count[1] > 0)
        peeling_likelihood_note(r, "%u column%s cannot come from this tree: probability 0, the first of them column %u",
                                count[1], wl_plural(count[1]), first[1] + 1);
    if (count[0] > 0)
        peeling_likelihood_note(
            r, "%u column%s so improbable that the probability is rounded to 0, the first of them column %u", count[0],
            count[0] == 1 ? " is" : "s are", first[0] + 1);
    return WL_OK;
}

/* --- Evaluating -------------------------------------------------------------------------------------------------- */

/* log (e^a + e^b) */
double peeling_log_of_sum(double a, double b) {
    const double most = fmax(a, b);
    return isinf(most) ? most : most + log1p(exp(fmin(a, b) - most));
}

/* A column's likelihood is that of each class's model, by its share. The first one's model is set. */
static wl_status run_parts(peeling_likelihood *l, peeling_evaluator *evaluator) {
    const uint32_t patterns = l->columns.data.patterns;
    double *sum, total;
    peeling_model *model;
    wl_status status = WL_ALLOCATE(WL_ARRAY(sum, patterns + (size_t)1), WL_ARRAY(model, 1))
                           ? WL_OK
                           : wl_fail(WL_NO_MACHINE, "not enough memory for %u patterns", patterns);
    for (int part = 0; part < l->settings.parts && status == WL_OK; part++) {
        double share;
        status = peeling_model_make_part(&l->settings, part, model, &share);
        if (status == WL_OK && part > 0) status = peeling_evaluator_set_model(evaluator, model);
        if (status == WL_OK) status = peeling_evaluator_run(evaluator, &l->input.work, &total, l->site);
        for (uint32_t p = 0; p < patterns && status == WL_OK; p++) {
            const double site = log(share) + l->site[p];
            sum[p] = part == 0 ? site : peeling_log_of_sum(sum[p], site);
        }
    }
    l->total = 0;
    for (uint32_t p = 0; p < patterns && status == WL_OK; p++)
        l->total += l->columns.data.weight[p] * (l->site[p] = sum[p]);
    WL_FREE(sum, model);
    return status;
}

wl_status peeling_likelihood_evaluate(const request *r, peeling_likelihood *l) {
    peeling_evaluator *evaluator;
    WL_TRY(peeling_evaluator_open(r->devices, r->device_count, r->variant, &l->input, &evaluator));
    const double begun = wl_now();
    wl_status status = l->settings.parts > 1 ? run_parts(l, evaluator)
                                             : peeling_evaluator_run(evaluator, &l->input.work, &l->total, l->site);
    l->seconds = wl_now() - begun;
    if (status == WL_OK && r->note && l->columns.alphabet == PEELING_CODONS) status = note_rounding(r, l, evaluator);
    l->devices = peeling_evaluator_devices(evaluator);
    l->variant = peeling_evaluator_engine(evaluator, 0)->variant->name;
    peeling_evaluator_close(evaluator);
    peeling_likelihood_correct(l);
    if (status != WL_OK || r->note == NULL) return status;
    WL_TRY(note_contradictions(r, l));
    return note_impossible(r, l);
}
