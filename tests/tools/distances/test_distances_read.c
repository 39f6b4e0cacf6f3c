/* distances_read: what small alignments and tables become, value by value, against what their text says; and the line of every
   refusal. Genotypes: test_distances_genotypes.c. */
#include "tests/support/distances_files.h"

/* --- Alignments -------------------------------------------------------------------------------------------------- */

TEST(nucleotides) {
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
    assert_non_null(strstr(notes, ": 1 of 3 instances has no value at all; the first is 'z'\n"));
    free(notes);
}

TEST(amino_acids) {
    check_text("a.fa", ">x\nMKVLWX*-\n>y\nmkveB?.K\n", &usual, "x 01234---;y 01256--1");
    /* Variable sites of heterozygotes: many ambiguity codes, which are no amino acids. */
    check_text("a.fa", ">x\nACGTRYKMSWACGTRYKMSW\n>y\nACGTACGTACGTACGTRYKM\n", &usual,
               "x 0123------0123------;y 0123012301230123----");
    char *notes = check(file("a.fa", ">x\nACGTRYKMSWACGTRYKMSW\n>y\nACGTACGTACGTACGTRYKE\n"), &usual,
                        "x 01234567890123456789;y 0123012301230123456a");
    assert_non_null(strstr(notes, ": letters are taken as amino acids: only 24 of the first 40 are A, C, G, T, U or N "
                                  "(--nucleotide, if not)\n"));
    free(notes);
}

TEST(alignments_refused) {
    check_text("a.fa", ">x\nACGT\n>y\nACG\n", &usual,
               ":3: sequence 'y' has 3 letters; expected 4, as 'x' in line 1 has");
    check_text("a.fa", ">x\nACGT\n>y\nACGT\n>x\nACGT\n>y\nAAAA\n", &usual,
               ":5: found the name 'x' again, which line 1 has; expected names that differ");
    check_text(
        "a.fa", ">x\nACGTACGTACGTACGTACGT\n>y\nACGTACGTACGTACGTACGE\n", &usual,
        ":3: unknown letter 'E' at position 20 of sequence 'y'; expected nucleotides (ACGTRYSWKMBDHVNX-.?*, U), as "
        "the first sequences have: if they are amino acids or other symbols, use --protein");
    check_text("a.fa", ">x\n", &usual, ":1: sequence 'x' has no letters; expected at least one");
}

/* Random letters of random lengths, against a table of which letter is what; with new letters late, when the planes of the
   sequences before must be made anew. */
TEST(random_alignments) {
    static const char letters[] = "ACGTRYSWKMBDHVN-.?acgtn";
    wl_random random = wl_random_stream(7, 0);
    for (int trial = 0; trial < 60; trial++) {
        size_t count = 1 + wl_random_below(&random, 40), sites = 1 + wl_random_below(&random, 1100);
        char *text = malloc(count * (sites + 20)), *end = text, *all = malloc(count * sites);
        for (size_t i = 0; i < count; i++) {
            end += sprintf(end, ">s%zu\n", i);
            uint32_t kinds = trial % 2 && i + 2 < count ? 4 : sizeof letters - 1; // the others late
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
            for (int p = 0; p <= data.planes; p++) // nothing after the last site
                for (size_t k = sites; k < data.words * 64; k++)
                    assert_int_equal(bits[(size_t)p * data.words + k / 64] >> k % 64 & 1, 0);
        }
        for (int a = 0; a < 128; a++) // different letters, different values
            for (int b = 0; b < a; b++) assert_true(!letter_of[a] || letter_of[a] != letter_of[b]);
        assert_int_equal(data.complete, missing == 0);
        free(values);
        free(all);
        free(text);
        distances_data_free(&data);
    }
}

/* --- Tables ------------------------------------------------------------------------------------------------------ */

TEST(tables) {
    check_text("t.tsv", "0\t1\t2\n2\t1\t0\n", &usual, "1 012;2 210");
    check_text("t.tsv", "id\ta\tb\tc\nx\t0\tNA\t2\r\ny\t\t.\tnan\nz\t3\t4\t5", &usual, "x 0-2;y ---;z 345");
    distances_reading reading = {.integers_in_unary = 1};
    check_text("t.tsv", "x\t0\t1\nx y\t7\tNA\n\n", &reading, "x 01;x y 7-");
    /* Real numbers, and integers that are none of the small ones. */
    check_text("t.tsv", "x\t0\tNA\ny\t7\t1.5\nz\t-1e3\t.\n", &usual, "x [0][-];y [7][1.5];z [-1000][-]");
    char *notes = check(file("t.tsv", "x\t0\t1\ny\t5\tNA\nz\t0\t-9\n"), &usual, "x [0][1];y [5][-];z [0][-9]");
    assert_non_null(
        strstr(notes, ": line 3, column 3 has -9, which is no integer from 0 to 127: values are real numbers\n"));
    assert_non_null(strstr(notes, ": 1 of 6 values is missing (16.7 %), and left out pair by pair\n"));
    free(notes);
    check_text("t.tsv", "x\t0\t1\ny\t7\t8\n", &reading, "x [0][1];y [7][8]");
    /* Names that are numbers are seen by the header, or told; the kind of fault is that they became data. */
    check_text("t.tsv", "id\ta\n10\t1\n12\t2\n", &usual, "10 1;12 2");
    check_text("t.tsv", "\ta\n10\t1\n12\t2\n", &usual, "10 1;12 2");
    check_text("t.tsv", "Sample ID\t1\t2\n10\t1\t0\nx\t2\t0\n", &usual, "10 10;x 20");
    check_text("t.tsv", "a\tb\n10\t1\t3\n12\t2\t3\n", &usual, "10 13;12 23"); // as R writes it
    check_text("t.tsv", "\"\"\t\"1\"\n\"10\"\t1\n\"12\"\t2\n", &usual, "\"10\" 1;\"12\" 2");
    check_text("t.tsv", "id\ta\n10\t1\n\t2\n", &usual,
               ":3: column 1: found ''; expected a row name, as in the rows before");
    const distances_reading named = {.names = 1};
    check_text("t.tsv", "10\t1\n12\t2\n", &named, "10 1;12 2");
    notes = check(file("t.tsv", "u\ta\n10\t1\n12\t2\n"), &usual, "1 a1;2 c2");
    assert_non_null(strstr(notes,
                           ": the first column has values like the others, not names: rows are numbered (--names, "
                           "if they are names)\n"));
    free(notes);
    notes = check(file("t.tsv", "id\ta\nx\t1\ny\t2\n"), &usual, "x 1;y 2");
    assert_null(strstr(notes, "numbered"));
    free(notes);
    check_text("t.tsv", "x\t0\t1\ny\t7\t128\n", &usual, "x [0][1];y [7][128]");
}

/* cgMLST: numbers of any size, new alleles and words for missing ones; only whether they are equal counts. */
TEST(allele_numbers) {
    const distances_reading equality = {.equality = 1}, asked = {.equality = 1, .format = DISTANCES_CGMLST},
                            numbers = {.equality = 1, .format = DISTANCES_TABLE};
    static const char chew[] = "FILE\tl1\tl2\tl3\nx\tINF-7\t5\t1234\ny\t7\tLNF\t88\nz\t0\t*6\t4294967295\n";
    char *notes = check(file("t.tsv", chew), &equality, "x 001;y 0-0;z -12");
    assert_non_null(strstr(notes, ": the header begins with FILE: values are allele numbers, and 0 is a missing one"));
    free(notes);
    check_text("t.tsv", chew, &numbers, ":2: column 2: found 'INF-7'; expected a number, or NA where there is none");
    check_text("t.tsv", "ST\ta\tb\n1\t1\tN\n2\t3\t2\n", &equality, "1 0-;2 10");
    /* A field that only such tables have, however late; and what was read before it. */
    notes = check(file("t.tsv", "id\ta\tb\n1\t1\t0\n2\t3\t128\n"), &equality, "1 0-;2 10");
    assert_non_null(strstr(notes, ": line 3, column 3 has 128: values are allele numbers, and 0 is a missing one"));
    free(notes);
    check_text("t.tsv", "x\t1\t2\ny\tPLOT3\tINF-2\n", &equality, "x 00;y -0");
    check_text("t.tsv", "x\t1\t0\ny\t1\t2\n", &equality, "x 10;y 12"); // small integers, of which 0 is one
    check_text("t.tsv", "x\t1\t0\ny\t1\t2\n", &asked, "x 0-;y 00");
    check_text(
        "t.tsv", "x\t1\t-3\ny\t900\tred\n", &asked,
        ":2: column 3: found 'red'; expected an allele's number, INF- and a number, or 0, NA or a word such as LNF "
        "where there is none");
}

TEST(tables_refused) {
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
    check_text("t.tsv", "  \n", &usual,
               ": found nothing in the file; expected an alignment in FASTA, PHYLIP or NEXUS, VCF or BCF, PLINK's "
               ".bed, .bim and .fam, or a "
               "tab-separated table");
}

/* Random tables whose largest value comes late, in both encodings, against the numbers that were written. */
TEST(random_tables) {
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

/* --- All --------------------------------------------------------------------------------------------------------- */

/* Text comes from standard input, and packed; what needs a file says so. */
TEST(standard_input) {
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {">x\nACGT\n>y\nTTNT\n", "x 0123;y 33-3"},
        {"x\t0\t1\ny\t3\tNA\n", "x 01;y 3-"},
        {HEAD COLUMNS "x\ty\n" SITE "0/0\t0/1\n", "x 0;y 1"},
        {"\x6C\x1B\x01", "standard input: found PLINK's .bed; expected it as a file, with .bim and .fam beside it"},
        {"BCF\2\2", "standard input: found a header that htslib cannot read; expected BCF's, samples named once"},
        {" \n", "standard input: found nothing in the file; expected an alignment in FASTA, PHYLIP or NEXUS, VCF or "
                "BCF, PLINK's .bed, "
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

/* With a bit more than the data take, and with a bit less. */
TEST(memory) {
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
    free(text);
}

int main(void) { return run_all_tests(set_up, tear_down); }
