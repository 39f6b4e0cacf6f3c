/* Asynchronous copies: the simulated device's half of harness/device/copy_async.h. */
#include "cuda_runtime.h"
#include "sim/internal.h"

using namespace wl_sim;

namespace {

struct Copy {
    void *to;
    Place place;
    uint64_t group;
    unsigned bytes;
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
void wl_sim_copy_async(void *to, const void *from, unsigned bytes, unsigned zeros);
void wl_sim_copy_commit(void);
void wl_sim_copy_wait(unsigned groups);

static void start(void *to, const void *from, unsigned bytes, unsigned zeros, Place place) {
    Worker *w = active;
    Copy copy = {to, place, 0, bytes, {}};
    if (!is_shared(w, (uintptr_t)to)) {
        w->error = "asynchronous copy at " + place_name(copy.place) + " to an address outside shared memory";
        abandon(w);
    }
    const unsigned loaded = bytes - zeros;
    for (unsigned i = 0, size = loaded == bytes ? bytes : 1; i < loaded; i += size) {
        access(w, (uintptr_t)from + i, size, Kind::load, false, copy.place, false);
        memcpy(copy.data + i, (const char *)from + i, size);
    }
    access(w, (uintptr_t)to, bytes, Kind::store, false, copy.place, false);
    memset(to, POISON, bytes);
    Queue &q = queue_of(w);
    copy.group = q.groups;
    q.copies.push_back(copy);
}

void wl_sim_copy_async16(void *to, const void *from) { start(to, from, 16, 0, (Place)__builtin_return_address(0)); }

void wl_sim_copy_async(void *to, const void *from, unsigned bytes, unsigned zeros) {
    const Place place = (Place)__builtin_return_address(0);
    if (bytes == 0 || bytes > 16 || (bytes & (bytes - 1)) || zeros > bytes) {
        active->error = "asynchronous copy at " + place_name(place) + " of " + std::to_string(bytes) +
                        " bytes: a thread copies 4, 8 or 16";
        abandon(active);
    }
    start(to, from, bytes, zeros, place);
}

void wl_sim_copy_commit(void) { queue_of(active).groups++; }

void wl_sim_copy_wait(unsigned groups) {
    Worker *w = active;
    Queue &q = queue_of(w);
    size_t arrived = 0; // copies are in the order of their groups
    for (; arrived < q.copies.size() && q.copies[arrived].group + groups < q.groups; arrived++) {
        const Copy &c = q.copies[arrived];
        arrive(w, (uintptr_t)c.to, c.bytes, c.place);
        memcpy(c.to, c.data, c.bytes);
    }
    q.copies.erase(q.copies.begin(), q.copies.begin() + (ptrdiff_t)arrived);
}
}
