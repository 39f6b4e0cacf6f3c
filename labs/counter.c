/* What a test may count: the counters of harness/bench/count.h, and lanes that were idle. */
#include <math.h>
#include <string.h>

#include "harness/bench/count.h"
#include "labs/record.h"

static const char IDLE[] = "idle_lanes";
enum { IDLE_LANES = WL_COUNTERS, WARP = 32 };

const char *wl_lab_counter_name(int counter) { return counter == IDLE_LANES ? IDLE : wl_counter_name((size_t)counter); }

int wl_lab_counter_named(const char *name) {
    for (int i = 0; i <= IDLE_LANES; i++)
        if (strcmp(wl_lab_counter_name(i), name) == 0) return i;
    return WL_LAB_NO_COUNTER;
}

/* A step that one lane makes has 31 idle lanes. Their number does not fall if other lanes do something useless beside it. */
uint64_t wl_lab_counter(const wl_sim_counters *counters, int counter) {
    return counter == IDLE_LANES ? WARP * counters->steps - counters->step_lanes
                                 : wl_counter(counters, (size_t)counter);
}

void wl_lab_counters_add(wl_sim_counters *sum, const wl_sim_counters *more) {
    wl_counters_add(sum, more);
    sum->steps += more->steps;
    sum->step_lanes += more->step_lanes;
}

double wl_lab_counted(const wl_lab_test *test, const wl_sim_counters *counters, double work) {
    const double value = (double)wl_lab_counter(counters, test->counter),
                 per = test->per == WL_LAB_NO_COUNTER ? 1
                       : test->per == WL_LAB_PER_WORK ? work
                                                      : (double)wl_lab_counter(counters, test->per);
    return per > 0 ? value / per : value > 0 ? INFINITY : NAN; // of nothing there is no quotient, and nothing passes
}
