/* Queries that are searched together: what is scanned, and what is found. */
#pragma once

#include "tools/search/request.h"

/* Queries first .. first + count - 1 of the request's. Rows of the scan are what is aligned with the database: the
   queries, or their reverse complements, or both, the queries first. */
typedef struct {
    size_t first, count;
    sw_owned_set reverse_memory; // reverse complements, of the queries or of the second half of the rows
    sw_scan_batch scan;          // queries: [rows]; hits: [rows]
    sw_space *space;             // [count]
    sw_statistics *statistics;   // [count]
} sw_batch;

/* The most queries that a batch may have, and the letters with which it is large enough. */
size_t sw_batch_most(const sw_search_request *request);
uint64_t sw_batch_enough(const sw_search_request *request);
/* How many queries to take from `first` on. */
size_t sw_batch_size(const sw_search_request *request, size_t first);

/* Lay out the rows and set each one's threshold. On failure there is nothing to free. */
wl_status sw_batch_make(const sw_search_request *request, size_t first, size_t count, sw_batch *batch);
void sw_batch_free(sw_batch *batch);
