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

/* --- Tables ------------------------------------------------------------------------------------------------------ */

static void tables(void **state) {
    (void)state;
    check_text("t.tsv", "0\t1\t2\n2\t1\t0\n", &usual, "1 012;2 210");
    check_text("t.tsv", "id\ta\tb\tc\nx\t0\tNA\t2\r\ny\t\t.\tnan\nz\t3\t4\t5", &usual, "x 0-2;y ---;z 345");
    distances_reading reading = {.integers_in_unary = 1};
    check_text("t.tsv", "x\t0\t1\nx y\t7\tNA\n\n", &reading, "x 01;x y 7-");
    /* Real numbers, and integers that are none of the small ones. */
    check_text("t.tsv", "x\t0\tNA\ny\t7\t1.5\nz\t-1e3\t.\n", &usual, "x [0][-];y [7][1.5];z [-1000][-]");
    char *notes = check(file("t.tsv", "x\t0\t1\ny\t5\tNA\nz\t0\t-9\n"), &usual, "x [0][1];y [5][-];z [0][-9]");
    assert_non_null(
        strstr(notes, ": line 3, column 3 holds -9, none of the integers 0 to 127: values are real numbers\n"));
    assert_non_null(strstr(notes, ": 1 of 6 values are missing (16.7 %), and left out pair by pair\n"));
    free(notes);
    check_text("t.tsv", "x\t0\t1\ny\t7\t8\n", &reading, "x [0][1];y [7][8]");
    check_text("t.tsv", "x\t0\t1\ny\t7\t128\n", &usual, "x [0][1];y [7][128]");
}

static void tables_refused(void **state) {
    (void)state;
    check_text("t.tsv", "x\t0\t1\ny\t7\tred\n", &usual,
               ":2: column 3: found 'red'; expected a number, or NA where there is none");
    check_text("t.tsv", "x\t0.5\t1\ny\t7\t0x10\n", &usual,
               ":2: column 3: found '0x10'; expected a number, or NA where there is none");
    check_text("t.tsv", "x\t0.5\t1e999\n", &usual,
               ":1: column 3: found '1e999'; expected a number, or NA where there is none");
    check_text("t.tsv", "0 1 2\n1 1 1\n", &usual,
               ":1: column 1: found '0 1 2'; expected a number, or NA where there is none, fields separated by tabs");
    check_text("t.tsv", "x\t0\t1\ny\t7\n", &usual, ":2: found 2 fields; expected 3, as in the rows before");
    check_text("t.tsv", "x\t0\t1\nx\t7\t1\n", &usual,
               ":2: found the name 'x' again, which line 1 has; expected names that differ");
    check_text("t.tsv", "a\tb\n", &usual, ": found no row of numbers in the file; expected a tab-separated table");
    check_text(
        "t.tsv", "  \n", &usual,
        ": found nothing in the file; expected an alignment in FASTA, VCF or BCF, PLINK's .bed, .bim and .fam, or a "
        "tab-separated table");
}

/* Random tables whose largest value comes late, in both encodings, against the numbers that were written. */
static void random_tables(void **state) {
    (void)state;
    wl_random random = wl_random_stream(8, 0);
    for (int trial = 0; trial < 60; trial++) {
        size_t count = 1 + wl_random_below(&random, 30), sites = 1 + wl_random_below(&random, 700);
        int unary = trial % 2, most = 1 + (int)wl_random_below(&random, unary ? 7 : 127), real = trial % 5 == 0;
        char *text = malloc(count * (sites * 8 + 10)), *end = text;
        double *all = malloc(count * sites * sizeof *all);
        for (size_t i = 0; i < count; i++) {
            end += sprintf(end, "n%zu", i);
            for (size_t k = 0; k < sites; k++) {
                uint32_t below = (uint32_t)most + 1;
                double value = wl_random_below(&random, i + 1 < count ? (below + 1) / 2 : below);
                if (i + 1 == count && k + 1 == sites) value = real ? -2.25 : most;
                int missing = wl_random_below(&random, 10) == 0 && value != -2.25;
                all[i * sites + k] = missing ? NAN : value;
                end += missing ? sprintf(end, "\tNA") : sprintf(end, "\t%g", value);
            }
            *end++ = '\n';
        }
        *end = 0;
        distances_reading reading = {.integers_in_unary = unary};
        distances_data data;
        wl_status status = distances_read(file("r.tsv", text), &reading, NULL, &data);
        if (status != WL_OK) fail_msg("%s", wl_error());
        assert_int_equal(data.kind, real ? DISTANCES_REALS : DISTANCES_INTEGERS);
        assert_int_equal(data.count, count);
        assert_int_equal(data.sites, sites);
        uint8_t *values = malloc(sites);
        for (size_t i = 0; i < count; i++) {
            if (!real)
                distances_unpack(data.sum, data.planes, sites, data.bits + i * (size_t)(data.planes + 1) * data.words,
                                 data.words, values);
            for (size_t k = 0; k < sites; k++) {
                double found = real ? data.real[i * sites + k] : values[k] == DISTANCES_MISSING ? NAN : values[k];
                assert_true(found == all[i * sites + k] || (isnan(found) && isnan(all[i * sites + k])));
            }
        }
        free(values);
        free(all);
        free(text);
        distances_data_free(&data);
    }
}

/* --- PLINK ------------------------------------------------------------------------------------------------------- */

/* Genotypes as .bed has them: 0, 1 or 2 of the first allele, 3 unknown. */
static void put_plink(size_t samples, size_t variants, const uint8_t *genotype /* [samples][variants] */) {
    static const uint8_t code[] = {3, 2, 0, 1};
    char path[64];
    size_t bytes = (samples + 3) / 4;
    uint8_t *bed = calloc(3 + bytes * variants, 1);
    memcpy(bed, "\x6C\x1B\x01", 3);
    for (size_t k = 0; k < variants; k++)
        for (size_t i = 0; i < samples; i++)
            bed[3 + k * bytes + i / 4] |= (uint8_t)(code[genotype[i * variants + k]] << 2 * (i % 4));
    snprintf(path, sizeof path, "%s/p.bed", folder);
    put(path, bed, 3 + bytes * variants);
    free(bed);
    char *text = malloc(64 * (samples + variants)), *end = text;
    for (size_t i = 0; i < samples; i++) end += sprintf(end, "f%zu s%zu 0 0 0 -9\n", i / 2, i);
    file("p.fam", text);
    end = text;
    for (size_t k = 0; k < variants; k++) end += sprintf(end, "1\trs%zu\t0\t%zu\tA\tG\n", k, k + 1);
    file("p.bim", text);
    free(text);
}

static void random_plink(void **state) {
    (void)state;
    static const char *const names[] = {"p.bed", "p.bim", "p.fam", "p"};
    wl_random random = wl_random_stream(9, 0);
    for (int trial = 0; trial < 60; trial++) {
        size_t samples = 1 + wl_random_below(&random, trial < 50 ? 140 : 5),
               variants = 1 + wl_random_below(&random, trial < 50 ? 130 : 3000);
        if (trial == 59) samples = 2100, variants = 2100; /* on all processors */
        uint8_t *all = malloc(samples * variants), *values = malloc(variants);
        for (size_t k = 0; k < samples * variants; k++) all[k] = (uint8_t)wl_random_below(&random, trial % 3 ? 4 : 3);
        put_plink(samples, variants, all);
        char path[64];
        snprintf(path, sizeof path, "%s/%s", folder, names[trial % 4]);
        distances_data data;
        wl_status status = distances_read(path, &usual, NULL, &data);
        if (status != WL_OK) fail_msg("%s", wl_error());
        assert_int_equal(data.kind, DISTANCES_GENOTYPES);
        assert_int_equal(data.sum, DISTANCES_STEPS);
        assert_int_equal(data.count, samples);
        assert_int_equal(data.sites, variants);
        assert_int_equal(data.words, distances_words(variants));
        if (trial % 3 == 0) assert_int_equal(data.complete, 1);
        for (size_t i = 0; i < samples; i++) {
            char name[32];
            snprintf(name, sizeof name, "s%zu", i);
            assert_string_equal(data.names[i], name);
            uint64_t *bits = data.bits + i * 3 * data.words;
            distances_unpack(data.sum, 2, variants, bits, data.words, values);
            for (size_t k = 0; k < variants; k++)
                assert_int_equal(values[k], all[i * variants + k] == 3 ? DISTANCES_MISSING : all[i * variants + k]);
            for (size_t p = 0; p < 3; p++) /* nothing behind the last site */
                for (size_t k = variants; k < data.words * 64; k++)
                    assert_int_equal(bits[p * data.words + k / 64] >> k % 64 & 1, 0);
        }
        free(all);
        free(values);
        distances_data_free(&data);
    }
}

static void plink(void **state) {
    (void)state;
    static const uint8_t all[] = {0, 1, 2, 2, 3, 0, 0, 3, 1}; // [3][3]
    put_plink(3, 3, all);
    char bed[64];
    snprintf(bed, sizeof bed, "%s/p.bed", folder);
    free(check(bed, &usual, "s0 012;s1 2-0;s2 0-1"));
    /* A name that is unique in its family only; one that is not even that. */
    file("p.fam", "a s 0 0 0 -9\nb s 0 0 0 -9\n a  t\t0 0 1 2\n\n");
    char *notes = check(bed, &usual, "a_s 012;b_s 2-0;a_t 0-1");
    assert_non_null(
        strstr(notes, ": 1 of 3 samples have a name that one of another family has: names are family_sample\n"));
    free(notes);
    file("p.fam", "a s 0 0 0 -9\na s 0 0 0 -9\na t 0 0 1 2\n");
    free(check(bed, &usual, ":2: found the name 'a_s' again, which line 1 has; expected names that differ"));
    distances_reading reading = {.keep_duplicates = 1};
    free(check(bed, &reading, "a_s 012;a_s 2-0;a_t 0-1"));
    file("p.bim", "1 a 0 1 A G\nchrX b 0 1 A G\n26 c 1 A G\n");
    notes = check(bed, &reading, "a_s 012;a_s 2-0;a_t 0-1");
    assert_non_null(strstr(notes, ": 2 of 3 variants are on X, Y or MT, and are compared as the others"));
    free(notes);
}

static void plink_refused(void **state) {
    (void)state;
    static const uint8_t all[] = {0, 1, 2, 2, 3, 0, 0, 3, 1, 0, 0, 0, 0, 0, 0}; // [5][3]
    char bed[64], path[64], expected[512];
    put_plink(5, 3, all);
    snprintf(bed, sizeof bed, "%s/p.bed", folder);
    snprintf(path, sizeof path, "%s/p", folder);
    put(bed, "\x6C\x1B\x01", 3);
    snprintf(expected, sizeof expected,
             ": found 3 bytes; expected 9: 3 and 2 for each of the 3 variants of %s.bim, for the 5 samples of %s.fam",
             path, path);
    free(check(bed, &usual, expected));
    put(bed, "\x6C\x1B\x01 123456", 10);
    snprintf(expected, sizeof expected,
             ": found 10 bytes; expected 9: 3 and 2 for each of the 3 variants of %s.bim, for the 5 samples of %s.fam",
             path, path);
    free(check(bed, &usual, expected));
    put(bed,
        "\x6C\x1B\x00"
        "123456",
        9);
    free(check(bed, &usual,
               ": found the third byte 00, sample by sample; expected 01, variant by variant (plink --make-bed writes "
               "it so)"));
    put(bed, "chr1\t10\t20\n", 11);
    distances_reading reading = {.format = DISTANCES_PLINK};
    free(check(bed, &reading,
               ": found another kind of file; expected PLINK's binary genotypes, which begin with 6C 1B 01"));
    put(bed, "", 0);
    free(check(path, &usual, ": found an empty file; expected PLINK's binary genotypes, which begin with 6C 1B 01"));
    file("p.bim", "1 rs1 0 1 A\n1 rs2 0\n");
    free(check(path, &usual,
               ":2: found 3 fields; expected 6: chromosome, variant, centimorgans, position, two alleles"));
    file("p.bim", "\n\n");
    free(check(path, &usual, ": found no variant; expected at least one"));
    file("p.fam", "a b c\n");
    free(check(path, &usual, ":1: found 3 fields; expected 6: family, sample, father, mother, sex, phenotype"));
    unlink(file("p.fam", ""));
    free(check(path, &usual, ": cannot open: No such file or directory; expected PLINK's samples"));
}

/* --- VCF and BCF ------------------------------------------------------------------------------------------------- */

#define HEAD "##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"g\">\n##contig=<ID=1>\n"
#define COLUMNS "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t"

static void vcf(void **state) {
    (void)state;
    static const char text[] = HEAD COLUMNS "x\ty z\tw\n"
                                            "1\t5\t.\tA\tG\t.\t.\t.\tGT\t0/0\t0|1\t1/1\n"
                                            "1\t6\t.\tA\tG\t.\tPASS\tDP=3\tGT:DP\t1|0:1\t./.:.\t0/.:2\n"
                                            "1\t7\t.\tA\tG,T\t.\t.\t.\tGT\t0/0\t0/1\t1/2\n"     /* multiallelic */
                                            "1\t8\t.\tA\t<DEL>\t.\t.\t.\tGT\t0/0\t0/1\t1/1\n"   /* symbolic */
                                            "1\t9\t.\tA\t.\t.\t.\t.\tGT\t0/0\t0/0\t0/0\n"       /* no alternative */
                                            "1\t9\t.\tA\tG\t.\t.\t.\tDP\t1\t2\t3\n"             /* no genotypes */
                                            "X\t9\t.\tA\tG\t.\t.\t.\tGT\t0/1\t1\t0/0\n"         /* haploid */
                                            "1\t9\t.\tA\tG\t.\t.\t.\tGT\t0/1/1\t0/0/0\t0/0/1\n" /* triploid */
                                            "2\t10\trs\tAC\tA\t9\tlow\t.\tDP:GT\t2:.\t3:1/1\t.:.|.\n";
    char *notes = check(file("v.vcf", text), &usual, "x 01-;y z 1-2;w 2--");
    static const char *const lines[] = {"1 records with several alternative alleles are left out",
                                        "1 records with a symbolic alternative allele are left out",
                                        "1 records without an alternative allele are left out",
                                        "1 records without genotypes (GT) are left out",
                                        "2 records with genotypes that are not diploid are left out",
                                        "1 genotypes with one of two alleles missing are taken as missing",
                                        "4 of 9 values are missing (44.4 %), and left out pair by pair"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(notes, lines[i])) fail_msg("%s not in %s", lines[i], notes);
    free(notes);
    check_text("v.vcf", HEAD COLUMNS "x\tx\n1\t5\t.\tA\tG\t.\t.\t.\tGT\t0/0\t0|1\n", &usual,
               ":4: column 11: found the name 'x' again, which column 10 has; expected names that differ");
    distances_reading reading = {.keep_duplicates = 1};
    check_text("v.vcf", HEAD COLUMNS "x\tx\n1\t5\t.\tA\tG\t.\t.\t.\tGT\t0/0\t0|1\n", &reading, "x 0;x 1");
}

static void vcf_refused(void **state) {
    (void)state;
#define SITE "1\t5\t.\tA\tG\t.\t.\t.\tGT\t"
    check_text("v.vcf", HEAD, &usual, ": the file ends in the header; expected the line that begins with '#CHROM'");
    check_text("v.vcf", HEAD COLUMNS "x\ty\n", &usual,
               ": found no diploid genotypes of a variant with two alleles among 0 records; expected some");
    check_text("v.vcf", HEAD "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n", &usual,
               ":4: found the columns '#CHROM\\x09POS\\x09ID\\x09REF\\x09ALT\\x09QUAL\\x09FILTER\\x09INFO'; expected "
               "'#CHROM POS ID "
               "REF ALT QUAL FILTER INFO FORMAT' and samples, separated by tabs");
    check_text("v.vcf", HEAD COLUMNS "\n", &usual, ":4: found no name in column 10; expected a sample's");
    check_text("v.vcf", HEAD COLUMNS "x\ty\n" SITE "0/0\t0/1\n" SITE "0/0\n", &usual,
               ":6: found 10 columns; expected 11, as in the header");
    check_text("v.vcf", HEAD COLUMNS "x\ty\n1\t5\t.\tA\n", &usual,
               ":5: found 4 columns; expected 11, as in the header");
    check_text(
        "v.vcf", HEAD COLUMNS "x\ty\n" SITE "0/0\t0/2\n", &usual,
        ":5: found a genotype of sample 2 with an allele above 1; expected 0 and 1, of the record's two alleles");
    static const char *const nonsense[][2] = {
        {"a/b", "what htslib cannot read"},
        {"0/", "what htslib cannot read"},
        {"0/-1", "what htslib cannot read"},
        {"99999999999/1", "what htslib cannot read"},
        {"0/1x", "a character that cannot stand there"},
        {"", "a wrong number of columns, or an empty one"},
        {":0/1", "a wrong number of columns, or an empty one"},
    };
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        char text[512], expected[128];
        snprintf(text, sizeof text, HEAD COLUMNS "x\ty\n" SITE "0/0\t%s\n", nonsense[i][0]);
        snprintf(expected, sizeof expected, ":5: found %s; expected a record of VCF", nonsense[i][1]);
        check_text("v.vcf", text, &usual, expected);
    }
    check_text("v.vcf", HEAD COLUMNS "x\ty\n\n" SITE "0/0\t0/1\n", &usual,
               ":6: found a record behind blank line 5; expected blank lines at the end only");
    distances_reading reading = {.format = DISTANCES_VCF};
    check_text("v.vcf", ">x\nACGT\n", &reading, ":1: found '>x'; expected '##fileformat=VCF'");
}

/* Random genotypes, most of their own text, as VCF, and as the BCF and the .bed that bcftools and PLINK make of it. */
static void random_variants(void **state) {
    (void)state;
    static const char *const texts[] = {"0/0", "0|1", "1/1", "./.", "1|0", "."};
    static const uint8_t values_of[] = {0, 1, 2, DISTANCES_MISSING, 1, DISTANCES_MISSING};
    wl_random random = wl_random_stream(10, 0);
    const size_t samples = 70, variants = 1100;
    uint8_t *all = malloc(samples * variants), *values = malloc(variants); // [samples][variants]
    char *text = malloc(variants * (samples * 8 + 64) + 4096), *end = text;
    end += sprintf(end, HEAD COLUMNS "s0");
    for (size_t i = 1; i < samples; i++) end += sprintf(end, "\ts%zu", i);
    for (size_t k = 0; k < variants; k++) {
        end += sprintf(end, "\n1\t%zu\tv%zu\tA\tG\t.\t.\t.\tGT", k + 1, k);
        for (size_t i = 0; i < samples; i++) {
            uint32_t which = i == 0 ? 0 : i == 1 ? 2 : wl_random_below(&random, 6); /* lest PLINK take REF for rarer */
            all[i * variants + k] = values_of[which];
            end += sprintf(end, "\t%s", texts[which]);
        }
    }
    *end++ = '\n';
    *end = 0;
    file("o.vcf", text);
    static const char others[] =
        "exec >/dev/null 2>&1; if bcftools --version; then bcftools view -Oz -o o.vcf.gz o.vcf; "
        "bcftools view -Ob -o o.bcf o.vcf; bcftools view -Ou o.vcf >u.bcf; else missing=1; fi; "
        "plink1.9 --vcf o.vcf --real-ref-alleles --make-bed --out o && [ -z \"$missing\" ]";
    char command[512];
    snprintf(command, sizeof command, "cd %s && { %s; }", folder, others);
    if (system(command) != 0) print_message("without bcftools or plink1.9\n");
    static const char *const files[] = {"o.vcf", "o.vcf.gz", "o.bcf", "u.bcf", "o.bed"};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s", folder, files[f]);
        if (f > 0 && access(path, F_OK) != 0) continue;
        distances_data data;
        if (distances_read(path, &usual, NULL, &data) != WL_OK) fail_msg("%s", wl_error());
        assert_int_equal(data.count, samples);
        assert_int_equal(data.sites, variants);
        for (size_t i = 0; i < samples; i++) {
            char name[16];
            snprintf(name, sizeof name, "s%zu", i);
            assert_string_equal(data.names[i], name);
            distances_unpack(data.sum, 2, variants, data.bits + i * 3 * data.words, data.words, values);
            assert_memory_equal(values, all + i * variants, variants);
        }
        distances_data_free(&data);
    }
    /* BCF that was cut short, and one with a byte changed. */
    char path[64];
    snprintf(path, sizeof path, "%s/o.bcf", folder);
    if (access(path, F_OK) == 0) {
        assert_int_equal(truncate(path, 1000), 0);
        free(check(path, &usual, ": the file is cut short: found no end-of-file block; expected one"));
    }
    snprintf(path, sizeof path, "%s/u.bcf", folder);
    if (access(path, F_OK) == 0) {
        assert_int_equal(truncate(path, 5000), 0);
        distances_data data;
        assert_int_equal(distances_read(path, &usual, NULL, &data), WL_BAD_INPUT);
        assert_non_null(
            strstr(wl_error(), "found what htslib cannot read; expected a record of BCF, or the file's end"));
        assert_int_equal(truncate(path, 60), 0);
        assert_int_equal(distances_read(path, &usual, NULL, &data), WL_BAD_INPUT);
        assert_non_null(strstr(wl_error(), "found a header that htslib cannot read"));
    }
    free(all);
    free(values);
    free(text);
}

/* --- All --------------------------------------------------------------------------------------------------------- */

/* Text comes from standard input, and packed; what needs a file says so. */
static void standard_input(void **state) {
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {">x\nACGT\n>y\nTTNT\n", "x 0123;y 33-3"},
        {"x\t0\t1\ny\t3\tNA\n", "x 01;y 3-"},
        {HEAD COLUMNS "x\ty\n" SITE "0/0\t0/1\n", "x 0;y 1"},
        {"\x6C\x1B\x01", "standard input: found PLINK's .bed; expected it as a file, with .bim and .fam beside it"},
        {"BCF\2\2", "standard input: found BCF; expected it as a file, or VCF (bcftools view)"},
        {" \n", "standard input: found nothing in the file; expected an alignment in FASTA, VCF or BCF, PLINK's .bed, "
                ".bim and .fam, "
                "or a tab-separated table"},
    };
    int before = dup(STDIN_FILENO);
    char command[128], path[64];
    for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
        snprintf(path, sizeof path, "%s", file("in", cases[i / 2].text));
        snprintf(command, sizeof command, "gzip -f %s", path);
        if (i % 2) assert_int_equal(system(command), 0);
        if (i % 2) strcat(path, ".gz");
        assert_non_null(freopen(path, "r", stdin));
        distances_data data;
        if (distances_read("-", &usual, NULL, &data) == WL_OK) {
            char *text = show(&data);
            assert_string_equal(text, cases[i / 2].expected);
            free(text);
            distances_data_free(&data);
        } else {
            assert_string_equal(wl_error(), cases[i / 2].expected);
        }
    }
    assert_int_equal(dup2(before, STDIN_FILENO), STDIN_FILENO);
    close(before);
}

/* A limit is kept, and said: read with a bit more than the data take, and with a bit less. */
static void check_memory(const char *path, size_t enough, size_t too_little) {
    distances_reading reading = {.memory = too_little};
    distances_data data;
    assert_int_equal(distances_read(path, &reading, NULL, &data), WL_NO_MACHINE);
    assert_non_null(strstr(wl_error(), " that reading may take"));
    reading.memory = enough;
    if (distances_read(path, &reading, NULL, &data) != WL_OK) fail_msg("%s", wl_error());
    distances_data_free(&data);
}

static void memory(void **state) {
    (void)state;
    const size_t count = 1000, planes = 3 * 64 * count, names = 5 * count + 1024 * 16;
    char *text = malloc(count * count * 4 + 64 * count), *end = text;
    for (size_t i = 0; i < count; i++) end += sprintf(end, ">s%zu\nACGTACGT\n", i);
    check_memory(file("a.fa", text), planes + names + 1024, planes);
    end = text;
    for (size_t i = 0; i < count; i++) end += sprintf(end, "s%zu\t0\t1\t3\n", i);
    check_memory(file("t.tsv", text), planes + names + 1024, planes);
    end = text;
    for (size_t i = 0; i < count; i++) end += sprintf(end, "s%zu\t0\t1\t3.5\n", i);
    check_memory(file("t.tsv", text), 24 * count + names + 1024, 24 * count);
    uint8_t *all = calloc(count, count);
    put_plink(count, count, all);
    char path[64];
    snprintf(path, sizeof path, "%s/p.bed", folder);
    check_memory(path, 6 * 64 / 3 * 3 * count + names + 512 * 250 + 8, 6 * 64 * count);
    free(all);
    end = text + sprintf(text, HEAD COLUMNS "s0");
    for (size_t i = 1; i < count; i++) end += sprintf(end, "\ts%zu", i);
    for (size_t k = 0; k < count; k++) {
        end += sprintf(end, "\n" SITE "0/0");
        for (size_t i = 1; i < count; i++) end += sprintf(end, "\t%s", i * k % 3 ? "0/1" : ".");
    }
    sprintf(end, "\n");
    check_memory(file("v.vcf", text), 6 * 64 * count + names + 2 * 250 * count, 6 * 64 * count + 250 * count);
    free(text);
}

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
        cmocka_unit_test(nucleotides),
        cmocka_unit_test(amino_acids),
        cmocka_unit_test(alignments_refused),
        cmocka_unit_test(random_alignments),
        cmocka_unit_test(tables),
        cmocka_unit_test(tables_refused),
        cmocka_unit_test(random_tables),
        cmocka_unit_test(plink),
        cmocka_unit_test(plink_refused),
        cmocka_unit_test(random_plink),
        cmocka_unit_test(vcf),
        cmocka_unit_test(vcf_refused),
        cmocka_unit_test(random_variants),
        cmocka_unit_test(standard_input),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
