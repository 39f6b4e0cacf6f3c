#include "harness/base/timings.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/clock.h"

enum { PIECE = 1 << 20, SAMPLE = 128 << 20 }; // bytes that are moved at a time, and in all

typedef struct {
    double seconds, bytes, bound;
    const char *how;
} part;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static part parts[WL_PHASES];
static double begun_at, whole;
static int wanted;
static void (*of_devices)(void);

static const char *const names[WL_PHASES] = {"start",     "read",  "pack",   "copy", "kernel",
                                             "copy back", "align", "format", "write"};

void wl_timings_begin(void) {
    memset(parts, 0, sizeof parts);
    begun_at = wl_now();
    whole = 0;
    wanted = 1;
}

void wl_timings_stop(void) { whole = wl_now() - begun_at; }

int wl_timings_wanted(void) { return wanted; }

double wl_timings_now(void) { return wanted ? wl_now() : 0; }

void wl_timings_add(wl_phase phase, double seconds, double bytes) {
    if (!wanted) return;
    pthread_mutex_lock(&lock);
    parts[phase].seconds += seconds;
    parts[phase].bytes += bytes;
    pthread_mutex_unlock(&lock);
}

void wl_timings_since(wl_phase phase, double begun, double bytes) {
    if (wanted) wl_timings_add(phase, wl_now() - begun, bytes);
}

double wl_timings_spent(wl_phase phase) {
    pthread_mutex_lock(&lock);
    const double seconds = parts[phase].seconds;
    pthread_mutex_unlock(&lock);
    return seconds;
}

void wl_timings_bound(wl_phase phase, double rate, const char *how) {
    pthread_mutex_lock(&lock);
    parts[phase].bound = rate;
    parts[phase].how = how;
    pthread_mutex_unlock(&lock);
}

/* --- Bounds ------------------------------------------------------------------------------------------------------ */

/* Bytes per second; 0: it could not be done. */
static double read_rate(const char *path, char *piece) {
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat found;
    if (file < 0) return 0;
    size_t bytes = 0;
    const double begun = wl_now();
    while (fstat(file, &found) == 0 && S_ISREG(found.st_mode) && bytes < SAMPLE) {
        const ssize_t got = read(file, piece, PIECE);
        if (got <= 0) break;
        bytes += (size_t)got;
    }
    close(file);
    return bytes > 0 ? (double)bytes / (wl_now() - begun) : 0;
}

static double copy_rate(const char *piece) {
    enum { ROOM = 64 << 20 };
    char *to = malloc(ROOM);
    if (to == NULL) return 0;
    memset(to, 1, ROOM); // so that its pages are there
    const double begun = wl_now();
    for (size_t at = 0; at < ROOM; at += PIECE) memcpy(to + at, piece, PIECE);
    const double rate = ROOM / (wl_now() - begun);
    const volatile char last = to[ROOM - 1]; // which has to be copied
    (void)last;
    free(to);
    return rate;
}

static double write_rate(const char *path, const char *piece) {
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
    if (folder == NULL) return 0;
    const int file = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600); // a file without a name
    free(folder);
    if (file < 0) return 0;
    size_t bytes = 0;
    const double begun = wl_now();
    while (bytes < SAMPLE && write(file, piece, PIECE) == PIECE) bytes += PIECE;
    const double rate = bytes > 0 ? (double)bytes / (wl_now() - begun) : 0;
    close(file);
    return rate;
}

void wl_timings_on_measure(void (*measure)(void)) { of_devices = measure; }

void wl_timings_measure(const char *input, const char *output) {
    if (!wanted) return;
    if (of_devices) of_devices();
    char *piece = malloc(PIECE);
    if (piece == NULL) return;
    memset(piece, 'x', PIECE);
    const double copied = copy_rate(piece);
    wl_timings_bound(WL_PHASE_PACK, copied, "copying in memory, one thread");
    wl_timings_bound(WL_PHASE_FORMAT, copied, "copying in memory, one thread");
    if (output) wl_timings_bound(WL_PHASE_WRITE, write_rate(output, piece), "writing a file there, one thread");
    if (input) wl_timings_bound(WL_PHASE_READ, read_rate(input, piece), "reading the file again, one thread");
    free(piece);
}

/* --- The table --------------------------------------------------------------------------------------------------- */

static void print_number(FILE *stream, double number, const char *format) {
    fputc('\t', stream);
    if (number > 0)
        fprintf(stream, format, number);
    else
        fputs("NA", stream);
}

void wl_timings_print(FILE *stream) {
    fprintf(stream, "part\tseconds\tbytes\tgb_per_s\tbound_gb_per_s\tbound\n");
    for (int p = 0; p < WL_PHASES; p++) {
        const part *of = &parts[p];
        if (of->seconds <= 0) continue;
        fprintf(stream, "%s\t%.4f", names[p], of->seconds);
        print_number(stream, of->bytes, "%.0f");
        print_number(stream, of->bytes / of->seconds / 1e9, "%.3g");
        print_number(stream, of->bound / 1e9, "%.3g");
        fprintf(stream, "\t%s\n", of->bound > 0 ? of->how : "NA");
    }
    fprintf(stream, "all\t%.4f\tNA\tNA\tNA\tNA\n", whole);
}
