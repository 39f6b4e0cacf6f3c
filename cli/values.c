/* Options that several commands have. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/line.h"
#include "harness/base/cpu.h"
#include "harness/base/text.h"
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

wl_status wl_argument_bytes(const wl_arguments *arguments, const char *name, size_t *bytes) {
    const char *text = wl_argument(arguments, name), *suffixes = "KMG", *suffix;
    if (text == NULL) return WL_OK;
    const char *end;
    double number = wl_decimal(text, &end);
    if (number > 0 && *end && (suffix = strchr(suffixes, toupper((unsigned char)*end))) != NULL) {
        number *= exp2(10.0 * (double)(suffix - suffixes + 1));
        end++;
    }
    if (!(number >= 1 && number < 0x1p60) || *end || *text == '+')
        return wl_fail(WL_BAD_USAGE, "option --%s: found '%.80s'; expected bytes, as in 500M or 4G", name, text);
    *bytes = (size_t)number;
    return WL_OK;
}
