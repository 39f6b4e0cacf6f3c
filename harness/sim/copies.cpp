/* Asynchronous copies: the simulated device's half of harness/device/copy_async.h. */
#include "cuda_runtime.h"
#include "harness/sim/internal.h"

using namespace wl_sim;

namespace {

struct Copy {
    void *to;
    Place place;
    uint64_t group;
    unsigned char data[16];
};
/* A thread's. What it has not waited for when its block ends has nobody left to see it. */
struct Queue {
    uint64_t block, groups; // groups committed
    std::vector<Copy> copies;
};
thread_local std::vector<Queue> queues; // by thread of the block

Queue &queue_of(const Worker *w) {
    const uint64_t block = w->launch->first_sequence + w->block_linear;
    if (queues.size() <= w->lane) queues.resize(w->threads);
    Queue &q = queues[w->lane];
    if (q.block != block) {
        q.block = block;
        q.groups = 0;
        q.copies.clear();
    }
    return q;
}

bool is_shared(const Worker *w, uintptr_t address) {
    const uintptr_t dynamic = (uintptr_t)w->dynamic_shared;
    return (address >= w->static_low && address < w->static_high) ||
           (address >= dynamic && address < dynamic + SHARED_LIMIT);
}

} // namespace

extern "C" {

void wl_sim_copy_async16(void *to, const void *from);
void wl_sim_copy_commit(void);
void wl_sim_copy_wait(unsigned groups);

void wl_sim_copy_async16(void *to, const void *from) {
    Worker *w = active;
    Copy copy = {to, (Place)__builtin_return_address(0), 0, {}};
    if (!is_shared(w, (uintptr_t)to)) {
        w->error = "asynchronous copy at " + place_name(copy.place) + " to an address outside shared memory";
        abandon(w);
    }
    access(w, (uintptr_t)from, sizeof copy.data, Kind::load, false, copy.place, false);
    access(w, (uintptr_t)to, sizeof copy.data, Kind::store, false, copy.place, false);
    memcpy(copy.data, from, sizeof copy.data);
    memset(to, POISON, sizeof copy.data);
    Queue &q = queue_of(w);
    copy.group = q.groups;
    q.copies.push_back(copy);
}

void wl_sim_copy_commit(void) { queue_of(active).groups++; }

void wl_sim_copy_wait(unsigned groups) {
    Worker *w = active;
    Queue &q = queue_of(w);
    size_t arrived = 0; // copies are in the order of their groups
    for (; arrived < q.copies.size() && q.copies[arrived].group + groups < q.groups; arrived++) {
        const Copy &c = q.copies[arrived];
        arrive(w, (uintptr_t)c.to, sizeof c.data, c.place);
        memcpy(c.to, c.data, sizeof c.data);
    }
    q.copies.erase(q.copies.begin(), q.copies.begin() + (ptrdiff_t)arrived);
}
}
