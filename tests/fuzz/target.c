#include "tests/fuzz/target.h"

#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>

#include "harness/base/text.h"
#include "io/unpack_program.h"

const char *fuzz_file(const void *data, size_t size) {
    static int file = -1;
    static char path[64];
    if (file < 0) {
        file = (int)syscall(SYS_memfd_create, "fuzz", 0u); /* the function needs _GNU_SOURCE */
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    REQUIRE(file >= 0 && ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size);
    return path;
}

size_t fuzz_pack(const void *data, size_t size, unsigned char **packed) {
    z_stream stream = {0};
    REQUIRE(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 1, Z_DEFAULT_STRATEGY) == Z_OK); /* gzip, little memory */
    size_t bound = deflateBound(&stream, size);
    *packed = malloc(bound);
    REQUIRE(*packed);
    stream.next_in = (Bytef *)data;
    stream.avail_in = (uInt)size;
    stream.next_out = *packed;
    stream.avail_out = (uInt)bound;
    REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    deflateEnd(&stream);
    return bound - stream.avail_out;
}

int fuzz_is_packed(const uint8_t *data, size_t size) {
    return (size >= 2 && data[0] == 0x1F && data[1] == 0x8B) || wl_packed_by(data, size) != NULL;
}

int fuzz_also_packed(const uint8_t *data, size_t size) {
    if (size == 0 || fuzz_is_packed(data, size)) return 0;
    return (crc32(0, data, (uInt)size) & 3) == 0;
}

char *fuzz_calm(const void *data, size_t size) {
    char *copy = malloc(size + 1);
    REQUIRE(copy);
    memcpy(copy, data, size);
    copy[size] = 0;
    wl_text_calm(copy, size, NULL, '_');
    return copy;
}
