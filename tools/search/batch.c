#include "tools/search/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"

/* --- How large ---------------------------------------------------------------------------------------------------- */

/* A batch reads the database once, so it should be long; but its results come
   when it is finished, and what it found is in memory until then. So: some
   seconds of work. */
static double cells_wanted(const sw_search_request *request) {
    static const double a_device[WL_BACKENDS] = {[WL_CPU] = 2e11, [WL_GPU] = 4e12, [WL_SIM] = 1e9};
    return a_device[request->devices[0].backend] * (double)request->device_count;
}

enum { LETTERS_MOST = 1 << 24 };

size_t sw_batch_most(const sw_search_request *request) {
    return request->most_queries > 0 ? request->most_queries : 1 << 14;
}

/* About how many of the database's letters are searched. */
static double letters_searched(const sw_search_request *request) {
    const sw_set *set = &request->database->set;
    const size_t end = request->first_subject + request->subjects;
    if (request->subjects == 0) return (double)set->letters;
    return (double)(set->start[end - 1] + set->length[end - 1] - set->start[request->first_subject]);
}

uint64_t sw_batch_enough(const sw_search_request *request) {
    /* A database larger than a GPU's memory is copied anew for every batch: 16 K
     letters take thirty times as long to compute as to copy. */
    const uint64_t least = request->devices[0].backend == WL_GPU ? 1 << 14 : 1;
    const double wanted = ceil(cells_wanted(request) / letters_searched(request));
    return wanted < (double)least ? least : wanted > LETTERS_MOST ? LETTERS_MOST : (uint64_t)wanted;
}

size_t sw_batch_size(const sw_search_request *request, size_t first) {
    const sw_set *queries = &request->queries->set;
    const uint64_t enough = sw_batch_enough(request);
    const size_t most = sw_batch_most(request);
    uint64_t letters = 0;
    size_t count = 0;
    while (first + count < queries->count && count < most && letters < enough) {
        uint64_t more = queries->length[first + count];
        if (count > 0 && letters + more > LETTERS_MOST) break;
        letters += more;
        count++;
    }
    return count;
}

/* --- Rows --------------------------------------------------------------------------------------------------------- */

static uint8_t complement(uint8_t code) {
    static const char letters[] = "ACGTRYSWKMBDHVN", opposite[] = "TGCAYRSWMKVHDBN";
    const char *at = strchr(letters, sw_letter(SW_NUCLEOTIDE, code));
    return at && *at ? (uint8_t)sw_code(SW_NUCLEOTIDE, opposite[at - letters]) : code;
}

static void reverse_complement(const sw_set *from, size_t s, const sw_set *to, size_t t) {
    const uint8_t *residues = from->residues + from->start[s];
    uint8_t *reversed = (uint8_t *)to->residues + to->start[t];
    for (uint32_t i = 0; i < from->length[s]; i++) reversed[i] = complement(residues[from->length[s] - 1 - i]);
}

static void copy(const sw_set *from, size_t s, const sw_set *to, size_t t) {
    memcpy((uint8_t *)to->residues + to->start[t], from->residues + from->start[s], from->length[s]);
}

static wl_status make_rows(const sw_search_request *request, sw_batch *batch) {
    sw_set queries = sw_set_part(&request->queries->set, batch->first, batch->count);
    batch->scan.queries = queries;
    if (!(request->strands & SW_MINUS)) return WL_OK;
    int both = (request->strands & SW_PLUS) != 0;
    size_t count = queries.count, rows = both ? 2 * count : count;
    uint32_t *lengths = malloc(rows * sizeof *lengths); // [rows]
    if (lengths == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu queries", rows);
    for (size_t r = 0; r < rows; r++) lengths[r] = queries.length[r % count];
    wl_status status = sw_set_allocate(rows, lengths, &batch->reverse_memory);
    free(lengths);
    if (status != WL_OK) return status;
    const sw_set *set = &batch->reverse_memory.set;
    for (size_t q = 0; q < count; q++) {
        if (both) copy(&queries, q, set, q);
        reverse_complement(&queries, q, set, rows - count + q);
    }
    batch->scan.queries = *set;
    return WL_OK;
}

wl_status sw_batch_make(const sw_search_request *request, size_t first, size_t count, sw_batch *batch) {
    const sw_database *database = request->database;
    *batch = (sw_batch){.first = first, .count = count};
    WL_TRY(make_rows(request, batch));
    size_t rows = batch->scan.queries.count;
    if (!WL_ALLOCATE(WL_ARRAY(batch->scan.hits, rows), WL_ZEROS(batch->space, count),
                     WL_ZEROS(batch->statistics, count))) {
        sw_batch_free(batch);
        return wl_fail(WL_NO_MACHINE, "not enough memory for the hits of %zu queries", rows);
    }
    for (size_t r = 0; r < rows; r++) {
        sw_space *space = &batch->space[r % count];
        sw_statistics *statistics = &batch->statistics[r % count];
        const sw_set *queries = &request->queries->set;
        if (r < count) // on both strands the same
            sw_statistics_of_query(request->scoring, request->statistics, queries->residues + queries->start[first + r],
                                   queries->length[first + r], statistics);
        *space = sw_space_of(statistics, batch->scan.queries.length[r], database->set.letters, database->set.count);
        int least = sw_score_for(statistics, space, request->evalue);
        if (least < request->least_score) least = request->least_score;
        sw_hits *hits = &batch->scan.hits[r];
        /* Which hits an alignment's identity leaves is known later. */
        const int filters = request->least_identity > 0 || request->least_coverage > 0;
        sw_hits_init(hits, filters ? database->set.count + 1 : request->most_hits, least);
        if (statistics->by_pair) {
            hits->statistics = statistics;
            hits->space = space;
            hits->evalue = request->evalue;
        }
    }
    return WL_OK;
}

void sw_batch_free(sw_batch *batch) {
    for (size_t r = 0; batch->scan.hits && r < batch->scan.queries.count; r++) sw_hits_free(&batch->scan.hits[r]);
    WL_FREE(batch->scan.hits, batch->space, batch->statistics);
    sw_owned_set_free(&batch->reverse_memory);
    *batch = (sw_batch){0};
}
