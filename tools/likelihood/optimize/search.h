/* The likelihood of an alignment, or of its partitions, from files; and its maximum: what `warpladder likelihood --optimize` and
   --partitions call. */
#pragma once

#include <stdio.h>

#include "tools/likelihood/partitions.h"
#include "tools/likelihood/optimize/optimize.h"

typedef struct {
    const peeling_likelihood_request *read; // with partitions its settings are not looked at
    const char *partitions;                 // a file; NULL: the alignment is one
    int branches, model, scaled; // as in peeling_optimize_request; of neither branches nor model: only the likelihood
    void (*progress)(unsigned round, double log);
} peeling_search_request;

/* The alignment's parts; without partitions one. */
typedef struct {
    const peeling_search_request *request;
    size_t count;
    peeling_partitions partitions; // of no items without partitions
    peeling_likelihood_request *reads;
    peeling_empirical *own;    // a model's numbers from its file
    peeling_likelihood *parts; // [count], evaluated
    double *scale;             // [count], of each one's lengths over the tree's
    peeling_optimized found;
    double total;
} peeling_search;

/* Reads, optimises and evaluates. Errors are those of peeling_likelihood_read, peeling_partitions_read and peeling_optimize. Free with
   peeling_search_free in any case. */
wl_status peeling_search_run(const peeling_search_request *request, peeling_search *made);
void peeling_search_free(peeling_search *search);

/* "all" where there are no partitions. */
const char *peeling_search_name(const peeling_search *search, size_t part);
/* "column <tab> log_likelihood"; with partitions columns are numbered as in the alignment; of codons, their first letters. */
void peeling_search_write_sites(FILE *stream, const peeling_search *search);
/* Newick: lengths of the tree, of which each part's are a multiple. */
void peeling_search_write_tree(FILE *stream, const peeling_search *search);
/* A partition file: NEXUS as IQ-TREE has it, or RAxML-NG's lines. */
void peeling_search_write_models(FILE *stream, const peeling_search *search, peeling_line_style style);
