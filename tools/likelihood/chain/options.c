/* The options of `warpladder likelihood --chain`. */
#include "tools/likelihood/chain/options.h"

#include <stdlib.h>

#include "harness/base/outfile.h"
#include "harness/base/random.h"

/* A chain may begin from a tree of another's trace. */
static wl_status refuse_inputs(const wl_arguments *own, const char *trace) {
    static const char *const endings[] = {"log", "trees"};
    wl_status status = WL_OK;
    for (size_t i = 0; status == WL_OK && i < sizeof endings / sizeof *endings; i++) {
        char *path;
        if (asprintf(&path, "%s/chain.%s", trace, endings[i]) < 0)
            return wl_fail(WL_NO_MACHINE, "not enough memory for a name");
        status = wl_refuse_same_file(wl_argument(own, "tree"), path);
        if (status == WL_OK) status = wl_refuse_same_file(wl_argument(own, "alignment"), path);
        free(path);
    }
    return status;
}

wl_status peeling_sample_options(const wl_arguments *own, peeling_sample_request *request) {
    static const char *const with[] = {"trace",  "trace-every", "seed",         "checkpoint",
                                       "resume", "overwrite",   "chain-number", NULL};
    static const char *const with_trace[] = {"trace-every", "checkpoint", "resume", "overwrite", NULL};
    int64_t steps, every, seed, number;
    double minutes;
    for (size_t i = 0; with[i]; i++) WL_TRY(wl_argument_refuse_without(own, with[i], "chain"));
    if (!wl_argument_given(own, "chain")) return WL_OK;
    WL_TRY(wl_argument_refuse_both(own, "chain", "site-likelihoods"));
    WL_TRY(wl_argument_integer(own, "chain", 1, INT64_C(1000000000000), &steps));
    WL_TRY(wl_argument_integer(own, "trace-every", 1, INT64_C(1000000000000), &every));
    WL_TRY(wl_argument_integer(own, "seed", 0, INT64_MAX, &seed));
    WL_TRY(wl_argument_integer(own, "chain-number", 1, INT64_C(1000000000), &number));
    WL_TRY(wl_argument_number(own, "checkpoint", 0, 1e6, &minutes));
    for (size_t i = 0; with_trace[i]; i++) WL_TRY(wl_argument_refuse_without(own, with_trace[i], "trace"));
    WL_TRY(wl_argument_refuse_both(own, "resume", "overwrite"));
    /* The first chain's numbers are those of the seed alone. */
    wl_random others = wl_random_stream((uint64_t)seed, (uint64_t)number);
    *request = (peeling_sample_request){.steps = (uint64_t)steps,
                                        .seed = number == 1 ? (uint64_t)seed : wl_random_next(&others),
                                        .every = (uint64_t)every,
                                        .trace = wl_argument(own, "trace"),
                                        .overwrites = wl_argument_given(own, "overwrite"),
                                        .resumes = wl_argument_given(own, "resume"),
                                        .checkpoint_seconds = 60 * minutes};
    return request->trace ? refuse_inputs(own, request->trace) : WL_OK;
}
