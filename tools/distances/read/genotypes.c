#include "tools/distances/read/genotypes.h"

#include <string.h>

enum { MANY = 2048 };                   // samples, for which a block is worth threads
enum { WORD = 64, SAMPLES = WORD / 2 }; // bits of a word, and the samples whose genotypes it holds

/* Bit c of word r becomes bit r of word c: halves change places, then quarters, down to single bits. */
static void transpose(uint64_t word[WORD]) {
    uint64_t mask = UINT64_C(0x00000000FFFFFFFF);
    for (int half = WORD / 2; half > 0; half /= 2, mask ^= mask << half)
        for (int pair = 0; pair < WORD; pair += 2 * half)
            for (int r = pair; r < pair + half; r++) {
                uint64_t other = (word[r] >> half ^ word[r + half]) & mask;
                word[r] ^= other << half;
                word[r + half] ^= other;
            }
}

wl_status distances_genotype_rows(distances_rows *rows, size_t count, uint64_t sites) {
    rows->data.kind = DISTANCES_GENOTYPES;
    rows->data.sum = DISTANCES_STEPS;
    distances_rows_shape(rows, sites, 2);
    wl_status status = distances_rows_reserve(rows, count);
    if (status == WL_OK) rows->data.count = count;
    return status;
}

/* 64 sites (fewer: `sites`) of 32 samples from `sample` on, into word w of their planes. */
static void square(distances_data *data, const uint8_t *block, size_t bytes, size_t sites, size_t sample, size_t w) {
    uint64_t word[WORD];
    for (size_t k = 0; k < WORD; k++) {
        word[k] = 0;
        if (k < sites) memcpy(&word[k], block + k * bytes + sample / 4, sizeof word[k]);
    }
    transpose(word);
    const uint64_t valid = sites < WORD ? ((uint64_t)1 << sites) - 1 : UINT64_MAX;
    const size_t samples = data->count - sample < SAMPLES ? data->count - sample : SAMPLES, words = data->words;
    for (size_t i = 0; i < samples; i++) {
        uint64_t *planes = data->bits + (sample + i) * 3 * words + w; // [3][words], from word w on
        const uint64_t low = word[2 * i], high = word[2 * i + 1];
        planes[0] = ~low & valid;                  // more than none: 00 and 10
        planes[words] = ~(low | high) & valid;     // more than one: 00
        planes[2 * words] = (~low | high) & valid; // present: all but 01
    }
}

void distances_block(distances_data *data, const uint8_t *block, uint64_t first, size_t count) {
    const size_t bytes = distances_site_bytes(data->count), word = (size_t)(first / WORD);
#pragma omp parallel for schedule(static) if (data->count >= MANY)
    for (size_t sample = 0; sample < data->count; sample += SAMPLES)
        /* All of the block's words, so that a cache line is written whole; and the last block's, which has no sites there. */
        for (size_t w = 0; w < DISTANCES_WORDS_ALIGN; w++) {
            const size_t before = w * WORD, sites = before >= count ? 0 : count - before < WORD ? count - before : WORD;
            square(data, block + before * bytes, bytes, sites, sample, word + w);
        }
}
