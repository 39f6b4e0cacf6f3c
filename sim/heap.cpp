/* malloc, free, new and delete in kernels use a heap in device memory. It is as large as
   cudaLimitMallocHeapSize says. Each block that malloc gives is an allocation of its own, so an
   access beside it is refused. memcpy and the like count as a loop over words does. In kernel files,
   cmake/symbol-table.sh puts these functions in place of the C library's. Host code in such a file
   goes on to the latter. */
#include <algorithm>
#include <deque>
#include <map>
#include <new>
#include <unordered_map>

#include "cuda_runtime.h"
#include "sim/internal.h"

using namespace wl_sim;

namespace {

constexpr size_t ALIGNMENT = 16, GAP = 64; // what lies between blocks is nobody's
constexpr size_t DEFAULT_BYTES = (size_t)8 << 20;
constexpr size_t KEPT = (size_t)1 << 20; // freed memory that nobody gets again yet: whoever goes on using it is told

struct HeapBlock {
    uintptr_t high;
    Place place; // of the malloc; of the free, once freed
};
std::mutex mutex; // of all that follows
std::map<uintptr_t, HeapBlock> blocks, freed;
std::deque<uintptr_t> kept;                                // of `freed`, in the order of their ends
std::unordered_map<size_t, std::vector<uintptr_t>> vacant; // places that may be given again, by their room
size_t kept_bytes;
uintptr_t first, last, top; // the heap's place, and where it has never been used
size_t limit = DEFAULT_BYTES, used;

size_t room_of(size_t bytes) { return (bytes + GAP + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

void *give(size_t bytes, Place place) {
    std::lock_guard<std::mutex> guard(mutex);
    bytes = std::max<size_t>(bytes, 1);
    if (first == 0 || bytes > limit || used > limit - bytes) return nullptr;
    const size_t room = room_of(bytes);
    uintptr_t low = top;
    auto at = vacant.find(room);
    if (at != vacant.end() && !at->second.empty()) {
        low = at->second.back();
        at->second.pop_back();
        freed.erase(low);
        forget_range(low, bytes);
    } else if (top + room > last) {
        return nullptr;
    } else {
        top += room;
    }
    used += bytes;
    blocks[low] = {low + bytes, place};
    memset((void *)low, POISON, bytes);
    return (void *)low;
}

/* Takes a block back. Returns what is wrong, "" if nothing is. */
std::string take(uintptr_t address, Place place) {
    std::lock_guard<std::mutex> guard(mutex);
    auto at = blocks.find(address);
    if (at == blocks.end()) {
        auto before = freed.find(address);
        return before == freed.end() ? "which malloc has not given in a kernel"
                                     : "which was freed before at " + place_name(before->second.place);
    }
    used -= at->second.high - address;
    freed[address] = {at->second.high, place};
    kept.push_back(address);
    kept_bytes += at->second.high - address;
    blocks.erase(at);
    for (; kept_bytes > KEPT; kept.pop_front()) {
        const size_t bytes = freed[kept.front()].high - kept.front();
        kept_bytes -= bytes;
        vacant[room_of(bytes)].push_back(kept.front());
    }
    return "";
}

void give_back(void *pointer, const char *name, Place place) {
    if (pointer == nullptr) return;
    const bool ours = heap_holds((uintptr_t)pointer);
    if (!active && !ours) return free(pointer);
    Worker *w = active;
    uintptr_t low, high;
    if (w && heap_block((uintptr_t)pointer, &low, &high)) // it races with those who still use it
        access_uncounted(w, (uintptr_t)pointer, 1, Kind::store, place);
    const std::string wrong = ours && w ? take((uintptr_t)pointer, place)
                              : ours    ? "which belongs to kernels"
                                        : "which is no memory of a kernel's heap";
    if (wrong.empty()) return;
    const std::string message = std::string(name) + " at " + place_name(place) + " of memory " + wrong;
    if (w == nullptr) return complain(message);
    w->error = message;
    abandon(w);
}

void *obtain(size_t bytes, Place place) { return active ? give(bytes, place) : malloc(bytes); }

/* In a kernel new gives null where a host would throw. */
void *obtain_object(size_t bytes, Place place) { return active ? give(bytes, place) : ::operator new(bytes); }

} // namespace

namespace wl_sim {

void heap_place(uintptr_t low, uintptr_t high) {
    std::lock_guard<std::mutex> guard(mutex);
    first = top = low;
    last = high;
}
uintptr_t heap_low(void) { return first; }
bool heap_holds(uintptr_t address) { return address >= first && address < last; }

bool heap_block(uintptr_t address, uintptr_t *low, uintptr_t *high) {
    if (!heap_holds(address)) return false;
    std::lock_guard<std::mutex> guard(mutex);
    auto after = blocks.upper_bound(address);
    if (after == blocks.begin()) return false;
    --after;
    *low = after->first;
    *high = after->second.high;
    return address < *high;
}

size_t heap_limit(void) { return limit; }
void set_heap_limit(size_t bytes) { limit = bytes; }

} // namespace wl_sim

#define WL_HERE ((Place)__builtin_return_address(0))

extern "C" {
void *wl_sim_memcpy(void *to, const void *from, size_t bytes);
void *wl_sim_memmove(void *to, const void *from, size_t bytes);
void *wl_sim_memset(void *to, int value, size_t bytes);
int wl_sim_memcmp(const void *a, const void *b, size_t bytes);

static void check(const void *memory, size_t bytes, Kind kind, Place place) {
    if (active == nullptr || bytes == 0) return;
    refuse_beyond(active, (uintptr_t)memory, bytes, kind, place);
    access_range(active, (uintptr_t)memory, bytes, kind, place);
}
int wl_sim_memcmp(const void *a, const void *b, size_t bytes) {
    check(a, bytes, Kind::load, WL_HERE);
    check(b, bytes, Kind::load, WL_HERE);
    return memcmp(a, b, bytes);
}
void *wl_sim_memcpy(void *to, const void *from, size_t bytes) {
    check(from, bytes, Kind::load, WL_HERE);
    check(to, bytes, Kind::store, WL_HERE);
    return memcpy(to, from, bytes);
}
void *wl_sim_memmove(void *to, const void *from, size_t bytes) {
    check(from, bytes, Kind::load, WL_HERE);
    check(to, bytes, Kind::store, WL_HERE);
    return memmove(to, from, bytes);
}
void *wl_sim_memset(void *to, int value, size_t bytes) {
    check(to, bytes, Kind::store, WL_HERE);
    return memset(to, value, bytes);
}

wl_sim_space wl_sim_space_of(const void *pointer) {
    const Space space = active ? space_of(active, (uintptr_t)pointer) : Space::ignored;
    const wl_sim_space spaces[] = {WL_SIM_GLOBAL, WL_SIM_SHARED, WL_SIM_CONSTANT, WL_SIM_LOCAL};
    return spaces[(int)space];
}

void *wl_sim_malloc(size_t bytes);
void *wl_sim_calloc(size_t count, size_t bytes);
void wl_sim_free(void *pointer);
void *wl_sim_new(size_t bytes);
void wl_sim_delete(void *pointer);
void wl_sim_delete_sized(void *pointer, size_t);
void *wl_sim_new_array(size_t bytes);
void wl_sim_delete_array(void *pointer);
void wl_sim_delete_array_sized(void *pointer, size_t);

void *wl_sim_malloc(size_t bytes) { return obtain(bytes, WL_HERE); }
void *wl_sim_calloc(size_t count, size_t bytes) {
    if (!active) return calloc(count, bytes);
    void *pointer = give(count * bytes, WL_HERE);
    return pointer ? memset(pointer, 0, count * bytes) : nullptr;
}
void wl_sim_free(void *pointer) { give_back(pointer, "free", WL_HERE); }
void *wl_sim_new(size_t bytes) { return obtain_object(bytes, WL_HERE); }
void wl_sim_delete(void *pointer) { give_back(pointer, "delete", WL_HERE); }
void wl_sim_delete_sized(void *pointer, size_t) { give_back(pointer, "delete", WL_HERE); }
void *wl_sim_new_array(size_t bytes) { return obtain_object(bytes, WL_HERE); }
void wl_sim_delete_array(void *pointer) { give_back(pointer, "delete[]", WL_HERE); }
void wl_sim_delete_array_sized(void *pointer, size_t) { give_back(pointer, "delete[]", WL_HERE); }
}
