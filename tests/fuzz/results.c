/* wl_compare_read of a result file: what is read has all its texts, and times above 0. */
#include <stdlib.h>
#include <unistd.h>

#include "harness/bench/compare.h"
#include "tests/fuzz/target.h"

static char folder[] = "/tmp/wl-fuzz-XXXXXX", path[64];

static void clean_up(void) {
    unlink(path);
    rmdir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    wl_comparison c = {.sides = 2};
    if (*path == 0) {
        REQUIRE(mkdtemp(folder) != NULL);
        snprintf(path, sizeof path, "%s/results.tsv", folder);
        atexit(clean_up);
    }
    FILE *file = fopen(path, "wb");
    REQUIRE(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    const wl_status status = wl_compare_read(&c, 1, path);
    REQUIRE(status == WL_OK || (status == WL_BAD_INPUT && *wl_error()));
    for (size_t i = 0; i < c.count; i++) {
        const wl_side *side = &c.rows[i].sides[1];
        REQUIRE(c.rows[i].problem && c.rows[i].threads);
        REQUIRE(status != WL_OK || side->lacks || side->count > 0);
        for (size_t k = 0; k < side->count; k++) REQUIRE(side->ms[k] > 0);
    }
    wl_compare_free(&c);
    return 0;
}
