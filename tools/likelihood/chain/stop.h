/* Signals that end a chain after its step, so that what has been sampled is kept. */
#pragma once

#include <signal.h>

extern volatile sig_atomic_t peeling_stopped; // by which; 0: none

/* From here on the first SIGHUP, SIGINT or SIGTERM sets peeling_stopped. The second one has the effect that it had before. */
void peeling_stop_wait(void);
void peeling_stop_end(void);
