/* distances_read of PLINK's three files, which are one input here: .fam, a zero byte, .bim, a zero byte, .bed. Genotypes must be
   those that a formula finds in the bytes. */
#include <unistd.h>

#include "tests/fuzz/distances.h"

static char folder[] = "/tmp/wl-fuzz-XXXXXX";

static void clean_up(void) {
    static const char *const ends[] = {"bed", "bim", "fam"};
    for (int i = 0; i < 3; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/p.%s", folder, ends[i]);
        unlink(path);
    }
    rmdir(folder);
}

static void put(const char *end, const uint8_t *bytes, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "%s/p.%s", folder, end);
    FILE *file = fopen(path, "wb");
    REQUIRE(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

/* Up to the next zero byte, which is passed over. */
static size_t part(const uint8_t **bytes, size_t *size, const uint8_t **begin) {
    const uint8_t *end = memchr(*bytes, 0, *size);
    *begin = *bytes;
    size_t length = end ? (size_t)(end - *bytes) : *size, used = end ? length + 1 : length;
    *bytes += used;
    *size -= used;
    return length;
}

static size_t count_lines(const uint8_t *text, size_t size) {
    size_t count = 0;
    for (size_t i = 0, blank = 1; i <= size; i++) {
        if (i < size && text[i] != '\n') {
            blank &= isspace(text[i]) != 0;
            continue;
        }
        count += !blank;
        blank = 1;
    }
    return count;
}

static void require_genotypes(const distances_data *data, const uint8_t *bed) {
    static const uint8_t value_of[] = {2, DISTANCES_MISSING, 1, 0};
    uint8_t *values = malloc(data->sites);
    for (size_t i = 0; i < data->count; i++) {
        fuzz_unpack(data, i, values);
        for (uint64_t k = 0; k < data->sites; k++)
            REQUIRE(values[k] == value_of[bed[3 + k * ((data->count + 3) / 4) + i / 4] >> 2 * (i % 4) & 3]);
    }
    free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static int ready;
    if (!ready) {
        REQUIRE(mkdtemp(folder));
        atexit(clean_up);
        ready = 1;
    }
    const distances_reading reading = {.format = DISTANCES_PLINK, .keep_duplicates = size % 3 == 0};
    const int made_to_fit = size % 2; /* else hardly a mutation would be read to its end */
    const uint8_t *fam, *bim;
    size_t fam_size = part(&bytes, &size, &fam), bim_size = part(&bytes, &size, &bim);
    size_t bed_size = 3 + (count_lines(fam, fam_size) + 3) / 4 * count_lines(bim, bim_size);
    if (bed_size > (size_t)1 << 24) return 0;
    uint8_t *bed = malloc(bed_size > size ? bed_size : size + 1);
    REQUIRE(bed);
    memcpy(bed, bytes, size);
    if (made_to_fit) {
        for (size_t i = size; i < bed_size; i++) bed[i] = (uint8_t)(i * 2654435761u >> 13);
        memcpy(bed, "\x6C\x1B\x01", 3);
    }
    put("fam", fam, fam_size);
    put("bim", bim, bim_size);
    put("bed", bed, made_to_fit ? bed_size : size);
    char path[64];
    snprintf(path, sizeof path, "%s/p", folder);
    distances_data data;
    wl_status status = fuzz_read(path, &reading, &data);
    if (status == WL_OK) {
        fuzz_require_whole(&data, &reading);
        require_genotypes(&data, bed);
        distances_data_free(&data);
    } else {
        fuzz_require_refusal(status, path);
    }
    free(bed);
    return 0;
}
