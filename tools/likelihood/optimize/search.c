#include "tools/likelihood/optimize/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/base/timings.h"

void peeling_search_free(peeling_search *s) {
    for (size_t p = 0; p < s->count && s->parts; p++) peeling_likelihood_free(&s->parts[p]);
    peeling_partitions_free(&s->partitions);
    WL_FREE(s->reads, s->own, s->parts, s->scale);
}

/* --- Reading ----------------------------------------------------------------------------------------------------- */

static wl_status allocate(peeling_search *s, size_t count) {
    if (!WL_ALLOCATE(WL_ZEROS(s->reads, count), WL_ZEROS(s->own, count), WL_ZEROS(s->parts, count),
                     WL_ARRAY(s->scale, count)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu partitions", count);
    s->count = count;
    for (size_t p = 0; p < count; p++) {
        s->reads[p] = *s->request->read;
        s->scale[p] = 1;
    }
    return WL_OK;
}

static wl_status read_part(peeling_search *s, size_t p, const wl_alignment *alignment, const wl_newick *newick) {
    const peeling_partition *partition = &s->partitions.items[p];
    const char *path = s->request->partitions;
    peeling_likelihood_request *read = &s->reads[p];
    wl_alignment cut;
    wl_status status = peeling_model_parse_file(partition->model, &s->own[p], &read->settings);
    if (status != WL_OK) return wl_fail(WL_BAD_INPUT, "%s:%zu: %s", path, partition->line, wl_error());
    if (read->settings.free_frequencies && !s->request->model)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: +FO without numbers is estimated; expected --optimize model or all", path,
                       partition->line);
    WL_TRY(peeling_partition_cut(alignment, partition, &cut));
    status = peeling_likelihood_make(read, &cut, newick, &s->parts[p]);
    wl_alignment_free(&cut);
    if (status == WL_OK) return WL_OK;
    return wl_fail(status == WL_BAD_USAGE ? WL_BAD_INPUT : status, "partition %s (%s:%zu): %s", partition->name, path,
                   partition->line, wl_error());
}

static wl_status read_partitions(peeling_search *s) {
    const peeling_likelihood_request *read = s->request->read;
    wl_alignment alignment;
    wl_newick newick;
    WL_TRY(wl_alignment_read(read->alignment, read->format, &alignment));
    wl_status status = wl_newick_read_number(read->tree, read->tree_number, &newick);
    if (status == WL_OK) {
        peeling_likelihood_fill_lengths(read, &newick);
        status = peeling_partitions_read(s->request->partitions, alignment.columns, &s->partitions);
        if (status == WL_OK) status = allocate(s, s->partitions.count);
        for (size_t p = 0; p < s->count && status == WL_OK; p++) status = read_part(s, p, &alignment, &newick);
        wl_newick_free(&newick);
    }
    wl_alignment_free(&alignment);
    return status;
}

const char *peeling_search_name(const peeling_search *s, size_t p) {
    return s->partitions.count > 0 ? s->partitions.items[p].name : "all";
}

static double length_of(const peeling_tree *tree) {
    double sum = 0;
    for (uint32_t v = 0; v + 1 < tree->nodes; v++) sum += tree->length[v];
    return sum;
}

/* Lengths of a partition whose file says how long its tree is in all. */
static wl_status scale_part(peeling_search *s, size_t p) {
    peeling_likelihood *l = &s->parts[p];
    const double length = s->partitions.items[p].length, of_tree = length_of(&l->tree);
    if (isnan(length)) return WL_OK;
    if (!(length > 0) || isinf(length) || !(of_tree > 0))
        return wl_fail(WL_BAD_INPUT,
                       "%s:%zu: partition %s: found the tree length %g, of a tree of length %g; expected both above 0",
                       s->request->partitions, s->partitions.items[p].line, peeling_search_name(s, p), length, of_tree);
    s->scale[p] = length / of_tree;
    for (uint32_t v = 0; v + 1 < l->tree.nodes; v++) l->edges[v].length = l->tree.length[v] *= s->scale[p];
    return WL_OK;
}

/* --- Output ------------------------------------------------------------------------------------------------------ */

/* With --partitions columns are numbered as in the alignment; of codons, their first letters. */
void peeling_search_write_sites(FILE *stream, const peeling_search *s) {
    fputs("column\tlog_likelihood\n", stream);
    for (size_t p = 0; p < s->count; p++) {
        const peeling_likelihood *l = &s->parts[p];
        const size_t width = l->columns.alphabet == PEELING_CODONS ? 3 : 1;
        const size_t *column = s->partitions.count > 0 ? s->partitions.items[p].column : NULL;
        for (uint32_t c = 0; c < l->columns.columns; c++)
            fprintf(stream, "%zu\t%.17g\n", (column ? column[width * c] : c) + 1, l->site[l->columns.pattern_of[c]]);
    }
}

/* Lengths of the tree, of which each part's are a multiple. */
void peeling_search_write_tree(FILE *stream, const peeling_search *s) {
    peeling_tree *tree = &s->parts[0].tree;
    for (uint32_t v = 0; v < tree->nodes; v++) tree->length[v] /= s->scale[0];
    peeling_tree_write(stream, tree, (const char *const *)s->parts[0].names);
    for (uint32_t v = 0; v < tree->nodes; v++) tree->length[v] *= s->scale[0];
}

/* "1-100, 200-300\3", whatever the file said: other programs know neither '.' nor a charset that is no partition. */
static void write_ranges(FILE *stream, const peeling_search *s, size_t p, const char *between) {
    if (s->partitions.count == 0) {
        const peeling_columns *columns = &s->parts[p].columns;
        fprintf(stream, "1-%zu", (columns->alphabet == PEELING_CODONS ? 3 : 1) * (size_t)columns->columns);
        return;
    }
    const peeling_partition *of = &s->partitions.items[p];
    for (size_t first = 0, last; first < of->columns; first = last + 1) {
        const size_t *column = of->column + first, left = of->columns - first;
        const size_t step = left > 1 && column[1] > column[0] ? column[1] - column[0] : 1;
        size_t count = 1;
        while (count < left && column[count] == column[count - 1] + step) count++;
        if (count == 2 && step > 1) count = 1;
        last = first + count - 1;
        fprintf(stream, "%s%zu", first > 0 ? between : "", column[0] + 1);
        if (count > 1) fprintf(stream, "-%zu", column[count - 1] + 1);
        if (count > 1 && step > 1) fprintf(stream, "\\%zu", step);
    }
}

void peeling_search_write_models(FILE *stream, const peeling_search *s, peeling_line_style style) {
    const int nexus = style == PEELING_LINE_IQTREE;
    char model[PEELING_LINE];
    if (nexus) fputs("#NEXUS\nbegin sets;\n", stream);
    for (size_t p = 0; p < s->count && nexus; p++) {
        fprintf(stream, "  charset %s = ", peeling_search_name(s, p));
        write_ranges(stream, s, p, " ");
        fputs(";\n", stream);
    }
    if (nexus) fputs("  charpartition optimised =\n", stream);
    for (size_t p = 0; p < s->count; p++) {
        peeling_model_line(&s->parts[p].settings, style, model, sizeof model);
        if (nexus) {
            fprintf(stream, "    %s: %s{%.17g}%s\n", model, peeling_search_name(s, p), length_of(&s->parts[p].tree),
                    p + 1 < s->count ? "," : ";");
            continue;
        }
        fprintf(stream, "%s, %s = ", model, peeling_search_name(s, p));
        write_ranges(stream, s, p, ", ");
        putc('\n', stream);
    }
    if (nexus) fputs("end;\n", stream);
}

static wl_status optimize(peeling_search *s) {
    const peeling_search_request *asked = s->request;
    peeling_optimize_request request = {.branches = asked->branches, .model = asked->model, .scaled = asked->scaled};
    wl_device_list list;
    WL_TRY(wl_devices_of_tool("cpu", &list));
    request.cpu = list.items[0];
    if (s->request->read->devices[0].backend == WL_CPU) request.cpu = s->request->read->devices[0];
    request.progress = s->request->progress;
    peeling_likelihood **parts = malloc(s->count * sizeof *parts);
    if (parts == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu partitions", s->count);
    for (size_t p = 0; p < s->count; p++) parts[p] = &s->parts[p];
    s->found.scale = s->scale;
    const wl_status status = peeling_optimize(&request, parts, s->count, &s->found);
    free(parts);
    return status;
}

wl_status peeling_search_run(const peeling_search_request *request, peeling_search *s) {
    *s = (peeling_search){.request = request};
    const peeling_search_request *asked = s->request;
    const double reading = wl_timings_now();
    if (asked->partitions) {
        WL_TRY(read_partitions(s));
    } else {
        WL_TRY(allocate(s, 1));
        WL_TRY(peeling_likelihood_read(&s->reads[0], &s->parts[0]));
    }
    for (size_t p = 0; p < s->count && asked->scaled && !asked->branches; p++) WL_TRY(scale_part(s, p));
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
