/* The log-likelihood of a tree, as `warpladder likelihood --model HKY85+G4` prints it, and then the branch whose length
   would gain most if it were a tenth longer or shorter, to standard error. The tree and the alignment are laid out
   once; each trial computes only what a branch changes.

       cc likelihood.c $(pkg-config --cflags --libs warpladder) -lm -o likelihood
       ./likelihood tree.nwk alignment.fasta  */
#include "fasta.h"

static warpladder_status try_branches(warpladder_likelihood *likelihood, double at_first) {
    const size_t nodes = warpladder_likelihood_nodes(likelihood);
    double *length = malloc(nodes * sizeof *length), best = at_first, total;
    size_t which = 0;
    warpladder_status status = WARPLADDER_OK;
    must(length != NULL, "no memory");
    warpladder_likelihood_tree(likelihood, NULL, length);
    for (size_t trial = 0; trial < 2 * (nodes - 1) && status == WARPLADDER_OK; trial++) {
        const size_t node = trial / 2;
        const double before = length[node];
        length[node] *= trial % 2 ? 1.1 : 1 / 1.1;
        status = warpladder_likelihood_set_lengths(likelihood, length);
        if (status == WARPLADDER_OK) status = warpladder_likelihood_evaluate(likelihood, &total, NULL);
        if (status == WARPLADDER_OK && total > best) {
            best = total;
            which = node;
        }
        length[node] = before;
    }
    free(length);
    if (status == WARPLADDER_OK && best > at_first)
        fprintf(stderr, "likelihood: %.6f with another length above node %zu\n", best, which);
    return status;
}

int main(int argc, char **argv) {
    char *text;
    must(argc == 3, "expected a Newick file and a FASTA file");
    char *newick = read_text(argv[1]);
    fasta rows = read_fasta(argv[2], &text);
    warpladder *session;
    warpladder_likelihood *likelihood = NULL;
    warpladder_model model = WARPLADDER_MODEL;
    double total;
    model.name = "HKY85+G4";
    warpladder_status status = warpladder_open("auto", &session);
    if (status == WARPLADDER_OK)
        status = warpladder_likelihood_open(session, &model, rows.items, rows.count, newick, 0, &likelihood);
    if (status == WARPLADDER_OK) status = warpladder_likelihood_evaluate(likelihood, &total, NULL);
    if (status == WARPLADDER_OK) printf("%.10f\n", total);
    if (status == WARPLADDER_OK) status = try_branches(likelihood, total);
    if (status != WARPLADDER_OK) fprintf(stderr, "likelihood: %s\n", warpladder_error(session));
    warpladder_likelihood_close(likelihood);
    warpladder_close(session);
    free_fasta(&rows, text);
    free(newick);
    return (int)status;
}
