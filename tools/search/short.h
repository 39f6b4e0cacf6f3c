/* Searches that the CPU ends before CUDA has started. */
#ifndef TOOLS_SEARCH_SHORT_H
#define TOOLS_SEARCH_SHORT_H

#include "harness/base/cpu.h"
#include "tools/search/search.h"

typedef struct {
    uint64_t letters; // of all queries
    size_t queries;
    int strands; // 1 or 2
    uint64_t database_letters;
    int threads;
} sw_search_size;

/* The seconds that the CPU's threads need for the scan with this instruction set, at most: measured rates, rounded down. */
double sw_search_seconds(const sw_search_size *size, wl_cpu_isa isa);

/* Whether --device auto should take the CPU. `db` is the database's path, of which no more than a page is read. */
int sw_search_is_short(const sw_search_request *request, const char *db);

/* Whether the queries of `path` are so few that they are read before a GPU is started. */
int sw_queries_are_few(const char *path);

#endif
