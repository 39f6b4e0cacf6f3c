/* The options of `warpladder likelihood`. */
#include <stdlib.h>
#include <string.h>

#include "cli/likelihood/likelihood.h"
#include "harness/base/outfile.h"
#include "harness/bench/pool.h"
#include "tools/likelihood/chain/options.h"
#include "tools/likelihood/options.h"

const wl_option likelihood_options[] = {
    {"tree", "FILE", NULL, "the tree, Newick or NEXUS: every branch with a length, tips named as the alignment's rows"},
    {"alignment", "FILE", NULL,
     "the alignment: FASTA, PHYLIP or NEXUS. Either file may be gzip; '-' is standard input"},
    {"model", "M:JC69 K80 HKY85 GTR POISSON WAG LG JTT GY94 HKY85+G4 GTR+G4 WAG+G4 LG+G4 GY94+G4", NULL,
     "nucleotides: JC69 (JC), K80 (K2P), F81, HKY85 (HKY), TN93 (TN), TNe, K81 (K3P), K81u, TPM2, TPM2u, TPM3, TPM3u, "
     "TIM, TIMe, TIM2, TIM2e, TIM3, TIM3e, TVM, TVMe, SYM, GTR; amino acids: POISSON, BLOSUM62, cpREV, Dayhoff, DCMut, "
     "FLU, HIVb, HIVw, JTT, JTT-DCMut, LG, mtART, mtMAM, mtREV, mtZOA, PMB, rtREV, VT, WAG, LG4M, LG4X, or FILE.dat in "
     "PAML's layout; codons: GY94 (M0), MG94. +G4: four rates of a gamma distribution (+G is +G4). +R4: four free "
     "rates with shares. +I: some columns never change. +ASC: the data have no constant columns. Frequencies: +F: "
     "observed, +FQ: equal, +FO: estimated (with --optimize), +F1X4, +F3X4: of codons. Numbers may stand in braces: "
     "GTR{1,4,1,1,4,1}+I{0.2}+G4{0.7}, +F{0.3,0.2,0.2,0.3}, +R2{share,rate,share,rate}"},
    {"alpha", "X", NULL, "shape of the gamma distribution (default 0.5)"},
    {"invariant", "X", NULL, "share of columns that never change, with +I (default 0.2)"},
    {"classes", "N", NULL, "number of rates, instead of the model's +GN"},
    {"median", NULL, NULL, "take the medians of the rate classes, scaled to mean 1 (default: their means)"},
    {"kappa", "X", NULL, "transitions over transversions: K80, HKY85, GY94, MG94 (default 2)"},
    {"omega", "X", NULL, "non-synonymous over synonymous: GY94, MG94 (default 0.5)"},
    {"rates", "LIST", NULL,
     "exchange rates: GTR's six, AC,AG,AT,CG,CT,GT; for TN93 and others one for each that differs. Only the ratios "
     "count (default: all equal)"},
    {"frequencies", "F:equal observed f1x4 f3x4 f61 published", NULL,
     "frequencies of states: equal, observed (in the alignment), f1x4, f3x4 or f61 (codons), published (amino acids), "
     "or numbers as in 0.3,0.2,0.2,0.3 in the order A,C,G,T; ARNDCQEGHILKMFPSTWYV; AAA, AAC, .. TTT without stop "
     "codons (default: equal for JC69, K80, K81, TPM2, TPM3, SYM and names that end in e, observed for other "
     "nucleotide models, published for amino acids, f3x4 for codons)"},
    {"code",
     "C:standard vertebrate-mitochondrial 1 2 3 4 5 6 9 10 11 12 13 14 15 16 21 22 23 24 25 26 27 28 29 30 31 32 33",
     "standard", "genetic code of codon models: standard, vertebrate-mitochondrial or NCBI's number, 1 to 33"},
    {"precision", "P:single double", "double", "single or double"},
    {"site-likelihoods", "FILE", NULL,
     "write the log-likelihood of each column to FILE, separated by tabs; of all trees, as CONSEL reads them (puzzle)"},
    {"input-format", "F:auto fasta phylip phylip-strict nexus", "auto",
     "format of the alignment: auto, fasta, phylip (relaxed), phylip-strict (names of ten characters) or nexus"},
    {"tree-number", "N:all", NULL,
     "take the Nth tree of a file with several, or all, one after the other, with a line for each"},
    {"prune", NULL, NULL, "leave out tips of the tree that the alignment lacks"},
    {"constant-sites", "A,C,G,T", NULL,
     "add so many columns of nothing but A, C, G and T, which the alignment lacks, as in 3000,2000,2100,2900"},
    {"drop-constant", NULL, NULL, "with +ASC: leave out columns that may be constant (default: refuse them)"},
    {"device", "D:auto cpu sim gpu", "auto",
     "cpu, sim (simulated), gpu, gpu:0,1 (two GPUs share the columns), or auto: the GPU if there is one, else the CPU"},
    {"variant", "V", NULL,
     "compute with this stage of the ladder, such as 08_fused or serial_O3 (default: the fastest)"},
    WL_OPTION_THREADS,
    {"optimize", "W:branches model all", NULL,
     "find the maximum of the likelihood on this tree, from its lengths on (0.1 for missing ones): estimate the "
     "branches, the numbers of the model that are not given, or all"},
    {"best-tree", "FILE", NULL, "with --optimize: write the tree with its lengths, in Newick format"},
    {"best-model", "FILE", NULL,
     "with --optimize: write each model with its numbers as a partition file for RAxML-NG, or for IQ-TREE if FILE ends "
     "with .nex"},
    {"partitions", "FILE", NULL,
     "give each part of the columns its own model. FILE has lines such as 'GTR+G4, name = 1-100, 200-300\\3', or is "
     "NEXUS with charset and charpartition. Parts without a model, such as 'DNA, name = 1-100', have that of --model"},
    {"lengths", "L:auto equal proportional", "auto",
     "with --partitions: branch lengths are equal in all partitions, or proportional, with a factor per partition, or "
     "auto: equal, unless the file has factors"},
    {"chain", "N", NULL,
     "sample trees, branch lengths and parameters in N steps of a Markov chain that starts from the given ones, and "
     "print the means; frequencies stay as they are. docs/chain.md describes the priors"},
    {"trace", "DIR", NULL, "with --chain: write DIR/chain.log for Tracer and DIR/chain.trees for TreeAnnotator"},
    {"trace-every", "N", "100", "with --trace: steps between two lines of these files"},
    {"checkpoint", "MINUTES", "5", "with --trace: minutes between two checkpoints, from which --resume continues"},
    {"resume", NULL, NULL,
     "continue the chain in the folder of --trace, if there is one; the files are the same as without an interruption. "
     "A "
     "larger N of --chain prolongs a finished chain"},
    {"overwrite", NULL, NULL, "replace existing files of --trace"},
    {"chain-number", "K", "1", "with --chain: number of this chain; each number has its own random numbers"},
    {"seed", "N", "2010", "with --chain: seed of its random numbers"},
    {NULL, NULL, NULL, NULL},
};

/* --- Files and devices ------------------------------------------------------------------------------------------- */

static wl_status read_files(const wl_arguments *own, likelihood_request *request) {
    static const char *const needed[] = {"tree", "alignment", "model"};
    const size_t count = wl_argument_given(own, "partitions") ? 2 : 3;
    peeling_likelihood_request *read = &request->read;
    read->tree = wl_argument(own, "tree");
    read->alignment = wl_argument(own, "alignment");
    request->sites = wl_argument(own, "site-likelihoods");
    for (size_t i = 0; i < count; i++)
        if (wl_argument(own, needed[i]) == NULL)
            return wl_fail(WL_BAD_USAGE, "option --%s: not given; expected --tree FILE --alignment FILE --model M",
                           needed[i]);
    if (strcmp(read->tree, "-") == 0 && strcmp(read->alignment, "-") == 0)
        return wl_fail(WL_BAD_USAGE, "options --tree, --alignment: found '-' twice; standard input can be one of them");
    int format;
    WL_TRY(wl_argument_choice(own, "input-format", &format));
    read->format = (wl_alignment_format)format;
    const char *trees = wl_argument(own, "tree-number");
    request->search.all_trees = trees && strcmp(trees, "all") == 0;
    if (trees && !request->search.all_trees) {
        int64_t number;
        WL_TRY(wl_argument_integer(own, "tree-number", 1, INT64_MAX, &number));
        read->tree_number = (size_t)number;
    }
    return peeling_likelihood_data_options(own, read);
}

static wl_status read_devices(const wl_arguments *own, likelihood_request *request) {
    wl_device_list *list = &request->devices;
    WL_TRY(wl_devices_of_tool(wl_argument(own, "device"), list));
    request->read.devices = list->items;
    request->read.device_count = list->count;
    request->read.variant = wl_argument(own, "variant");
    for (size_t d = 0; d < list->count && request->read.variant;
         d++) { // that there is none such is said before anything is read
        wl_candidates candidates;
        WL_TRY(wl_candidates_find("peeling", &list->items[d], request->read.variant, &candidates));
        free(candidates.items);
    }
    WL_TRY(wl_argument_threads(own, &request->read.threads));
    if (list->items[0].backend == WL_CPU && request->read.threads > 0)
        list->items[0].multiprocessors = request->read.threads;
    return WL_OK;
}

/* What a partition's model has in place of them. */
static const char *const of_model[] = {"alpha", "invariant", "classes",     "median", "kappa",
                                       "omega", "rates",     "frequencies", "code"};
enum { OF_MODEL = sizeof of_model / sizeof *of_model };

/* Standard output has the log-likelihood. */
static wl_status refuse_outputs(const likelihood_request *request) {
    const likelihood_search *search = &request->search;
    const struct {
        const char *option, *path;
    } outputs[] = {
        {"site-likelihoods", request->sites}, {"best-tree", search->best_tree}, {"best-model", search->best_model}};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        const char *path = outputs[i].path;
        if (path == NULL) continue;
        if (strcmp(path, "-") == 0)
            return wl_fail(WL_BAD_USAGE, "option --%s: found '-'; expected a file: standard output has the sum",
                           outputs[i].option);
        WL_TRY(wl_refuse_same_file(request->read.tree, path));
        WL_TRY(wl_refuse_same_file(request->read.alignment, path));
        if (search->partitions) WL_TRY(wl_refuse_same_file(search->partitions, path));
    }
    return WL_OK;
}

static wl_status read_search(const wl_arguments *own, likelihood_request *request) {
    likelihood_search *search = &request->search;
    int chosen = -1, scaled;
    search->partitions = wl_argument(own, "partitions");
    search->best_tree = wl_argument(own, "best-tree");
    search->best_model = wl_argument(own, "best-model");
    for (size_t i = 0; search->partitions && !wl_argument_given(own, "model") && i < OF_MODEL; i++)
        WL_TRY(wl_argument_refuse_both(own, "partitions", of_model[i]));
    if (search->all_trees) WL_TRY(wl_argument_refuse_both(own, "tree-number", "best-model"));
    if (search->all_trees && wl_argument_given(own, "chain"))
        return wl_fail(WL_BAD_USAGE,
                       "option --tree-number: found all with --chain; expected the tree that it starts from");
    WL_TRY(wl_argument_refuse_both(own, "chain", "partitions"));
    WL_TRY(wl_argument_refuse_both(own, "chain", "optimize"));
    WL_TRY(wl_argument_refuse_without(own, "best-tree", "optimize"));
    WL_TRY(wl_argument_refuse_without(own, "best-model", "optimize"));
    WL_TRY(wl_argument_refuse_without(own, "lengths", "partitions"));
    WL_TRY(wl_argument_choice(own, "lengths", &scaled));
    search->scaled = scaled - 1;
    if (wl_argument_given(own, "optimize")) WL_TRY(wl_argument_choice(own, "optimize", &chosen));
    search->branches = chosen == 0 || chosen == 2;
    search->model = chosen == 1 || chosen == 2;
    request->read.fills_lengths = search->branches;
    if (request->read.settings.free_frequencies && !search->model)
        return wl_fail(WL_BAD_USAGE,
                       "option --model: +FO without numbers is estimated; expected --optimize model or all with it");
    return refuse_outputs(request);
}

wl_status likelihood_read_options(const wl_args *args, likelihood_request *request) {
    int precision;
    *request = (likelihood_request){0};
    WL_TRY(read_files(&args->own, request));
    if (wl_argument_given(&args->own, "model"))
        WL_TRY(peeling_likelihood_model_options(&args->own, &request->read.settings));
    WL_TRY(read_search(&args->own, request));
    WL_TRY(wl_argument_choice(&args->own, "precision", &precision));
    request->read.precision = (peeling_precision)precision;
    WL_TRY(read_devices(&args->own, request));
    request->read.keeps_partials = wl_argument_given(&args->own, "chain");
    return peeling_sample_options(&args->own, &request->chain);
}
