/* distances_read of alignments and tables: the planes must hold what the readers of io/ find in the same bytes, and a table must
   come back the same when it is written and read again. */
#include <math.h>

#include "distances/data.h"
#include "distances/planes.h"
#include "io/alignment.h"
#include "tests/fuzz/distances.h"
#include "tests/fuzz/target.h"

/* Equal letters have equal values, different ones different values, but for U and T; a letter is missing always or never. */
static void require_letters(const char *path, const distances_data *data) {
    wl_bytes *bytes;
    wl_alignment alignment;
    REQUIRE(wl_bytes_open(path, "an alignment", &bytes) == WL_OK);
    REQUIRE(wl_alignment_read_bytes(bytes, WL_ALIGNMENT_AUTO, &alignment) == WL_OK);
    wl_bytes_close(bytes);
    REQUIRE(alignment.count == data->count && alignment.columns == data->sites);
    int value_of[256], letter_of[256] = {0};
    for (int i = 0; i < 256; i++) value_of[i] = -1;
    uint8_t *values = malloc(data->sites);
    for (size_t i = 0; i < data->count; i++) {
        REQUIRE(strcmp(alignment.rows[i].name, data->names[i]) == 0);
        fuzz_unpack(data, i, values);
        for (uint64_t k = 0; k < data->sites; k++) {
            int letter = toupper((unsigned char)alignment.rows[i].letters[k]), value = values[k];
            REQUIRE(value_of[letter] == -1 || value_of[letter] == value);
            value_of[letter] = value;
            if (value == DISTANCES_MISSING) continue;
            int other = letter_of[value], bases = letter + other == 'U' + 'T';
            REQUIRE(other == 0 || other == letter || bases);
            letter_of[value] = letter;
        }
    }
    free(values);
    wl_alignment_free(&alignment);
}

static void require_same_when_written(const distances_data *data, const distances_reading *reading) {
    char *text;
    size_t size;
    uint8_t *values = malloc(data->sites);
    FILE *out = open_memstream(&text, &size);
    REQUIRE(out && values);
    for (uint64_t k = 0; k <= data->sites; k++) fprintf(out, "%sword", k ? "\t" : "");
    for (size_t i = 0; i < data->count; i++) {
        fprintf(out, "\nn_%zu", i);
        if (data->kind != DISTANCES_REALS) fuzz_unpack(data, i, values);
        for (uint64_t k = 0; k < data->sites; k++) {
            double value = data->kind == DISTANCES_REALS    ? data->real[i * data->sites + k]
                           : values[k] == DISTANCES_MISSING ? NAN
                                                            : values[k];
            if (isnan(value))
                fputs("\tNA", out);
            else
                fprintf(out, "\t%.17g", value);
        }
    }
    fclose(out);
    distances_data again;
    REQUIRE(distances_read(fuzz_file(text, size), reading, NULL, &again) == WL_OK);
    REQUIRE(again.count == data->count && again.sites == data->sites && again.complete == data->complete);
    /* "1.0" is a real number and is written as 1. */
    if (again.kind == data->kind && data->kind == DISTANCES_INTEGERS) {
        REQUIRE(again.planes == data->planes);
        REQUIRE(memcmp(again.bits, data->bits, data->count * (size_t)(data->planes + 1) * data->words * 8) == 0);
    } else if (again.kind == data->kind) {
        for (size_t k = 0; k < data->count * data->sites; k++)
            REQUIRE(again.real[k] == data->real[k] || (isnan(again.real[k]) && isnan(data->real[k])));
    } else {
        REQUIRE(data->kind == DISTANCES_REALS);
    }
    distances_data_free(&again);
    free(values);
    free(text);
}

static wl_status try(const uint8_t *bytes, size_t size, const distances_reading *reading) {
    distances_data data;
    const char *path = fuzz_file(bytes, size);
    wl_status status = fuzz_read(path, reading, &data);
    if (status != WL_OK) {
        fuzz_require_refusal(status, path);
        return status;
    }
    fuzz_require_whole(&data, reading);
    if (data.kind == DISTANCES_LETTERS)
        require_letters(path, &data);
    else
        require_same_when_written(&data, reading);
    distances_data_free(&data);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const distances_reading readings[] = {
        {0},
        {.every_letter = 1, .integers_in_unary = 1},
        {.present = "acgu-", .keep_duplicates = 1},
        {.present = "DEQ", .integers_in_unary = 1, .keep_duplicates = 1},
    };
    static const char vcf[] = "##fileformat=VCF"; /* is htslib's, which its own authors fuzz */
    if (size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0) data += 3, size -= 3;
    if (size >= sizeof vcf - 1 && memcmp(data, vcf, sizeof vcf - 1) == 0) return 0;
    if (size >= 2 && data[0] == 0x6C && data[1] == 0x1B) return 0; /* the target `plink` */
    if (size >= 4 && memcmp(data, "BCF\2", 4) == 0) return 0;
    const distances_reading *reading = &readings[size % 4];
    wl_status status = try(data, size, reading);
    if (fuzz_also_packed(data, size)) {
        unsigned char *packed;
        size_t packed_size = fuzz_pack(data, size, &packed);
        REQUIRE(try(packed, packed_size, reading) == status);
        free(packed);
    }
    return 0;
}
