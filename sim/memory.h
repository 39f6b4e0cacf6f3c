/* Within the simulated device: its memory, where an address lies, and what has happened to each byte. */
#pragma once

#include <algorithm>
#include <deque>
#include <mutex>

#include "cuda_runtime.h"
#include "sim/internal.h"

// The linker brackets the section that __constant__ names; weak, since a program may have none.
extern "C" char __start_wl_constant[] __attribute__((weak)), __stop_wl_constant[] __attribute__((weak));

namespace wl_sim {

// ---------------------------------------------------------------- device memory (memory.cpp)

typedef std::pair<uintptr_t, uintptr_t> Interval;
struct Allocation {
    uintptr_t low, high;
    size_t serial;           // of all allocations of the program
    uint64_t first_sequence; // of the blocks that may have written to it
    HostPlace place;
    std::vector<Interval> written; // by the host; sorted, apart
    Home home;
    bool by_handle; // an array: kernels get there through a texture or surface, without a pointer
};
/* Memory that has been freed, and which nobody gets again for a while: whoever uses it is told. */
struct Freed {
    uintptr_t low, high;
    HostPlace allocated, freed;
};
/* Host memory that kernels may use: cudaHostRegister. */
struct Registered {
    uintptr_t low, high;
    Tag *write, *read;
};
cudaError_t wl_allocate_array(void **pointer, size_t bytes); // of a texture or surface
extern std::vector<Allocation> allocations;                  // by address; changed between launches only
extern uintptr_t arena, arena_end;
extern uintptr_t shared_low; // from here on the host may use it, too; before lies the kernels' heap (heap.cpp)
extern Tag *global_write, *global_read; // by byte of the arena; pages nobody touches cost nothing
extern uintptr_t data_low, data_high;   // where __device__ variables are: the program's own data
extern Tag *data_write, *data_read;

/* The one at or before `address`; allocations.end(): none. */
std::vector<Allocation>::iterator find_allocation(uintptr_t address);
/* The one that `address` lies in, or null. */
const Registered *find_registered(uintptr_t address);
const Freed *find_freed(uintptr_t address);
/* The symbol of a sorted list that `address` is in, or null. */
const Symbol *containing(const std::vector<Symbol> &all, uintptr_t address);

// ---------------------------------------------------------------- where an address lies (places.cpp)

struct Region {
    Space space;
    uintptr_t low, high;
};
/* Asked for when an address is not in the region that the lanes before went to. */
Region locate(Worker *w, uintptr_t address);
/* Where an address lies that is in no memory of the kernel's. */
std::string whereabouts(const Worker *w, uintptr_t address, unsigned size);
/* The element that an access touches: "dist[3]"; in memory that has no name, "element 3 of 630, allocated in prepare, kernel.cu:12",
   where an element is as wide as the access. */
std::string touched(const Worker *w, uintptr_t address, unsigned size, Space space, uintptr_t offset);

// ---------------------------------------------------------------- what has happened to a byte (races.cpp)

struct Shadow {
    Tag *write, *read;
    Place *write_place, *read_place; // null for global memory, where they would cost too much
};

inline Shadow global_shadow(uintptr_t address) {
    if (address >= arena && address < arena_end)
        return {global_write + (address - arena), global_read + (address - arena), nullptr, nullptr};
    if (address >= data_low && address < data_high)
        return {data_write + (address - data_low), data_read + (address - data_low), nullptr, nullptr};
    const Registered *r = find_registered(address);
    return {r->write + (address - r->low), r->read + (address - r->low), nullptr, nullptr};
}

} // namespace wl_sim
