/* Arrays and texts that grow; what control groups leave. */
#include "tests/support/unit.h"

#include <sys/stat.h>

#include "harness/base/memory.h"
#include "harness/base/text.h"

/* One item at a time, and several. */
TEST(arrays_grow) {
    for (size_t step = 1; step < 9; step++) {
        size_t *items = NULL, count = 0;
        assert_true(WL_GROW(items, count, 0));
        assert_null(items);
        while (count < 1000) {
            assert_true(WL_GROW(items, count, step));
            for (size_t i = 0; i < step; i++, count++) items[count] = count * count;
        }
        for (size_t i = 0; i < count; i++) assert_int_equal(items[i], i * i);
        free(items);
    }
}

/* A stack's count falls and rises. */
TEST(arrays_shrink_and_grow) {
    size_t *items = NULL, count = 0;
    for (size_t round = 0; round < 300; round++) {
        for (size_t i = 0; i <= round % 17; i++) {
            assert_true(WL_GROW(items, count, 1));
            items[count] = count;
            count++;
        }
        for (size_t i = 0; i < count; i++) assert_int_equal(items[i], i);
        count -= count < round % 15 ? count : round % 15;
    }
    free(items);
}

TEST(too_much_is_refused) {
    size_t *items = NULL;
    assert_true(WL_GROW(items, 0, 3));
    items[2] = 7;
    assert_false(WL_GROW(items, 3, SIZE_MAX - 2));
    assert_false(WL_GROW(items, 3, SIZE_MAX / 8));
    assert_false(WL_GROW(items, 3, wl_memory_total() / 4)); // of eight bytes each
    assert_int_equal(items[2], 7);
    free(items);
}

TEST(texts_grow) {
    wl_string text = {0};
    assert_true(wl_string_add(&text, "", 0));
    assert_string_equal(text.bytes, "");
    for (int i = 0; i < 1000; i++) assert_true(wl_string_add(&text, "abc", 3));
    assert_int_equal(text.length, 3000);
    assert_int_equal(strlen(text.bytes), 3000);
    assert_string_equal(text.bytes + 2994, "abcabc");
    text.length = 0;
    assert_true(wl_string_add(&text, "again", 5));
    assert_string_equal(text.bytes, "again");
    free(text.bytes);
}

/* --- Control groups ----------------------------------------------------------------------------------------------- */

static void put(const char *root, const char *path, const char *text) {
    char name[512];
    snprintf(name, sizeof name, "%s/%s", root, path);
    for (char *slash = name + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; *slash++ = '/') {
        *slash = 0;
        mkdir(name, 0700);
    }
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* What a job may still use, by the files of its own control group and of those above it. "" ends the files. */
TEST(groups_limit) {
    static const struct {
        const char *what, *files[16]; // path, text
        size_t left;
    } cases[] = {
        {"no control groups", {""}, SIZE_MAX},
        {"version 2, a job's own group; the root has none",
         {"proc/self/cgroup", "0::/slurm/job_7/step_0\n", "sys/fs/cgroup/slurm/job_7/memory.max", "1000000\n",
          "sys/fs/cgroup/slurm/job_7/memory.current", "300000\n", "sys/fs/cgroup/slurm/job_7/memory.stat",
          "anon 5\ninactive_file 100000\n", "sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max\n",
          "sys/fs/cgroup/slurm/job_7/step_0/memory.current", "300000\n", ""},
         800000},
        {"version 2, the step's limit is lower than the job's",
         {"proc/self/cgroup", "0::/job/step\n", "sys/fs/cgroup/job/memory.max", "9000\n",
          "sys/fs/cgroup/job/memory.current", "1000\n", "sys/fs/cgroup/job/step/memory.max", "5000\n",
          "sys/fs/cgroup/job/step/memory.current", "4000\n", ""},
         1000},
        {"version 2 in a container: the root is the group",
         {"proc/self/cgroup", "0::/\n", "sys/fs/cgroup/memory.max", "7000\n", "sys/fs/cgroup/memory.current", "3000\n",
          ""},
         4000},
        {"a path of the host, inside a container",
         {"proc/self/cgroup", "0::/docker/abc\n", "sys/fs/cgroup/memory.max", "7000\n", "sys/fs/cgroup/memory.current",
          "3000\n", ""},
         4000},
        {"version 1 beside others, more than one controller",
         {"proc/self/cgroup", "5:cpu,cpuacct:/other\n3:hugetlb,memory:/pbs/12\n1:name=systemd:/init\n",
          "sys/fs/cgroup/memory/pbs/12/memory.limit_in_bytes", "2000\n",
          "sys/fs/cgroup/memory/pbs/12/memory.usage_in_bytes", "1500\n", "sys/fs/cgroup/memory/pbs/12/memory.stat",
          "cache 9\ninactive_file 7\ntotal_inactive_file 500\n", "sys/fs/cgroup/memory/memory.limit_in_bytes",
          "9223372036854771712\n", "sys/fs/cgroup/memory/memory.usage_in_bytes", "100\n", ""},
         1000},
        {"both versions; the controller is in the first",
         {"proc/self/cgroup", "4:memory:/job\n0::/job\n", "sys/fs/cgroup/memory/job/memory.limit_in_bytes", "600\n",
          "sys/fs/cgroup/memory/job/memory.usage_in_bytes", "100\n", ""},
         500},
        {"more is used than may be",
         {"proc/self/cgroup", "0::/a\n", "sys/fs/cgroup/a/memory.max", "600\n", "sys/fs/cgroup/a/memory.current",
          "700\n", ""},
         0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char root[] = "/tmp/wl-test-XXXXXX", command[64];
        assert_non_null(mkdtemp(root));
        for (const char *const *file = cases[i].files; **file; file += 2) put(root, file[0], file[1]);
        if (wl_memory_group_available(root) != cases[i].left)
            fail_msg("%s: %zu; expected %zu", cases[i].what, wl_memory_group_available(root), cases[i].left);
        snprintf(command, sizeof command, "rm -r %s", root);
        assert_int_equal(system(command), 0);
    }
}

int main(void) { return run_all_tests(NULL, NULL); }
