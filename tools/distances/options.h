/* What the options of `warpladder distances` ask for. */
#pragma once

#include "tools/distances/matrix/matrix.h"
#include "harness/bench/problem.h"

/* What is compared, how it is read, and how it is written to `output`. WL_BAD_USAGE names the option. */
wl_status distances_options(const wl_arguments *own, const char *output, distances_request *request,
                            distances_reading *reading, distances_layout *layout);

/* WL_BAD_USAGE where writing `output` would replace what is read as `input`, or one of PLINK's files beside it. */
wl_status distances_refuse_output(const char *input, const char *output);
/* Whether these options and the measure have a meaning for the data of the file `name`; WL_BAD_INPUT: they do not. */
wl_status distances_options_fit(const wl_arguments *own, const char *name, const distances_request *request,
                                const distances_data *data);
/* What --memory leaves beside the data, 0: no limit. WL_NO_MACHINE: nothing. */
wl_status distances_options_memory(size_t memory, const distances_data *data, distances_request *request);
