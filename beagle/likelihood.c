/* Likelihoods: at a root, or across a branch, with derivatives by its length. */
#include <math.h>

#include "beagle/instance.h"

static size_t sums_at(const bg_instance *b, const bg_request *request, size_t subset, int derivative, size_t rate) {
    return ((subset * (1 + (size_t)request->derivatives) + (size_t)derivative) * b->rates + rate) * bg_columns(b);
}

static double *sums_of(const bg_instance *b, const bg_request *request, size_t subset, int derivative, size_t rate,
                       size_t tile) {
    return b->sum + sums_at(b, request, subset, derivative, rate) + tile * b->layout.tile;
}

static int32_t *exponents_of(const bg_instance *b, size_t subset, size_t rate, size_t tile) {
    return b->exponent + (subset * b->rates + rate) * bg_columns(b) + tile * b->layout.tile;
}

/* ---- one tile and rate class ---- */

static cpu_root root_of(const bg_instance *b, const unsigned char *from, const bg_subset *subset, size_t tile,
                        double *sum) {
    return cpu_root_of(&b->layout, from, b->frequency[subset->frequencies], b->tiles[tile].columns, sum);
}

/* A missing state gives what the matrix has for it, in place of the sum. */
static int is_missing(const bg_instance *b, int buffer, size_t column) {
    const void *code = b->buffer[buffer].code;
    if (code == NULL) return 0;
    return b->layout.few ? ((const uint8_t *)code)[column] == CPU_FEW_SETS - 1
                         : ((const uint16_t *)code)[column] == b->layout.states;
}

/* Column by column, for what is rarely asked for: derivatives, and tips as roots. */
static void sum_columns(const bg_instance *b, const bg_request *request, size_t i, size_t rate, size_t tile) {
    const bg_subset *subset = &request->subsets[i];
    const double *frequency = b->frequency[subset->frequencies];
    for (size_t place = 0; place < b->tiles[tile].columns; place++) {
        double parent[PEELING_STATES_MOST], child[PEELING_STATES_MOST];
        int32_t exponent, more = 0;
        bg_get_column(b, subset->parent, rate, tile, place, parent, &exponent);
        if (subset->child >= 0) bg_get_column(b, subset->child, rate, tile, place, child, &more);
        exponents_of(b, i, rate, tile)[place] = exponent + more;
        for (int d = 0; d <= request->derivatives; d++) {
            const bg_matrix *matrix = subset->child >= 0 ? &b->matrix[subset->matrix[d]] : NULL;
            double sum = 0;
            for (size_t s = 0; s < b->layout.states; s++) {
                double seen = matrix == NULL ? 1 : 0;
                if (matrix != NULL && is_missing(b, subset->child, tile * b->layout.tile + place))
                    seen = matrix->missing;
                else if (matrix != NULL)
                    for (size_t j = 0; j < b->layout.states; j++)
                        seen += matrix->column[(rate * b->layout.states + j) * b->layout.row + s] * child[j];
                sum += frequency[s] * parent[s] * seen;
            }
            sums_of(b, request, i, d, rate, tile)[place] = sum;
        }
    }
}

static void sum_branch(bg_instance *b, const bg_request *request, size_t i, size_t rate, size_t tile, void *scratch) {
    const bg_subset *subset = &request->subsets[i];
    const bg_matrix *matrix = &b->matrix[subset->matrix[0]];
    double *sum = sums_of(b, request, i, 0, rate, tile);
    int32_t *exponent = exponents_of(b, i, rate, tile);
    const cpu_child below = bg_child(b, subset->child, matrix, rate, tile);
    int32_t power = matrix->power[rate];
    if (below.code != NULL && b->buffer[subset->parent].code == NULL) {
        cpu_root root = root_of(b, bg_partials(b, subset->parent, rate, tile), subset, tile, sum);
        root.code = below.code;
        root.matrix = below.matrix;
        root.missing = below.missing;
        if (!b->layout.few) { // as doubles
            root.matrix = matrix->column + rate * b->layout.states * b->layout.row;
            root.missing = matrix->missing - 1;
            power = 0;
        }
        cpu_sum_root(&b->layout, &root, exponent);
    } else { // a join of the two whose result is the root
        unsigned char *to = (unsigned char *)scratch + b->layout.scratch_bytes;
        const cpu_child child[2] = {below, bg_child(b, subset->parent, NULL, rate, tile)};
        cpu_join_vectors(&b->layout, child, b->set, b->tiles[tile].columns, to, scratch);
        const cpu_root root = root_of(b, to, subset, tile, sum);
        cpu_sum_root(&b->layout, &root, exponent);
    }
    for (size_t c = 0; power != 0 && c < b->tiles[tile].columns; c++) exponent[c] += power;
}

void bg_sum_tile(bg_instance *b, const bg_request *request, size_t rate, size_t tile, void *scratch) {
    for (size_t i = 0; i < request->count; i++) {
        const bg_subset *subset = &request->subsets[i];
        const int is_root = subset->child < 0;
        if (request->derivatives > 0 || (is_root && b->buffer[subset->parent].code != NULL)) {
            sum_columns(b, request, i, rate, tile);
        } else if (is_root) {
            const cpu_root root = root_of(b, bg_partials(b, subset->parent, rate, tile), subset, tile,
                                          sums_of(b, request, i, 0, rate, tile));
            cpu_sum_root(&b->layout, &root, exponents_of(b, i, rate, tile));
        } else {
            sum_branch(b, request, i, rate, tile, scratch);
        }
    }
}

/* ---- all rate classes and subsets ---- */

/* The sums over subsets and rate classes of a tile's columns: of the likelihoods or of a derivative, times 2^-exponent. */
static void tile_sums(const bg_instance *b, const bg_request *request, int derivative, size_t tile, double *sum,
                      int32_t *exponent) {
    const size_t classes = request->count * b->rates, columns = b->tiles[tile].columns;
    double *weight = b->class_weight;
    for (size_t i = 0; i < classes; i++) weight[i] = b->weight[request->subsets[i / b->rates].weights][i % b->rates];
    if (request->derivatives == 0) {
        b->layout.core->mix(classes, weight, columns, bg_columns(b), b->sum + tile * b->layout.tile,
                            b->exponent + tile * b->layout.tile, sum, exponent);
        return;
    }
    /* Column by column: a derivative takes the likelihood's exponent. */
    for (size_t c = 0; c < columns; c++) {
        const size_t column = tile * b->layout.tile + c;
        exponent[c] = INT32_MIN / 2;
        for (size_t i = 0; i < classes; i++)
            if (b->exponent[i * bg_columns(b) + column] > exponent[c] &&
                sums_of(b, request, i / b->rates, 0, i % b->rates, tile)[c] != 0)
                exponent[c] = b->exponent[i * bg_columns(b) + column];
        sum[c] = 0;
        for (size_t i = 0; i < classes; i++)
            sum[c] += weight[i] * ldexp(sums_of(b, request, i / b->rates, derivative, i % b->rates, tile)[c],
                                        b->exponent[i * bg_columns(b) + column] - exponent[c]);
    }
}

/* Logarithms and their sum where there is one partition, whose patterns are in the order of the columns. They are added one after the other,
   as BEAGLE does: BEAST's operators tune themselves by likelihoods, so that a chain shows in which order they were added. An addition
   waits for the one before; meanwhile the next block's logarithms are computed. */
static double add_up_in_order(bg_instance *b) {
    enum { BLOCK = 64 };
    double sum = 0;
    for (size_t first = 0; first < b->patterns; first += BLOCK) {
        const size_t last = first + BLOCK < b->patterns ? first + BLOCK : b->patterns;
        b->layout.core->logarithm(last - first, b->by_column + first, b->of_column + first, b->site[0] + first);
        for (size_t c = first; c < last; c++)
            if (b->pattern_weight[c] != 0) sum += b->pattern_weight[c] * b->site[0][c]; // not 0 times infinity
    }
    return sum;
}

/* Adds up all tiles. b->by_column [1 + derivatives][tiles][tile] gets the columns' sums, and b->of_column their exponents. */
void bg_add_up(bg_instance *b, bg_request *request) {
    const size_t columns = bg_columns(b);
    for (int d = 0; d <= request->derivatives; d++)
        for (size_t t = 0; t < b->tile_count; t++)
            if (request->partition < 0 || b->tiles[t].partition == request->partition)
                tile_sums(b, request, d, t, b->by_column + (size_t)d * columns + t * b->layout.tile,
                          b->of_column + t * b->layout.tile);
    b->sites_are_stale = 0;
    request->total[0] = request->total[1] = request->total[2] = 0;
    if (b->partitions == 1 && request->derivatives == 0) {
        request->total[0] = add_up_in_order(b);
        return;
    }
    b->layout.core->logarithm(columns, b->by_column, b->of_column, b->log_of_column);
    for (size_t c = 0; c < b->patterns; c++) {
        if (request->partition >= 0 && b->partition != NULL && b->partition[c] != request->partition) continue;
        const double *sum = b->by_column + b->column[c];
        b->site[0][c] = b->log_of_column[b->column[c]];
        if (request->derivatives > 0) b->site[1][c] = sum[columns] / *sum;
        if (request->derivatives > 1) b->site[2][c] = sum[2 * columns] / *sum - b->site[1][c] * b->site[1][c];
        if (b->pattern_weight[c] == 0) continue; // not 0 times infinity
        for (int d = 0; d <= request->derivatives; d++) request->total[d] += b->pattern_weight[c] * b->site[d][c];
    }
}
