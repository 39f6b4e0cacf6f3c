/* A search: queries against a database, the best hits of each aligned and reported. */
#pragma once

#include <stdio.h>

#include "tools/search/report/report.h"
#include "tools/search/request.h"

typedef struct {
    double cells;        // query letters times database letters, over both strands
    double scan_seconds; // preparing, computing and fetching scores, and reducing them to hits
    size_t queries, hits;
    uint64_t letters;  // of the queries
    char devices[512]; // "NVIDIA H200 (07_x)"
} sw_search_summary;

/* Search, and write the report, opened on `stream`, from beginning to end. The result does not depend on devices,
   threads, memory or the sizes of batches and blocks: hits are ranked by score, then by the subjects' order in the
   database's input. A reported alignment whose score is not the scan's: WL_CHECK_FAILED. When the stream has failed,
   the search ends early with WL_OK, and whoever closes the stream finds out; NULL: the report writes nothing. */
wl_status sw_search(const sw_search_request *request, sw_report *report, FILE *stream, sw_search_summary *summary);
