/* Where an access goes, whether it may, and whether it races with another. */
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <mutex>

#include "cuda_runtime.h"
#include "harness/sim/internal.h"

// The linker brackets the section that __constant__ names; weak, since a program may have none.
extern "C" char __start_wl_constant[] __attribute__((weak)), __stop_wl_constant[] __attribute__((weak));

namespace wl_sim {

// ---------------------------------------------------------------- device memory

typedef std::pair<uintptr_t, uintptr_t> Interval;
struct Allocation {
    uintptr_t low, high;
    uint32_t number;
    size_t serial;           // of all allocations of the program
    uint64_t first_sequence; // of the blocks that may have written to it
    HostPlace place;
    std::vector<Interval> written; // by the host; sorted, apart
    Home home;
};
/* Memory that has been freed, and which nobody gets again for a while: whoever uses it is told. */
struct Freed {
    uintptr_t low, high;
    HostPlace allocated, freed;
};
constexpr size_t ALIGNMENT = 256, GAP = 256;  // cudaMalloc's alignment; what lies between is nobody's
constexpr size_t FAR_BYTES = (size_t)1 << 28; // what is larger stays untouched where only a few blocks are run
constexpr size_t MOST_FREED = 64, MOST_FREED_BYTES = (size_t)4 << 20;

static std::vector<Allocation> allocations; // by address; changed between launches only
static std::deque<Freed> freed;             // the last ones
static uint32_t next_number;
static size_t next_serial;
static bool launching;             // a variant's `launch` runs
static uintptr_t arena, arena_end; // the last part of it is the kernels' heap (heap.cpp)
static size_t memory_total;
static Tag *global_write, *global_read; // by byte of the arena; pages nobody touches cost nothing
static uintptr_t data_low, data_high;   // where __device__ variables are: the program's own data
static Tag *data_write, *data_read;
/* Host memory that kernels may use: cudaHostRegister. */
struct Registered {
    uintptr_t low, high;
    Tag *write, *read;
};
static std::vector<Registered> registered; // changed between launches only
std::atomic<bool> kernels_share_memory;    // with the host: managed, pinned or registered memory exists

static void *reserve(size_t bytes) {
    void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? nullptr : p;
}

static void make_arena(void) {
    // Half the machine's memory is offered. Every byte that kernels touch costs sixteen more for its two tags, so a
    // simulated problem has to stay well below that; what is only allocated costs nothing.
    for (const Symbol &s : device_symbols()) data_high = std::max(data_high, s.high);
    data_low = device_symbols().empty() ? 0 : device_symbols()[0].low;
    data_write = (Tag *)reserve((data_high - data_low + 1) * sizeof(Tag));
    data_read = (Tag *)reserve((data_high - data_low + 1) * sizeof(Tag));
    memory_total = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE) / 2;
    for (size_t size = (size_t)64 << 30; size >= (size_t)64 << 20; size /= 2) {
        void *memory = reserve(size), *write = reserve(size * sizeof(Tag)), *read = reserve(size * sizeof(Tag));
        if (memory && write && read) {
            arena = (uintptr_t)memory;
            arena_end = arena + size;
            global_write = (Tag *)write;
            global_read = (Tag *)read;
            memory_total = std::min(memory_total, size);
            heap_place(arena_end - size / 8, arena_end);
            return;
        }
        if (memory) munmap(memory, size);
        if (write) munmap(write, size * sizeof(Tag));
        if (read) munmap(read, size * sizeof(Tag));
    }
}

static void make_arena_once(void) {
    static std::once_flag once;
    std::call_once(once, make_arena);
}

/* The symbol of a sorted list that `address` is in, or null. */
static const Symbol *containing(const std::vector<Symbol> &all, uintptr_t address) {
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

static uintptr_t after(uintptr_t high) { return (high + GAP + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

int allocate(void **pointer, size_t bytes, Home home) {
    make_arena_once();
    std::lock_guard<std::mutex> guard(device_mutex);
    if (pointer == nullptr) return (cudaError_t)report(cudaErrorInvalidValue);
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    if (launching && home == Home::device)
        complain("device memory is allocated in " + host_place_name(host_place()) +
                 ", while launch runs, which is timed: prepare is there to allocate");
    if (arena == 0 || (!far_blocks && bytes > memory_total - std::min(memory_total, memory_used())))
        return (cudaError_t)report(cudaErrorMemoryAllocation);
    uintptr_t low = arena + GAP;
    auto place = allocations.begin(); // the first gap that is wide enough
    for (bool moved = true; moved;) {
        moved = false;
        for (; place != allocations.end() && place->low < low + bytes + GAP; ++place) low = after(place->high);
        for (const Freed &f : freed)
            if (f.low < low + bytes + GAP && low < f.high + GAP) low = after(f.high), moved = true;
    }
    if (low + bytes + GAP > heap_low()) return (cudaError_t)report(cudaErrorMemoryAllocation);
    allocations.insert(place, {low, low + bytes, next_number++, next_serial++, next_sequence, host_place(), {}, home});
    if (home != Home::device) kernels_share_memory = true;
    if (!far_blocks || bytes < FAR_BYTES) memset((void *)low, POISON, bytes);
    *pointer = (void *)low;
    return cudaSuccess;
}
cudaError_t wl_allocate(void **pointer, size_t bytes) { return (cudaError_t)allocate(pointer, bytes, Home::device); }

/* Host memory that kernels may use from now on. */
int register_host(uintptr_t address, size_t bytes) {
    make_arena_once();
    std::lock_guard<std::mutex> guard(device_mutex);
    for (const Registered &r : registered)
        if (address < r.high && address + bytes > r.low) return report(cudaErrorHostMemoryAlreadyRegistered);
    Tag *write = (Tag *)reserve(bytes * sizeof(Tag)), *read = (Tag *)reserve(bytes * sizeof(Tag));
    if (write == nullptr || read == nullptr) return report(cudaErrorMemoryAllocation);
    registered.push_back({address, address + bytes, write, read});
    kernels_share_memory = true;
    return cudaSuccess;
}

int unregister_host(uintptr_t address) {
    std::lock_guard<std::mutex> guard(device_mutex);
    for (size_t i = 0; i < registered.size(); i++) {
        const Registered r = registered[i];
        if (r.low != address) continue;
        munmap(r.write, (r.high - r.low) * sizeof(Tag));
        munmap(r.read, (r.high - r.low) * sizeof(Tag));
        registered.erase(registered.begin() + (ptrdiff_t)i);
        return cudaSuccess;
    }
    return report(cudaErrorHostMemoryNotRegistered);
}

static const Registered *find_registered(uintptr_t address) {
    for (const Registered &r : registered)
        if (address >= r.low && address < r.high) return &r;
    return nullptr;
}

static auto find_allocation(uintptr_t address) {
    auto after = std::upper_bound(allocations.begin(), allocations.end(), address,
                                  [](uintptr_t a, const Allocation &b) { return a < b.low; });
    return after == allocations.begin() ? allocations.end() : after - 1;
}

static const Freed *find_freed(uintptr_t address, size_t margin) {
    for (const Freed &f : freed)
        if (address >= f.low && address < f.high + margin) return &f;
    return nullptr;
}

/* Takes `pointer` from the allocations. The device is not waited for. */
static cudaError_t free_allocation(void *pointer, bool host = false) {
    std::lock_guard<std::mutex> guard(device_mutex);
    auto at = find_allocation((uintptr_t)pointer);
    if (at == allocations.end() || at->low != (uintptr_t)pointer || (at->home == Home::host) != host) {
        const Freed *f = find_freed((uintptr_t)pointer, 0);
        if (f)
            complain("device memory freed twice: in " + host_place_name(host_place()) + ", and before in " +
                     host_place_name(f->freed) + "; allocated in " + host_place_name(f->allocated));
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
           (count == 1 ? " allocation, made in " : " allocations, the first made in ") + host_place_name(first->place);
}

void fill_memory(uintptr_t address, int value, size_t bytes) {
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
    size_t bytes = (arena_end - arena) * sizeof(Tag);
    madvise(global_write, bytes, MADV_DONTNEED);
    madvise(global_read, bytes, MADV_DONTNEED);
    bytes = (data_high - data_low) * sizeof(Tag);
    if (data_write) madvise(data_write, bytes, MADV_DONTNEED);
    if (data_read) madvise(data_read, bytes, MADV_DONTNEED);
    for (Allocation &a : allocations) { // nobody knows any more what kernels have written
        a.first_sequence = 0;
        a.written = {{a.low, a.high}};
    }
}

void number_allocations(void) { next_number = 0; }

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
    uintptr_t base = thread_local_base();
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (const Symbol &s : shared_symbols()) {
        low = std::min(low, base + s.low);
        high = std::max(high, base + s.high);
    }
    w->static_low = high ? low : 0;
    w->static_high = high;
    if (dynamic_array) w->dynamic_shared = dynamic_array(); // of this host thread
    if (w->shared_write == nullptr) {
        size_t bytes = SHARED_LIMIT + (high ? high - low : 0);
        char *memory = dynamic_array ? nullptr : (char *)reserve(SHARED_LIMIT + 2 * NOBODYS);
        if (memory) w->dynamic_shared = memory + NOBODYS;
        w->shared_write = (Tag *)reserve(bytes * sizeof(Tag));
        w->shared_read = (Tag *)reserve(bytes * sizeof(Tag));
        w->shared_write_place = (Place *)reserve(bytes * sizeof(Place));
        w->shared_read_place = (Place *)reserve(bytes * sizeof(Place));
    }
    w->poisoned.assign(w->launch->shared.size(), 0);
}

void start_block_memory(Worker *w) {
    w->unseen = false;
    w->unwritten.clear();
    if (w->launch->dynamic_bytes) memset(w->dynamic_shared, POISON, w->launch->dynamic_bytes);
}

/* The __shared__ variable that `address` is in, or null; poisoned when the block comes to it for the first time. (It may
   be a function's that the kernel calls, so it is not known before.) */
static const Symbol *shared_symbol(Worker *w, uintptr_t address) {
    const std::vector<Symbol> &all = w->launch->shared;
    uintptr_t base = thread_local_base();
    const Symbol *s = containing(all, address - base);
    if (s == nullptr) return nullptr;
    uint64_t &poisoned = w->poisoned[(size_t)(s - all.data())], block = w->launch->first_sequence + w->block_linear;
    if (poisoned != block) {
        memset((void *)(base + s->low), POISON, s->high - s->low);
        poisoned = block;
    }
    return s;
}

void forget_shared_tags(Worker *w) {
    size_t bytes = (SHARED_LIMIT + (w->static_high - w->static_low)) * sizeof(Tag);
    if (w->shared_write) madvise(w->shared_write, bytes, MADV_DONTNEED);
    if (w->shared_read) madvise(w->shared_read, bytes, MADV_DONTNEED);
    std::fill(w->poisoned.begin(), w->poisoned.end(), 0);
}

// ---------------------------------------------------------------- what memory holds

/* All that the host or a kernel can have written. */
static std::vector<Interval> contents(void) {
    std::vector<Interval> all;
    for (const Allocation &a : allocations) all.push_back({a.low, a.high});
    for (const Symbol &s : device_symbols()) all.push_back({s.low, s.high});
    return all;
}

// ---------------------------------------------------------------- races

/* Tags have few bits for epochs. Before one wraps, the block goes on under a new sequence number, and its accesses so
   far no longer count. (Those of other warps since the last barrier are forgotten with them: a race is missed, none
   invented.) */
static std::mutex renewing;
void new_sequence(Worker *w) {
    std::lock_guard<std::mutex> guard(renewing);
    w->sequences_before.push_back(w->sequence);
    w->sequence = w->launch->first_sequence + w->launch->blocks + w->launch->renewed.size();
    w->launch->renewed.push_back(w->block_linear);
}

void begin_grid_phase(Worker *w, uint64_t first_counted) {
    new_sequence(w);
    w->first_counted = first_counted;
}

uint64_t next_renewal(const Launch *launch) {
    std::lock_guard<std::mutex> guard(renewing);
    return launch->first_sequence + launch->blocks + launch->renewed.size();
}

static uint64_t block_of(const Launch *launch, uint64_t sequence) {
    uint64_t i = sequence - launch->first_sequence;
    if (i < launch->blocks) return i;
    std::lock_guard<std::mutex> guard(renewing);
    return launch->renewed[i - launch->blocks];
}

static uint64_t moment(uint64_t sequence, unsigned epoch) { return sequence * Tag::EPOCHS + epoch % Tag::EPOCHS; }
uint64_t moment(const Worker *w) { return moment(w->sequence, w->epoch); }

/* Is `t` an access of this launch that can meet the running thread's? Shared memory is new for every block. */
static bool counts(const Worker *w, Tag t, Space space) {
    if (t.block() == w->sequence) return true;
    if (space == Space::shared || t.block() < w->first_counted) return false;
    return !std::binary_search(w->sequences_before.begin(), w->sequences_before.end(), t.block());
}

/* A __threadfence after what `t` says, and an atomic or volatile access before what the running thread does now, order
   the two: that is how blocks, or warps without a barrier, hand over data. */
static bool signalled(const Worker *w, Tag t) {
    if (!w->polled[w->warp]) return false;
    bool same_block = t.block() == w->sequence;
    uint64_t fenced = same_block ? w->fenced[t.thread() / WARP]
                                 : w->launch->fenced[block_of(w->launch, t.block())].load(std::memory_order_relaxed);
    return fenced > moment(t.block(), t.epoch());
}

/* Did what `t` says happen unordered with what the running thread does now? */
static bool unordered(const Worker *w, Tag t) {
    if (signalled(w, t)) return false;
    if (t.block() != w->sequence) return true;
    if (t.epoch() != w->epoch % Tag::EPOCHS) return false; // a barrier lies between
    return t.thread() / WARP != w->lane / WARP || t.warp_epoch() == w->warp_epoch[w->warp] % Tag::WARP_EPOCHS;
}

static bool written_by_others(const Worker *w, Tag t, Space space) {
    if (t.kind() == written_as_signal) return false;
    return counts(w, t, space) && !(t.block() == w->sequence && t.thread() == w->lane) && unordered(w, t);
}

static bool read_by_others(const Worker *w, Tag r, Space space) {
    if (!counts(w, r, space)) return false;
    bool own = r.block() == w->sequence;
    switch (r.kind()) {
        case read_by_grid: // only the last reader's fence is known
            return !(own ? w->polled[w->warp] : signalled(w, r));
        case read_by_block:
            return own ? r.epoch() == w->epoch % Tag::EPOCHS && !signalled(w, r) : unordered(w, r);
        case read_by_one:
            return !(own && r.thread() == w->lane) && unordered(w, r);
        default:
            return unordered(w, r);
    }
}

/* The tag of a byte that had `old` once the running thread has read it too. */
static Tag after_read(const Worker *w, Tag old, Space space) {
    unsigned epoch = w->epoch % Tag::EPOCHS, warp_epoch = w->warp_epoch[w->warp] % Tag::WARP_EPOCHS;
    unsigned kind = read_by_one;
    if (counts(w, old, space) && !signalled(w, old)) {
        bool same_warp = old.thread() / WARP == w->lane / WARP;
        if (old.block() != w->sequence || old.kind() == read_by_grid) {
            kind = read_by_grid;
        } else if (old.epoch() == epoch && !(old.kind() == read_by_one && old.thread() == w->lane)) {
            if (old.kind() == read_by_block || !same_warp)
                kind = read_by_block;
            else if (old.warp_epoch() == warp_epoch)
                kind = read_by_warp;
        }
    }
    return Tag::of(w->sequence, kind, epoch, warp_epoch, w->lane);
}

static std::string who(const Worker *w, Tag t) {
    if (t.block() == w->sequence) return thread_name(w, t.thread());
    const uint3 block = block_index(w->launch, block_of(w->launch, t.block()));
    char text[96];
    snprintf(text, sizeof text, "%s of block (%u,%u,%u)", thread_name(w, t.thread()).c_str(), block.x, block.y,
             block.z);
    return text;
}

static const char *verb(Kind kind) {
    return kind == Kind::load ? "loads" : kind == Kind::store ? "stores" : "updates atomically";
}

struct Shadow {
    Tag *write, *read;
    Place *write_place, *read_place; // null for global memory, where they would cost too much
};

/* Two accesses that race: the running thread's now and `other`'s. */
struct Race {
    uintptr_t offset; // of the byte, in its allocation
    unsigned size;
    Kind kind;
    Space space;
    Place place, other_place; // null where unknown
    Tag other;
    const char *did; // "stored"
    uintptr_t address;
};

/* The element that an access touches: "dist[3]"; in memory that has no name, "element 3 of 630, allocated in prepare, kernel.cu:12",
   where an element is as wide as the access. */
static std::string touched(const Worker *w, uintptr_t address, unsigned size, Space space, uintptr_t offset) {
    const uintptr_t base = space == Space::shared ? thread_local_base() : 0;
    const Symbol *s = containing(space == Space::shared ? w->launch->shared : device_symbols(), address - base);
    if (s) return element_at(*s, w->launch->kernel, (long)(address - base - s->low)).element;
    auto at = space == Space::global ? find_allocation(address) : allocations.end();
    const size_t bytes = at == allocations.end() ? 0 : at->high - at->low;
    const bool whole = bytes > 0 && bytes % size == 0;
    return (whole ? "element " + std::to_string(offset / size) + " of " + std::to_string(bytes / size)
                  : std::to_string(size) + " bytes at offset " + std::to_string(offset)) +
           (bytes ? ", allocated in " + host_place_name(at->place) : "");
}

static std::string describe(const Worker *w, const Race &r) {
    return std::string("race on ") + (r.space == Space::shared ? "shared" : "global") + " memory: " + verb(r.kind) +
           " " + touched(w, r.address, r.size, r.space, r.offset) + " (" + place_name(r.place) + ") which " +
           who(w, r.other) + " " + r.did + (r.other_place ? " (" + place_name(r.other_place) + ")" : "") +
           ", with no barrier between them";
}

// ---------------------------------------------------------------- races between streams

static const char UNORDERED[] = ", and no stream, event or wait orders the two";

/* The operation whose kernel has this block, or null. */
static const Operation *kernel_of(const std::vector<Operation> &all, Tag t) {
    for (const Operation &o : all)
        if (t.block() >= o.first_sequence && t.block() < o.end_sequence) return &o;
    return nullptr;
}

/* Is the memory at `address` newer than what `t` tells of? Then it told of somebody else's. */
static bool outdated(uintptr_t address, Tag t) {
    auto at = address >= arena && address < arena_end ? find_allocation(address) : allocations.end();
    return at != allocations.end() && t.block() < at->first_sequence;
}

/* The launch may meet accesses of operations before it: this is one byte of an access of `size`. */
static void check_streams(Worker *w, Tag t, Tag r, uintptr_t address, uintptr_t offset, unsigned size, Kind kind,
                          Place place) {
    const auto &others = w->launch->unordered;
    const char *did = "stores to";
    const Operation *o = kernel_of(others, t);
    if (o && (outdated(address, t) || (kind == Kind::atomic && t.kind() == written_atomically))) o = nullptr;
    if (o == nullptr && kind != Kind::load) {
        o = kernel_of(others, r);
        if (o && outdated(address, r)) o = nullptr;
        did = "loads from";
    }
    for (size_t i = 0; o == nullptr && i < others.size(); i++)
        for (const Operation::Range &range : others[i].ranges)
            if (address >= range.low && address < range.high && (range.writes || kind != Kind::load)) {
                o = &others[i];
                did = range.writes ? "stores to" : "loads from";
            }
    if (o == nullptr) return;
    w->error = std::string("race on global memory: ") + verb(kind) + " " +
               touched(w, address, size, Space::global, offset) + " (" + place_name(place) + ") which " +
               described(*o) + " " + did + UNORDERED;
    abandon(w);
}

/* What makes one of its ranges race with an operation that nothing orders; "" when nothing does. */
static std::string stream_race(const Operation &o, const std::vector<Operation> &unordered,
                               const Operation::Range &range) {
    const auto race = [&](const Operation &other, bool writes) {
        return "race on global memory: " + described(o) + (range.writes ? " stores to" : " loads from") +
               " memory that " + described(other) + (writes ? " stores to" : " loads from") + UNORDERED;
    };
    bool kernels = false, wrote = false;
    for (const Operation &other : unordered) {
        kernels |= other.end_sequence > 0;
        for (const Operation::Range &r : other.ranges)
            if (range.low < r.high && range.high > r.low && (range.writes || r.writes)) return race(other, r.writes);
    }
    const Operation *kernel =
        kernels ? kernel_that_touched(unordered, range.low, range.high - range.low, range.writes, &wrote) : nullptr;
    return kernel ? race(*kernel, wrote) : "";
}

std::string refuse_stream_race(const Operation &o) {
    const std::vector<Operation> unordered = unordered_with(o);
    for (size_t i = 0; i < o.ranges.size() && !unordered.empty(); i++) {
        const std::string race = stream_race(o, unordered, o.ranges[i]);
        if (race.empty()) continue;
        set_launch_error(cudaErrorLaunchFailure, race);
        return race;
    }
    return "";
}

// ---------------------------------------------------------------- memory that nobody has written

/* Does memory still hold what it held when nobody had written it? */
static inline bool poisoned(uintptr_t address, unsigned size) {
    const uint8_t *bytes = (const uint8_t *)address;
    for (unsigned b = 0; b < size; b++)
        if (bytes[b] != POISON) return false;
    return true;
}

static bool unwritten(const Worker *w, const Shadow &s, uintptr_t address, unsigned size, Space space) {
    if (space == Space::shared) {
        if (w->unseen) return false;
        for (unsigned b = 0; b < size; b++)
            if (counts(w, s.write[b], space) ||
                std::binary_search(w->sequences_before.begin(), w->sequences_before.end(), s.write[b].block()))
                return false;
        return true;
    }
    auto at = address >= arena && address < arena_end ? find_allocation(address) : allocations.end();
    if (at == allocations.end()) return false;  // a __device__ variable holds zero
    if (at->home != Home::device) return false; // the host stores there unseen
    for (unsigned b = 0; b < size; b++)
        if (s.write[b].block() >= std::max<uint64_t>(at->first_sequence, 1)) return false;
    for (const Interval &i : at->written)
        if (address < i.second && address + size > i.first) return false;
    return true;
}

[[noreturn, gnu::cold, gnu::noinline]] static void refuse_race(Worker *w, const Race &race) {
    w->error = describe(w, race);
    abandon(w);
}

[[gnu::always_inline]] static inline void check_bytes(Worker *w, const Shadow &s, uintptr_t address, uintptr_t offset,
                                                      unsigned size, Kind kind, Space space, Place place, bool meant,
                                                      bool is_volatile) {
    Tag me = Tag::of(w->sequence,
                     meant                  ? written_as_signal
                     : kind == Kind::atomic ? written_atomically
                                            : written,
                     w->epoch, w->warp_epoch[w->warp], w->lane);
    Tag t = {~0ull}, r = {~0ull}, read = {0};
    for (unsigned b = 0; b < size; b++) {
        // The bytes of a word mostly have the same history: then one look serves them all.
        if (b == 0 || s.write[b].bits != t.bits || s.read[b].bits != r.bits) {
            t = s.write[b];
            r = s.read[b];
            if (space == Space::global && !w->launch->unordered.empty())
                check_streams(w, t, r, address + b, offset + b, size, kind, place);
            bool writers = !meant && written_by_others(w, t, space);
            bool readers = !meant && kind != Kind::load && read_by_others(w, r, space);
            // PTX: ld.volatile is as strong as ld.relaxed.sys, so it does not race with an atomic operation.
            if (writers && (kind == Kind::atomic || (kind == Kind::load && is_volatile)) &&
                t.kind() == written_atomically)
                writers = false;
            Race race = {offset + b, size, kind, space, place, nullptr, t, "stored", address + b};
            if (readers) {
                race.other = r;
                race.did = "loaded";
                race.other_place = s.read_place ? s.read_place[b] : nullptr;
            } else if (writers) {
                if (t.kind() == written_atomically) race.did = "updated atomically";
                race.other_place = s.write_place ? s.write_place[b] : nullptr;
            }
            if (!readers && writers && kind == Kind::store && t.kind() == written) {
                // Two plain stores: harmless when both write the same value, which shows once this one is done.
                if (w->suspect.size == 0) {
                    w->suspect = {address, offset + b, size, {}, space, t, place, race.other_place};
                    memcpy(w->suspect.before, (void *)address, size);
                }
            } else if (readers || writers) {
                refuse_race(w, race);
            }
            // Volatile loads of global memory wait for a signal: a store that comes later is no race with them.
            if (kind == Kind::load)
                read = meant || (is_volatile && space == Space::global) || kernel_of(w->launch->unordered, r)
                           ? r
                           : after_read(w, r, space);
        }
        if (kind == Kind::load) {
            if (read.bits != r.bits) s.read[b] = read;
            if (s.read_place) s.read_place[b] = place;
        } else {
            s.write[b] = me;
            if (s.write_place) s.write_place[b] = place;
        }
    }
}

static void check_race(Worker *w, const Shadow &s, uintptr_t address, uintptr_t offset, unsigned size, Kind kind,
                       Space space, Place place, bool meant = false, bool is_volatile = false) {
    // Most accesses are of words: the compiler writes their loop out.
    if (size == 4)
        check_bytes(w, s, address, offset, 4, kind, space, place, meant, is_volatile);
    else
        check_bytes(w, s, address, offset, size, kind, space, place, meant, is_volatile);
}

void settle_suspect(Worker *w) {
    unsigned size = w->suspect.size;
    w->suspect.size = 0;
    if (size == 0 || memcmp((void *)w->suspect.address, w->suspect.before, size) == 0) return;
    const auto &s = w->suspect;
    w->error =
        describe(w, Race{s.offset, size, Kind::store, s.space, s.place, s.other_place, s.other, "stored", s.address}) +
        ", and the values differ";
    abandon(w);
}

// ---------------------------------------------------------------- one access

static std::string describe(Kind kind, unsigned size, Place place) {
    const char *what = kind == Kind::load ? "load" : kind == Kind::store ? "store" : "atomic update";
    return std::string(what) + " of " + std::to_string(size) + " bytes at " + place_name(place);
}

/* The kernel's shared array to which an address out of range belongs, most likely. */
static const Symbol *nearest_shared(const Worker *w, uintptr_t address) {
    constexpr uintptr_t FAR = (uintptr_t)1 << 20;
    const Symbol *nearest = nullptr;
    uintptr_t distance = FAR;
    for (const Symbol &s : w->launch->shared) {
        const uintptr_t low = thread_local_base() + s.low, high = thread_local_base() + s.high;
        const uintptr_t here = address < low ? low - address : address >= high ? address - high : 0;
        if (here < distance) distance = here, nearest = &s;
    }
    return nearest;
}

/* What lies `address`, outside of it, nearest to: "2520 bytes, made in prepare, kernel.cu:12; it would be element 630 of 630". */
static std::string allocated(const Allocation &a, uintptr_t address, unsigned size) {
    const size_t bytes = a.high - a.low;
    const long offset = (long)(address - a.low);
    std::string text = std::to_string(bytes) + " bytes, made in " + host_place_name(a.place);
    if (bytes % size == 0 && offset % (long)size == 0)
        text += "; it would be element " + std::to_string(offset / (long)size) + " of " + std::to_string(bytes / size);
    return text;
}

/* An index of 32 bits that overflows leads 2^32 elements too far down. */
static std::string overflow(uintptr_t address, unsigned size) {
    const uintptr_t meant = address + ((uintptr_t)size << 32);
    auto at = meant >= arena && meant < arena_end ? find_allocation(meant) : allocations.end();
    if (at == allocations.end() || meant >= at->high || at->high - at->low <= (uintptr_t)size << 31) return "";
    return "2^32 elements before element " + std::to_string((meant - at->low) / size) + " of " +
           std::to_string((at->high - at->low) / size) + ", allocated in " + host_place_name(at->place) +
           ": an index of 32 bits overflows";
}

/* Where an address lies that is in no memory of the kernel's. */
static std::string whereabouts(const Worker *w, uintptr_t address, unsigned size) {
    std::string where;
    if (address < 4096) {
        where = "through a null pointer";
    } else if (const std::string far = overflow(address, size); !far.empty()) {
        where = far;
    } else if (const Freed *f = find_freed(address, 0)) {
        where = "in memory that was freed in " + host_place_name(f->freed) + " (allocated in " +
                host_place_name(f->allocated) + ")";
    } else if (heap_holds(address)) {
        where = "in the heap of kernels, outside of what malloc or new has given";
    } else if (address >= arena && address < arena_end) {
        auto at = find_allocation(address);
        auto next = at == allocations.end() ? allocations.begin() : at + 1;
        if (at != allocations.end() &&
            (address < at->high || next == allocations.end() || address - at->high < next->low - address))
            where = std::to_string(address + size - at->high) + " bytes past the end of an allocation of " +
                    allocated(*at, address, size);
        else if (next != allocations.end())
            where = std::to_string(next->low - address) + " bytes before an allocation of " +
                    allocated(*next, address, size);
        else
            where = "in device memory that has been freed";
    } else if (address >= (uintptr_t)w->stacks_low && address < (uintptr_t)w->stacks_high) {
        where = "in another thread's local memory";
    } else if (address + NOBODYS >= (uintptr_t)w->dynamic_shared &&
               address < (uintptr_t)w->dynamic_shared + SHARED_LIMIT + NOBODYS) {
        const uintptr_t dynamic = (uintptr_t)w->dynamic_shared;
        where = (address < dynamic ? std::to_string(dynamic - address) + " bytes before the beginning of "
                                   : std::to_string(address - dynamic + size - w->launch->dynamic_bytes) +
                                         " bytes past the end of ") +
                std::to_string(w->launch->dynamic_bytes) + " bytes of dynamic shared memory";
    } else if (const Symbol *s = nearest_shared(w, address)) {
        const long offset = (long)(address - thread_local_base() - s->low);
        const Element e = element_at(*s, w->launch->kernel, offset);
        where = "of " + e.element + " in shared memory, " + (offset < 0 ? "before the beginning" : "past the end") +
                " of " + e.variable;
    } else {
        where = "in host memory (the pointer does not come from cudaMalloc)";
    }
    return where;
}

struct Region {
    Space space;
    uintptr_t low, high;
    uint32_t allocation;
};

/* Does `*address` lie in the program's code or constants? The return value stops the iteration. */
struct Probe {
    uintptr_t address;
    bool found;
};
static int read_only_segment(struct dl_phdr_info *info, size_t, void *p) {
    Probe *probe = (Probe *)p;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) &h = info->dlpi_phdr[i];
        uintptr_t low = info->dlpi_addr + h.p_vaddr;
        if (h.p_type == PT_LOAD && !(h.p_flags & PF_W))
            probe->found |= probe->address >= low && probe->address < low + h.p_memsz;
    }
    return 1; // the program itself comes first, and only it holds kernels
}

/* Where `address` lies, when not in the region that the lanes before went to. */
static Region locate(Worker *w, uintptr_t address) {
    auto at = address >= arena && address < arena_end ? find_allocation(address) : allocations.end();
    if (at != allocations.end() && address < at->high) return {Space::global, at->low, at->high, at->number};
    uintptr_t low, high;
    if (heap_block(address, &low, &high)) return {Space::global, low, high, UINT32_MAX};
    if (const Registered *r = find_registered(address)) return {Space::global, r->low, r->high, UINT32_MAX};
    if (address >= w->static_low && address < w->static_high) {
        uintptr_t base = thread_local_base();
        if (const Symbol *s = shared_symbol(w, address)) return {Space::shared, base + s->low, base + s->high, 0};
    }
    uintptr_t dynamic = (uintptr_t)w->dynamic_shared;
    if (address >= dynamic && address < dynamic + w->launch->dynamic_bytes)
        return {Space::shared, dynamic, dynamic + w->launch->dynamic_bytes, 0};
    if (address >= (uintptr_t)__start_wl_constant && address < (uintptr_t)__stop_wl_constant)
        return {Space::constant, (uintptr_t)__start_wl_constant, (uintptr_t)__stop_wl_constant, 0};
    if (const Symbol *s = containing(device_symbols(), address)) return {Space::global, s->low, s->high, UINT32_MAX};
    Probe probe = {address, false};
    dl_iterate_phdr(read_only_segment, &probe);
    if (probe.found) return {Space::ignored, address, address + 1, 0}; // literals and tables of the compiler
    return {Space::ignored, 0, 0, 0};
}

static Event *event_of(Worker *w, Kind kind, Place place, unsigned size) {
    size_t k = w->cursor;
    for (; k < w->event_count; k++)
        if (w->events[k].place == place && w->events[k].kind == kind && w->events[k].size == size &&
            !(w->events[k].lanes >> w->lane % WARP & 1))
            break;
    if (k == w->event_count) {
        if (w->event_count == w->events.size()) w->events.resize(2 * w->events.size());
        Event &e = w->events[w->event_count++];
        e.place = place;
        e.kind = kind;
        e.size = (uint8_t)size;
        e.lanes = 0;
        e.low = e.high = e.most = 0;
        e.least = UINTPTR_MAX;
    }
    w->cursor = k + 1;
    return &w->events[k];
}

static Shadow shared_shadow(const Worker *w, uintptr_t address) {
    size_t dynamic = address - (uintptr_t)w->dynamic_shared, i = dynamic;
    if (dynamic >= SHARED_LIMIT) i = SHARED_LIMIT + (address - w->static_low);
    return {w->shared_write + i, w->shared_read + i, w->shared_write_place + i, w->shared_read_place + i};
}

static inline Shadow global_shadow(uintptr_t address) {
    if (address >= arena && address < arena_end)
        return {global_write + (address - arena), global_read + (address - arena), nullptr, nullptr};
    if (address >= data_low && address < data_high)
        return {data_write + (address - data_low), data_read + (address - data_low), nullptr, nullptr};
    const Registered *r = find_registered(address);
    return {r->write + (address - r->low), r->read + (address - r->low), nullptr, nullptr};
}

void arrive(Worker *w, uintptr_t address, unsigned size, Place place) {
    if (w->suspect.size) settle_suspect(w);
    check_race(w, shared_shadow(w, address), address, address - locate(w, address).low, size, Kind::store,
               Space::shared, place);
}

bool lies_within(Worker *w, uintptr_t address, size_t bytes, Space space) {
    const Region region = locate(w, address);
    return region.space == space && address + bytes <= region.high;
}

void check_bulk(Worker *w, uintptr_t address, size_t bytes, Place place) {
    if (lies_within(w, address, bytes, Space::global)) return;
    w->error = "out of bounds: bulk copy of " + std::to_string(bytes) + " bytes at " + place_name(place) + " " +
               whereabouts(w, address, (unsigned)bytes);
    abandon(w);
}

static const char *unwritten_by(Space space) {
    return space == Space::shared ? " in shared memory, which no thread of the block has written"
                                  : ", which neither the host nor a kernel has written";
}

// What refuses an access is out of the way of those that are right.
#define WL_COLD [[noreturn, gnu::cold, gnu::noinline]] static

WL_COLD void refuse_place(Worker *w, uintptr_t address, unsigned size, Kind kind, Place place) {
    w->error = "out of bounds: " + describe(kind, size, place) + " " + whereabouts(w, address, size);
    abandon(w);
}
WL_COLD void refuse_constant(Worker *w, unsigned size, Kind kind, Place place) {
    w->error = describe(kind, size, place) + " to constant memory, which only the host can change";
    abandon(w);
}
WL_COLD void refuse_alignment(Worker *w, uintptr_t address, unsigned size, Kind kind, Place place) {
    w->error = "misaligned " + describe(kind, size, place) + ": the address is " + std::to_string(address % size) +
               " bytes past a multiple of " + std::to_string(size);
    abandon(w);
}
[[gnu::cold, gnu::noinline]] static void note_unwritten(Worker *w, uintptr_t address, unsigned size, Kind kind,
                                                        Space space, Place place, uintptr_t low) {
    w->unwritten = "uninitialised memory: " + describe(kind, size, place) + " of " +
                   touched(w, address, size, space, address - low) + unwritten_by(space);
    w->unwritten_thread = w->lane;
}

/* Is it on the running thread's stack? */
static inline bool is_own(const Worker *w, uintptr_t address) {
    return address - (uintptr_t)w->lanes[w->lane].stack < STACK_BYTES;
}

void access(Worker *w, uintptr_t address, unsigned size, Kind kind, bool is_volatile, Place place, bool reads) {
    if (w->suspect.size) settle_suspect(w);
    if (is_own(w, address)) return;
    const uintptr_t arguments = (uintptr_t)w->launch->arguments, last = arguments + w->launch->argument_bytes;
    if (address >= arguments && address + size <= last) return;
    Event *e = event_of(w, kind, place, size);
    uintptr_t low = e->low, high = e->high;
    if (address < low || address + size > high) {
        Region region = locate(w, address);
        if (region.space == Space::ignored && region.high > 0)
            low = region.low, high = address + size;
        else
            low = region.low, high = region.high;
        if (high == 0 || address + size > high) refuse_place(w, address, size, kind, place);
        // A pointer may lead some lanes to shared and others to global memory: those are two requests.
        while (e->lanes && e->space != region.space) e = event_of(w, kind, place, size);
        if (e->lanes == 0) {
            e->space = region.space;
            e->low = low;
            e->high = high;
            e->allocation = region.allocation;
        }
    }
    if (e->space == Space::ignored) return;
    if (e->space == Space::constant && kind != Kind::load) refuse_constant(w, size, kind, place);
    if (address & (size - 1)) refuse_alignment(w, address, size, kind, place); // sizes are powers of two
    e->lanes |= 1u << w->lane % WARP;
    e->address[w->lane % WARP] = address;
    e->least = std::min(e->least, address);
    e->most = std::max(e->most, address);

    bool signal = kind == Kind::atomic || is_volatile;
    if (signal) w->polled[w->warp] = w->spinning = true;
    // Warps that use fences signal each other by volatile variables; without fences those race as others do.
    const bool meant = is_volatile && w->fenced[w->warp];
    const Shadow s = e->space == Space::shared ? shared_shadow(w, address) : global_shadow(address);
    // Told if the result is wrong or the block fails, unless a race explains it: the value may never be used.
    if (reads && poisoned(address, size) && w->unwritten.empty() && unwritten(w, s, address, size, e->space))
        note_unwritten(w, address, size, kind, e->space, place, low);
    check_race(w, s, address, address - low, size, kind, e->space, place, meant, is_volatile);
}

void access_uncounted(Worker *w, uintptr_t address, size_t bytes, Kind kind, Place place) {
    if (w->suspect.size) settle_suspect(w);
    if (is_own(w, address)) return;
    const Region region = locate(w, address);
    if (region.space == Space::ignored && region.high > 0) return;
    if (region.high == 0 || address + bytes > region.high) refuse_place(w, address, (unsigned)bytes, kind, place);
    if (region.space == Space::constant && kind != Kind::load) refuse_constant(w, (unsigned)bytes, kind, place);
    if (region.space == Space::constant) return;
    for (size_t i = 0, size; i < bytes; i += size) {
        const uintptr_t a = address + i;
        size = bytes - i >= 4 && a % 4 == 0 ? 4 : 1;
        const Shadow s = region.space == Space::shared ? shared_shadow(w, a) : global_shadow(a);
        if (kind == Kind::load && poisoned(a, (unsigned)size) && w->unwritten.empty() &&
            unwritten(w, s, a, (unsigned)size, region.space))
            note_unwritten(w, a, (unsigned)size, kind, region.space, place, region.low);
        check_race(w, s, a, a - region.low, (unsigned)size, kind, region.space, place);
    }
}

Space space_of(Worker *w, uintptr_t address) { return is_own(w, address) ? Space::ignored : locate(w, address).space; }

void forget_range(uintptr_t address, size_t bytes) {
    const Shadow s = global_shadow(address);
    memset(s.write, 0, bytes * sizeof(Tag));
    memset(s.read, 0, bytes * sizeof(Tag));
}

const Operation *kernel_that_touched(const std::vector<Operation> &all, uintptr_t address, size_t bytes, bool writes,
                                     bool *wrote) {
    Home home;
    uintptr_t low;
    if (all.empty() || bytes == 0 || !find_home(address, &home, &low) || !find_home(address + bytes - 1, &home, &low))
        return nullptr;
    std::lock_guard<std::mutex> guard(device_mutex);
    for (uintptr_t a = address; a < address + bytes; a++) {
        const Shadow s = global_shadow(a);
        const Operation *o = kernel_of(all, *s.write);
        if (o && !outdated(a, *s.write)) return *wrote = true, o;
        o = writes ? kernel_of(all, *s.read) : nullptr;
        if (o && !outdated(a, *s.read)) return *wrote = false, o;
    }
    return nullptr;
}

} // namespace wl_sim

using namespace wl_sim;

extern "C" void wl_sim_launching(int on) { launching = on != 0; }

extern "C" uint64_t wl_sim_memory_hash(void) {
    std::lock_guard<std::mutex> guard(device_mutex);
    constexpr uint64_t FACTOR = 0x9E3779B97F4A7C15;
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
    std::lock_guard<std::mutex> guard(device_mutex);
    for (const Interval &i : contents())
        if (memmem((const void *)i.first, i.second - i.first, bytes, count)) return 1;
    return 0;
}
