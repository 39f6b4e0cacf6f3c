/* What is searched for, and how. */
#pragma once

#include "io/database/database.h"
#include "io/database/set.h"
#include "sw/scoring/scoring.h"
#include "tools/search/queries.h"
#include "tools/search/scan.h"
#include "tools/search/statistics/evalues.h"

enum { SW_PLUS = 1, SW_MINUS = 2 };

typedef struct {
    const sw_scoring *scoring;
    const sw_statistics *statistics;
    const sw_database *database;
    const sw_owned_set *queries; // in the order given; or none, and
    sw_incoming *incoming;       // those that arrive while the search runs: each batch's report is flushed; NULL: none
    size_t first_subject, subjects; // search these of the database only, with the statistics of all; 0 subjects: all
    int strands;                    // SW_PLUS, SW_MINUS or both; proteins have SW_PLUS only
    size_t most_hits;               // a query, at least 1
    int least_score;                // lower ones are not reported; at least 1
    double evalue;                  // nor are those with a higher E-value; without statistics not looked at
    size_t most_alignments;         // of a subject; 0: 1
    int ranks_as_blast;             // by E-value, then score, and of equals the last of the database first
    double least_identity;          // per cent of an alignment's columns; most_hits counts what has it
    double least_coverage;          // per cent of the query's residues in one alignment; likewise

    const wl_device *devices; // [device_count]
    size_t device_count;
    const char *pattern;   // of variants; NULL: the best
    size_t memory;         // of a device that may be used, bytes; 0: what is free there
    int threads;           // of the CPU; 0: OpenMP's choice
    size_t most_queries;   // scanned together, a batch; 0: chosen
    int most_batches;      // 1 or 2 under way at a time; 0: chosen
    uint64_t most_letters; // of a block of the database; 0: chosen

    /* Called several times a second from sw_search's thread while it waits; may be NULL. done: 0 .. 1 of the scan. */
    void (*progress)(void *context, double done, double seconds);
    void *context;
} sw_search_request;

/* A subject's place among equals. */
static inline uint64_t sw_search_order(const sw_search_request *request, size_t subject) {
    const uint64_t order = request->database->order[subject];
    return request->ranks_as_blast ? request->database->set.count - 1 - order : order;
}
