/* Where a search for branch lengths runs: on the device that is given; and where its memory is too small on the CPU, which a note says. */
#include <math.h>

#include "tests/support/unit.h"
#include "tools/likelihood/optimize/optimize.h"
#include "tests/support/inputs.h"

#define DATA WL_SOURCE_DIR "/tests/tools/likelihood/iqtree/"

enum { NODES = 11 };

static char noted[512];
static void note(const char *format, va_list arguments) { vsnprintf(noted, sizeof noted, format, arguments); }

/* length [NODES - 1] */
static double maximum(const wl_device *device, double *length) {
    peeling_likelihood_request read = {
        .tree = DATA "tree.nwk", .alignment = DATA "nucleotides.fasta", .precision = PEELING_DOUBLE, .note = note};
    peeling_likelihood l, *parts = &l;
    double scale = 1;
    peeling_optimized made = {.scale = &scale};
    *noted = '\0';
    assert_int_equal(peeling_model_parse("GTR+G4", &read.settings), WL_OK);
    if (peeling_likelihood_read(&read, &l) != WL_OK) fail_msg("%s", wl_error());
    const peeling_optimize_request request = {.branches = 1, .cpu = cpu(1), .device = device, .read = &read};
    if (peeling_optimize(&request, &parts, 1, &made) != WL_OK) fail_msg("%s", wl_error());
    assert_int_equal(l.tree.nodes, NODES);
    memcpy(length, l.tree.length, (NODES - 1) * sizeof *length);
    peeling_likelihood_free(&l);
    return made.log_likelihood;
}

TEST(a_device_with_little_memory_leaves_the_search_to_the_cpu) {
    wl_device device = simulated();
    double length[2][NODES - 1];
    const double on_cpu = maximum(NULL, length[0]), on_device = maximum(&device, length[1]);
    assert_string_equal(noted, "");
    assert_memory_not_equal(length[0], length[1], sizeof length[0]); // sums were added up in another order
    assert_true(fabs(on_device - on_cpu) < 1e-8 * fabs(on_cpu));
    device.memory_free = 100000;
    assert_true(maximum(&device, length[1]) == on_cpu);
    assert_memory_equal(length[0], length[1], sizeof length[0]);
    assert_non_null(strstr(noted, "the search runs on the CPU: "));
    assert_non_null(strstr(noted, "do not fit into device memory"));
}

int main(void) { return run_all_tests(NULL, NULL); }
