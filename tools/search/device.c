#include "tools/search/device.h"

#include <string.h>
#include <sys/stat.h>

/* Starting CUDA takes 0.2 to 0.4 s, and then a GPU scans 200 M residues in milliseconds. */
#define CUDA_SECONDS 0.1

/* Letters that two cores hash in half a second. */
#define HASHED_SOON ((uint64_t)1 << 31)

/* What a query costs besides its cells, in letters: profiles, and lanes that take the next subject. */
enum { QUERY_COSTS = 40 };

/* Cells per second and thread. 16 threads of an H200's host make 25 G with AVX-512, and two cores of an AMD EPYC 40 G with AVX-512 or AVX2,
   20 G with SSE4.1 and 5 G with none. */
static const struct {
    wl_cpu_isa isa;
    double rate;
} speeds[] = {{WL_ISA_AVX512AMD, 2e10}, {WL_ISA_AVX512VBMI, 2e10}, {WL_ISA_AVX512BW, 2e10},
              {WL_ISA_AVX2, 1e10},      {WL_ISA_SSE41, 7e9},       {WL_ISA_PORTABLE, 1.5e9}};
enum { SPEEDS = sizeof speeds / sizeof *speeds };

double sw_search_seconds(const sw_search_size *size, wl_cpu_isa isa) {
    double rate = speeds[SPEEDS - 1].rate;
    for (size_t i = 0; i < SPEEDS; i++)
        if (speeds[i].isa == isa) rate = speeds[i].rate;
    const double rows = ((double)size->letters + QUERY_COSTS * (double)size->queries) * size->strands;
    return rows * (double)size->database_letters / (rate * (size->threads > 0 ? size->threads : 1));
}

int sw_search_is_short(const sw_search_request *request, const char *db) {
    wl_cpu_core cores[SPEEDS];
    const char *why;
    for (size_t i = 0; i < SPEEDS; i++) cores[i] = (wl_cpu_core){speeds[i].isa, &speeds[i]};
    const wl_cpu_core *found = wl_cpu_choose(cores, SPEEDS, &why);
    const sw_set *queries = &request->queries->set;
    const sw_search_size size = {.letters = queries->letters,
                                 .queries = queries->count,
                                 .strands = request->strands == (SW_PLUS | SW_MINUS) ? 2 : 1,
                                 .database_letters = sw_database_letters_about(db),
                                 .threads = request->threads > 0 ? request->threads : wl_cpu_threads()};
    return found != NULL && sw_search_seconds(&size, found->isa) < CUDA_SECONDS;
}

static int is_file_up_to(const char *path, off_t most) {
    struct stat found;
    return strcmp(path, "-") != 0 && stat(path, &found) == 0 && S_ISREG(found.st_mode) && found.st_size <= most;
}

int sw_queries_are_few(const char *path) { return is_file_up_to(path, 1 << 16); }

/* Whether the first queries are there in a fraction of a second: the file is small, or they arrive. */
static int queries_are_soon(const char *path) {
    return strcmp(path, "-") == 0 ? sw_queries_arrive() : is_file_up_to(path, 16 << 20);
}

/* That there is no such GPU is said before minutes of reading, and not after a tenth of a second of it. */
wl_status sw_search_devices_begin(const char *device, int in_parts, const char *query, const char *db,
                                  sw_search_request *request, sw_search_devices *devices) {
    devices->db = db;
    devices->waits_for_queries =
        strcmp(device, "auto") == 0 && request->pattern == NULL && !in_parts && sw_queries_are_few(query);
    if (devices->waits_for_queries) return WL_OK;
    wl_devices_begin(device, &devices->coming);
    int is_soon = devices->coming.has_thread && sw_database_is_mapped(db) && queries_are_soon(query);
    if (in_parts) is_soon &= sw_database_letters_about(db) < HASHED_SOON; // every part reads all of it for its hash
    return is_soon ? WL_OK : sw_search_devices_wait(devices, request);
}

void sw_search_devices_choose(const sw_search_request *request, sw_search_devices *devices) {
    if (!devices->waits_for_queries) return;
    wl_devices_begin(sw_search_is_short(request, devices->db) ? "cpu" : "auto", &devices->coming);
}

wl_status sw_search_devices_wait(sw_search_devices *devices, sw_search_request *request) {
    return wl_devices_wait(&devices->coming, &request->devices, &request->device_count);
}
