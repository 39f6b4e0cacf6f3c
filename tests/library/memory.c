/* Memory that runs out: every function of the library is called with the first allocation failing, then the second, and so on until
   none fails. Each time it must say WARPLADDER_NO_MACHINE, or give the result that it gives with memory, and give back what it has
   taken (the leak checker of the `sanitize` preset looks). The linker hands all calls of malloc and its kin to the functions
   below, those of LAPACK too. */
#include <limits.h>
#include <stdatomic.h>

#include "tests/library/data.h"

static atomic_long left = LONG_MAX; // allocations until one fails, and all after it

static int fails(void) { return atomic_fetch_sub(&left, 1) <= 0; }

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t to, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t to, size_t size);
void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return fails() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *old, size_t size) { return fails() ? NULL : __real_realloc(old, size); }
void *__wrap_aligned_alloc(size_t to, size_t size) { return fails() ? NULL : __real_aligned_alloc(to, size); }

static clib_data data;
static warpladder_database *database;

/* Each returns a number of its result. */
typedef warpladder_status call(warpladder *session, double *result);

static warpladder_status distances(warpladder *session, double *result) {
    double distance[ROWS * ROWS];
    const warpladder_status status =
        warpladder_distances_letters(session, NULL, data.letters[0], ROWS, SITES, distance, NULL);
    *result = distance[1];
    return status;
}

static warpladder_status numbers(warpladder *session, double *result) {
    static const double values[] = {0.5, 1, 2, 3, 4, 5.5};
    double distance[9];
    warpladder_distance_options options = WARPLADDER_DISTANCE_OPTIONS;
    options.measure = WARPLADDER_MANHATTAN;
    const warpladder_status status = warpladder_distances_numbers(session, &options, values, 3, 2, distance, NULL);
    *result = distance[2];
    return status;
}

static warpladder_status make_database(warpladder *session, double *result) {
    warpladder_database *made;
    const warpladder_status status = warpladder_database_make(session, data.protein, PROTEINS, 0, &made);
    if (status == WARPLADDER_OK) *result = (double)warpladder_database_letters(made);
    warpladder_database_close(made);
    return status;
}

static warpladder_status search(warpladder *session, double *result) {
    warpladder_hits *hits;
    size_t count;
    const warpladder_status status = warpladder_search(session, NULL, database, data.protein, QUERIES, &hits);
    if (status == WARPLADDER_OK) *result = warpladder_hits_items(hits, &count)[1].evalue;
    warpladder_hits_close(hits);
    return status;
}

static warpladder_status likelihood(warpladder *session, double *result) {
    warpladder_likelihood *made;
    warpladder_model model = WARPLADDER_MODEL;
    warpladder_status status = warpladder_likelihood_open(session, NULL, data.row, ROWS, data.newick, 0, &made);
    if (status != WARPLADDER_OK) return status;
    model.name = "K80";
    status = warpladder_likelihood_set_model(made, &model);
    if (status == WARPLADDER_OK) status = warpladder_likelihood_evaluate(made, result, NULL);
    warpladder_likelihood_close(made);
    return status;
}

static warpladder_status reads(warpladder *session, double *result) {
    warpladder_alignment *made;
    const warpladder_status status =
        warpladder_align_reads(session, NULL, data.row, ROWS, data.newick, data.read, READS, &made);
    if (status == WARPLADDER_OK) *result = warpladder_alignment_placements(made)[READS - 1].score;
    warpladder_alignment_close(made);
    return status;
}

static void try_call(warpladder *session, const char *name, call *function) {
    double expected = 0;
    clib_ok(session, function(session, &expected)); // and what is made at first use is there
    for (long allocations = 0; allocations < 20000; allocations += 1 + allocations / 20) { // later ones are alike
        double result = 0;
        atomic_store(&left, allocations);
        const warpladder_status status = function(session, &result);
        const int none_failed = atomic_exchange(&left, LONG_MAX) > 0;
        if (status != WARPLADDER_OK && status != WARPLADDER_NO_MACHINE)
            printf("%s: status %d with %ld allocations: %s\n", name, (int)status, allocations,
                   warpladder_error(session));
        MUST(status == WARPLADDER_NO_MACHINE ? *warpladder_error(session) != 0 : status == WARPLADDER_OK);
        MUST(status != WARPLADDER_OK || result == expected);
        if (none_failed) {
            printf("%s: %ld allocations\n", name, allocations);
            return;
        }
    }
    MUST(!"memory never sufficed");
}

int main(void) {
    static const struct {
        const char *name;
        call *function;
    } calls[] = {{"distances", distances}, {"numbers", numbers},       {"database", make_database},
                 {"search", search},       {"likelihood", likelihood}, {"reads", reads}};
    warpladder *session;
    clib_make(19, &data);
    MUST(warpladder_open("cpu", &session) == WARPLADDER_OK);
    clib_ok(session, warpladder_set_threads(session, 1));
    clib_ok(session, warpladder_database_make(session, data.protein, PROTEINS, 0, &database));
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) try_call(session, calls[i].name, calls[i].function);
    warpladder_database_close(database);
    warpladder_close(session);
    atomic_store(&left, 0);
    MUST(warpladder_open("cpu", &session) == WARPLADDER_NO_MACHINE && session == NULL);
    return 0;
}
