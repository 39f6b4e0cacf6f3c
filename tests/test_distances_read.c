/* distances_read: what small files of every format become, letter by letter, against what their text says; and the line of
   every refusal. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "distances/data.h"
#include "distances/planes.h"
#include "harness/random.h"

static char folder[32];

static void put(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* The file `name` of the test's folder, with this text. */
static const char *file(const char *name, const char *text) {
    static char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    put(path, text, strlen(text));
    return path;
}

/* "name values;name values": a value is a digit (or a letter from 10 on, or the real number in brackets), '-' where missing. */
static char *show(const distances_data *data) {
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

/* `expected`: what `show` says, or what the error line has behind the file's name. Returns the notes, to be freed. */
static char *check(const char *path, const distances_reading *reading, const char *expected) {
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

static void check_text(const char *name, const char *text, const distances_reading *reading, const char *expected) {
    free(check(file(name, text), reading, expected));
}

static const distances_reading usual = {0};

/* --- Alignments -------------------------------------------------------------------------------------------------- */

static void nucleotides(void **state) {
    (void)state;
    check_text("a.fa", ">x one\nACGTU\n>y\nacgtu\n", &usual, "x 01233;y 01233");
    /* As snp-dists counts: only A, C, G, T are compared. */
    check_text("a.fa", ">x\nACGTNACGTA\n>y\nA-RTACGTAC\n", &usual, "x 0123-01230;y 0--3012301");
    distances_reading reading = {.present = "ACGT-"};
    check_text("a.fa", ">x\nACGTNACGTA\n>y\nA-RTACGTAC\n", &reading, "x 0123-01230;y 04-3012301");
    reading = (distances_reading){.present = "gu"};
    check_text("a.fa", ">x\nACGT\n>y\nAUGG\n", &reading, "x --01;y -100");
    reading = (distances_reading){.every_letter = 1};
    check_text("a.fa", ">x\nACGTNACGTA\n>y\nA-RTACGTAC\n", &reading, "x 0123401230;y 0563012301");
    reading = (distances_reading){.keep_duplicates = 1};
    check_text("a.fa", ">x\nACGT\n>x\nTTTT\n", &reading, "x 0123;x 3333");
    char *notes = check(file("a.fa", ">x\nACGTACGTAN\n>y\nACGTACGTA-\n>z\nNNNNNNNNNn\n"), &usual,
                        "x 012301230-;y 012301230-;z ----------");
    assert_non_null(strstr(notes, ": letters taken as missing: '-' 1, 'N' 10, 'n' 1\n"));
    assert_non_null(strstr(notes, ": 12 of 30 values are missing (40 %), and left out pair by pair\n"));
    assert_non_null(strstr(notes, ": 1 of 3 instances have no value at all; the first is 'z'\n"));
    free(notes);
}

static void amino_acids(void **state) {
    (void)state;
    check_text("a.fa", ">x\nMKVLWX*-\n>y\nmkveB?.K\n", &usual, "x 01234---;y 01256--1");
}

static void alignments_refused(void **state) {
    (void)state;
    check_text("a.fa", ">x\nACGT\n>y\nACG\n", &usual,
               ":3: sequence 'y' has 3 letters; expected 4, as 'x' in line 1 has");
    check_text("a.fa", ">x\nACGT\n>y\nACGT\n>x\nACGT\n>y\nAAAA\n", &usual,
               ":5: found the name 'x' again, which line 1 has; expected names that differ");
    check_text(
        "a.fa", ">x\nACGTACGTACGTACGTACGT\n>y\nACGTACGTACGTACGTACGE\n", &usual,
        ":3: unknown letter 'E' at position 20 of sequence 'y'; expected nucleotides (ACGTRYSWKMBDHVN-.?*, U), as "
        "the sequences before have");
    check_text("a.fa", ">x\n", &usual, ":1: sequence 'x' has no letters; expected at least one");
}

/* Random letters of random lengths, against a table of which letter is what; with new letters late, when the planes of the
   sequences before must be made anew. */
static void random_alignments(void **state) {
    (void)state;
    static const char letters[] = "ACGTRYSWKMBDHVN-.?acgtn";
    wl_random random = wl_random_stream(7, 0);
    for (int trial = 0; trial < 60; trial++) {
        size_t count = 1 + wl_random_below(&random, 40), sites = 1 + wl_random_below(&random, 1100);
        char *text = malloc(count * (sites + 20)), *end = text, *all = malloc(count * sites);
        for (size_t i = 0; i < count; i++) {
            end += sprintf(end, ">s%zu\n", i);
            uint32_t kinds = trial % 2 && i + 2 < count ? 4 : sizeof letters - 1; /* the others late */
            for (size_t k = 0; k < sites; k++)
                all[i * sites + k] = *end++ = wl_random_below(&random, 8) ? letters[wl_random_below(&random, 4)]
                                                                          : letters[wl_random_below(&random, kinds)];
            *end++ = '\n';
        }
        *end = 0;
        distances_reading reading = {.every_letter = trial % 3 == 0};
        distances_data data;
        wl_status status = distances_read(file("r.fa", text), &reading, NULL, &data);
        if (status != WL_OK) fail_msg("%s", wl_error());
        assert_int_equal(data.count, count);
        assert_int_equal(data.sites, sites);
        assert_int_equal(data.words, distances_words(sites));
        uint8_t *values = malloc(sites), letter_of[128] = {0};
        int missing = 0;
        for (size_t i = 0; i < count; i++) {
            uint64_t *bits = data.bits + i * (size_t)(data.planes + 1) * data.words;
            distances_unpack(data.sum, data.planes, sites, bits, data.words, values);
            for (size_t k = 0; k < sites; k++) {
                int letter = all[i * sites + k] & 0x40 ? all[i * sites + k] & ~0x20 : all[i * sites + k];
                int compared = reading.every_letter || strchr("ACGT", letter);
                assert_int_equal(values[k] != DISTANCES_MISSING, compared != 0);
                missing += !compared;
                if (!compared) continue;
                if (!letter_of[values[k]]) letter_of[values[k]] = (uint8_t)letter;
                assert_int_equal(letter_of[values[k]], letter);
            }
            for (int p = 0; p <= data.planes; p++) /* nothing behind the last site */
                for (size_t k = sites; k < data.words * 64; k++)
                    assert_int_equal(bits[(size_t)p * data.words + k / 64] >> k % 64 & 1, 0);
        }
        for (int a = 0; a < 128; a++) /* different letters, different values */
            for (int b = 0; b < a; b++) assert_true(!letter_of[a] || letter_of[a] != letter_of[b]);
        assert_int_equal(data.complete, missing == 0);
        free(values);
        free(all);
        free(text);
        distances_data_free(&data);
    }
}

/* A limit is kept, and said. */
static void memory(void **state) {
    (void)state;
    char text[3000], *end = text;
    for (int i = 0; i < 100; i++) end += sprintf(end, ">s%d\nACGTACGT\n", i);
    distances_reading reading = {.memory = 10000};
    distances_data data;
    assert_int_equal(distances_read(file("a.fa", text), &reading, NULL, &data), WL_NO_MACHINE);
    assert_non_null(strstr(wl_error(), "expected at most the 0.000 GB that reading may take"));
    reading.memory = 100000;
    assert_int_equal(distances_read(file("a.fa", text), &reading, NULL, &data), WL_OK);
    assert_int_equal(data.count, 100);
    distances_data_free(&data);
}

/* --- All --------------------------------------------------------------------------------------------------------- */

static int set_up(void **state) {
    (void)state;
    strcpy(folder, "/tmp/wl-test-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int tear_down(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nucleotides),       cmocka_unit_test(amino_acids), cmocka_unit_test(alignments_refused),
        cmocka_unit_test(random_alignments), cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
