/* A processor's energy, from files as Linux has them. */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/folder.h"
#include "harness/base/rapl.h"
#include "tests/support/unit.h"

static char *folder;

static void zone(const char *name, const char *is, const char *microjoules) {
    const struct { const char *file, *text; } files[] = {{"name", is}, {"energy_uj", microjoules}};
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(mkdir(path, 0700), 0);
    for (size_t i = 0; i < 2 && files[i].text; i++) {
        snprintf(path, sizeof path, "%s/%s/%s", folder, name, files[i].file);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fprintf(file, "%s\n", files[i].text);
        assert_int_equal(fclose(file), 0);
    }
}

TEST(packages_are_added_and_nothing_else) {
    double joules = -1;
    assert_int_equal(wl_temporary_folder(&folder), WL_OK);
    assert_false(wl_rapl_joules(folder, &joules));
    zone("intel-rapl", "whatever", NULL);
    zone("intel-rapl:0", "package-0", "262143328850");
    zone("intel-rapl:0:0", "core", "5000000");
    zone("intel-rapl:1", "package-1", "1500000");
    zone("intel-rapl:2", "psys", "999000000");
    zone("intel-rapl-mmio:0", "package-0", "7000000"); // the first package's, by another way
    assert_true(wl_rapl_joules(folder, &joules));
    assert_true(fabs(joules - 262144.82885) < 1e-6);
    zone("intel-rapl:3", "package-2", NULL); // a counter for root alone
    assert_false(wl_rapl_joules(folder, &joules));
    wl_remove_folder(folder);
    free(folder);
}

TEST(no_counters) {
    double joules;
    assert_false(wl_rapl_joules("/tmp/there/is/no/such/folder", &joules));
}

int main(void) { return run_all_tests(NULL, NULL); }
