/* Where an address lies, and what a message calls it. */
#include <link.h>

#include "sim/memory.h"

namespace wl_sim {

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

Region locate(Worker *w, uintptr_t address) {
    auto at = address >= arena && address < arena_end ? find_allocation(address) : allocations.end();
    if (at != allocations.end() && address < at->high) return {Space::global, at->low, at->high};
    uintptr_t low, high;
    if (heap_block(address, &low, &high)) return {Space::global, low, high};
    if (const Registered *r = find_registered(address)) return {Space::global, r->low, r->high};
    if (address >= w->static_low && address < w->static_high) {
        uintptr_t base = thread_local_base();
        if (const Symbol *s = shared_symbol(w, address)) return {Space::shared, base + s->low, base + s->high};
    }
    uintptr_t dynamic = (uintptr_t)w->dynamic_shared;
    if (address >= dynamic && address < dynamic + w->launch->dynamic_bytes)
        return {Space::shared, dynamic, dynamic + w->launch->dynamic_bytes};
    if (address >= (uintptr_t)__start_wl_constant && address < (uintptr_t)__stop_wl_constant)
        return {Space::constant, (uintptr_t)__start_wl_constant, (uintptr_t)__stop_wl_constant};
    if (const Symbol *s = containing(device_symbols(), address)) return {Space::global, s->low, s->high};
    Probe probe = {address, false};
    dl_iterate_phdr(read_only_segment, &probe);
    if (probe.found || is_guard(address)) return {Space::ignored, address, address + 1}; // the compiler's own
    return {Space::ignored, 0, 0};
}

// ---------------------------------------------------------------- messages

std::string touched(const Worker *w, uintptr_t address, unsigned size, Space space, uintptr_t offset) {
    const uintptr_t base = space == Space::shared ? thread_local_base() : 0;
    const Symbol *s = containing(space == Space::shared ? w->launch->shared : device_symbols(), address - base);
    if (s) return element_at(*s, w->launch->kernel, (long)(address - base - s->low)).element;
    auto at = space == Space::global ? find_allocation(address) : allocations.end();
    const size_t bytes = at == allocations.end() ? 0 : at->high - at->low;
    const bool whole = bytes > 0 && bytes % size == 0;
    return (whole ? "element " + std::to_string(offset / size) + " of " + std::to_string(bytes / size)
                  : std::to_string(size) + " bytes at offset " + std::to_string(offset) +
                        (space == Space::shared ? " of dynamic shared memory" : "")) +
           (bytes ? ", allocated " + memory_place(at->place) : "");
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
    std::string text = std::to_string(bytes) + " bytes, made " + memory_place(a.place);
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
           std::to_string((at->high - at->low) / size) + ", allocated " + memory_place(at->place) +
           ": an index of 32 bits overflows";
}

std::string whereabouts(const Worker *w, uintptr_t address, unsigned size) {
    std::string where;
    if (address < 4096) {
        where = "through a null pointer";
    } else if (const std::string far = overflow(address, size); !far.empty()) {
        where = far;
    } else if (const Freed *f = find_freed(address)) {
        where = "in memory that was freed in " + host_place_name(f->freed) + " (allocated " +
                memory_place(f->allocated) + ")";
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
        const uintptr_t own = (uintptr_t)stack_of(w, w->lane);
        where = address - own < STACK_BYTES ? "in the thread's own memory, outside of its variables"
                                            : "in another thread's local memory";
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
    return (isdigit((unsigned char)where[0]) ? ", " : " ") + where;
}

} // namespace wl_sim
