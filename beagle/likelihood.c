/* Likelihoods: at a root, or across a branch, with derivatives by its length. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void sum_partials(const bg_instance *b, const unsigned char *from, const double *frequency, size_t tile,
                         double *sum, int32_t *exponent) {
    const cpu_root job = {.states = b->states,
                          .padded = b->padded,
                          .columns = b->tiles[tile].columns,
                          .stride = b->tile,
                          .frequency = frequency,
                          .partials = from,
                          .scale = from + b->scale_at,
                          .sum = sum};
    (b->few ? b->of->root_few : b->of->root)(&job);
    memcpy(exponent, from + b->exponent_at, sizeof *exponent * b->tiles[tile].columns);
}

/* A column of a buffer, partials or states, as plain numbers. */
static void column_of(const bg_instance *b, int buffer, size_t rate, size_t tile, size_t place, double *to,
                      int32_t *exponent) {
    const void *code = b->buffer[buffer].code;
    *exponent = 0;
    if (code == NULL) {
        bg_get_column(b, buffer, rate, tile, place, to, exponent);
        return;
    }
    const size_t column = tile * b->tile + place;
    const uint64_t set = b->few ? ((const uint8_t *)code)[column] : b->set[((const uint16_t *)code)[column]];
    for (size_t s = 0; s < b->states; s++) to[s] = (double)(set >> s & 1);
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
        column_of(b, subset->parent, rate, tile, place, parent, &exponent);
        if (subset->child >= 0) column_of(b, subset->child, rate, tile, place, child, &more);
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

/* sum_s f_s F_s P[s][code] of each column; F of either type. */
#define SUM_TIP_OF(real)                                                                                      \
    static void sum_tip_##real(const bg_instance *b, const real *F, const real *scale, const uint16_t *code,  \
                               const double *frequency, const bg_matrix *matrix, size_t rate, size_t tile,    \
                               double *sum) {                                                                 \
        const double *P = matrix->column + rate * b->states * b->row;                                         \
        for (size_t c = 0; c < b->tiles[tile].columns; c++, F += b->padded) {                                 \
            double parts[4] = {0};                                                                            \
            if (code[c] < b->states) {                                                                        \
                const double *seen = P + code[c] * b->row;                                                    \
                for (size_t s = 0; s < b->states; s++) parts[s % 4] += frequency[s] * F[s] * seen[s];         \
            } else {                                                                                          \
                for (size_t s = 0; s < b->states; s++) parts[s % 4] += frequency[s] * F[s] * matrix->missing; \
            }                                                                                                 \
            sum[c] = (parts[0] + parts[1] + (parts[2] + parts[3])) * scale[c];                                \
        }                                                                                                     \
    }
SUM_TIP_OF(float)
SUM_TIP_OF(double)

static void sum_branch(bg_instance *b, const bg_request *request, size_t i, size_t rate, size_t tile, void *scratch) {
    const bg_subset *subset = &request->subsets[i];
    const bg_matrix *matrix = &b->matrix[subset->matrix[0]];
    const double *frequency = b->frequency[subset->frequencies];
    double *sum = sums_of(b, request, i, 0, rate, tile);
    int32_t *exponent = exponents_of(b, i, rate, tile);
    if (!b->few && b->buffer[subset->child].code != NULL && b->buffer[subset->parent].code == NULL) {
        const unsigned char *from = bg_partials(b, subset->parent, rate, tile);
        const uint16_t *code = (const uint16_t *)b->buffer[subset->child].code + tile * b->tile;
        if (b->number == sizeof(float))
            sum_tip_float(b, (const float *)from, (const float *)(from + b->scale_at), code, frequency, matrix, rate,
                          tile, sum);
        else
            sum_tip_double(b, (const double *)from, (const double *)(from + b->scale_at), code, frequency, matrix, rate,
                           tile, sum);
        memcpy(exponent, from + b->exponent_at, sizeof *exponent * b->tiles[tile].columns);
        return;
    }
    /* A join of the two whose result is the root. */
    cpu_child child[2];
    unsigned char *to = (unsigned char *)scratch + b->vector_at;
    bg_child(b, &child[0], subset->child, matrix->packed + rate * b->matrix_bytes, matrix->missing, rate, tile);
    bg_child(b, &child[1], subset->parent, b->identity, 1, rate, tile);
    bg_join(b, child, to, tile, scratch);
    sum_partials(b, to, frequency, tile, sum, exponent);
}

void bg_sum_tile(bg_instance *b, const bg_request *request, size_t rate, size_t tile, void *scratch) {
    for (size_t i = 0; i < request->count; i++) {
        const bg_subset *subset = &request->subsets[i];
        const int is_root = subset->child < 0;
        if (request->derivatives > 0 || (is_root && b->buffer[subset->parent].code != NULL))
            sum_columns(b, request, i, rate, tile);
        else if (is_root)
            sum_partials(b, bg_partials(b, subset->parent, rate, tile), b->frequency[subset->frequencies], tile,
                         sums_of(b, request, i, 0, rate, tile), exponents_of(b, i, rate, tile));
        else
            sum_branch(b, request, i, rate, tile, scratch);
    }
}

/* ---- all rate classes and subsets ---- */

static double two_to(int32_t exponent) { /* 0 for what is too small to count */
    const union {
        uint64_t bits;
        double number;
    } x = {exponent < -1022 ? 0 : (uint64_t)(exponent + 1023) << 52};
    return x.number;
}

/* The sum over subsets and rate classes of weight * sum, and of the derivatives', all times 2^-*exponent. */
static void site_sums(const bg_instance *b, const bg_request *request, size_t column, double sum[3],
                      int32_t *exponent) {
    const size_t columns = bg_columns(b);
    int32_t most = INT32_MIN;
    for (size_t i = 0; i < request->count * b->rates; i++)
        if (b->exponent[i * columns + column] > most &&
            b->sum[sums_at(b, request, i / b->rates, 0, i % b->rates) + column] != 0)
            most = b->exponent[i * columns + column];
    sum[0] = sum[1] = sum[2] = 0;
    for (size_t i = 0; most != INT32_MIN && i < request->count; i++)
        for (size_t r = 0; r < b->rates; r++) {
            const double times = b->weight[request->subsets[i].weights][r] *
                                 two_to(b->exponent[(i * b->rates + r) * columns + column] - most);
            for (int d = 0; d <= request->derivatives; d++)
                sum[d] += times * b->sum[sums_at(b, request, i, d, r) + column];
        }
    *exponent = most;
}

static void add_up(bg_instance *b, bg_request *request) {
    request->total[0] = request->total[1] = request->total[2] = 0;
    for (size_t c = 0; c < b->patterns; c++) {
        if (request->partition >= 0 && b->partition != NULL && b->partition[c] != request->partition) continue;
        double sum[3];
        int32_t exponent;
        site_sums(b, request, b->column[c], sum, &exponent);
        b->site[0][c] = sum[0] > 0 ? log(sum[0]) + exponent * M_LN2 : sum[0] == 0 ? -INFINITY : NAN;
        b->site[1][c] = sum[1] / sum[0];
        b->site[2][c] = sum[2] / sum[0] - b->site[1][c] * b->site[1][c];
        if (b->pattern_weight[c] == 0) continue; /* not 0 times infinity */
        for (int d = 0; d <= request->derivatives; d++) request->total[d] += b->pattern_weight[c] * b->site[d][c];
    }
}

/* ---- what clients call ---- */

static int is_full(const bg_instance *b, int buffer) {
    return buffer >= 0 && (size_t)buffer < b->buffers &&
           (b->buffer[buffer].code != NULL || b->buffer[buffer].partials != NULL);
}

static int is_right(const bg_instance *b, const bg_subset *subset, int derivatives) {
    if (!is_full(b, subset->parent) || subset->weights < 0 || (size_t)subset->weights >= b->eigens ||
        subset->frequencies < 0 || (size_t)subset->frequencies >= b->eigens)
        return 0;
    if (subset->child < 0) return subset->child == BEAGLE_OP_NONE;
    if (!is_full(b, subset->child)) return 0;
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
        if (subset->child < 0 || b->matrix[subset->matrix[0]].is_packed) continue;
        if (bg_flush(b, NULL) != BEAGLE_SUCCESS) return BEAGLE_ERROR_OUT_OF_MEMORY;
        bg_pack(b, subset->matrix[0]);
    }
    if (bg_flush(b, request) != BEAGLE_SUCCESS) return BEAGLE_ERROR_OUT_OF_MEMORY;
    add_up(b, request);
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

int beagleCalculateRootLogLikelihoods(int instance, const int *bufferIndices, const int *categoryWeightsIndices,
                                      const int *stateFrequenciesIndices, const int *cumulativeScaleIndices, int count,
                                      double *outSumLogLikelihood) {
    (void)cumulativeScaleIndices; /* likelihoods are true without: scaling.c */
    return answer(instance, &(question){.parents = bufferIndices,
                                        .weights = categoryWeightsIndices,
                                        .frequencies = stateFrequenciesIndices,
                                        .count = count,
                                        .total = {outSumLogLikelihood}});
}

int beagleCalculateRootLogLikelihoodsByPartition(int instance, const int *bufferIndices,
                                                 const int *categoryWeightsIndices, const int *stateFrequenciesIndices,
                                                 const int *cumulativeScaleIndices, const int *partitionIndices,
                                                 int partitionCount, int count, double *outSumLogLikelihoodByPartition,
                                                 double *outSumLogLikelihood) {
    (void)cumulativeScaleIndices;
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
    (void)cumulativeScaleIndices;
    return answer(instance,
                  &(question){.parents = parentBufferIndices,
                              .children = childBufferIndices,
                              .matrices = {probabilityIndices, firstDerivativeIndices, secondDerivativeIndices},
                              .weights = categoryWeightsIndices,
                              .frequencies = stateFrequenciesIndices,
                              .count = count,
                              .total = {outSumLogLikelihood, outSumFirstDerivative, outSumSecondDerivative}});
}

int beagleCalculateEdgeLogLikelihoodsByPartition(
    int instance, const int *parentBufferIndices, const int *childBufferIndices, const int *probabilityIndices,
    const int *firstDerivativeIndices, const int *secondDerivativeIndices, const int *categoryWeightsIndices,
    const int *stateFrequenciesIndices, const int *cumulativeScaleIndices, const int *partitionIndices,
    int partitionCount, int count, double *outSumLogLikelihoodByPartition, double *outSumLogLikelihood,
    double *outSumFirstDerivativeByPartition, double *outSumFirstDerivative, double *outSumSecondDerivativeByPartition,
    double *outSumSecondDerivative) {
    (void)cumulativeScaleIndices;
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
