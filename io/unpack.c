#include "io/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/cpu.h"

/* Wait until there are bytes to be read. False: nobody wants them any more. */
static int is_wanted(const wl_unpacker *u) {
    struct pollfd ends[] = {{.fd = u->file, .events = POLLIN}, {.fd = u->watched}};
    while (u->watched >= 0 && poll(ends, 2, -1) < 0 && errno == EINTR) continue;
    return !(ends[1].revents & (POLLHUP | POLLERR));
}

/* Bring up to `want` bytes of the file into `raw`, fewer at its end only. */
static wl_status fill(wl_unpacker *u, size_t want) {
    if (u->begin == u->end) u->begin = u->end = 0;
    if (u->begin > 0 && u->begin + want > sizeof u->raw) {
        memmove(u->raw, u->raw + u->begin, u->end - u->begin);
        u->end -= u->begin;
        u->begin = 0;
    }
    while (!u->raw_done && u->end - u->begin < want) {
        if (!is_wanted(u)) return wl_fail(WL_BAD_INPUT, "%s: reading was given up", u->name);
        ssize_t got = read(u->file, u->raw + u->end, sizeof u->raw - u->end);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return wl_fail(WL_BAD_INPUT, "%s:%zu: cannot read on: %s; expected %s", u->name, u->lines + 1,
                           strerror(errno), u->expected);
        if (got == 0) u->raw_done = 1;
        u->end += (size_t)got;
    }
    return WL_OK;
}

static wl_status damaged(const wl_unpacker *u, const char *what) {
    return wl_fail(WL_BAD_INPUT, "%s:%zu: the gzip data are damaged here: %s; expected an intact gzip file", u->name,
                   u->lines + 1, what);
}

static wl_status truncated(const wl_unpacker *u, const char *what) {
    return wl_fail(WL_BAD_INPUT,
                   "%s:%zu: the gzip data end too early (%s): the file is truncated; expected a whole gzip file",
                   u->name, u->lines + 1, what);
}

/* bgzip marks its members with an extra field "BC" and ends a file with an empty one. */
static int header_says_bgzf(const gz_header *header) {
    if (header->extra == Z_NULL) return 0;
    size_t length = header->extra_len < header->extra_max ? header->extra_len : header->extra_max;
    for (size_t i = 0; i + 4 <= length;) {
        if (header->extra[i] == 'B' && header->extra[i + 1] == 'C') return 1;
        i += 4 + header->extra[i + 2] + 256u * header->extra[i + 3];
    }
    return 0;
}

/* Stand before a gzip member, or at the file's end, which sets `done`. */
static wl_status next_member(wl_unpacker *u, int first) {
    WL_TRY(fill(u, 2));
    size_t left = u->end - u->begin;
    if (left == 0) {
        u->done = 1;
        if (u->bgzf && !u->member_empty) return truncated(u, "bgzip's end-of-file block is missing");
        return WL_OK;
    }
    const unsigned char *raw = u->raw + u->begin;
    if (left == 1 && raw[0] == 0x1F) return truncated(u, "one byte of another member");
    if (left < 2 || raw[0] != 0x1F || raw[1] != 0x8B)
        return damaged(u, "bytes that are no gzip member follow the last one");
    if (!first && inflateReset(&u->stream) != Z_OK) return damaged(u, "zlib cannot start over");
    u->header = (gz_header){.extra = u->extra, .extra_max = sizeof u->extra};
    inflateGetHeader(&u->stream, &u->header);
    u->in_member = 1;
    u->member_empty = 1;
    return WL_OK;
}

/* Sums of 255 bytes fit a byte, so that vectors have as many lanes as bytes: else this takes a tenth of zlib's time. */
WL_VECTORS static size_t line_ends(const unsigned char *text, size_t count) {
    enum { LANES = 64, ROUNDS = 255 };
    size_t ends = 0, i = 0;
    while (count - i >= LANES) {
        unsigned char lanes[LANES] = {0};
        for (int round = 0; round < ROUNDS && count - i >= LANES; round++, i += LANES)
            for (int lane = 0; lane < LANES; lane++) lanes[lane] += text[i + lane] == '\n';
        for (int lane = 0; lane < LANES; lane++) ends += lanes[lane];
    }
    for (; i < count; i++) ends += text[i] == '\n';
    return ends;
}

/* Some unpacked bytes into to[*count..], [WL_BYTES_CHUNK]; none and `done` at the end. */
static wl_status unpack(wl_unpacker *u, unsigned char *to, size_t *count) {
    const size_t before = *count;
    while (*count == before && !u->done) {
        WL_TRY(u->in_member ? fill(u, 1) : next_member(u, 0));
        if (u->done) break;
        u->stream.next_in = u->raw + u->begin;
        u->stream.avail_in = (uInt)(u->end - u->begin);
        u->stream.next_out = to + *count;
        u->stream.avail_out = (uInt)(WL_BYTES_CHUNK - *count);
        size_t had = u->stream.avail_in;
        int result = inflate(&u->stream, Z_NO_FLUSH);
        u->begin = u->end - u->stream.avail_in;
        size_t end = WL_BYTES_CHUNK - u->stream.avail_out;
        u->lines += line_ends(to + *count, end - *count);
        if (end > *count) u->member_empty = 0;
        *count = end;
        switch (result) {
            case Z_OK:
            case Z_BUF_ERROR: // no progress: wants input that is not there
                if (had == 0 && u->raw_done && *count == before) return truncated(u, "inside a member");
                break;
            case Z_STREAM_END:
                u->bgzf = header_says_bgzf(&u->header);
                u->in_member = 0;
                break;
            case Z_MEM_ERROR:
                return wl_fail(WL_NO_MACHINE, "%s:%zu: not enough memory to unpack", u->name, u->lines + 1);
            default:
                return damaged(u, u->stream.msg ? u->stream.msg : "not what zlib understands");
        }
    }
    return WL_OK;
}

wl_status wl_unpacker_more(wl_unpacker *u, unsigned char *to, size_t *count) {
    if (u->packed) return unpack(u, to, count);
    wl_status status = fill(u, 1);
    size_t some = u->end - u->begin, space = WL_BYTES_CHUNK - *count;
    if (some > space) some = space;
    memcpy(to + *count, u->raw + u->begin, some);
    u->lines += line_ends(u->raw + u->begin, some);
    u->begin += some;
    *count += some;
    if (some > 0 || status != WL_OK) return status;
    u->done = 1;
    return u->by.program ? wl_unpack_program_check(u->name, &u->by) : WL_OK;
}

/* What the first bytes say. A second one is waited for only where it matters: nobody can end the wait yet. */
static wl_status look(wl_unpacker *u) {
    WL_TRY(fill(u, 1));
    if (u->end == 1 && u->raw[0] == 0x1F) WL_TRY(fill(u, 2));
    if (u->end == 0) return WL_OK;
    if (u->end >= 2 && u->raw[0] == 0x1F && u->raw[1] == 0x8B) {
        if (inflateInit2(&u->stream, 15 + 16) != Z_OK) // the largest window; gzip and nothing else
            return wl_fail(WL_NO_MACHINE, "%s: not enough memory to unpack", u->name);
        u->packed = 1;
        return next_member(u, 1);
    }
    if (!wl_may_be_packed_by(u->raw[0])) return WL_OK;
    WL_TRY(fill(u, WL_PACKED_LOOK));
    const char *program = wl_packed_by(u->raw, u->end);
    if (program == NULL) return WL_OK;
    WL_TRY(wl_unpack_program_start(u->name, program, u->raw, u->end, &u->file, &u->by));
    u->begin = u->end = 0;
    u->raw_done = 0;
    return WL_OK;
}

wl_status wl_unpacker_open(const char *path, const char *expected, wl_unpacker *u) {
    const int standard_input = strcmp(path, "-") == 0;
    const char *name = standard_input ? "standard input" : path;
    const int file =
        standard_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (file < 0) return wl_fail(WL_BAD_INPUT, "%s: cannot open: %s; expected %s", name, strerror(errno), expected);
    struct stat found;
    wl_status status = WL_OK;
    if (fstat(file, &found) == 0 && S_ISDIR(found.st_mode)) // open() does not mind
        status = wl_fail(WL_BAD_INPUT, "%s: is a directory; expected %s", name, expected);
    u->file = file;
    u->from_within = lseek(file, 0, SEEK_CUR) > 0;
    u->watched = -1;
    u->name = name;
    u->expected = expected;
    if (status == WL_OK) status = look(u);
    if (status != WL_OK) wl_unpacker_close(u);
    return status;
}

void wl_unpacker_close(wl_unpacker *u) {
    if (u->packed) inflateEnd(&u->stream);
    close(u->file);
    wl_unpack_program_end(&u->by);
}
