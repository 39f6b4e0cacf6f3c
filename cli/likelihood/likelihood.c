/* warpladder likelihood: the log-likelihood of a tree, or with --chain a posterior. */
#include "cli/likelihood/likelihood.h"

#include <signal.h>

#include "cli/commands.h"
#include "cli/message.h"
#include "harness/base/clock.h"
#include "harness/base/timings.h"
#include "tools/likelihood/chain/stop.h"

static void note(const char *format, va_list arguments) { wl_note_list("likelihood", format, arguments); }

/* --- A chain ----------------------------------------------------------------------------------------------------- */

static void say_moves(const peeling_sample *sample) {
    const peeling_chain_now *now = &sample->now;
    fprintf(stderr,
            "warpladder likelihood: %llu step%s in %.3g s (%s, %zu device%s); accepted:", (unsigned long long)now->step,
            wl_plural(now->step), sample->seconds, sample->variant, sample->devices, wl_plural(sample->devices));
    for (int m = 0; m < PEELING_MOVES; m++)
        if (now->proposed[m] > 0)
            fprintf(stderr, " %s %.2f", peeling_move_names[m], (double)now->accepted[m] / (double)now->proposed[m]);
    putc('\n', stderr);
}

static void print_sample(const peeling_settings *settings, const peeling_sample *sample, int json) {
    fputs(json ? "{" : "quantity\tmean\tsd\n", stdout);
    for (int q = 0, shown = 0; q < PEELING_SAMPLED; q++) {
        if (!peeling_is_sampled(settings, q)) continue;
        const char *format = json ? "%s\"%s\": {\"mean\": %.10g, \"sd\": %.6g}" : "%s%s\t%.10g\t%.6g\n";
        printf(format, json && shown++ ? ", " : "", peeling_sampled_name(q), sample->mean[q], sample->sd[q]);
    }
    if (json) fputs("}\n", stdout);
}

static void show_progress(uint64_t step, uint64_t steps, double log_likelihood) {
    fprintf(stderr, "\rstep %llu of %llu, log-likelihood %.2f\033[K", (unsigned long long)step,
            (unsigned long long)steps, log_likelihood);
}

static wl_status sample_chain(const wl_args *args, const likelihood_request *request, const peeling_likelihood *start) {
    peeling_sample sample;
    if (request->chain.trace) peeling_stop_wait();
    const wl_status status = peeling_sample_chain(&request->read, start, &request->chain, &sample);
    if (request->chain.trace) peeling_stop_end();
    if (request->chain.progress) fputs("\r\033[K", stderr);
    if (status != WL_OK) return status;
    if (peeling_stopped) raise(peeling_stopped);
    if (!args->quiet) say_moves(&sample);
    print_sample(&start->settings, &sample, args->json);
    return WL_OK;
}

/* --- The command ------------------------------------------------------------------------------------------------- */

static wl_status likelihood(const wl_args *args) {
    const double begun = wl_now();
    likelihood_request request;
    static peeling_likelihood l; // too large for a small stack
    WL_TRY(likelihood_read_options(args, &request));
    request.read.note = args->quiet ? NULL : note;
    request.chain.stopped = &peeling_stopped;
    request.chain.progress = wl_shows_progress(args) ? show_progress : NULL;
    if (request.chain.steps == 0) return likelihood_search_run(args, &request, begun);
    const double reading = wl_timings_now();
    wl_status status = peeling_likelihood_read(&request.read, &l);
    wl_timings_since(WL_PHASE_READ, reading, 0);
    if (status == WL_OK) status = sample_chain(args, &request, &l);
    peeling_likelihood_free(&l);
    return status;
}

static const wl_command command_likelihood = {
    .name = "likelihood",
    .brief = "the log-likelihood of a tree, given an alignment and a model",
    .summary =
        "Print the natural logarithm of the probability of an alignment, given a tree with branch lengths and a "
        "model of substitution with its parameters. --optimize finds the branch lengths or parameters with the "
        "highest probability. In double precision all devices agree to at least ten digits. The tool evaluates "
        "trees that it is given: it neither searches for trees nor chooses a model, and gives no support values "
        "(bootstrap). Models are reversible and the same in all branches, of nucleotides, amino acids or codons, "
        "with at most 64 rate classes; gaps are missing data.",
    .example = "warpladder likelihood --tree tree.nwk --alignment genes.fasta --model GY94+G4 --kappa 2.1 --omega 0.2 "
               "--alpha 0.7\n"
               "  warpladder likelihood --tree tree.nex --alignment genes.nex --model GTR+G4 --rates 1,4,1,1,4,1 "
               "--frequencies observed --site-likelihoods sites.tsv\n"
               "  warpladder likelihood --tree tree.nwk --alignment genes.fasta --model GTR+I+G4 --optimize all "
               "--best-tree best.nwk "
               "--best-model best.model",
    .options = likelihood_options,
    .common = WL_TAKES_QUIET | WL_TAKES_JSON | WL_TAKES_FILES | WL_TAKES_TIMINGS,
    .run = likelihood,
};

WL_REGISTER_COMMAND(command_likelihood)
