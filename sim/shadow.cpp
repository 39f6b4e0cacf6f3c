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
        const auto add = [&](auto *tags, size_t count) {
            for (auto *array : {&tags->write, &tags->read}) at[i] = (void **)array, bytes[i++] = count * sizeof **array;
            for (Place **array : {&tags->write_place, &tags->read_place})
                at[i] = (void **)array, bytes[i++] = count * sizeof(Place);
        };
        add(&m->words, words);
        add(&m->each, m->bytes);
        at[i] = (void **)&m->states;
        bytes[i] = (m->bytes >> m->page_bits) + 1;
    }
};

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

uint64_t *moments;
static std::atomic<uint32_t> moments_used{1}; // the first one is nobody's

static uint32_t new_number(uint64_t moment) {
    const bool is_full = moments_used.load(std::memory_order_relaxed) >= ByteTag::LOST;
    const uint32_t number = is_full ? ByteTag::LOST : std::min(moments_used++, ByteTag::LOST);
    if (number < ByteTag::LOST)
        moments[number] = moment;
    else if (active)
        active->unseen = true;
    return number;
}

uint32_t number_of(Worker *w, uint64_t moment) {
    Moment &known = w->numbered[moment >> 63][Tag{moment}.thread() / WARP];
    if (known.bits != moment) known = {moment, new_number(moment)};
    return known.number;
}

/* No block of the launch has the sequence before its first one. */
void start_moments(const Launch *launch) { moments[ByteTag::LOST] = (launch->first_sequence - 1) << Tag::BLOCK; }
bool has_few_moments(void) { return moments_used > ByteTag::MOMENTS / 2; }
void forget_moments(void) { moments_used = 1; }

template <class T> static void spread(const T *words, T *each, size_t word) {
    if (words != nullptr && words[word] != nullptr)
        for (size_t b = 0; b < ShadowMap::WORD; b++) each[word * ShadowMap::WORD + b] = words[word];
}
static void spread(const Tag *words, ByteTag *each, size_t word, Moment *last) {
    const Tag t = words[word];
    if (t.bits == 0) return;
    if (last->bits != moment_of(t)) *last = {moment_of(t), new_number(moment_of(t))};
    for (size_t b = 0; b < ShadowMap::WORD; b++) each[word * ShadowMap::WORD + b] = byte_tag(last->number, t);
}

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
    Moment written = {}, read = {};
    for (size_t word = first; word < first + in_page && word < map.bytes / ShadowMap::WORD; word++) {
        spread(map.words.write, map.each.write, word, &written);
        spread(map.words.read, map.each.read, word, &read);
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
    for (uintptr_t a = address; a < address + bytes; a++) tags_at(map, a).forget();
}

void Shadow::forget() const {
    if (by_word())
        map->words.write[at] = map->words.read[at] = {0};
    else
        map->each.write[at] = map->each.read[at] = {0};
}

} // namespace wl_sim
