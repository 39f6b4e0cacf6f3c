/* Options that several commands have. */

#include "cli/args.h"
#include "harness/base/cpu.h"
#include "harness/base/thread.h"
#include "sim/sim.h"

static int threads_unless_given;

void wl_threads_unless_given(int threads) {
    threads_unless_given = threads;
    wl_sim_set_workers(threads);
}

wl_status wl_argument_threads(const wl_arguments *arguments, int *threads) {
    if (!wl_argument_given(arguments, "threads")) {
        if (threads_unless_given > 0) *threads = threads_unless_given;
        return WL_OK;
    }
    int64_t number;
    WL_TRY(wl_argument_integer(arguments, "threads", 1, WL_CPU_THREADS_MOST, &number));
    *threads = number > wl_cpu_threads() ? wl_threads_startable((int)number) : (int)number;
    wl_sim_set_workers(*threads);
    return WL_OK;
}
