/* A search in parts: a batch of queries against a range of the database each. Hits are merged by score and order, and aligned after
   that; statistics are those of the whole database. */
#pragma once

#include "io/part.h"
#include "tools/search/search.h"

/* What the result of a search depends on, but for its options. */
uint64_t sw_search_hash(const sw_search_request *request);

/* Search the range's parts, and put the hits of each of their queries. Parts of one batch are searched together; the first of them in the
   range gets their hits. */
wl_status sw_search_parts(const sw_search_request *request, const wl_part_range *range, sw_search_summary *summary);
/* The report of sw_search from all parts. */
wl_status sw_search_merge(const sw_search_request *request, const wl_part_set *set, sw_report *report, FILE *stream,
                          sw_search_summary *summary);
