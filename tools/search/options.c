/* The options of `warpladder search` that say how sequences are compared and what of it is reported. */
#include "tools/search/options.h"

#include <string.h>

#include "sw/options.h"

static wl_status read_scoring(const wl_arguments *own, sw_scoring *scoring) {
    static const char *const of_nucleotides[] = {"match", "mismatch", "strand"};
    const int nucleotide = wl_argument_given(own, "nucleotide");
    for (size_t i = 0; !nucleotide && i < sizeof of_nucleotides / sizeof *of_nucleotides; i++)
        WL_TRY(wl_argument_refuse_without(own, of_nucleotides[i], "nucleotide"));
    if (nucleotide && wl_argument_given(own, "matrix"))
        return wl_fail(WL_BAD_USAGE, "option --matrix: found with --nucleotide; expected --match and --mismatch");
    WL_TRY(sw_options_scoring(own, scoring));
    /* Absent letters score lowest, which is right for rare ones; a file without an amino acid is a part of one. */
    if (*scoring->missing)
        return wl_fail(WL_BAD_INPUT, "%s: found no scores for %s; expected scores for the 20 amino acids",
                       wl_argument(own, "matrix"), scoring->missing);
    return WL_OK;
}

/* Which E-values. Without published statistics there is none, so one that was asked for is a mistake. */
static wl_status read_statistics(const wl_arguments *own, const sw_scoring *scoring, sw_statistics *statistics) {
    int spouge;
    WL_TRY(wl_argument_choice(own, "statistics", &spouge));
    if (spouge && wl_argument_given(own, "nucleotide"))
        return wl_fail(WL_BAD_USAGE, "option --statistics: found spouge with --nucleotide; expected karlin, since the "
                                     "correction is published for proteins only");
    statistics->by_pair = spouge;
    if (statistics->known || (!spouge && !wl_argument_given(own, "evalue"))) return WL_OK;
    char costs[SW_COSTS_TEXT];
    return wl_fail(WL_BAD_USAGE,
                   "option --%s: no statistics are published for %s with gap costs %d, %d, so there is no E-value; "
                   "expected %s, or gap costs that have them: %s",
                   spouge ? "statistics" : "evalue", scoring->name, scoring->gap_open - scoring->gap_extend,
                   scoring->gap_extend, spouge ? "karlin" : "--min-score", sw_statistics_costs(scoring, costs));
}

/* What is reported. */
static wl_status read_thresholds(const wl_arguments *own, sw_search_request *request) {
    int64_t hits, score, alignments;
    WL_TRY(wl_argument_integer(own, "max-hits", 1, INT64_C(1) << 40, &hits));
    WL_TRY(wl_argument_integer(own, "min-score", 1, INT32_MAX, &score));
    WL_TRY(wl_argument_number(own, "evalue", 0, 1e300, &request->evalue));
    request->most_alignments = SIZE_MAX;
    if (strcmp(wl_argument(own, "max-hsps"), "all") != 0) {
        WL_TRY(wl_argument_integer(own, "max-hsps", 1, INT64_C(1) << 40, &alignments));
        request->most_alignments = (size_t)alignments;
    }
    WL_TRY(wl_argument_number(own, "min-identity", 0, 100, &request->least_identity));
    WL_TRY(wl_argument_number(own, "min-coverage", 0, 100, &request->least_coverage));
    request->most_hits = (size_t)hits;
    request->least_score = (int)score;
    return WL_OK;
}

wl_status sw_search_options(const wl_arguments *own, sw_scoring *scoring, sw_statistics *statistics,
                            sw_search_request *request) {
    static const int strands[] = {SW_PLUS | SW_MINUS, SW_PLUS, SW_MINUS};
    int place = 1;
    WL_TRY(read_scoring(own, scoring));
    *statistics = sw_statistics_of(scoring);
    if (wl_argument_given(own, "nucleotide")) WL_TRY(wl_argument_choice(own, "strand", &place));
    request->strands = strands[place];
    WL_TRY(read_thresholds(own, request));
    return read_statistics(own, scoring, statistics);
}
