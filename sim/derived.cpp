/* Which allocations a kernel can reach: those that its arguments, the program's variables and, from there on, memory point to. Whoever gets to
   another one has left an allocation by an index. Allocations lie so far apart that an index of 32 bits does not lead from one to the next,
   so an index of 64 bits between two that a kernel has both is all that is not noticed. */
#include "sim/memory.h"

namespace wl_sim {

/* The allocations that `value` may be a pointer into; into the room around them, too: arrays may be counted from 1. */
static void add_pointed(uintptr_t value, std::vector<uintptr_t> *all) {
    if (value < arena || value >= arena_end) return;
    const auto at = find_allocation(value);
    const auto next = at == allocations.end() ? allocations.begin() : at + 1;
    if (at != allocations.end()) all->push_back(at->low);
    if ((at == allocations.end() || value > at->high) && next != allocations.end()) all->push_back(next->low);
}

/* Pointers at each multiple of `step` bytes. */
static void add_pointers(uintptr_t low, uintptr_t high, size_t step, std::vector<uintptr_t> *all) {
    for (uintptr_t at = low; at + sizeof(uintptr_t) <= high; at += step) {
        uintptr_t value;
        memcpy(&value, (const void *)at, sizeof value);
        add_pointed(value, all);
    }
}

static void sort_out(std::vector<uintptr_t> *all) {
    std::sort(all->begin(), all->end());
    all->erase(std::unique(all->begin(), all->end()), all->end());
}

void find_given(Launch *launch) {
    const uintptr_t arguments = (uintptr_t)launch->arguments;
    add_pointers(arguments, arguments + launch->argument_bytes, 1, &launch->given); // structures may be packed
    sort_out(&launch->given);
}

static bool contains(const std::vector<uintptr_t> &sorted, uintptr_t value) {
    return std::binary_search(sorted.begin(), sorted.end(), value);
}

bool is_derived(const Launch *launch, uintptr_t low) {
    static std::mutex mutex;
    static std::vector<uintptr_t> reached; // through memory, in the launch `of`
    static uint64_t of;
    if (contains(launch->given, low) || find_allocation(low)->by_handle) return true;
    std::lock_guard<std::mutex> guard(mutex);
    if (of == launch->first_sequence && contains(reached, low)) return true;
    of = launch->first_sequence;
    reached = launch->given;
    for (const Symbol &s : device_symbols()) add_pointers((s.low + 7) / 8 * 8, s.high, 8, &reached);
    sort_out(&reached);
    std::vector<uintptr_t> seen;
    for (bool more = true; more && !contains(reached, low);) { // what a kernel has stored counts as well
        more = false;
        std::vector<uintptr_t> next = reached;
        for (const uintptr_t r : reached) {
            const auto at = find_allocation(r);
            if (contains(seen, r) || at == allocations.end()) continue;
            add_pointers(at->low, at->high, 8, &next);
            more = true;
        }
        seen = reached;
        reached = next;
        sort_out(&reached);
    }
    return contains(reached, low);
}

} // namespace wl_sim
