/* The interface. Every call of a client enters here, with two exceptions: benchmark.c is a client
   itself, and version4.c offers nothing. */
#include <stddef.h>

#include "beagle/instance.h"

/* The rest of a function. It returns what `call` returns, in which `b` is the instance of this
   number, locked. */
#define RETURN_ON(number, call)        \
    bg_instance *b = bg_enter(number); \
    return b == NULL ? BEAGLE_ERROR_UNINITIALIZED_INSTANCE : bg_leave(b, (call))

/* ---- the library ---- */

const char *beagleGetVersion(void) { return "3.1.2"; } /* the interface's; clients read it */

const char *beagleGetCitation(void) {
    return "Suchard MA, Rambaut A (2009) Many-core algorithms for statistical phylogenetics. Bioinformatics "
           "25:1370-1376\n"
           "Ayres DL et al. (2019) BEAGLE 3: improved performance, scaling, and usability for a high-performance "
           "computing\n"
           "library for statistical phylogenetics. Systematic Biology 68:1052-1061 (the interface)\n"
           "computed by Warpladder's peeling kernels\n";
}

BeagleResourceList *beagleGetResourceList(void) { return bg_resources(); }

/* ---- instances ---- */

int beagleCreateInstance(int tipCount, int partialsBufferCount, int compactBufferCount, int stateCount,
                         int patternCount, int eigenBufferCount, int matrixBufferCount, int categoryCount,
                         int scaleBufferCount, int *resourceList, int resourceCount, long preferenceFlags,
                         long requirementFlags, BeagleInstanceDetails *returnInfo) {
    if (tipCount < 0 || partialsBufferCount < 0 || compactBufferCount < 0 || patternCount < 1 || eigenBufferCount < 0 ||
        matrixBufferCount < 0 || categoryCount < 1 || scaleBufferCount < 0 || stateCount < 2)
        return bg_refuse(BEAGLE_ERROR_OUT_OF_RANGE,
                         "found a negative count, or less than 2 states, 1 pattern or 1 category");
    if (stateCount > PEELING_STATES_MOST)
        return bg_refuse(BEAGLE_ERROR_NO_IMPLEMENTATION, "found %d states; expected at most %d", stateCount,
                         PEELING_STATES_MOST);
    const bg_wish wish = {.tips = tipCount,
                          .partials = partialsBufferCount,
                          .compact = compactBufferCount,
                          .states = stateCount,
                          .patterns = patternCount,
                          .eigens = eigenBufferCount,
                          .matrices = matrixBufferCount,
                          .rates = categoryCount,
                          .scales = scaleBufferCount,
                          .resources = resourceList,
                          .resource_count = resourceCount,
                          .preferences = preferenceFlags,
                          .requirements = requirementFlags};
    return bg_create(&wish, returnInfo);
}

int beagleFinalizeInstance(int instance) { return bg_end(instance); }

int beagleFinalize(void) { return bg_end_all(); }

int beagleSetCPUThreadCount(int instance, int threadCount) {
    if (threadCount < 1) return BEAGLE_ERROR_OUT_OF_RANGE;
    RETURN_ON(instance, bg_set_threads(b, threadCount));
}

/* ---- buffers ---- */

int beagleSetTipPartials(int instance, int tipIndex, const double *inPartials) {
    RETURN_ON(instance, bg_set_partials(b, tipIndex, inPartials, 0));
}

int beagleSetPartials(int instance, int bufferIndex, const double *inPartials) {
    RETURN_ON(instance, bg_set_partials(b, bufferIndex, inPartials, 1));
}

int beagleGetPartials(int instance, int bufferIndex, int scaleIndex, double *outPartials) {
    RETURN_ON(instance, bg_get_partials(b, bufferIndex, scaleIndex, 1, outPartials));
}

int beagleSetTipStates(int instance, int tipIndex, const int *inStates) {
    RETURN_ON(instance, bg_set_states(b, tipIndex, inStates));
}

int beagleSetStateFrequencies(int instance, int stateFrequenciesIndex, const double *inStateFrequencies) {
    RETURN_ON(instance, bg_set_row(b, b->frequency, stateFrequenciesIndex, inStateFrequencies, b->layout.states));
}

int beagleSetCategoryWeights(int instance, int categoryWeightsIndex, const double *inCategoryWeights) {
    RETURN_ON(instance, bg_set_row(b, b->weight, categoryWeightsIndex, inCategoryWeights, b->rates));
}

int beagleSetPatternWeights(int instance, const double *inPatternWeights) {
    RETURN_ON(instance, bg_set_pattern_weights(b, inPatternWeights));
}

int beagleSetPatternPartitions(int instance, int partitionCount, const int *inPatternPartitions) {
    RETURN_ON(instance, bg_set_partitions(b, partitionCount, inPatternPartitions));
}

/* ---- matrices ---- */

int beagleSetEigenDecomposition(int instance, int eigenIndex, const double *inEigenVectors,
                                const double *inInverseEigenVectors, const double *inEigenValues) {
    RETURN_ON(instance, bg_set_eigen(b, eigenIndex, inEigenVectors, inInverseEigenVectors, inEigenValues));
}

int beagleSetCategoryRates(int instance, const double *inCategoryRates) {
    return beagleSetCategoryRatesWithIndex(instance, 0, inCategoryRates);
}

int beagleSetCategoryRatesWithIndex(int instance, int categoryRatesIndex, const double *inCategoryRates) {
    RETURN_ON(instance, bg_set_rates(b, categoryRatesIndex, inCategoryRates));
}

int beagleUpdateTransitionMatrices(int instance, int eigenIndex, const int *probabilityIndices,
                                   const int *firstDerivativeIndices, const int *secondDerivativeIndices,
                                   const double *edgeLengths, int count) {
    const int *const indices[3] = {probabilityIndices, firstDerivativeIndices, secondDerivativeIndices};
    RETURN_ON(instance, bg_queue_edges(b, eigenIndex, NULL, NULL, indices, edgeLengths, count));
}

int beagleUpdateTransitionMatricesWithMultipleModels(int instance, const int *eigenIndices,
                                                     const int *categoryRateIndices, const int *probabilityIndices,
                                                     const int *firstDerivativeIndices,
                                                     const int *secondDerivativeIndices, const double *edgeLengths,
                                                     int count) {
    const int *const indices[3] = {probabilityIndices, firstDerivativeIndices, secondDerivativeIndices};
    RETURN_ON(instance, bg_queue_edges(b, 0, eigenIndices, categoryRateIndices, indices, edgeLengths, count));
}

int beagleSetTransitionMatrix(int instance, int matrixIndex, const double *inMatrix, double paddedValue) {
    return beagleSetTransitionMatrices(instance, &matrixIndex, inMatrix, &paddedValue, 1);
}

int beagleSetTransitionMatrices(int instance, const int *matrixIndices, const double *inMatrices,
                                const double *paddedValues, int count) {
    RETURN_ON(instance, bg_set_matrices(b, matrixIndices, inMatrices, paddedValues, count));
}

int beagleGetTransitionMatrix(int instance, int matrixIndex, double *outMatrix) {
    RETURN_ON(instance, bg_get_matrix(b, matrixIndex, outMatrix));
}

int beagleConvolveTransitionMatrices(int instance, const int *firstIndices, const int *secondIndices,
                                     const int *resultIndices, int matrixCount) {
    RETURN_ON(instance, bg_convolve(b, firstIndices, secondIndices, resultIndices, matrixCount));
}

/* ---- operations ---- */

static int queue_operations(bg_instance *b, const BeagleOperation *operations, int count, int sum) {
    int code = BEAGLE_SUCCESS;
    for (int i = 0; code == BEAGLE_SUCCESS && i < count; i++) {
        const BeagleOperation *o = &operations[i];
        code = bg_queue_operation(b, (bg_operation){.to = o->destinationPartials,
                                                    .child = {o->child1Partials, o->child2Partials},
                                                    .matrix = {o->child1TransitionMatrix, o->child2TransitionMatrix},
                                                    .write = o->destinationScaleWrite,
                                                    .read = o->destinationScaleRead,
                                                    .sum = sum,
                                                    .partition = BEAGLE_OP_NONE});
    }
    return code;
}

int beagleUpdatePartials(const int instance, const BeagleOperation *operations, int operationCount,
                         int cumulativeScaleIndex) {
    RETURN_ON(instance, queue_operations(b, operations, operationCount, cumulativeScaleIndex));
}

static int queue_by_partition(bg_instance *b, const BeagleOperationByPartition *operations, int count) {
    int code = BEAGLE_SUCCESS;
    for (int i = 0; code == BEAGLE_SUCCESS && i < count; i++) {
        const BeagleOperationByPartition *o = &operations[i];
        if (o->partition < 0) return BEAGLE_ERROR_OUT_OF_RANGE;
        code = bg_queue_operation(b, (bg_operation){.to = o->destinationPartials,
                                                    .child = {o->child1Partials, o->child2Partials},
                                                    .matrix = {o->child1TransitionMatrix, o->child2TransitionMatrix},
                                                    .write = o->destinationScaleWrite,
                                                    .read = o->destinationScaleRead,
                                                    .sum = o->cumulativeScaleIndex,
                                                    .partition = o->partition});
    }
    return code;
}

int beagleUpdatePartialsByPartition(const int instance, const BeagleOperationByPartition *operations,
                                    int operationCount) {
    RETURN_ON(instance, queue_by_partition(b, operations, operationCount));
}

int beagleWaitForPartials(const int instance, const int *destinationPartials, int destinationPartialsCount) {
    (void)destinationPartials;
    (void)destinationPartialsCount;
    RETURN_ON(instance, bg_flush(b, NULL));
}

/* ---- scale factors ---- */

int beagleAccumulateScaleFactors(int instance, const int *scaleIndices, int count, int cumulativeScaleIndex) {
    RETURN_ON(instance, bg_add_scales(b, scaleIndices, count, cumulativeScaleIndex, 1, BEAGLE_OP_NONE));
}

int beagleAccumulateScaleFactorsByPartition(int instance, const int *scaleIndices, int count, int cumulativeScaleIndex,
                                            int partitionIndex) {
    RETURN_ON(instance, bg_add_scales(b, scaleIndices, count, cumulativeScaleIndex, 1, partitionIndex));
}

int beagleRemoveScaleFactors(int instance, const int *scaleIndices, int count, int cumulativeScaleIndex) {
    RETURN_ON(instance, bg_add_scales(b, scaleIndices, count, cumulativeScaleIndex, -1, BEAGLE_OP_NONE));
}

int beagleRemoveScaleFactorsByPartition(int instance, const int *scaleIndices, int count, int cumulativeScaleIndex,
                                        int partitionIndex) {
    RETURN_ON(instance, bg_add_scales(b, scaleIndices, count, cumulativeScaleIndex, -1, partitionIndex));
}

int beagleResetScaleFactors(int instance, int cumulativeScaleIndex) {
    RETURN_ON(instance, bg_add_scales(b, NULL, 0, cumulativeScaleIndex, 0, BEAGLE_OP_NONE));
}

int beagleResetScaleFactorsByPartition(int instance, int cumulativeScaleIndex, int partitionIndex) {
    RETURN_ON(instance, bg_add_scales(b, NULL, 0, cumulativeScaleIndex, 0, partitionIndex));
}

static int copy_scales(bg_instance *b, int to, int from) {
    const int code = bg_add_scales(b, NULL, 0, to, to == from ? 1 : 0, BEAGLE_OP_NONE);
    return code != BEAGLE_SUCCESS || to == from ? code : bg_add_scales(b, &from, 1, to, 1, BEAGLE_OP_NONE);
}

int beagleCopyScaleFactors(int instance, int destScalingIndex, int srcScalingIndex) {
    RETURN_ON(instance, copy_scales(b, destScalingIndex, srcScalingIndex));
}

int beagleGetScaleFactors(int instance, int srcScalingIndex, double *outScaleFactors) {
    RETURN_ON(instance, bg_get_scale_factors(b, srcScalingIndex, outScaleFactors));
}

/* ---- likelihoods ---- */

/* The same as by partition, without partitions. */
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
    RETURN_ON(instance, bg_answer(b, &(bg_question){.parents = bufferIndices,
                                                    .weights = categoryWeightsIndices,
                                                    .frequencies = stateFrequenciesIndices,
                                                    .count = count,
                                                    .partition_count = partitionCount,
                                                    .partitions = partitionIndices,
                                                    .by_partition = {outSumLogLikelihoodByPartition},
                                                    .total = {outSumLogLikelihood}}));
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
    RETURN_ON(
        instance,
        bg_answer(b, &(bg_question){.parents = parentBufferIndices,
                                    .children = childBufferIndices,
                                    .matrices = {probabilityIndices, firstDerivativeIndices, secondDerivativeIndices},
                                    .weights = categoryWeightsIndices,
                                    .frequencies = stateFrequenciesIndices,
                                    .count = count,
                                    .partition_count = partitionCount,
                                    .partitions = partitionIndices,
                                    .by_partition = {outSumLogLikelihoodByPartition, outSumFirstDerivativeByPartition,
                                                     outSumSecondDerivativeByPartition},
                                    .total = {outSumLogLikelihood, outSumFirstDerivative, outSumSecondDerivative}}));
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
    RETURN_ON(instance, bg_get_sites(b, 0, outLogLikelihoods));
}

static int get_site_derivatives(bg_instance *b, double *first, double *second) {
    bg_get_sites(b, 1, first);
    return second != NULL ? bg_get_sites(b, 2, second) : BEAGLE_SUCCESS;
}

int beagleGetSiteDerivatives(int instance, double *outFirstDerivatives, double *outSecondDerivatives) {
    RETURN_ON(instance, get_site_derivatives(b, outFirstDerivatives, outSecondDerivatives));
}
