/* Files that distances_read is given, and what it makes of them. */
#pragma once

#include <math.h>
#include <unistd.h>

#include "tests/support/unit.h"
#include "distances/data.h"
#include "distances/planes.h"
#include "harness/base/random.h"

static char folder[32];

static inline void put(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* The file `name` of the test's folder, with this text. */
static inline const char *file(const char *name, const char *text) {
    static char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    put(path, text, strlen(text));
    return path;
}

/* "name values;name values": a value is a digit (or a letter from 10 on, or the real number in brackets), '-' where missing. */
static inline char *show(const distances_data *data) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    uint8_t *values = malloc(data->sites);
    for (size_t i = 0; i < data->count; i++) {
        fprintf(out, "%s%s ", i ? ";" : "", data->names[i]);
        if (data->kind != DISTANCES_REALS)
            distances_unpack(data->sum, data->planes, data->sites,
                             data->bits + i * (size_t)(data->planes + 1) * data->words, data->words, values);
        for (uint64_t k = 0; k < data->sites; k++) {
            if (data->kind == DISTANCES_REALS && isnan(data->real[i * data->sites + k]))
                fputs("[-]", out);
            else if (data->kind == DISTANCES_REALS)
                fprintf(out, "[%g]", data->real[i * data->sites + k]);
            else
                fputc(values[k] == DISTANCES_MISSING ? '-' : "0123456789abcdefghijklmnopqrstuvwxyz"[values[k]], out);
        }
    }
    free(values);
    fclose(out);
    return text;
}

/* `expected`: what `show` says, or what the error line has after the file's name. Returns the notes, to be freed. */
static inline char *check(const char *path, const distances_reading *reading, const char *expected) {
    char *notes;
    size_t size;
    FILE *out = open_memstream(&notes, &size);
    distances_data data;
    wl_status status = distances_read(path, reading, out, &data);
    fclose(out);
    if (status == WL_OK) {
        assert_int_equal((uintptr_t)data.bits % 64, 0);
        char *text = show(&data);
        assert_string_equal(text, expected);
        free(text);
        distances_data_free(&data);
    } else {
        assert_int_equal(status, WL_BAD_INPUT);
        const char *error = wl_error(),
                   *behind = strncmp(error, folder, strlen(folder)) == 0 ? strchr(error, ':') : error;
        assert_string_equal(behind, expected);
    }
    return notes;
}

static inline void check_text(const char *name, const char *text, const distances_reading *reading,
                              const char *expected) {
    free(check(file(name, text), reading, expected));
}

static const distances_reading usual = {0};

/* A limit is kept, and said: read with a bit more than the data take, and with a bit less. */
static inline void check_memory(const char *path, size_t enough, size_t too_little) {
    distances_reading reading = {.memory = too_little};
    distances_data data;
    assert_int_equal(distances_read(path, &reading, NULL, &data), WL_NO_MACHINE);
    assert_non_null(strstr(wl_error(), " that reading may take"));
    reading.memory = enough;
    if (distances_read(path, &reading, NULL, &data) != WL_OK) fail_msg("%s", wl_error());
    distances_data_free(&data);
}

static inline int set_up(void **state) {
    (void)state;
    strcpy(folder, "/tmp/wl-test-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static inline int tear_down(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* The beginnings of a VCF file, of its line of columns, and of a record. */
#define HEAD "##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"g\">\n##contig=<ID=1>\n"
#define COLUMNS "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t"
#define SITE "1\t5\t.\tA\tG\t.\t.\t.\tGT\t"
