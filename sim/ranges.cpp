/* The largest numbers of 32 bits that a program has computed, place by place: cmake/symbol-table.sh lets each place keep its own. */
#include <climits>

#include "sim/memory.h"

extern "C" {

// The linker brackets the section; weak, since a program may have no such place, and on ARM none has one.
extern wl_sim_range __start_wl_ranges[] __attribute__((weak)), __stop_wl_ranges[] __attribute__((weak));

wl_sim_range *wl_sim_ranges(size_t *count) {
    *count = (size_t)(__stop_wl_ranges - __start_wl_ranges);
    return __start_wl_ranges;
}

void wl_sim_forget_ranges(void) {
    for (wl_sim_range *r = __start_wl_ranges; r < __stop_wl_ranges; r++) r->most = INT_MIN;
}

void wl_sim_place_name(const void *place, char *text, size_t size) {
    snprintf(text, size, "%s", wl_sim::place_name((wl_sim::Place)place + 1).c_str());
}

} // extern "C"
