/* The options of the problem `papara`. */
#include "papara/options.h"

#define READS_MOST ((int64_t)1 << 26)
#define VECTORS_MOST ((int64_t)1 << 26)

const wl_option papara_options[] = {
    {"reads", "N", "1250", "random reads; with --read-lengths, the default is one read per length"},
    {"read-length", "N", "100", "letters of a read on average"},
    {"shortest", "N", NULL, "letters of the shortest read; default: nine tenths of --read-length"},
    {"longest", "N", NULL, "letters of the longest read; default: eleven tenths of --read-length"},
    {"read-lengths", "N,N,...", NULL, "letters of each read; the list repeats"},
    {"vectors", "N", "320", "random ancestral state vectors, one per edge of the tree"},
    {"sites", "N", "5000", "sites of each vector"},
    {"kind", "KIND:cut random gaps ambiguous allgap repeat", "cut",
     "random data: cut (reads from vectors related as in a tree), random (all independent), gaps (many gaps in vectors "
     "and reads), ambiguous (all sets of states equally often), allgap (CGAP on all sites), repeat (one to three "
     "letters repeated)"},
    {"protein", NULL, NULL, "20 states instead of 4"},
    {"mismatch", "N", "3", "the cost of a letter on a site without its state (M)"},
    {"insertion", "N", "3", "the cost of a letter without a site (I)"},
    {"gap-open", "N", "4", "the cost of the first site that a read skips (GP_OE)"},
    {"gap-extend", "N", "1", "the cost of each further site (GP_E)"},
    {"cgap", "N", "3", "the cost of a letter on a site with CGAP (CG); skipping such a site costs nothing"},
    {NULL, NULL, NULL, NULL},
};

wl_status papara_options_penalties(const wl_arguments *arguments, papara_penalties *penalties) {
    const struct {
        const char *name;
        int *value;
    } all[] = {
        {"mismatch", &penalties->mismatch}, {"insertion", &penalties->insertion},
        {"gap-open", &penalties->gap_open}, {"gap-extend", &penalties->gap_extend},
        {"cgap", &penalties->cgap},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int64_t value;
        WL_TRY(wl_argument_integer(arguments, all[i].name, 0, PAPARA_PENALTY_MOST, &value));
        *all[i].value = (int)value;
    }
    if (penalties->gap_open < penalties->gap_extend)
        return wl_fail(WL_BAD_USAGE, "option --gap-open: found %d; expected at least --gap-extend, which is %d",
                       penalties->gap_open, penalties->gap_extend);
    return WL_OK;
}

static wl_status too_long(const char *option, unsigned long long found, uint32_t sites) {
    return wl_fail(WL_BAD_USAGE, "option --%s: found %llu; expected no read longer than --sites, which is %u", option,
                   found, sites);
}

/* By default lengths differ from the mean by up to a tenth, as far as the sites allow. */
static wl_status read_range(const wl_arguments *arguments, papara_random_recipe *recipe) {
    int64_t mean, low, high;
    WL_TRY(wl_argument_integer(arguments, "read-length", 1, PAPARA_READ_MOST, &mean));
    if (mean > recipe->sites) return too_long("read-length", (unsigned long long)mean, recipe->sites);
    low = mean - mean / 10;
    high = mean + mean / 10;
    if (high > recipe->sites) high = recipe->sites;
    if (high > PAPARA_READ_MOST) high = PAPARA_READ_MOST;
    if (wl_argument_given(arguments, "shortest")) WL_TRY(wl_argument_integer(arguments, "shortest", 1, mean, &low));
    if (wl_argument_given(arguments, "longest"))
        WL_TRY(wl_argument_integer(arguments, "longest", mean, PAPARA_READ_MOST, &high));
    if (high > recipe->sites) return too_long("longest", (unsigned long long)high, recipe->sites);
    if ((wl_argument_given(arguments, "shortest") && low < mean && high == mean) ||
        (wl_argument_given(arguments, "longest") && high > mean && low == mean))
        return wl_fail(WL_BAD_USAGE,
                       "option --read-length: found %lld with reads of %lld to %lld; expected a mean between the two",
                       (long long)mean, (long long)low, (long long)high);
    recipe->read_length = (uint32_t)mean;
    recipe->shortest = (uint32_t)low;
    recipe->longest = (uint32_t)high;
    return WL_OK;
}

static wl_status check_exclusive(const wl_arguments *arguments) {
    static const char *const others[] = {"read-length", "shortest", "longest"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (wl_argument_given(arguments, "read-lengths") && wl_argument_given(arguments, others[i]))
            return wl_fail(WL_BAD_USAGE, "option --%s: found together with --read-lengths; expected one of the two",
                           others[i]);
    return WL_OK;
}

wl_status papara_options_recipe(const wl_arguments *arguments, uint64_t seed, uint32_t *lengths,
                                papara_random_recipe *recipe) {
    int64_t reads, vectors, sites;
    papara_random_recipe made = {.seed = seed,
                                 .alphabet = wl_argument_given(arguments, "protein") ? PAPARA_PROTEIN : PAPARA_DNA,
                                 .lengths = lengths};
    int kind;
    WL_TRY(check_exclusive(arguments));
    WL_TRY(wl_argument_choice(arguments, "kind", &kind));
    WL_TRY(papara_options_penalties(arguments, &made.penalties));
    WL_TRY(wl_argument_integer(arguments, "reads", 0, READS_MOST, &reads));
    WL_TRY(wl_argument_integer(arguments, "vectors", 0, VECTORS_MOST, &vectors));
    WL_TRY(wl_argument_integer(arguments, "sites", 1, PAPARA_SITES_MOST, &sites));
    made.kind = (papara_kind)kind;
    made.sites = (uint32_t)sites;
    made.vectors = (size_t)vectors;
    made.reads = (size_t)reads;
    if (wl_argument_given(arguments, "read-lengths")) {
        WL_TRY(wl_argument_list(arguments, "read-lengths", PAPARA_READ_MOST, PAPARA_LENGTHS_MOST, "63,64,65", lengths,
                                &made.length_count));
        for (size_t i = 0; i < made.length_count; i++)
            if (lengths[i] > made.sites) return too_long("read-lengths", lengths[i], made.sites);
        if (!wl_argument_given(arguments, "reads")) made.reads = made.length_count;
    } else {
        WL_TRY(read_range(arguments, &made));
    }
    *recipe = made;
    return WL_OK;
}
