/* What the targets of distances_read require of all data. */
#pragma once

#include <math.h>

#include "distances/data.h"
#include "distances/planes.h"
#include "tests/fuzz/target.h"

/* distances_read, whose notes must be lines of text. */
static inline wl_status fuzz_read(const char *path, const distances_reading *reading, distances_data *data) {
    char *notes;
    size_t size;
    FILE *out = open_memstream(&notes, &size);
    REQUIRE(out);
    wl_status status = distances_read(path, reading, out, data);
    fclose(out);
    for (size_t i = 0; i < size; i++) REQUIRE(notes[i] == '\n' || !iscntrl((unsigned char)notes[i]));
    free(notes);
    return status;
}

/* Values [sites] of instance i, which has planes. */
static inline void fuzz_unpack(const distances_data *data, size_t i, uint8_t *values) {
    distances_unpack(data->sum, data->planes, data->sites, data->bits + i * (size_t)(data->planes + 1) * data->words,
                     data->words, values);
}

static inline void fuzz_require_whole(const distances_data *data, const distances_reading *reading) {
    uint64_t missing = 0;
    REQUIRE(data->count > 0 && data->sites > 0 && (data->kind == DISTANCES_REALS) == (data->bits == NULL));
    for (size_t i = 0; i < data->count; i++) REQUIRE(data->names[i] && data->names[i][0]);
    for (size_t i = 0; !reading->keep_duplicates && i < data->count && i < 200; i++)
        for (size_t k = 0; k < i; k++) REQUIRE(strcmp(data->names[i], data->names[k]) != 0);
    if (data->kind == DISTANCES_REALS) {
        REQUIRE(data->planes == 0);
        for (size_t k = 0; k < data->count * data->sites; k++) missing += isnan(data->real[k]) != 0;
        REQUIRE(data->complete == (missing == 0));
        return;
    }
    REQUIRE(data->words == distances_words(data->sites) && (uintptr_t)data->bits % 64 == 0);
    REQUIRE(data->planes >= 1 && data->planes <= DISTANCES_PLANES_MOST);
    const size_t planes = (size_t)data->planes, words = data->words;
    for (size_t i = 0; i < data->count; i++) {
        const uint64_t *bits = data->bits + i * (planes + 1) * words; // [planes + 1][words]
        for (size_t w = 0; w < words; w++) {
            uint64_t left = data->sites > 64 * w ? data->sites - 64 * w : 0;
            uint64_t valid = left >= 64 ? UINT64_MAX : ((uint64_t)1 << left) - 1, present = bits[planes * words + w];
            REQUIRE((present & ~valid) == 0);
            missing += (uint64_t)__builtin_popcountll(valid & ~present);
            for (size_t p = 0; p < planes; p++) {
                REQUIRE((bits[p * words + w] & ~present) == 0);
                if (p > 0 && data->sum == DISTANCES_STEPS) /* unary: above two is above one */
                    REQUIRE((bits[p * words + w] & ~bits[(p - 1) * words + w]) == 0);
            }
        }
    }
    REQUIRE(data->complete == (missing == 0));
}
