#include "tools/search/queries.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/memory.h"
#include "harness/base/thread.h"
#include "io/database/database.h"

#define EXPECTED "FASTA or FASTQ"

/* --- All of a file ----------------------------------------------------------------------------------------------- */

static wl_status open_queries(const char *path, const sw_query_reading *reading, wl_bytes **bytes) {
    const int may_be_empty = reading->left_out && reading->left_out->may_leave_none;
    WL_TRY(may_be_empty ? wl_bytes_open_or_empty(path, EXPECTED, bytes) : wl_bytes_open(path, EXPECTED, bytes));
    wl_bytes_leave_out(*bytes, reading->left_out);
    wl_bytes_expect_letters(*bytes, sw_letters_expected(reading->alphabet));
    return WL_OK;
}

static void make_codes(sw_alphabet alphabet, int8_t code[256]) {
    for (int letter = 0; letter < 256; letter++) code[letter] = (int8_t)sw_code(alphabet, letter);
}

/* Those that are left out go. */
static wl_status examine_all(const char *name, const sw_query_reading *reading, wl_sequences *sequences) {
    int8_t code[256];
    size_t kept = 0;
    wl_status status = WL_OK;
    make_codes(reading->alphabet, code);
    for (size_t i = 0; i < sequences->count; i++) {
        wl_sequence *sequence = &sequences->items[i];
        int is_kept = 1;
        if (status == WL_OK)
            status =
                sw_examine(name, sequence, reading->alphabet, code, reading->strips_gaps, reading->left_out, &is_kept);
        if (is_kept || status != WL_OK)
            sequences->items[kept++] = *sequence;
        else
            free(sequence->letters);
    }
    sequences->count = kept;
    return status == WL_OK && kept == 0 ? wl_refuse_all_left_out(name, reading->left_out) : status;
}

wl_status sw_queries_read(const char *path, const sw_query_reading *reading, sw_owned_set *queries) {
    wl_bytes *bytes;
    wl_sequences sequences;
    WL_TRY(open_queries(path, reading, &bytes));
    wl_status status = sw_database_refuse(bytes);
    if (status == WL_OK) status = wl_sequences_read_bytes(bytes, &sequences);
    const char *name = wl_bytes_name(bytes);
    wl_bytes_close(bytes);
    if (status != WL_OK) return status;
    status = examine_all(name, reading, &sequences);
    if (status == WL_OK) status = sw_set_encode(name, &sequences, reading->alphabet, 0, queries);
    wl_sequences_free(&sequences);
    return status;
}

/* --- As they arrive ---------------------------------------------------------------------------------------------- */

/* The thread waits when so much has arrived that nobody has taken. */
enum { MOST_WAITING = 1 << 14, MOST_LETTERS = 1 << 24 };

struct sw_incoming {
    sw_query_reading reading;
    int8_t code[256]; // sw_code of every byte
    pthread_t thread;
    int stop[2]; // a pair of sockets: the thread's reading ends when stop[0] is closed, see wl_bytes_watch

    pthread_mutex_t lock; // of all below
    pthread_cond_t arrived, taken;
    wl_sequence *items; // [count]
    size_t count;
    uint64_t letters; // of all items
    int closing, ended;
    wl_saved_error failure; // of reading
};

int sw_queries_arrive(void) {
    struct stat found;
    return fstat(STDIN_FILENO, &found) == 0 && !S_ISREG(found.st_mode);
}

/* A copy of the query that has arrived, if it is one: what is wrong with it must not come up among the queries before it. *kept: it is
   not left out. */
static wl_status check(const sw_incoming *in, const wl_sequence *sequence, wl_sequence *own, int *kept) {
    const sw_query_reading *reading = &in->reading;
    if (!wl_sequence_copy(sequence, &(size_t){0}, own))
        return wl_fail(WL_NO_MACHINE, "standard input:%zu: not enough memory for a query", sequence->line);
    WL_TRY(
        sw_examine("standard input", own, reading->alphabet, in->code, reading->strips_gaps, reading->left_out, kept));
    return *kept ? sw_encode("standard input", own, reading->alphabet, in->code, NULL) : WL_OK;
}

static wl_status arrive(void *context, const wl_sequence *sequence) {
    sw_incoming *in = context;
    wl_sequence own = {0};
    int kept = 1;
    wl_status status = check(in, sequence, &own, &kept);
    if (!kept) {
        free(own.letters);
        return status;
    }
    pthread_mutex_lock(&in->lock);
    while (status == WL_OK && !in->closing && (in->count >= MOST_WAITING || in->letters >= MOST_LETTERS))
        pthread_cond_wait(&in->taken, &in->lock);
    if (status == WL_OK && !WL_GROW(in->items, in->count, 1))
        status = wl_fail(WL_NO_MACHINE, "standard input:%zu: not enough memory for %zu queries", sequence->line,
                         in->count + 1);
    if (status == WL_OK && in->closing) status = wl_fail(WL_BAD_INPUT, "standard input: reading was given up");
    if (status == WL_OK) {
        in->items[in->count++] = own;
        in->letters += own.length;
        pthread_cond_signal(&in->arrived);
    }
    pthread_mutex_unlock(&in->lock);
    if (status != WL_OK) free(own.letters);
    return status;
}

static wl_status read_input(sw_incoming *in) {
    struct pollfd ends[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = in->stop[1]}};
    wl_bytes *bytes;
    while (poll(ends, 2, -1) < 0 && errno == EINTR) continue; // wl_bytes_open waits for the first bytes
    if (ends[1].revents & (POLLHUP | POLLERR)) return WL_OK;
    WL_TRY(open_queries("-", &in->reading, &bytes));
    wl_bytes_watch(bytes, in->stop[1]);
    wl_bytes_at_once(bytes);
    wl_status status = sw_database_refuse(bytes);
    if (status == WL_OK) status = wl_sequences_each_at_once(bytes, arrive, in);
    wl_bytes_close(bytes);
    return status;
}

static void *read_queries(void *user) {
    sw_incoming *in = user;
    const wl_status status = read_input(in);
    pthread_mutex_lock(&in->lock);
    in->ended = 1;
    wl_save_error(&in->failure, 0, status);
    pthread_cond_signal(&in->arrived);
    pthread_mutex_unlock(&in->lock);
    return NULL;
}

wl_status sw_incoming_open(const sw_query_reading *reading, sw_incoming **incoming) {
    sw_incoming *in = calloc(1, sizeof *in);
    if (in == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory to read queries");
    in->reading = *reading;
    make_codes(reading->alphabet, in->code);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in->stop) != 0) {
        free(in);
        return wl_fail(WL_NO_MACHINE, "standard input: cannot make a socket: %s", strerror(errno));
    }
    pthread_mutex_init(&in->lock, NULL);
    pthread_cond_init(&in->arrived, NULL);
    pthread_cond_init(&in->taken, NULL);
    if (wl_thread_start(&in->thread, read_queries, in)) {
        *incoming = in;
        return WL_OK;
    }
    close(in->stop[0]);
    close(in->stop[1]);
    free(in);
    return wl_fail(WL_NO_MACHINE, "standard input: cannot start a thread");
}

/* Under the lock: the first items become `some`. */
static wl_status take(sw_incoming *in, size_t count, wl_sequences *some) {
    *some = (wl_sequences){.items = malloc((count + 1) * sizeof *some->items), .count = count};
    if (some->items == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu queries", count);
    memcpy(some->items, in->items, count * sizeof *some->items);
    memmove(in->items, in->items + count, (in->count - count) * sizeof *in->items);
    in->count -= count;
    for (size_t i = 0; i < count; i++) in->letters -= some->items[i].length;
    pthread_cond_signal(&in->taken);
    return WL_OK;
}

wl_status sw_incoming_take(sw_incoming *in, int wait, size_t most_queries, uint64_t enough, sw_owned_set *queries) {
    wl_sequences some = {0};
    wl_status status = WL_OK;
    *queries = (sw_owned_set){0};
    pthread_mutex_lock(&in->lock);
    while (wait && in->count == 0 && !in->ended) pthread_cond_wait(&in->arrived, &in->lock);
    size_t count = 0;
    for (uint64_t letters = 0; count < in->count && count < most_queries && letters < enough; count++)
        letters += in->items[count].length;
    if (count > 0)
        status = take(in, count, &some);
    else if (wait && in->ended)
        status = wl_saved_error_again(&in->failure);
    pthread_mutex_unlock(&in->lock);
    if (status == WL_OK && count > 0) status = sw_set_encode("standard input", &some, in->reading.alphabet, 0, queries);
    if (some.items) wl_sequences_free(&some);
    return status;
}

void sw_incoming_close(sw_incoming *in) {
    if (in == NULL) return;
    pthread_mutex_lock(&in->lock);
    in->closing = 1;
    pthread_cond_signal(&in->taken);
    pthread_mutex_unlock(&in->lock);
    close(in->stop[0]); // ends a wait for bytes
    pthread_join(in->thread, NULL);
    close(in->stop[1]);
    wl_sequences_free(&(wl_sequences){in->items, in->count});
    pthread_cond_destroy(&in->arrived);
    pthread_cond_destroy(&in->taken);
    pthread_mutex_destroy(&in->lock);
    free(in);
}
