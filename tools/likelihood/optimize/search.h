/* The likelihood of an alignment, or of its partitions, from files; and its maximum: what `warpladder likelihood --optimize` and
   --partitions call. */
#pragma once

#include <stdio.h>

#include "tools/likelihood/partitions.h"
#include "tools/likelihood/optimize/optimize.h"

typedef struct {
    const peeling_likelihood_request *read;
    int has_model;          // read->settings is a model: of the alignment, or of the partitions whose file names none
    const char *partitions; // a file; NULL: the alignment is one
    int branches, model;    // as in peeling_optimize_request; of neither only the likelihood
    int scaled;             // the same; -1: as the partitions' file says
    int all_trees;          // of the file, one after the other
    int device_is_chosen;   // read->devices are to search in any case; else the CPU searches in a small alignment
    void (*progress)(unsigned round, double log);
} peeling_search_request;

/* The alignment's parts; without partitions one. */
typedef struct {
    const peeling_search_request *request;
    size_t tree, trees; // which of them this is, from 1
    size_t count;
    int scaled;
    const peeling_partitions *partitions; // of no items without partitions
    peeling_likelihood_request *reads;
    peeling_empirical *own;    // a model's numbers from its file
    peeling_likelihood *parts; // [count], evaluated
    double *scale;             // [count], of each one's lengths over the tree's
    peeling_optimized found;
    double total;
} peeling_search;

/* Reads, and for each tree optimises, evaluates, and calls `take`, whose error ends it. Errors are those of peeling_likelihood_make,
   peeling_partitions_read and peeling_optimize. */
typedef wl_status (*peeling_search_taker)(void *context, peeling_search *search);
wl_status peeling_search_run(const peeling_search_request *request, peeling_search_taker take, void *context);

/* "all" where there are no partitions. */
const char *peeling_search_name(const peeling_search *search, size_t part);
/* How many columns there are, with those of request->constant, and how many numbers were estimated: of models, which counted frequencies
   are, too, of lengths and of partitions' factors. */
uint64_t peeling_search_columns(const peeling_search *search);
unsigned peeling_search_free_numbers(const peeling_search *search);

/* search_files.c. "column <tab> log_likelihood"; columns are numbered as in the alignment, and request->constant's after them; of codons,
   their first letters. With all_trees a line for each tree, as TREE-PUZZLE has it and CONSEL reads it. */
void peeling_search_write_sites(FILE *stream, const peeling_search *search);
/* Newick: lengths of the tree, of which each part's are a multiple. */
void peeling_search_write_tree(FILE *stream, const peeling_search *search);
/* A partition file: NEXUS as IQ-TREE has it, or RAxML-NG's lines. What it does not say in words of theirs, such as medians of a gamma
   distribution, is said in numbers. */
void peeling_search_write_models(FILE *stream, const peeling_search *search, peeling_line_style style);
