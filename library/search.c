/* Search of a database. */
#include "tools/search/search.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "library/sequences.h"
#include "library/session.h"
#include "tools/search/report/internal.h"

/* --- Databases --------------------------------------------------------------------------------------------------- */

struct warpladder_database {
    sw_database opened;
    int nucleotide;
};

static wl_status open_file(const char *path, sw_alphabet alphabet, sw_database *database) {
    if (path == NULL || *path == 0) return wl_fail(WL_BAD_USAGE, "path: found no name; expected a file's");
    return sw_database_open(path, alphabet, database);
}

static wl_status make(const warpladder_sequence *given, size_t count, sw_alphabet alphabet, sw_database *database) {
    wl_sequences sequences;
    WL_TRY(library_sequences("database", given, count, &sequences));
    const wl_status status = sw_database_make("database", &sequences, alphabet, database);
    wl_sequences_free(&sequences);
    return status;
}

/* `path`, or the sequences. */
static warpladder_status open_either(warpladder *session, const char *path, const warpladder_sequence *sequences,
                                     size_t count, int is_file, int nucleotide, warpladder_database **database) {
    const sw_alphabet alphabet = nucleotide ? SW_NUCLEOTIDE : SW_PROTEIN;
    *database = NULL;
    if (library_begin(session) != WL_OK) return WARPLADDER_BAD_ARGUMENT;
    warpladder_database *made = calloc(1, sizeof *made);
    wl_status status = WL_OK;
    if (made == NULL)
        status = wl_fail(WL_NO_MACHINE, "no memory for a database");
    else if (is_file)
        status = open_file(path, alphabet, &made->opened);
    else
        status = make(sequences, count, alphabet, &made->opened);
    if (status == WL_OK) {
        made->nucleotide = nucleotide != 0;
        *database = made;
    } else {
        free(made);
    }
    return library_end(session, status);
}

LIBRARY_API warpladder_status warpladder_database_open(warpladder *session, const char *path, int nucleotide,
                                                       warpladder_database **database) {
    return open_either(session, path, NULL, 0, 1, nucleotide, database);
}

LIBRARY_API warpladder_status warpladder_database_make(warpladder *session, const warpladder_sequence *sequences,
                                                       size_t count, int nucleotide, warpladder_database **database) {
    return open_either(session, NULL, sequences, count, 0, nucleotide, database);
}

LIBRARY_API void warpladder_database_close(warpladder_database *database) {
    if (database == NULL) return;
    sw_database_close(&database->opened);
    free(database);
}

LIBRARY_API size_t warpladder_database_count(const warpladder_database *database) { return database->opened.set.count; }
LIBRARY_API uint64_t warpladder_database_letters(const warpladder_database *database) {
    return database->opened.set.letters;
}

/* --- Hits -------------------------------------------------------------------------------------------------------- */

struct warpladder_hits {
    warpladder_hit *items; // [count]
    size_t count;
    char **paths;   // [count], each NULL without paths
    size_t queries; // taken so far
    int no_memory;
};

/* A path as it is shown: along the subject. */
static char *copy_path(const sw_alignment *alignment) {
    char *path = malloc((size_t)alignment->columns + 1);
    if (path) memcpy(path, alignment->operations, (size_t)alignment->columns + 1);
    return path;
}

static warpladder_hit hit_of(const sw_shown *shown, size_t query, const sw_database *database, char *path) {
    const sw_alignment *a = shown->alignment;
    warpladder_hit hit = {.query = query,
                          .subject = database->order[shown->index],
                          .name = sw_database_name(database, shown->index),
                          .score = shown->score,
                          .strand = shown->minus ? -1 : 1,
                          .bits = shown->bits,
                          .evalue = shown->evalue,
                          .path = path};
    if (a == NULL) return hit;
    hit.query_start = shown->query_start - 1;
    hit.query_end = shown->query_end;
    hit.subject_start = a->subject_first;
    hit.subject_end = (size_t)a->subject_last + 1;
    hit.columns = a->columns;
    hit.identities = a->identities;
    hit.positives = a->positives;
    hit.gap_openings = a->gap_openings;
    hit.gap_residues = a->gap_residues;
    return hit;
}

/* A search that has no memory for its hits keeps no more of them. */
static void take(void *context, const sw_report *report, const sw_found *found) {
    warpladder_hits *hits = context;
    const size_t query = hits->queries++;
    if (hits->no_memory || found->count == 0) return;
    if (!WL_GROW(hits->items, hits->count, found->count) || !WL_GROW(hits->paths, hits->count, found->count)) {
        hits->no_memory = 1;
        return;
    }
    for (size_t i = 0; i < found->count && !hits->no_memory; i++) {
        sw_shown shown;
        sw_show(report, found, i, &shown);
        char *path = shown.alignment ? copy_path(shown.alignment) : NULL;
        hits->no_memory = shown.alignment && path == NULL;
        hits->paths[hits->count] = path;
        hits->items[hits->count++] = hit_of(&shown, query, report->database, path);
    }
}

LIBRARY_API void warpladder_hits_close(warpladder_hits *hits) {
    if (hits == NULL) return;
    for (size_t i = 0; i < hits->count; i++) free(hits->paths[i]);
    WL_FREE(hits->paths, hits->items, hits);
}

LIBRARY_API const warpladder_hit *warpladder_hits_items(const warpladder_hits *hits, size_t *count) {
    *count = hits->count;
    return hits->items;
}

/* --- Searching --------------------------------------------------------------------------------------------------- */

static wl_status check_range(const char *name, long found, long least, long most) {
    if (found >= least && found <= most) return WL_OK;
    return wl_fail(WL_BAD_USAGE, "%s: found %ld; expected %ld to %ld", name, found, least, most);
}

static wl_status make_scoring(const warpladder_search_options *o, int nucleotide, sw_scoring *scoring) {
    const char *matrix = o->matrix ? o->matrix : "BLOSUM62";
    if (nucleotide && o->matrix)
        return wl_fail(WL_BAD_USAGE, "matrix: found %.80s with nucleotides; expected match and mismatch", o->matrix);
    WL_TRY(check_range("match", o->match, 1, SW_SCORE_MOST));
    WL_TRY(check_range("mismatch", o->mismatch, -SW_SCORE_MOST, -1));
    WL_TRY(check_range("gap_open", o->gap_open, -1, SW_GAP_MOST));
    WL_TRY(check_range("gap_extend", o->gap_extend, -1, SW_GAP_MOST));
    WL_TRY(nucleotide ? sw_scoring_nucleotide(o->match, o->mismatch, scoring) : sw_scoring_named(matrix, scoring));
    if (*scoring->missing)
        return wl_fail(WL_BAD_INPUT, "%s: found no scores for %s; expected scores for the 20 amino acids", matrix,
                       scoring->missing);
    const int open = scoring->gap_open - scoring->gap_extend, extend = scoring->gap_extend;
    return sw_scoring_gaps(o->gap_open < 0 ? open : o->gap_open, o->gap_extend < 0 ? extend : o->gap_extend, scoring);
}

static wl_status make_statistics(const warpladder_search_options *o, const sw_scoring *scoring,
                                 sw_statistics *statistics) {
    *statistics = sw_statistics_of(scoring);
    if (o->finite_size && (!statistics->known || scoring->alphabet == SW_NUCLEOTIDE))
        return wl_fail(WL_BAD_USAGE, "finite_size: no such statistics are published for %s with gap costs %d, %d",
                       scoring->name, scoring->gap_open - scoring->gap_extend, scoring->gap_extend);
    statistics->by_pair = o->finite_size != 0;
    return WL_OK;
}

static wl_status check(const warpladder_search_options *o, const warpladder_database *database) {
    if (database == NULL) return wl_fail(WL_BAD_USAGE, "database: found NULL; expected an open one");
    if (o->most_hits < 1) return wl_fail(WL_BAD_USAGE, "most_hits: found 0; expected at least 1");
    if (!(o->highest_evalue >= 0))
        return wl_fail(WL_BAD_USAGE, "highest_evalue: found %g; expected 0 or more", o->highest_evalue);
    WL_TRY(check_range("least_score", o->least_score, 1, INT_MAX));
    return check_range("minus_strand", o->minus_strand, 0, 2);
}

static wl_status encode(const warpladder_sequence *given, size_t count, sw_alphabet alphabet, sw_owned_set *queries) {
    wl_sequences sequences;
    WL_TRY(library_sequences("queries", given, count, &sequences));
    const wl_status status = sw_set_encode("queries", &sequences, alphabet, 0, queries);
    wl_sequences_free(&sequences);
    return status;
}

static wl_status run(const sw_search_request *request, int without_paths, warpladder_hits *hits) {
    sw_report *report;
    sw_search_summary summary;
    WL_TRY(
        sw_report_take(take, hits, !without_paths, request->scoring, request->statistics, request->database, &report));
    const wl_status status = sw_search(request, report, NULL, &summary);
    sw_report_close(report);
    if (status == WL_OK && hits->no_memory)
        return wl_fail(WL_NO_MACHINE, "not enough memory for more than %zu hits", hits->count);
    return status;
}

static wl_status search(const warpladder *session, const warpladder_search_options *given,
                        const warpladder_database *database, const warpladder_sequence *queries, size_t count,
                        warpladder_hits *hits) {
    static const int strands[] = {SW_PLUS, SW_MINUS, SW_PLUS | SW_MINUS};
    warpladder_search_options o = WARPLADDER_SEARCH_OPTIONS;
    sw_scoring scoring;
    sw_statistics statistics;
    sw_owned_set encoded;
    WL_TRY(library_options(given, &o));
    WL_TRY(check(&o, database));
    WL_TRY(make_scoring(&o, database->nucleotide, &scoring));
    WL_TRY(make_statistics(&o, &scoring, &statistics));
    WL_TRY(encode(queries, count, scoring.alphabet, &encoded));
    const sw_search_request request = {.scoring = &scoring,
                                       .statistics = &statistics,
                                       .database = &database->opened,
                                       .queries = &encoded,
                                       .strands = database->nucleotide ? strands[o.minus_strand] : SW_PLUS,
                                       .most_hits = o.most_hits,
                                       .least_score = o.least_score,
                                       .evalue = o.highest_evalue,
                                       .devices = session->devices.items,
                                       .device_count = session->devices.count,
                                       .memory = session->memory,
                                       .threads = session->threads};
    const wl_status status = run(&request, o.without_paths, hits);
    sw_owned_set_free(&encoded);
    return status;
}

LIBRARY_API warpladder_status warpladder_search(warpladder *session, const warpladder_search_options *options,
                                                const warpladder_database *database, const warpladder_sequence *queries,
                                                size_t count, warpladder_hits **hits) {
    *hits = NULL;
    if (library_begin(session) != WL_OK) return WARPLADDER_BAD_ARGUMENT;
    warpladder_hits *made = calloc(1, sizeof *made);
    const wl_status status =
        made ? search(session, options, database, queries, count, made) : wl_fail(WL_NO_MACHINE, "no memory for hits");
    if (status == WL_OK)
        *hits = made;
    else
        warpladder_hits_close(made);
    return library_end(session, status);
}
