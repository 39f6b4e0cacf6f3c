/* `run peeling --chain N`. */
#ifndef PEELING_CHAIN_RUN_H
#define PEELING_CHAIN_RUN_H

#include "harness/bench/own_run.h"

#ifdef __cplusplus
extern "C" {
#endif

int peeling_has_chain(const wl_arguments *arguments);
/* The chain on the serial code, on every other CPU variant, and on each variant that matches, on one device and on all
   of them: its first steps compared with the serial code's and the best CPU variant's. */
wl_status peeling_run_chain(wl_own_run *run);

#ifdef __cplusplus
}
#endif
#endif
