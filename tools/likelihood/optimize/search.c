#include "tools/likelihood/optimize/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/base/timings.h"
#include "tools/likelihood/optimize/internal.h"

/* --- Reading ----------------------------------------------------------------------------------------------------- */

static wl_status allocate(peeling_search *s, size_t count) {
    if (!WL_ALLOCATE(WL_ZEROS(s->reads, count), WL_ZEROS(s->own, count), WL_ZEROS(s->parts, count),
                     WL_ARRAY(s->scale, count)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu partitions", count);
    s->count = count;
    for (size_t p = 0; p < count; p++) {
        s->reads[p] = *s->request->read;
        if (s->tree > 1) s->reads[p].note = NULL; // which has been said
        s->scale[p] = 1;
    }
    return WL_OK;
}

static const char *letters_of(peeling_alphabet alphabet) {
    return alphabet == PEELING_NUCLEOTIDES ? "nucleotides" : alphabet == PEELING_AMINO_ACIDS ? "amino acids" : "codons";
}

/* The partition's own, or the one that all have that name none. */
static wl_status read_model(peeling_search *s, size_t p, peeling_settings *settings) {
    const peeling_partition *partition = &s->partitions->items[p];
    const char *path = s->request->partitions;
    const size_t line = partition->line;
    if (partition->model) {
        const wl_status status = peeling_model_parse_file(partition->model, partition->code, &s->own[p], settings);
        if (status != WL_OK) return wl_fail(WL_BAD_INPUT, "%s:%zu: %s", path, line, wl_error());
    } else if (!s->request->has_model) {
        return wl_fail(WL_BAD_INPUT, "%s:%zu: partition %s: found no model; expected one, or --model for all without",
                       path, line, partition->name);
    }
    const peeling_alphabet alphabet = peeling_alphabet_of(settings->kind);
    char name[PEELING_NAME];
    if (partition->type >= 0 && partition->type != (int)alphabet)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: partition %s: found %s, and the model %s is of %s", path, line,
                       partition->name, letters_of((peeling_alphabet)partition->type),
                       peeling_model_name(settings, name), letters_of(alphabet));
    if (partition->type == PEELING_CODONS && partition->code != PEELING_CODE_STANDARD) settings->code = partition->code;
    if (settings->free_frequencies && !s->request->model)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: +FO without numbers is estimated; expected --optimize model or all", path,
                       line);
    return WL_OK;
}

static wl_status read_part(peeling_search *s, size_t p, const wl_alignment *alignment, const wl_newick *newick) {
    const peeling_partition *partition = &s->partitions->items[p];
    wl_alignment cut;
    WL_TRY(read_model(s, p, &s->reads[p].settings));
    WL_TRY(peeling_partition_cut(alignment, partition, &cut));
    const wl_status status = peeling_likelihood_make(&s->reads[p], &cut, newick, &s->parts[p]);
    wl_alignment_free(&cut);
    if (status == WL_OK) return WL_OK;
    return wl_fail(status == WL_BAD_USAGE ? WL_BAD_INPUT : status, "partition %s (%s:%zu): %s", partition->name,
                   s->request->partitions, partition->line, wl_error());
}

const char *peeling_search_name(const peeling_search *s, size_t p) {
    return s->partitions->count > 0 ? s->partitions->items[p].name : "all";
}

/* Lengths of a partition whose file says how long its tree is in all, or by what to multiply. */
static wl_status scale_part(peeling_search *s, size_t p) {
    peeling_likelihood *l = &s->parts[p];
    const peeling_partition *partition = &s->partitions->items[p];
    const double of_tree = peeling_tree_length(&l->tree);
    if (isnan(partition->length) && isnan(partition->factor)) return WL_OK;
    if (isnan(partition->factor) && (!(partition->length > 0) || isinf(partition->length) || !(of_tree > 0)))
        return wl_fail(WL_BAD_INPUT,
                       "%s:%zu: partition %s: found the tree length %g, of a tree of length %g; expected both above 0",
                       s->request->partitions, partition->line, partition->name, partition->length, of_tree);
    s->scale[p] = isnan(partition->factor) ? partition->length / of_tree : partition->factor;
    for (uint32_t v = 0; v + 1 < l->tree.nodes; v++) l->edges[v].length = l->tree.length[v] *= s->scale[p];
    return WL_OK;
}

/* --- What was estimated ------------------------------------------------------------------------------------------ */

uint64_t peeling_search_columns(const peeling_search *s) {
    uint64_t columns = 0;
    for (size_t p = 0; p < s->count; p++) columns += peeling_columns_total(&s->parts[p].columns);
    return columns;
}

/* As without a root. */
static unsigned branches_of(const peeling_tree *tree) {
    const uint32_t root = tree->nodes - 1, *top = tree->child[root];
    unsigned count = 0;
    for (uint32_t v = 0; v < root; v++) count += !tree->joined[v];
    return count - (!tree->joined[top[0]] && !tree->joined[top[1]]);
}

/* Frequencies that were counted are estimated, whatever else is. */
static unsigned counted_frequencies(const peeling_settings *settings) {
    if (settings->free_frequencies) return 0;
    switch (settings->frequencies) {
        case PEELING_OBSERVED:
            return (unsigned)peeling_states_of(settings) - 1;
        case PEELING_F1X4:
            return 3;
        case PEELING_F3X4:
            return 9;
        default:
            return 0;
    }
}

unsigned peeling_search_free_numbers(const peeling_search *s) {
    unsigned count = 0;
    for (size_t p = 0; p < s->count; p++) {
        optimize_numbers numbers;
        optimize_numbers_of(&s->parts[p].settings, &numbers);
        count += counted_frequencies(&s->parts[p].settings);
        if (s->request->model) count += (unsigned)numbers.count;
    }
    if (!s->request->branches) return count;
    return count + branches_of(&s->parts[0].tree) + (s->scaled ? (unsigned)s->count - 1 : 0);
}

/* --- All of it --------------------------------------------------------------------------------------------------- */

/* A vector of so many numbers keeps a GPU busy: each look at a branch is a launch and a wait, however small the vector is. */
#define NUMBERS_MANY 100000

/* The device that searches beside the CPU; NULL: none. */
static const wl_device *searching_device(const peeling_search *s) {
    const wl_device *device = &s->request->read->devices[0];
    const peeling_input *input = &s->parts[0].input;
    const double numbers = (double)input->data.patterns * input->model->rates * input->model->states;
    if (device->backend == WL_CPU || s->count > 1) return NULL;
    return s->request->device_is_chosen || numbers >= NUMBERS_MANY ? device : NULL;
}

static wl_status optimize(peeling_search *s) {
    const peeling_search_request *asked = s->request;
    peeling_optimize_request request = {.branches = asked->branches, .model = asked->model, .scaled = s->scaled};
    wl_device_list list;
    WL_TRY(wl_devices_of_tool("cpu", &list));
    request.cpu = list.items[0];
    if (s->request->read->devices[0].backend == WL_CPU) request.cpu = s->request->read->devices[0];
    request.progress = s->request->progress;
    request.device = searching_device(s);
    request.read = s->request->read;
    peeling_likelihood **parts = malloc(s->count * sizeof *parts);
    if (parts == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu partitions", s->count);
    for (size_t p = 0; p < s->count; p++) parts[p] = &s->parts[p];
    s->found.scale = s->scale;
    const wl_status status = peeling_optimize(&request, parts, s->count, &s->found);
    free(parts);
    return status;
}

static wl_status run(peeling_search *s, const wl_alignment *alignment, const wl_newick *newick) {
    const peeling_search_request *asked = s->request;
    const double reading = wl_timings_now();
    WL_TRY(allocate(s, s->partitions->count > 0 ? s->partitions->count : 1));
    if (s->partitions->count == 0) WL_TRY(peeling_likelihood_make(&s->reads[0], alignment, newick, &s->parts[0]));
    for (size_t p = 0; p < s->partitions->count; p++) WL_TRY(read_part(s, p, alignment, newick));
    for (size_t p = 0; p < s->partitions->count && s->scaled && !asked->branches; p++) WL_TRY(scale_part(s, p));
    wl_timings_since(WL_PHASE_READ, reading, 0);
    const double searching = wl_timings_now();
    if (asked->branches || asked->model) WL_TRY(optimize(s));
    wl_timings_since(WL_PHASE_KERNEL, searching, 0);
    for (size_t p = 0; p < s->count; p++) {
        WL_TRY(peeling_likelihood_evaluate(&s->reads[p], &s->parts[p]));
        s->total += s->parts[p].total;
    }
    return WL_OK;
}

static wl_status run_tree(const peeling_search *as, const wl_alignment *alignment, wl_newick *newick,
                          peeling_search_taker take, void *context) {
    peeling_search s = *as;
    peeling_likelihood_request read = *s.request->read;
    if (s.tree > 1) read.note = NULL;
    wl_status status = peeling_likelihood_prepare(&read, alignment, newick);
    if (status == WL_OK) status = run(&s, alignment, newick);
    if (status == WL_OK) status = take(context, &s);
    for (size_t p = 0; p < s.count && s.parts; p++) peeling_likelihood_free(&s.parts[p]);
    WL_FREE(s.reads, s.own, s.parts, s.scale);
    return status;
}

static wl_status read_partitions(const peeling_search_request *asked, size_t columns, peeling_partitions *made) {
    *made = (peeling_partitions){0};
    if (asked->partitions == NULL) return WL_OK;
    const uint64_t *constant = asked->read->constant;
    WL_TRY(peeling_partitions_read(asked->partitions, columns, made));
    if (made->count > 1 && constant[0] + constant[1] + constant[2] + constant[3] > 0) {
        peeling_partitions_free(made);
        return wl_fail(WL_BAD_USAGE, "option --constant-sites: found with several partitions; expected one");
    }
    for (size_t p = 0; p < made->count; p++)
        if (!asked->has_model || made->items[p].model == NULL) return WL_OK;
    peeling_partitions_free(made);
    return wl_fail(WL_BAD_USAGE,
                   "options --model, --partitions: found both, and %s names a model for every partition; expected one "
                   "of them",
                   asked->partitions);
}

static wl_status read_trees(const peeling_search_request *asked, wl_newick **trees, size_t *count) {
    if (asked->all_trees) return wl_newick_read_all(asked->read->tree, trees, count);
    *count = 0;
    *trees = calloc(1, sizeof **trees);
    if (*trees == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a tree");
    const wl_status status = wl_newick_read_number(asked->read->tree, asked->read->tree_number, *trees);
    if (status == WL_OK)
        *count = 1;
    else
        free(*trees);
    return status;
}

wl_status peeling_search_run(const peeling_search_request *request, peeling_search_taker take, void *context) {
    wl_alignment alignment;
    wl_newick *trees;
    peeling_partitions partitions;
    peeling_search s = {.request = request, .partitions = &partitions};
    const double reading = wl_timings_now();
    WL_TRY(wl_alignment_read(request->read->alignment, request->read->format, &alignment));
    wl_status status = read_trees(request, &trees, &s.trees);
    if (status == WL_OK) {
        status = read_partitions(request, alignment.columns, &partitions);
        s.scaled = request->scaled >= 0 ? request->scaled : peeling_partitions_are_scaled(&partitions);
        if (status == WL_OK && request->scaled == 0 && !request->branches && peeling_partitions_are_scaled(&partitions))
            peeling_likelihood_note(request->read, "%s: its factors of lengths are not used, as --lengths equal says",
                                    request->partitions);
        wl_timings_since(WL_PHASE_READ, reading, 0);
        while (status == WL_OK && s.tree < s.trees) {
            s.tree++;
            status = run_tree(&s, &alignment, &trees[s.tree - 1], take, context);
        }
        peeling_partitions_free(&partitions);
        wl_newick_free_all(trees, s.trees);
    }
    wl_alignment_free(&alignment);
    return status;
}
