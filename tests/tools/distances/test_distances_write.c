/* Writers: the exact bytes of every layout, against text written down here and against printf for random matrices of many blocks;
   names that a layout cannot hold are refused, and a full disk is noticed. NumPy itself reads its array back, where there is one. */
#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "distances/problem.h"
#include "tools/distances/write/numbers.h"
#include "tests/support/distances_values.h"

#define TOOL_PROBLEM "distances"
#define TOOL_INPUT distances_input
#define TOOL_REFERENCE(in, output) distances_reference(in, 0, (in)->rows.count, output)
#include "tests/support/tool_variants.h"

/* --- A matrix ---------------------------------------------------------------------------------------------------- */

static wl_status launch(void *state) {
    (void)state;
    return WL_OK;
}
VARIANT(variant, WL_CPU, "test_write", NULL, prepare, launch, collect);

static const wl_device cpu = {.backend = WL_CPU, .name = "CPU", .memory_free = 1 << 30, .multiprocessors = 2};

static distances_matrix *matrix_of(const values *v, distances_measure measure, int rescale) {
    distances_request request = {.data = &v->data,
                                 .measure = measure,
                                 .rescale = rescale,
                                 .devices = &cpu,
                                 .device_count = 1,
                                 .pattern = "distances/test_write",
                                 .memory = (size_t)256 << 20,
                                 .threads = 2};
    distances_matrix *matrix;
    distances_summary summary;
    assert_int_equal(distances_compute(&request, &matrix, &summary), WL_OK);
    return matrix;
}

/* value [count][sites]: 0 .. 3, NaN where missing */
static values values_of(size_t count, uint64_t sites, const double *value) {
    values v = values_make(&(value_shape){DISTANCES_LETTERS, (int)count, (int)sites, 3, 0, 0}, 1);
    memcpy(v.value, value, count * sites * sizeof *value);
    uint8_t bytes[64];
    v.data.complete = 1;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sites; k++) {
            double one = value[i * sites + k];
            v.data.complete &= !isnan(one);
            bytes[k] = isnan(one) ? DISTANCES_MISSING : (uint8_t)one;
        }
        distances_pack(v.data.sum, v.data.planes, sites, bytes, v.data.words,
                       v.data.bits + i * (size_t)(v.data.planes + 1) * v.data.words);
    }
    return v;
}

static values three(void) {
    static const double value[] = {0, 1, 2, 3, 0, 1, 1, 1, 0, NAN, NAN, NAN}; // the last has one site
    return values_of(3, 4, value);
}

static char *written(distances_matrix *matrix, char *const *names, const distances_layout *layout, size_t *length) {
    char *text = NULL;
    FILE *stream = open_memstream(&text, length);
    assert_int_equal(distances_write(matrix, names, layout, stream), WL_OK);
    assert_int_equal(fclose(stream), 0);
    return text;
}

static void writes(distances_matrix *matrix, char *const *names, distances_layout layout, const char *expected) {
    size_t length;
    char *text = written(matrix, names, &layout, &length);
    assert_string_equal(text, expected);
    free(text);
}

/* --- Exact bytes ------------------------------------------------------------------------------------------------- */

TEST(every_text_layout) {
    values v = three();
    distances_matrix *matrix = matrix_of(&v, DISTANCES_COUNT, 0), *rescaled = matrix_of(&v, DISTANCES_COUNT, 1);
    static char first[] = "E. coli|\"K-12\", 'x'", second[] = "\xc3\xa9t\xc3\xa9#2", third[] = "";
    static char *odd[] = {first, second, third};
    static char a[] = "a", b[] = "b;(,)", c[] = "c";
    static char *plain[] = {a, b, c};
    writes(matrix, odd, (distances_layout){.output = DISTANCES_TSV, .corner = "snp-dists 1.2.0"},
           "snp-dists 1.2.0\tE. coli|\"K-12\", 'x'\t\xc3\xa9t\xc3\xa9#2\t\n"
           "E. coli|\"K-12\", 'x'\t0\t2\t0\n\xc3\xa9t\xc3\xa9#2\t2\t0\t0\n\t0\t0\t0\n");
    writes(matrix, plain, (distances_layout){.output = DISTANCES_TSV, .corner = "unseen", .blank_corner = 1},
           "\ta\tb;(,)\tc\na\t0\t2\t0\nb;(,)\t2\t0\t0\nc\t0\t0\t0\n");
    writes(matrix, plain, (distances_layout){.output = DISTANCES_LOWER}, "a\nb;(,)\t2\nc\t0\t0\n");
    writes(matrix, plain, (distances_layout){.output = DISTANCES_PHYLIP},
           "3\na          0 2 0\nb;(,)      2 0 0\nc          0 0 0\n");
    writes(matrix, plain, (distances_layout){.output = DISTANCES_LIST, .most_distance = INFINITY},
           "a\tb;(,)\t2\na\tc\t0\nb;(,)\tc\t0\n");
    writes(matrix, plain, (distances_layout){.output = DISTANCES_LIST, .most_distance = 1, .with_compared = 1},
           "a\tc\t0\t1\nb;(,)\tc\t0\t1\n");
    writes(rescaled, plain, (distances_layout){.output = DISTANCES_LOWER}, "a\nb;(,)\t2\nc\t0\t0\n");
    distances_matrix_close(matrix, 0);
    distances_matrix_close(rescaled, 0);
    values_free(&v);
}

/* Distances that are no integers, with as many digits as wanted, and none where nothing was compared. */
TEST(proportions) {
    static const double value[] = {0, 1, 2, NAN, NAN, 0, 2, NAN, NAN, NAN, NAN, NAN};
    static char a[] = "a", b[] = "b", c[] = "c";
    static char *names[] = {a, b, c};
    values v = values_of(3, 4, value);
    distances_matrix *matrix = matrix_of(&v, DISTANCES_COUNT, 1);
    writes(matrix, names, (distances_layout){.output = DISTANCES_TSV, .blank_corner = 1},
           "\ta\tb\tc\na\t0\t2\tnan\nb\t2\t0\tnan\nc\tnan\tnan\tnan\n");
    writes(matrix, names, (distances_layout){.output = DISTANCES_LIST, .most_distance = INFINITY, .with_compared = 1},
           "a\tb\t2\t2\na\tc\tnan\t0\nb\tc\tnan\t0\n");
    writes(matrix, names, (distances_layout){.output = DISTANCES_LIST, .most_distance = 1e300}, "a\tb\t2\n");
    distances_matrix_close(matrix, 0);
    values_free(&v);

    static const double seven[] = {0, 0, 1, 1, 0, 0, 0, 0, 1, 0, NAN, NAN, NAN, NAN}; // 2 of 3 differ, of 7 sites
    values w = values_of(2, 7, seven);
    matrix = matrix_of(&w, DISTANCES_COUNT, 1);
    writes(matrix, names, (distances_layout){.output = DISTANCES_LOWER}, "a\nb\t4.66667\n");
    writes(matrix, names, (distances_layout){.output = DISTANCES_LOWER, .digits = 3}, "a\nb\t4.67\n");
    writes(matrix, names, (distances_layout){.output = DISTANCES_LOWER, .digits = 99}, "a\nb\t4.666666666666667\n");
    distances_matrix_close(matrix, 0);
    values_free(&w);
}

/* --- Against printf ---------------------------------------------------------------------------------------------- */

static void add(FILE *stream, const values *v, size_t i, size_t j, distances_measure measure, int rescale, int digits) {
    uint32_t compared;
    double distance = values_distance(v, measure, rescale, i, j, &compared);
    if (rescale && isnan(distance))
        fprintf(stream, "nan");
    else if (rescale)
        fprintf(stream, "%.*g", digits, distance);
    else
        fprintf(stream, "%.0f", distance);
}

/* More rows than a block of a million numbers has, integers of up to seven digits, numbers of 17 digits. */
TEST(many_blocks) {
    static const struct {
        value_shape shape;
        distances_measure measure;
        int rescale, digits;
    } cases[] = {{{DISTANCES_INTEGERS, 70, 300, 127, 0, 0.3}, DISTANCES_EUCLIDEAN2, 0, 0},
                 {{DISTANCES_LETTERS, 1200, 13, 3, 0, 0.3}, DISTANCES_COUNT, 0, 0},
                 {{DISTANCES_LETTERS, 70, 12, 3, 0, 0.7}, DISTANCES_COUNT, 1, 12}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        values v = values_make(&cases[c].shape, c);
        distances_matrix *matrix = matrix_of(&v, cases[c].measure, cases[c].rescale);
        char *expected = NULL;
        size_t length, found_length;
        FILE *stream = open_memstream(&expected, &length);
        for (size_t i = 0; i < v.count; i++) fprintf(stream, "%s%s", i ? "\t" : "corner\t", v.data.names[i]);
        for (size_t i = 0; i < v.count; i++) {
            fprintf(stream, "\n%s", v.data.names[i]);
            for (size_t j = 0; j < v.count; j++) {
                fputc('\t', stream);
                add(stream, &v, i, j, cases[c].measure, cases[c].rescale, cases[c].digits);
            }
        }
        fprintf(stream, "\n");
        fclose(stream);
        distances_layout layout = {.corner = "corner", .digits = cases[c].digits, .threads = 2};
        char *found = written(matrix, v.data.names, &layout, &found_length);
        assert_int_equal(length, found_length);
        assert_string_equal(expected, found);
        free(expected);
        free(found);
        distances_matrix_close(matrix, 0);
        values_free(&v);
    }
}

TEST(whole_numbers) {
    distances_numbers_ready();
    char found[DISTANCES_NUMBER_MOST + 1], expected[64];
    uint64_t number = 0;
    wl_random random = wl_random_stream(1, 1);
    for (size_t i = 0; i < 300000; i++) {
        if (i < 120000)
            number = i;
        else if (i == 120000)
            number = UINT64_MAX;
        else // of every length, and powers of ten with their neighbours
            number = wl_random_next(&random) >> wl_random_below(&random, 64);
        if (i % 1000 == 999) {
            for (number = 1; wl_random_below(&random, 20) && number < UINT64_MAX / 10;) number *= 10;
            number += wl_random_below(&random, 3) - 1;
        }
        memset(found, '#', sizeof found);
        *distances_put_whole(found, number) = 0;
        snprintf(expected, sizeof expected, "%" PRIu64, number);
        assert_string_equal(found, expected);
        assert_int_equal(found[DISTANCES_NUMBER_MOST], '#');
    }
}

/* --- NumPy ------------------------------------------------------------------------------------------------------- */

/* The header by the format's description: length, alignment and line end; and what follows. */
TEST(numpy_bytes) {
    for (int rescale = 0; rescale < 2; rescale++) {
        values v = values_make(&(value_shape){DISTANCES_LETTERS, 45, 30, 3, 0, 0.3}, 1);
        distances_matrix *matrix = matrix_of(&v, DISTANCES_COUNT, rescale);
        size_t length, each = rescale ? 8 : 4;
        char *found = written(matrix, NULL, &(distances_layout){.output = DISTANCES_NUMPY}, &length);
        assert_memory_equal(found, "\x93NUMPY\x01\x00", 8);
        size_t header = 10 + (unsigned char)found[8] + 256 * (size_t)(unsigned char)found[9];
        assert_int_equal(header % 64, 0);
        assert_int_equal(found[header - 1], '\n');
        const char *expected = rescale ? "{'descr': '<f8', 'fortran_order': False, 'shape': (45, 45), }"
                                       : "{'descr': '<i4', 'fortran_order': False, 'shape': (45, 45), }";
        assert_memory_equal(found + 10, expected, strlen(expected));
        for (size_t i = 10 + strlen(expected); i < header - 1; i++) assert_int_equal(found[i], ' ');
        assert_int_equal(length, header + 45 * 45 * each);
        for (size_t pair = 0; pair < 45 * 45; pair++) {
            uint32_t compared;
            double right = values_distance(&v, DISTANCES_COUNT, rescale, pair / 45, pair % 45, &compared), real;
            int32_t whole;
            memcpy(rescale ? (void *)&real : &whole, found + header + each * pair, each);
            assert_true(values_same(right, rescale ? real : whole, !rescale));
        }
        free(found);
        distances_matrix_close(matrix, 0);
        values_free(&v);
    }
}

TEST(numpy_reads_it) {
    if (system("python3 -c 'import numpy' 2> /dev/null") != 0) skip();
    values v = values_make(&(value_shape){DISTANCES_LETTERS, 45, 30, 3, 0, 0.3}, 1);
    char path[] = "/tmp/test_distances_write_XXXXXX", command[400];
    double sum = 0;
    for (size_t pair = 0; pair < 45 * 45; pair++) {
        uint32_t compared;
        sum += values_distance(&v, DISTANCES_COUNT, 0, pair / 45, pair % 45, &compared) * (double)(pair % 7);
    }
    distances_matrix *matrix = matrix_of(&v, DISTANCES_COUNT, 0);
    FILE *stream = fdopen(mkstemp(path), "w");
    assert_int_equal(distances_write(matrix, NULL, &(distances_layout){.output = DISTANCES_NUMPY}, stream), WL_OK);
    assert_int_equal(fclose(stream), 0);
    snprintf(
        command, sizeof command,
        "python3 -c \"import numpy; a = numpy.load('%s'); assert a.shape == (45, 45) and a.dtype == numpy.int32 and "
        "(a == a.T).all() and (a.ravel() * (numpy.arange(2025) %% 7)).sum() == %.0f\"",
        path, sum);
    assert_int_equal(system(command), 0);
    unlink(path);
    distances_matrix_close(matrix, 0);
    values_free(&v);
}

/* --- A large file ----------------------------------------------------------------------------------------------- */

static char *read_whole(FILE *stream, size_t *length) {
    *length = (size_t)ftello(stream);
    char *found = malloc(*length + 1);
    rewind(stream);
    assert_int_equal(fread(found, 1, *length + 1, stream), *length);
    return found;
}

/* So much that room is made for it: the bytes that a stream in memory gets. Where the file may not be so long, a part of them. */
TEST(a_large_file) {
    enum { COUNT = 2100, LIMIT = 3 << 20 };
    values v = values_make(&(value_shape){DISTANCES_LETTERS, COUNT, 12, 3, 0, 0.3}, 1);
    signal(SIGXFSZ, SIG_IGN);
    for (int which = 0; which < 8; which++) {
        static const distances_output outputs[] = {DISTANCES_TSV, DISTANCES_LOWER, DISTANCES_MOLTEN, DISTANCES_NUMPY};
        const distances_layout layout = {
            .output = outputs[which / 2], .corner = "corner", .most_distance = INFINITY, .digits = 3, .threads = 4};
        distances_matrix *matrix = matrix_of(&v, DISTANCES_COUNT, which % 2);
        size_t length, found_length;
        char *expected = written(matrix, v.data.names, &layout, &length);
        FILE *stream = tmpfile();
        fputs("before", stream);
        assert_int_equal(distances_write(matrix, v.data.names, &layout, stream), WL_OK);
        fputs("after", stream);
        char *found = read_whole(stream, &found_length);
        assert_int_equal(found_length, strlen("before") + length + strlen("after"));
        assert_memory_equal(found, "before", strlen("before"));
        assert_memory_equal(found + strlen("before"), expected, length);
        assert_memory_equal(found + found_length - strlen("after"), "after", strlen("after"));
        free(found);
        fclose(stream);

        struct rlimit whole, part;
        stream = tmpfile();
        getrlimit(RLIMIT_FSIZE, &whole);
        part = whole;
        part.rlim_cur = LIMIT;
        setrlimit(RLIMIT_FSIZE, &part);
        const wl_status status = distances_write(matrix, v.data.names, &layout, stream);
        fflush(stream);
        setrlimit(RLIMIT_FSIZE, &whole);
        assert_int_equal(status, WL_NO_MACHINE);
        assert_non_null(strstr(wl_error(), "File too large"));
        struct stat size;
        assert_int_equal(fstat(fileno(stream), &size), 0);
        assert_true(size.st_size <= LIMIT);
        found = malloc(LIMIT);
        assert_int_equal(pread(fileno(stream), found, LIMIT, 0), size.st_size);
        assert_memory_equal(found, expected, (size_t)size.st_size);
        free(found);
        fclose(stream);
        free(expected);
        distances_matrix_close(matrix, 0);
    }
    values_free(&v);
}

/* --- What cannot be written -------------------------------------------------------------------------------------- */

static void refuses(distances_matrix *matrix, char *name, distances_output output, const char *expected) {
    static char plain[] = "plain";
    char *names[] = {plain, name, plain}, *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    assert_int_equal(distances_write(matrix, names, &(distances_layout){.output = output, .corner = "x"}, stream),
                     WL_BAD_INPUT);
    assert_non_null(strstr(wl_error(), expected));
    assert_non_null(strstr(wl_error(), "instance 2"));
    fclose(stream);
    assert_int_equal(length, 0);
    free(text);
}

TEST(names_that_break_a_layout) {
    static char blank[] = "a b", tab[] = "a\tb", end[] = "a\n", empty[] = "";
    values v = three();
    distances_matrix *matrix = matrix_of(&v, DISTANCES_COUNT, 0);
    refuses(matrix, blank, DISTANCES_PHYLIP, "white space");
    refuses(matrix, empty, DISTANCES_PHYLIP, "no letters");
    refuses(matrix, tab, DISTANCES_TSV, "a tab or a line end");
    refuses(matrix, end, DISTANCES_LOWER, "a tab or a line end");
    refuses(matrix, tab, DISTANCES_LIST, "a tab or a line end");
    distances_matrix_close(matrix, 0);
    values_free(&v);
}

/* Some megabytes onto a full disk: found out before the end, and not only by who closes the stream. */
TEST(a_full_disk) {
    values v = values_make(&(value_shape){DISTANCES_LETTERS, 300, 30, 3, 0, 0.3}, 1);
    distances_matrix *matrix = matrix_of(&v, DISTANCES_COUNT, 0);
    for (int output = DISTANCES_TSV; output <= DISTANCES_CLUSTERS; output++) {
        if (output == DISTANCES_PHYLIP_STRICT) continue; // writes as PHYLIP does, and not these names
        FILE *stream = fopen("/dev/full", "w");
        assert_non_null(stream);
        for (size_t i = 0; i < v.count; i++) v.data.names[i][8] = '_';
        distances_layout layout = {.output = (distances_output)output, .corner = "x", .most_distance = INFINITY};
        assert_int_equal(distances_write(matrix, v.data.names, &layout, stream), WL_NO_MACHINE);
        assert_non_null(strstr(wl_error(), "No space left on device"));
        fclose(stream);
    }
    distances_matrix_close(matrix, 0);
    values_free(&v);
}

int main(void) {
    wl_register(&variant);
    return run_all_tests(NULL, NULL);
}
