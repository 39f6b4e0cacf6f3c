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
    ShadowMap map;
};
cudaError_t wl_allocate_array(void **pointer, size_t bytes); // of a texture or surface
extern std::vector<Allocation> allocations;                  // by address; changed between launches only
extern uintptr_t arena, arena_end;
extern uintptr_t shared_low; // from here on the host may use it, too; before lies the kernels' heap (heap.cpp)
extern ShadowMap arena_map;
extern uintptr_t data_low, data_high; // where __device__ variables are: the program's own data
extern ShadowMap data_map;

/* The one at or before `address`; allocations.end(): none. */
std::vector<Allocation>::iterator find_allocation(uintptr_t address);
/* The one that `address` lies in, or null. */
const Registered *find_registered(uintptr_t address);
const Freed *find_freed(uintptr_t address);
/* The symbol of a sorted list that `address` is in, or null. */
const Symbol *containing(const std::vector<Symbol> &all, uintptr_t address);
bool is_guard(uintptr_t address); // what g++ keeps beside a __shared__ variable whose type has a constructor

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

// ---------------------------------------------------------------- what has happened to memory (shadow.cpp)

constexpr unsigned PAGE_BITS = 12, SHARED_PAGE_BITS = 8; // of a ShadowMap; shared arrays are small

inline void begin_event(Event &e) {
    e.lanes = 0;
    e.write_like = e.read_like = UINT64_MAX; // like no tag
    e.settled = nullptr;
}

/* May what the first lane of a step found out about an event serve the others, too? Then the event is settled (settled_access). */
inline bool may_settle(const Worker *w, Kind kind) { return w->simple && !(kind == Kind::load && has_guesses); }

/* Does memory still hold what it held when nobody had written it? */
inline bool poisoned(uintptr_t address, unsigned size) {
    const uint8_t *bytes = (const uint8_t *)address;
    for (unsigned b = 0; b < size; b++)
        if (bytes[b] != POISON) return false;
    return true;
}

/* A load that may turn out to be a guess. */
inline void note_load(Worker *w, uintptr_t address, unsigned size, Place place) {
    uint64_t value = 0;
    memcpy(&value, (const void *)address, size);
    w->loaded[w->lane][w->next_loaded[w->lane]++ % Worker::LOADS] = {address, place, value};
}

void *reserve(size_t bytes); // memory that costs nothing until somebody touches it; null: there is not so much

/* False: no room. A map takes no memory for what nobody has touched. */
bool make_map(ShadowMap *map, uintptr_t low, size_t bytes, unsigned page_bits, bool with_places);
void free_map(const ShadowMap &map);
void forget_map(const ShadowMap &map); // nobody has touched what it is about

inline const ShadowMap &global_map(uintptr_t address) {
    if (address >= arena && address < arena_end) return arena_map;
    if (address >= data_low && address < data_high) return data_map;
    return find_registered(address)->map;
}

extern uint64_t *moments; // [ByteTag::MOMENTS], from the first allocation or kernel on
void start_moments(const Launch *launch);
void forget_moments(void); // no tag of a byte, and no worker, has one any more
uint32_t number_of(Worker *w, uint64_t moment);

constexpr uint64_t TAG_KIND = (uint64_t)3 << Tag::KIND;
/* What `moments` has of it. */
inline uint64_t moment_of(Tag t) { return t.bits & ~(TAG_KIND | (WARP - 1)); }
inline ByteTag byte_tag(uint32_t number, Tag t) {
    return {number << ByteTag::MOMENT | t.kind() << ByteTag::KIND | t.thread() % WARP};
}
inline Tag whole_tag(Tag t) { return t; }
inline Tag whole_tag(ByteTag t) {
    return {moments[t.bits >> ByteTag::MOMENT] | (uint64_t)(t.bits >> ByteTag::KIND & 3) << Tag::KIND | t.bits % WARP};
}

/* The tags at an address: the first of as many as an access has units. */
struct Shadow {
    const ShadowMap *map;
    uintptr_t at;
    unsigned unit; // bytes that have a tag each
    bool by_word() const { return unit > 1; }
    Tag write(unsigned i) const { return by_word() ? map->words.write[at + i] : whole_tag(map->each.write[at + i]); }
    Tag read(unsigned i) const { return by_word() ? map->words.read[at + i] : whole_tag(map->each.read[at + i]); }
    void set_write(Worker *w, unsigned i, Tag t) const { set(w, map->words.write, map->each.write, i, t); }
    void set_read(Worker *w, unsigned i, Tag t) const { set(w, map->words.read, map->each.read, i, t); }
    // Of shared memory.
    Place *write_places() const { return (by_word() ? map->words.write_place : map->each.write_place) + at; }
    Place *read_places() const { return (by_word() ? map->words.read_place : map->each.read_place) + at; }
    void forget() const;

  private:
    void set(Worker *w, Tag *words, ByteTag *each, unsigned i, Tag t) const {
        if (by_word())
            __atomic_store_n(&words[at + i].bits, t.bits, __ATOMIC_RELEASE);
        else
            __atomic_store_n(&each[at + i].bits, byte_tag(number_of(w, moment_of(t)), t).bits, __ATOMIC_RELEASE);
    }
};
Shadow bytes_at(const ShadowMap &map, uintptr_t address); // the page goes over to bytes
/* As tags are there now. */
inline Shadow tags_at(const ShadowMap &map, uintptr_t address) {
    const unsigned unit = *map.state(address) == ShadowMap::by_word ? (unsigned)ShadowMap::WORD : 1;
    return {&map, (address - map.low) / unit, unit};
}
/* For an access that is aligned. */
inline Shadow shadow_of(const ShadowMap &map, uintptr_t address, unsigned size) {
    return size % ShadowMap::WORD == 0 && *map.state(address) == ShadowMap::by_word ? tags_at(map, address)
                                                                                    : bytes_at(map, address);
}

} // namespace wl_sim
