/* The problem `lessons`: its options, its inputs, its reference in slices, and what a comparison says. */
#include "tests/support/corpus.h"

#include <limits.h>

#include "harness/bench/problem.h"
#include "lessons/problem.h"

/* Arguments as the command line gives them, from "--instances 3 --input FILE"; `text` is cut up. */
typedef struct {
    wl_arguments arguments;
    const char *values[16];
    char text[512];
} given;

static const wl_problem *lessons;

static const wl_arguments *give(given *g, const char *text) {
    memset(g, 0, sizeof *g);
    snprintf(g->text, sizeof g->text, "%s", text);
    g->arguments.options = lessons->options;
    g->arguments.values = g->values;
    while (lessons->options[g->arguments.count].name) g->arguments.count++;
    char *rest = g->text, *word;
    while ((word = strsep(&rest, " ")) && *word) {
        size_t i = 0;
        assert_int_equal(strncmp(word, "--", 2), 0);
        while (lessons->options[i].name && strcmp(lessons->options[i].name, word + 2) != 0) i++;
        assert_non_null(lessons->options[i].name);
        g->values[i] = strsep(&rest, " ");
    }
    return &g->arguments;
}

static lessons_input *create(const char *text, uint64_t seed, size_t index) {
    given g;
    void *input = NULL;
    if (lessons->input_create(give(&g, text), seed, index, &input) != WL_OK) fail_msg("%s: %s", text, wl_error());
    return input;
}

static void refused(const char *text, wl_status code, const char *why) {
    given g;
    void *input = NULL;
    assert_int_equal(lessons->input_create(give(&g, text), 1, 0, &input), code);
    assert_null(input);
    if (strncmp(wl_error(), why, strlen(why)) != 0) fail_msg("%s\nis not\n%s", wl_error(), why);
}

static int setup(void **state) {
    (void)state;
    lessons = wl_problem_named("lessons");
    return lessons == NULL;
}

/* --- Options ----------------------------------------------------------------------------------------------------- */

TEST(counts) {
    static const struct {
        const char *text;
        size_t count;
    } cases[] = {
        {"", 25},
        {"--alphabet 4", 25},
        {"--instances 112", 1},
        {"--attributes 512", 1},
        {"--instances 3 --datasets 7", 7},
        {"--datasets 3", 3},
        {"--input x", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        given g;
        size_t count = 99;
        assert_int_equal(lessons->input_count(give(&g, cases[i].text), &count), WL_OK);
        assert_int_equal(count, cases[i].count);
    }
}

TEST(wrong_options) {
    refused("--instances x", WL_BAD_USAGE, "option --instances: 'x' is no whole number; expected");
    refused("--instances -1", WL_BAD_USAGE,
            "option --instances: -1 is out of range; expected a whole number from 0 to 1048576");
    refused("--instances 1048577", WL_BAD_USAGE, "option --instances: 1048577 is out of range");
    refused("--attributes 1073741825", WL_BAD_USAGE, "option --attributes: 1073741825 is out of range");
    refused("--alphabet 1", WL_BAD_USAGE,
            "option --alphabet: 1 is out of range; expected a whole number from 2 to 128");
    refused("--alphabet 129", WL_BAD_USAGE, "option --alphabet: 129 is out of range");
    refused("--datasets 0", WL_BAD_USAGE, "option --datasets: 0 is out of range");
    refused("--datasets 1e3", WL_BAD_USAGE, "option --datasets: '1e3' is no whole number");
    refused("--input x --instances 5", WL_BAD_USAGE,
            "option --instances: found beside --input; expected one or the other");
    refused("--input x --attributes 5", WL_BAD_USAGE, "option --attributes: found beside --input");
    refused("--input x --datasets 5", WL_BAD_USAGE, "option --datasets: found beside --input");
    refused("--alphabet 4 --input " CORPUS "sequences/good.fasta", WL_BAD_USAGE,
            "option --alphabet: found beside an alignment");
}

TEST(too_large) {
    refused("--instances 65535 --attributes 1073741824", WL_NO_MACHINE,
            "options --instances and --attributes: 65535 x 1073741824 need 562975.7 GB of memory; ");
}

/* --- Random data ------------------------------------------------------------------------------------------------- */

TEST(random_data) {
    lessons_input *a = create("", 1, 0), *again = create("", 1, 0), *other = create("", 1, 1), *seed = create("", 2, 0);
    const size_t bytes = sizeof(int) * 112 * 512;
    assert_int_equal(a->instances, 112);
    assert_int_equal(a->attributes, 512);
    assert_int_equal(a->alphabet, 3);
    assert_null(a->names);
    assert_memory_equal(a->data, again->data, bytes);
    assert_memory_not_equal(a->data, other->data, bytes);
    assert_memory_not_equal(a->data, seed->data, bytes);
    size_t counts[3] = {0};
    for (size_t k = 0; k < 112 * 512; k++) {
        assert_in_range(a->data[k], 0, 2);
        counts[a->data[k]]++;
    }
    /* 57,344 draws: a third each, with a standard deviation of 113. */
    for (int v = 0; v < 3; v++) assert_in_range(counts[v], 19115 - 560, 19115 + 560);
    /* The same on every machine: these never change. */
    static const int first[] = {1, 1, 1, 2, 0, 0, 2, 1, 2, 2, 2, 2, 2, 2, 2, 1};
    assert_memory_equal(a->data, first, sizeof first);
    char shape[32];
    lessons->shape(a, shape, sizeof shape);
    assert_string_equal(shape, "112x512");
    assert_true(lessons->work(a) == 112.0 * 112 * 512);
    assert_int_equal(lessons->output_size(a), 4 * 112 * 112);
    assert_int_equal(lessons->slices(a), 112);
    lessons->input_free(a);
    lessons->input_free(again);
    lessons->input_free(other);
    lessons->input_free(seed);
    lessons->input_free(NULL);
}

TEST(empty) {
    static const char *const texts[] = {"--instances 0 --attributes 5", "--instances 5 --attributes 0"};
    for (int i = 0; i < 2; i++) {
        lessons_input *input = create(texts[i], 1, 0);
        assert_true(lessons->work(input) == 0);
        int output[25];
        memset(output, 0xA5, sizeof output);
        lessons->reference(input, 0, lessons->slices(input), output);
        for (size_t k = 0; k < lessons->output_size(input) / sizeof(int); k++) assert_int_equal(output[k], 0);
        char first[8];
        assert_int_equal(lessons->compare(input, output, output, first, sizeof first), 0);
        size_t pitch;
        char *rows = lessons_char_rows(input, &pitch);
        assert_non_null(rows);
        free(rows);
        lessons->input_free(input);
    }
}

/* --- Files ------------------------------------------------------------------------------------------------------- */

static wl_status describe(const char *path, corpus_text *description) {
    given g;
    char text[512];
    void *created = NULL;
    snprintf(text, sizeof text, "--input %s", path);
    wl_status status = lessons->input_create(give(&g, text), 1, 0, &created);
    if (status != WL_OK) return status;
    const lessons_input *input = created;
    FILE *out = description->stream;
    fprintf(out, "%dx%d of %d:", input->instances, input->attributes, input->alphabet);
    for (int i = 0; i < input->instances; i++) {
        fprintf(out, "%s%s ", i ? "; " : " ", input->names ? input->names[i] : "");
        for (int k = 0; k < input->attributes; k++) fprintf(out, "%d", input->data[i * input->attributes + k]);
    }
    lessons->input_free(created);
    return WL_OK;
}

TEST(corpus) { corpus_check("lessons", describe); }

TEST(no_files) {
    refused("--input /nowhere", WL_BAD_INPUT,
            "/nowhere: cannot open: No such file or directory; expected an alignment");
    refused("--input /tmp", WL_BAD_INPUT, "/tmp: is a directory; expected an alignment");
    refused("--input /dev/null", WL_BAD_INPUT, "/dev/null: the file is empty; expected an alignment");
    refused("--input /dev/zero", WL_BAD_INPUT, "/dev/zero:1:1: found byte 0x00; expected text");
}

TEST(examples) {
#define DATA "--input " WL_SOURCE_DIR "/tests/support/data/"
    lessons_input *plain = create(DATA "alignment.fasta", 1, 0), *packed = create(DATA "alignment.fasta.gz", 1, 0);
    assert_int_equal(plain->instances, 12);
    assert_int_equal(plain->attributes, 300);
    assert_int_equal(plain->alphabet, 6); // A, C, G, T, N and -
    assert_string_equal(plain->names[11], "sample_12");
    assert_memory_equal(plain->data, packed->data, sizeof(int) * 12 * 300);
    lessons->input_free(plain);
    lessons->input_free(packed);

    lessons_input *table = create(DATA "genotypes.tsv", 1, 0),
                  *wide = create("--alphabet 4 " DATA "genotypes.tsv", 1, 0);
    assert_int_equal(table->instances, 20);
    assert_int_equal(table->attributes, 40);
    assert_int_equal(table->alphabet, 3);
    assert_string_equal(table->names[0], "ind01");
    assert_int_equal(wide->alphabet, 4);
    lessons->input_free(table);
    lessons->input_free(wide);
}

TEST(table_of_more_letters) {
    refused("--alphabet 2 --input " CORPUS "table/good.tsv", WL_BAD_INPUT,
            CORPUS "table/good.tsv:1: column 3: found '2'; expected a whole number from 0 to 1");
    lessons_input *input = create("--alphabet 4 --input " CORPUS "table/too_large.tsv", 1, 0);
    assert_int_equal(input->alphabet, 4);
    assert_int_equal(input->data[3], 3);
    lessons->input_free(input);
}

TEST(too_many_instances) {
    char path[] = "/tmp/wl-test-XXXXXX", text[64], why[128];
    FILE *file = fdopen(mkstemp(path), "w");
    for (int i = 0; i < 1048577; i++) fputs("0\n", file);
    fclose(file);
    snprintf(text, sizeof text, "--input %s", path);
    snprintf(why, sizeof why, "%s: found 1048577 instances; expected at most 1048576", path);
    refused(text, WL_BAD_INPUT, why);
    unlink(path);
}

/* --- Layouts, reference, comparison ------------------------------------------------------------------------------- */

TEST(char_rows) {
    static const int attributes[] = {1, 3, 4, 5, 511};
    for (size_t a = 0; a < sizeof attributes / sizeof *attributes; a++) {
        char text[64];
        snprintf(text, sizeof text, "--instances 3 --attributes %d --alphabet 128", attributes[a]);
        lessons_input *input = create(text, 5, 0);
        size_t pitch;
        char *rows = lessons_char_rows(input, &pitch);
        assert_non_null(rows);
        assert_int_equal(pitch, (attributes[a] + 3) / 4 * 4);
        for (size_t i = 0; i < 3; i++)
            for (size_t k = 0; k < pitch; k++)
                assert_int_equal(rows[i * pitch + k],
                                 k < (size_t)attributes[a] ? input->data[i * (size_t)attributes[a] + k] : 0);
        free(rows);
        lessons->input_free(input);
    }
}

TEST(slices) {
    lessons_input *input = create("--instances 7 --attributes 33", 3, 0);
    int whole[49], parts[49];
    lessons->reference(input, 0, 7, whole);
    memset(parts, 0xA5, sizeof parts);
    lessons->reference(input, 4, 3, parts);
    lessons->reference(input, 0, 1, parts);
    lessons->reference(input, 1, 3, parts);
    assert_memory_equal(whole, parts, sizeof whole);
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++) {
            int differ = 0;
            for (int k = 0; k < 33; k++) differ += input->data[i * 33 + k] != input->data[j * 33 + k];
            assert_int_equal(whole[i + 7 * j], differ);
        }
    lessons->input_free(input);
}

TEST(comparison) {
    lessons_input *input = create("--instances 8 --attributes 512", 3, 0);
    int expected[64], actual[64];
    char first[160] = "";
    lessons->reference(input, 0, 8, expected);
    memcpy(actual, expected, sizeof actual);
    assert_int_equal(lessons->compare(input, expected, actual, first, sizeof first), 0);
    assert_string_equal(first, "");

    expected[5 * 8 + 3] = 341;
    actual[5 * 8 + 3] = (int)0xA5A5A5A5;
    actual[5 * 8 + 4] = -1;
    assert_int_equal(lessons->compare(input, expected, actual, first, sizeof first), 2);
    assert_string_equal(first, "distance[i=3][j=5]: expected 341, found -1515870811 (never written)");

    actual[5 * 8 + 3] = (int)(0xA5A5A5A5 + 341);
    assert_int_equal(lessons->compare(input, expected, actual, first, sizeof first), 2);
    assert_string_equal(
        first, "distance[i=3][j=5]: expected 341, found -1515870470 (added to memory that was never set to zero)");

    actual[5 * 8 + 3] = 340;
    assert_int_equal(lessons->compare(input, expected, actual, first, 24), 2);
    assert_string_equal(first, "distance[i=3][j=5]: exp");

    memset(actual, 0xA5, sizeof actual);
    assert_int_equal(lessons->compare(input, expected, actual, first, sizeof first), 64);
    assert_string_equal(first, "distance[i=0][j=0]: expected 0, found -1515870811 (never written)");
    lessons->input_free(input);
}

/* Every count the project promises to check is there, and all shapes together are cheap enough for the simulator. */
TEST(check_shapes) {
    static const int instances[] = {0, 1, 2, 31, 32, 33, 127, 128, 129}, attributes[] = {0, 1, 3, 4, 5, 511, 512, 513};
    enum { MOST = 1 << 14 };
    static int seen_instances[MOST], seen_attributes[MOST], alphabets[129];
    double work = 0;
    for (const char *const *shape = lessons->check_shapes; *shape; shape++) {
        lessons_input *input = create(*shape, 1, 0);
        assert_true(input->instances < MOST && input->attributes < MOST);
        seen_instances[input->instances] = seen_attributes[input->attributes] = alphabets[input->alphabet] = 1;
        work += lessons->work(input);
        lessons->input_free(input);
    }
    for (size_t i = 0; i < sizeof instances / sizeof *instances; i++) assert_true(seen_instances[instances[i]]);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) assert_true(seen_attributes[attributes[i]]);
    assert_true(alphabets[2] && alphabets[3] && alphabets[128]);
    assert_true(work < 112.0 * 112 * 512);
}

TEST(figure) {
    given g;
    void *input = NULL;
    size_t rows, columns, bytes;
    const char *row, *column;
    assert_int_equal(lessons->input_create(give(&g, lessons->figure_arguments), 1, 0, &input), WL_OK);
    assert_int_equal(lessons->figure_layout(input, "01_naive", &rows, &columns, &bytes, &row, &column), WL_OK);
    assert_true(rows == 16 && columns == 8 && bytes == 4);
    assert_string_equal(row, "attributes");
    assert_int_equal(lessons->figure_layout(input, "05_shared", &rows, &columns, &bytes, &row, &column), WL_OK);
    assert_true(rows == 8 && columns == 16 && bytes == 1);
    assert_int_equal(lessons->figure_layout(input, "mine", &rows, &columns, &bytes, &row, &column), WL_OK);
    assert_int_equal(rows, 0);
    lessons->input_free(input);
}

int main(void) { return run_all_tests(setup, NULL); }
