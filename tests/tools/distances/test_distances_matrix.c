/* The matrix: whatever the measure, the kind of data, where the tiles are kept and who computes them, every row is what a double
   loop over the plain values finds.

   Sums come from variants of this file, which call the serial reference and say they are the CPU's or the simulated device's: what
   is tested here knows no kernel. The last test is with the program's own. */
#include <pthread.h>
#include <unistd.h>

#include "tests/support/unit.h"
#include "tools/distances/matrix/internal.h"
#include "tools/distances/real/real.h"
#include "distances/problem.h"
#include "harness/bench/device.h"
#include "tests/support/distances_values.h"

/* --- Variants ---------------------------------------------------------------------------------------------------- */

static struct {
    pthread_mutex_t lock;
    size_t launches, by_backend[WL_BACKENDS], most_pairs;
    unsigned pause; // microseconds a launch takes
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER};

enum { PAIRS_MOST = 40 };

typedef struct {
    distances_input input;
    wl_backend backend;
} state_of_test;

static const char *takes_few(const wl_device *device, const void *input) {
    const distances_input *in = input;
    (void)device;
    return in->rows.count * in->columns.count > PAIRS_MOST ? "at most 40 pairs" : NULL;
}

static const char *takes_none(const wl_device *device, const void *input) {
    (void)device, (void)input;
    return "no day for it";
}

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    state_of_test *s = malloc(sizeof *s);
    if (s == NULL) return wl_fail(WL_NO_MACHINE, "no memory");
    *s = (state_of_test){*(const distances_input *)input, device->backend};
    *state = s;
    return WL_OK;
}

/* As where another program has taken memory since `supports` was asked. */
static wl_status prepare_few(const wl_device *device, const void *input, void **state) {
    if (takes_few(device, input)) return wl_fail(WL_NO_MACHINE, "out of memory");
    return prepare(device, input, state);
}

static wl_status launch(void *state) {
    const state_of_test *s = state;
    size_t pairs = s->input.rows.count * s->input.columns.count;
    pthread_mutex_lock(&seen.lock);
    seen.launches++;
    seen.by_backend[s->backend]++;
    if (pairs > seen.most_pairs) seen.most_pairs = pairs;
    pthread_mutex_unlock(&seen.lock);
    if (seen.pause) usleep(seen.pause);
    return WL_OK;
}

static wl_status launch_badly(void *state) {
    (void)state;
    return wl_fail(WL_CHECK_FAILED, "kernel.cu:7: an illegal memory access was encountered");
}

static wl_status collect(void *state, void *output, int poison) {
    (void)poison;
    const state_of_test *s = state;
    distances_reference(&s->input, 0, s->input.rows.count, output);
    return WL_OK;
}

#define VARIANT(variable, of, title, supported, preparing, launching)                              \
    static const wl_variant variable = {.problem = "distances",                                    \
                                        .name = title,                                             \
                                        .idea = "a test's",                                        \
                                        .source = "tests/tools/distances/test_distances_matrix.c", \
                                        .backend = of,                                             \
                                        .supports = supported,                                     \
                                        .prepare = preparing,                                      \
                                        .launch = launching,                                       \
                                        .collect = collect,                                        \
                                        .release = free};
VARIANT(all_cpu, WL_CPU, "test_all", NULL, prepare, launch)
VARIANT(all_sim, WL_SIM, "test_all", NULL, prepare, launch)
VARIANT(few_cpu, WL_CPU, "test_few", takes_few, prepare, launch)
VARIANT(short_cpu, WL_CPU, "test_short", NULL, prepare_few, launch)
VARIANT(none_cpu, WL_CPU, "test_none", takes_none, prepare, launch)
VARIANT(bad_sim, WL_SIM, "test_bad", NULL, prepare, launch_badly)
VARIANT(bad_cpu, WL_CPU, "test_bad", NULL, prepare, launch)

static const wl_device devices[] = {{.backend = WL_CPU, .name = "CPU", .memory_free = 1 << 30, .multiprocessors = 2},
                                    {.backend = WL_SIM, .name = "first", .memory_free = 1 << 30},
                                    {.backend = WL_SIM, .name = "second", .memory_free = 1 << 30}};

static int set_up(void **state) {
    (void)state;
    static int registered;
    if (!registered++) {
        static const wl_variant *const all[] = {&all_cpu,  &all_sim, &few_cpu, &short_cpu,
                                                &none_cpu, &bad_sim, &bad_cpu};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) wl_register(all[i]);
    }
    seen.launches = seen.most_pairs = 0;
    seen.pause = 0;
    memset(seen.by_backend, 0, sizeof seen.by_backend);
    return 0;
}

static distances_request request_of(const values *v, distances_measure measure) {
    return (distances_request){.data = &v->data,
                               .measure = measure,
                               .devices = devices,
                               .device_count = 1,
                               .pattern = "distances/test_all",
                               .memory = (size_t)64 << 20,
                               .threads = 2};
}

/* --- Measures ---------------------------------------------------------------------------------------------------- */

TEST(every_measure_of_every_kind) {
    static const struct {
        value_shape shape;
        distances_measure measure;
    } cases[] = {
        {{DISTANCES_LETTERS, 37, 130, 3, 0, 0.2}, DISTANCES_COUNT},
        {{DISTANCES_LETTERS, 37, 130, 3, 0, 0}, DISTANCES_COUNT},
        {{DISTANCES_LETTERS, 9, 700, 19, 0, 0.1}, DISTANCES_COUNT},
        {{DISTANCES_GENOTYPES, 40, 200, 2, 1, 0.1}, DISTANCES_COUNT},
        {{DISTANCES_GENOTYPES, 40, 200, 2, 1, 0.1}, DISTANCES_ALLELES},
        {{DISTANCES_GENOTYPES, 40, 3, 2, 1, 0.5}, DISTANCES_IBS}, // nothing compared by some pairs
        {{DISTANCES_GENOTYPES, 40, 200, 2, 1, 0}, DISTANCES_IBS},
        {{DISTANCES_GENOTYPES, 40, 200, 2, 1, 0.1}, DISTANCES_EUCLIDEAN2},
        {{DISTANCES_GENOTYPES, 40, 200, 2, 1, 0.1}, DISTANCES_MANHATTAN},
        {{DISTANCES_INTEGERS, 33, 600, 127, 0, 0.1}, DISTANCES_COUNT},
        {{DISTANCES_INTEGERS, 33, 600, 127, 0, 0.1}, DISTANCES_EUCLIDEAN2},
        {{DISTANCES_INTEGERS, 33, 600, 127, 0, 0}, DISTANCES_MANHATTAN},
        {{DISTANCES_INTEGERS, 33, 70, 7, 1, 0.1}, DISTANCES_MANHATTAN},
        {{DISTANCES_REALS, 35, 515, 0, 0, 0.1}, DISTANCES_EUCLIDEAN2},
        {{DISTANCES_REALS, 35, 515, 0, 0, 0}, DISTANCES_MANHATTAN},
        {{DISTANCES_REALS, 20, 2, 0, 0, 0.6}, DISTANCES_EUCLIDEAN2}, // nothing compared by many
        {{DISTANCES_LETTERS, 1, 1, 3, 0, 0}, DISTANCES_COUNT},
        {{DISTANCES_LETTERS, 5, 9, 3, 0, 1}, DISTANCES_COUNT}, // all missing
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int rescale = 0; rescale < 2; rescale++) {
            values v = values_make(&cases[c].shape, c);
            distances_request request = request_of(&v, cases[c].measure);
            distances_matrix *matrix;
            distances_summary summary;
            request.rescale = rescale;
            assert_int_equal(distances_compute(&request, &matrix, &summary), WL_OK);
            assert_int_equal(summary.on_disk, 0);
            assert_true(summary.comparisons == (double)v.count * (double)(v.count - 1) / 2 * (double)v.sites);
            assert_int_equal(values_wrong(&v, cases[c].measure, rescale, 1, matrix), 0);
            distances_matrix_close(matrix, 0);
            values_free(&v);
        }
}

/* What has no meaning is refused in one line, before anything is done. */
TEST(measures_without_meaning) {
    static const struct {
        value_shape shape;
        distances_measure measure;
        const char *expected;
    } cases[] = {
        {{DISTANCES_LETTERS, 3, 5, 3, 0, 0}, DISTANCES_ALLELES, "letters; expected genotypes"},
        {{DISTANCES_LETTERS, 3, 5, 3, 0, 0}, DISTANCES_EUCLIDEAN2, "letters; expected genotypes, integers or real"},
        {{DISTANCES_REALS, 3, 5, 0, 0, 0}, DISTANCES_COUNT, "real numbers; expected letters"},
        {{DISTANCES_INTEGERS, 3, 5, 9, 0, 0}, DISTANCES_IBS, "integers; expected genotypes"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        values v = values_make(&cases[c].shape, c);
        distances_request request = request_of(&v, cases[c].measure);
        distances_matrix *matrix;
        distances_summary summary;
        assert_int_equal(distances_compute(&request, &matrix, &summary), WL_BAD_USAGE);
        assert_non_null(strstr(wl_error(), cases[c].expected));
        values_free(&v);
    }
}

/* Whole numbers are told from others, and none is larger than promised: .npy's type depends on it. */
TEST(the_largest) {
    static const struct {
        value_shape shape;
        distances_measure measure;
        int rescale;
        uint64_t largest;
    } cases[] = {
        {{DISTANCES_LETTERS, 2, 50, 3, 0, 0.1}, DISTANCES_COUNT, 0, 50},
        {{DISTANCES_LETTERS, 2, 50, 3, 0, 0.1}, DISTANCES_COUNT, 1, 0},
        {{DISTANCES_LETTERS, 2, 50, 3, 0, 0}, DISTANCES_COUNT, 1, 50},
        {{DISTANCES_GENOTYPES, 2, 50, 2, 1, 0.1}, DISTANCES_ALLELES, 0, 100},
        {{DISTANCES_GENOTYPES, 2, 50, 2, 1, 0}, DISTANCES_IBS, 0, 0},
        {{DISTANCES_INTEGERS, 2, 50, 127, 0, 0}, DISTANCES_EUCLIDEAN2, 0, 50 * 127 * 127},
        {{DISTANCES_REALS, 2, 50, 0, 0, 0}, DISTANCES_MANHATTAN, 0, 0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        values v = values_make(&cases[c].shape, c);
        distances_request request = request_of(&v, cases[c].measure);
        distances_matrix *matrix;
        distances_summary summary;
        request.rescale = cases[c].rescale;
        assert_int_equal(distances_compute(&request, &matrix, &summary), WL_OK);
        assert_int_equal(distances_matrix_largest(matrix), cases[c].largest);
        assert_int_equal(distances_matrix_count(matrix), 2);
        distances_matrix_close(matrix, 0);
        values_free(&v);
    }
}

/* --- Real values ------------------------------------------------------------------------------------------------- */

/* Around blocks of 32, vectors of 8 sites and stretches of 512; and the same bits from every instruction set and from any number of
   threads. */
TEST(real_blocks) {
    static const int counts[] = {1, 2, 5, 31, 32, 33, 65}, sites[] = {1, 7, 8, 9, 511, 512, 513, 1029};
    static const char *const sets[] = {"portable", "avx2", "avx512bw"};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t s = 0; s < sizeof sites / sizeof *sites; s++)
            for (int missing = 0; missing < 2; missing++) {
                value_shape shape = {DISTANCES_REALS, counts[c] + 3, sites[s], 0, 0, 0.2 * missing};
                values v = values_make(&shape, 100 * c + s);
                size_t rows = (size_t)counts[c], pairs = rows * rows;
                double *first = malloc(pairs * sizeof *first), *second = malloc(pairs * sizeof *second);
                uint32_t *compared = malloc(pairs * sizeof *compared);
                for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
                    setenv("WL_CPU_ISA", sets[i], 1);
                    size_t column = i == 1 ? 0 : 3; // symmetric once; where both have a pair it is the same
                    assert_int_equal(distances_real_tile(&v.data, DISTANCES_REAL_SQUARES, 0, rows, column, rows,
                                                         1 + (int)i, i == 0 ? first : second, compared),
                                     WL_OK);
                    for (size_t r = 0; r < rows; r++)
                        for (size_t k = 0; k < rows; k++) {
                            uint32_t present;
                            double found = (i == 0 ? first : second)[r * rows + k];
                            double expected = values_distance(&v, DISTANCES_EUCLIDEAN2, 0, r, column + k, &present);
                            assert_true(values_same(expected, found, 0));
                            assert_int_equal(present, compared[r * rows + k]);
                        }
                    if (i == 2) assert_memory_equal(first, second, pairs * sizeof *first);
                    if (i == 1) // pair (r, 3 + k) of the first is in the symmetric one as well
                        for (size_t r = 0; r < rows; r++)
                            for (size_t k = 0; k + 3 < rows; k++)
                                assert_true(first[r * rows + k] == second[r * rows + k + 3]);
                }
                unsetenv("WL_CPU_ISA");
                free(first);
                free(second);
                free(compared);
                values_free(&v);
            }
}

/* --- Tiles ------------------------------------------------------------------------------------------------------- */

/* Numbers and places of tiles agree, and the tiles hold each pair once. */
TEST(tiles_hold_each_pair_once) {
    for (size_t count = 1; count < 20; count++)
        for (size_t side = 1; side <= count; side++) {
            distances_grid grid = distances_grid_square(count, side);
            size_t number = 0;
            double pairs = 0;
            for (size_t i = 0; i < grid.across; i++)
                for (size_t j = i; j < grid.across; j++, number++) {
                    distances_tile at = distances_tile_at(&grid, i, j),
                                   numbered = distances_tile_numbered(&grid, number);
                    assert_int_equal(distances_tile_number(&grid, i, j), number);
                    assert_memory_equal(&at, &numbered, sizeof at);
                    pairs += distances_tile_pairs(&grid, &at);
                }
            assert_int_equal(number, distances_tiles(&grid));
            assert_true(pairs == (double)count * (double)(count - 1) / 2);
        }
}

/* Large enough for several strips and tiles. */
static const struct {
    value_shape shape;
    distances_measure measure;
} in_pieces[] = {{{DISTANCES_LETTERS, 203, 70, 3, 0, 0.1}, DISTANCES_COUNT},
                 {{DISTANCES_GENOTYPES, 201, 70, 2, 1, 0.1}, DISTANCES_IBS},
                 {{DISTANCES_LETTERS, 200, 70, 3, 0, 0}, DISTANCES_COUNT},
                 {{DISTANCES_REALS, 150, 20, 0, 0, 0.1}, DISTANCES_EUCLIDEAN2}};

/* With so little memory the matrix goes to disk in many tiles, rows are gathered a few at a time, and three devices take part. */
TEST(little_memory_and_several_devices) {
    char path[] = "/tmp/test_distances_matrix_XXXXXX";
    close(mkstemp(path));
    seen.pause = 2000; // so that none can take all, however busy the machine is
    for (size_t c = 0; c < sizeof in_pieces / sizeof *in_pieces; c++)
        for (size_t memory = 1; memory <= 64 << 10; memory <<= 8) {
            values v = values_make(&in_pieces[c].shape, c);
            distances_request request = request_of(&v, in_pieces[c].measure);
            distances_matrix *matrix;
            distances_summary summary;
            request.device_count = 3;
            request.memory = memory;
            unlink(path);
            memset(seen.by_backend, 0, sizeof seen.by_backend);
            assert_int_equal(distances_compute(&request, &matrix, &summary), WL_NO_MACHINE); // nowhere to keep it
            request.store = path;
            assert_int_equal(distances_compute(&request, &matrix, &summary), WL_OK);
            assert_int_equal(summary.on_disk, 1);
            assert_int_equal(summary.resumed, 0);
            assert_true(summary.tiles >= 10);
            if (v.data.kind != DISTANCES_REALS) {
                assert_int_equal(seen.by_backend[WL_CPU] + seen.by_backend[WL_SIM], summary.tiles);
                assert_true(seen.by_backend[WL_CPU] > 0 && seen.by_backend[WL_SIM] > 1);
                assert_string_equal(summary.devices, "CPU (test_all), first (test_all), second (test_all)");
            }
            assert_int_equal(values_wrong(&v, in_pieces[c].measure, 0, 1, matrix), 0);
            assert_int_equal(values_wrong(&v, in_pieces[c].measure, 0, 0, matrix), 0); // once more, from the beginning
            distances_matrix_close(matrix, 1);
            assert_int_equal(access(path, F_OK), -1);
            values_free(&v);
        }
}

/* Rows that are read once and in order: in strips of a few rows, of which each tile is given up for another, on several devices, and of a part
   of the instances with the others. */
TEST(rows_once) {
    double distance[203];
    uint32_t compared[203];
    for (size_t c = 0; c < sizeof in_pieces / sizeof *in_pieces; c++)
        for (size_t memory = 64 << 10; memory <= 4 << 20; memory <<= 3)
            for (size_t split = 0; split <= 100; split += 50) {
                values v = values_make(&in_pieces[c].shape, c);
                distances_request request = request_of(&v, in_pieces[c].measure);
                distances_matrix *matrix;
                distances_summary summary;
                const size_t rows = split ? split : v.count, columns = v.count - split;
                const int exactly = v.data.kind != DISTANCES_REALS && in_pieces[c].measure != DISTANCES_IBS;
                request.device_count = 1 + memory % 3;
                request.memory = memory;
                request.once = 1;
                request.split = split;
                assert_int_equal(distances_compute_begin(&request, &matrix), WL_OK);
                assert_int_equal(distances_matrix_count(matrix), rows);
                assert_int_equal(distances_matrix_columns(matrix), columns);
                for (size_t i = 0; i < rows; i++) {
                    assert_int_equal(distances_matrix_row(matrix, i, distance, compared), WL_OK);
                    for (size_t j = split ? 0 : i + 1; j < columns; j++) {
                        uint32_t present;
                        const double expected = values_distance(&v, in_pieces[c].measure, 0, i, split + j, &present);
                        assert_true(values_same(expected, distance[j], exactly));
                        assert_int_equal(compared[j], present);
                    }
                }
                assert_int_equal(distances_compute_end(matrix, &summary), WL_OK);
                assert_int_equal(summary.on_disk, 0);
                if (memory == 64 << 10 && split == 0) assert_true(summary.tiles >= 10);
                const double pairs = split ? (double)(rows * columns) : (double)v.count * (double)(v.count - 1) / 2;
                assert_true(summary.comparisons == pairs * (double)v.sites);
                distances_matrix_close(matrix, 0);
                /* Left before the end, with tiles under way. */
                assert_int_equal(distances_compute_begin(&request, &matrix), WL_OK);
                assert_int_equal(distances_matrix_row(matrix, 0, distance, NULL), WL_OK);
                distances_matrix_close(matrix, 0);
                values_free(&v);
            }
}

/* Tiles wider than high: numbers and places agree, and each pair is in one of them. */
TEST(wide_tiles) {
    for (size_t rows = 1; rows < 12; rows++)
        for (size_t columns = 1; columns < 12; columns++)
            for (size_t side = 1; side <= rows; side++)
                for (size_t stack = 1; stack < 4; stack++)
                    for (int is_triangle = 0; is_triangle <= (rows == columns); is_triangle++) {
                        const size_t wide = side * stack;
                        const distances_grid grid = {.rows = rows,
                                                     .columns = columns,
                                                     .first = is_triangle ? 0 : rows,
                                                     .is_triangle = is_triangle,
                                                     .side = side,
                                                     .wide = wide,
                                                     .down = (rows + side - 1) / side,
                                                     .across = (columns + wide - 1) / wide};
                        size_t number = 0;
                        double pairs = 0;
                        for (size_t i = 0; i < grid.down; i++)
                            for (size_t j = distances_tile_first(&grid, i); j < grid.across; j++, number++) {
                                distances_tile at = distances_tile_at(&grid, i, j),
                                               numbered = distances_tile_numbered(&grid, number);
                                assert_int_equal(distances_tile_number(&grid, i, j), number);
                                assert_memory_equal(&at, &numbered, sizeof at);
                                pairs += distances_tile_pairs(&grid, &at);
                            }
                        assert_int_equal(number, distances_tiles(&grid));
                        const double r = (double)rows, c = (double)columns;
                        assert_true(pairs == (is_triangle ? r * (r - 1) / 2 : r * c));
                    }
}

/* Several tiles in memory: a row is there when the tiles of its row and column are, the last ones later. */
TEST(rows_are_read_while_tiles_are_computed) {
    values v = values_make(&(value_shape){DISTANCES_LETTERS, 400, 3000, 3, 0, 0.1}, 1);
    distances_request request = request_of(&v, DISTANCES_COUNT);
    distances_matrix *matrix;
    distances_summary summary;
    request.devices = devices + 1; // no CPU, which is waited for
    request.device_count = 2;
    seen.pause = 20000;
    assert_int_equal(distances_compute_begin(&request, &matrix), WL_OK);
    double *row = malloc(400 * sizeof *row);
    assert_int_equal(distances_matrix_row(matrix, 0, row, NULL), WL_OK);
    pthread_mutex_lock(&seen.lock);
    const size_t launched = seen.launches;
    pthread_mutex_unlock(&seen.lock);
    assert_int_equal(values_wrong(&v, DISTANCES_COUNT, 0, 1, matrix), 0);
    assert_int_equal(distances_compute_so_far(matrix), WL_OK);
    assert_int_equal(distances_compute_end(matrix, &summary), WL_OK);
    assert_true(summary.tiles >= 6 && launched < summary.tiles);
    assert_int_equal(summary.on_disk, 0);
    assert_true(summary.seconds > 0);
    assert_int_equal(values_wrong(&v, DISTANCES_COUNT, 0, 0, matrix), 0);
    distances_matrix_close(matrix, 0);

    /* Nobody reads it to the end. */
    assert_int_equal(distances_compute_begin(&request, &matrix), WL_OK);
    distances_matrix_close(matrix, 0);

    /* A failure is the row's. */
    request.pattern = "test_bad";
    assert_int_equal(distances_compute_begin(&request, &matrix), WL_OK);
    assert_int_equal(distances_matrix_row(matrix, 0, row, NULL), WL_CHECK_FAILED);
    assert_int_equal(distances_compute_so_far(matrix), WL_CHECK_FAILED);
    assert_non_null(strstr(wl_error(), "illegal memory access"));
    FILE *file = tmpfile();
    fputs("kept", file);
    assert_int_equal(distances_write(matrix, NULL, &(distances_layout){.output = DISTANCES_NUMPY}, file),
                     WL_CHECK_FAILED);
    fputs("on", file);
    fseek(file, 0, SEEK_END);
    assert_int_equal(ftell(file), strlen("kepton"));
    fclose(file);
    assert_int_equal(distances_compute_end(matrix, &summary), WL_CHECK_FAILED);
    distances_matrix_close(matrix, 0);
    free(row);
    values_free(&v);
}

/* A store is not used where the matrix fits and the run is short. */
TEST(enough_memory_needs_no_store) {
    values v = values_make(&(value_shape){DISTANCES_LETTERS, 50, 70, 3, 0, 0.1}, 1);
    distances_request request = request_of(&v, DISTANCES_COUNT);
    distances_matrix *matrix;
    distances_summary summary;
    request.store = "/nowhere/to/be/found";
    assert_int_equal(distances_compute(&request, &matrix, &summary), WL_OK);
    assert_int_equal(summary.on_disk, 0);
    distances_matrix_close(matrix, 1);
    values_free(&v);
}

/* Compared sites can be given up: then asking for them is an error, unless nothing is missing. */
TEST(discarded_compared_sites) {
    for (int missing = 0; missing < 2; missing++) {
        values v = values_make(&(value_shape){DISTANCES_LETTERS, 30, 70, 3, 0, 0.1 * missing}, 1);
        distances_request request = request_of(&v, DISTANCES_COUNT);
        distances_matrix *matrix;
        distances_summary summary;
        double distance[30];
        uint32_t compared[30];
        request.discard_compared = 1;
        assert_int_equal(distances_compute(&request, &matrix, &summary), WL_OK);
        assert_int_equal(values_wrong(&v, DISTANCES_COUNT, 0, 0, matrix), 0);
        assert_int_equal(distances_matrix_row(matrix, 7, distance, compared), missing ? WL_BAD_USAGE : WL_OK);
        if (!missing) assert_int_equal(compared[29], 70);
        distances_matrix_close(matrix, 0);
        values_free(&v);
    }
}

/* --- Devices ----------------------------------------------------------------------------------------------------- */

/* What a variant refuses as a whole, or has no memory for, is cut; what it refuses altogether fails with its reason. */
TEST(variants_that_refuse) {
    values v = values_make(&(value_shape){DISTANCES_GENOTYPES, 61, 70, 2, 1, 0.1}, 1);
    static const char *const patterns[] = {"distances/test_few", "distances/test_short"};
    for (size_t p = 0; p < 2; p++) {
        distances_request request = request_of(&v, DISTANCES_ALLELES);
        distances_matrix *matrix;
        distances_summary summary;
        request.pattern = patterns[p];
        seen.most_pairs = 0;
        assert_int_equal(distances_compute(&request, &matrix, &summary), WL_OK);
        assert_true(seen.most_pairs <= PAIRS_MOST);
        assert_int_equal(values_wrong(&v, DISTANCES_ALLELES, 0, 1, matrix), 0);
        distances_matrix_close(matrix, 0);
    }
    distances_request request = request_of(&v, DISTANCES_ALLELES);
    distances_matrix *matrix;
    distances_summary summary;
    request.pattern = "distances/test_none";
    assert_int_equal(distances_compute(&request, &matrix, &summary), WL_NO_MACHINE);
    assert_non_null(strstr(wl_error(), "no day for it"));
    request.pattern = "distances/99_unheard_of";
    assert_int_equal(distances_compute(&request, &matrix, &summary), WL_BAD_USAGE);
    assert_non_null(strstr(wl_error(), "99_unheard_of"));
    values_free(&v);
}

/* One device that fails ends the run, with its own error. */
TEST(a_device_that_fails) {
    values v = values_make(&(value_shape){DISTANCES_LETTERS, 300, 70, 3, 0, 0.1}, 1);
    distances_request request = request_of(&v, DISTANCES_COUNT);
    distances_matrix *matrix;
    distances_summary summary;
    char path[] = "/tmp/test_distances_matrix_XXXXXX";
    close(mkstemp(path));
    seen.pause = 2000;
    request.pattern = "distances/test_bad";
    request.device_count = 2;
    request.memory = 1 << 16;
    request.store = path;
    assert_int_equal(distances_compute(&request, &matrix, &summary), WL_CHECK_FAILED);
    assert_string_equal(wl_error(), "kernel.cu:7: an illegal memory access was encountered");
    unlink(path);
    values_free(&v);
}

/* --- The plan ---------------------------------------------------------------------------------------------------- */

/* The size on one H200 and on four: tiles fill the GPU, are many enough, and keep within both memories. */
TEST(plans) {
    distances_data data = {.kind = DISTANCES_GENOTYPES,
                           .count = 50000,
                           .sites = 100000,
                           .words = distances_words(100000),
                           .planes = 2,
                           .sum = DISTANCES_STEPS};
    wl_device gpus[4];
    for (size_t d = 0; d < 4; d++)
        gpus[d] = (wl_device){.backend = WL_GPU, .ordinal = (int)d, .memory_free = (size_t)139 << 30};
    distances_request request = {.data = &data, .measure = DISTANCES_ALLELES, .devices = gpus, .threads = 16};
    for (request.device_count = 1; request.device_count <= 4; request.device_count++)
        for (size_t memory = 1 << 28; memory <= (size_t)1 << 36; memory <<= 2)
            for (size_t device_memory = 1 << 28; device_memory <= (size_t)1 << 36; device_memory <<= 2) {
                request.memory = memory;
                request.device_memory = device_memory;
                distances_plan plan = distances_plan_make(&request, DISTANCES_STORED_STEPS);
                double side = (double)plan.grid.side, rows = 2 * side * 3 * (double)data.words * 8;
                assert_int_equal(plan.workers, 2 * request.device_count);
                assert_true(distances_plan_work_bytes(&plan, plan.grid.side) <= (double)memory / 4);
                assert_true(rows + 8 * side * side <= (double)device_memory / 2);
                assert_true(distances_tiles(&plan.grid) >= 4 * plan.workers);
                assert_int_equal(plan.fits, memory >= (size_t)1 << 34); // 10 GB of distances and compared sites
                if (memory >= (size_t)1 << 32 && device_memory >= (size_t)1 << 32) assert_true(plan.grid.side >= 2048);
            }
}

/* A list or clusters are streamed, unless keeping the matrix on disk costs little beside a long computation. */
TEST(plans_of_lists) {
    static const struct {
        size_t count;
        uint64_t sites;
        int once, keeps;
    } cases[] = {{70000, 60, 1, 0},    // seconds
                 {70000, 60, 0, 0},    // the same matrix, which fits into memory
                 {500000, 600, 1, 0},  // half an hour, and 500 GB
                 {70000, 29903, 1, 1}, // as long, and 10 GB
                 {70000, 29903, 0, 1}};
    wl_device cpu = {.backend = WL_CPU, .memory_free = (size_t)64 << 30};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        distances_data data = {.kind = DISTANCES_LETTERS,
                               .count = cases[c].count,
                               .sites = cases[c].sites,
                               .words = distances_words(cases[c].sites),
                               .planes = 2,
                               .complete = 1};
        distances_request request = {.data = &data,
                                     .devices = &cpu,
                                     .device_count = 1,
                                     .threads = 2,
                                     .once = cases[c].once,
                                     .discard_compared = 1,
                                     .memory = (size_t)64 << 30,
                                     .store = "/nowhere/o.tsv.tiles"};
        const distances_plan plan = distances_plan_make(&request, DISTANCES_STORED_DIFFERENT);
        assert_int_equal(distances_plan_keeps(&request, &plan), cases[c].keeps);
        assert_int_equal(plan.ring > 0, cases[c].once && !cases[c].keeps);
    }
}

/* --- The program's own variants ---------------------------------------------------------------------------------- */

TEST(with_the_programs_variants) {
    static const char *const requests[] = {"cpu", "sim"};
    static const value_shape shapes[] = {{DISTANCES_LETTERS, 150, 700, 3, 0, 0.1},
                                         {DISTANCES_GENOTYPES, 150, 700, 2, 1, 0.1},
                                         {DISTANCES_LETTERS, 40, 100, 22, 0, 0}};
    for (size_t r = 0; r < 2; r++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            values v = values_make(&shapes[s], s);
            distances_measure measure = shapes[s].kind == DISTANCES_GENOTYPES ? DISTANCES_ALLELES : DISTANCES_COUNT;
            wl_device_list list;
            assert_int_equal(wl_devices_select(requests[r], &list), WL_OK);
            distances_request request = request_of(&v, measure);
            distances_matrix *matrix;
            distances_summary summary;
            request.devices = &list.items[r == 0 ? 0 : 1];
            request.pattern = r == 0 ? "distances/cpu_*" : "distances/0*";
            assert_int_equal(distances_compute(&request, &matrix, &summary), WL_OK);
            assert_int_equal(values_wrong(&v, measure, 0, 1, matrix), 0);
            distances_matrix_close(matrix, 0);
            values_free(&v);
        }
}

int main(void) { return run_each_test(set_up, NULL); }
