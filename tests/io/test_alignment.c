/* io/alignment: the corpus with every error line, and random alignments written in each layout, by code that knows nothing of
   the reader's, and read back the same. tests/io/oracles has other people's writers to compare with. */
#include "tests/support/corpus.h"

#include <unistd.h>

#include "harness/base/random.h"
#include "io/alignment.h"

static wl_status describe(const char *path, corpus_text *description) {
    wl_alignment a;
    wl_status status = wl_alignment_read(path, WL_ALIGNMENT_AUTO, &a);
    if (status != WL_OK) return status;
    fprintf(description->stream, "%zux%zu:", a.count, a.columns);
    for (size_t i = 0; i < a.count; i++) {
        assert_int_equal(strlen(a.rows[i].letters), a.columns);
        fprintf(description->stream, "%s%zu: ", i ? "; " : " ", a.rows[i].line);
        corpus_put(description, a.rows[i].name);
        fprintf(description->stream, " %s", a.rows[i].letters);
    }
    wl_alignment_free(&a);
    return WL_OK;
}

TEST(corpus) { corpus_check("alignment", describe); }

TEST(no_files) {
    wl_alignment a;
    assert_int_equal(wl_alignment_read("/nowhere/a.phy", WL_ALIGNMENT_AUTO, &a), WL_BAD_INPUT);
    assert_string_equal(wl_error(), "/nowhere/a.phy: cannot open: No such file or directory; expected an alignment in "
                                    "FASTA, PHYLIP or NEXUS format");
}

/* A temporary file with this text, which the caller unlinks. */
static void put_file(char path[32], const char *text, size_t size) {
    strcpy(path, "/tmp/wl-test-XXXXXX");
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* `expected`: "name letters;name letters", or what the error line has after the file's name. */
static void check_text(const char *text, wl_alignment_format format, const char *expected) {
    char path[32];
    put_file(path, text, strlen(text));
    wl_alignment a;
    corpus_text found = {0};
    corpus_open(&found);
    if (wl_alignment_read(path, format, &a) == WL_OK) {
        for (size_t i = 0; i < a.count; i++)
            fprintf(found.stream, "%s%s %s", i ? ";" : "", a.rows[i].name, a.rows[i].letters);
        wl_alignment_free(&a);
    } else {
        fputs(wl_error() + strlen(path), found.stream);
    }
    corpus_close(&found);
    assert_string_equal(found.text, expected);
    free(found.text);
    unlink(path);
}

/* A format that is named is the only one that is tried. */
TEST(formats) {
    const char *both = "1 10\nten_bytes_ ACGTACGTAC\n";
    check_text(both, WL_ALIGNMENT_AUTO, "ten_bytes_ ACGTACGTAC");
    check_text(both, WL_ALIGNMENT_PHYLIP, "ten_bytes_ ACGTACGTAC");
    check_text(both, WL_ALIGNMENT_PHYLIP_STRICT, "ten_bytes_ ACGTACGTAC");
    const char *strict = "1 4\nHomo sapieACGT\n";
    check_text(strict, WL_ALIGNMENT_AUTO, "Homo sapie ACGT");
    check_text(strict, WL_ALIGNMENT_PHYLIP_STRICT, "Homo sapie ACGT");
    check_text(strict, WL_ALIGNMENT_PHYLIP,
               ":2: 'Homo' has 9 letters; expected 4 (PHYLIP, read as relaxed sequential)");
    const char *relaxed = "1 12\na ACGTACGTACGT\n";
    check_text(relaxed, WL_ALIGNMENT_AUTO, "a ACGTACGTACGT");
    check_text(relaxed, WL_ALIGNMENT_PHYLIP_STRICT,
               ":2: the file ends after 4 letters of 'a ACGTACGT'; expected 12 (PHYLIP, read as strict sequential)");
    check_text(">a\nACGT\n", WL_ALIGNMENT_PHYLIP,
               ":1: found '>a' in the header; expected the number of rows, from 1 to 1e18 - 1");
    check_text("1 4\na ACGT\n", WL_ALIGNMENT_FASTA,
               ":1:1: found '1' before the first header; expected '>' (FASTA) or '@' (FASTQ) where a line begins");
}

/* --- Random alignments ------------------------------------------------------------------------------------------- */

typedef struct {
    size_t count, columns, width; // width: letters per line where there are several
    char (*names)[16];
    char *letters; // [count * columns]
} known;

/* No name has white space at an end, two rows have different ones, and strict ones fit. */
static void make_name(wl_random *random, size_t row, int strict, char name[16]) {
    static const char bytes[] = "abcXYZ_|.-/=;()'\"#";
    int number = snprintf(name, 16, "%zx=", row), most = strict ? 10 : 15;
    uint32_t more = wl_random_below(random, (uint32_t)(most - number) + 1);
    for (uint32_t i = 0; i < more; i++) {
        int blank = strict && i + 1 < more && wl_random_below(random, 6) == 0;
        name[number++] = blank ? ' ' : bytes[wl_random_below(random, sizeof bytes - 1)];
    }
    name[number] = 0;
}

static known make(wl_random *random, int strict) {
    static const char letters[] = "ACGTacgtNRYKM-.?*";
    known k = {.count = 1 + wl_random_below(random, 40), .columns = 1 + wl_random_below(random, 300)};
    k.width = 1 + wl_random_below(random, 80);
    k.names = calloc(k.count, sizeof *k.names);
    k.letters = malloc(k.count * k.columns);
    assert_true(k.names && k.letters);
    for (size_t i = 0; i < k.count; i++) make_name(random, i, strict, k.names[i]);
    for (size_t i = 0; i < k.count * k.columns; i++)
        k.letters[i] = letters[wl_random_below(random, sizeof letters - 1)];
    return k;
}

/* How a file may differ without meaning anything else. */
typedef struct {
    const char *line_end;
    int group, indent, blank_line;
} style;

static void put_letters(FILE *out, const known *k, const style *s, size_t row, size_t from) {
    for (size_t i = from; i < k->columns && i < from + k->width; i++) {
        if (s->group && i > from && (i - from) % 10 == 0) fputc(' ', out);
        fputc(k->letters[row * k->columns + i], out);
    }
    fputs(s->line_end, out);
    if (s->blank_line) fprintf(out, "  \t%s", s->line_end);
}

static void put_name(FILE *out, const char *name, int strict) {
    if (strict)
        fprintf(out, "%-10s", name);
    else
        fprintf(out, " %s\t ", name);
}

static void put_phylip(FILE *out, const known *k, const style *s, int strict, int interleaved, int repeated) {
    fprintf(out, " %zu\t%zu%s", k->count, k->columns, s->line_end);
    for (size_t from = 0; interleaved && from < k->columns; from += k->width) {
        for (size_t i = 0; i < k->count; i++) {
            if (from == 0 || repeated)
                put_name(out, k->names[i], strict);
            else
                fprintf(out, "%*s", s->indent, "");
            put_letters(out, k, s, i, from);
        }
        fputs(s->line_end, out);
    }
    for (size_t i = 0; !interleaved && i < k->count; i++)
        for (size_t from = 0; from < k->columns; from += k->width) {
            if (from == 0)
                put_name(out, k->names[i], strict);
            else
                fprintf(out, "%*s", s->indent, "");
            put_letters(out, k, s, i, from);
        }
}

static void check_same(const corpus_text *text, wl_alignment_format format, const known *k) {
    char path[32];
    put_file(path, text->text, text->length);
    wl_alignment a;
    if (wl_alignment_read(path, format, &a) != WL_OK) fail_msg("%s\n%s", wl_error(), text->text);
    unlink(path);
    assert_int_equal(a.count, k->count);
    assert_int_equal(a.columns, k->columns);
    for (size_t i = 0; i < k->count; i++) {
        assert_string_equal(a.rows[i].name, k->names[i]);
        assert_memory_equal(a.rows[i].letters, k->letters + i * k->columns, k->columns);
        assert_int_equal(a.rows[i].letters[k->columns], 0);
    }
    wl_alignment_free(&a);
}

/* Each layout, in the format that says relaxed or strict; which of sequential and interleaved it is the reader sees. */
TEST(layouts) {
    for (uint64_t i = 0; i < 1800; i++) {
        wl_random random = wl_random_stream(5, i);
        int strict = i % 2, interleaved = i / 2 % 3 > 0, repeated = i / 2 % 3 == 2;
        known k = make(&random, strict);
        const style s = {.line_end = wl_random_below(&random, 2) ? "\n" : "\r\n",
                         .group = (int)wl_random_below(&random, 2),
                         .indent = (int)wl_random_below(&random, 2) * 10,
                         .blank_line = wl_random_below(&random, 4) == 0};
        corpus_text text = {0};
        corpus_open(&text);
        put_phylip(text.stream, &k, &s, strict, interleaved, repeated);
        corpus_close(&text);
        check_same(&text, strict ? WL_ALIGNMENT_PHYLIP_STRICT : WL_ALIGNMENT_PHYLIP, &k);
        free(text.text);
        free(k.names);
        free(k.letters);
    }
}

/* What is written is read back the same by itself, and in FASTA and PHYLIP alike. */
TEST(written) {
    for (uint64_t i = 0; i < 300; i++) {
        wl_random random = wl_random_stream(6, i);
        known k = make(&random, 0);
        wl_alignment_format format = i % 2 ? WL_ALIGNMENT_FASTA : WL_ALIGNMENT_PHYLIP;
        corpus_text text = {0};
        corpus_open(&text);
        wl_alignment_write_header(text.stream, format, k.count, k.columns);
        for (size_t row = 0; row < k.count; row++)
            wl_alignment_write_row(text.stream, format, k.names[row], k.letters + row * k.columns, k.columns);
        corpus_close(&text);
        check_same(&text, WL_ALIGNMENT_AUTO, &k);
        free(text.text);
        free(k.names);
        free(k.letters);
    }
}

TEST(written_text) {
    corpus_text text = {0};
    corpus_open(&text);
    wl_alignment_write_header(text.stream, WL_ALIGNMENT_PHYLIP, 1, 4);
    wl_alignment_write_row(text.stream, WL_ALIGNMENT_PHYLIP, "a", "ACGTrest", 4);
    wl_alignment_write_header(text.stream, WL_ALIGNMENT_FASTA, 1, 4);
    wl_alignment_write_row(text.stream, WL_ALIGNMENT_FASTA, "a", "ACGTrest", 4);
    assert_string_equal(corpus_close(&text), "1 4\na ACGT\n>a\nACGT\n");
    free(text.text);
}

/* Beyond the chunks that files are read in, both ways round, interleaved so that five readings must fail before. */
TEST(sizes) {
    static const size_t shapes[][2] = {{1, 3000000}, {200000, 3}, {1000, 2000}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        known k = {.count = shapes[i][0], .columns = shapes[i][1], .width = 61};
        k.names = calloc(k.count, sizeof *k.names);
        k.letters = malloc(k.count * k.columns);
        assert_true(k.names && k.letters);
        wl_random random = wl_random_stream(7, i);
        for (size_t row = 0; row < k.count; row++) snprintf(k.names[row], sizeof k.names[row], "r%u", (unsigned)row);
        for (size_t at = 0; at < k.count * k.columns; at++) k.letters[at] = "ACGT"[wl_random_below(&random, 4)];
        corpus_text text = {0};
        corpus_open(&text);
        put_phylip(text.stream, &k, &(style){.line_end = "\n"}, 1, 1, 1);
        corpus_close(&text);
        check_same(&text, WL_ALIGNMENT_AUTO, &k);
        free(text.text);
        free(k.names);
        free(k.letters);
    }
}

int main(void) { return run_all_tests(NULL, NULL); }
