/* Lessons, and a stage of `distances`, whose blocks take tile after tile, on the simulated device with few multiprocessors. (It has 132,
   and the shapes of `check` have fewer tiles: there no block has a second one.) And those that have several lines on their way: many lines
   of many rows. */
#include "tests/support/unit.h"
#include "harness/bench/check.h"
#include "harness/bench/device.h"
#include "tests/support/inputs.h"

/* All variants from `first` on: at least `least`. */
static void try(const char *name, const char *first, size_t least, const char *options, int multiprocessors) {
    wl_inputs inputs;
    wl_device device = simulated();
    device.multiprocessors = multiprocessors;
    make_inputs(name, options, 7, &inputs);
    size_t count, tested = 0;
    const wl_variant *const *variants = wl_variants(&count);
    for (size_t v = 0; v < count; v++) {
        if (variants[v]->backend != WL_SIM || strcmp(variants[v]->problem, name) != 0) continue;
        if (strcmp(variants[v]->name, first) < 0 || variants[v]->name[0] > '9') continue;
        wl_verdict verdict;
        if (wl_check_variant(&inputs, 0, variants[v], &device, 0, NULL, &verdict) != WL_OK)
            fail_msg("%s, %s, %d multiprocessors: %s", variants[v]->name, options, multiprocessors, verdict.reason);
        tested++;
    }
    assert_true(tested >= least);
    wl_inputs_free(&inputs);
}

/* Six tiles of one line, of two, and of more than there are stages: a team has three, and the stages wrap in the middle of a tile. Four
   rows of tiles. */
TEST(blocks_take_tile_after_tile) {
    static const char *const shapes[] = {
        "--instances 257 --attributes 5", "--instances 300 --attributes 340 --alphabet 4",
        "--instances 258 --attributes 2370 --alphabet 4", "--instances 386 --attributes 5"};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int multiprocessors = 1; multiprocessors <= 3; multiprocessors++)
            try("lessons", "13", 3, shapes[s], multiprocessors);
}

/* Nine rows of tiles, and bands of eight. */
TEST(bands_are_left_for_the_next) { try("lessons", "13", 3, "--instances 1025 --attributes 1", 2); }

/* Eight rows of tiles: no band comes after theirs. */
TEST(nothing_is_looked_for_after_the_last_band) { try("lessons", "16", 1, "--instances 897 --attributes 1", 2); }

/* Both results with few lines, without missing values, with more lines than parts, and with sums that 16 bits do not hold. One
   multiprocessor takes tiles of 128 x 256, two take tiles of 128 x 128; so does one for 129 rows. */
TEST(two_results_a_tile) {
    static const char *const shapes[] = {"--rows 300 --sites 100", "--rows 260 --columns 401 --sites 500 --missing 0",
                                         "--rows 3 --columns 390 --sites 4200",
                                         "--rows 3 --columns 130 --sites 33000 --values 3 --sum steps",
                                         "--rows 129 --sites 33000 --values 3 --sum steps"};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int multiprocessors = 1; multiprocessors <= (s < 2 ? 2 : 1); multiprocessors++)
            try("distances", "03", 1, shapes[s], multiprocessors);
}

int main(void) { return run_all_tests(NULL, NULL); }
