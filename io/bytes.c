#include "io/bytes.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "harness/base/thread.h"
#include "io/unpack.h"

struct wl_bytes {
    wl_unpacker from;
    int at_once;           // see wl_bytes_at_once
    wl_left_out *left_out; // see wl_bytes_leave_out
    const char *letters;   // see wl_bytes_expect_letters
    unsigned char unpacked[WL_BYTES_CHUNK];
    const unsigned char *text; // what its readers get: `unpacked`, or a piece of `ahead`
    size_t text_begin, text_end;
    int started, ended, failed;
    struct ahead *ahead; // NULL: whoever reads it unpacks it; else a thread does, which `from` belongs to

    wl_string line; // wl_bytes_line's
    size_t line_number;
};

/* Packed files that people feed to readers by mistake, or packed twice. */
#define LONGEST_LOOK 19 // a byte-order mark and wl_bytes_peek's 16
static const struct {
    const char *magic;
    size_t length;
    const char *name;
} packers[] = {
    {"\x1F\x8B", 2, "gzip"},     {"PK\x03\x04", 4, "zip"}, {"\xFF\xFE", 2, "UTF-16"}, {"\xFE\xFF", 2, "UTF-16"},
    {"\x1F\x9D", 2, "compress"}, {"BAM\x01", 4, "BAM"},    {"CRAM\x03", 5, "CRAM"},
};

static const char *packer_of(const unsigned char *text, size_t length) {
    for (size_t i = 0; i < sizeof packers / sizeof *packers; i++)
        if (length >= packers[i].length && memcmp(text, packers[i].magic, packers[i].length) == 0)
            return packers[i].name;
    return wl_packed_by(text, length);
}

/* NULL: it is plain. */
static const char *packed_by(const wl_unpacker *from) { return from->packed ? "gzip" : from->by.program; }

const char *wl_bytes_show(int byte, char text[16]) {
    snprintf(text, 16, byte > 0x20 && byte < 0x7F ? "'%c'" : byte == ' ' ? "a blank" : "byte 0x%02X", byte);
    return text;
}

const char *wl_bytes_name(const wl_bytes *bytes) { return bytes->from.name; }

int wl_bytes_plain_file(const wl_bytes *bytes, uint64_t *size) {
    struct stat found;
    if (packed_by(&bytes->from) || bytes->from.from_within || fstat(bytes->from.file, &found) != 0 ||
        !S_ISREG(found.st_mode))
        return -1;
    *size = (uint64_t)found.st_size;
    return bytes->from.file;
}

void wl_bytes_at_once(wl_bytes *bytes) { bytes->at_once = 1; }

void wl_bytes_leave_out(wl_bytes *bytes, wl_left_out *left_out) { bytes->left_out = left_out; }

wl_left_out *wl_bytes_left_out(const wl_bytes *bytes) { return bytes->left_out; }

void wl_bytes_expect_letters(wl_bytes *bytes, const char *letters) { bytes->letters = letters; }

const char *wl_bytes_letters(const wl_bytes *bytes) {
    return bytes->letters ? bytes->letters : "a letter, '-', '.', '*' or '?'";
}

void wl_bytes_watch(wl_bytes *bytes, int descriptor) { bytes->from.watched = descriptor; }

/* --- Unpacking ahead --------------------------------------------------------------------------------------------- */

/* Unpacking takes as long as what readers do with the text, so a thread unpacks the next pieces in the meantime. */
enum { PIECES = 8 };

typedef struct {
    unsigned char bytes[WL_BYTES_CHUNK];
    size_t count; // 0: the end, or a failure
    wl_status status;
    char error[1024];
} piece;

struct ahead {
    pthread_t thread;
    int stop[2]; // a pair of sockets: see wl_bytes_watch
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t made, taken; // pieces: number p is in pieces[p % PIECES]; the last one taken is being read
    int closing;
    piece pieces[PIECES];
};

/* Room for a piece, of which the reader has one. NULL: no more are wanted. */
static piece *next_piece(struct ahead *a) {
    pthread_mutex_lock(&a->lock);
    while (!a->closing && a->made - a->taken >= PIECES - 1) pthread_cond_wait(&a->changed, &a->lock);
    piece *next = a->closing ? NULL : &a->pieces[a->made % PIECES];
    pthread_mutex_unlock(&a->lock);
    return next;
}

static void *unpack_ahead(void *user) {
    wl_bytes *b = user;
    struct ahead *a = b->ahead;
    for (piece *p = next_piece(a); p != NULL; p = next_piece(a)) {
        p->count = 0;
        p->status = wl_unpacker_more(&b->from, p->bytes, &p->count);
        if (p->status != WL_OK) snprintf(p->error, sizeof p->error, "%s", wl_error()); // this thread's
        const int is_last = p->status != WL_OK || p->count == 0;
        pthread_mutex_lock(&a->lock);
        a->made++;
        pthread_cond_signal(&a->changed);
        pthread_mutex_unlock(&a->lock);
        if (is_last) break;
    }
    return NULL;
}

/* Where there can be no thread, none is needed. */
static void begin_ahead(wl_bytes *b) {
    struct ahead *a = malloc(sizeof *a);
    if (a == NULL) return;
    a->made = a->taken = 0;
    a->closing = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, a->stop) != 0) {
        free(a);
        return;
    }
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    b->ahead = a;
    b->from.watched = a->stop[1];
    if (wl_thread_start(&a->thread, unpack_ahead, b)) return;
    b->ahead = NULL;
    b->from.watched = -1;
    close(a->stop[0]);
    close(a->stop[1]);
    free(a);
}

/* Pieces are read up to their end before the next is taken. */
static wl_status take_ahead(wl_bytes *b) {
    struct ahead *a = b->ahead;
    pthread_mutex_lock(&a->lock);
    while (a->made == a->taken) pthread_cond_wait(&a->changed, &a->lock);
    const piece *p = &a->pieces[a->taken++ % PIECES];
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
    b->text = p->bytes;
    b->text_end = p->count;
    b->ended = p->count == 0 || p->status != WL_OK;
    return p->status == WL_OK ? WL_OK : wl_fail(p->status, "%s", p->error);
}

static void end_ahead(wl_bytes *b) {
    struct ahead *a = b->ahead;
    if (a == NULL) return;
    pthread_mutex_lock(&a->lock);
    a->closing = 1;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
    close(a->stop[0]); // ends a wait for bytes
    pthread_join(a->thread, NULL);
    close(a->stop[1]);
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    free(a);
    b->ahead = NULL;
}

/* --- What readers get -------------------------------------------------------------------------------------------- */

/* More bytes into `text`, which is empty or being looked at for the first time. */
static wl_status get_more(wl_bytes *b) {
    /* Short files need no thread; nor does a pipe whose reader waits for each answer, or one that is watched already. */
    if (b->started && b->from.packed && b->ahead == NULL && !b->at_once && b->from.watched < 0) begin_ahead(b);
    if (b->ahead) return take_ahead(b);
    const wl_status status = wl_unpacker_more(&b->from, b->unpacked, &b->text_end);
    b->text = b->unpacked;
    b->ended = b->from.done;
    return status;
}

/* Whether what is in `text` says what the file is: no packer begins with a marker or white space. */
static int is_told(const wl_bytes *b) {
    return b->text_end >= LONGEST_LOOK || (b->at_once && b->text_end > 0 && memchr(">@\n\r \t", b->text[0], 6));
}

/* Have unread bytes in `text`, unless the file is at its end. */
static wl_status text_fill(wl_bytes *b) {
    if (b->text_begin < b->text_end || b->ended) return WL_OK;
    b->text_begin = b->text_end = 0;
    /* The first time enough of them to see what they are. */
    do {
        wl_status status = get_more(b);
        if (status != WL_OK) {
            b->failed = 1;
            return status;
        }
    } while (!b->started && !b->ended && !is_told(b));
    const char *packer = b->started ? NULL : packer_of(b->text, b->text_end);
    if (packer) {
        const char *outer = packed_by(&b->from);
        b->failed = b->ended = 1;
        b->text_end = 0;
        return wl_fail(WL_BAD_INPUT, "%s: found %s data%s%s%s; expected %s, plain or gzip", b->from.name, packer,
                       outer ? " inside " : "", outer ? outer : "", outer ? " data" : "", b->from.expected);
    }
    if (!b->started && b->text_end >= 3 && memcmp(b->text, "\xEF\xBB\xBF", 3) == 0) {
        b->text_begin = 3;
        b->started = 1;
        return text_fill(b); // a file may be nothing else
    }
    b->started = 1;
    return WL_OK;
}

wl_status wl_bytes_open(const char *path, const char *expected, wl_bytes **bytes) {
    wl_bytes *opened = NULL;
    WL_TRY(wl_bytes_open_or_empty(path, expected, &opened));
    const wl_unpacker *from = &opened->from;
    if (!from->raw_done || from->end > 0 || from->packed) {
        *bytes = opened;
        return WL_OK;
    }
    wl_bytes_close(opened);
    return wl_fail(WL_BAD_INPUT, "%s: the file is empty; expected %s", wl_path_shown(path), expected);
}

wl_status wl_bytes_open_or_empty(const char *path, const char *expected, wl_bytes **bytes) {
    wl_bytes *b = calloc(1, sizeof *b);
    if (b == NULL) return wl_fail(WL_NO_MACHINE, "%s: not enough memory to read it", wl_path_shown(path));
    b->text = b->unpacked;
    const wl_status status = wl_unpacker_open(path, expected, &b->from);
    if (status == WL_OK)
        *bytes = b;
    else
        free(b);
    return status;
}

void wl_bytes_close(wl_bytes *bytes) {
    if (bytes == NULL) return;
    end_ahead(bytes);
    wl_unpacker_close(&bytes->from);
    WL_FREE(bytes->line.bytes, bytes);
}

wl_status wl_bytes_first(wl_bytes *bytes, int *byte) {
    *byte = -1;
    WL_TRY(text_fill(bytes));
    for (size_t i = bytes->text_begin; i < bytes->text_end && *byte < 0; i++)
        if (!isspace(bytes->text[i])) *byte = bytes->text[i];
    return WL_OK;
}

wl_status wl_bytes_peek(wl_bytes *bytes, const unsigned char **text, size_t *count) {
    wl_status status = text_fill(bytes);
    *text = bytes->text + bytes->text_begin;
    *count = status == WL_OK ? bytes->text_end - bytes->text_begin : 0;
    return status;
}

wl_status wl_bytes_chunk(wl_bytes *bytes, const unsigned char **chunk, size_t *count) {
    wl_status status = text_fill(bytes);
    *chunk = bytes->text + bytes->text_begin;
    *count = status == WL_OK ? bytes->text_end - bytes->text_begin : 0;
    bytes->text_begin = bytes->text_end;
    return status;
}

wl_status wl_bytes_diagnose(wl_bytes *bytes) {
    if (packed_by(&bytes->from) == NULL || bytes->failed) return WL_BAD_INPUT;
    char line[1024];
    snprintf(line, sizeof line, "%s", wl_error());
    size_t count = 1;
    for (size_t unpacked = 0; count > 0 && unpacked < (size_t)64 << 20; unpacked += count) {
        const unsigned char *chunk;
        if (wl_bytes_chunk(bytes, &chunk, &count) == WL_BAD_INPUT) return WL_BAD_INPUT;
    }
    return wl_fail(WL_BAD_INPUT, "%s", line);
}

/* The piece goes to line[used..]. Refused as soon as it is seen: /dev/zero has no line end. */
static wl_status refuse_control(const wl_bytes *b, const unsigned char *piece, size_t count, size_t used) {
    char text[16];
    for (size_t i = 0; i < count; i++)
        if ((piece[i] < 0x20 && piece[i] != '\t' && piece[i] != '\r') || piece[i] == 0x7F)
            return wl_fail(WL_BAD_INPUT, "%s:%zu:%zu: found %s; expected text", b->from.name, b->line_number,
                           used + i + 1, wl_bytes_show(piece[i], text));
    if (used + count > WL_BYTES_LINE)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: found a line of more than %zu bytes; expected a shorter one",
                       b->from.name, b->line_number, WL_BYTES_LINE);
    return WL_OK;
}

wl_status wl_bytes_line(wl_bytes *bytes, char **line, size_t *length, size_t *number) {
    const unsigned char *end = NULL;
    bytes->line.length = 0;
    *line = NULL;
    *length = 0;
    *number = ++bytes->line_number;
    for (int any = 0; end == NULL; any = 1) {
        WL_TRY(text_fill(bytes));
        const unsigned char *begin = bytes->text + bytes->text_begin;
        size_t left = bytes->text_end - bytes->text_begin;
        if (left == 0 && !any) return WL_OK;
        if (left == 0) break; // the last line has no line end
        end = memchr(begin, '\n', left);
        size_t count = end ? (size_t)(end - begin) : left;
        WL_TRY(refuse_control(bytes, begin, count, bytes->line.length));
        if (!wl_string_add(&bytes->line, begin, count))
            return wl_fail(WL_NO_MACHINE, "%s:%zu: not enough memory for a line of more than %zu bytes",
                           bytes->from.name, *number, bytes->line.length);
        bytes->text_begin += count + (end != NULL);
    }
    char *text = bytes->line.bytes;
    size_t used = bytes->line.length;
    if (used > 0 && text[used - 1] == '\r') text[--used] = 0;
    const char *inside = strchr(text, '\r');
    if (inside)
        return wl_fail(WL_BAD_INPUT,
                       "%s:%zu:%zu: found a carriage return inside a line; expected line ends '\\n' or '\\r\\n'",
                       bytes->from.name, *number, (size_t)(inside - text) + 1);
    wl_text_calm(text, used, NULL, '_'); // names go into messages and tables
    *line = text;
    *length = used;
    return WL_OK;
}

wl_status wl_bytes_all(wl_bytes *bytes, char **text, size_t *size) {
    wl_string all = {0};
    size_t count = 1;
    while (count > 0) {
        const unsigned char *chunk;
        wl_status status = wl_bytes_chunk(bytes, &chunk, &count);
        if (status == WL_OK && !wl_string_add(&all, chunk, count))
            status = wl_fail(WL_NO_MACHINE, "%s: not enough memory for more than %zu bytes of it", bytes->from.name,
                             all.length);
        if (status != WL_OK) {
            free(all.bytes);
            return status;
        }
    }
    wl_text_calm(all.bytes, all.length, NULL, '_');
    *text = all.bytes;
    *size = all.length;
    return WL_OK;
}
