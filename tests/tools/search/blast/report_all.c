/* Align every query with every sequence of a database, without the search's scan and its cut-offs, and report all:
     sw_report_all FORMAT QUERIES DATABASE MATRIX OPEN EXTEND
     sw_report_all FORMAT QUERIES DATABASE MATCH,MISMATCH OPEN EXTEND    (nucleotides, both strands)
   If `spouge` follows, E-values have the finite-size correction.
   BLAST is compared with this program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/search/report/report.h"

static void stop_on(wl_status status) {
    if (status == WL_OK) return;
    fprintf(stderr, "sw_report_all: %s\n", wl_error());
    exit(status);
}

static int compare_hits(const void *a, const void *b) {
    const sw_aligned *x = a, *y = b;
    if (x->alignment.score != y->alignment.score) return x->alignment.score > y->alignment.score ? -1 : 1;
    return x->hit.order < y->hit.order ? -1 : 1;
}

static void align(const sw_scoring *scoring, const uint8_t *query, uint32_t length, const sw_database *database,
                  int strand, sw_aligned *h) {
    const sw_set *set = &database->set;
    sw_alignment alignment;
    stop_on(sw_align(scoring, query, length, set->residues + set->start[h->hit.subject], set->length[h->hit.subject],
                     &alignment));
    if (h->strand == 0 || alignment.score > h->alignment.score) {
        sw_alignment_free(&h->alignment);
        h->alignment = alignment;
        h->strand = strand;
    } else {
        sw_alignment_free(&alignment);
    }
}

static void report_query(sw_report *report, const sw_scoring *scoring, const sw_statistics *statistics,
                         const sw_database *database, const sw_owned_set *queries, size_t q) {
    const size_t count = database->set.count;
    const uint32_t length = queries->set.length[q];
    const uint8_t *residues = queries->set.residues + queries->set.start[q];
    uint8_t *reverse = malloc(length);
    sw_aligned *hits = calloc(count, sizeof *hits);
    for (uint32_t i = 0; i < length; i++) {
        static const char complements[] = "TGCAYRSWMKVHDBN";
        reverse[length - 1 - i] =
            (uint8_t)(scoring->alphabet == SW_PROTEIN ? 0 : sw_code(SW_NUCLEOTIDE, complements[residues[i]]));
    }
    for (size_t s = 0; s < count; s++) {
        hits[s].hit.subject = s;
        hits[s].hit.order = database->order[s];
        align(scoring, residues, length, database, 1, &hits[s]);
        if (scoring->alphabet == SW_NUCLEOTIDE) align(scoring, reverse, length, database, -1, &hits[s]);
    }
    qsort(hits, count, sizeof *hits, compare_hits);
    sw_found found = {.name = queries->name[q],
                      .comment = queries->comment[q],
                      .residues = residues,
                      .length = length,
                      .reverse = reverse,
                      .space = sw_space_of(statistics, length, database->set.letters, count),
                      .hits = hits,
                      .aligned = 1};
    for (; found.count < count && hits[found.count].alignment.score > 0; found.count++)
        hits[found.count].hit.score = hits[found.count].alignment.score;
    sw_report_query(report, &found);
    for (size_t s = 0; s < count; s++) sw_alignment_free(&hits[s].alignment);
    free(hits);
    free(reverse);
}

int main(int count, char **arguments) {
    if (count != 7 && !(count == 8 && strcmp(arguments[7], "spouge") == 0)) {
        fprintf(stderr, "sw_report_all: found %d arguments; expected FORMAT QUERIES DATABASE MATRIX OPEN EXTEND\n",
                count - 1);
        return WL_BAD_USAGE;
    }
    sw_scoring scoring;
    int match, mismatch;
    if (sscanf(arguments[4], "%d,%d", &match, &mismatch) == 2)
        stop_on(sw_scoring_nucleotide(match, mismatch, &scoring));
    else
        stop_on(sw_scoring_named(arguments[4], &scoring));
    stop_on(sw_scoring_gaps(atoi(arguments[5]), atoi(arguments[6]), &scoring));
    sw_statistics statistics = sw_statistics_of(&scoring);
    statistics.by_pair = count == 8;
    sw_database database;
    stop_on(sw_database_open(arguments[3], scoring.alphabet, &database));
    wl_sequences sequences;
    sw_owned_set queries;
    stop_on(wl_sequences_read(arguments[2], &sequences));
    stop_on(sw_set_encode(arguments[2], &sequences, scoring.alphabet, 0, &queries));
    sw_report *report;
    stop_on(sw_report_open(arguments[1], stdout, &scoring, &statistics, &database, &report));
    sw_report_begin(report);
    for (size_t q = 0; q < queries.set.count; q++) report_query(report, &scoring, &statistics, &database, &queries, q);
    sw_report_end(report);
    sw_report_close(report);
    wl_sequences_free(&sequences);
    sw_owned_set_free(&queries);
    sw_database_close(&database);
    return WL_OK;
}
