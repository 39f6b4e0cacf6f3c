/* The queries of a search: all of a file, or those that arrive on standard input while the search runs. */
#pragma once

#include "io/database/set.h"

/* How queries are read. */
typedef struct {
    sw_alphabet alphabet;
    int strips_gaps;       // leaves out '-' and '.', which are refused otherwise
    wl_left_out *left_out; // as in sw_reading; with may_leave_none there may be no query, and the file may be empty
} sw_query_reading;

/* All queries of `path` ("-" is standard input), in the order given: FASTA or FASTQ, plain or gzip. On success free with
   sw_owned_set_free. */
wl_status sw_queries_read(const char *path, const sw_query_reading *reading, sw_owned_set *queries);

/* Whether standard input may give its queries one at a time: it is a pipe, a terminal or a socket, and no file. */
int sw_queries_arrive(void);

/* Queries that a thread reads from standard input as they arrive: see wl_sequences_each_at_once. */
typedef struct sw_incoming sw_incoming;
wl_status sw_incoming_open(const sw_query_reading *reading, sw_incoming **incoming);

/* The next queries that have arrived: at least one, and further ones until they have `enough` letters or are most_queries. None
   (count 0): none have arrived, unless `wait`; with `wait`, standard input is at its end. What is wrong with the input is said when
   all queries before it have been taken, and only with `wait`: without it, the caller has some of them to report. Free with
   sw_owned_set_free. */
wl_status sw_incoming_take(sw_incoming *incoming, int wait, size_t most_queries, uint64_t enough,
                           sw_owned_set *queries);

/* Also while the other end of the pipe is still open. NULL: nothing. */
void sw_incoming_close(sw_incoming *incoming);
