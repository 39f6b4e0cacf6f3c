/* Likelihoods: at a root, or across a branch, with derivatives by its length. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beagle/device.h"
#include "beagle/instance.h"

static size_t sums_at(const bg_instance *b, const bg_request *request, size_t subset, int derivative, size_t rate) {
    return ((subset * (1 + (size_t)request->derivatives) + (size_t)derivative) * b->rates + rate) * bg_columns(b);
}

static double *sums_of(const bg_instance *b, const bg_request *request, size_t subset, int derivative, size_t rate,
                       size_t tile) {
    return b->sum + sums_at(b, request, subset, derivative, rate) + tile * b->tile;
}

static int32_t *exponents_of(const bg_instance *b, size_t subset, size_t rate, size_t tile) {
    return b->exponent + (subset * b->rates + rate) * bg_columns(b) + tile * b->tile;
}

/* ---- one tile and rate class ---- */

static cpu_root root_of(const bg_instance *b, const unsigned char *from, const bg_subset *subset, size_t tile,
                        double *sum) {
    return (cpu_root){.states = b->states,
                      .padded = b->padded,
                      .columns = b->tiles[tile].columns,
                      .stride = b->tile,
                      .frequency = b->frequency[subset->frequencies],
                      .partials = from,
                      .scale = from + b->scale_at,
                      .sum = sum};
}

static void sum_root(const bg_instance *b, const cpu_root *root, int32_t *exponent) {
    (b->few ? b->of->root_few : b->of->root)(root);
    memcpy(exponent, (const unsigned char *)root->partials + b->exponent_at, sizeof *exponent * root->columns);
}

/* A missing state gives what the matrix has for it, in place of the sum. */
static int is_missing(const bg_instance *b, int buffer, size_t column) {
    const void *code = b->buffer[buffer].code;
    if (code == NULL) return 0;
    return b->few ? ((const uint8_t *)code)[column] == CPU_FEW_SETS - 1 : ((const uint16_t *)code)[column] == b->states;
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
            for (size_t s = 0; s < b->states; s++) {
                double seen = matrix == NULL ? 1 : 0;
                if (matrix != NULL && is_missing(b, subset->child, tile * b->tile + place))
                    seen = matrix->missing;
                else if (matrix != NULL)
                    for (size_t j = 0; j < b->states; j++)
                        seen += matrix->column[(rate * b->states + j) * b->row + s] * child[j];
                sum += frequency[s] * parent[s] * seen;
            }
            sums_of(b, request, i, d, rate, tile)[place] = sum;
        }
    }
}

static void sum_branch(bg_instance *b, const bg_request *request, size_t i, size_t rate, size_t tile, void *scratch) {
    const bg_subset *subset = &request->subsets[i];
    const bg_matrix *matrix = &b->matrix[subset->matrix[0]];
    const unsigned char *packed = matrix->packed + rate * b->matrix_bytes;
    double *sum = sums_of(b, request, i, 0, rate, tile);
    int32_t *exponent = exponents_of(b, i, rate, tile);
    cpu_child child[2];
    bg_child(b, &child[0], subset->child, packed, matrix->missing, rate, tile);
    if (child[0].code != NULL && b->buffer[subset->parent].code == NULL) {
        cpu_root root = root_of(b, bg_partials(b, subset->parent, rate, tile), subset, tile, sum);
        root.code = child[0].code;
        root.missing = child[0].missing;
        root.matrix = b->few ? (const void *)packed : matrix->column + rate * b->states * b->row;
        sum_root(b, &root, exponent);
        return;
    }
    /* A join of the two whose result is the root. */
    unsigned char *to = (unsigned char *)scratch + b->vector_at;
    bg_child(b, &child[1], subset->parent, b->identity, 1, rate, tile);
    bg_join(b, child, to, tile, scratch);
    const cpu_root root = root_of(b, to, subset, tile, sum);
    sum_root(b, &root, exponent);
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
            sum_root(b, &root, exponents_of(b, i, rate, tile));
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
        b->core->mix(classes, weight, columns, bg_columns(b), b->sum + tile * b->tile, b->exponent + tile * b->tile,
                     sum, exponent);
        return;
    }
    /* Column by column: a derivative takes the likelihood's exponent. */
    for (size_t c = 0; c < columns; c++) {
        const size_t column = tile * b->tile + c;
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
        b->core->logarithm(last - first, b->by_column + first, b->of_column + first, b->site[0] + first);
        for (size_t c = first; c < last; c++)
            if (b->pattern_weight[c] != 0) sum += b->pattern_weight[c] * b->site[0][c]; /* not 0 times infinity */
    }
    return sum;
}

/* Of the tiles' columns in b->by_column: [1 + derivatives][tiles][tile] sums, and exponents. */
static void add_up(bg_instance *b, bg_request *request) {
    const size_t columns = bg_columns(b);
    for (int d = 0; d <= request->derivatives; d++)
        for (size_t t = 0; t < b->tile_count; t++)
            if (request->partition < 0 || b->tiles[t].partition == request->partition)
                tile_sums(b, request, d, t, b->by_column + (size_t)d * columns + t * b->tile,
                          b->of_column + t * b->tile);
    b->sites_are_stale = 0;
    request->total[0] = request->total[1] = request->total[2] = 0;
    if (b->partitions == 1 && request->derivatives == 0) {
        request->total[0] = add_up_in_order(b);
        return;
    }
    b->core->logarithm(columns, b->by_column, b->of_column, b->log_of_column);
    for (size_t c = 0; c < b->patterns; c++) {
        if (request->partition >= 0 && b->partition != NULL && b->partition[c] != request->partition) continue;
        const double *sum = b->by_column + b->column[c];
        b->site[0][c] = b->log_of_column[b->column[c]];
        if (request->derivatives > 0) b->site[1][c] = sum[columns] / *sum;
        if (request->derivatives > 1) b->site[2][c] = sum[2 * columns] / *sum - b->site[1][c] * b->site[1][c];
        if (b->pattern_weight[c] == 0) continue; /* not 0 times infinity */
        for (int d = 0; d <= request->derivatives; d++) request->total[d] += b->pattern_weight[c] * b->site[d][c];
    }
}

/* ---- what clients call ---- */

static int is_right(const bg_instance *b, const bg_subset *subset, int derivatives) {
    if (!bg_is_full(b, subset->parent) || subset->weights < 0 || (size_t)subset->weights >= b->eigens ||
        subset->frequencies < 0 || (size_t)subset->frequencies >= b->eigens)
        return 0;
    if (subset->child < 0) return subset->child == BEAGLE_OP_NONE;
    if (!bg_is_full(b, subset->child)) return 0;
    for (int d = 0; d <= derivatives; d++)
        if (subset->matrix[d] < 0 || (size_t)subset->matrix[d] >= b->matrices ||
            b->matrix[subset->matrix[d]].column == NULL)
            return 0;
    return 1;
}

/* The request done, its totals in b->total too. BEAGLE_ERROR_FLOATING_POINT where the log-likelihood is not finite. */
static int ask(bg_instance *b, bg_request *request) {
    for (size_t i = 0; i < request->count; i++)
        if (!is_right(b, &request->subsets[i], request->derivatives)) return BEAGLE_ERROR_OUT_OF_RANGE;
    for (size_t i = 0; i < request->count; i++) {
        const bg_subset *subset = &request->subsets[i];
        if (subset->child < 0 || b->device != NULL || b->matrix[subset->matrix[0]].is_packed) continue;
        if (bg_flush(b, NULL) != BEAGLE_SUCCESS) return BEAGLE_ERROR_OUT_OF_MEMORY;
        bg_pack(b, subset->matrix[0]);
    }
    const int code = bg_flush(b, request);
    if (code != BEAGLE_SUCCESS) return code;
    if (!request->is_done) add_up(b, request);
    memcpy(b->total, request->total, sizeof b->total);
    return isfinite(request->total[0]) ? BEAGLE_SUCCESS : BEAGLE_ERROR_FLOATING_POINT;
}

/* What both kinds of calls say: of branches and of roots (children NULL), of all patterns and by partition (partitions NULL). */
typedef struct {
    const int *parents, *children, *matrices[3], *weights, *frequencies;
    int count, partition_count;
    const int *partitions;
    double *by_partition[3], *total[3]; /* each may be NULL */
} question;

static bg_subset subset_of(const question *q, int i) {
    bg_subset subset = {.parent = q->parents[i],
                        .child = q->children == NULL ? BEAGLE_OP_NONE : q->children[i],
                        .weights = q->weights[i],
                        .frequencies = q->frequencies[i]};
    for (int d = 0; d < 3; d++) subset.matrix[d] = q->matrices[d] == NULL ? BEAGLE_OP_NONE : q->matrices[d][i];
    return subset;
}

static int answer(int instance, const question *q) {
    bg_instance *b = bg_enter(instance);
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
    if (q->count < 1) return bg_leave(b, BEAGLE_ERROR_OUT_OF_RANGE);
    if (q->partitions != NULL && q->count > 1) return bg_leave(b, BEAGLE_ERROR_NO_IMPLEMENTATION); /* as in BEAGLE */
    const int derivatives = q->matrices[0] == NULL || q->matrices[1] == NULL ? 0 : q->matrices[2] == NULL ? 1 : 2;
    const int requests = q->partitions == NULL ? 1 : q->partition_count, each = q->partitions == NULL ? q->count : 1;
    bg_subset *subsets = malloc(sizeof *subsets * (size_t)each);
    if (subsets == NULL) return bg_leave(b, BEAGLE_ERROR_OUT_OF_MEMORY);
    double all[3] = {0};
    int code = BEAGLE_SUCCESS;
    for (int n = 0; n < requests; n++) {
        for (int i = 0; i < each; i++) subsets[i] = subset_of(q, n * each + i);
        bg_request request = {.subsets = subsets,
                              .count = (size_t)each,
                              .partition = q->partitions == NULL ? BEAGLE_OP_NONE : q->partitions[n],
                              .derivatives = derivatives};
        const int one = request.partition >= b->partitions ? BEAGLE_ERROR_OUT_OF_RANGE : ask(b, &request);
        if (one != BEAGLE_SUCCESS) code = one;
        for (int d = 0; d < 3; d++) {
            all[d] += request.total[d];
            if (q->by_partition[d] != NULL && d <= derivatives) q->by_partition[d][n] = request.total[d];
        }
        if (one != BEAGLE_SUCCESS && one != BEAGLE_ERROR_FLOATING_POINT) break;
    }
    free(subsets);
    memcpy(b->total, all, sizeof all);
    for (int d = 0; d < 3; d++)
        if (q->total[d] != NULL && d <= derivatives) *q->total[d] = all[d];
    return bg_leave(b, code);
}

/* Of all patterns: as by partition, without partitions. */
int beagleCalculateRootLogLikelihoods(int instance, const int *bufferIndices, const int *categoryWeightsIndices,
                                      const int *stateFrequenciesIndices, const int *cumulativeScaleIndices, int count,
                                      double *outSumLogLikelihood) {
    return beagleCalculateRootLogLikelihoodsByPartition(instance, bufferIndices, categoryWeightsIndices,
                                                        stateFrequenciesIndices, cumulativeScaleIndices, NULL, 0, count,
                                                        NULL, outSumLogLikelihood);
}

int beagleCalculateRootLogLikelihoodsByPartition(int instance, const int *bufferIndices,
                                                 const int *categoryWeightsIndices, const int *stateFrequenciesIndices,
                                                 const int *cumulativeScaleIndices, const int *partitionIndices,
                                                 int partitionCount, int count, double *outSumLogLikelihoodByPartition,
                                                 double *outSumLogLikelihood) {
    (void)cumulativeScaleIndices; /* likelihoods are true without: scaling.c */
    return answer(instance, &(question){.parents = bufferIndices,
                                        .weights = categoryWeightsIndices,
                                        .frequencies = stateFrequenciesIndices,
                                        .count = count,
                                        .partition_count = partitionCount,
                                        .partitions = partitionIndices,
                                        .by_partition = {outSumLogLikelihoodByPartition},
                                        .total = {outSumLogLikelihood}});
}

int beagleCalculateEdgeLogLikelihoods(int instance, const int *parentBufferIndices, const int *childBufferIndices,
                                      const int *probabilityIndices, const int *firstDerivativeIndices,
                                      const int *secondDerivativeIndices, const int *categoryWeightsIndices,
                                      const int *stateFrequenciesIndices, const int *cumulativeScaleIndices, int count,
                                      double *outSumLogLikelihood, double *outSumFirstDerivative,
                                      double *outSumSecondDerivative) {
    return beagleCalculateEdgeLogLikelihoodsByPartition(
        instance, parentBufferIndices, childBufferIndices, probabilityIndices, firstDerivativeIndices,
        secondDerivativeIndices, categoryWeightsIndices, stateFrequenciesIndices, cumulativeScaleIndices, NULL, 0,
        count, NULL, outSumLogLikelihood, NULL, outSumFirstDerivative, NULL, outSumSecondDerivative);
}

int beagleCalculateEdgeLogLikelihoodsByPartition(
    int instance, const int *parentBufferIndices, const int *childBufferIndices, const int *probabilityIndices,
    const int *firstDerivativeIndices, const int *secondDerivativeIndices, const int *categoryWeightsIndices,
    const int *stateFrequenciesIndices, const int *cumulativeScaleIndices, const int *partitionIndices,
    int partitionCount, int count, double *outSumLogLikelihoodByPartition, double *outSumLogLikelihood,
    double *outSumFirstDerivativeByPartition, double *outSumFirstDerivative, double *outSumSecondDerivativeByPartition,
    double *outSumSecondDerivative) {
    (void)cumulativeScaleIndices; /* likelihoods are true without: scaling.c */
    return answer(instance,
                  &(question){.parents = parentBufferIndices,
                              .children = childBufferIndices,
                              .matrices = {probabilityIndices, firstDerivativeIndices, secondDerivativeIndices},
                              .weights = categoryWeightsIndices,
                              .frequencies = stateFrequenciesIndices,
                              .count = count,
                              .partition_count = partitionCount,
                              .partitions = partitionIndices,
                              .by_partition = {outSumLogLikelihoodByPartition, outSumFirstDerivativeByPartition,
                                               outSumSecondDerivativeByPartition},
                              .total = {outSumLogLikelihood, outSumFirstDerivative, outSumSecondDerivative}});
}

int beagleGetLogLikelihood(int instance, double *outSumLogLikelihood) {
    bg_instance *b = bg_enter(instance);
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
    *outSumLogLikelihood = b->total[0];
    return bg_leave(b, BEAGLE_SUCCESS);
}

int beagleGetDerivatives(int instance, double *outSumFirstDerivative, double *outSumSecondDerivative) {
    bg_instance *b = bg_enter(instance);
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
    *outSumFirstDerivative = b->total[1];
    if (outSumSecondDerivative != NULL) *outSumSecondDerivative = b->total[2];
    return bg_leave(b, BEAGLE_SUCCESS);
}

int beagleGetSiteLogLikelihoods(int instance, double *outLogLikelihoods) {
    bg_instance *b = bg_enter(instance);
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
    if (b->sites_are_stale) {
        const int code = bg_device_get_sites(b->device, b->site[0]);
        if (code != BEAGLE_SUCCESS) return bg_leave(b, code);
        b->sites_are_stale = 0;
    }
    memcpy(outLogLikelihoods, b->site[0], sizeof(double) * b->patterns);
    return bg_leave(b, BEAGLE_SUCCESS);
}

int beagleGetSiteDerivatives(int instance, double *outFirstDerivatives, double *outSecondDerivatives) {
    bg_instance *b = bg_enter(instance);
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
    memcpy(outFirstDerivatives, b->site[1], sizeof(double) * b->patterns);
    if (outSecondDerivatives != NULL) memcpy(outSecondDerivatives, b->site[2], sizeof(double) * b->patterns);
    return bg_leave(b, BEAGLE_SUCCESS);
}
