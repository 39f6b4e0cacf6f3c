/* For what is linked without the simulated device, which is the library: there is no such device, and what counts and watches it
   has nothing to see. The program has the device itself and not this file. */
#include "sim/sim.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
void wl_sim_forget(void) {}
const wl_sim_launch *wl_sim_launches(size_t *count) {
    *count = 0;
    return NULL;
}
void wl_sim_trace_begin(const unsigned *block, size_t most) {}
void wl_sim_trace_end(wl_sim_trace *trace) { *trace = (wl_sim_trace){0}; }
void wl_sim_trace_free(wl_sim_trace *trace) {}
void wl_sim_watch(void) {}
const char *wl_sim_watched(int result_is_wrong) { return NULL; }
void wl_sim_launching(int on) {}
void wl_sim_leave_out_kernels(int on) {}
int wl_sim_limit(uint64_t steps, unsigned blocks) { return 0; }
void wl_sim_resemble(int multiprocessors, size_t shared) {}
uint64_t wl_sim_memory_hash(void) { return 0; }
int wl_sim_memory_holds(const void *bytes, size_t count) { return 0; }
wl_sim_image *wl_sim_image_take(void) { return NULL; }
void wl_sim_image_free(wl_sim_image *image) {}
void wl_sim_image_mix(const wl_sim_image *image, const wl_sim_image *other, uint64_t seed) {}
wl_sim_range *wl_sim_ranges(size_t *count) {
    *count = 0;
    return NULL;
}
void wl_sim_forget_ranges(void) {}
void wl_sim_place_name(const void *place, char *text, size_t size) {}
