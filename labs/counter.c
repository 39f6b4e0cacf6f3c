/* What a test may count: the counters of harness/bench/count.h, and some that only labs need. */
#include <math.h>
#include <string.h>

#include "harness/bench/count.h"
#include "labs/record.h"

enum { WARP = 32 };
/* From BUSIEST_WARP on, they need a trace. */
enum { IDLE_LANES = WL_COUNTERS, LANE_STEPS, BLOCKS, BUSIEST_WARP, MEAN_WARP, BUSIEST_OF_BLOCKS, LOADED, ALL };
static const char *const names[ALL - WL_COUNTERS] = {"idle_lanes", "lane_steps",        "blocks", "busiest_warp",
                                                     "mean_warp",  "busiest_of_blocks", "loaded"};

const char *wl_lab_counter_name(int counter) {
    return counter >= WL_COUNTERS ? names[counter - WL_COUNTERS] : wl_counter_name((size_t)counter);
}

int wl_lab_counter_named(const char *name) {
    for (int i = 0; i < ALL; i++)
        if (strcmp(wl_lab_counter_name(i), name) == 0) return i;
    return WL_LAB_NO_COUNTER;
}

int wl_lab_needs_trace(const wl_lab_test *test) { return test->counter >= BUSIEST_WARP || test->per >= BUSIEST_WARP; }

uint64_t wl_lab_counter(const wl_lab_counts *counts, int counter) {
    switch (counter) {
        /* A step that one lane makes has 31 idle lanes. Their number does not fall if other lanes do something useless beside it. */
        case IDLE_LANES:
            return WARP * counts->sim.steps - counts->sim.step_lanes;
        case LANE_STEPS:
            return counts->sim.step_lanes;
        case BLOCKS:
            return counts->blocks;
        case BUSIEST_WARP:
            return counts->busiest_warp;
        case MEAN_WARP:
            return counts->warps ? counts->warp_loads / counts->warps : 0;
        case BUSIEST_OF_BLOCKS:
            return counts->busiest_of_blocks;
        case LOADED:
            return counts->warp_loads;
        default:
            return wl_counter(&counts->sim, (size_t)counter);
    }
}

void wl_lab_counts_add(wl_lab_counts *sum, const wl_sim_launch *more) {
    wl_counters_add(&sum->sim, &more->counters);
    sum->sim.steps += more->counters.steps;
    sum->sim.step_lanes += more->counters.step_lanes;
    sum->blocks += more->blocks;
}

static uint64_t warps_of(const wl_sim_launch *launch) {
    return ((uint64_t)launch->block[0] * launch->block[1] * launch->block[2] + WARP - 1) / WARP;
}

/* The events come by launch, then by block, so one block's warps are summed at a time. */
void wl_lab_counts_share(wl_lab_counts *counts, const wl_sim_trace *trace) {
    uint64_t loads[WARP] = {0}, most = 0; // by warp of the block, which has at most 32; of the busiest of them
    for (size_t i = 0; i < trace->launch_count; i++)
        counts->warps += trace->launches[i].blocks * warps_of(&trace->launches[i]);
    for (size_t i = 0; i < trace->count; i++) {
        const wl_sim_trace_event *e = &trace->events[i];
        if (i > 0 && (e[-1].launch != e->launch || e[-1].block != e->block)) memset(loads, 0, sizeof loads), most = 0;
        if (e->kind != 'l' || trace->memories[e->memory].space != 'g') continue;
        const uint64_t lanes = (uint64_t)__builtin_popcount(e->lanes);
        counts->warp_loads += lanes;
        loads[e->warp] += lanes;
        if (loads[e->warp] > counts->busiest_warp) counts->busiest_warp = loads[e->warp];
        if (loads[e->warp] <= most) continue;
        counts->busiest_of_blocks += (loads[e->warp] - most) * warps_of(&trace->launches[e->launch]);
        most = loads[e->warp];
    }
}

double wl_lab_counted(const wl_lab_test *test, const wl_lab_counts *counts, double work) {
    const double value = (double)wl_lab_counter(counts, test->counter),
                 per = test->per == WL_LAB_NO_COUNTER ? 1
                       : test->per == WL_LAB_PER_WORK ? work
                                                      : (double)wl_lab_counter(counts, test->per);
    return per > 0 ? value / per : value > 0 ? INFINITY : NAN; // of nothing there is no quotient, and nothing passes
}
