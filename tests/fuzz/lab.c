/* wl_lab_read of a lab.ini. What is read has to be whole: each test has a name and shapes, and no range is left in a shape. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "labs/lab.h"
#include "tests/fuzz/target.h"

static char folder[] = "/tmp/wl-fuzz-XXXXXX", path[64];

static void clean_up(void) {
    unlink(path);
    rmdir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static int ready;
    wl_lab lab;
    if (!ready) {
        REQUIRE(mkdtemp(folder) != NULL);
        snprintf(path, sizeof path, "%s/lab.ini", folder);
        atexit(clean_up);
        ready = 1;
    }
    FILE *file = fopen(path, "wb");
    REQUIRE(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    const wl_status status = wl_lab_read(folder, 9, &lab);
    REQUIRE(status == WL_OK || (status == WL_BAD_INPUT && *wl_error()));
    for (size_t i = 0; status == WL_OK && i < lab.count; i++) {
        REQUIRE(lab.tests[i].name && lab.tests[i].shape_count > 0 && lab.tests[i].points >= 0);
        for (size_t s = 0; s < lab.tests[i].shape_count; s++) REQUIRE(strpbrk(lab.tests[i].shapes[s], "{}") == NULL);
    }
    wl_lab_free(&lab);
    return 0;
}
