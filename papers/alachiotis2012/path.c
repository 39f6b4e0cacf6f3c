/* Simulated data: made, pruned, prepared. */
#include "papers/alachiotis2012/path.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/random.h"
#include "harness/base/clock.h"
#include "harness/base/memory.h"

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

/* From the texts to the ancestral vectors. */
static wl_status prepare(const uint8_t *kept, alachiotis_path *path) {
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
    wl_status status = wl_newick_parse(simulated, data->newick, strlen(data->newick), &path->newick);
    if (status == WL_OK && kept != NULL) {
        wl_newick whole = path->newick;
        path->newick = (wl_newick){0};
        status = papara_tree_prune(simulated, &whole, path->row + path->taxa, path->taxa, &path->newick);
        wl_newick_free(&whole);
    }
    if (status == WL_OK)
        status = papara_tree_make(simulated, &path->newick, simulated, path->row + path->taxa, path->taxa, &path->tree);
    if (status == WL_OK)
        status = papara_ancestors_make(&path->tree, PAPARA_DNA, path->row, data->sites, 0, &path->ancestors);
    if (status == WL_OK) status = encode(kept, path);
    path->prepare_seconds = wl_now() - begin;
    return status;
}

wl_status alachiotis_path_open(const papara_recipe *recipe, double mean, const uint8_t *kept, alachiotis_path *path) {
    *path = (alachiotis_path){.taxa = 0};
    papara_recipe made = *recipe;
    if (mean > 0) made.shortest = recipe->longest; // to be cut short
    WL_TRY(papara_simulate(&made, &path->data));
    if (mean > 0) shorten(recipe, mean, &path->data);
    wl_status status = prepare(kept, path);
    if (status != WL_OK) alachiotis_path_free(path);
    return status;
}

void alachiotis_path_free(alachiotis_path *path) {
    if (path->ancestors != NULL) papara_ancestors_free(path->ancestors);
    if (path->tree.edge != NULL) papara_tree_free(&path->tree);
    if (path->newick.parent != NULL) wl_newick_free(&path->newick);
    papara_simulated_free(&path->data);
    WL_FREE(path->row, path->memory);
    *path = (alachiotis_path){.taxa = 0};
}

/* ---- the scoring phase ---- */

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
