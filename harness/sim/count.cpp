/* From the accesses of a step to the counters of the hardware (sim.h says what each means). */
#include <algorithm>

#include "harness/sim/internal.h"

namespace wl_sim {

/* Different values among `count`, which become sorted. */
static unsigned distinct(uintptr_t *values, unsigned count) {
    // Neighbouring lanes mostly touch the same or rising addresses, so sorting is the exception.
    if (!std::is_sorted(values, values + count)) std::sort(values, values + count);
    return (unsigned)(std::unique(values, values + count) - values);
}

static unsigned sectors(const Event &e) {
    uintptr_t touched[2 * WARP];
    unsigned count = 0;
    for (uint32_t lanes = e.lanes; lanes; lanes &= lanes - 1) {
        uintptr_t a = e.address[__builtin_ctz(lanes)];
        touched[count++] = a / SECTOR;
        if ((a + e.size - 1) / SECTOR != a / SECTOR) touched[count++] = (a + e.size - 1) / SECTOR;
    }
    return distinct(touched, count);
}

static unsigned different_addresses(const Event &e) {
    uintptr_t touched[WARP];
    unsigned count = 0;
    for (uint32_t lanes = e.lanes; lanes; lanes &= lanes - 1) touched[count++] = e.address[__builtin_ctz(lanes)];
    return distinct(touched, count);
}

/* Passes through shared memory: 32 banks of 4 bytes serve one word each at a time. 8-byte accesses go half a warp,
   16-byte ones a quarter of a warp at a time; lanes that want the same word share a pass, unless they change it. */
static unsigned passes(const Event &e) {
    unsigned together = e.size <= 4 ? WARP : e.size == 8 ? WARP / 2 : WARP / 4, total = 0;
    for (unsigned first = 0; first < WARP; first += together) {
        uintptr_t words[WARP];
        unsigned count = 0, load[BANKS] = {}, most = 0;
        for (unsigned l = first; l < first + together; l++) {
            if (!(e.lanes >> l & 1)) continue;
            for (uintptr_t word = e.address[l] / 4; word <= (e.address[l] + e.size - 1) / 4; word++)
                if (count < WARP) words[count++] = word;
        }
        if (e.kind != Kind::atomic) count = distinct(words, count);
        for (unsigned i = 0; i < count; i++) most = std::max(most, ++load[words[i] % BANKS]);
        total += most;
    }
    return total;
}

static void trace(Worker *w, const Event &e) {
    for (uint32_t lanes = e.lanes; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        char kind = e.kind == Kind::load ? 'l' : e.kind == Kind::store ? 's' : 'a';
        w->trace.push_back({w->warp * WARP + l, w->trace_request, e.allocation, e.address[l] - e.low, e.size, kind});
    }
    w->trace_request++;
}

void count_step(Worker *w) {
    wl_sim_counters &c = w->counters;
    const Launch *launch = w->launch;
    bool traced = launch->traced && w->block.x == launch->traced_block.x && w->block.y == launch->traced_block.y &&
                  w->block.z == launch->traced_block.z;
    for (size_t i = 0; i < w->event_count; i++) {
        const Event &e = w->events[i];
        switch (e.space) {
            case Space::shared:
                c.shared_requests++;
                c.shared_passes += passes(e);
                break;
            case Space::constant:
                c.constant_requests++;
                break;
            case Space::global:
                if (traced) trace(w, e);
                if (e.kind == Kind::load) {
                    c.global_load_requests++;
                    c.global_load_sectors += sectors(e);
                } else if (e.kind == Kind::store) {
                    c.global_store_requests++;
                    c.global_store_sectors += sectors(e);
                } else {
                    c.atomic_requests++;
                    c.atomic_operations += (unsigned)__builtin_popcount(e.lanes);
                    c.atomic_addresses += different_addresses(e);
                }
                break;
            case Space::ignored:
                break;
        }
    }
}

} // namespace wl_sim
