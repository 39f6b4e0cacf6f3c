/* The log-likelihood of a tree, from files: what `warpladder likelihood` calls. */
#pragma once

#include <stdarg.h>

#include "tools/likelihood/data/columns.h"
#include "peeling/tree.h"
#include "tools/likelihood/evaluate.h"

typedef struct {
    const char *tree, *alignment; // paths; one of them may be "-", standard input
    size_t tree_number;           // from 1; 0: the file's only one
    wl_alignment_format format;
    peeling_settings settings; // frequencies that come from the data are not in it yet
    peeling_precision precision;
    const wl_device *devices; // [device_count], as of peeling_evaluator_open
    size_t device_count;
    const char *variant;  // NULL: the best
    int threads;          // that read the alignment's letters; 0: as many as there are processors
    int fills_lengths;    // a branch without a length, or with one below 0, has 0.1
    int prunes;           // tips without a row are left out
    uint64_t constant[4]; // columns of only A, C, G and T that are not in the alignment
    int drops_constant;   // with +ASC: columns that may be constant are left out, not refused
    int keeps_partials;   // parts of the tree are to be evaluated, too, as a chain does
    /* Gets what a user should know of the data and the result, each a sentence without a line end. NULL: what only notes need is
       not computed. */
    void (*note)(const char *format, va_list arguments);
} peeling_likelihood_request;

/* What was read and computed. It points into itself: not to be copied. */
typedef struct {
    peeling_columns columns;
    uint32_t *column; // [columns.columns]: from 0, which of the alignment's it is; NULL: all are there
    peeling_tree tree;
    peeling_settings settings; // complete: with frequencies
    peeling_model model;
    peeling_input input;
    peeling_edge *edges; // [nodes - 1]
    peeling_join *joins; // [tips - 1]
    char **names;        // [tips]
    double total, *site; // [input.data.patterns]: natural logarithms
    /* Of settings.variable_only: input.data has one more pattern for each state, of weight 0,
       which all tips have */
    uint16_t *code;
    double *weight;
    double seconds;      // of the evaluation
    size_t devices;      // that were used
    const char *variant; // on the first
} peeling_likelihood;

/* Reads both files and makes the model; nothing is evaluated. WL_BAD_INPUT: one line with file and line. WL_BAD_USAGE: the model
   is wrong whatever the alignment. WL_NO_MACHINE: memory is short. Free with peeling_likelihood_free in any case. */
wl_status peeling_likelihood_read(const peeling_likelihood_request *request, peeling_likelihood *made);
/* Prunes and fills lengths, as the request says. */
wl_status peeling_likelihood_prepare(const peeling_likelihood_request *request, const wl_alignment *alignment,
                                     wl_newick *newick);
/* The same of an alignment and a tree in memory, which need not stay; request->tree and request->alignment are what error lines
   call them. */
wl_status peeling_likelihood_make(const peeling_likelihood_request *request, const wl_alignment *alignment,
                                  const wl_newick *newick, peeling_likelihood *made);
/* Makes settings and model anew, by request->settings and what was read. On failure both are undefined. */
wl_status peeling_likelihood_model(const peeling_likelihood_request *request, peeling_likelihood *made);

/* Evaluates what was read, on request->devices. A codon model is evaluated once more, with its states in reverse order: a note says
   what rounding changes. Other notes: tips that contradict each other, columns that are impossible. WL_NO_MACHINE: no such variant,
   or memory is short. */
wl_status peeling_likelihood_evaluate(const peeling_likelihood_request *request, peeling_likelihood *made);
/* Of settings.variable_only, and otherwise nothing: total and sites of an evaluation of made->input become those given that no column is
   constant (Lewis 2001), sites less log(1 - P(constant)). */
void peeling_likelihood_correct(peeling_likelihood *made);
/* log(exp(a) + exp(b)). */
double peeling_log_of_sum(double a, double b);
void peeling_likelihood_free(peeling_likelihood *made);

/* To request->note, if there is one. */
void peeling_likelihood_note(const peeling_likelihood_request *request, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
