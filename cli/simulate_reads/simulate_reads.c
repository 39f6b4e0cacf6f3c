/* warpladder simulate-reads: a tree, an alignment and reads whose places are known, to test align-reads and other programs. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "harness/base/text.h"
#include "papara/problem.h"
#include "tools/simulate_reads/simulate.h"

static const wl_option options[] = {
    {"taxa", "N", "100", "taxa of the tree, at least 3"},
    {"sites", "N", "1500", "columns of the alignment, gaps included"},
    {"reads", "N", "2000", "reads"},
    {"length", "N[-M]", "100", "letters per read, or from N to M, with every length equally likely"},
    {"depth", "X", "0.15", "expected substitutions per site from the root to each tip"},
    {"indels", "X", "0.02", "insertions and deletions per substitution"},
    {"error", "X", "0.01", "probability that a letter of a read is wrong"},
    {"indel-error", "X", "0.001", "probability per letter that a read loses or gains one"},
    {"protein", NULL, NULL, "amino acids, not nucleotides"},
    {NULL, NULL, NULL, NULL},
};

/* --- The line ---------------------------------------------------------------------------------------------------- */

static wl_status integer(const wl_args *args, const char *name, int64_t low, int64_t high, uint32_t *number) {
    int64_t value = 0;
    wl_status status = wl_argument_integer(&args->own, name, low, high, &value);
    *number = (uint32_t)value;
    return status;
}

/* One length, or two with a hyphen. */
static wl_status lengths(const wl_args *args, uint32_t sites, uint32_t *shortest, uint32_t *longest) {
    const char *text = wl_argument(&args->own, "length"), *at = text;
    const uint32_t most = sites < PAPARA_READ_MOST ? sites : PAPARA_READ_MOST;
    unsigned long long found[2] = {0, 0};
    int count = 0;
    while (count < 2 && *at >= '0' && *at <= '9') {
        char *end;
        found[count++] = strtoull(at, &end, 10);
        at = end;
        if (count == 2 || *at != '-') break;
        at++;
    }
    if (count == 1) found[1] = found[0];
    if (*at || count == 0 || at[-1] == '-' || found[0] < 1 || found[0] > found[1] || found[1] > most)
        return wl_fail(WL_BAD_USAGE,
                       "option --length: found '%.40s'; expected a length from 1 to %u, or two, such as 29-483%s", text,
                       most, most == sites ? "; a read is no longer than the alignment" : "");
    *shortest = (uint32_t)found[0];
    *longest = (uint32_t)found[1];
    return WL_OK;
}

static wl_status recipe_of(const wl_args *args, papara_recipe *r) {
    *r = (papara_recipe){.alphabet = wl_argument_given(&args->own, "protein") ? PAPARA_PROTEIN : PAPARA_DNA,
                         .seed = args->seed};
    WL_TRY(integer(args, "taxa", 3, INT32_MAX / 2, &r->taxa));
    WL_TRY(integer(args, "sites", 1, PAPARA_SITES_MOST, &r->sites));
    WL_TRY(integer(args, "reads", 0, INT32_MAX, &r->reads));
    WL_TRY(lengths(args, r->sites, &r->shortest, &r->longest));
    WL_TRY(wl_argument_number(&args->own, "depth", 0, 100, &r->depth));
    WL_TRY(wl_argument_number(&args->own, "indels", 0, 100, &r->indels));
    WL_TRY(wl_argument_number(&args->own, "error", 0, 1, &r->error));
    WL_TRY(wl_argument_number(&args->own, "indel-error", 0, 1, &r->indel_error));
    if (args->out != NULL) return WL_OK;
    return wl_fail(WL_BAD_USAGE, "option --out: is missing; expected the folder to write to, as in --out data");
}

static wl_status simulate_reads(const wl_args *args) {
    papara_recipe recipe;
    WL_TRY(recipe_of(args, &recipe));
    WL_TRY(papara_simulate_into(&recipe, args->out));
    if (!args->quiet)
        wl_print(stderr, "warpladder simulate-reads: %s: %u taxa, %u sites, %u reads, seed %llu\n", args->out,
                 recipe.taxa, recipe.sites, recipe.reads, (unsigned long long)recipe.seed);
    return WL_OK;
}

static const wl_command command_simulate_reads = {
    .name = "simulate-reads",
    .brief = "make a tree, an alignment and reads whose places are known",
    .summary =
        "Evolve sequences with insertions and deletions down a random tree, cut reads from them, and write "
        "DIR/tree.nwk, DIR/reference.fasta (aligned), DIR/reads.fasta and DIR/truth.tsv: for each read the taxon that "
        "it is from, and the columns of its letters, counted from 1: '31-80,84-120,+1,121-133', where +1 is a letter "
        "that an error added. The same seed gives the same data.",
    .example = "warpladder simulate-reads --taxa 100 --sites 1500 --reads 2000 --length 80-120 --seed 1 --out data\n"
               "  warpladder align-reads --tree data/tree.nwk --reference data/reference.fasta --reads "
               "data/reads.fasta -o data/out.fasta",
    .options = options,
    .common = WL_TAKES_SEED | WL_TAKES_OUT | WL_TAKES_QUIET,
    .run = simulate_reads,
};

WL_REGISTER_COMMAND(command_simulate_reads)
