/* explain: counters against closed formulas, figures against addresses drawn by hand, and reproduce's audit. */
#include <math.h>

#include "tests/support/unit.h"
#include "harness/bench/figure.h"
#include "harness/base/grid.h"
#include "papers/common/reproduce.h"
#include "harness/bench/traffic.h"

/* ---- counters ---- */

extern const wl_variant two_kernels; // two_kernels.cu

typedef struct {
    wl_inputs inputs;
    wl_traffic traffic;
    uint64_t n, m;            // instances, attributes
    uint64_t differences;     // sum of all distances
    uint64_t chunks, chunks4; // warps' turns over the attributes of a pair, one or four attributes a lane
} counted;

static counted count(uint64_t n, uint64_t m, const char *pattern) {
    const wl_problem *problem = wl_problem_named("lessons");
    assert_non_null(problem);
    char instances[24], attributes[24];
    const char *values[16] = {0};
    wl_arguments arguments = {problem->options, values, 0};
    snprintf(instances, sizeof instances, "%llu", (unsigned long long)n);
    snprintf(attributes, sizeof attributes, "%llu", (unsigned long long)m);
    for (; problem->options[arguments.count].name != NULL; arguments.count++) {
        assert_true(arguments.count < sizeof values / sizeof *values);
        if (strcmp(problem->options[arguments.count].name, "instances") == 0) values[arguments.count] = instances;
        if (strcmp(problem->options[arguments.count].name, "attributes") == 0) values[arguments.count] = attributes;
    }
    counted c = {.n = n, .m = m, .chunks = (m + 31) / 32, .chunks4 = (m + 127) / 128};
    assert_int_equal(wl_inputs_create(problem, &arguments, 7, 1, &c.inputs), WL_OK);
    assert_int_equal(wl_traffic_count(&c.inputs, pattern, 0, &c.traffic), WL_OK);
    const void *expected;
    assert_int_equal(wl_inputs_expected(&c.inputs, 0, &expected), WL_OK);
    for (uint64_t i = 0; i < n * n; i++) c.differences += (uint64_t)((const int *)expected)[i];
    return c;
}

static void done(counted *c) {
    wl_traffic_free(&c->traffic);
    wl_inputs_free(&c->inputs);
}

static const wl_sim_counters *stage(const counted *c, const char *name) {
    for (size_t i = 0; i < c->traffic.count; i++) {
        if (strcmp(c->traffic.items[i].variant->name, name) != 0) continue;
        assert_true(wl_passed(&c->traffic.items[i].verdict));
        return &c->traffic.items[i].total;
    }
    fail_msg("%s was not counted", name);
    return NULL;
}

/* Sectors of one row of m elements from a sector's start: a warp's turn ends at a sector's end, so each is fetched once. */
static uint64_t row_sectors(uint64_t m, uint64_t bytes) { return (m * bytes + 31) / 32; }

TEST(lessons_have_the_counters_of_their_formulas) {
    /* Rows of whole sectors for ints and for characters, so that rows begin at a sector's start. */
    static const uint64_t shapes[][2] = {{8, 32}, {16, 64}, {8, 160}, {24, 256}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        counted c = count(shapes[i][0], shapes[i][1], "lessons/0[1-5]_*");
        uint64_t pairs = c.n * c.n;

        const wl_sim_counters *naive = stage(&c, "01_naive");
        assert_int_equal(naive->global_load_requests, pairs * 2 * c.chunks);
        /* Lanes are n ints apart, a sector or more: each lane has a sector of its own. */
        assert_int_equal(naive->global_load_sectors, pairs * 2 * c.m);
        assert_int_equal(naive->atomic_operations, c.differences);
        assert_int_equal(naive->global_store_requests, 0);

        const wl_sim_counters *coalesced = stage(&c, "02_coalesced");
        assert_int_equal(coalesced->global_load_requests, naive->global_load_requests);
        assert_int_equal(coalesced->global_load_sectors, pairs * 2 * row_sectors(c.m, 4));
        assert_int_equal(coalesced->atomic_operations, c.differences);

        const wl_sim_counters *char4 = stage(&c, "03_char4");
        assert_int_equal(char4->global_load_requests, pairs * 2 * c.chunks4);
        assert_int_equal(char4->global_load_sectors, pairs * 2 * row_sectors(c.m, 1));
        assert_int_equal(char4->atomic_operations, c.differences);

        const wl_sim_counters *registers = stage(&c, "04_registers");
        assert_int_equal(registers->global_load_sectors, char4->global_load_sectors);
        assert_int_equal(registers->atomic_requests, pairs * c.chunks4);
        assert_int_equal(registers->atomic_operations, pairs * c.m / 4);
        assert_int_equal(registers->atomic_addresses, registers->atomic_requests); // all lanes, one address

        const wl_sim_counters *shared = stage(&c, "05_shared");
        assert_int_equal(shared->atomic_operations, 0);
        assert_int_equal(shared->global_store_requests, pairs);
        assert_int_equal(shared->global_store_sectors, pairs);
        assert_int_equal(shared->barriers, pairs * 2);
        assert_int_equal(shared->shared_passes, shared->shared_requests); // no bank conflicts
        done(&c);
    }
}

TEST(one_instance_of_one_attribute) {
    counted c = count(1, 1, "lessons/0[1-5]_*");
    for (size_t i = 0; i < c.traffic.count; i++) {
        const wl_sim_counters *counters = &c.traffic.items[i].total;
        assert_int_equal(counters->global_load_requests, 2); // one lane, the instance against itself
        assert_int_equal(counters->global_load_sectors, 2);
    }
    assert_int_equal(stage(&c, "01_naive")->atomic_operations, 0);
    assert_int_equal(stage(&c, "04_registers")->atomic_operations, 1);
    assert_int_equal(stage(&c, "05_shared")->global_store_sectors, 1);
    done(&c);
}

TEST(an_odd_row_touches_one_more_sector) {
    /* Rows of 9 ints, 36 bytes: row k starts at byte 36 k, and its 9 lanes' sectors are those of 36 k .. 36 k + 35. */
    counted c = count(3, 9, "lessons/02_coalesced");
    uint64_t sectors = 0;
    for (uint64_t gy = 0; gy < 3; gy++)
        for (uint64_t gx = 0; gx < 3; gx++)
            sectors += (36 * gx + 35) / 32 - 36 * gx / 32 + 1 + (36 * gy + 35) / 32 - 36 * gy / 32 + 1;
    assert_int_equal(stage(&c, "02_coalesced")->global_load_sectors, sectors);
    done(&c);
}

TEST(the_stage_before_is_counted_to_compare_with) {
    counted c = count(4, 8, "lessons/03_char4");
    assert_int_equal(c.traffic.count, 2);
    assert_int_equal(c.traffic.first, 1);
    assert_string_equal(c.traffic.items[0].variant->name, "02_coalesced");
    done(&c);
}

TEST(an_empty_input_has_no_counters) {
    counted c = count(0, 8, "lessons/0[1-5]_*");
    for (size_t i = 0; i < c.traffic.count; i++) assert_int_equal(c.traffic.items[i].total.global_load_requests, 0);
    assert_int_equal(wl_traffic_status(&c.traffic), WL_OK);
    done(&c);
}

TEST(nothing_matches) {
    counted c = count(2, 2, "lessons/01_naive");
    wl_traffic none;
    assert_int_equal(wl_traffic_count(&c.inputs, "lessons/77*", 0, &none), WL_BAD_USAGE);
    assert_non_null(strstr(wl_error(), "lessons/77*"));
    done(&c);
}

/* ---- several kernels ---- */

static char *printed(const wl_traffic *traffic, void (*print)(FILE *, const wl_traffic *)) {
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    print(stream, traffic);
    fclose(stream);
    return text;
}

TEST(several_kernels_have_a_row_each_and_a_total) {
    counted c = count(4, 20, "lessons/91_two_kernels");
    const wl_count *item = &c.traffic.items[c.traffic.first];
    assert_true(wl_passed(&item->verdict));
    assert_int_equal(item->count, 2); // not the one that prepares
    assert_string_equal(item->kernels[0].launch.kernel, "clear");
    assert_string_equal(item->kernels[1].launch.kernel, "compare");
    assert_int_equal(item->kernels[1].launches, 2);
    /* compare: 16 pairs, one warp each with 20 of its lanes at work, in two launches. */
    assert_int_equal(item->kernels[1].launch.counters.global_load_requests, 16 * 2);
    assert_int_equal(item->kernels[0].launch.counters.global_store_sectors, 4 * 4 * 4 / 32);
    assert_int_equal(item->total.global_store_sectors, 2);
    assert_int_equal(item->total.global_load_requests, 32);

    char *table = printed(&c.traffic, wl_traffic_print), *tsv = printed(&c.traffic, wl_traffic_print_tsv);
    assert_non_null(strstr(table, "compare, 2 launches"));
    assert_non_null(strstr(table, "total"));
    size_t lines = 0;
    for (const char *at = tsv; *at; at++) lines += *at == '\n';
    assert_int_equal(lines, 3); // names, clear, compare: sums over a file of rows must not count a total twice
    free(table);
    free(tsv);
    done(&c);
}

TEST(the_columns_are_the_promised_ones) {
    static const char promised[] =
        "variant\tkernel\tglobal_load_requests\tglobal_load_sectors\tglobal_store_requests\tglobal_store_sectors\t"
        "atomic_requests\tatomic_operations\tshared_requests\tshared_passes\tbarriers\t";
    counted c = count(2, 4, "lessons/01_naive");
    char *tsv = printed(&c.traffic, wl_traffic_print_tsv);
    assert_int_equal(strncmp(tsv, promised, strlen(promised)), 0);
    assert_non_null(strstr(tsv, "\n01_naive\tGPUnaive\t8\t"));
    free(tsv);
    done(&c);
}

/* ---- the figure ---- */

/* A warp that loads 8 ints, 32 bytes apart, then the ints next to them, and adds to one result. */
static size_t by_hand(wl_figure_access *accesses) {
    size_t n = 0;
    for (uint32_t request = 0; request < 2; request++)
        for (uint32_t lane = 0; lane < 8; lane++)
            accesses[n++] = (wl_figure_access){lane, request, 0, 32 * lane + 4 * request, 4, 'l'};
    for (uint32_t lane = 0; lane < 3; lane++) accesses[n++] = (wl_figure_access){lane, 2, 1, 40, 4, 'a'};
    return n;
}

TEST(a_figure_adds_up) {
    wl_figure_access accesses[32];
    wl_figure figure = {.title = "t", .accesses = accesses, .count = by_hand(accesses)};
    wl_figure_totals totals;
    assert_int_equal(wl_figure_add_up(&figure, "l", &totals), WL_OK);
    assert_int_equal(totals.operations, 16);
    assert_int_equal(totals.requests, 2);
    assert_int_equal(totals.useful_bytes, 64);
    assert_int_equal(totals.sectors, 8);
    assert_int_equal(totals.sectors_moved, 16);
    assert_int_equal(wl_figure_add_up(&figure, "sa", &totals), WL_OK);
    assert_int_equal(totals.operations, 3);
    assert_int_equal(totals.requests, 1);
    assert_int_equal(totals.useful_bytes, 4);
    assert_int_equal(totals.sectors, 1);
}

TEST(a_figure_is_drawn) {
    wl_figure_access accesses[32];
    wl_figure figure = {.title = "the title",
                        .accesses = accesses,
                        .count = by_hand(accesses),
                        .rows = 8,
                        .columns = 8,
                        .element_bytes = 4,
                        .row_name = "attributes",
                        .column_name = "instances"};
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_int_equal(wl_figure_print(stream, &figure), WL_OK);
    fclose(stream);
    assert_non_null(strstr(text, "rows are attributes, columns are instances"));
    assert_non_null(strstr(text, "\n      7 # # . . . . . .\n"));
    assert_non_null(strstr(text, "\n        0 |##++++++|##++++++|##++++++|##++++++|\n"));
    assert_non_null(strstr(text, "\n        0 |........|..W.....|\n"));
    assert_non_null(
        strstr(text, "64 useful bytes in 8 sectors; 2 requests fetch 16 sectors, 512 bytes, of which 12.5 %"));
    free(text);
}

TEST(a_figure_of_nothing_says_so) {
    wl_figure figure = {.title = "t"};
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_int_equal(wl_figure_print(stream, &figure), WL_OK);
    fclose(stream);
    assert_non_null(strstr(text, "no global memory"));
    free(text);
}

TEST(a_figure_too_wide_is_refused) {
    wl_figure_access far[] = {{0, 0, 0, (uint64_t)1 << 40, 4, 'l'}};
    wl_figure figure = {.title = "t", .accesses = far, .count = 1};
    assert_int_equal(wl_figure_print(stdout, &figure), WL_BAD_USAGE);
    assert_non_null(strstr(wl_error(), "--figure"));
}

/* ---- tables ---- */

TEST(thousands) {
    char text[32];
    assert_string_equal(wl_thousands(0, text), "0");
    assert_string_equal(wl_thousands(999, text), "999");
    assert_string_equal(wl_thousands(1000, text), "1,000");
    assert_string_equal(wl_thousands(6422528, text), "6,422,528");
    assert_string_equal(wl_thousands(UINT64_MAX, text), "18,446,744,073,709,551,615");
    assert_int_equal(wl_singular("comparisons"), strlen("comparison"));
    assert_int_equal(wl_singular("work"), 4);
}

TEST(a_grid_lines_up_and_leaves_empty_columns_out) {
    wl_grid grid = {.left = 1};
    wl_grid_row(&grid);
    wl_grid_put(&grid, "name", "a");
    wl_grid_row(&grid); // wider than the first
    wl_grid_put(&grid, "name", "b");
    wl_grid_number(&grid, "unseen", NAN);
    wl_grid_put(&grid, "two\nlines", "%d", 7);
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    wl_grid_print(stream, &grid, "> ");
    fclose(stream);
    assert_string_equal(text, ">         two\n> name  lines\n> a\n> b         7\n");
    free(text);
}

/* A grid in lines of at most `width` letters. */
static char *within(wl_grid *grid, size_t width) {
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    wl_grid_print_within(stream, grid, "", width);
    fclose(stream);
    return text;
}

/* Long words go on in the next line; a long name does not push its row; a column of "-" goes; a note is below its row. */
TEST(a_grid_fits_its_width) {
    wl_grid grid = {.left = 2};
    const char *const names[] = {"a", "a_long_name"};
    for (int i = 0; i < 2; i++) {
        wl_grid_row(&grid);
        wl_grid_put(&grid, "name", "%s", names[i]);
        wl_grid_put(&grid, "idea", "every row is read by neighbouring threads");
        wl_grid_put(&grid, "none", "-");
        wl_grid_put(&grid, "n", "%d", i);
        if (i == 0) wl_grid_note(&grid, "noted");
    }
    char *text = within(&grid, 40);
    assert_string_equal(text, "name         idea                  n\n"
                              "a            every row is read by  0\n"
                              "             neighbouring threads\n"
                              "    noted\n"
                              "a_long_name  every row is read by  1\n"
                              "             neighbouring threads\n");
    free(text);
}

/* Columns for which there is no room follow below, with the names again. */
TEST(a_grid_continues_below) {
    wl_grid grid = {.left = 1};
    wl_grid_row(&grid);
    wl_grid_put(&grid, "name", "a");
    wl_grid_put(&grid, "first", "%d", 1);
    wl_grid_put(&grid, "second", "%d", 2);
    char *text = within(&grid, 14);
    assert_string_equal(text, "name  first\na         1\n\nname  second\na          2\n");
    free(text);
}

int main(void) {
    wl_register(&two_kernels);
    return run_all_tests(NULL, NULL);
}
