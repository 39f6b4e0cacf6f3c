/* io/part: what is accepted has its records in order and, put again, gives the same bytes; everything else is refused.

   A mutation would not come past the checksum, so the input is also tried with it made right. */
#include "io/part.h"

#include "harness/base/hash.h"
#include "tests/fuzz/target.h"

static void require_written_again(const wl_part *part, const uint8_t *file, size_t size) {
    char *again = NULL;
    size_t again_size = 0;
    wl_part_writer writer;
    FILE *stream = open_memstream(&again, &again_size);
    REQUIRE(stream && wl_part_begin(stream, "memory", &part->key, part->fields, part->field_count, &writer) == WL_OK);
    /* In the file's order, which need not be that of the numbers. */
    for (const unsigned char *at = NULL;;) {
        const wl_part_record *next = NULL;
        for (size_t i = 0; i < part->count; i++) {
            const unsigned char *bytes = part->records[i].bytes;
            if ((at == NULL || bytes > at) && (next == NULL || bytes < next->bytes)) next = &part->records[i];
        }
        if (next == NULL) break;
        REQUIRE(wl_part_put(&writer, next->number, next->bytes, next->size) == WL_OK);
        at = next->bytes;
    }
    REQUIRE(wl_part_end(&writer, 1) == WL_OK && fclose(stream) == 0);
    REQUIRE(again_size == size && memcmp(again, file, size) == 0);
    free(again);
}

static void try(const uint8_t *file, size_t size) {
    const char *path = fuzz_file(file, size);
    wl_part part;
    const wl_status status = wl_part_open(path, &part);
    if (status != WL_OK) {
        fuzz_require_refusal(status, path);
        return;
    }
    REQUIRE(part.key.part >= 1 && part.key.part <= part.key.parts && part.bytes == size);
    for (size_t i = 0; i < part.count; i++) {
        REQUIRE(i == 0 || part.records[i].number > part.records[i - 1].number);
        REQUIRE(wl_part_find(&part, part.records[i].number) == &part.records[i]);
    }
    require_written_again(&part, file, size);
    wl_part_close(&part);
}

enum { HEADER = 96, HEAD = 16, TRAILER = 40, MOST = 1 << 16 };

/* The next bytes of the input; what is missing at its end is zero. */
static void take(const uint8_t **data, size_t *size, uint8_t *into, size_t bytes) {
    const size_t there = bytes < *size ? bytes : *size;
    memset(into, 0, bytes);
    memcpy(into, *data, there);
    *data += there;
    *size -= there;
}

/* A size of the input, at most what is left of it. */
static uint64_t clip(uint8_t *size_at, size_t left) {
    uint64_t bytes;
    memcpy(&bytes, size_at, sizeof bytes);
    if (bytes > left) bytes %= left + 1;
    memcpy(size_at, &bytes, sizeof bytes);
    return bytes;
}

static size_t padded(uint64_t bytes) { return (size_t)(bytes + 7) / 8 * 8; }

/* The input's pieces as a file with sizes that fit and the right checksum: its size. */
static size_t seal(const uint8_t *data, size_t size, uint8_t file[MOST]) {
    static const uint8_t begins[16] = {0x89, 'W', 'L', 'P', '\r', '\n', 0x1A, '\n', 2, 0, 0, 0, 4, 3, 2, 1};
    size_t at = HEADER;
    uint64_t sum, records = 0;
    take(&data, &size, file, HEADER);
    memcpy(file, begins, sizeof begins);
    const uint64_t fields = clip(file + HEADER - 8, size);
    take(&data, &size, file + at, padded(fields));
    sum = wl_hash_join(wl_hash_join(0, wl_hash_bytes(file, HEADER)), wl_hash_bytes(file + at, fields));
    for (at += padded(fields); size > TRAILER && at + size + HEAD + TRAILER < MOST; records++) {
        take(&data, &size, file + at, HEAD);
        const uint64_t bytes = clip(file + at + 8, size);
        take(&data, &size, file + at + HEAD, padded(bytes));
        sum = wl_hash_join(sum, wl_hash_bytes(file + at, HEAD));
        sum = wl_hash_join(sum, wl_hash_bytes(file + at + HEAD, bytes));
        at += HEAD + padded(bytes);
    }
    const uint64_t last[5] = {UINT64_MAX, 24, records, at + TRAILER, sum};
    memcpy(file + at, last, sizeof last);
    return at + TRAILER;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static uint8_t file[MOST];
    try(data, size);
    if (size < MOST / 2) try(file, seal(data, size, file));
    return 0;
}
