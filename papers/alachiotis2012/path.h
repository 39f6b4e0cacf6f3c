/* Simulated data on their way through the tool: tree, ancestral vectors, scoring, alignment. */
#pragma once

#include "tools/align_reads/tree/ancestors.h"
#include "tools/align_reads/score/score.h"
#include "tools/simulate_reads/simulate.h"
#include "tools/align_reads/tree/tree.h"

typedef struct {
    papara_simulated data;
    uint32_t taxa;    // that were kept
    const char **row; // [taxa] rows, and then their [taxa] names
    wl_newick newick;
    papara_tree tree;
    papara_ancestors *ancestors;
    papara_reads reads;     // with rows taken out, those of their taxa only
    uint32_t *simulated;    // [reads.count]: which of data's reads each is
    void *memory;           // that `reads` is a view of
    double prepare_seconds; // from the texts to the ancestral vectors
} alachiotis_path;

/* Simulates the data and prepares them for scoring. The reads have lengths recipe->shortest .. longest, with the average `mean`; 0: each
   length equally often. kept [recipe->taxa] is 0 for taxa whose rows are taken out of the alignment and the tree; then only reads cut
   from these are left. NULL: all rows and reads stay. On success free with alachiotis_path_free. */
wl_status alachiotis_path_open(const papara_recipe *recipe, double mean, const uint8_t *kept, alachiotis_path *path);
void alachiotis_path_free(alachiotis_path *path);

/* A request for the first `reads` of the reads on these devices; its `devices` is the caller's memory. */
papara_score_request alachiotis_path_request(const alachiotis_path *path, size_t reads, const wl_device *devices,
                                             size_t device_count);
