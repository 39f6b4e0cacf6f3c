/* The simulated device's half of harness/device/copy_bulk.h. */
#pragma once

#include "cuda_runtime.h"

WL_DEVICE_CODE

extern "C" {
void wl_sim_mbarrier_init(void *barrier, unsigned count);
void wl_sim_mbarrier_arrive(void *barrier, unsigned bytes);
void wl_sim_mbarrier_wait(void *barrier, unsigned parity, const char *file, int line);
void wl_sim_copy_bulk(void *to, const void *from, unsigned bytes, void *barrier);
}

static inline void wl_mbarrier_init(uint64_t *b, unsigned count) { wl_sim_mbarrier_init(b, count); }
static inline void wl_mbarrier_publish(void) {}
static inline void wl_mbarrier_arrive(uint64_t *b) { wl_sim_mbarrier_arrive(b, 0); }
static inline void wl_mbarrier_expect(uint64_t *b, unsigned bytes) { wl_sim_mbarrier_arrive(b, bytes); }
static inline void wl_copy_bulk(void *to, const void *from, unsigned bytes, uint64_t *b) {
    wl_sim_copy_bulk(to, from, bytes, b);
}
static inline void wl_mbarrier_wait(uint64_t *b, unsigned parity, const char *file = __builtin_FILE(),
                                    int line = __builtin_LINE()) {
    wl_sim_mbarrier_wait(b, parity, file, line);
}

WL_DEVICE_CODE_END
