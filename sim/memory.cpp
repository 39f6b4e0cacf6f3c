/* Device memory: what is allocated, freed and registered, and by whom it was written; and a block's shared memory. */
#include "sim/memory.h"

#include <sys/mman.h>
#include <unistd.h>

namespace wl_sim {

// ---------------------------------------------------------------- device memory

constexpr size_t ALIGNMENT = 256, GAP = 256; // cudaMalloc's alignment; what lies between is nobody's
// As long as there are addresses: an index of 32 bits leads nowhere else, nor does a distance of two allocations that is cut to 32 bits.
constexpr size_t WIDE_GAP = (size_t)25 << 30;
constexpr size_t FAR_BYTES = (size_t)1 << 28; // what is larger stays untouched where only a few blocks are run
constexpr size_t MOST_FREED = 64, MOST_FREED_BYTES = (size_t)4 << 20;

std::vector<Allocation> allocations;
uintptr_t arena, arena_end, shared_low, data_low, data_high;
ShadowMap arena_map, data_map;
static std::deque<Freed> freed; // the last ones
static size_t next_serial;
static bool launching; // a variant's `launch` runs
static size_t memory_total;
static std::vector<Registered> registered; // changed between launches only
std::atomic<bool> kernels_share_memory;    // with the host: managed, pinned or registered memory exists

static void make_arena(void) {
    // Half the machine's memory is offered. Every byte that kernels touch costs two to eight more for its tags, so a
    // simulated problem has to stay below that; what is only allocated costs nothing.
    for (const Symbol &s : device_symbols()) data_high = std::max(data_high, s.high);
    data_low = device_symbols().empty() ? 0 : device_symbols()[0].low;
    make_map(&data_map, data_low, data_high - data_low + 1, PAGE_BITS, false);
    moments = (uint64_t *)reserve(ByteTag::MOMENTS * sizeof *moments);
    memory_total = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE) / 2;
    for (size_t size = (size_t)4 << 40; size >= (size_t)64 << 20; size /= 2) {
        void *memory = reserve(size);
        if (memory && make_map(&arena_map, (uintptr_t)memory, size, PAGE_BITS, false)) {
            arena = (uintptr_t)memory;
            arena_end = arena + size;
            memory_total = std::min(memory_total, size);
            shared_low = arena_end - size / 8;
            heap_place(shared_low - size / 8, shared_low);
            close_device_memory();
            return;
        }
        if (memory) munmap(memory, size);
    }
}

static void make_arena_once(void) {
    static std::once_flag once;
    std::call_once(once, make_arena);
}

const Symbol *containing(const std::vector<Symbol> &all, uintptr_t address) {
    auto after =
        std::upper_bound(all.begin(), all.end(), address, [](uintptr_t a, const Symbol &s) { return a < s.low; });
    return after != all.begin() && address < after[-1].high ? &after[-1] : nullptr;
}

static size_t memory_used(void) {
    size_t used = 0;
    for (const Allocation &a : allocations) used += a.home == Home::host ? 0 : a.high - a.low;
    return used;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
    make_arena_once();
    std::lock_guard<std::mutex> guard(device_mutex);
    *total_bytes = memory_total;
    *free_bytes = memory_total - std::min(memory_total, memory_used());
    return cudaSuccess;
}

static uintptr_t after(uintptr_t high, size_t gap) { return (high + gap + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

/* The first place for so many bytes with so much room around it, or 0; and the allocation that comes after it. */
static uintptr_t find_room(size_t bytes, size_t gap, Home home, std::vector<Allocation>::iterator *next) {
    uintptr_t low = (home == Home::device ? arena : shared_low) + gap;
    const uintptr_t end = home == Home::device ? heap_low() : arena_end;
    *next = find_allocation(low - 1);
    *next = *next == allocations.end() ? allocations.begin() : *next + 1;
    for (bool moved = true; moved;) {
        moved = false;
        for (; *next != allocations.end() && (*next)->low < low + bytes + gap; ++*next) low = after((*next)->high, gap);
        for (const Freed &f : freed)
            if (f.low < low + bytes + gap && low < f.high + gap) low = after(f.high, gap), moved = true;
    }
    return low + bytes + gap <= end ? low : 0;
}

static size_t allocations_to_come; // until one is refused; 0: none is
static size_t refused_bytes;       // of that one: 0 before it

int allocate(void **pointer, size_t bytes, Home home) {
    const Working here;
    make_arena_once();
    std::lock_guard<std::mutex> guard(device_mutex);
    if (pointer == nullptr) return (cudaError_t)report(cudaErrorInvalidValue);
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    if (launching && home == Home::device)
        complain("device memory is allocated in " + host_place_name(host_place()) +
                 ", while launch runs, which is timed: prepare is there to allocate");
    if (home == Home::device && allocations_to_come > 0 && --allocations_to_come == 0) refused_bytes = bytes;
    if (home == Home::device && refused_bytes > 0 && bytes >= refused_bytes)
        return (cudaError_t)report(cudaErrorMemoryAllocation);
    if (arena == 0 || (!far_blocks && bytes > memory_total - std::min(memory_total, memory_used())))
        return (cudaError_t)report(cudaErrorMemoryAllocation);
    static size_t gap;
    std::vector<Allocation>::iterator place;
    if (allocations.empty()) gap = WIDE_GAP;
    uintptr_t low = find_room(bytes, gap, home, &place);
    for (; low == 0 && gap > GAP; low = find_room(bytes, gap, home, &place)) gap = std::max(GAP, gap / 2 / GAP * GAP);
    if (low == 0) return (cudaError_t)report(cudaErrorMemoryAllocation);
    allocations.insert(place, {low, low + bytes, next_serial++, next_sequence, host_place(), {}, home, false});
    if (home != Home::device) kernels_share_memory = true;
    const RangeWindow window(low, bytes);
    if (!far_blocks || bytes < FAR_BYTES) memset((void *)low, POISON, bytes);
    *pointer = (void *)low;
    return cudaSuccess;
}
cudaError_t wl_allocate(void **pointer, size_t bytes) { return (cudaError_t)allocate(pointer, bytes, Home::device); }

cudaError_t wl_allocate_array(void **pointer, size_t bytes) {
    const cudaError_t error = wl_allocate(pointer, bytes);
    std::lock_guard<std::mutex> guard(device_mutex);
    if (error == cudaSuccess && bytes > 0) find_allocation((uintptr_t)*pointer)->by_handle = true;
    return error;
}

/* Host memory that kernels may use from now on. */
int register_host(uintptr_t address, size_t bytes) {
    make_arena_once();
    std::lock_guard<std::mutex> guard(device_mutex);
    for (const Registered &r : registered)
        if (address < r.high && address + bytes > r.low) return report(cudaErrorHostMemoryAlreadyRegistered);
    ShadowMap map;
    if (!make_map(&map, address, bytes, PAGE_BITS, false)) return report(cudaErrorMemoryAllocation);
    registered.push_back({address, address + bytes, map});
    kernels_share_memory = true;
    return cudaSuccess;
}

int unregister_host(uintptr_t address) {
    std::lock_guard<std::mutex> guard(device_mutex);
    for (size_t i = 0; i < registered.size(); i++) {
        const Registered r = registered[i];
        if (r.low != address) continue;
        free_map(r.map);
        registered.erase(registered.begin() + (ptrdiff_t)i);
        return cudaSuccess;
    }
    return report(cudaErrorHostMemoryNotRegistered);
}

const Registered *find_registered(uintptr_t address) {
    for (const Registered &r : registered)
        if (address >= r.low && address < r.high) return &r;
    return nullptr;
}

std::vector<Allocation>::iterator find_allocation(uintptr_t address) {
    auto after = std::upper_bound(allocations.begin(), allocations.end(), address,
                                  [](uintptr_t a, const Allocation &b) { return a < b.low; });
    return after == allocations.begin() ? allocations.end() : after - 1;
}

const Freed *find_freed(uintptr_t address) {
    for (const Freed &f : freed)
        if (address >= f.low && address < f.high) return &f;
    return nullptr;
}

/* Takes `pointer` from the allocations. The device is not waited for. */
static cudaError_t free_allocation(void *pointer, bool host = false) {
    const Working here;
    std::lock_guard<std::mutex> guard(device_mutex);
    auto at = find_allocation((uintptr_t)pointer);
    if (at == allocations.end() || at->low != (uintptr_t)pointer || (at->home == Home::host) != host) {
        const Freed *f = find_freed((uintptr_t)pointer);
        if (f)
            complain("device memory freed twice: in " + host_place_name(host_place()) + ", and before in " +
                     host_place_name(f->freed) + "; allocated " + memory_place(f->allocated));
        else
            complain(std::string(host ? "cudaFreeHost of a pointer that does not come from cudaMallocHost, in "
                                      : "cudaFree of a pointer that does not come from cudaMalloc, in ") +
                     host_place_name(host_place()));
        return (cudaError_t)report(cudaErrorInvalidValue);
    }
    uintptr_t low = (at->low + 4095) / 4096 * 4096, high = at->high / 4096 * 4096;
    if (low < high) madvise((void *)low, high - low, MADV_DONTNEED);
    freed.push_back({at->low, at->high, at->place, host_place()});
    allocations.erase(at);
    size_t bytes = 0;
    for (const Freed &f : freed) bytes += f.high - f.low;
    while (freed.size() > MOST_FREED || (bytes > MOST_FREED_BYTES && freed.size() > 1)) {
        bytes -= freed.front().high - freed.front().low;
        freed.pop_front();
    }
    return cudaSuccess;
}

cudaError_t cudaFree(void *pointer) {
    if (pointer == nullptr) return cudaSuccess;
    wait_for_all();
    return free_allocation(pointer);
}

cudaError_t cudaFreeHost(void *pointer) {
    if (pointer == nullptr) return cudaSuccess;
    wait_for_all(); // as cudaFree
    return free_allocation(pointer, true);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
    if (pointer == nullptr) return cudaSuccess;
    Operation o = queue_operation(stream, "cudaFreeAsync");
    uintptr_t low = (uintptr_t)pointer, high = low;
    {
        std::lock_guard<std::mutex> guard(device_mutex);
        auto at = find_allocation(low);
        if (at != allocations.end()) high = at->high;
    }
    o.ranges.push_back({low, high, true});
    const std::string race = refuse_stream_race(o);
    if (!race.empty()) complain(race);
    return free_allocation(pointer);
}

size_t allocation_count(void) { return next_serial; }

std::string first_leak(size_t since) {
    std::lock_guard<std::mutex> guard(device_mutex);
    const Allocation *first = nullptr;
    size_t bytes = 0, count = 0;
    for (const Allocation &a : allocations) {
        if (a.serial < since || a.home == Home::host) continue;
        if (first == nullptr || a.serial < first->serial) first = &a;
        bytes += a.high - a.low;
        count++;
    }
    if (first == nullptr) return "";
    return "device memory that is never freed: " + std::to_string(bytes) + " bytes in " + std::to_string(count) +
           (count == 1 ? " allocation, made " : " allocations, the first made ") + memory_place(first->place);
}

void fill_memory(uintptr_t address, int value, size_t bytes) {
    const Working here;
    const uintptr_t low = (address + 4095) / 4096 * 4096, high = (address + bytes) / 4096 * 4096;
    if (!far_blocks || bytes < FAR_BYTES || value != 0) {
        memset((void *)address, value, bytes);
        return;
    }
    madvise((void *)low, high - low, MADV_DONTNEED); // which then holds 0
    memset((void *)address, 0, low - address);
    memset((void *)high, 0, address + bytes - high);
}

void note_written(uintptr_t address, size_t bytes) {
    std::lock_guard<std::mutex> guard(device_mutex);
    auto at = find_allocation(address);
    if (at == allocations.end() || address >= at->high) return;
    std::vector<Interval> &all = at->written;
    Interval merged = {address, address + bytes};
    auto first = std::lower_bound(all.begin(), all.end(), merged.first,
                                  [](const Interval &i, uintptr_t a) { return i.second < a; });
    auto last = first;
    for (; last != all.end() && last->first <= merged.second; ++last)
        merged = {std::min(merged.first, last->first), std::max(merged.second, last->second)};
    all.insert(all.erase(first, last), merged);
}

void forget_tags(void) {
    if (arena == 0) return;
    forget_map(arena_map);
    forget_map(data_map);
    for (const Registered &r : registered) forget_map(r.map);
    forget_moments();
    for (Allocation &a : allocations) { // nobody knows any more what kernels have written
        a.first_sequence = 0;
        a.written = {{a.low, a.high}};
    }
}

/* Is [address, address + bytes) device memory? For cudaMemcpy and cudaMemset. */
bool is_device(uintptr_t address, size_t bytes) {
    std::lock_guard<std::mutex> guard(device_mutex);
    auto at = find_allocation(address);
    if (at != allocations.end() && at->home != Home::host && address + bytes <= at->high) return true;
    const Symbol *s = containing(device_symbols(), address);
    if (s && address + bytes <= s->high) return true;
    return address >= (uintptr_t)__start_wl_constant && address + bytes <= (uintptr_t)__stop_wl_constant;
}

/* Does `address` come from cudaMalloc? */
bool is_allocated(uintptr_t address) {
    std::lock_guard<std::mutex> guard(device_mutex);
    auto at = find_allocation(address);
    return at != allocations.end() && address < at->high && at->home == Home::device;
}

bool find_home(uintptr_t address, Home *home, uintptr_t *low) {
    std::lock_guard<std::mutex> guard(device_mutex);
    auto at = find_allocation(address);
    if (at != allocations.end() && address < at->high) return *home = at->home, *low = at->low, true;
    const Registered *r = find_registered(address);
    if (r) return *home = Home::host, *low = r->low, true;
    const Symbol *s = containing(device_symbols(), address);
    if (s) return *home = Home::device, *low = s->low, true;
    return false;
}

// ---------------------------------------------------------------- shared memory

char *(*dynamic_array)(void);

size_t static_shared_bytes(const Owner &owner) {
    size_t bytes = 0;
    for (const Symbol &s : shared_symbols())
        if (s.owner == owner) bytes += s.high - s.low;
    return bytes;
}

/* The kernel's own, and those of functions in its file: all but other kernels, as far as those have been launched. */
void find_shared(Launch *launch) {
    static std::vector<Owner> kernels; // under device_mutex
    if (std::find(kernels.begin(), kernels.end(), launch->owner) == kernels.end()) kernels.push_back(launch->owner);
    for (const Symbol &s : shared_symbols()) {
        const bool near = s.owner.file == launch->owner.file || s.owner.file == 0 || launch->owner.file == 0;
        if (s.owner == launch->owner || (near && std::find(kernels.begin(), kernels.end(), s.owner) == kernels.end()))
            launch->shared.push_back(s);
    }
}

size_t constant_bytes(const Owner &owner) {
    size_t bytes = 0;
    for (const Symbol &s : device_symbols())
        if (s.low >= (uintptr_t)__start_wl_constant && s.high <= (uintptr_t)__stop_wl_constant &&
            s.owner.file == owner.file)
            bytes += s.high - s.low;
    return bytes;
}

void attach_memory(Worker *w) {
    make_arena_once();
    start_moments(w->launch);
    uintptr_t base = thread_local_base();
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (const Symbol &s : shared_symbols()) {
        low = std::min(low, base + s.low);
        high = std::max(high, base + s.high);
    }
    w->static_low = high ? low : 0;
    w->static_high = high;
    if (dynamic_array) w->dynamic_shared = dynamic_array(); // of this host thread
    if (w->dynamic_map.bytes == 0) {
        char *memory = dynamic_array ? nullptr : (char *)reserve(SHARED_LIMIT + 2 * NOBODYS);
        if (memory) w->dynamic_shared = memory + NOBODYS;
        // The host thread that a worker has may be another one each time, and its memory begin elsewhere in a page.
        constexpr size_t PAGE = (size_t)1 << SHARED_PAGE_BITS;
        make_map(&w->dynamic_map, 0, SHARED_LIMIT + PAGE, SHARED_PAGE_BITS, true);
        make_map(&w->static_map, 0, (high ? high - low : 0) + PAGE, SHARED_PAGE_BITS, true);
    }
    w->dynamic_map.low = (uintptr_t)w->dynamic_shared >> SHARED_PAGE_BITS << SHARED_PAGE_BITS;
    w->static_map.low = w->static_low >> SHARED_PAGE_BITS << SHARED_PAGE_BITS;
    // Blocks of another launch have other sequence numbers, so no tag counts any more, and words can do again.
    for (const ShadowMap *map : {&w->dynamic_map, &w->static_map})
        memset(map->states, ShadowMap::by_word, (map->bytes >> SHARED_PAGE_BITS) + 1);
    w->poisoned.assign(w->launch->shared.size(), 0);
}

void start_block_memory(Worker *w) {
    w->unseen = false;
    w->unwritten.clear();
    if (w->launch->dynamic_bytes) memset(w->dynamic_shared, POISON, w->launch->dynamic_bytes);
}

void forget_shared_tags(Worker *w) {
    if (w->dynamic_map.bytes) forget_map(w->dynamic_map);
    if (w->static_map.bytes) forget_map(w->static_map);
    std::fill(w->poisoned.begin(), w->poisoned.end(), 0);
    memset(w->numbered, 0, sizeof w->numbered);
}

// ---------------------------------------------------------------- what memory holds

/* All that the host or a kernel can have written. */
static std::vector<Interval> contents(void) {
    std::vector<Interval> all;
    for (const Allocation &a : allocations) all.push_back({a.low, a.high});
    for (const Symbol &s : device_symbols()) all.push_back({s.low, s.high});
    return all;
}

} // namespace wl_sim

using namespace wl_sim;

extern "C" int wl_sim_refuse_allocation(size_t number) {
    allocations_to_come = number;
    return std::exchange(refused_bytes, 0) > 0;
}

extern "C" void wl_sim_launching(int on) { launching = on != 0; }

extern "C" uint64_t wl_sim_memory_hash(void) {
    const DeviceWindow window;
    std::lock_guard<std::mutex> guard(device_mutex);
    constexpr uint64_t FACTOR = 0x9E3779B97F4A7C15;
    const Working here;
    uint64_t hash = 0;
    for (const Interval &i : contents()) {
        hash = (hash ^ i.first) * FACTOR;
        for (uintptr_t at = i.first; at < i.second; at += 8) {
            uint64_t word = 0;
            memcpy(&word, (const void *)at, std::min<size_t>(8, i.second - at));
            hash = (hash ^ word) * FACTOR;
            hash ^= hash >> 29;
        }
    }
    return hash;
}

extern "C" int wl_sim_memory_holds(const void *bytes, size_t count) {
    const DeviceWindow window;
    const Working here;
    std::lock_guard<std::mutex> guard(device_mutex);
    for (const Interval &i : contents())
        if (memmem((const void *)i.first, i.second - i.first, bytes, count)) return 1;
    return 0;
}

struct wl_sim_image {
    std::vector<std::pair<uintptr_t, std::string>> parts; // where each began, and its bytes
};

extern "C" wl_sim_image *wl_sim_image_take(void) {
    const DeviceWindow window;
    const Working here;
    std::lock_guard<std::mutex> guard(device_mutex);
    auto *image = new wl_sim_image;
    std::vector<Allocation> made = allocations;
    std::sort(made.begin(), made.end(), [](const Allocation &a, const Allocation &b) { return a.serial < b.serial; });
    for (const Symbol &s : device_symbols()) // others are the host's, or the compiler's
        if (is_in_section(s.low)) image->parts.push_back({s.low, {(const char *)s.low, s.high - s.low}});
    for (const Allocation &a : made) image->parts.push_back({a.low, {(const char *)a.low, a.high - a.low}});
    return image;
}

extern "C" void wl_sim_image_free(wl_sim_image *image) { delete image; }

extern "C" void wl_sim_image_mix(const wl_sim_image *image, const wl_sim_image *other, uint64_t seed) {
    constexpr size_t WORD = 8;
    constexpr uint64_t FACTOR = 0x9E3779B97F4A7C15;
    const DeviceWindow window;
    const Working here;
    std::lock_guard<std::mutex> guard(device_mutex);
    for (size_t i = 0; i < image->parts.size(); i++) {
        std::string mixed = image->parts[i].second;
        const std::string &from = i < other->parts.size() ? other->parts[i].second : mixed;
        for (size_t at = 0; at < std::min(mixed.size(), from.size()); at += WORD) {
            const size_t bytes = std::min(WORD, std::min(mixed.size(), from.size()) - at);
            uint64_t word = 0;
            memcpy(&word, &from[at], bytes);
            const bool is_address = word >= arena && word < arena_end;
            uint64_t chance = (seed ^ (i * FACTOR + at)) * FACTOR;
            chance = (chance ^ chance >> 32) * FACTOR;
            if (chance >> 63 && !is_address) memcpy(&mixed[at], &word, bytes);
        }
        memcpy((void *)image->parts[i].first, mixed.data(), mixed.size());
    }
}
