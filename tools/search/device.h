/* Which devices a search uses, and when they are started: a CUDA context takes longer than the whole of a short search, which the CPU
   does then, and a search that is not short reads its input in the meantime. */
#pragma once

#include "harness/base/cpu.h"
#include "harness/bench/device.h"
#include "tools/search/request.h"

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

typedef struct {
    const char *db;
    wl_device_startup coming;
    int waits_for_queries; // the device is chosen when they are known
} sw_search_devices;

/* Before input is read. `device`: what --device names; in_parts: this run computes one part of several; query, db: the files' names.
   What request->pattern names is known by now. That a device is not there is said here, unless reading takes a fraction of a second.
   Anyone who calls this calls wl_devices_drop(&devices->coming) at the end. */
wl_status sw_search_devices_begin(const char *device, int in_parts, const char *query, const char *db,
                                  sw_search_request *request, sw_search_devices *devices);
/* When request->queries are read, if they are read as a whole. */
void sw_search_devices_choose(const sw_search_request *request, sw_search_devices *devices);
/* Before a search: sets the request's devices. Called again, it does nothing. */
wl_status sw_search_devices_wait(sw_search_devices *devices, sw_search_request *request);
