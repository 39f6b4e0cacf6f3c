/* BCF: htslib reads a file itself, and unpacks it with all threads. A stream can be opened once, and io/bytes has looked at it: what
   io/bytes unpacks of it is handed to htslib through a socket. */
#include <errno.h>
#include <omp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <htslib/hts_log.h>

#include "tools/distances/read/formats.h"
#include "tools/distances/read/variants.h"
#include "harness/base/thread.h"

static wl_status read_records(distances_variants *v, htsFile *file, bcf_hdr_t *header, bcf1_t *record) {
    for (unsigned long long number = 1;; number++) {
        char place[4200];
        snprintf(place, sizeof place, "%.4000s: record %llu", v->rows->file, number);
        int result = bcf_read(file, header, record);
        if (result == -1) return distances_variants_finish(v);
        if (result < -1)
            return wl_fail(WL_BAD_INPUT,
                           "%s: found what htslib cannot read; expected a record of BCF, or the file's end", place);
        WL_TRY(distances_variant_errors(record, result, place));
        WL_TRY(distances_variant(v, header, record, place));
    }
}

static wl_status read_header(distances_variants *v, const bcf_hdr_t *header) {
    distances_rows *rows = v->rows;
    rows->place = "column"; // of the header's line, were it VCF; htslib has refused names that occur twice
    v->samples = (size_t)bcf_hdr_nsamples(header);
    if (v->samples == 0) return wl_fail(WL_BAD_INPUT, "%s: found no sample; expected at least one", rows->file);
    for (size_t i = 0; i < v->samples; i++)
        WL_TRY(distances_rows_name(rows, header->samples[i], strlen(header->samples[i]), i + 10));
    return WL_OK;
}

static wl_status read_open(distances_variants *v, htsFile *file) {
    const char *name = v->rows->file;
    if (hts_get_format(file)->format != bcf)
        return wl_fail(WL_BAD_INPUT, "%s: found %s; expected BCF", name,
                       hts_format_file_extension(hts_get_format(file)));
    if (hts_check_EOF(file) == 0)
        return wl_fail(WL_BAD_INPUT, "%s: the file is cut short: found no end-of-file block; expected one", name);
    if (omp_get_max_threads() > 1) hts_set_threads(file, omp_get_max_threads()); // to unpack; it may fail
    bcf_hdr_t *header = bcf_hdr_read(file);
    bcf1_t *record = bcf_init();
    wl_status status;
    if (header == NULL)
        status = wl_fail(WL_BAD_INPUT, "%s: found a header that htslib cannot read; expected BCF's, samples named once",
                         name);
    else if (record == NULL)
        status = wl_fail(WL_NO_MACHINE, "%s: not enough memory to read it", name);
    else
        status = read_header(v, header);
    if (status == WL_OK) status = read_records(v, file, header, record);
    if (record) bcf_destroy(record);
    if (header) bcf_hdr_destroy(header);
    return status;
}

static wl_status read_file(distances_rows *rows, htsFile *file) {
    distances_variants variants = {.rows = rows};
    wl_status status = file ? read_open(&variants, file)
                            : wl_fail(WL_BAD_INPUT, "%s: cannot open: %s; expected BCF", rows->file, strerror(errno));
    if (file) hts_close(file);
    distances_variants_drop(&variants);
    return status;
}

/* --- Streams ----------------------------------------------------------------------------------------------------- */

typedef struct {
    wl_bytes *bytes;
    int to; // a socket: unlike a pipe, it can be written to without a signal where the reader has gone
    wl_saved_error failure;
} feed;

static void *hand_on(void *user) {
    feed *f = user;
    size_t count = 1;
    while (count > 0) {
        const unsigned char *chunk;
        const wl_status status = wl_bytes_chunk(f->bytes, &chunk, &count);
        if (status != WL_OK) {
            struct pollfd to = {.fd = f->to}; // where nobody reads any more, nobody asks for it
            if (poll(&to, 1, 0) <= 0 || !(to.revents & POLLHUP)) wl_save_error(&f->failure, 0, status);
            break;
        }
        for (ssize_t sent; count > 0 && (sent = send(f->to, chunk, count, MSG_NOSIGNAL)) != (ssize_t)count;) {
            if (sent < 0 && errno != EINTR) return NULL; // nobody reads any more
            if (sent < 0) sent = 0;
            chunk += sent;
            count -= (size_t)sent;
        }
    }
    shutdown(f->to, SHUT_WR);
    return NULL;
}

static wl_status read_stream(distances_rows *rows, wl_bytes *bytes) {
    int ends[2];
    feed f = {.bytes = bytes};
    pthread_t thread;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return wl_fail(WL_NO_MACHINE, "%s: cannot make a socket: %s", rows->file, strerror(errno));
    f.to = ends[1];
    wl_bytes_watch(bytes, ends[1]); // after a failure, the stream's next bytes need never come
    if (!wl_thread_start(&thread, hand_on, &f)) {
        close(ends[0]);
        close(ends[1]);
        return wl_fail(WL_NO_MACHINE, "%s: cannot start a thread", rows->file);
    }
    hFILE *end = hdopen(ends[0], "r");
    htsFile *file = end ? hts_hopen(end, rows->file, "r") : NULL;
    const int error = errno;
    if (end == NULL)
        close(ends[0]);
    else if (file == NULL)
        hclose_abruptly(end);
    errno = error;
    wl_status status = read_file(rows, file);
    pthread_join(thread, NULL);
    wl_bytes_watch(bytes, -1);
    close(ends[1]);
    return f.failure.status == WL_OK ? status : wl_saved_error_again(&f.failure);
}

wl_status distances_read_bcf(distances_rows *rows, wl_bytes *bytes, const char *path) {
    struct stat found;
    enum htsLogLevel level = hts_get_log_level();
    hts_set_log_level(HTS_LOG_OFF); // what is wrong is told in one line, and by us
    const int is_file = strcmp(path, "-") != 0 && stat(path, &found) == 0 && S_ISREG(found.st_mode);
    wl_status status = is_file ? read_file(rows, hts_open(path, "r")) : read_stream(rows, bytes);
    hts_set_log_level(level);
    return status;
}
