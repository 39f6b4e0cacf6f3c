/* What the threads of a warp or block do together: barriers, shuffles, votes, reductions. A lane that calls one leaves
   its values in its Lane and waits; when all whom the call names have come, the scheduler works it out. */
#include <algorithm>

#include "cuda_runtime.h"
#include "sim/internal.h"

namespace wl_sim {

static const char *operation_name(const Lane &lane) { return lane.name; }

static uint64_t reduce(int operation, uint64_t a, uint64_t b) {
    switch (operation) {
        case WL_SIM_REDUCE_ADD:
            return (uint32_t)(a + b);
        case WL_SIM_REDUCE_MIN_S:
            return (int32_t)a < (int32_t)b ? a : b;
        case WL_SIM_REDUCE_MAX_S:
            return (int32_t)a > (int32_t)b ? a : b;
        case WL_SIM_REDUCE_MIN_U:
            return a < b ? a : b;
        case WL_SIM_REDUCE_MAX_U:
            return a > b ? a : b;
        case WL_SIM_REDUCE_AND:
            return a & b;
        case WL_SIM_REDUCE_OR:
            return a | b;
        default:
            return a ^ b;
    }
}

static std::string at(const Lane &lane) { return short_path(lane.file) + ":" + std::to_string(lane.line); }

/* A shuffle gives what nobody has handed in. It may never be used, so it is told as a load of uninitialised memory is. */
static void note_absent(Worker *w, const Lane *lanes, unsigned lane) {
    w->unwritten_thread = (unsigned)(&lanes[lane] - w->lanes);
    w->unwritten = std::string(lanes[lane].name) + " at " + at(lanes[lane]) + " takes the value of lane " +
                   std::to_string(lanes[lane].source) + ", which takes no part: it is undefined";
}

/* All `present` lanes of a call are here: give each its result. */
static void complete(Worker *w, Lane *lanes, uint32_t present) {
    unsigned first = (unsigned)__builtin_ctz(present);
    int operation = lanes[first].operation;
    uint32_t votes = 0;
    bool all_equal = true;
    uint64_t sum = lanes[first].value;
    for (unsigned l = 0; l < WARP; l++) {
        if (!(present >> l & 1)) continue;
        if (lanes[l].value) votes |= 1u << l;
        all_equal = all_equal && lanes[l].value == lanes[first].value;
        if (l != first && operation >= WL_SIM_REDUCE_ADD && operation <= WL_SIM_REDUCE_XOR)
            sum = reduce(operation, sum, lanes[l].value);
    }
    for (unsigned l = 0; l < WARP; l++) {
        if (!(present >> l & 1)) continue;
        Lane &lane = lanes[l];
        switch (operation) {
            case WL_SIM_SHUFFLE: // what a lane that takes no part gives is undefined
                memset(&lane.result, POISON, sizeof lane.result);
                if (present >> lane.source & 1)
                    lane.result = lanes[lane.source].value;
                else if (w->unwritten.empty())
                    note_absent(w, lanes, l);
                break;
            case WL_SIM_BALLOT:
                lane.result = votes;
                break;
            case WL_SIM_ALL:
                lane.result = votes == present;
                break;
            case WL_SIM_ANY:
                lane.result = votes != 0;
                break;
            case WL_SIM_MATCH_ANY: {
                uint32_t equal = 0;
                for (unsigned o = 0; o < WARP; o++)
                    if (present >> o & 1 && lanes[o].value == lane.value) equal |= 1u << o;
                lane.result = equal;
                break;
            }
            case WL_SIM_MATCH_ALL:
                lane.flag = all_equal;
                lane.result = all_equal ? present : 0;
                break;
            case WL_SIM_EXCHANGE:
                for (unsigned o = 0; o < WARP; o++)
                    memcpy((char *)lane.all + o * lane.bytes, lanes[o].data, lane.bytes);
                break;
            default:
                lane.result = sum;
        }
        lane.state = State::ready;
    }
}

void finish_warp_calls(Worker *w, unsigned warp) {
    Lane *lanes = w->lanes + warp * WARP;
    unsigned count = w->threads - warp * WARP < WARP ? w->threads - warp * WARP : WARP;
    uint32_t gone = count == WARP ? 0 : ~0u << count; // lanes that returned, or that the block does not have
    for (unsigned l = 0; l < count; l++)
        if (lanes[l].state == State::done) gone |= 1u << l;
    for (unsigned l = 0; l < count; l++) {
        if (lanes[l].state != State::at_warp_call) continue;
        uint32_t present = 0;
        for (unsigned o = 0; o < count; o++)
            if (lanes[o].state == State::at_warp_call && lanes[o].operation == lanes[l].operation &&
                lanes[o].mask == lanes[l].mask)
                present |= 1u << o;
        if ((lanes[l].mask & ~gone) != (present & lanes[l].mask)) continue;
        if (lanes[l].operation == WL_SIM_EXCHANGE && present != ~0u) continue; // all 32 lanes or none
        // CUDA gives only __syncwarp an order of memory accesses; shuffles, votes and the like have none.
        bool orders = lanes[l].operation == WL_SIM_SYNCWARP;
        const uint32_t called = present & lanes[l].mask;
        complete(w, lanes, called);
        const Place place = place_of(w, warp * WARP + l);
        counters_at(w, place).warp_calls++;
        if (w->traced) trace_together(w, 'w', called, place);
        if (!orders) continue;
        if (++w->warp_epoch[warp] % Tag::WARP_EPOCHS == 0) new_sequence(w);
        w->warp_synced[warp] = w->warp_epoch[warp];
        join_warp_signals(w, warp);
    }
}

static bool same_place(const Lane &a, const Lane &b) {
    return a.line == b.line && (a.file == b.file || strcmp(a.file, b.file) == 0);
}

static bool all_must_come;

extern "C" void wl_sim_barriers_for_all(int on) { all_must_come = on != 0; }

bool finish_barrier(Worker *w) {
    int first = -1, count = 0;
    for (unsigned t = 0; t < w->threads; t++) {
        const Lane &lane = w->lanes[t];
        if (lane.state != State::at_barrier) {
            if (lane.state == State::done) continue;
            return false; // somebody waits at a warp-wide call: explain_stuck says so
        }
        if (first < 0) first = (int)t;
        count += lane.predicate;
        if (!same_place(lane, w->lanes[first])) {
            w->error_thread = t;
            w->error = "diverged barrier: waits at " + at(lane) + " while " + thread_name(w->launch, (unsigned)first) +
                       " waits at " + at(w->lanes[first]) +
                       "; all threads of a block must reach the same __syncthreads";
            return false;
        }
    }
    if (first < 0) return false;
    // Threads that have returned hold nobody back, unless somebody asked for that. But a thread that went round the barrier, did something
    // and then returned was to come.
    for (unsigned t = 0; w->done > 0 && t < w->threads; t++) {
        const Lane &lane = w->lanes[t];
        if (lane.state != State::done || !(lane.went_on || all_must_come)) continue;
        w->error_thread = (unsigned)first;
        w->error = "diverged barrier: waits at " + at(w->lanes[first]) + ", which " + std::to_string(w->done) + " of " +
                   std::to_string(w->threads) + " threads never reach: " + thread_name(w->launch, t) +
                   (lane.went_on ? " went round it and has returned" : " has returned");
        return false;
    }
    for (unsigned t = 0; t < w->threads; t++) {
        if (w->lanes[t].state == State::done) continue;
        w->lanes[t].state = State::ready;
        w->lanes[t].result = (uint64_t)count;
    }
    const Place place = place_of(w, first);
    counters_at(w, place).barriers++;
    if (w->traced) trace_barrier(w, place);
    if (++w->epoch % Tag::EPOCHS == 0) new_sequence(w);
    std::copy(w->warp_epoch, w->warp_epoch + MAX_WARPS, w->warp_synced);
    // What one thread learnt from others, all know now.
    if (std::count(w->learnt, w->learnt + MAX_WARPS, true)) std::fill(w->learnt, w->learnt + MAX_WARPS, true);
    join_block_signals(w);
    return true;
}

void explain_stuck(Worker *w) {
    for (unsigned t = 0; t < w->threads; t++) {
        const Lane &lane = w->lanes[t];
        if (lane.state != State::at_warp_call) continue;
        const Lane *warp = w->lanes + t / WARP * WARP;
        uint32_t here = 0;
        for (unsigned l = 0; l < WARP && t / WARP * WARP + l < w->threads; l++)
            if (warp[l].state == State::at_warp_call && warp[l].operation == lane.operation &&
                warp[l].mask == lane.mask)
                here |= 1u << l;
        w->error_thread = t;
        w->error = std::string(operation_name(lane)) + " at " + at(lane) + " waits for lanes " +
                   lanes_name((lane.operation == WL_SIM_EXCHANGE ? ~0u : lane.mask) & ~here) +
                   " of its warp, which do not come (they returned, or wait elsewhere)";
        return;
    }
    for (unsigned t = 0; t < w->threads; t++) {
        const Lane &lane = w->lanes[t];
        if (lane.state != State::at_mbarrier) continue;
        w->error_thread = t;
        w->error = std::string(operation_name(lane)) + " at " + at(lane);
        if (lane.name == WARPGROUP_PRODUCT)
            w->error += " waits for the other warps of four, which do not come";
        else
            w->error += " waits for a phase of parity " + std::to_string(lane.value) +
                        " that does not end: arrivals or bytes are missing";
        return;
    }
    w->error_thread = 0;
    w->error = "no thread can go on";
}

static uint64_t wait_for_warp(Worker *w, const char *name, const void *place, const void *frame) {
    Lane &lane = w->lanes[w->lane];
    end_store(w);
    lane.name = name;
    w->key[w->lane] = key_of(w, (Place)place, frame);
    lane.state = State::at_warp_call;
    w->arrived = true;
    yield(w);
    return lane.result;
}

} // namespace wl_sim

using namespace wl_sim;

extern "C" {

uint64_t wl_sim_warp(wl_sim_warp_operation operation, unsigned mask, uint64_t value, unsigned source, int *flag,
                     const char *name, const char *file, int line) {
    Worker *w = active;
    Lane &lane = w->lanes[w->lane];
    lane.file = file;
    lane.line = line;
    lane.operation = operation;
    lane.mask = mask;
    lane.value = value;
    lane.source = source % WARP;
    if (!(mask >> w->lane % WARP & 1)) {
        w->error = std::string(name) + " at " + at(lane) + ": lane " + std::to_string(w->lane % WARP) +
                   " is not in the mask it gives";
        abandon(w);
    }
    uint64_t result = wait_for_warp(w, name, __builtin_return_address(0), __builtin_frame_address(0));
    if (flag) *flag = lane.flag;
    return result;
}

void wl_sim_warp_exchange(const void *mine, unsigned long bytes, void *all, const char *file, int line) {
    Worker *w = active;
    Lane &lane = w->lanes[w->lane];
    lane.file = file;
    lane.line = line;
    lane.operation = WL_SIM_EXCHANGE;
    lane.mask = ~0u;
    lane.data = mine;
    lane.all = all;
    lane.bytes = bytes;
    wait_for_warp(w, "a warp-wide matrix product", __builtin_return_address(0), __builtin_frame_address(0));
}

int wl_sim_barrier(int predicate, const char *file, int line) {
    Worker *w = active;
    Lane &lane = w->lanes[w->lane];
    end_store(w);
    lane.predicate = predicate;
    lane.name = "__syncthreads";
    lane.file = file;
    lane.line = line;
    w->key[w->lane] = key_of(w, (Place)__builtin_return_address(0), __builtin_frame_address(0));
    lane.state = State::at_barrier;
    yield(w);
    return (int)lane.result;
}

unsigned wl_sim_active_mask(void) {
    // A GPU promises no lane but the calling one: in a check, the halves of a warp never come together.
    const uint32_t half = active->lane % WARP < WARP / 2 ? 0xffff : 0xffff0000;
    return is_watched() ? active->group & half : active->group;
}

void wl_sim_trap(const char *what, const char *file, int line) {
    active->error = std::string(what) + " at " + short_path(file) + ":" + std::to_string(line);
    abandon(active);
}

} // extern "C"
