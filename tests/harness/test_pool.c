/* A pool of host threads: each unit is done once, units that come later are done too, a failure ends the job for all, and closing waits
   for what is under way. */
#include <unistd.h>

#include "tests/support/unit.h"
#include "harness/bench/pool.h"
#include "harness/bench/device.h"

enum { UNITS = 500, WORKERS = 4, NONE = -1 };

typedef struct {
    int done[UNITS]; // how often each was; under the pool's lock
    int next, last, finished, begun, ended, refuse, fail_at, slow_from, ticks;
} job;

static wl_status begin(void *to, wl_worker *worker) {
    job *j = to;
    *(int *)worker->own = 7;
    return j->begun++ == j->refuse ? wl_fail(WL_NO_MACHINE, "worker %d has no room", j->refuse) : WL_OK;
}

static void end(void *to, wl_worker *worker) {
    assert_int_equal(*(int *)worker->own, 7);
    ((job *)to)->ended++;
}

static int next(void *to, wl_worker *worker, void *unit) {
    (void)worker;
    job *j = to;
    if (j->next == j->last) return 0;
    *(int *)unit = j->next++;
    return 1;
}

static wl_status work(void *to, wl_worker *worker, const void *unit) {
    const job *j = to;
    const int number = *(const int *)unit;
    (void)worker;
    if (j->slow_from != NONE && number >= j->slow_from) usleep(20000);
    return number == j->fail_at ? wl_fail(WL_CHECK_FAILED, "unit %d is broken", number) : WL_OK;
}

static void finish(void *to, wl_worker *worker, const void *unit, double seconds) {
    (void)worker;
    job *j = to;
    assert_true(seconds >= 0);
    j->done[*(const int *)unit]++;
    j->finished++;
}

static void tick(void *to) { ((job *)to)->ticks++; }

static wl_status open_pool(job *j, wl_pool **pool) {
    static wl_device_list devices;
    assert_int_equal(wl_devices_select("cpu", &devices), WL_OK);
    const wl_pool_setup setup = {.problem = "lessons",
                                 .devices = devices.items,
                                 .device_count = devices.count,
                                 .cpu_workers = WORKERS,
                                 .job = j,
                                 .own_bytes = sizeof(int),
                                 .task_bytes = sizeof(int),
                                 .begin = begin,
                                 .end = end,
                                 .next = next,
                                 .work = work,
                                 .finish = finish};
    return wl_pool_open(&setup, pool);
}

static job plain(int units) { return (job){.last = units, .refuse = NONE, .fail_at = NONE, .slow_from = NONE}; }

TEST(each_unit_once) {
    job j = plain(UNITS);
    wl_pool *pool;
    assert_int_equal(open_pool(&j, &pool), WL_OK);
    assert_int_equal(wl_pool_wait(pool, NULL, NULL, NULL, NULL), WL_OK);
    for (int i = 0; i < UNITS; i++) assert_int_equal(j.done[i], 1);
    wl_pool_close(pool);
    assert_int_equal(j.begun, WORKERS);
    assert_int_equal(j.ended, WORKERS);
}

static int all_finished(const void *what) { return ((const job *)what)->finished == UNITS; }

/* Workers that found nothing sleep until they are woken. */
TEST(units_that_come_later) {
    job j = plain(0);
    wl_pool *pool;
    assert_int_equal(open_pool(&j, &pool), WL_OK);
    assert_int_equal(wl_pool_wait(pool, NULL, NULL, NULL, NULL), WL_OK);
    assert_int_equal(j.finished, 0);
    wl_pool_lock(pool);
    j.last = UNITS;
    wl_pool_wake(pool);
    wl_pool_unlock(pool);
    assert_int_equal(wl_pool_wait(pool, all_finished, &j, NULL, NULL), WL_OK);
    for (int i = 0; i < UNITS; i++) assert_int_equal(j.done[i], 1);
    wl_pool_close(pool);
}

/* The first failure's status and message; nothing new is begun, and what failed is not finished. */
TEST(a_failure_ends_it) {
    job j = plain(UNITS);
    wl_pool *pool;
    j.fail_at = 3;
    j.slow_from = 4;
    assert_int_equal(open_pool(&j, &pool), WL_OK);
    assert_int_equal(wl_pool_wait(pool, NULL, NULL, NULL, NULL), WL_CHECK_FAILED);
    assert_string_equal(wl_error(), "unit 3 is broken");
    assert_int_equal(j.done[3], 0);
    assert_true(j.next < 3 + 4 * WORKERS);
    wl_pool_close(pool);
    assert_int_equal(j.ended, WORKERS);
}

TEST(a_worker_that_cannot_begin) {
    job j = plain(UNITS);
    wl_pool *pool = NULL;
    j.refuse = 2;
    assert_int_equal(open_pool(&j, &pool), WL_NO_MACHINE);
    assert_string_equal(wl_error(), "worker 2 has no room");
    assert_int_equal(j.finished, 0);
    assert_int_equal(j.begun, j.ended);
}

TEST(closing_in_the_middle) {
    job j = plain(UNITS);
    wl_pool *pool;
    j.slow_from = 0;
    assert_int_equal(open_pool(&j, &pool), WL_OK);
    usleep(30000);
    wl_pool_close(pool);
    assert_true(j.finished < UNITS);
    assert_int_equal(j.finished, j.next); // what was begun is finished
}

TEST(ticks_while_it_works) {
    job j = plain(60);
    wl_pool *pool;
    j.slow_from = 0;
    assert_int_equal(open_pool(&j, &pool), WL_OK);
    assert_int_equal(wl_pool_wait(pool, NULL, NULL, tick, &j), WL_OK);
    assert_true(j.ticks >= 1);
    wl_pool_close(pool);
}

int main(void) { return run_all_tests(NULL, NULL); }
