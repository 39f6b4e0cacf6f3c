/* The record of what warps do, step by step (wl_sim_trace in sim.h): for figures and for pages. */
#include <algorithm>
#include <cstring>
#include <memory>
#include <set>

#include "sim/memory.h"
#include "sim/pointers.h"

namespace wl_sim {

/* An array that was accessed, before it gets a name: to find one takes milliseconds. */
struct Array {
    char space;
    size_t serial;          // of an allocation, from 1; 0: something else
    Symbol symbol;          // of a variable: high is not 0
    uintptr_t low, high;    // as the thread saw it that came first
    HostPlace place;        // of an allocation
    const void *kernel;     // that accessed it first
    const char *other_name; // of what is neither
    bool same(const Array &a) const {
        if (space != a.space || serial != a.serial || symbol.high != a.symbol.high) return false;
        return serial || (symbol.high ? symbol.low == a.symbol.low : low == a.low && high == a.high);
    }
};

static struct {
    bool on, of_one_block;
    uint3 block;
    size_t most, launches_before;
    uint64_t left_out;
    std::vector<wl_sim_trace_event> events;
    std::vector<Array> arrays;
} made;
static std::mutex naming; // of made.arrays

bool is_traced(const uint3 &block) {
    return made.on &&
           (!made.of_one_block || (block.x == made.block.x && block.y == made.block.y && block.z == made.block.z));
}

static size_t launch_count(void) {
    size_t count;
    wl_sim_launches(&count);
    return count;
}

static size_t room(void) { return made.most - std::min(made.most, made.events.size()); }

/* The event to be filled in; null where there is no room. One more is kept than there is room for: it tells which block is cut. */
static wl_sim_trace_event *new_event(Worker *w, char kind, uint32_t lanes, Place place) {
    w->trace_seen++;
    if (w->trace.size() > room()) return nullptr;
    w->trace.emplace_back();
    wl_sim_trace_event &event = w->trace.back();
    const dim3 g = w->launch->grid;
    event.block = w->block.x + (uint64_t)g.x * (w->block.y + (uint64_t)g.y * w->block.z);
    event.warp = w->warp;
    event.kind = kind;
    event.lanes = event.alive = lanes;
    event.place = place;
    for (unsigned l = 0; l < WARP && w->warp * WARP + l < w->threads; l++)
        if (w->lanes[w->warp * WARP + l].state != State::done) event.alive |= 1u << l;
    return &event;
}

void trace_together(Worker *w, char kind, uint32_t lanes, Place place) { new_event(w, kind, lanes, place); }

void trace_barrier(Worker *w, Place place) {
    for (w->warp = 0; w->warp < w->warps; w->warp++) {
        const unsigned lanes = std::min(WARP, w->threads - w->warp * WARP);
        trace_together(w, 'b', lanes == WARP ? ~0u : (1u << lanes) - 1, place);
    }
}

static Array array_of(const Worker *w, const Event &e, uintptr_t address) {
    Array a = {
        e.space == Space::shared ? 's' : e.space == Space::constant ? 'c' : 'g', 0, {}, e.low, e.high, {}, {}, ""};
    a.kernel = w->launch->kernel;
    const bool is_shared = e.space == Space::shared;
    const uintptr_t base = is_shared ? thread_local_base() : 0;
    if (const Symbol *s = containing(is_shared ? w->launch->shared : device_symbols(), address - base)) {
        a.symbol = *s;
        a.low = base + s->low;
        a.high = base + s->high;
        return a;
    }
    const auto at = e.space == Space::global ? find_allocation(address) : allocations.end();
    if (at != allocations.end() && address < at->high) {
        a.serial = at->serial + 1;
        a.low = at->low;
        a.high = at->high;
        a.place = at->place;
        return a;
    }
    if (is_shared) a.low = (uintptr_t)w->dynamic_shared, a.high = a.low + w->launch->dynamic_bytes;
    a.other_name = is_shared ? "dynamic shared memory" : heap_holds(address) ? "malloc in a kernel" : "host memory";
    return a;
}

static uint32_t number_of(const Array &array) {
    std::lock_guard<std::mutex> guard(naming);
    for (size_t i = 0; i < made.arrays.size(); i++)
        if (made.arrays[i].same(array)) return (uint32_t)i;
    made.arrays.push_back(array);
    return (uint32_t)made.arrays.size() - 1;
}

void trace_request(Worker *w, const Event &e, const wl_sim_counters &own) {
    const char kind = e.kind == Kind::load ? 'l' : e.kind == Kind::store ? 's' : 'a';
    wl_sim_trace_event *event = new_event(w, kind, e.lanes, e.place);
    if (event == nullptr) return;
    const Array array = array_of(w, e, e.address[__builtin_ctz(e.lanes)]);
    event->memory = number_of(array);
    event->size = e.size;
    event->sectors = (uint32_t)(own.global_load_sectors + own.global_store_sectors + own.atomic_addresses);
    event->passes = (uint32_t)own.shared_passes;
    for (uint32_t lanes = e.lanes; lanes; lanes &= lanes - 1) {
        const unsigned l = (unsigned)__builtin_ctz(lanes);
        event->offset[l] = (int64_t)(e.address[l] - array.low);
    }
}

void trace_bulk(Worker *w, uintptr_t address, unsigned bytes, unsigned sectors, Place place) {
    wl_sim_trace_event *event = new_event(w, 'l', 1u << w->lane % WARP, place);
    if (event == nullptr) return;
    Event e = {};
    e.space = Space::global;
    const Array array = array_of(w, e, address);
    event->memory = number_of(array);
    event->size = bytes;
    event->sectors = sectors;
    event->offset[w->lane % WARP] = (int64_t)(address - array.low);
}

void gather_trace(const std::vector<std::unique_ptr<Worker>> &workers, int count) {
    if (!made.on) return;
    std::vector<wl_sim_trace_event> all;
    uint64_t seen = 0;
    for (int i = 0; i < count; i++) {
        all.insert(all.end(), workers[i]->trace.begin(), workers[i]->trace.end());
        seen += workers[i]->trace_seen;
        workers[i]->trace.clear();
        workers[i]->trace.shrink_to_fit();
    }
    // Each worker's blocks rise, so the first events of all are among those that each has kept.
    std::stable_sort(all.begin(), all.end(),
                     [](const wl_sim_trace_event &a, const wl_sim_trace_event &b) { return a.block < b.block; });
    size_t kept = all.size();
    if (kept > room()) {
        kept = room();
        size_t start = kept;
        while (start > 0 && all[start - 1].block == all[kept].block) start--;
        if (start > 0 || !made.events.empty()) kept = start;
    }
    made.left_out += seen - kept;
    for (size_t i = 0; i < kept; i++) {
        all[i].launch = (uint32_t)(launch_count() - made.launches_before);
        made.events.push_back(all[i]);
    }
}

static wl_sim_memory named(const Array &a) {
    wl_sim_memory m = {};
    m.space = a.space;
    m.phase = (unsigned)(a.low % 128);
    m.bytes = a.high - a.low;
    const std::string name =
        a.serial         ? host_place_name(a.place)
        : !a.symbol.high ? a.other_name
        : a.space == 's'
            ? element_at(a.symbol, a.kernel, 0).variable
            : readable(Owner{a.symbol.name.compare(0, 2, "_Z") ? a.symbol.name : a.symbol.name.substr(2), 0});
    snprintf(m.name, sizeof m.name, "%s", name.c_str());
    return m;
}

/* Allocations get the names that the kernel has for them, where a line says which of its pointers it goes through. */
static void name_as_kernels_do(const std::vector<wl_sim_trace_event> &events, std::vector<wl_sim_memory> *memories) {
    std::set<std::pair<uint32_t, const void *>> tried;
    std::set<uint32_t> done;
    for (const wl_sim_trace_event &e : events) {
        if (!strchr("lsa", e.kind) || (*memories)[e.memory].space != 'g' || !strchr((*memories)[e.memory].name, ':') ||
            done.count(e.memory) || !tried.emplace(e.memory, e.place).second)
            continue;
        const std::string name = pointer_name(source_line((Place)e.place));
        if (name.empty()) continue;
        snprintf((*memories)[e.memory].name, sizeof(*memories)[e.memory].name, "%s", name.c_str());
        done.insert(e.memory);
    }
}

} // namespace wl_sim

using namespace wl_sim;

/* A copy that C can free. */
template <class T> static T *copied(const T *from, size_t count) {
    T *to = count ? (T *)malloc(count * sizeof *to) : nullptr;
    if (to) memcpy(to, from, count * sizeof *to);
    return to;
}

extern "C" {

void wl_sim_trace_begin(const unsigned *block, size_t most) {
    made.on = true;
    made.of_one_block = block != nullptr;
    if (block) made.block = {block[0], block[1], block[2]};
    made.most = most;
    made.left_out = 0;
    made.launches_before = launch_count();
    made.events.clear();
    made.arrays.clear();
}

void wl_sim_trace_end(wl_sim_trace *trace) {
    made.on = false;
    std::vector<wl_sim_memory> memories;
    for (const Array &a : made.arrays) memories.push_back(named(a));
    name_as_kernels_do(made.events, &memories);
    size_t launches;
    const wl_sim_launch *all = wl_sim_launches(&launches);
    *trace = {};
    trace->events = copied(made.events.data(), made.events.size());
    trace->memories = copied(memories.data(), memories.size());
    trace->launches = copied(all + made.launches_before, launches - made.launches_before);
    trace->count = trace->events ? made.events.size() : 0;
    trace->memory_count = trace->memories ? memories.size() : 0;
    trace->launch_count = trace->launches ? launches - made.launches_before : 0;
    trace->left_out = made.left_out;
    made.events = {};
    made.arrays = {};
}

void wl_sim_trace_free(wl_sim_trace *trace) {
    free(trace->events);
    free(trace->memories);
    free(trace->launches);
    *trace = {};
}

} // extern "C"
