/* warpladder makedb: sequences into a database file that a search maps and starts. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/tell.h"
#include "harness/base/clock.h"
#include "harness/base/outfile.h"
#include "sw/database/database.h"

static const wl_option options[] = {{"nucleotide", NULL, NULL, "the sequences are nucleotides, not proteins"},
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

static void summarise(const wl_line *line, const sw_database *database, uint64_t bytes, double seconds) {
    const sw_set *set = &database->set;
    if (line->json)
        printf("{\"sequences\": %zu, \"letters\": %" PRIu64 ", \"longest\": %" PRIu32 ", \"bytes\": %" PRIu64
               ", \"seconds\": %.3f}\n",
               set->count, set->letters, set->longest, bytes, seconds);
    else if (!line->quiet)
        fprintf(stderr,
                "%s: %zu sequence%s, %" PRIu64 " letters, the longest %" PRIu32 "; %" PRIu64 " bytes in %.2f s\n",
                is_stdout(line->words[1]) ? "standard output" : line->words[1], set->count, wl_plural(set->count),
                set->letters, set->longest, bytes, seconds);
}

/* A search would say it again each time, but the database has to be made again now. */
static void hint(const wl_line *line, const sw_database *database) {
    double bases = line->quiet || database->alphabet != SW_PROTEIN ? 0 : sw_set_bases(&database->set);
    if (bases >= 0.9)
        wl_note(line,
                "%s: %.0f %% of the letters are A, C, G, T, U or N, and they were taken for amino acids; nucleotides "
                "need --nucleotide",
                database->title, 100 * bases);
}

static wl_status makedb(const wl_line *line) {
    double begin = wl_now();
    meter m = {0};
    const sw_watch on_terminal = {show, &m}, *watch = wl_shows_progress(line) ? &on_terminal : NULL;
    sw_alphabet alphabet = wl_argument_given(&line->own, "nucleotide") ? SW_NUCLEOTIDE : SW_PROTEIN;
    sw_database database = {0};
    wl_outfile file = {0};
    uint64_t bytes = 0;
    if (line->json && is_stdout(line->words[1]))
        return wl_fail(WL_BAD_USAGE,
                       "option --json: found '%s', where the database goes to standard output; expected a file",
                       line->words[1]);
    wl_status status = wl_refuse_same_file(line->words[0], line->words[1]);
    /* Before minutes of reading, not after. */
    if (status == WL_OK) status = wl_outfile_open(line->words[1], &file);
    if (status == WL_OK) status = sw_database_build(line->words[0], alphabet, watch, &database);
    if (status == WL_OK) status = sw_database_write(&file, &database, watch, &bytes);
    if (status == WL_OK && watch) show(&m, "waiting for the disk", 0, 0);
    if (status == WL_OK) status = wl_outfile_commit(&file);
    if (watch) fputs("\r\033[K", stderr);
    if (status == WL_OK) hint(line, &database);
    if (status == WL_OK) summarise(line, &database, bytes, wl_now() - begin);
    wl_outfile_discard(&file);
    sw_database_close(&database);
    return status;
}

const wl_command wl_command_makedb = {
    .name = "makedb",
    .brief = "write sequences as a database for search",
    .arguments = "SEQUENCES DATABASE.wdb",
    .summary =
        "Write the sequences of a FASTA or FASTQ file, plain or gzip (\"-\" is standard input), as a database for "
        "'warpladder search': sorted by length, encoded, checksummed. All of it must fit into memory, a byte a letter.",
    .example = "warpladder makedb proteins.fasta.gz proteins.wdb",
    .options = options,
    .common = WL_TAKES_JSON | WL_TAKES_QUIET,
    .least = 2,
    .most = 2,
    .run = makedb,
};
