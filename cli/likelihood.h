/* warpladder likelihood, in parts: its options, what it reads, and what it says. */
#ifndef WL_CLI_LIKELIHOOD_H
#define WL_CLI_LIKELIHOOD_H

#include "cli/line.h"
#include "harness/bench/device.h"
#include "harness/base/outfile.h"
#include "peeling/data/columns.h"
#include "peeling/data/tree.h"

typedef struct {
    const char *tree, *alignment; // paths
    const char *sites;            // where site likelihoods go; NULL: nowhere
    size_t tree_number;           // from 1; 0: the file's only one
    wl_alignment_format format;
    peeling_settings settings; // frequencies that come from the data are not in it yet
    peeling_precision precision;
    wl_device_list devices; // the CPU, and then GPUs or the simulated device where they are asked for
    const char *variant;    // NULL: the best
    uint64_t steps;         // of a chain; 0: the likelihood of the tree alone
    uint64_t seed, every;   // of it; steps between two lines of its trace
    const char *trace;      // folder of chain.log and chain.trees; NULL: none
} likelihood_request;

extern const wl_option likelihood_options[];
wl_status likelihood_read_options(const wl_line *line, likelihood_request *request);

/* What was computed. */
typedef struct {
    const peeling_columns *columns;
    const peeling_settings *settings;
    peeling_precision precision;
    const wl_device *device; // the first
    size_t devices;
    const char *variant;
    double total;
    const double *site;         // [patterns]
    double evaluation, seconds; // the evaluation, and everything
} likelihood_result;

/* "column <tab> log_likelihood" of every column of the alignment, in its order; of codons every third. */
void likelihood_write_sites(FILE *stream, const likelihood_result *result);
void likelihood_print(FILE *stream, const likelihood_result *result, int json);
void likelihood_summarise(const likelihood_result *result);

/* A chain from this tree and these settings on. Prints the mean and standard deviation of what it sampled; names [tips]. */
wl_status likelihood_chain(const likelihood_request *request, const peeling_input *input, const peeling_tree *tree,
                           const char **names, int json, int quiet);

#endif
