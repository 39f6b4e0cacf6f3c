/* Where an access goes, whether it may, and whether it races with another. */
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>

#include "cuda_runtime.h"
#include "harness/sim/internal.h"

// The linker brackets the section that __constant__ names; weak, since a program may have none.
extern "C" char __start_wl_constant[] __attribute__((weak)), __stop_wl_constant[] __attribute__((weak));

namespace wl_sim {

// ---------------------------------------------------------------- device memory

struct Allocation {
    uintptr_t low, high;
    uint32_t number;
};
constexpr size_t ALIGNMENT = 256, GAP = 256; // cudaMalloc's alignment; what lies between is nobody's

static std::vector<Allocation> allocations; // by address; changed between launches only
static uint32_t next_number;
static uintptr_t arena, arena_end;
static size_t memory_total;
static Tag *global_write, *global_read; // by byte of the arena; pages nobody touches cost nothing

static void *reserve(size_t bytes) {
    void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? nullptr : p;
}

static void make_arena(void) {
    // Half the machine's memory is offered. Every byte that kernels touch costs sixteen more for its two tags, so a
    // simulated problem has to stay well below that; what is only allocated costs nothing.
    memory_total = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE) / 2;
    for (size_t size = (size_t)64 << 30; size >= (size_t)64 << 20; size /= 2) {
        void *memory = reserve(size), *write = reserve(size * sizeof(Tag)), *read = reserve(size * sizeof(Tag));
        if (memory && write && read) {
            arena = (uintptr_t)memory;
            arena_end = arena + size;
            global_write = (Tag *)write;
            global_read = (Tag *)read;
            memory_total = std::min(memory_total, size);
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

static size_t memory_used(void) {
    size_t used = 0;
    for (const Allocation &a : allocations) used += a.high - a.low;
    return used;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
    make_arena_once();
    *total_bytes = memory_total;
    *free_bytes = memory_total - std::min(memory_total, memory_used());
    return cudaSuccess;
}

cudaError_t wl_allocate(void **pointer, size_t bytes) {
    make_arena_once();
    if (pointer == nullptr) return cudaErrorInvalidValue;
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    if (arena == 0 || bytes > memory_total - std::min(memory_total, memory_used())) return cudaErrorMemoryAllocation;
    uintptr_t low = arena + GAP;
    auto place = allocations.begin(); // the first gap that is wide enough
    for (; place != allocations.end() && place->low < low + bytes + GAP; ++place)
        low = (place->high + GAP + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (low + bytes + GAP > arena_end) return cudaErrorMemoryAllocation;
    allocations.insert(place, {low, low + bytes, next_number++});
    memset((void *)low, POISON, bytes);
    *pointer = (void *)low;
    return cudaSuccess;
}

static auto find_allocation(uintptr_t address) {
    auto after = std::upper_bound(allocations.begin(), allocations.end(), address,
                                  [](uintptr_t a, const Allocation &b) { return a < b.low; });
    return after == allocations.begin() ? allocations.end() : after - 1;
}

cudaError_t cudaFree(void *pointer) {
    if (pointer == nullptr) return cudaSuccess;
    auto at = find_allocation((uintptr_t)pointer);
    if (at == allocations.end() || at->low != (uintptr_t)pointer) return cudaErrorInvalidValue;
    uintptr_t low = (at->low + 4095) / 4096 * 4096, high = at->high / 4096 * 4096;
    if (low < high) madvise((void *)low, high - low, MADV_DONTNEED);
    allocations.erase(at);
    return cudaSuccess;
}

void forget_tags(void) {
    if (arena == 0) return;
    size_t bytes = (arena_end - arena) * sizeof(Tag);
    madvise(global_write, bytes, MADV_DONTNEED);
    madvise(global_read, bytes, MADV_DONTNEED);
}

void number_allocations(void) { next_number = 0; }

/* Is [address, address + bytes) device memory? For cudaMemcpy and cudaMemset. */
bool is_device(uintptr_t address, size_t bytes) {
    auto at = find_allocation(address);
    if (at != allocations.end() && address + bytes <= at->high) return true;
    for (const Symbol &s : device_symbols())
        if (address >= s.low && address + bytes <= s.high) return true;
    return address >= (uintptr_t)__start_wl_constant && address + bytes <= (uintptr_t)__stop_wl_constant;
}

// ---------------------------------------------------------------- shared memory

size_t static_shared_bytes(const Owner &owner) {
    size_t bytes = 0;
    for (const Symbol &s : shared_symbols())
        if (s.owner == owner) bytes += s.high - s.low;
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
    if (w->dynamic_shared == nullptr) {
        size_t bytes = SHARED_LIMIT + (high ? high - low : 0);
        w->dynamic_shared = (char *)reserve(SHARED_LIMIT);
        w->shared_write = (Tag *)reserve(bytes * sizeof(Tag));
        w->shared_read = (Tag *)reserve(bytes * sizeof(Tag));
        w->shared_write_place = (Place *)reserve(bytes * sizeof(Place));
        w->shared_read_place = (Place *)reserve(bytes * sizeof(Place));
    }
}

void start_block_memory(Worker *w) {
    if (w->launch->dynamic_bytes) memset(w->dynamic_shared, POISON, w->launch->dynamic_bytes);
    if (w->launch->static_bytes == 0) return;
    uintptr_t base = thread_local_base();
    for (const Symbol &s : shared_symbols())
        if (s.owner == w->launch->owner) memset((void *)(base + s.low), POISON, s.high - s.low);
}

// ---------------------------------------------------------------- races

/* Is `t` an access of this launch that can meet the running thread's? Shared memory is new for every block. */
static bool counts(const Worker *w, Tag t, Space space) {
    return space == Space::shared ? t.block() == w->sequence : t.block() >= w->launch->first_sequence;
}

/* Did what `t` says happen unordered with what the running thread does now? */
static bool unordered(const Worker *w, Tag t) {
    const Launch *launch = w->launch;
    if (t.block() != w->sequence) {
        // Blocks are ordered by a __threadfence on one side and an atomic on the other.
        unsigned fence = launch->fence_epoch[t.block() - launch->first_sequence];
        return !(fence > t.epoch() && w->did_atomic);
    }
    if (t.epoch() != (w->epoch & 0x3fff)) return false; // a barrier lies between
    return t.thread() / WARP != w->lane / WARP || t.warp_epoch() == (w->warp_epoch[w->warp] & 0x1ff);
}

static bool written_by_others(const Worker *w, Tag t, Space space) {
    return counts(w, t, space) && !(t.block() == w->sequence && t.thread() == w->lane) && unordered(w, t);
}

static bool read_by_others(const Worker *w, Tag r, Space space) {
    if (!counts(w, r, space)) return false;
    if (r.kind() == read_by_grid) return true;
    if (r.kind() == read_by_one && r.block() == w->sequence && r.thread() == w->lane) return false;
    if (r.kind() == read_by_block && r.block() == w->sequence) return r.epoch() == (w->epoch & 0x3fff);
    return unordered(w, r);
}

/* The tag of a byte that had `old` once the running thread has read it too. */
static Tag after_read(const Worker *w, Tag old, Space space) {
    unsigned epoch = w->epoch & 0x3fff, warp_epoch = w->warp_epoch[w->warp] & 0x1ff;
    unsigned kind = read_by_one;
    if (counts(w, old, space)) {
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
    uint64_t block = t.block() - w->launch->first_sequence;
    dim3 g = w->launch->grid;
    char text[96];
    snprintf(text, sizeof text, "%s of block (%u,%u,%u)", thread_name(w, t.thread()).c_str(), (unsigned)(block % g.x),
             (unsigned)(block / g.x % g.y), (unsigned)(block / g.x / g.y));
    return text;
}

static const char *verb(Kind kind) {
    return kind == Kind::load ? "loads" : kind == Kind::store ? "stores" : "updates atomically";
}

struct Shadow {
    Tag *write, *read;
    Place *write_place, *read_place; // null for global memory, where they would cost too much
};

static std::string race(const Worker *w, const char *memory, uintptr_t offset, unsigned size, Kind kind, Place place,
                        Tag other, Place other_place, const char *did) {
    return std::string("race on ") + memory + ": " + verb(kind) + " " + std::to_string(size) + " bytes at offset " +
           std::to_string(offset) + (place ? " (" + place_name(place) + ")" : "") + " which " + who(w, other) + " " +
           did + (other_place ? " (" + place_name(other_place) + ")" : "") + ", with no barrier between them";
}

/* What happens to one byte; `*message` is set where it is an error, *harmless_if_equal where it may not be. */
static void check_byte(const Worker *w, const Shadow &s, unsigned b, Kind kind, Space space, Place place,
                       uintptr_t offset, unsigned size, std::string *message, bool *harmless_if_equal) {
    const char *memory = space == Space::shared ? "shared memory" : "global memory";
    Tag t = s.write[b], r = s.read[b];
    bool atomics = kind == Kind::atomic && t.kind() == written_atomically;
    if (written_by_others(w, t, space) && !atomics) {
        *harmless_if_equal = kind == Kind::store && t.kind() == written;
        *message = race(w, memory, offset + b, size, kind, place, t, s.write_place ? s.write_place[b] : nullptr,
                        t.kind() == written ? "stored" : "updated atomically");
    }
    if (kind != Kind::load && read_by_others(w, r, space)) {
        *harmless_if_equal = false;
        *message =
            race(w, memory, offset + b, size, kind, place, r, s.read_place ? s.read_place[b] : nullptr, "loaded");
    }
}

static void check_race(Worker *w, const Shadow &s, uintptr_t address, uintptr_t offset, unsigned size, Kind kind,
                       Space space, Place place) {
    unsigned epoch = w->epoch & 0x3fff, warp_epoch = w->warp_epoch[w->warp] & 0x1ff;
    Tag me = Tag::of(w->sequence, kind == Kind::atomic ? written_atomically : written, epoch, warp_epoch, w->lane);
    Tag t = {~0ull}, r = {~0ull}, read = {0};
    for (unsigned b = 0; b < size; b++) {
        // The bytes of a word mostly have the same history: then one look serves them all.
        if (b == 0 || s.write[b].bits != t.bits || s.read[b].bits != r.bits) {
            t = s.write[b];
            r = s.read[b];
            bool writers = written_by_others(w, t, space), readers = kind != Kind::load && read_by_others(w, r, space);
            if (writers || readers) {
                std::string message;
                bool harmless_if_equal = false;
                check_byte(w, s, b, kind, space, place, offset, size, &message, &harmless_if_equal);
                if (!message.empty() && !harmless_if_equal) {
                    w->error = std::move(message);
                    abandon(w);
                }
                if (!message.empty() && w->suspect.size == 0) {
                    // Two plain stores: harmless when both write the same value, which shows once this one is done.
                    w->suspect.address = address;
                    w->suspect.size = size;
                    memcpy(w->suspect.before, (void *)address, size);
                    w->suspect.message = std::move(message);
                }
            }
            if (kind == Kind::load) read = after_read(w, r, space);
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

void settle_suspect(Worker *w) {
    unsigned size = w->suspect.size;
    w->suspect.size = 0;
    if (size == 0 || memcmp((void *)w->suspect.address, w->suspect.before, size) == 0) return;
    w->error = w->suspect.message + ", and the values differ";
    abandon(w);
}

// ---------------------------------------------------------------- one access

static std::string describe(Kind kind, unsigned size, Place place) {
    const char *what = kind == Kind::load ? "load" : kind == Kind::store ? "store" : "atomic update";
    return std::string(what) + " of " + std::to_string(size) + " bytes at " + place_name(place);
}

[[noreturn]] static void out_of_bounds(Worker *w, uintptr_t address, unsigned size, Kind kind, Place place) {
    std::string where;
    if (address < 4096) {
        where = "through a null pointer";
    } else if (address >= arena && address < arena_end) {
        auto at = find_allocation(address);
        auto next = at == allocations.end() ? allocations.begin() : at + 1;
        if (at != allocations.end() && (next == allocations.end() || address - at->high < next->low - address))
            where = std::to_string(address + size - at->high) + " bytes past the end of an allocation of " +
                    std::to_string(at->high - at->low) + " bytes";
        else if (next != allocations.end())
            where = std::to_string(next->low - address) + " bytes before an allocation of " +
                    std::to_string(next->high - next->low) + " bytes";
        else
            where = "in device memory that has been freed";
    } else if (address >= (uintptr_t)w->stacks_low && address < (uintptr_t)w->stacks_high) {
        where = "in another thread's local memory";
    } else if (address >= w->static_low && address < w->static_high + 4096) {
        where = "outside the kernel's __shared__ arrays";
    } else if (address >= (uintptr_t)w->dynamic_shared && address < (uintptr_t)w->dynamic_shared + SHARED_LIMIT) {
        where = std::to_string(address - (uintptr_t)w->dynamic_shared + size - w->launch->dynamic_bytes) +
                " bytes past the end of " + std::to_string(w->launch->dynamic_bytes) +
                " bytes of dynamic shared memory";
    } else {
        where = "in host memory (the pointer does not come from cudaMalloc)";
    }
    w->error = "out of bounds: " + describe(kind, size, place) + " " + where;
    abandon(w);
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
static Region locate(const Worker *w, uintptr_t address) {
    auto at = address >= arena && address < arena_end ? find_allocation(address) : allocations.end();
    if (at != allocations.end() && address < at->high) return {Space::global, at->low, at->high, at->number};
    if (address >= w->static_low && address < w->static_high) {
        uintptr_t base = thread_local_base();
        for (const Symbol &s : shared_symbols())
            if (address >= base + s.low && address < base + s.high)
                return {Space::shared, base + s.low, base + s.high, 0};
    }
    uintptr_t dynamic = (uintptr_t)w->dynamic_shared;
    if (address >= dynamic && address < dynamic + w->launch->dynamic_bytes)
        return {Space::shared, dynamic, dynamic + w->launch->dynamic_bytes, 0};
    uintptr_t arguments = (uintptr_t)w->launch->arguments;
    if (address >= arguments && address < arguments + w->launch->argument_bytes)
        return {Space::ignored, arguments, arguments + w->launch->argument_bytes, 0};
    if (address >= (uintptr_t)__start_wl_constant && address < (uintptr_t)__stop_wl_constant)
        return {Space::constant, (uintptr_t)__start_wl_constant, (uintptr_t)__stop_wl_constant, 0};
    Probe probe = {address, false};
    dl_iterate_phdr(read_only_segment, &probe);
    if (probe.found) return {Space::ignored, address, address + 1, 0}; // literals and tables of the compiler
    for (const Symbol &s : device_symbols())
        if (address >= s.low && address < s.high) return {Space::global, s.low, s.high, 0};
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
        e.low = e.high = 0;
    }
    w->cursor = k + 1;
    return &w->events[k];
}

void access(Worker *w, uintptr_t address, unsigned size, Kind kind, bool is_volatile, Place place) {
    if (w->suspect.size) settle_suspect(w);
    const Lane &lane = w->lanes[w->lane];
    if (address >= (uintptr_t)lane.stack && address < (uintptr_t)lane.stack + STACK_BYTES) return; // its own variables
    Event *e = event_of(w, kind, place, size);
    uintptr_t low = e->low, high = e->high;
    if (address < low || address + size > high) {
        Region region = locate(w, address);
        if (region.space == Space::ignored && region.high > 0)
            low = region.low, high = address + size;
        else
            low = region.low, high = region.high;
        if (high == 0 || address + size > high) out_of_bounds(w, address, size, kind, place);
        if (e->lanes == 0) {
            e->space = region.space;
            e->low = low;
            e->high = high;
            e->allocation = region.allocation;
        }
    }
    if (e->space == Space::ignored) return;
    if (address % size != 0) {
        w->error = "misaligned " + describe(kind, size, place) + ": the address is " + std::to_string(address % size) +
                   " bytes past a multiple of " + std::to_string(size);
        abandon(w);
    }
    e->lanes |= 1u << w->lane % WARP;
    e->address[w->lane % WARP] = address;

    if (e->space == Space::shared) {
        size_t dynamic = address - (uintptr_t)w->dynamic_shared, i = dynamic;
        if (dynamic >= SHARED_LIMIT) i = SHARED_LIMIT + (address - w->static_low);
        Shadow s = {w->shared_write + i, w->shared_read + i, w->shared_write_place + i, w->shared_read_place + i};
        check_race(w, s, address, address - low, size, kind, Space::shared, place);
    } else if (e->space == Space::global && address >= arena && address < arena_end) {
        if (kind == Kind::atomic || is_volatile) w->did_atomic = true;
        // A volatile access to global memory is how blocks signal each other: taken as meant.
        if (is_volatile) return;
        size_t i = address - arena;
        Shadow s = {global_write + i, global_read + i, nullptr, nullptr};
        check_race(w, s, address, address - low, size, kind, Space::global, place);
    }
}

} // namespace wl_sim
