/* The matrix cut into tiles, and what of the data is added up in them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/distances/matrix/internal.h"
#include "harness/base/hash.h"
#include "harness/base/random.h"

distances_grid distances_grid_square(size_t count, size_t side) {
    const size_t across = (count + side - 1) / side;
    return (distances_grid){.rows = count,
                            .columns = count,
                            .is_triangle = 1,
                            .side = side,
                            .wide = side,
                            .down = across,
                            .across = across};
}

/* Tiles before tile row i. */
static size_t tiles_before(const distances_grid *grid, size_t i) {
    if (!grid->is_triangle) return i * grid->across;
    const size_t stack = grid->wide / grid->side, whole = i / stack, rest = i % stack;
    return i * grid->across - stack * (whole * (whole - 1) / 2) - rest * whole; // of whole 0, 0 * anything
}

size_t distances_tile_number(const distances_grid *grid, size_t i, size_t j) {
    return tiles_before(grid, i) + j - distances_tile_first(grid, i);
}

size_t distances_tiles(const distances_grid *grid) { return tiles_before(grid, grid->down); }

distances_tile distances_tile_at(const distances_grid *grid, size_t i, size_t j) {
    const size_t row = i * grid->side, column = j * grid->wide;
    return (distances_tile){.row = row,
                            .rows = grid->rows - row < grid->side ? grid->rows - row : grid->side,
                            .column = grid->first + column,
                            .columns = grid->columns - column < grid->wide ? grid->columns - column : grid->wide};
}

distances_tile distances_tile_numbered(const distances_grid *grid, size_t number) {
    size_t low = 0, high = grid->down - 1; // finds the last tile row that begins at or before tile `number`
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (tiles_before(grid, middle) <= number)
            low = middle;
        else
            high = middle - 1;
    }
    return distances_tile_at(grid, low, distances_tile_first(grid, low) + number - tiles_before(grid, low));
}

double distances_tile_pairs(const distances_grid *grid, const distances_tile *tile) {
    double rows = (double)tile->rows, columns = (double)tile->columns;
    if (!grid->is_triangle || tile->column >= tile->row + tile->rows) return rows * columns;
    /* Row i of the tile has those after the diagonal. */
    return rows * (double)(tile->column + tile->columns - tile->row) - rows * (rows + 1) / 2;
}

/* Of which data a measure has a meaning, what is stored of them, and how error lines call both. */
enum {
    OF_LETTERS = 1,
    OF_GENOTYPES = 2,
    OF_INTEGERS = 4,
    OF_REALS = 8,
    OF_HAPLOIDS = 16,
    OF_NUCLEOTIDES = 32,
    OF_CATEGORIES = 64
};
static const struct {
    int of;
    distances_stored stored;
    const char *name, *meant;
} measures[] = {
    [DISTANCES_COUNT] = {OF_LETTERS | OF_GENOTYPES | OF_INTEGERS | OF_HAPLOIDS | OF_CATEGORIES,
                         DISTANCES_STORED_DIFFERENT, "the count of differing sites", "letters, genotypes or integers"},
    [DISTANCES_ALLELES] = {OF_GENOTYPES, DISTANCES_STORED_STEPS, "the allele-count difference",
                           "genotypes of two or more alleles"},
    [DISTANCES_IBS] = {OF_GENOTYPES, DISTANCES_STORED_STEPS, "identity by state", "genotypes of two or more alleles"},
    [DISTANCES_EUCLIDEAN2] = {OF_GENOTYPES | OF_INTEGERS | OF_REALS, DISTANCES_STORED_SQUARES,
                              "the squared Euclidean distance", "genotypes, integers or real numbers"},
    [DISTANCES_MANHATTAN] = {OF_GENOTYPES | OF_INTEGERS | OF_REALS, DISTANCES_STORED_STEPS, "the Manhattan distance",
                             "genotypes, integers or real numbers"},
    [DISTANCES_P] = {OF_LETTERS | OF_GENOTYPES | OF_INTEGERS | OF_HAPLOIDS | OF_CATEGORIES, DISTANCES_STORED_DIFFERENT,
                     "p-distance", "letters, genotypes or integers"},
#define MODEL "nucleotides, A, C, G and T alone (--nucleotide, --present ACGT),"
    [DISTANCES_JC69] = {OF_NUCLEOTIDES, DISTANCES_STORED_DIFFERENT, "the distance of Jukes and Cantor", MODEL},
    [DISTANCES_K80] = {OF_NUCLEOTIDES, DISTANCES_STORED_K80, "Kimura's distance", MODEL},
    [DISTANCES_TN93] = {OF_NUCLEOTIDES, DISTANCES_STORED_TN93, "the distance of Tamura and Nei", MODEL},
    [DISTANCES_LOGDET] = {OF_NUCLEOTIDES, DISTANCES_STORED_LOGDET, "the LogDet distance", MODEL},
#undef MODEL
};

/* In the order of distances_measure, as options name them. */
static const char *const words[] = {"differences", "alleles", "ibs", "euclidean2", "manhattan",
                                    "p-distance",  "jc69",    "k80", "tn93",       "logdet"};

static wl_status refuse(const char *kind, int of, distances_measure measure) {
    char others[128] = "";
    for (size_t i = 0, used = 0; i < sizeof words / sizeof *words && used < sizeof others; i++)
        if (of & measures[i].of)
            used += (size_t)snprintf(others + used, sizeof others - used, "%s%s", used ? " or " : "", words[i]);
    return wl_fail(WL_BAD_USAGE, "the data are %s; expected %s for %s (these data take --measure %s)", kind,
                   measures[measure].meant, measures[measure].name, others);
}

wl_status distances_stored_for(const distances_data *data, distances_measure measure, distances_stored *stored) {
    static const struct {
        int of;
        const char *name;
    } kinds[] = {[DISTANCES_LETTERS] = {OF_LETTERS, "letters"},
                 [DISTANCES_GENOTYPES] = {OF_GENOTYPES, "genotypes"},
                 [DISTANCES_INTEGERS] = {OF_INTEGERS, "integers"},
                 [DISTANCES_REALS] = {OF_REALS, "real numbers"},
                 [DISTANCES_HAPLOID] = {OF_HAPLOIDS, "haploid genotypes"},
                 [DISTANCES_CATEGORIES] = {OF_CATEGORIES, "allele numbers"}};
    const int of = kinds[data->kind].of | (data->nucleotides ? OF_NUCLEOTIDES : 0);
    if (!(of & measures[measure].of)) return refuse(kinds[data->kind].name, of, measure);
    *stored = measures[measure].stored;
    if (data->kind == DISTANCES_CATEGORIES && distances_are_real(data)) *stored = DISTANCES_STORED_UNEQUAL;
    if (*stored == DISTANCES_STORED_STEPS && (data->kind == DISTANCES_REALS || data->sum != DISTANCES_STEPS))
        *stored = DISTANCES_STORED_MAGNITUDES;
    return WL_OK;
}

wl_status distances_fit(const char *name, const distances_data *data, distances_measure measure) {
    distances_stored stored;
    const wl_status status = distances_stored_for(data, measure, &stored);
    return status == WL_OK ? WL_OK : wl_fail(WL_BAD_INPUT, "%s: %s", name, wl_error());
}

/* Two instances have at least as many common sites as both have values more than there are sites. */
int distances_may_lack(const distances_data *data, uint64_t min_compared) {
    return min_compared > 0 && 2 * (data->complete ? data->sites : data->least_values) < data->sites + min_compared;
}

/* --- Which data a store is of ------------------------------------------------------------------------------------ */

uint64_t distances_data_hash(const distances_data *data, int threads) {
    size_t each = data->real ? data->sites : (size_t)(data->planes + 1) * data->words; // 64-bit words
    const unsigned char *values = data->real ? (const void *)data->real : (const void *)data->bits;
    uint64_t facts[] = {
        data->kind, data->count, data->sites, data->sum, (uint64_t)data->planes, (uint64_t)data->complete};
    uint64_t hash = wl_hash_words(facts, sizeof facts / sizeof *facts), sum = 0;
    /* A sum does not depend on the order in which threads add; the number of the instance is in each term. */
#pragma omp parallel for num_threads(threads) reduction(+ : sum) schedule(static)
    for (size_t i = 0; i < data->count; i++) {
        uint64_t value = wl_hash_words(values + sizeof(uint64_t) * each * i, each);
        sum += wl_random_mix(wl_random_mix(value + i) ^ wl_hash_text(data->names ? data->names[i] : ""));
    }
    return wl_random_mix(hash ^ sum);
}
