/* Where a tool's time goes, by part of the work: what --timings prints. Off unless wl_timings_begin was called; then whoever does a
   part of the work adds its time. Parts that overlap add up to more than the whole. */
#pragma once

#include <stdio.h>

#include "harness/base/linkage.h"

WL_C_BEGIN

typedef enum {
    WL_PHASE_START,     // devices are looked for
    WL_PHASE_READ,      // input into memory, and parsed
    WL_PHASE_PACK,      // values into what kernels take, where that is not part of reading
    WL_PHASE_COPY,      // a variant's prepare: laid out, and copied to the device
    WL_PHASE_KERNEL,    // its launches
    WL_PHASE_COPY_BACK, // its results copied to the host, and put into place
    WL_PHASE_ALIGN,     // hits or reads are aligned, and reported
    WL_PHASE_FORMAT,    // results as text or numbers of the output
    WL_PHASE_WRITE,     // written to the output
    WL_PHASES
} wl_phase;

void wl_timings_begin(void);
int wl_timings_wanted(void);
/* wl_now() where timings are wanted, else 0: what wl_timings_since takes. */
double wl_timings_now(void);
/* Add the time since `begun` to a part, and the bytes that it moved (0: not counted). Any thread. */
void wl_timings_since(wl_phase phase, double begun, double bytes);
double wl_timings_spent(wl_phase phase); // so far
void wl_timings_add(wl_phase phase, double seconds, double bytes);
/* How fast this machine moves bytes of this part at best, in bytes per second, as measured; `how` is static. */
void wl_timings_bound(wl_phase phase, double rate, const char *how);

/* The work is done: the whole ends here. */
void wl_timings_stop(void);
/* Measures, by one thread and in a few hundredths of a second: reading the file `input` again (NULL: not), copying in main memory, and
   writing a file beside `output` (NULL: not), which is removed. */
void wl_timings_measure(const char *input, const char *output);
/* Who measures bounds that only a device knows: called by wl_timings_measure. */
void wl_timings_on_measure(void (*measure)(void));
/* "part seconds bytes gb_per_second bound how", tab-separated, a line per part that took any time, and the whole. */
void wl_timings_print(FILE *stream);

WL_C_END
