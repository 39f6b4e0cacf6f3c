/* warpladder makedb: sequences into a database file that a search maps and starts. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/message.h"
#include "harness/base/clock.h"
#include "harness/base/outfile.h"
#include "harness/base/text.h"
#include "io/database/database.h"
#include "tools/search/blast.h"

static const wl_option options[] = {
    {"nucleotide", NULL, NULL, "the sequences are nucleotides, not proteins"},
    {"strip-gaps", NULL, NULL, "leave out '-' and '.', as in the rows of an alignment, instead of refusing them"},
    WL_OPTION_SKIP_BAD,
    {"like-blast", NULL, NULL, "as makeblastdb does: make missing folders, and print no summary"},
    {"input", "FILE", NULL, "the sequences, instead of the first word"},
    {"output", "FILE", NULL, "the database, instead of the second word (default: the sequences' file name and .wdb)"},
    {NULL, NULL, NULL, NULL}};

/* A line that is written over; at most ten times a second. */
typedef struct {
    double shown;
} meter;

static void show(void *context, const char *what, uint64_t done, uint64_t of) {
    meter *m = context;
    double now = wl_now();
    if (now - m->shown < 0.1 && done > 0) return;
    m->shown = now;
    if (of > 0)
        fprintf(stderr, "\r%s: %.0f %%\033[K", what, 100 * (double)done / (double)of);
    else if (done > 0)
        fprintf(stderr, "\r%s: %.1f million letters\033[K", what, (double)done / 1e6);
    else
        fprintf(stderr, "\r%s\033[K", what);
}

static int is_stdout(const char *path) {
    static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(path, names[i]) == 0) return 1;
    return 0;
}

static void summarise(const wl_args *args, const char *output, const sw_database *database, uint64_t bytes,
                      double seconds) {
    const sw_set *set = &database->set;
    if (args->json)
        printf("{\"sequences\": %zu, \"letters\": %" PRIu64 ", \"longest\": %" PRIu32 ", \"bytes\": %" PRIu64
               ", \"seconds\": %.3f}\n",
               set->count, set->letters, set->longest, bytes, seconds);
    else if (!args->quiet && !wl_argument_given(&args->own, "like-blast"))
        wl_print(stderr,
                 "%s: %zu sequence%s, %" PRIu64 " letters, the longest %" PRIu32 "; %" PRIu64 " bytes in %.2f s\n",
                 is_stdout(output) ? "standard output" : output, set->count, wl_plural(set->count), set->letters,
                 set->longest, bytes, seconds);
}

/* A search would say it again each time, but the database has to be made again now. */
static void hint(const wl_args *args, const sw_database *database) {
    double bases = args->quiet || database->alphabet != SW_PROTEIN ? 0 : sw_set_bases(&database->set);
    if (bases >= 0.9)
        wl_note(args,
                "%s: %.0f %% of the letters are A, C, G, T, U or N, and they were taken for amino acids; nucleotides "
                "need --nucleotide",
                database->title, 100 * bases);
}

/* The two words, or the options in their place; *named is to be freed. */
static wl_status read_names(const wl_args *args, const char **input, const char **output, char **named) {
    const char *const options[] = {wl_argument(&args->own, "input"), wl_argument(&args->own, "output")};
    int taken = 0;
    *input = options[0] ? options[0] : taken < args->count ? args->words[taken++] : NULL;
    *output = options[1] ? options[1] : taken < args->count ? args->words[taken++] : NULL;
    *named = NULL;
    if (*input == NULL || taken < args->count || (*output == NULL && !options[0]))
        return wl_fail(
            WL_BAD_USAGE,
            "found %sSEQUENCES DATABASE.wdb%s; expected one, as in 'warpladder makedb proteins.fasta.gz proteins.wdb'",
            taken < args->count ? "" : "no ", taken < args->count ? " beside --input and --output" : "");
    if (*output) return WL_OK;
    if (strcmp(*input, "-") == 0)
        return wl_fail(WL_BAD_USAGE, "option --output: not given; expected it where standard input is read");
    if (asprintf(named, "%s.wdb", *input) < 0) return wl_fail(WL_NO_MACHINE, "no memory for the database's name");
    *output = *named;
    return WL_OK;
}

static wl_status makedb(const wl_args *args) {
    double begin = wl_now();
    meter m = {0};
    wl_left_out left_out = {.faults = wl_argument_given(&args->own, "skip-bad") ? WL_LEAVES_OUT_ALL : 0};
    const sw_watch on_terminal = {show, &m}, *watch = wl_shows_progress(args) ? &on_terminal : NULL;
    const sw_reading reading = {.alphabet = wl_argument_given(&args->own, "nucleotide") ? SW_NUCLEOTIDE : SW_PROTEIN,
                                .strips_gaps = wl_argument_given(&args->own, "strip-gaps"),
                                .watch = watch,
                                .left_out = &left_out};
    const char *input, *output;
    sw_database database = {0};
    wl_outfile file = {0};
    uint64_t bytes = 0;
    char *named = NULL;
    wl_status status = read_names(args, &input, &output, &named);
    if (wl_argument_given(&args->own, "like-blast")) wl_outfile_make_folders(1);
    if (status == WL_OK && args->json && is_stdout(output))
        status =
            wl_fail(WL_BAD_USAGE,
                    "option --json: found '%s', where the database goes to standard output; expected a file", output);
    if (status == WL_OK) status = wl_refuse_same_file(input, output);
    /* Before minutes of reading, not after. */
    if (status == WL_OK) status = wl_outfile_open(output, &file);
    if (status == WL_OK) status = sw_database_build_as(input, &reading, &database);
    if (status == WL_OK) status = sw_database_write(&file, &database, watch, &bytes);
    if (status == WL_OK && watch) show(&m, "waiting for the disk", 0, 0);
    if (status == WL_OK) status = wl_outfile_commit(&file);
    if (watch) fputs("\r\033[K", stderr);
    if (status == WL_OK) wl_note_left_out(args, input, &left_out);
    if (status == WL_OK) hint(args, &database);
    if (status == WL_OK) summarise(args, output, &database, bytes, wl_now() - begin);
    wl_outfile_discard(&file);
    sw_database_close(&database);
    free(named);
    return status;
}

static const wl_alias aliases[] = {{"makeblastdb", {"--like-blast"}}, {NULL, {NULL}}};

static const wl_command command_makedb = {
    .name = "makedb",
    .brief = "write sequences as a database for search",
    .arguments = "SEQUENCES DATABASE.wdb",
    .summary =
        "Write the sequences of a FASTA or FASTQ file, plain or gzip (\"-\" is standard input), as a database for "
        "'warpladder search': sorted by length, encoded, with checksums. All of it must fit into memory, one byte per "
        "letter.",
    .example = "warpladder makedb proteins.fasta.gz proteins.wdb",
    .options = options,
    .foreign = wl_blast_makedb,
    .aliases = aliases,
    .common = WL_TAKES_JSON | WL_TAKES_QUIET | WL_TAKES_FILES,
    .most = 2,
    .run = makedb,
};

WL_REGISTER_COMMAND(command_makedb)
