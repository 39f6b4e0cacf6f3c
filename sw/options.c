/* The options of the problem `sw`. */
#include "sw/options.h"

#include <string.h>

#define MOST_SUBJECTS ((int64_t)1 << 31)

const wl_option sw_options[] = {
    {"db", "FILE", NULL,
     "the database: .wdb, or FASTA or FASTQ, may be gzip, '-' is standard input; default: random sequences"},
    {"query", "FILE", NULL, "the queries: FASTA or FASTQ, may be gzip; default: random sequences"},
    {"matrix", "NAME|FILE", "BLOSUM62",
     "BLOSUM45, 50, 62, 80 or 90, PAM30, 70 or 250, or a file in NCBI's format; for proteins"},
    {"gap-open", "N", NULL,
     "the cost of opening a gap: a gap of k costs gap-open + k * gap-extend, as in BLAST; default: the matrix's (11)"},
    {"gap-extend", "N", NULL, "the cost of each residue of a gap; default: the matrix's (1)"},
    {"nucleotide", NULL, NULL, "sequences are nucleotides, not proteins"},
    {"match", "N", "2", "with --nucleotide: the score of two equal bases"},
    {"mismatch", "N", "-3", "with --nucleotide: the score of two different bases"},
    {"subjects", "N", "2000", "random sequences in the database"},
    {"subject-length", "N", "0",
     "letters per subject; 0: lengths as in Swiss-Prot, lognormal with median 295 and sigma 0.63, at most 40000"},
    {"longest", "N", NULL, "with lengths as in Swiss-Prot: draw those above N again; N is 50 to 40000"},
    {"letters", "N", NULL, "with lengths as in Swiss-Prot: scale them so that the database has N letters in all"},
    {"outlier", "N", NULL, "one random subject has N letters, whatever the others have"},
    {"query-lengths", "N,N,...", "144,375,729", "lengths of the random queries"},
    {"each-query", NULL, NULL,
     "each query is a separate input with separate rows, against the same database; default: one input"},
    {"kind", "KIND:random identical related gaps repeat unknown letters", "random",
     "random sequences: random, identical (all subjects), related or gaps (subjects made of queries), repeat (one "
     "letter), unknown (all X), letters (all equally often)"},
    {NULL, NULL, NULL, NULL},
};

/* What does not go together, said before anything is read. */
wl_status sw_options_check(const wl_arguments *arguments) {
    static const struct {
        const char *given, *other;
    } exclusive[] = {
        {"db", "subjects"},
        {"db", "subject-length"},
        {"db", "longest"},
        {"db", "letters"},
        {"db", "outlier"},
        {"query", "query-lengths"},
        {"nucleotide", "matrix"},
        {"subject-length", "longest"},
        {"subject-length", "letters"},
    };
    for (size_t i = 0; i < sizeof exclusive / sizeof *exclusive; i++)
        if (wl_argument_given(arguments, exclusive[i].given) && wl_argument_given(arguments, exclusive[i].other))
            return wl_fail(WL_BAD_USAGE, "option --%s: found beside --%s; expected one or the other",
                           exclusive[i].other, exclusive[i].given);
    int db = wl_argument_given(arguments, "db"), query = wl_argument_given(arguments, "query");
    if (db && query && wl_argument_given(arguments, "kind"))
        return wl_fail(WL_BAD_USAGE, "option --kind: found beside --db and --query; expected it with random sequences");
    if (!wl_argument_given(arguments, "nucleotide"))
        for (int i = 0; i < 2; i++)
            if (wl_argument_given(arguments, i ? "mismatch" : "match"))
                return wl_fail(WL_BAD_USAGE, "option --%s: found without --nucleotide; expected it there, or --matrix",
                               i ? "mismatch" : "match");
    if (query && strcmp(wl_argument(arguments, "query"), "-") == 0) {
        if (db && strcmp(wl_argument(arguments, "db"), "-") == 0)
            return wl_fail(WL_BAD_USAGE,
                           "options --db and --query: found standard input twice; expected a file for one");
        if (wl_argument_given(arguments, "each-query"))
            return wl_fail(WL_BAD_USAGE, "option --query: found standard input beside --each-query; expected a file");
    }
    return WL_OK;
}

wl_status sw_options_scoring(const wl_arguments *arguments, sw_scoring *scoring) {
    int64_t match, mismatch;
    if (wl_argument_given(arguments, "nucleotide")) {
        WL_TRY(wl_argument_integer(arguments, "match", 1, SW_SCORE_MOST, &match));
        WL_TRY(wl_argument_integer(arguments, "mismatch", -SW_SCORE_MOST, -1, &mismatch));
        WL_TRY(sw_scoring_nucleotide((int)match, (int)mismatch, scoring));
    } else {
        WL_TRY(sw_scoring_named(wl_argument(arguments, "matrix"), scoring));
    }
    int64_t extend = scoring->gap_extend, open = scoring->gap_open - extend;
    if (wl_argument_given(arguments, "gap-open"))
        WL_TRY(wl_argument_integer(arguments, "gap-open", 0, SW_GAP_MOST, &open));
    if (wl_argument_given(arguments, "gap-extend"))
        WL_TRY(wl_argument_integer(arguments, "gap-extend", 0, SW_GAP_MOST, &extend));
    return sw_scoring_gaps((int)open, (int)extend, scoring);
}

/* "144,375" into lengths [SW_QUERIES_MOST]. */
wl_status sw_options_lengths(const wl_arguments *arguments, uint32_t *lengths, size_t *count) {
    return wl_argument_list(arguments, "query-lengths", SW_LENGTH_MOST, SW_QUERIES_MOST, "144,375", lengths, count);
}

wl_status sw_options_recipe(const wl_arguments *arguments, uint64_t seed, sw_recipe *recipe) {
    int64_t subjects, length, longest = SW_DRAWN_MOST, outlier = 0, letters = 0;
    int kind;
    WL_TRY(wl_argument_integer(arguments, "subjects", 0, MOST_SUBJECTS, &subjects));
    WL_TRY(wl_argument_integer(arguments, "subject-length", 0, SW_LENGTH_MOST, &length));
    if (wl_argument_given(arguments, "longest"))
        WL_TRY(wl_argument_integer(arguments, "longest", SW_DRAWN_LEAST, SW_DRAWN_MOST, &longest));
    if (wl_argument_given(arguments, "outlier"))
        WL_TRY(wl_argument_integer(arguments, "outlier", 1, SW_LENGTH_MOST, &outlier));
    if (wl_argument_given(arguments, "letters"))
        WL_TRY(wl_argument_integer(arguments, "letters", 1, INT64_C(1) << 50, &letters));
    WL_TRY(wl_argument_choice(arguments, "kind", &kind));
    *recipe = (sw_recipe){.seed = seed,
                          .alphabet = wl_argument_given(arguments, "nucleotide") ? SW_NUCLEOTIDE : SW_PROTEIN,
                          .kind = (sw_kind)kind,
                          .subjects = (size_t)subjects,
                          .length = (uint32_t)length,
                          .longest = (uint32_t)longest,
                          .outlier = (uint32_t)outlier,
                          .letters = (uint64_t)letters};
    return WL_OK;
}
