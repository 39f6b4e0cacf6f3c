/* An evaluator gives the reference's sites in their order, on one device or several, of a whole tree or of parts of it,
   and takes another model. Without a name, the stage is taken that was measured to be the fastest. */
#include <math.h>
#include <unistd.h>

#include <glob.h>

#include "tests/support/unit.h"
#include "harness/bench/check.h"
#include "harness/base/clock.h"
#include "tools/likelihood/evaluate.h"
#include "peeling/reference.h"
#include "peeling/simulate/simulate.h"
#include "tests/support/inputs.h"

enum { DEVICES = 3 };

static peeling_owned_input *open_inputs(const char *options, wl_inputs *inputs) {
    return make_inputs("peeling", options, 5, inputs);
}

/* The CPU, or the simulated device, several times over. */
static void list(const char *request, wl_device *devices) {
    wl_device_list all;
    assert_int_equal(wl_devices_select(request, &all), WL_OK);
    for (size_t i = 0; i < DEVICES; i++) devices[i] = all.items[all.count - 1];
}

static void must(wl_status status, const char *what) {
    if (status != WL_OK) fail_msg("%s: %s", what, wl_error());
}

static void assert_close(double expected, double found, double tolerance, const char *what) {
    if (fabs(found - expected) <= tolerance * fmax(1, fabs(expected))) return;
    fail_msg("%s: expected %.17g, found %.17g", what, expected, found);
}

static void assert_evaluates(peeling_evaluator *e, const peeling_input *input, const peeling_work *work,
                             const char *what) {
    const uint32_t patterns = input->data.patterns;
    const double tolerance = input->precision == PEELING_DOUBLE ? 1e-11 : 1e-5;
    double *expected = malloc(sizeof *expected * (patterns + 1)), *site = malloc(sizeof *site * (patterns + 1));
    double total = NAN;
    peeling_reference(input, 0, patterns, expected);
    must(peeling_evaluator_run(e, work, &total, site), what);
    for (uint32_t c = 0; c < patterns; c++) assert_close(expected[c], site[c], tolerance, what);
    assert_close(peeling_reference_total(input, expected), total, tolerance / 10, what);
    double again = NAN;
    must(peeling_evaluator_run(e, work, &again, NULL), what);
    assert_true(again == total); // the same work in the same order: the same bits
    free(expected);
    free(site);
}

static void compare(const char *request, const char *variant, const char *options, size_t count) {
    wl_inputs inputs;
    peeling_owned_input *made = open_inputs(options, &inputs);
    peeling_input input = made->input;
    wl_device devices[DEVICES];
    peeling_evaluator *e;
    list(request, devices);
    input.reference_matrix = NULL;
    must(peeling_evaluator_open(devices, count, variant, &input, &e), options);
    assert_int_equal(peeling_evaluator_devices(e), count < input.data.patterns || !count ? count
                                                   : input.data.patterns                 ? input.data.patterns
                                                                                         : 1);
    assert_evaluates(e, &input, &input.work, options);

    /* Another model, of which nothing is kept but what it says. */
    peeling_model other = made->model;
    for (int r = 0; r < other.rates; r++) other.rate[r] *= 1.25;
    input.model = &other;
    must(peeling_evaluator_set_model(e, &other), options);
    assert_evaluates(e, &input, &input.work, options);

    /* One branch longer: its matrix, and the joins above it. */
    if (peeling_evaluator_keeps_partials(e)) {
        peeling_edge *edges = malloc(sizeof *edges * input.work.edge_count);
        peeling_join *joins = malloc(sizeof *joins * input.work.join_count);
        peeling_work part = {.edges = edges, .joins = joins, .root = input.work.root, .edge_count = 1};
        memcpy(edges, input.work.edges, sizeof *edges * input.work.edge_count);
        edges[0].length += 0.1;
        for (uint32_t j = 0, above = edges[0].matrix; j < input.work.join_count; j++) {
            const peeling_join *join = &input.work.joins[j];
            if (join->child[0] != above && join->child[1] != above) continue;
            joins[part.join_count++] = *join;
            above = join->to;
        }
        input.work.edges = edges;
        assert_evaluates(e, &input, &part, options);
        free(edges);
        free(joins);
    }
    peeling_evaluator_close(e);
    wl_inputs_free(&inputs);
}

TEST(shares_of_any_size) {
    static const char *const cases[] = {
        "--model GTR+G4 --taxa 9 --patterns 100 --missing 0.1 --ambiguous 0.1",
        "--model JC69 --taxa 2 --patterns 7",
        "--model WAG+G2 --taxa 5 --patterns 2",
        "--model GY94+G2 --taxa 5 --patterns 10",
        "--model HKY85+G4 --taxa 6 --patterns 1",
        "--model HKY85+G4 --taxa 6 --patterns 0",
        "--model GTR+G4 --taxa 20 --patterns 101 --tree-shape ladder --branches mixed",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t count = 1; count <= DEVICES; count++) {
            compare("cpu", "serial_O3", cases[i], count);
            compare("cpu", NULL, cases[i], count);
        }
    compare("cpu", NULL, "--model GTR+G4 --taxa 30 --patterns 300 --precision single", 2);
    compare("sim", "01_naive", "--model HKY85+G2 --taxa 5 --patterns 20", 3);
}

/* --- Which stage ------------------------------------------------------------------------------------------------- */

/* The stage that is taken for so many taxa, patterns and so on. Sizes are all that the choice looks at. */
static const char *taken(uint32_t tips, uint32_t patterns, int states, int rates, peeling_precision precision,
                         int work_only, size_t memory) {
    static const uint64_t sets[64];
    peeling_model model = {.states = states, .rates = rates};
    const peeling_input input = {.precision = precision,
                                 .model = &model,
                                 .data = {.tips = tips, .patterns = patterns, .codes = (uint32_t)states, .set = sets},
                                 .matrices = 2 * tips - 2,
                                 .partials = tips - 1,
                                 .work_only = work_only};
    const wl_device device = {.backend = WL_SIM, .memory_free = memory, .multiprocessors = 132};
    const char *why = NULL;
    const peeling_engine *found = peeling_engine_find(&device, NULL, &input, &why);
    if (found == NULL) fail_msg("%ux%us%dr%d: %s", tips, patterns, states, rates, why);
    return found->variant->name;
}

typedef struct {
    char shape[32], name[32]; // "62x100s61r4 single", "06_levels"
    double ms, total;         // of the kernels; with the host's work
} timed;

/* The times of stages that `path`, a result file, has from a GPU, on whole trees; a library's left out. Returns how
   many. */
static size_t read_times(const char *path, timed *times, size_t room) {
    FILE *file = fopen(path, "r");
    char line[4096];
    size_t count = 0;
    int time_column = -1, total_column = -1;
    if (file == NULL) fail_msg("%s: not to be read", path);
    while (fgets(line, sizeof line, file)) {
        char *cells[64], *rest = line;
        int n = 0;
        if (*line == '#') continue;
        while (n < 64 && rest) cells[n++] = strsep(&rest, "\t\n");
        if (strcmp(cells[0], "problem") == 0) {
            for (int i = 0; i < n; i++) {
                if (strcmp(cells[i], "kernel_ms_median") == 0) time_column = i;
                if (strcmp(cells[i], "total_ms_median") == 0) total_column = i;
            }
            continue;
        }
        timed made;
        unsigned numbers[4];
        char precision[8];
        int end = 0;
        if (time_column < 0 || n <= time_column || strcmp(cells[2], "\"gpu\"") || strcmp(cells[6], "\"ok\"")) continue;
        if (sscanf(cells[7], "\"%ux%us%ur%u %7[a-z]\"%n", &numbers[0], &numbers[1], &numbers[2], &numbers[3], precision,
                   &end) != 5 ||
            end == 0)
            continue;
        if (sscanf(cells[1], "\"%31[a-z0-9_]", made.name) != 1 || strncmp(made.name, "library", 7) == 0) continue;
        snprintf(made.shape, sizeof made.shape, "%.*s", end - 2, cells[7] + 1);
        made.ms = atof(cells[time_column]);
        made.total = total_column < 0 ? NAN : atof(cells[total_column]);
        if (count < room) times[count++] = made;
    }
    fclose(file);
    return count;
}

/* Whose host's work before an evaluation takes longer than all of the stage that is taken: it is for trees that stay. */
static int is_for_many_evaluations(const timed *row, const timed *taken) {
    return strcmp(row->name, "11_site_repeats") == 0 && row->total > taken->total;
}

/* For every input that was measured, the stage that is taken is the fastest, to 2 %. If a new measurement says otherwise,
   change the stages' rows. */
TEST(takes_the_fastest_measured) {
    enum { MOST = 1000 };
    timed *times = malloc(MOST * sizeof *times);
    size_t count = 0, shapes = 0;
    glob_t found;
    assert_int_equal(glob("results/peeling_*_h200.tsv", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) count += read_times(found.gl_pathv[i], times + count, MOST - count);
    globfree(&found);
    for (size_t i = 0; i < count; i++) {
        double least = INFINITY;
        timed one = {.ms = NAN, .total = NAN};
        unsigned tips, patterns, states, rates;
        size_t first = i;
        assert_int_equal(sscanf(times[i].shape, "%ux%us%ur%u", &tips, &patterns, &states, &rates), 4);
        const peeling_precision precision = strstr(times[i].shape, "double") ? PEELING_DOUBLE : PEELING_SINGLE;
        const char *name = taken(tips, patterns, (int)states, (int)rates, precision, 1, SIZE_MAX);
        for (size_t k = 0; k < count; k++)
            if (strcmp(times[k].shape, times[i].shape) == 0 && strcmp(times[k].name, name) == 0) one = times[k];
        for (size_t k = 0; k < count; k++) {
            if (strcmp(times[k].shape, times[i].shape) != 0) continue;
            if (k < first) first = k;
            if (!is_for_many_evaluations(&times[k], &one)) least = fmin(least, times[k].ms);
        }
        if (!(one.ms <= 1.02 * least))
            fail_msg("%s: takes %s, %g ms; expected %g ms", times[i].shape, name, one.ms, least);
        shapes += first == i;
    }
    assert_true(shapes >= 28); // files or columns by other names would be no measurements at all
    free(times);
}

/* Where the faster stage does not fit into memory, where partials are to be kept, and at the ends of the sizes. */
TEST(takes_what_fits) {
    const size_t much = SIZE_MAX, little = (size_t)400 << 20;
    assert_string_equal(taken(62, 1000000, 61, 4, PEELING_SINGLE, 1, much), "06_levels");
    assert_string_equal(taken(62, 100000, 61, 4, PEELING_SINGLE, 1, little), "12_warpgroups");
    assert_string_equal(taken(200, 100000, 20, 4, PEELING_DOUBLE, 1, much), "06_levels");
    assert_string_equal(taken(200, 100000, 20, 4, PEELING_DOUBLE, 1, little), "10_streamed");
    assert_string_equal(taken(62, 100000, 20, 4, PEELING_DOUBLE, 1, much), "10_streamed");
    assert_string_equal(taken(62, 10000, 61, 4, PEELING_DOUBLE, 0, much), "06_levels");
    assert_string_equal(taken(62, 10000000, 4, 1, PEELING_SINGLE, 0, much), "06_levels");
    assert_string_equal(taken(62, 10000000, 4, 1, PEELING_SINGLE, 1, much), "08_fused");
    assert_string_equal(taken(2, 0, 4, 1, PEELING_SINGLE, 1, much), "06_levels");
    assert_string_equal(taken(2, 1, 61, 1, PEELING_DOUBLE, 1, much), "06_levels");
}

/* --- A GPU that no row names ------------------------------------------------------------------------------------- */

static int opened, launches;
static wl_status open_any(const wl_device *device, const peeling_input *input, void **state) {
    (void)device, (void)input;
    opened++;
    *state = &opened;
    return WL_OK;
}
static wl_status open_none(const wl_device *device, const peeling_input *input, void **state) {
    (void)device, (void)input, (void)state;
    opened++;
    return wl_fail(WL_NO_MACHINE, "no memory");
}
static wl_status load_any(void *state, const peeling_work *work) {
    (void)state, (void)work;
    return WL_OK;
}
static wl_status launch_slowly(void *state) {
    (void)state;
    usleep(3000);
    launches++;
    return WL_OK;
}
static wl_status launch_fast(void *state) {
    (void)state;
    launches++;
    return WL_OK;
}
static wl_status result_any(void *state, double *total, double *site, int poison) {
    (void)state, (void)site, (void)poison;
    *total = 0;
    return WL_OK;
}
static void release_any(void *state) { (void)state; }

/* The one with the least time; it is kept in the cache folder, by sizes to a factor of two, and a folder that cannot be written is no
   error. */
TEST(chooses_by_time) {
    static const wl_variant names[] = {{.name = "01_slow"}, {.name = "02_fast"}, {.name = "03_none"}};
    static const peeling_engine slow = {.variant = &names[0],
                                        .open = open_any,
                                        .load = load_any,
                                        .launch = launch_slowly,
                                        .result = result_any,
                                        .release = release_any},
                                fast = {.variant = &names[1],
                                        .open = open_any,
                                        .load = load_any,
                                        .launch = launch_fast,
                                        .result = result_any,
                                        .release = release_any},
                                none = {.variant = &names[2], .open = open_none};
    const peeling_engine *const engines[] = {&none, &fast, &slow};
    const wl_device device = {.backend = WL_CPU, .name = "Some GPU"};
    char folder[] = "/tmp/peelingXXXXXX", path[100], line[400] = "";
    wl_inputs inputs;
    assert_non_null(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
    peeling_input input = open_inputs("--model JC69 --taxa 4 --patterns 20", &inputs)->input;
    assert_ptr_equal(peeling_choose_by_time(&device, &input, engines, 3), &fast);
    assert_int_equal(opened, 3);
    assert_int_equal(launches, 6);
    snprintf(path, sizeof path, "%s/warpladder/peeling.tsv", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    assert_int_equal(strncmp(line, "02_fast\t", 8), 0);
    assert_non_null(strstr(line, "\tSome GPU\t4 states\tdouble\t2^2 taxa\t2^4 cells\t"));
    input.data.patterns = 31; // as large
    assert_ptr_equal(peeling_choose_by_time(&device, &input, engines, 3), &fast);
    assert_int_equal(opened, 3);
    assert_ptr_equal(peeling_choose_by_time(&device, &input, &engines[2], 1), &slow); // the kept one is not among them
    assert_int_equal(opened, 4);
    input.data.patterns = 32;
    assert_ptr_equal(peeling_choose_by_time(&device, &input, engines, 3), &fast);
    assert_int_equal(opened, 7);
    assert_null(peeling_choose_by_time(&device, &input, engines, 1));
    input.work.join_count = 0;
    assert_null(peeling_choose_by_time(&device, &input, engines, 3));
    setenv("XDG_CACHE_HOME", "/proc/none", 1);
    input.work.join_count = 3;
    assert_ptr_equal(peeling_choose_by_time(&device, &input, engines, 3), &fast);
    unlink(path);
    path[strrchr(path, '/') - path] = '\0';
    rmdir(path);
    rmdir(folder);
    wl_inputs_free(&inputs);
    const peeling_faster *rows = (const peeling_faster[]){{.device = PEELING_H200}, {0}};
    assert_true(peeling_is_measured(&(wl_device){.backend = WL_GPU, .name = "NVIDIA H200"}, rows));
    assert_true(peeling_is_measured(&(wl_device){.backend = WL_GPU, .name = "NVIDIA H100 80GB HBM3"}, rows));
    assert_true(peeling_is_measured(&(wl_device){.backend = WL_SIM, .name = "simulated device"}, rows));
    assert_false(peeling_is_measured(&(wl_device){.backend = WL_GPU, .name = "NVIDIA A100-SXM4-80GB"}, rows));
}

/* Waiting workers find their next order whether they still look for it or sleep. */
TEST(orders_after_any_pause) {
    wl_inputs inputs;
    peeling_owned_input *made = open_inputs("--model JC69 --taxa 4 --patterns 20", &inputs);
    wl_device devices[DEVICES];
    peeling_evaluator *e;
    double first = NAN;
    list("cpu", devices);
    must(peeling_evaluator_open(devices, DEVICES, "serial_O3", &made->input, &e), "open");
    for (int i = 0; i < 3000; i++) {
        const double until = wl_now() + (i % 10 == 0 ? 200e-6 : 1e-6 * (i % 7));
        while (wl_now() < until) continue;
        double total = NAN;
        must(peeling_evaluator_run(e, &made->input.work, &total, NULL), "run");
        if (i == 0) first = total;
        assert_true(total == first);
    }
    peeling_evaluator_close(e);
    wl_inputs_free(&inputs);
}

TEST(errors_name_what_is_missing) {
    wl_inputs inputs;
    peeling_owned_input *made = open_inputs("--model JC69 --taxa 4 --patterns 20", &inputs);
    wl_device devices[DEVICES];
    peeling_evaluator *e = NULL;
    list("cpu", devices);
    assert_int_equal(peeling_evaluator_open(devices, 2, "99_none", &made->input, &e), WL_NO_MACHINE);
    assert_non_null(strstr(wl_error(), "99_none"));
    assert_null(e);
    peeling_evaluator_close(NULL);
    wl_inputs_free(&inputs);
}

int main(void) { return run_all_tests(NULL, NULL); }
