/* From the accesses of a step to the counters of the hardware (sim.h says what each means). */
#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "sim/internal.h"

namespace wl_sim {

// ---------------------------------------------------------------- source lines

bool counting_lines;

wl_sim_counters &counters_at(Worker *w, Place place) {
    if (!counting_lines) return w->counters;
    auto &known = w->known[(uintptr_t)place % Worker::KNOWN];
    if (known.place != place || known.counters == nullptr) {
        known.place = place;
        known.counters = &w->by_place[place]; // which stays where it is when others come
    }
    return *known.counters;
}

Place place_of(const Worker *w, unsigned thread) {
    const uint64_t offset = w->key[thread] & (((uint64_t)1 << 40) - 1);
    return offset ? (Place)(w->text + offset) : (Place)w->launch->kernel + 1; // at its beginning
}

void add_counters(wl_sim_counters *sum, const wl_sim_counters &more) {
    for (size_t c = 0; c < sizeof *sum / sizeof(uint64_t); c++) ((uint64_t *)sum)[c] += ((const uint64_t *)&more)[c];
}

static std::map<std::string, PlaceCounters> &kernels_places = *new std::map<std::string, PlaceCounters>;

void remember_lines(const std::string &kernel, const PlaceCounters &places) {
    PlaceCounters &all = kernels_places[kernel];
    for (const auto &[place, counters] : places) add_counters(&all[place], counters);
}

// ---------------------------------------------------------------- requests

/* Different values among `count`, which become sorted. */
static unsigned distinct(uintptr_t *values, unsigned count) {
    // Neighbouring lanes mostly touch the same or rising addresses, so sorting is the exception.
    if (!std::is_sorted(values, values + count)) std::sort(values, values + count);
    return (unsigned)(std::unique(values, values + count) - values);
}

static unsigned sectors(const Event &e) {
    uintptr_t touched[WARP], last = 0;
    unsigned count = 0, different = 0;
    bool rising = true;
    for (uint32_t lanes = e.lanes; lanes; lanes &= lanes - 1) { // aligned, so in one sector
        const uintptr_t sector = touched[count++] = e.address[__builtin_ctz(lanes)] / SECTOR;
        rising &= sector >= last;
        different += sector != last;
        last = sector;
    }
    return rising ? different : distinct(touched, count);
}

static void count_atomic(wl_sim_counters *c, const Event &e) {
    uintptr_t touched[WARP];
    unsigned count = 0;
    for (uint32_t lanes = e.lanes; lanes; lanes &= lanes - 1) touched[count++] = e.address[__builtin_ctz(lanes)];
    std::sort(touched, touched + count);
    c->atomic_requests++;
    c->atomic_operations += count;
    // The memory does one operation a trip on an address, and all addresses of a sector together.
    for (unsigned i = 0, most = 0, same = 0; i < count; i++) {
        same = i > 0 && touched[i] == touched[i - 1] ? same + 1 : 1;
        most = std::max(most, same);
        c->atomic_addresses += same == 1;
        if (i + 1 == count || touched[i + 1] / SECTOR != touched[i] / SECTOR) c->atomic_sectors += most, most = 0;
    }
}

/* Do the active lanes of [first, first + count) agree with their partners, lane ^ distance, on the address? */
static bool paired(const Event &e, unsigned first, unsigned count, unsigned distance) {
    for (unsigned l = first; l < first + count; l++)
        if (e.lanes >> l & 1 && e.lanes >> (l ^ distance) & 1 && e.address[l] != e.address[l ^ distance]) return false;
    return true;
}

/* One trip: lanes [first, first + count) together. A bank serves one word of 4 bytes at a time; lanes that want the same
   word share it, unless they change it one after the other. */
static unsigned passes_of(const Event &e, unsigned first, unsigned count) {
    uintptr_t words[4 * WARP];
    unsigned wanted = 0, load[BANKS] = {}, most = 0;
    for (unsigned l = first; l < first + count; l++) {
        if (!(e.lanes >> l & 1)) continue;
        for (uintptr_t word = e.address[l] / 4; word <= (e.address[l] + e.size - 1) / 4; word++) words[wanted++] = word;
    }
    if (e.kind != Kind::atomic) wanted = distinct(words, wanted);
    for (unsigned i = 0; i < wanted; i++) most = std::max(most, ++load[words[i] % BANKS]);
    return most;
}

/* Passes through shared memory. 8-byte accesses go half a warp at a time, 16-byte ones a quarter; two such parts of a
   load go together when neighbouring lanes, or lanes two apart, want the same words (found by comparing with an H200:
   results/counters_h200.tsv). */
static unsigned passes(const Event &e) {
    if (e.size <= 4) {
        if (e.kind != Kind::atomic && e.lanes == ~0u) { // most often the first lane's word is the lowest one
            uintptr_t beyond = 0;
            for (const uintptr_t address : e.address) beyond |= address - e.address[0];
            if (beyond < 4 * BANKS && e.address[0] % 4 == 0) return 1;
        }
        uintptr_t least = UINTPTR_MAX, most = 0;
        for (uint32_t lanes = e.lanes; lanes; lanes &= lanes - 1) {
            const uintptr_t word = e.address[__builtin_ctz(lanes)] / 4;
            least = std::min(least, word);
            most = std::max(most, word);
        }
        // Words that lie so close are of different banks, and mostly they do.
        if (e.kind != Kind::atomic && most - least < BANKS) return 1;
        return passes_of(e, 0, WARP);
    }
    unsigned part = e.size == 8 ? WARP / 2 : WARP / 4, total = 0;
    for (unsigned first = 0; first < WARP; first += 2 * part) {
        bool together = e.kind == Kind::load && (paired(e, first, 2 * part, 1) || paired(e, first, 2 * part, 2));
        total +=
            together ? passes_of(e, first, 2 * part) : passes_of(e, first, part) + passes_of(e, first + part, part);
    }
    return total;
}

static void count_request(wl_sim_counters &c, const Event &e) {
    switch (e.space) {
        case Space::shared:
            c.shared_requests++;
            c.shared_loads += e.kind == Kind::load;
            c.shared_stores += e.kind == Kind::store;
            c.shared_passes += passes(e);
            break;
        case Space::constant:
            c.constant_requests++;
            break;
        case Space::global:
            if (e.kind == Kind::load) {
                c.global_load_requests++;
                c.global_load_sectors += sectors(e);
            } else if (e.kind == Kind::store) {
                c.global_store_requests++;
                c.global_store_sectors += sectors(e);
            } else {
                count_atomic(&c, e);
            }
            break;
        case Space::ignored:
            break;
    }
}

void count_step(Worker *w) {
    for (size_t i = 0; i < w->event_count; i++) {
        Event &e = w->events[i];
        e.settled = nullptr;
        if (e.lanes == 0 || e.space == Space::ignored) continue;
        wl_sim_counters &c = counters_at(w, e.place);
        if (!w->traced) {
            count_request(c, e);
        } else {
            wl_sim_counters own = {};
            count_request(own, e);
            add_counters(&c, own);
            trace_request(w, e, own);
        }
    }
}

} // namespace wl_sim

using namespace wl_sim;

extern "C" void wl_sim_count_lines(void) { counting_lines = true; }

extern "C" wl_sim_line *wl_sim_lines(const char *kernel, size_t *count) {
    static std::set<std::string> &files = *new std::set<std::string>; // whose names are handed out
    std::map<std::pair<std::string, int>, wl_sim_counters> lines;
    std::lock_guard<std::mutex> guard(device_mutex);
    for (const auto &[place, counters] : kernels_places[kernel]) {
        const SourceLine at = source_line(place);
        add_counters(&lines[{at.file, at.line}], counters);
    }
    wl_sim_line *all = lines.empty() ? nullptr : (wl_sim_line *)calloc(lines.size(), sizeof *all);
    *count = 0;
    if (all == nullptr) return nullptr;
    for (const auto &[at, counters] : lines)
        all[(*count)++] = {at.first.empty() ? nullptr : files.insert(at.first).first->c_str(), at.second, counters};
    return all;
}
