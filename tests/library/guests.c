/* The library is a guest: it prints nothing, leaves signals, locale and OpenMP as they are, and refuses wrong arguments
   with a line. */
#include <locale.h>
#include <omp.h>
#include <signal.h>
#include <unistd.h>

#include "tests/library/data.h"

enum { SIGNALS = 32 };

static void look_at_signals(void (*handlers[SIGNALS])(int)) {
    for (int s = 1; s < SIGNALS; s++) {
        struct sigaction action;
        handlers[s] = sigaction(s, NULL, &action) == 0 ? action.sa_handler : SIG_ERR;
    }
}

static void refuse(const warpladder *session, warpladder_status found, warpladder_status expected, const char *text) {
    clib_said = warpladder_error(session);
    MUST(found == expected);
    MUST(strstr(clib_said, text) != NULL);
    MUST(strchr(clib_said, '\n') == NULL);
}

static void refuse_arguments(warpladder *session, const clib_data *d) {
    double distance[4], total;
    warpladder_database *database;
    warpladder_hits *hits;
    warpladder_likelihood *likelihood;
    warpladder_alignment *alignment;
    warpladder_distance_options distances = WARPLADDER_DISTANCE_OPTIONS;
    refuse(session, warpladder_distances_letters(session, NULL, NULL, 1, 1, distance, NULL), WARPLADDER_BAD_ARGUMENT,
           "NULL");
    refuse(session, warpladder_distances_letters(session, NULL, "AC", 2, 1, NULL, NULL), WARPLADDER_BAD_ARGUMENT,
           "distance: found NULL");
    refuse(session, warpladder_distances_letters(session, NULL, "AC", 0, 2, distance, NULL), WARPLADDER_BAD_INPUT,
           "found 0 rows");
    distances.size += 8;
    refuse(session, warpladder_distances_letters(session, &distances, "AC", 2, 1, distance, NULL),
           WARPLADDER_BAD_ARGUMENT, "options: found a size of");
    distances.size = 0;
    refuse(session, warpladder_distances_letters(session, &distances, "AC", 2, 1, distance, NULL),
           WARPLADDER_BAD_ARGUMENT, "options: found a size of 0");
    distances.size = sizeof distances;
    distances.measure = (warpladder_measure)99;
    refuse(session, warpladder_distances_letters(session, &distances, "AC", 2, 1, distance, NULL),
           WARPLADDER_BAD_ARGUMENT, "measure: found 99");
    refuse(session, warpladder_database_make(session, d->protein, 0, 0, &database), WARPLADDER_BAD_INPUT, "none");
    MUST(database == NULL);
    refuse(session, warpladder_database_open(session, "/nonexistent/file", 0, &database), WARPLADDER_BAD_INPUT,
           "/nonexistent/file");
    refuse(session, warpladder_search(session, NULL, NULL, d->protein, 1, &hits), WARPLADDER_BAD_ARGUMENT,
           "database: found NULL");
    MUST(hits == NULL);
    refuse(session, warpladder_likelihood_open(session, NULL, d->row, ROWS, NULL, 0, &likelihood),
           WARPLADDER_BAD_ARGUMENT, "tree: found NULL");
    refuse(session, warpladder_likelihood_open(session, NULL, d->row, ROWS, "(t0:1,t1:1);", 0, &likelihood),
           WARPLADDER_BAD_INPUT, "t2");
    MUST(likelihood == NULL);
    clib_ok(session, warpladder_likelihood_open(session, NULL, d->row, ROWS, d->newick, 0, &likelihood));
    refuse(session, warpladder_likelihood_evaluate(likelihood, NULL, NULL), WARPLADDER_BAD_ARGUMENT, "total");
    clib_ok(session, warpladder_likelihood_evaluate(likelihood, &total, NULL));
    refuse(session, warpladder_likelihood_set_lengths(likelihood, NULL), WARPLADDER_BAD_ARGUMENT, "length");
    warpladder_likelihood_close(likelihood);
    refuse(session, warpladder_align_reads(session, NULL, d->row, ROWS, d->newick, d->row, 1, &alignment),
           WARPLADDER_BAD_INPUT, "reads:1: read 't0': has the name of the row");
    MUST(alignment == NULL);
    refuse(session, warpladder_set_threads(session, -1), WARPLADDER_BAD_ARGUMENT, "threads: found -1");
    refuse(NULL, warpladder_set_threads(NULL, 1), WARPLADDER_BAD_ARGUMENT, "there is no session");
}

static void refuse_devices(void) {
    static const struct {
        const char *device, *text;
        warpladder_status status;
    } wrong[] = {{"tpu", "device: 'tpu' is no device", WARPLADDER_BAD_ARGUMENT},
                 {"sim", "no simulated device", WARPLADDER_BAD_ARGUMENT},
                 {"gpu:99", "", WARPLADDER_NO_MACHINE}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        warpladder *session;
        double distance[1];
        const warpladder_status status = warpladder_open(wrong[i].device, &session);
        refuse(session, status, wrong[i].status, wrong[i].text);
        MUST(warpladder_distances_letters(session, NULL, "A", 1, 1, distance, NULL) == WARPLADDER_BAD_ARGUMENT);
        warpladder_close(session);
    }
}

/* What the library writes to the standard streams while it works. */
static long bytes_printed(FILE *instead, const clib_data *d) {
    static clib_results results;
    warpladder *session;
    warpladder_database *database;
    const int out = dup(STDOUT_FILENO), error = dup(STDERR_FILENO);
    clib_told = fdopen(dup(out), "w");
    fflush(NULL);
    dup2(fileno(instead), STDOUT_FILENO);
    dup2(fileno(instead), STDERR_FILENO);
    MUST(warpladder_open("cpu", &session) == WARPLADDER_OK);
    clib_ok(session, warpladder_database_make(session, d->protein, PROTEINS, 0, &database));
    clib_run(session, d, database, &results);
    refuse_arguments(session, d);
    refuse_devices();
    warpladder_database_close(database);
    warpladder_close(session);
    fflush(NULL);
    dup2(out, STDOUT_FILENO);
    dup2(error, STDERR_FILENO);
    close(out);
    close(error);
    fclose(clib_told);
    clib_told = NULL;
    fseek(instead, 0, SEEK_END);
    return ftell(instead);
}

int main(void) {
    static clib_data data;
    void (*before[SIGNALS])(int) = {0}, (*after[SIGNALS])(int) = {0};
    FILE *instead = tmpfile();
    clib_make(18, &data);
    MUST(instead != NULL);
    locale_t locale = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
    if (locale != (locale_t)0) uselocale(locale);
    const locale_t used = uselocale((locale_t)0);
    omp_set_num_threads(3);
    look_at_signals(before);
    MUST(bytes_printed(instead, &data) == 0);
    look_at_signals(after);
    MUST(memcmp(before, after, sizeof before) == 0);
    MUST(uselocale((locale_t)0) == used);
    MUST(omp_get_max_threads() == 3);
    fclose(instead);
    uselocale(LC_GLOBAL_LOCALE);
    if (locale != (locale_t)0) freelocale(locale);
    return 0;
}
