/* warpladder likelihood: what its options ask for. */
#ifndef WL_CLI_LIKELIHOOD_H
#define WL_CLI_LIKELIHOOD_H

#include "cli/line.h"
#include "harness/bench/device.h"
#include "peeling/chain/sample.h"

typedef struct {
    peeling_likelihood_request read;
    peeling_sample_request chain; // of no steps: the likelihood of the tree alone
    const char *sites;            // where site likelihoods go; NULL: nowhere
    wl_device_list devices;       // the CPU, and then GPUs or the simulated device where they are asked for
} likelihood_request;

extern const wl_option likelihood_options[];
/* request->read.devices points into request->devices. */
wl_status likelihood_read_options(const wl_line *line, likelihood_request *request);

#endif
