/* Tiles on disk. A run may be killed at any moment, find the disk full or lose a device. The next run continues it, and ends with the
   matrix of an undisturbed run. A store of other data or options, or a file that is no store, is refused and left as it was.

   The oracle is the double loop over plain values. The run that is killed is this program again: started with "--child PATH" it
   computes the same matrix slowly. */
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/distances/matrix/internal.h"
#include "distances/problem.h"
#include "tests/support/distances_values.h"

#define TOOL_PROBLEM "distances"
#define TOOL_INPUT distances_input
#define TOOL_REFERENCE(in, output) distances_reference(in, 0, (in)->rows.count, output)
#include "tests/support/tool_variants.h"

/* --- A slow variant ---------------------------------------------------------------------------------------------- */

static unsigned pause_us; // that a launch takes
static atomic_size_t launches;
static size_t launches_until_failure = SIZE_MAX;

static wl_status launch(void *state) {
    (void)state;
    if (pause_us) usleep(pause_us);
    if (++launches > launches_until_failure) return wl_fail(WL_CHECK_FAILED, "the device fell off the bus");
    return WL_OK;
}
VARIANT(on_cpu, WL_CPU, "test_store", NULL, prepare, launch, collect);
VARIANT(on_sim, WL_SIM, "test_store", NULL, prepare, launch, collect);

static const wl_device devices[] = {{.backend = WL_CPU, .name = "CPU", .memory_free = 1 << 30, .multiprocessors = 1},
                                    {.backend = WL_SIM, .name = "first", .memory_free = 1 << 30},
                                    {.backend = WL_SIM, .name = "second", .memory_free = 1 << 30}};

/* 400 instances with so little memory: tiles of 64 at most, 28 and more; with three devices less than half as large. */
enum { COUNT = 400, MEMORY = 128 << 10, PAGE = 4096 };

static values make_values(uint64_t seed) {
    return values_make(&(value_shape){DISTANCES_GENOTYPES, COUNT, 40, 2, 1, 0.1}, seed);
}

static wl_status compute_on(size_t device_count, const values *v, distances_measure measure, const char *store,
                            distances_matrix **matrix, distances_summary *summary) {
    distances_request request = {.data = &v->data,
                                 .measure = measure,
                                 .devices = devices,
                                 .device_count = device_count,
                                 .pattern = "distances/test_store",
                                 .memory = MEMORY,
                                 .threads = 1,
                                 .store = store};
    return distances_compute(&request, matrix, summary);
}

static wl_status compute(const values *v, distances_measure measure, const char *store, distances_matrix **matrix,
                         distances_summary *summary) {
    return compute_on(1, v, measure, store, matrix, summary);
}

static int child(const char *path) {
    values v = make_values(1);
    distances_matrix *matrix;
    distances_summary summary;
    pause_us = 50000;
    wl_status status = compute_on(3, &v, DISTANCES_ALLELES, path, &matrix, &summary);
    if (status == WL_OK)
        distances_matrix_close(matrix, 0); // as if the run had been killed while it wrote its output
    else
        fprintf(stderr, "child: %s\n", wl_error());
    values_free(&v);
    return status;
}

static pid_t start_child(const char *path) {
    pid_t pid = fork();
    if (pid == 0) {
        execl("/proc/self/exe", "unit.distances_store", "--child", path, (char *)NULL);
        _exit(127);
    }
    assert_true(pid > 0);
    return pid;
}

static char path[64];
static int set_up(void **state) {
    (void)state;
    snprintf(path, sizeof path, "/tmp/test_distances_store_XXXXXX");
    close(mkstemp(path)); // an empty file is a store that was never begun
    pause_us = 0;
    launches = 0;
    launches_until_failure = SIZE_MAX;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    unlink(path);
    return 0;
}

/* A whole run: what there was is used, the matrix is right, and the file goes when it is closed. */
static void finishes(const values *v, size_t *resumed, size_t *tiles) {
    distances_matrix *matrix;
    distances_summary summary;
    launches = 0;
    assert_int_equal(compute(v, DISTANCES_ALLELES, path, &matrix, &summary), WL_OK);
    assert_int_equal(summary.on_disk, 1);
    assert_int_equal(launches, summary.tiles - summary.resumed);
    assert_int_equal(values_wrong(v, DISTANCES_ALLELES, 0, 1, matrix), 0);
    *resumed = summary.resumed;
    *tiles = summary.tiles;
    distances_matrix_close(matrix, 1);
    assert_int_equal(access(path, F_OK), -1);
}

static char *contents(size_t *length) {
    struct stat found;
    assert_int_equal(stat(path, &found), 0);
    *length = (size_t)found.st_size;
    char *bytes = malloc(*length + 1);
    FILE *file = fopen(path, "r");
    assert_int_equal(fread(bytes, 1, *length, file), *length);
    fclose(file);
    return bytes;
}

/* --- Killed runs ------------------------------------------------------------------------------------------------- */

static size_t count_marks(void) {
    distances_store_key key;
    int empty, file = open(path, O_RDONLY);
    size_t count = 0;
    uint64_t mark;
    if (distances_store_look(path, &key, &empty) == WL_OK && !empty)
        for (size_t tile = 0; tile < key.tiles; tile++)
            count += pread(file, &mark, sizeof mark, (off_t)(PAGE + sizeof mark * tile)) == sizeof mark && mark != 0;
    close(file);
    return count;
}

/* Runs on three devices, each killed after a time that nobody chose, one as soon as it has marked tiles, and one that is left in
   peace. */
TEST(killed_and_taken_up) {
    values v = make_values(1);
    wl_random random = wl_random_stream((uint64_t)getpid(), 0);
    size_t resumed, tiles, marks = 0;
    for (int kills = 0; kills < 6; kills++) {
        pid_t pid = start_child(path);
        usleep(1000 * wl_random_below(&random, kills < 3 ? 100 : 1300));
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        assert_true(count_marks() >= marks); // what is done stays done
        marks = count_marks();
    }
    pid_t pid = start_child(path);
    while (count_marks() <= marks && waitpid(pid, NULL, WNOHANG) == 0) usleep(1000);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    marks = count_marks();
    finishes(&v, &resumed, &tiles);
    assert_true(marks > 0);
    assert_int_equal(resumed, marks);
    assert_true(tiles >= 78);
    values_free(&v);
}

/* A run that was finished but for its output needs nothing computed again. */
TEST(finished_and_taken_up) {
    values v = make_values(1);
    size_t resumed, tiles;
    int status;
    waitpid(start_child(path), &status, 0);
    assert_int_equal(status, 0);
    finishes(&v, &resumed, &tiles);
    assert_int_equal(resumed, tiles);
    values_free(&v);
}

/* Tiles that were written but not marked, or whose mark is another's, are computed again: with every second mark gone and the tile
   it was for scribbled over, the matrix is right. */
TEST(tiles_without_marks) {
    values v = make_values(1);
    size_t resumed, tiles, length;
    waitpid(start_child(path), NULL, 0);
    distances_store_key key;
    int empty;
    assert_int_equal(distances_store_look(path, &key, &empty), WL_OK);
    assert_int_equal(empty, 0);
    char *bytes = contents(&length);
    char *data = bytes + length - key.tiles * key.tile_bytes;
    for (size_t tile = 0; tile < key.tiles; tile += 2) {
        memcpy(bytes + PAGE + 8 * tile, bytes + PAGE + 8, 8); // tile 1's
        memset(data + tile * key.tile_bytes, 0x5A, key.tile_bytes);
    }
    FILE *file = fopen(path, "r+");
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
    free(bytes);
    finishes(&v, &resumed, &tiles);
    assert_int_equal(resumed, tiles / 2);
    values_free(&v);
}

/* What was computed before a device failed is not computed again. */
TEST(after_a_failure) {
    values v = make_values(1);
    size_t resumed, tiles;
    distances_matrix *matrix;
    distances_summary summary;
    launches_until_failure = 10;
    assert_int_equal(compute(&v, DISTANCES_ALLELES, path, &matrix, &summary), WL_CHECK_FAILED);
    assert_string_equal(wl_error(), "the device fell off the bus");
    launches_until_failure = SIZE_MAX;
    finishes(&v, &resumed, &tiles);
    assert_int_equal(resumed, 10);
    values_free(&v);
}

/* More memory and another device later do not change the tiles, nor where they are kept. */
TEST(taken_up_with_more_memory) {
    values v = make_values(1);
    distances_matrix *matrix;
    distances_summary summary;
    launches_until_failure = 10;
    assert_int_equal(compute(&v, DISTANCES_ALLELES, path, &matrix, &summary), WL_CHECK_FAILED);
    launches_until_failure = SIZE_MAX;
    distances_request request = {.data = &v.data,
                                 .measure = DISTANCES_ALLELES,
                                 .devices = devices,
                                 .device_count = 1,
                                 .pattern = "distances/test_store",
                                 .memory = (size_t)64 << 20,
                                 .store = path};
    assert_int_equal(distances_compute(&request, &matrix, &summary), WL_OK);
    assert_int_equal(summary.resumed, 10);
    assert_int_equal(values_wrong(&v, DISTANCES_ALLELES, 0, 1, matrix), 0);
    distances_matrix_close(matrix, 1);
    values_free(&v);
}

/* --- What is refused --------------------------------------------------------------------------------------------- */

static void refused(const values *v, distances_measure measure, wl_status expected, const char *words) {
    distances_matrix *matrix;
    distances_summary summary;
    size_t before_length, after_length;
    char *before = contents(&before_length);
    assert_int_equal(compute(v, measure, path, &matrix, &summary), expected);
    if (strstr(wl_error(), words) == NULL) print_error("%s\n", wl_error());
    assert_non_null(strstr(wl_error(), words));
    assert_non_null(strstr(wl_error(), path));
    char *after = contents(&after_length);
    assert_int_equal(before_length, after_length);
    assert_memory_equal(before, after, before_length);
    free(before);
    free(after);
}

/* One value, one name, a site more, another measure. */
TEST(other_data_or_options) {
    values v = make_values(1), other = make_values(1), wider;
    distances_matrix *matrix;
    distances_summary summary;
    launches_until_failure = 10;
    assert_int_equal(compute(&v, DISTANCES_ALLELES, path, &matrix, &summary), WL_CHECK_FAILED);
    launches_until_failure = SIZE_MAX;
    size_t last = (COUNT - 1) * (size_t)(other.data.planes + 1) * other.data.words;
    other.data.bits[last] ^= 1;
    refused(&other, DISTANCES_ALLELES, WL_BAD_INPUT, "other data or names");
    other.data.bits[last] ^= 1;
    other.data.names[7][0] = 'I';
    refused(&other, DISTANCES_ALLELES, WL_BAD_INPUT, "other data or names");
    refused(&v, DISTANCES_COUNT, WL_BAD_INPUT, "other options");
    refused(&v, DISTANCES_EUCLIDEAN2, WL_BAD_INPUT, "other options");
    wider = values_make(&(value_shape){DISTANCES_GENOTYPES, COUNT, 41, 2, 1, 0.1}, 1);
    refused(&wider, DISTANCES_ALLELES, WL_BAD_INPUT, "400 x 40 sites; expected 400 x 41");
    size_t resumed, tiles;
    finishes(&v, &resumed, &tiles); // and is still good for what it was made for
    assert_int_equal(resumed, 10);
    values_free(&v);
    values_free(&other);
    values_free(&wider);
}

TEST(files_that_are_no_store) {
    values v = make_values(1);
    static const char *const texts[] = {
        "x", "a file that somebody needs, longer than a header of a store would be, much longer "
             "than a header of a store would ever be in this program"};
    for (size_t i = 0; i < 2; i++) {
        FILE *file = fopen(path, "w");
        fputs(texts[i], file);
        fclose(file);
        refused(&v, DISTANCES_ALLELES, WL_BAD_INPUT, "is no store of distances");
    }
    unlink(path);
    mkdir(path, 0777);
    distances_matrix *matrix;
    distances_summary summary;
    assert_int_not_equal(compute(&v, DISTANCES_ALLELES, path, &matrix, &summary), WL_OK);
    rmdir(path);
    assert_int_equal(compute(&v, DISTANCES_ALLELES, "/nowhere/store", &matrix, &summary), WL_BAD_USAGE);
    values_free(&v);
}

/* A copy that was cut short: its marks promise tiles that are not there. */
TEST(a_store_cut_short) {
    values v = make_values(1);
    size_t length;
    waitpid(start_child(path), NULL, 0);
    free(contents(&length));
    assert_int_equal(truncate(path, (off_t)length - 1), 0);
    refused(&v, DISTANCES_ALLELES, WL_BAD_INPUT, "expected a whole store");
    values_free(&v);
}

/* Two runs at once would each believe the other's marks. */
TEST(two_runs_at_once) {
    values v = make_values(1);
    distances_matrix *matrix, *second;
    distances_summary summary;
    assert_int_equal(compute(&v, DISTANCES_ALLELES, path, &matrix, &summary), WL_OK);
    assert_int_equal(compute(&v, DISTANCES_ALLELES, path, &second, &summary), WL_NO_MACHINE);
    assert_non_null(strstr(wl_error(), "another run is using it"));
    assert_int_equal(values_wrong(&v, DISTANCES_ALLELES, 0, 1, matrix), 0);
    distances_matrix_close(matrix, 0);
    size_t resumed, tiles;
    finishes(&v, &resumed, &tiles);
    assert_int_equal(resumed, tiles);
    values_free(&v);
}

static int opens(const distances_store_key *key) {
    distances_store *store;
    wl_status status = distances_store_open(path, key, &store);
    if (status == WL_OK) distances_store_close(store, 0);
    return status;
}

/* Nobody removes a store that a run has open; and a run whose file has been taken away does not remove the one that is there now. */
TEST(removed) {
    distances_store *first, *second;
    const distances_store_key key = {.hash = 1, .count = 2, .sites = 3, .side = 2, .tiles = 1, .tile_bytes = 4096};
    assert_int_equal(distances_store_open(path, &key, &first), WL_OK);
    assert_int_equal(distances_store_remove(path), WL_NO_MACHINE);
    assert_non_null(strstr(wl_error(), "another run is using it"));
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(distances_store_open(path, &key, &second), WL_OK);
    distances_store_close(first, 1);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(opens(&key), WL_NO_MACHINE); // the second's lock is on the file that is there
    distances_store_close(second, 0);
    assert_int_equal(distances_store_remove(path), WL_OK);
    assert_int_equal(access(path, F_OK), -1);
}

/* --- A full disk ------------------------------------------------------------------------------------------------- */

static void limit_files(rlim_t bytes) {
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Where the whole store cannot be had it is not begun. Where a write fails later (the limit is set when the file is there already)
   the tiles so far stay, and the next run has less to do. */
TEST(disk_full) {
    values v = make_values(1);
    distances_matrix *matrix;
    distances_summary summary;
    signal(SIGXFSZ, SIG_IGN);
    limit_files(300 << 10);
    assert_int_equal(compute(&v, DISTANCES_ALLELES, path, &matrix, &summary), WL_NO_MACHINE);
    assert_non_null(strstr(wl_error(), "cannot make a file of"));
    assert_int_equal(access(path, F_OK), -1);
    limit_files(RLIM_INFINITY);

    launches_until_failure = 2;
    assert_int_equal(compute(&v, DISTANCES_ALLELES, path, &matrix, &summary), WL_CHECK_FAILED);
    launches_until_failure = SIZE_MAX;
    limit_files(300 << 10);
    assert_int_equal(compute(&v, DISTANCES_ALLELES, path, &matrix, &summary), WL_NO_MACHINE);
    limit_files(RLIM_INFINITY);
    assert_non_null(strstr(wl_error(), "File too large"));
    size_t resumed, tiles;
    finishes(&v, &resumed, &tiles);
    assert_true(resumed > 2 && resumed < tiles);
    values_free(&v);
}

int main(int argc, char **argv) {
    static const wl_variant *const own[] = {&on_cpu, &on_sim};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) wl_register(own[i]);
    if (argc == 3 && strcmp(argv[1], "--child") == 0) return child(argv[2]);
    return run_each_test(set_up, tear_down);
}
