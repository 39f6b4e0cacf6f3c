/* The matrix cut into tiles, and what of the data is added up in them. */
#include <stdlib.h>
#include <string.h>

#include "distances/matrix/internal.h"
#include "harness/base/random.h"

distances_tile distances_tile_at(const distances_grid *grid, size_t i, size_t j) {
    distances_tile tile = {.row = i * grid->side, .column = j * grid->side};
    tile.rows = grid->count - tile.row < grid->side ? grid->count - tile.row : grid->side;
    tile.columns = grid->count - tile.column < grid->side ? grid->count - tile.column : grid->side;
    return tile;
}

distances_tile distances_tile_numbered(const distances_grid *grid, size_t number) {
    size_t low = 0, high = grid->across - 1; // the last tile row that does not begin behind it
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (distances_tile_number(grid, middle, middle) <= number)
            low = middle;
        else
            high = middle - 1;
    }
    return distances_tile_at(grid, low, low + number - distances_tile_number(grid, low, low));
}

double distances_tile_pairs(const distances_tile *tile) {
    double rows = (double)tile->rows, columns = (double)tile->columns;
    return distances_on_diagonal(tile) ? rows * (rows - 1) / 2 : rows * columns;
}

wl_status distances_stored_for(const distances_data *data, distances_measure measure, distances_stored *stored) {
    static const char *const kinds[] = {"letters", "genotypes", "integers", "real numbers", "haploid genotypes"};
    static const char *const measures[] = {"the count of differing sites", "the allele-count difference",
                                           "identity by state", "the squared Euclidean distance",
                                           "the Manhattan distance"};
    static const char *const meant[] = {"letters, genotypes or integers", "genotypes", "genotypes",
                                        "genotypes, integers or real numbers", "genotypes, integers or real numbers"};
    int letters = data->kind == DISTANCES_LETTERS || data->kind == DISTANCES_HAPLOID,
        reals = data->kind == DISTANCES_REALS;
    int is_meant = measure == DISTANCES_COUNT                                 ? !reals
                   : measure == DISTANCES_ALLELES || measure == DISTANCES_IBS ? data->kind == DISTANCES_GENOTYPES
                                                                              : !letters;
    if (!is_meant)
        return wl_fail(WL_BAD_USAGE, "the data are %s; expected %s for %s", kinds[data->kind], meant[measure],
                       measures[measure]);
    if (measure == DISTANCES_COUNT)
        *stored = DISTANCES_STORED_DIFFERENT;
    else if (measure == DISTANCES_EUCLIDEAN2)
        *stored = DISTANCES_STORED_SQUARES;
    else
        *stored = !reals && data->sum == DISTANCES_STEPS ? DISTANCES_STORED_STEPS : DISTANCES_STORED_MAGNITUDES;
    return WL_OK;
}

/* --- Which data a store is of ------------------------------------------------------------------------------------ */

static uint64_t hash_words(const void *words, size_t count) {
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

static uint64_t hash_text(const char *text) {
    uint64_t hash = 0xCBF29CE484222325u; // FNV-1a
    for (; text && *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001B3u;
    return wl_random_mix(hash);
}

uint64_t distances_data_hash(const distances_data *data, int threads) {
    size_t each = data->real ? data->sites : (size_t)(data->planes + 1) * data->words; // 64-bit words
    const unsigned char *values = data->real ? (const void *)data->real : (const void *)data->bits;
    uint64_t facts[] = {
        data->kind, data->count, data->sites, data->sum, (uint64_t)data->planes, (uint64_t)data->complete};
    uint64_t hash = hash_words(facts, sizeof facts / sizeof *facts), sum = 0;
    /* A sum does not depend on the order in which threads add; the number of the instance is in each term. */
#pragma omp parallel for num_threads(threads) reduction(+ : sum) schedule(static)
    for (size_t i = 0; i < data->count; i++) {
        uint64_t value = hash_words(values + sizeof(uint64_t) * each * i, each);
        sum += wl_random_mix(wl_random_mix(value + i) ^ hash_text(data->names ? data->names[i] : ""));
    }
    return wl_random_mix(hash ^ sum);
}
