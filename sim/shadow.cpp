/* Who wrote and who read memory last: by word, or by byte where a kernel touches parts of words (ShadowMap in internal.h). */
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim/memory.h"

namespace wl_sim {

void *reserve(size_t bytes) {
    void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? nullptr : p;
}

/* The arrays of a map, and their sizes. */
struct Arrays {
    static constexpr int COUNT = 9;
    void **at[COUNT];
    size_t bytes[COUNT];
    explicit Arrays(ShadowMap *m) {
        const size_t words = m->bytes / ShadowMap::WORD;
        int i = 0;
        for (Tags *t : {&m->words, &m->each}) {
            const size_t count = t == &m->words ? words : m->bytes;
            for (void **array :
                 {(void **)&t->write, (void **)&t->read, (void **)&t->write_place, (void **)&t->read_place})
                at[i] = array, bytes[i++] = count * sizeof(Tag);
        }
        at[i] = (void **)&m->states;
        bytes[i] = (m->bytes >> m->page_bits) + 1;
    }
};
static_assert(sizeof(Place) == sizeof(Tag));

bool make_map(ShadowMap *map, uintptr_t low, size_t bytes, unsigned page_bits, bool with_places) {
    *map = {};
    map->low = low >> page_bits << page_bits; // then words are where the hardware has them
    map->bytes = (low + bytes - map->low + ShadowMap::WORD - 1) / ShadowMap::WORD * ShadowMap::WORD;
    map->page_bits = page_bits;
    const Arrays arrays(map);
    bool made = true;
    for (int i = 0; i < Arrays::COUNT; i++) {
        const bool place =
            arrays.at[i] == (void **)&map->words.write_place || arrays.at[i] == (void **)&map->words.read_place ||
            arrays.at[i] == (void **)&map->each.write_place || arrays.at[i] == (void **)&map->each.read_place;
        if (!place || with_places) made &= (*arrays.at[i] = reserve(arrays.bytes[i])) != nullptr;
    }
    if (!made) free_map(*map);
    return made;
}

void free_map(const ShadowMap &map) {
    ShadowMap m = map;
    const Arrays arrays(&m);
    for (int i = 0; i < Arrays::COUNT; i++)
        if (*arrays.at[i]) munmap(*arrays.at[i], arrays.bytes[i]);
}

void forget_map(const ShadowMap &map) {
    ShadowMap m = map;
    const Arrays arrays(&m);
    for (int i = 0; i < Arrays::COUNT; i++)
        if (*arrays.at[i]) madvise(*arrays.at[i], arrays.bytes[i], MADV_DONTNEED);
}

/* All threads of the program come by a barrier of memory here, without one of their own in what runs at each access. On Linux before
   4.14, which lacks it, an access at the very moment may be forgotten. */
static void wait_for_accesses(void) {
    static const bool there = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    if (there) syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

template <class T> static void spread(const T *words, T *each, size_t word) {
    if (words != nullptr && words[word] != T{})
        for (size_t b = 0; b < ShadowMap::WORD; b++) each[word * ShadowMap::WORD + b] = words[word];
}
static bool operator!=(Tag a, Tag b) { return a.bits != b.bits; }

/* Other workers go on meanwhile. One that has found the page by word, and stores a tag there after it was copied, looks at the state again
   and sees that it has changed. */
[[gnu::cold, gnu::noinline]] static void go_over_to_bytes(const ShadowMap &map, size_t page) {
    static std::mutex mutex;
    std::lock_guard<std::mutex> guard(mutex);
    uint8_t &state = map.states[page];
    if (state == ShadowMap::by_byte) return;
    __atomic_store_n(&state, ShadowMap::changing, __ATOMIC_SEQ_CST);
    if (map.words.write_place == nullptr) wait_for_accesses(); // shared memory is one worker's own
    const size_t first = (page << map.page_bits) / ShadowMap::WORD,
                 in_page = ((size_t)1 << map.page_bits) / ShadowMap::WORD;
    for (size_t word = first; word < first + in_page && word < map.bytes / ShadowMap::WORD; word++) {
        spread(map.words.write, map.each.write, word);
        spread(map.words.read, map.each.read, word);
        spread(map.words.write_place, map.each.write_place, word);
        spread(map.words.read_place, map.each.read_place, word);
    }
    __atomic_store_n(&state, ShadowMap::by_byte, __ATOMIC_SEQ_CST);
}

Shadow bytes_at(const ShadowMap &map, uintptr_t address) {
    if (__atomic_load_n(map.state(address), __ATOMIC_ACQUIRE) != ShadowMap::by_byte)
        go_over_to_bytes(map, (address - map.low) >> map.page_bits);
    return tags_at(map, address);
}

void forget_range(uintptr_t address, size_t bytes) {
    const ShadowMap &map = global_map(address);
    for (uintptr_t a = address; a < address + bytes; a++) {
        const Shadow s = tags_at(map, a);
        *s.write = *s.read = {0};
    }
}

} // namespace wl_sim
