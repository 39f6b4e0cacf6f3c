/* warpladder search: the sequences of a database that are most like a query, by
 * exact Smith-Waterman. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/parts.h"
#include "cli/message.h"
#include "harness/base/clock.h"
#include "harness/base/outfile.h"
#include "tools/search/blast.h"
#include "tools/search/options.h"
#include "tools/search/part.h"
#include "tools/search/device.h"

static const wl_option options[] = {
    {"db", "FILE", NULL, "the database: a .wdb file of 'warpladder makedb', or FASTA or FASTQ, plain or gzip"},
    {"query", "FILE", NULL,
     "the queries: FASTA or FASTQ, plain or gzip; '-' is standard input, answered as they arrive"},
    {"output", "FILE", "-", "where the report goes (also -o FILE); the file is whole or absent"},
    {"format", "F:pairwise tabular commented csv sam xml json", "pairwise",
     "pairwise, tabular (BLAST's 12 columns), commented (tabular with '#' lines), csv, sam, xml (BLAST's), json, names "
     "of columns, as "
     "in 'qseqid sseqid score bitscore', or BLAST's number with or without columns, as in '7 qseqid,sseqid'"},
    {"max-hits", "N", "500", "report at most N hits per query"},
    {"max-hsps", "N:all", "1",
     "report at most N alignments per query and subject, or all; no two share a pair of residues"},
    {"min-identity", "P", "0", "report alignments with at least P per cent of equal columns"},
    {"min-coverage", "P", "0", "report alignments with at least P per cent of the query's letters"},
    {"strip-gaps", NULL, NULL, "leave out '-' and '.', as in the rows of an alignment, instead of refusing them"},
    WL_OPTION_SKIP_BAD,
    {"like-blast", NULL, NULL,
     "as blastp and blastn do: rank hits by E-value, equal ones from the database's end; --db takes several names and "
     "looks in $BLASTDB; "
     "no query, or an empty one, is no error; no summary"},
    {"evalue", "X", "10", "report hits with an E-value of at most X"},
    {"min-score", "N", "1", "report hits with a score of at least N"},
    {"statistics", "S:karlin spouge", "karlin",
     "the E-values: karlin (Karlin and Altschul's, with length adjustment: SWIPE's and blastn's) or, for proteins, "
     "spouge (with the finite-size correction: blastp's)"},
    {"matrix", "M:BLOSUM45 BLOSUM50 BLOSUM62 BLOSUM80 BLOSUM90 PAM30 PAM70 PAM250", "BLOSUM62",
     "BLOSUM45, 50, 62, 80 or 90, PAM30, 70 or 250, or a file in NCBI's format"},
    {"gap-open", "N", NULL,
     "the cost of opening a gap, counted as BLAST does: a gap of k residues costs open + k * extend (default: BLAST's "
     "for the matrix; 11 for BLOSUM62)"},
    {"gap-extend", "N", NULL, "the cost of each residue of a gap (default: BLAST's for the matrix; 1 for BLOSUM62)"},
    {"nucleotide", NULL, NULL, "queries and database are nucleotides"},
    {"match", "N", "2", "with --nucleotide: the score of equal bases"},
    {"mismatch", "N", "-3", "with --nucleotide: the score of different bases, below 0"},
    {"strand", "S:both plus minus", "both",
     "with --nucleotide: search with the query (plus), its reverse complement (minus), or both"},
    {"device", "D:auto cpu sim gpu", "auto",
     "cpu, sim (simulated), gpu, gpu:0,1 (several share the work), or auto: the GPU if there is one, else the CPU, "
     "which "
     "also does searches shorter than a GPU's start"},
    {"variant", "V", NULL, "search with this stage of the ladder, as in sw/05* (default: the last that can)"},
    WL_OPTION_THREADS,
    {"memory", "SIZE", NULL,
     "use at most SIZE of a device's memory, in bytes or with K, M or G; a larger database passes through in blocks "
     "(default: all that is free)"},
    WL_OPTION_PART,
    {NULL, NULL, NULL, NULL},
};

/* Everything a search needs, from the command line. */
typedef struct {
    const wl_args *args;
    int strips_gaps, like_blast;
    wl_left_out left_out_queries, left_out_subjects;
    sw_scoring scoring;
    sw_statistics statistics;
    sw_database database;
    sw_owned_set queries;
    sw_search_devices devices;
    sw_search_request request;
    wl_progress progress;
    double begun;
    sw_report *report; // NULL: this process writes none
    FILE *stream;
    wl_outfile file; // of the stream, if that is no standard output
} job;

/* --- Options ------------------------------------------------------------------------------------------------------ */

static wl_status read_options(job *j) {
    const wl_arguments *own = &j->args->own;
    const char *db = wl_argument(own, "db"), *query = wl_argument(own, "query");
    char costs[SW_COSTS_TEXT];
    if (db == NULL || query == NULL)
        return wl_fail(WL_BAD_USAGE, "option --%s: not given; expected --db FILE --query FILE", db ? "query" : "db");
    if (*db == '\0' || *query == '\0')
        return wl_fail(WL_BAD_USAGE, "option --%s: is empty; expected the name of a file", *db ? "query" : "db");
    if (strcmp(db, "-") == 0 && strcmp(query, "-") == 0)
        return wl_fail(WL_BAD_USAGE, "options --db and --query: both are standard input; expected one of them at most");
    j->like_blast = j->request.ranks_as_blast = wl_argument_given(own, "like-blast");
    j->left_out_queries.may_leave_none = j->like_blast;
    if (j->like_blast) j->left_out_queries.faults = WL_LEAVES_OUT(WL_RECORD_EMPTY);
    WL_TRY(sw_database_refuse_blast(db));
    j->strips_gaps = wl_argument_given(own, "strip-gaps");
    if (wl_argument_given(own, "skip-bad"))
        j->left_out_queries.faults = j->left_out_subjects.faults = WL_LEAVES_OUT_ALL;
    WL_TRY(sw_search_options(own, &j->scoring, &j->statistics, &j->request));
    if (!j->statistics.known)
        wl_note(
            j->args,
            "no statistics are published for %s with gap costs %d, %d: scores, but no bit scores and no E-values; gap "
            "costs that have them: %s",
            j->scoring.name, j->scoring.gap_open - j->scoring.gap_extend, j->scoring.gap_extend,
            sw_statistics_costs(&j->scoring, costs));
    WL_TRY(wl_argument_bytes(own, "memory", &j->request.memory));
    WL_TRY(wl_argument_threads(own, &j->request.threads));
    j->request.pattern = wl_argument(own, "variant");
    char text[64];
    return sw_search_devices_begin(wl_parts_device(j->args, text), wl_parts_wanted(j->args), query, db, &j->request,
                                   &j->devices);
}

/* --- Input -------------------------------------------------------------------------------------------------------- */

/* Letters of nucleotides are amino acids, too, so a forgotten --nucleotide is no error; but a search that makes no
   sense. */
static void hint(const job *j, const char *path, const sw_set *set) {
    double bases = j->scoring.alphabet == SW_NUCLEOTIDE ? 0 : sw_set_bases(set);
    if (bases >= 0.9)
        wl_note(j->args,
                "%s: %.0f %% of the letters are A, C, G, T, U or N, and they are searched as amino acids; nucleotides "
                "need --nucleotide",
                path, 100 * bases);
}

static void note_queries(const job *j, size_t count) {
    const char *path = wl_argument(&j->args->own, "query");
    wl_note_left_out(j->args, path, &j->left_out_queries);
    if (count == 0 && j->like_blast) wl_note(j->args, "%s: found no query", wl_path_shown(path));
}

static wl_status read_queries(job *j) {
    const char *path = wl_argument(&j->args->own, "query");
    const sw_query_reading reading = {
        .alphabet = j->scoring.alphabet, .strips_gaps = j->strips_gaps, .left_out = &j->left_out_queries};
    const int is_input = strcmp(path, "-") == 0;
    if (is_input && !wl_parts_wanted(j->args) && sw_queries_arrive())
        return sw_incoming_open(&reading, &j->request.incoming);
    WL_TRY(sw_queries_read(path, &reading, &j->queries));
    note_queries(j, j->queries.set.count);
    hint(j, is_input ? "standard input" : path, &j->queries.set);
    return WL_OK;
}

/* --- The search --------------------------------------------------------------------------------------------------- */

static void summarise(const job *j, const sw_search_summary *summary, const char *done) {
    const sw_set *database = &j->database.set;
    const size_t queries = j->request.incoming ? summary->queries : j->queries.set.count;
    const uint64_t letters = j->request.incoming ? summary->letters : j->queries.set.letters;
    if (j->args->quiet || j->like_blast) return;
    fprintf(stderr, "warpladder search: %zu %s, %llu letters; %zu subject%s, %llu letters; %zu hit%s; ", queries,
            queries == 1 ? "query" : "queries", (unsigned long long)letters, database->count,
            wl_plural(database->count), (unsigned long long)database->letters, summary->hits, wl_plural(summary->hits));
    if (summary->cells <= 0 || j->request.devices[0].backend == WL_SIM) // whose time says nothing
        fprintf(stderr, "%s%s%s\n", done, *summary->devices ? " on " : "", summary->devices);
    else
        fprintf(stderr, "scan %.2f s, %.1f GCUPS on %s; %.2f s in all\n", summary->scan_seconds,
                summary->cells / summary->scan_seconds / 1e9, summary->devices, wl_now() - j->begun);
}

static void tell_renamed(const job *j) {
    char text[SW_RENAMED_TEXT];
    if (!j->args->quiet && *sw_report_renamed(j->report, &j->queries, text)) wl_note(j->args, "%s", text);
}

/* The report is whole before anything is said about it. */
static wl_status deliver(job *j, const sw_search_summary *summary, const char *done) {
    const int arrived = fflush(j->stream) == 0 && !ferror(j->stream);
    WL_TRY(wl_outfile_commit(&j->file));
    if (arrived) tell_renamed(j);
    if (arrived) summarise(j, summary, done);
    return WL_OK;
}

static wl_status hash_inputs(void *context, uint64_t *hash) {
    *hash = sw_search_hash(&((const job *)context)->request);
    return WL_OK;
}

static wl_status compute_parts(void *context, const wl_part_range *range) {
    job *j = context;
    sw_search_summary summary;
    WL_TRY(sw_search_devices_wait(&j->devices, &j->request));
    const wl_status status = sw_search_parts(&j->request, range, &summary);
    wl_progress_show(&j->progress, "%s", "");
    if (status == WL_OK && wl_parts_tells(j->args)) summarise(j, &summary, "nothing to scan in this part");
    return status;
}

static wl_status merge_parts(void *context, const wl_part_set *set) {
    job *j = context;
    sw_search_summary summary;
    j->request.threads = wl_parts_merge_threads(j->request.threads); // of alignments
    WL_TRY(sw_search_merge(&j->request, set, j->report, j->stream, &summary));
    return deliver(j, &summary, "merged");
}

static const wl_parts_tool parts = {.own = " output device variant threads memory ",
                                    .outputs = " ",
                                    .inputs = " db query ",
                                    .hash = hash_inputs,
                                    .compute = compute_parts,
                                    .merge = merge_parts};

static wl_status search_all(job *j) {
    sw_search_summary summary;
    WL_TRY(sw_search_devices_wait(&j->devices, &j->request));
    const wl_status status = sw_search(&j->request, j->report, j->stream, &summary);
    wl_progress_show(&j->progress, "%s", "");
    if (j->request.incoming) note_queries(j, summary.queries);
    return status == WL_OK ? deliver(j, &summary, "scanned") : status;
}

static wl_status read_and_search(job *j) {
    const char *query = wl_argument(&j->args->own, "query"), *db = wl_argument(&j->args->own, "db");
    wl_progress_show(&j->progress, "reading %s", query);
    wl_status status = read_queries(j);
    if (status == WL_OK) sw_search_devices_choose(&j->request, &j->devices);
    wl_progress_show(&j->progress, "reading %s", db);
    const sw_reading reading = {
        .alphabet = j->scoring.alphabet, .strips_gaps = j->strips_gaps, .left_out = &j->left_out_subjects};
    if (status == WL_OK)
        status = j->like_blast ? sw_databases_open(db, getenv("BLASTDB"), &reading, &j->database)
                               : sw_database_open_as(db, &reading, &j->database);
    wl_progress_show(&j->progress, "%s", "");
    if (status != WL_OK) return status;
    wl_note_left_out(j->args, db, &j->left_out_subjects);
    hint(j, db, &j->database.set);
    status = wl_parts_wanted(j->args) ? wl_parts_run(j->args, &parts, j) : search_all(j);
    sw_database_close(&j->database);
    return status;
}

static wl_status read_and_report(job *j) {
    WL_TRY(sw_report_open(wl_argument(&j->args->own, "format"), j->stream, &j->scoring, &j->statistics, &j->database,
                          &j->report));
    sw_report_set_evalue(j->report, j->request.evalue);
    const wl_status status = read_and_search(j);
    sw_report_close(j->report);
    return status;
}

static wl_status search_into(job *j, const char *output) {
    const int to_stdout = strcmp(output, "-") == 0, writes = wl_parts_writes(j->args);
    /* What can be wrong with the line and the file's name is found out before minutes of reading. */
    wl_status status = WL_OK;
    static const char *const inputs[] = {"query", "db", "matrix"};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs && status == WL_OK && !to_stdout; i++)
        status = wl_refuse_same_file(wl_argument(&j->args->own, inputs[i]), output);
    if (status == WL_OK && !to_stdout && writes) status = wl_outfile_open(output, &j->file);
    if (status != WL_OK) return status;
    j->stream = j->file.stream ? j->file.stream : stdout;
    j->progress = wl_progress_begin(j->args, to_stdout, "scanning");
    j->request.progress = j->progress.shows ? wl_progress_share : NULL;
    status = read_and_report(j);
    sw_incoming_close(j->request.incoming);
    sw_owned_set_free(&j->queries);
    wl_outfile_discard(&j->file);
    return status;
}

static wl_status search(const wl_args *args) {
    job j = {.args = args, .begun = wl_now()};
    j.request = (sw_search_request){.scoring = &j.scoring,
                                    .statistics = &j.statistics,
                                    .database = &j.database,
                                    .queries = &j.queries,
                                    .context = &j.progress};
    wl_status status = wl_parts_check(args, &parts);
    if (status == WL_OK) status = read_options(&j);
    if (status == WL_OK) status = search_into(&j, wl_argument(&args->own, "output"));
    wl_devices_drop(&j.devices.coming);
    return status;
}

static const wl_alias aliases[] = {{"blastp", {"--query=-", "--statistics=spouge", "--max-hsps=all", "--like-blast"}},
                                   {"blastn", {"--query=-", "--nucleotide", "--max-hsps=all", "--like-blast"}},
                                   {NULL, {NULL}}};

static const wl_command command_search = {
    .name = "search",
    .brief = "find the sequences of a database that are most like a query",
    .summary =
        "Find the sequences of a database that are most like each query: exact Smith-Waterman with affine gaps, no "
        "heuristics. Scores, bit scores, E-values and formats are BLAST's. The result is the same on every device.",
    .example = "warpladder search --db proteins.fasta.gz --query q.fasta --evalue 1e-3\n"
               "  warpladder search --db proteins.wdb --query q.fasta --format tabular -o hits.tsv --device gpu:0,1",
    .options = options,
    .parts = &parts,
    .foreign = wl_blast_search,
    .aliases = aliases,
    .common = WL_TAKES_QUIET | WL_TAKES_FILES | WL_TAKES_TIMINGS,
    .run = search,
};

WL_REGISTER_COMMAND(command_search)
