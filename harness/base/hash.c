#include "harness/base/hash.h"

#include <string.h>

#include "harness/base/random.h"

uint64_t wl_hash_words(const void *words, size_t count) {
    enum { LANES = 4 }; // one multiplication need not wait for the other
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

enum { FNV_PRIME_LOW = 0x1B3 };
#define FNV_START UINT64_C(0xCBF29CE484222325)
static uint64_t fnv(uint64_t hash, unsigned char byte) { return (hash ^ byte) * (UINT64_C(1) << 40 | FNV_PRIME_LOW); }

uint64_t wl_hash_text(const char *text) {
    uint64_t hash = FNV_START; // FNV-1a
    for (; text && *text; text++) hash = fnv(hash, (unsigned char)*text);
    return wl_random_mix(hash);
}

uint64_t wl_hash_more(uint64_t before, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    uint64_t hash = before ^ FNV_START; // so that leading zeros count
    for (size_t i = 0; i < size; i++) hash = fnv(hash, at[i]);
    return hash ^ FNV_START;
}

uint64_t wl_hash_join(uint64_t before, uint64_t next) { return wl_random_mix(wl_random_mix(before) + next); }
