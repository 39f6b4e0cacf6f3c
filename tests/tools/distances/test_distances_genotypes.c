/* distances_read: what PLINK's files, VCF and BCF become, genotype by genotype, against what was written, also by bcftools and
   PLINK where they are; and the line of every refusal. */
#include "tests/support/distances_files.h"

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

TEST(random_plink) {
    static const char *const names[] = {"p.bed", "p.bim", "p.fam", "p"};
    wl_random random = wl_random_stream(9, 0);
    for (int trial = 0; trial < 60; trial++) {
        size_t samples = 1 + wl_random_below(&random, trial < 50 ? 140 : 5),
               variants = 1 + wl_random_below(&random, trial < 50 ? 130 : 3000);
        if (trial == 59) samples = 2100, variants = 2100; // on all processors
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
            for (size_t p = 0; p < 3; p++) // nothing after the last site
                for (size_t k = variants; k < data.words * 64; k++)
                    assert_int_equal(bits[p * data.words + k / 64] >> k % 64 & 1, 0);
        }
        free(all);
        free(values);
        distances_data_free(&data);
    }
}

TEST(plink) {
    static const uint8_t all[] = {0, 1, 2, 2, 3, 0, 0, 3, 1}; // [3][3]
    put_plink(3, 3, all);
    char bed[64];
    snprintf(bed, sizeof bed, "%s/p.bed", folder);
    free(check(bed, &usual, "s0 012;s1 2-0;s2 0-1"));
    /* A name that is unique in its family only; one that is not even that. */
    file("p.fam", "a s 0 0 0 -9\nb s 0 0 0 -9\n a  t\t0 0 1 2\n\n");
    char *notes = check(bed, &usual, "a_s 012;b_s 2-0;a_t 0-1");
    assert_non_null(
        strstr(notes, ": 1 of 3 samples have the name of a sample in another family: names are family_sample\n"));
    free(notes);
    file("p.fam", "a s 0 0 0 -9\na s 0 0 0 -9\na t 0 0 1 2\n");
    free(check(bed, &usual, ":2: found the name 'a_s' again, which line 1 has; expected names that differ"));
    distances_reading reading = {.keep_duplicates = 1};
    free(check(bed, &reading, "a_s 012;a_s 2-0;a_t 0-1"));
    file("p.bim", "1 a 0 1 A G\nchrX b 0 1 A G\n26 c 1 A G\n");
    notes = check(bed, &reading, "a_s 012;a_s 2-0;a_t 0-1");
    assert_non_null(strstr(notes, ": 2 of 3 variants are on X, Y or MT, and are compared as the others"));
    free(notes);
    /* Taken out by a negative position. */
    file("p.bim", "1 a 0 1 A G\nchrX b 0 -1 A G\n26 c 1 A G\n");
    notes = check(bed, &reading, "a_s 02;a_s 20;a_t 01");
    assert_non_null(strstr(notes, ": 1 of 3 variants has a negative position, and is left out, as PLINK does\n"));
    assert_non_null(strstr(notes, ": 1 of 3 variants is on X, Y or MT, and is compared as the others"));
    free(notes);
    file("p.bim", "1 a 0 -1 A G\n1 b -1 A G\n1 c -9 A G\n");
    free(check(bed, &reading, ": found no variant whose position is not negative; expected at least one"));
}

/* Any number of them, in files of several blocks. */
TEST(plink_left_out) {
    wl_random random = wl_random_stream(10, 0);
    for (int trial = 0; trial < 30; trial++) {
        size_t samples = 1 + wl_random_below(&random, 40), variants = 2 + wl_random_below(&random, 2500), kept = 0;
        const uint32_t of_ten = wl_random_below(&random, 11);
        uint8_t *all = malloc(samples * variants), *values = malloc(variants);
        size_t *place = malloc(variants * sizeof *place); // [kept]
        for (size_t k = 0; k < samples * variants; k++) all[k] = (uint8_t)wl_random_below(&random, 4);
        put_plink(samples, variants, all);
        char *text = malloc(64 * variants), *end = text, path[64];
        for (size_t k = 0; k < variants; k++) {
            const int out = k > 0 && wl_random_below(&random, 10) < of_ten;
            end += sprintf(end, "1\trs%zu\t0\t%s%zu\tA\tG\n", k, out ? "-" : "", k + 1);
            if (!out) place[kept++] = k;
        }
        file("p.bim", text);
        snprintf(path, sizeof path, "%s/p.bed", folder);
        distances_data data;
        if (distances_read(path, &usual, NULL, &data) != WL_OK) fail_msg("%s", wl_error());
        assert_int_equal(data.sites, kept);
        for (size_t i = 0; i < samples; i++) {
            distances_unpack(data.sum, 2, kept, data.bits + i * 3 * data.words, data.words, values);
            for (size_t k = 0; k < kept; k++) {
                const uint8_t one = all[i * variants + place[k]];
                assert_int_equal(values[k], one == 3 ? DISTANCES_MISSING : one);
            }
        }
        free(all);
        free(values);
        free(place);
        free(text);
        distances_data_free(&data);
    }
}

TEST(plink_refused) {
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

TEST(vcf) {
    static const char text[] = HEAD COLUMNS "x\ty z\tw\n"
                                            "1\t5\t.\tA\tG\t.\t.\t.\tGT\t0/0\t0|1\t1/1\n"
                                            "1\t6\t.\tA\tG\t.\tPASS\tDP=3\tGT:DP\t1|0:1\t./.:.\t0/.:2\n"
                                            "1\t7\t.\tA\tG,T\t.\t.\t.\tGT\t0/0\t0/1\t1/2\n"   // multiallelic
                                            "1\t8\t.\tA\t<DEL>\t.\t.\t.\tGT\t0/0\t0/1\t1/1\n" // symbolic
                                            "1\t8\t.\tA\tA.\t.\t.\t.\tGT\t0/0\t0/1\t1/1\n" // a breakend without a mate
                                            "1\t8\t.\tA\t]2:9]A\t.\t.\t.\tGT\t0/0\t0/1\t1/1\n"  // and with one
                                            "1\t9\t.\tA\t.\t.\t.\t.\tGT\t0/0\t0/0\t0/0\n"       // no alternative
                                            "1\t9\t.\tA\tG\t.\t.\t.\tDP\t1\t2\t3\n"             // no genotypes
                                            "X\t9\t.\tA\tG\t.\t.\t.\tGT\t0/1\t1\t0/0\n"         // haploid
                                            "1\t9\t.\tA\tG\t.\t.\t.\tGT\t0/1/1\t0/0/0\t0/0/1\n" // triploid
                                            "2\t10\trs\tAC\tA\t9\tlow\t.\tDP:GT\t2:.\t3:1/1\t.:.|.\n";
    char *notes = check(file("v.vcf", text), &usual, "x 0100-;y z 1-102;w 2-11-");
    static const char *const lines[] = {"1 record with several alternative alleles: each alternative is a site",
                                        "3 records with a symbolic alternative allele are left out",
                                        "1 record without an alternative allele is left out",
                                        "1 record without genotypes (GT) is left out",
                                        "2 records with genotypes that are not diploid are left out",
                                        "1 genotype with one of two alleles missing is taken as missing",
                                        "4 of 15 values are missing (26.7 %), and left out pair by pair"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(notes, lines[i])) fail_msg("%s not in %s", lines[i], notes);
    free(notes);
    distances_reading biallelic = {.biallelic = 1};
    notes = check(file("v.vcf", text), &biallelic, "x 01-;y z 1-2;w 2--");
    assert_non_null(strstr(notes, "1 record with several alternative alleles is left out"));
    free(notes);
    check_text("v.vcf", HEAD COLUMNS "x\tx\n1\t5\t.\tA\tG\t.\t.\t.\tGT\t0/0\t0|1\n", &usual,
               ":4: column 11: found the name 'x' again, which column 10 has; expected names that differ");
    distances_reading reading = {.keep_duplicates = 1};
    check_text("v.vcf", HEAD COLUMNS "x\tx\n1\t5\t.\tA\tG\t.\t.\t.\tGT\t0/0\t0|1\n", &reading, "x 0;x 1");
}

/* Each record of a haploid is a site. A genotype without a call fits every ploidy. A few genotypes of another ploidy do not silence a
   file: the fault that this test looks for is that one record decides the ploidy of all others. */
TEST(vcf_haploid) {
#define ALLELES(ref, alt, gt) "1\t5\t.\t" ref "\t" alt "\t.\t.\t.\tGT\t" gt "\n"
#define HAPLOIDS                     \
    ALLELES("A", "G,T,*", "0\t2\t3") \
    ALLELES("A", "G", "./.\t1\t0")   \
    ALLELES("N", "G", "0\t1\t1") ALLELES("A", "*", "0\t1\t1") ALLELES("A", "G,C", ".\t.\t.")
    char *notes = check(file("v.vcf", HEAD COLUMNS "x\ty\tz\n" HAPLOIDS), &usual, "x 0---;y 211-;z -01-");
    assert_non_null(strstr(notes, "genotypes are haploid: a site's values are its alleles"));
    assert_non_null(strstr(notes, "1 record with a symbolic alternative allele is left out"));
    free(notes);
#define DIPLOID ALLELES("A", "G", "0/0\t0/1\t1/1")
    notes = check(file("v.vcf", HEAD COLUMNS "x\ty\tz\n" HAPLOIDS DIPLOID HAPLOIDS), &usual,
                  "x 0--0----;y 211211--;z -01-01--");
    assert_non_null(strstr(notes, "1 record with genotypes that are not haploid is left out"));
    free(notes);
    notes = check(file("v.vcf", HEAD COLUMNS "x\ty\tz\n" HAPLOIDS DIPLOID DIPLOID DIPLOID), &usual,
                  "x 000--;y 111--;z 222--");
    assert_non_null(strstr(notes, "3 records with genotypes that are not diploid are left out"));
    free(notes);
    /* A genotype of equal alleles is one of them; asked for, all records are haploid, or none. */
    const char *mixed = file("v.vcf", HEAD COLUMNS "x\ty\tz\n" DIPLOID ALLELES("A", "G", "0\t1/1\t0|1")
                                          ALLELES("A", "G", "1\t0\t1") ALLELES("A", "G", "1\t0\t0"));
    notes = check(mixed, &usual, "x 011;y 100;z -10");
    assert_non_null(strstr(notes, "1 genotype with different alleles among haploid ones is taken as missing"));
    free(notes);
    const distances_reading haploid = {.ploidy = 1}, diploid = {.ploidy = 2}, triploid = {.ploidy = 3};
    free(check(mixed, &haploid, "x 0011;y -100;z 1-10"));
    free(check(mixed, &diploid, "x 0;y 1;z 2"));
    /* Polyploids: copies of each alternative allele. */
    const char *polyploid =
        file("v.vcf", HEAD COLUMNS "x\ty\tz\n" DIPLOID ALLELES("A", "G", "0/0/1\t1|1|1\t./././.")
                          ALLELES("A", "G,C", "0/1/2\t2/2/2\t0/./1") ALLELES("A", "G", "0/0/1/1\t0/0/0/1\t0/0/0/0"));
    notes = check(polyploid, &usual, "x 111;y 303;z ---");
    assert_non_null(strstr(notes, "2 records with genotypes that are not of 3 alleles are left out"));
    free(notes);
    free(check(polyploid, &triploid, "x 111;y 303;z ---"));
    free(check(polyploid, &diploid, "x 0;y 1;z 2"));
#undef DIPLOID
    free(check(file("v.vcf", HEAD COLUMNS "x\ty\n" ALLELES("A", "G,C", ".\t./.")), &usual, "x --;y --"));
    check_text("v.vcf", HEAD COLUMNS "x\ty\n" ALLELES("A", "G", "0\t2"), &usual,
               ":5: found a genotype of sample 2 with an allele above 1; expected 0 to 1, of the record's 2 alleles");
    check_text("v.vcf", HEAD COLUMNS "x\ty\n" ALLELES("A", "G", "0\t0/1"), &usual,
               ": found no genotypes of a variant among 1 record, most of them with genotypes that are not diploid; "
               "expected some");
#undef ALLELES
#undef HAPLOIDS
}

TEST(vcf_refused) {
    check_text("v.vcf", HEAD, &usual, ": the file ends in the header; expected the line that begins with '#CHROM'");
    check_text("v.vcf", HEAD COLUMNS "x\ty\n", &usual,
               ": found no genotypes of a variant among 0 records; expected some");
    check_text("v.vcf", HEAD "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n", &usual,
               ":4: found the columns '#CHROM\\x09POS\\x09ID\\x09REF\\x09ALT\\x09QUAL\\x09FILTER\\x09INFO'; expected "
               "'#CHROM POS ID "
               "REF ALT QUAL FILTER INFO FORMAT' and samples, separated by tabs");
    check_text("v.vcf", HEAD COLUMNS "\n", &usual, ":4: found no name in column 10; expected a sample's");
    check_text("v.vcf", HEAD COLUMNS "x\ty\n" SITE "0/0\t0/1\n" SITE "0/0\n", &usual,
               ":6: found 10 columns; expected 11, as in the header");
    check_text("v.vcf", HEAD COLUMNS "x\ty\n1\t5\t.\tA\n", &usual,
               ":5: found 4 columns; expected 11, as in the header");
    check_text("v.vcf", HEAD COLUMNS "x\ty\n" SITE "0/0\t0/2\n", &usual,
               ":5: found a genotype of sample 2 with an allele above 1; expected 0 to 1, of the record's 2 alleles");
    static const char *const nonsense[][2] = {
#define RECORD "; expected a record of VCF"
#define GENOTYPE " in the genotype of sample 'y'; expected alleles' numbers, '/', '|' and '.'"
        {"a/b", "'a'" GENOTYPE},
        {"0/", "what htslib cannot read" RECORD},
        {"0/-1", "'-'" GENOTYPE},
        {"99999999999/1", "what htslib cannot read" RECORD},
        {"0/1x", "'x'" GENOTYPE},
        {"", "a wrong number of columns, or an empty one" RECORD},
        {":0/1", "a wrong number of columns, or an empty one" RECORD},
#undef RECORD
#undef GENOTYPE
    };
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        char text[512], expected[128];
        snprintf(text, sizeof text, HEAD COLUMNS "x\ty\n" SITE "0/0\t%s\n", nonsense[i][0]);
        snprintf(expected, sizeof expected, ":5: found %s", nonsense[i][1]);
        check_text("v.vcf", text, &usual, expected);
    }
    check_text("v.vcf", HEAD COLUMNS "x\ty\n\n" SITE "0/0\t0/1\n", &usual,
               ":6: found a record after blank line 5; expected blank lines at the end only");
    distances_reading reading = {.format = DISTANCES_VCF};
    check_text("v.vcf", ">x\nACGT\n", &reading, ":1: found '>x'; expected '##fileformat=VCF'");
}

/* Random genotypes, most of their own text, as VCF, and as the BCF and the .bed that bcftools and PLINK make of it. */
TEST(random_variants) {
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
            uint32_t which = i == 0 ? 0 : i == 1 ? 2 : wl_random_below(&random, 6); // lest PLINK take REF for rarer
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

/* With a bit more than the data take, and with a bit less. */
TEST(memory) {
    const size_t count = 1000, names = 5 * count + 1024 * 16;
    char *text = malloc(count * count * 4 + 64 * count), *end;
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

int main(void) { return run_all_tests(set_up, tear_down); }
