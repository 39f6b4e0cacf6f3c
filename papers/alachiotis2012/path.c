/* Simulated data: made, pruned, scored, aligned. */
#include "papers/alachiotis2012/path.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/random.h"
#include "harness/base/clock.h"
#include "papara/align/trace.h"

/* ---- reads ---- */

/* Cut reads short so that lengths from shortest to longest have the mean: shortest + (longest - shortest) u^k, u even in 0 .. 1, has the
   mean shortest + (longest - shortest) / (k + 1). What is left of a read keeps its columns. */
static void shorten(const papara_recipe *recipe, double mean, papara_simulated *data) {
    enum { STREAM = 2012 };
    wl_random random = wl_random_stream(recipe->seed, STREAM);
    double range = recipe->longest - (double)recipe->shortest, power = range / (mean - recipe->shortest) - 1;
    for (uint32_t r = 0; r < data->reads; r++) {
        size_t length = recipe->shortest + (size_t)(range * pow(wl_random_unit(&random), power) + 0.5);
        if (length < strlen(data->read[r])) data->read[r][length] = 0;
    }
}

static wl_status encode(const uint8_t *kept, alachiotis_path *path) {
    const papara_simulated *data = &path->data;
    uint64_t letters = 0;
    for (uint32_t r = 0; r < data->reads; r++) letters += strlen(data->read[r]);
    size_t starts = sizeof(uint64_t) * data->reads, lengths = sizeof(uint32_t) * data->reads;
    char *memory = malloc(starts + 2 * lengths + letters + 1);
    if (memory == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %u reads", data->reads);
    uint64_t *start = (uint64_t *)memory, at = 0;
    uint32_t *length = (uint32_t *)(memory + starts), *which = length + data->reads;
    uint8_t *codes = (uint8_t *)(which + data->reads);
    papara_reads reads = {.length = length, .start = start, .codes = codes};
    for (uint32_t r = 0; r < data->reads; r++) {
        if (kept != NULL && kept[data->source[r]]) continue;
        size_t next = reads.count++;
        which[next] = r;
        start[next] = at;
        length[next] = (uint32_t)strlen(data->read[r]);
        if (length[next] > reads.longest) reads.longest = length[next];
        for (uint32_t j = 0; j < length[next]; j++)
            codes[at++] = (uint8_t)papara_code(PAPARA_DNA, (unsigned char)data->read[r][j]);
    }
    reads.letters = at;
    path->memory = memory;
    path->simulated = which;
    path->reads = reads;
    return WL_OK;
}

/* ---- the reference ---- */

static const char simulated[] = "simulated data";

/* A subtree is written: its closing parenthesis, and the length of the edge above. */
static void end_node(FILE *text, const wl_newick *newick, uint32_t node) {
    if (newick->first_child[node] != WL_NO_NODE) fputc(')', text);
    if (!isnan(newick->length[node])) fprintf(text, ":%.9g", newick->length[node]);
}

/* The nodes that stay, in the order of the text, so without recursion. One that is left with a single child stays, too:
   papara_tree_make removes it. */
static void write_nodes(FILE *text, const wl_newick *newick, const uint8_t *stays) {
    uint32_t last = WL_NO_NODE;
    for (uint32_t node = 0; node < newick->nodes; node++) {
        if (!stays[node]) continue;
        if (last != WL_NO_NODE && newick->parent[node] != last) {
            for (; newick->parent[last] != newick->parent[node]; last = newick->parent[last])
                end_node(text, newick, last);
            end_node(text, newick, last);
            fputc(',', text);
        }
        fputs(newick->first_child[node] == WL_NO_NODE ? newick->label[node] : "(", text);
        last = node;
    }
    for (; last != WL_NO_NODE; last = newick->parent[last]) end_node(text, newick, last);
    fputs(";\n", text);
}

/* The tree without the tips that are not kept. The caller frees it. */
static wl_status prune(const papara_simulated *data, const uint8_t *kept, char **pruned) {
    wl_newick newick;
    size_t size;
    wl_status status = wl_newick_parse(simulated, data->newick, strlen(data->newick), &newick);
    if (status != WL_OK) return status;
    uint8_t *stays = calloc(newick.nodes, 1);
    FILE *text = open_memstream(pruned, &size);
    if (stays != NULL && text != NULL) {
        for (uint32_t node = newick.nodes; node-- > 0;) { /* children before their parents */
            if (newick.first_child[node] == WL_NO_NODE)
                for (uint32_t t = 0; t < data->taxa && !stays[node]; t++)
                    stays[node] = kept[t] && strcmp(data->name[t], newick.label[node]) == 0;
            if (stays[node] && newick.parent[node] != WL_NO_NODE) stays[newick.parent[node]] = 1;
        }
        write_nodes(text, &newick, stays);
    } else {
        status = wl_fail(WL_NO_MACHINE, "not enough memory for a tree of %u nodes", newick.nodes);
    }
    if (text != NULL && fclose(text) != 0) status = wl_fail(WL_NO_MACHINE, "not enough memory for a tree");
    free(stays);
    wl_newick_free(&newick);
    return status;
}

/* From the texts to the ancestral vectors. */
static wl_status prepare(const char *newick, const uint8_t *kept, alachiotis_path *path) {
    const papara_simulated *data = &path->data;
    double begin = wl_now();
    path->row = calloc(2 * (size_t)data->taxa, sizeof *path->row);
    if (path->row == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %u rows", data->taxa);
    for (uint32_t t = 0; t < data->taxa; t++) path->taxa += kept == NULL || kept[t];
    for (uint32_t t = 0, k = 0; t < data->taxa; t++) {
        if (kept != NULL && !kept[t]) continue;
        path->row[path->taxa + k] = data->name[t];
        path->row[k++] = data->row[t];
    }
    wl_status status = wl_newick_parse(simulated, newick, strlen(newick), &path->newick);
    if (status == WL_OK)
        status = papara_tree_make(simulated, &path->newick, simulated, path->row + path->taxa, path->taxa, &path->tree);
    if (status == WL_OK)
        status = papara_ancestors_make(&path->tree, PAPARA_DNA, path->row, data->sites, 0, &path->ancestors);
    if (status == WL_OK) status = encode(kept, path);
    path->prepare_seconds = wl_now() - begin;
    return status;
}

wl_status alachiotis_path_open(const papara_recipe *recipe, double mean, const uint8_t *kept, alachiotis_path *path) {
    char *pruned = NULL;
    *path = (alachiotis_path){.taxa = 0};
    papara_recipe made = *recipe;
    if (mean > 0) made.shortest = recipe->longest; /* to be cut short */
    wl_status status = papara_simulate(&made, &path->data);
    if (status != WL_OK) return status;
    if (mean > 0) shorten(recipe, mean, &path->data);
    if (kept != NULL) status = prune(&path->data, kept, &pruned);
    if (status == WL_OK) status = prepare(pruned != NULL ? pruned : path->data.newick, kept, path);
    free(pruned);
    if (status != WL_OK) alachiotis_path_free(path);
    return status;
}

void alachiotis_path_free(alachiotis_path *path) {
    if (path->ancestors != NULL) papara_ancestors_free(path->ancestors);
    if (path->tree.edge != NULL) papara_tree_free(&path->tree);
    if (path->newick.parent != NULL) wl_newick_free(&path->newick);
    papara_simulated_free(&path->data);
    free(path->row);
    free(path->memory);
    *path = (alachiotis_path){.taxa = 0};
}

/* ---- the two phases ---- */

papara_score_request alachiotis_path_request(const alachiotis_path *path, size_t reads, const wl_device *devices,
                                             size_t device_count) {
    papara_score_request request = {.penalties = PAPARA_PENALTIES,
                                    .states = papara_states(PAPARA_DNA),
                                    .reads = path->reads,
                                    .vectors = path->tree.edges,
                                    .sites = path->data.sites,
                                    .fill = papara_ancestors_fill,
                                    .context = path->ancestors,
                                    .devices = devices,
                                    .device_count = device_count};
    papara_sets(PAPARA_DNA, request.sets);
    request.reads.count = reads;
    request.reads.letters = request.reads.longest = 0;
    for (size_t r = 0; r < reads; r++) {
        request.reads.letters += path->reads.length[r];
        if (path->reads.length[r] > request.reads.longest) request.reads.longest = path->reads.length[r];
    }
    return request;
}

static wl_status align_one(const papara_score_request *request, size_t read, const papara_best *best, uint32_t *site,
                           int32_t *column) {
    const papara_reads *reads = &request->reads;
    papara_input input = {.penalties = request->penalties,
                          .states = request->states,
                          .reads = *reads,
                          .vectors = 1,
                          .sites = request->sites,
                          .site = site};
    const uint8_t *codes = reads->codes + reads->start[read];
    int score;
    memcpy(input.sets, request->sets, sizeof input.sets);
    request->fill(request->context, best->vector, 1, site);
    wl_status status = papara_trace(&input, site, codes, reads->length[read], column, &score);
    if (status != WL_OK) return status;
    int64_t cost = papara_alignment_cost(&input, site, codes, reads->length[read], column);
    if (score == best->score && cost == score) return WL_OK;
    return wl_fail(WL_CHECK_FAILED, "read %zu on vector %u: scored %d, traced %d, an alignment that costs %lld", read,
                   best->vector, best->score, score, (long long)cost);
}

wl_status alachiotis_path_align(const papara_score_request *request, const papara_best *best, int32_t **column) {
    wl_status status = WL_OK;
    char error[300] = "";
#pragma omp parallel
    {
        uint32_t *site = malloc(sizeof *site * request->sites);
        int32_t *own = malloc(sizeof *own * (request->reads.longest + (size_t)1));
#pragma omp for schedule(dynamic)
        for (size_t r = 0; r < request->reads.count; r++) {
            wl_status aligned = site == NULL || own == NULL
                                    ? wl_fail(WL_NO_MACHINE, "not enough memory for an alignment")
                                    : align_one(request, r, &best[r], site, column == NULL ? own : column[r]);
            if (aligned == WL_OK) continue;
#pragma omp critical(alachiotis_align)
            {
                status = aligned;
                snprintf(error, sizeof error, "%s", wl_error()); /* each thread has its own */
            }
        }
        free(site);
        free(own);
    }
    return status == WL_OK ? WL_OK : wl_fail(status, "%s", error);
}
