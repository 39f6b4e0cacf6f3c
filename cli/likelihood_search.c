/* warpladder likelihood --optimize, --partitions: the likelihood of several parts of an alignment, and its maximum. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/likelihood.h"
#include "cli/tell.h"
#include "harness/base/clock.h"
#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/base/outfile.h"
#include "peeling/likelihood/options.h"
#include "peeling/likelihood/partitions.h"
#include "peeling/optimize/optimize.h"

/* The alignment's parts; without --partitions one. */
typedef struct {
    const likelihood_request *request;
    const wl_line *line;
    size_t count;
    peeling_partitions partitions; // of no items without --partitions
    peeling_likelihood_request *reads;
    peeling_empirical *own; // a model's numbers from its file
    peeling_likelihood *parts;
    double *scale;
    peeling_optimized found;
    double total;
} search;

static void free_search(search *s) {
    for (size_t p = 0; p < s->count && s->parts; p++) peeling_likelihood_free(&s->parts[p]);
    peeling_partitions_free(&s->partitions);
    WL_FREE(s->reads, s->own, s->parts, s->scale);
}

/* --- Reading ----------------------------------------------------------------------------------------------------- */

static wl_status allocate(search *s, size_t count) {
    if (!WL_ALLOCATE(WL_ZEROS(s->reads, count), WL_ZEROS(s->own, count), WL_ZEROS(s->parts, count),
                     WL_ARRAY(s->scale, count)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu partitions", count);
    s->count = count;
    for (size_t p = 0; p < count; p++) {
        s->reads[p] = s->request->read;
        s->scale[p] = 1;
    }
    return WL_OK;
}

static wl_status read_part(search *s, size_t p, const wl_alignment *alignment, const wl_newick *newick) {
    const peeling_partition *partition = &s->partitions.items[p];
    const char *path = s->request->search.partitions;
    peeling_likelihood_request *read = &s->reads[p];
    wl_alignment cut;
    wl_status status = peeling_model_parse_file(partition->model, &s->own[p], &read->settings);
    if (status != WL_OK) return wl_fail(WL_BAD_INPUT, "%s:%zu: %s", path, partition->line, wl_error());
    if (read->settings.free_frequencies && !s->request->search.model)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: +FO without numbers is estimated; expected --optimize model or all", path,
                       partition->line);
    WL_TRY(peeling_partition_cut(alignment, partition, &cut));
    status = peeling_likelihood_make(read, &cut, newick, &s->parts[p]);
    wl_alignment_free(&cut);
    if (status == WL_OK) return WL_OK;
    return wl_fail(status == WL_BAD_USAGE ? WL_BAD_INPUT : status, "partition %s (%s:%zu): %s", partition->name, path,
                   partition->line, wl_error());
}

static wl_status read_partitions(search *s) {
    const peeling_likelihood_request *read = &s->request->read;
    wl_alignment alignment;
    wl_newick newick;
    WL_TRY(wl_alignment_read(read->alignment, read->format, &alignment));
    wl_status status = wl_newick_read_number(read->tree, read->tree_number, &newick);
    if (status == WL_OK) {
        peeling_likelihood_fill_lengths(read, &newick);
        status = peeling_partitions_read(s->request->search.partitions, alignment.columns, &s->partitions);
        if (status == WL_OK) status = allocate(s, s->partitions.count);
        for (size_t p = 0; p < s->count && status == WL_OK; p++) status = read_part(s, p, &alignment, &newick);
        wl_newick_free(&newick);
    }
    wl_alignment_free(&alignment);
    return status;
}

static const char *part_name(const search *s, size_t p) {
    return s->partitions.count > 0 ? s->partitions.items[p].name : "all";
}

static double length_of(const peeling_tree *tree) {
    double sum = 0;
    for (uint32_t v = 0; v + 1 < tree->nodes; v++) sum += tree->length[v];
    return sum;
}

/* Lengths of a partition whose file says how long its tree is in all. */
static wl_status scale_part(search *s, size_t p) {
    peeling_likelihood *l = &s->parts[p];
    const double length = s->partitions.items[p].length, of_tree = length_of(&l->tree);
    if (isnan(length)) return WL_OK;
    if (!(length > 0) || isinf(length) || !(of_tree > 0))
        return wl_fail(WL_BAD_INPUT,
                       "%s:%zu: partition %s: found the tree length %g, of a tree of length %g; expected both above 0",
                       s->request->search.partitions, s->partitions.items[p].line, part_name(s, p), length, of_tree);
    s->scale[p] = length / of_tree;
    for (uint32_t v = 0; v + 1 < l->tree.nodes; v++) l->edges[v].length = l->tree.length[v] *= s->scale[p];
    return WL_OK;
}

/* --- Output ------------------------------------------------------------------------------------------------------ */

/* With --partitions columns are numbered as in the alignment; of codons, their first letters. */
static void write_sites(FILE *stream, const search *s) {
    if (s->partitions.count == 0) {
        likelihood_write_sites(stream, &s->parts[0]);
        return;
    }
    fputs("column\tlog_likelihood\n", stream);
    for (size_t p = 0; p < s->count; p++) {
        const peeling_likelihood *l = &s->parts[p];
        const size_t width = l->columns.alphabet == PEELING_CODONS ? 3 : 1;
        for (uint32_t c = 0; c < l->columns.columns; c++)
            fprintf(stream, "%zu\t%.17g\n", s->partitions.items[p].column[width * c] + 1,
                    l->site[l->columns.pattern_of[c]]);
    }
}

/* Lengths of the tree, of which each part's are a multiple. */
static void write_tree(FILE *stream, const search *s) {
    peeling_tree *tree = &s->parts[0].tree;
    for (uint32_t v = 0; v < tree->nodes; v++) tree->length[v] /= s->scale[0];
    peeling_tree_write(stream, tree, (const char *const *)s->parts[0].names);
    for (uint32_t v = 0; v < tree->nodes; v++) tree->length[v] *= s->scale[0];
}

static const char *part_ranges(const search *s, size_t p, char text[32]) {
    const peeling_columns *columns = &s->parts[p].columns;
    if (s->partitions.count > 0) return s->partitions.items[p].ranges;
    snprintf(text, 32, "1-%u", columns->alphabet == PEELING_CODONS ? 3 * columns->columns : columns->columns);
    return text;
}

static int ends_with(const char *text, const char *end) {
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

/* IQ-TREE's where the name ends as NEXUS files' do, else RAxML-NG's. */
static void write_models(FILE *stream, const search *s) {
    const char *path = s->request->search.best_model;
    const int nexus = ends_with(path, ".nex") || ends_with(path, ".nexus");
    char model[PEELING_LINE], ranges[32];
    if (nexus) fputs("#NEXUS\nbegin sets;\n", stream);
    for (size_t p = 0; p < s->count && nexus; p++)
        fprintf(stream, "  charset %s = %s;\n", part_name(s, p), part_ranges(s, p, ranges));
    if (nexus) fputs("  charpartition optimised =\n", stream);
    for (size_t p = 0; p < s->count; p++) {
        peeling_model_line(&s->parts[p].settings, nexus ? PEELING_LINE_IQTREE : PEELING_LINE_RAXML, model,
                           sizeof model);
        if (nexus)
            fprintf(stream, "    %s: %s{%.17g}%s\n", model, part_name(s, p), length_of(&s->parts[p].tree),
                    p + 1 < s->count ? "," : ";");
        else
            fprintf(stream, "%s, %s = %s\n", model, part_name(s, p), part_ranges(s, p, ranges));
    }
    if (nexus) fputs("end;\n", stream);
}

/* JSON has no number for infinities. */
static void put_log(const char *before, double number) {
    fputs(before, stdout);
    if (isinf(number))
        fputs("null", stdout);
    else
        printf("%.17g", number);
}

static void print(const search *s, double seconds) {
    char model[PEELING_LINE];
    if (!s->line->json) {
        printf("%.10f\n", s->total);
        return;
    }
    put_log("{\"log_likelihood\": ", s->total);
    fputs(", \"partitions\": [", stdout);
    for (size_t p = 0; p < s->count; p++) {
        const peeling_likelihood *l = &s->parts[p];
        wl_put_text(stdout, p == 0 ? "{\"name\": " : ", {\"name\": ", part_name(s, p));
        put_log(", \"log_likelihood\": ", l->total);
        wl_put_text(stdout,
                    ", \"model\": ", peeling_model_line(&l->settings, PEELING_LINE_IQTREE, model, sizeof model));
        put_log(", \"length_scale\": ", s->scale[p]);
        printf(", \"taxa\": %u, \"columns\": %u, \"patterns\": %u}", l->columns.tips, l->columns.columns,
               l->columns.data.patterns);
    }
    fputs("]", stdout);
    if (s->request->search.branches || s->request->search.model)
        printf(", \"rounds\": %u, \"evaluations\": %lu", s->found.rounds, s->found.evaluations);
    wl_put_text(stdout, ", \"precision\": ", likelihood_precision_name(s->request));
    wl_put_text(stdout, ", \"device\": ", s->request->read.devices[0].name);
    wl_put_text(stdout, ", \"variant\": ", s->parts[0].variant);
    wl_put_number(stdout, ", \"seconds\": ", seconds, "null");
    fputs("}\n", stdout);
}

/* Simulated time is not told. */
static void summarise(const search *s, double seconds) {
    const likelihood_search *asked = &s->request->search;
    char model[PEELING_LINE];
    uint64_t columns = 0;
    for (size_t p = 0; p < s->count; p++) {
        const peeling_likelihood *l = &s->parts[p];
        columns += l->columns.columns;
        fprintf(stderr, "warpladder likelihood: %s%s%s", s->partitions.count > 0 ? part_name(s, p) : "",
                s->partitions.count > 0 ? ": " : "",
                peeling_model_line(&l->settings, PEELING_LINE_IQTREE, model, sizeof model));
        if (s->partitions.count > 0) fprintf(stderr, ", %.6f", l->total);
        if (asked->scaled) fprintf(stderr, ", lengths times %.6g", s->scale[p]);
        fputc('\n', stderr);
    }
    fprintf(stderr, "warpladder likelihood: ");
    if (asked->branches || asked->model) fprintf(stderr, "%u round%s; ", s->found.rounds, wl_plural(s->found.rounds));
    fprintf(stderr, "%u taxa, %llu columns, %s precision, on %s (%s)", s->parts[0].columns.tips,
            (unsigned long long)columns, likelihood_precision_name(s->request), s->request->read.devices[0].name,
            s->parts[0].variant);
    if (s->request->read.devices[0].backend != WL_SIM) fprintf(stderr, "; %.2f s in all", seconds);
    fputc('\n', stderr);
}

static void show_round(unsigned round, double log) {
    fprintf(stderr, "\rround %u, log-likelihood %.4f\033[K", round, log);
}

/* --- All of it --------------------------------------------------------------------------------------------------- */

static wl_status optimize(search *s) {
    const likelihood_search *asked = &s->request->search;
    peeling_optimize_request request = {.branches = asked->branches, .model = asked->model, .scaled = asked->scaled};
    wl_device_list list;
    WL_TRY(wl_devices_of_tool("cpu", &list));
    request.cpu = list.items[0];
    if (s->request->read.devices[0].backend == WL_CPU) request.cpu = s->request->read.devices[0];
    if (wl_shows_progress(s->line)) request.progress = show_round;
    peeling_likelihood **parts = malloc(s->count * sizeof *parts);
    if (parts == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu partitions", s->count);
    for (size_t p = 0; p < s->count; p++) parts[p] = &s->parts[p];
    s->found.scale = s->scale;
    const wl_status status = peeling_optimize(&request, parts, s->count, &s->found);
    if (request.progress) fputs("\r\033[K", stderr);
    free(parts);
    return status;
}

static wl_status compute(search *s) {
    const likelihood_search *asked = &s->request->search;
    if (asked->partitions) {
        WL_TRY(read_partitions(s));
    } else {
        WL_TRY(allocate(s, 1));
        WL_TRY(peeling_likelihood_read(&s->reads[0], &s->parts[0]));
    }
    for (size_t p = 0; p < s->count && asked->scaled && !asked->branches; p++) WL_TRY(scale_part(s, p));
    if (asked->branches || asked->model) WL_TRY(optimize(s));
    for (size_t p = 0; p < s->count; p++) {
        WL_TRY(peeling_likelihood_evaluate(&s->reads[p], &s->parts[p]));
        s->total += s->parts[p].total;
    }
    return WL_OK;
}

typedef void writer(FILE *stream, const search *s);

wl_status likelihood_search_run(const wl_line *line, const likelihood_request *request, double begun) {
    search s = {.request = request, .line = line};
    const char *const paths[] = {request->sites, request->search.best_tree, request->search.best_model};
    writer *const writers[] = {write_sites, write_tree, write_models};
    enum { FILES = sizeof paths / sizeof *paths };
    wl_outfile files[FILES] = {0};
    wl_status status = WL_OK;
    for (size_t i = 0; i < FILES && status == WL_OK; i++)
        if (paths[i]) status = wl_outfile_open(paths[i], &files[i]);
    if (status == WL_OK) status = compute(&s);
    for (size_t i = 0; i < FILES && status == WL_OK; i++)
        if (paths[i]) writers[i](files[i].stream, &s);
    for (size_t i = 0; i < FILES && status == WL_OK; i++)
        if (paths[i]) status = wl_outfile_commit(&files[i]);
    for (size_t i = 0; i < FILES; i++) wl_outfile_discard(&files[i]);
    if (status == WL_OK) {
        const double seconds = wl_now() - begun;
        if (!line->quiet) summarise(&s, seconds);
        print(&s, seconds);
    }
    free_search(&s);
    return status;
}
