#include "harness/base/hash.h"

#include <string.h>

#include "harness/base/random.h"

uint64_t wl_hash_words(const void *words, size_t count) {
    enum { LANES = 4 }; /* one multiplication need not wait for the other */
    uint64_t lane[LANES] = {1, 2, 3, 4}, hash = count;
    const unsigned char *at = words;
    for (size_t i = 0; i < count; i++, at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        word ^= lane[i % LANES];
        lane[i % LANES] = (word ^ word >> 29) * 0x9E3779B97F4A7C15u;
    }
    for (int i = 0; i < LANES; i++) hash = wl_random_mix(hash ^ lane[i]);
    return hash;
}

uint64_t wl_hash_bytes(const void *bytes, size_t size) {
    const size_t words = size / sizeof(uint64_t), rest = size % sizeof(uint64_t);
    uint64_t last = 0;
    if (rest > 0) memcpy(&last, (const unsigned char *)bytes + words * sizeof last, rest);
    return wl_hash_join(wl_hash_join(wl_hash_words(bytes, words), last), size);
}

uint64_t wl_hash_text(const char *text) {
    uint64_t hash = 0xCBF29CE484222325u; /* FNV-1a */
    for (; text && *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001B3u;
    return wl_random_mix(hash);
}

uint64_t wl_hash_join(uint64_t before, uint64_t next) { return wl_random_mix(wl_random_mix(before) + next); }
