/* The monotonic clock. */
#ifndef HARNESS_BASE_CLOCK_H
#define HARNESS_BASE_CLOCK_H

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds since some moment; only differences mean anything. */
double wl_now(void);

#ifdef __cplusplus
}
#endif
#endif
