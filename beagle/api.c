/* The interface. Every call of a client enters here, but for benchmark.c, which is a client itself, and version4.c. */
#include <stddef.h>

#include "beagle/instance.h"

/* The rest of a function: BEAGLE's own of this name, with the arguments that follow, if the instance has been handed on to it; else what
   `ours` returns, in which `b` is the instance, locked. Scale factors are not among what ours is told of a likelihood: it is true without
   (scaling.c). */
#define CALL_ON(locked, name, ours, ...)                       \
    bg_instance *b = (locked);                                 \
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE; \
    return bg_leave(b, b->is_handed ? b->theirs->name(b->their_number, __VA_ARGS__) : (ours))
#define CALL(...) CALL_ON(bg_enter(instance), __VA_ARGS__)

/* ---- the library ---- */

const char *beagleGetVersion(void) { return "3.1.2"; } // the interface's; clients read it

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
    CALL(SetCPUThreadCount, bg_set_threads(b, threadCount), threadCount);
}

/* ---- buffers ---- */

int beagleSetTipPartials(int instance, int tipIndex, const double *inPartials) {
    CALL(SetTipPartials, bg_set_partials(b, tipIndex, inPartials, 0), tipIndex, inPartials);
}

int beagleSetPartials(int instance, int bufferIndex, const double *inPartials) {
    CALL(SetPartials, bg_set_partials(b, bufferIndex, inPartials, 1), bufferIndex, inPartials);
}

int beagleGetPartials(int instance, int bufferIndex, int scaleIndex, double *outPartials) {
    CALL(GetPartials, bg_get_partials(b, bufferIndex, scaleIndex, 1, outPartials), bufferIndex, scaleIndex,
         outPartials);
}

int beagleSetTipStates(int instance, int tipIndex, const int *inStates) {
    CALL(SetTipStates, bg_set_states(b, tipIndex, inStates), tipIndex, inStates);
}

int beagleSetStateFrequencies(int instance, int stateFrequenciesIndex, const double *inStateFrequencies) {
    CALL(SetStateFrequencies, bg_set_row(b, b->frequency, stateFrequenciesIndex, inStateFrequencies, b->states),
         stateFrequenciesIndex, inStateFrequencies);
}

int beagleSetCategoryWeights(int instance, int categoryWeightsIndex, const double *inCategoryWeights) {
    CALL(SetCategoryWeights, bg_set_row(b, b->weight, categoryWeightsIndex, inCategoryWeights, b->rates),
         categoryWeightsIndex, inCategoryWeights);
}

int beagleSetPatternWeights(int instance, const double *inPatternWeights) {
    CALL(SetPatternWeights, bg_set_pattern_weights(b, inPatternWeights), inPatternWeights);
}

int beagleSetPatternPartitions(int instance, int partitionCount, const int *inPatternPartitions) {
    CALL(SetPatternPartitions, bg_set_partitions(b, partitionCount, inPatternPartitions), partitionCount,
         inPatternPartitions);
}

/* ---- matrices ---- */

int beagleSetEigenDecomposition(int instance, int eigenIndex, const double *inEigenVectors,
                                const double *inInverseEigenVectors, const double *inEigenValues) {
    CALL(SetEigenDecomposition, bg_set_eigen(b, eigenIndex, inEigenVectors, inInverseEigenVectors, inEigenValues),
         eigenIndex, inEigenVectors, inInverseEigenVectors, inEigenValues);
}

int beagleSetCategoryRates(int instance, const double *inCategoryRates) {
    CALL(SetCategoryRates, bg_set_rates(b, 0, inCategoryRates), inCategoryRates);
}

int beagleSetCategoryRatesWithIndex(int instance, int categoryRatesIndex, const double *inCategoryRates) {
    CALL(SetCategoryRatesWithIndex, bg_set_rates(b, categoryRatesIndex, inCategoryRates), categoryRatesIndex,
         inCategoryRates);
}

int beagleUpdateTransitionMatrices(int instance, int eigenIndex, const int *probabilityIndices,
                                   const int *firstDerivativeIndices, const int *secondDerivativeIndices,
                                   const double *edgeLengths, int count) {
    const int *const indices[3] = {probabilityIndices, firstDerivativeIndices, secondDerivativeIndices};
    CALL(UpdateTransitionMatrices, bg_queue_edges(b, eigenIndex, NULL, NULL, indices, edgeLengths, count), eigenIndex,
         probabilityIndices, firstDerivativeIndices, secondDerivativeIndices, edgeLengths, count);
}

int beagleUpdateTransitionMatricesWithMultipleModels(int instance, const int *eigenIndices,
                                                     const int *categoryRateIndices, const int *probabilityIndices,
                                                     const int *firstDerivativeIndices,
                                                     const int *secondDerivativeIndices, const double *edgeLengths,
                                                     int count) {
    const int *const indices[3] = {probabilityIndices, firstDerivativeIndices, secondDerivativeIndices};
    CALL(UpdateTransitionMatricesWithMultipleModels,
         bg_queue_edges(b, 0, eigenIndices, categoryRateIndices, indices, edgeLengths, count), eigenIndices,
         categoryRateIndices, probabilityIndices, firstDerivativeIndices, secondDerivativeIndices, edgeLengths, count);
}

int beagleSetTransitionMatrix(int instance, int matrixIndex, const double *inMatrix, double paddedValue) {
    CALL(SetTransitionMatrix, bg_set_matrices(b, &matrixIndex, inMatrix, &paddedValue, 1), matrixIndex, inMatrix,
         paddedValue);
}

int beagleSetTransitionMatrices(int instance, const int *matrixIndices, const double *inMatrices,
                                const double *paddedValues, int count) {
    CALL(SetTransitionMatrices, bg_set_matrices(b, matrixIndices, inMatrices, paddedValues, count), matrixIndices,
         inMatrices, paddedValues, count);
}

int beagleGetTransitionMatrix(int instance, int matrixIndex, double *outMatrix) {
    CALL(GetTransitionMatrix, bg_get_matrix(b, matrixIndex, outMatrix), matrixIndex, outMatrix);
}

int beagleConvolveTransitionMatrices(int instance, const int *firstIndices, const int *secondIndices,
                                     const int *resultIndices, int matrixCount) {
    CALL(ConvolveTransitionMatrices, bg_convolve(b, firstIndices, secondIndices, resultIndices, matrixCount),
         firstIndices, secondIndices, resultIndices, matrixCount);
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

/* The first operations decide whose an instance is: by now it would have partitions, which BEAGLE's own library may get wrong. */
static bg_instance *ready(int instance) {
    bg_instance *b = bg_enter(instance);
    if (b != NULL && b->theirs != NULL) bg_hand_over(b);
    return b;
}

int beagleUpdatePartials(const int instance, const BeagleOperation *operations, int operationCount,
                         int cumulativeScaleIndex) {
    CALL_ON(ready(instance), UpdatePartials, queue_operations(b, operations, operationCount, cumulativeScaleIndex),
            operations, operationCount, cumulativeScaleIndex);
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
    CALL(UpdatePartialsByPartition, queue_by_partition(b, operations, operationCount), operations, operationCount);
}

int beagleWaitForPartials(const int instance, const int *destinationPartials, int destinationPartialsCount) {
    CALL(WaitForPartials, bg_flush(b, NULL), destinationPartials, destinationPartialsCount);
}

/* ---- scale factors ---- */

int beagleAccumulateScaleFactors(int instance, const int *scaleIndices, int count, int cumulativeScaleIndex) {
    CALL(AccumulateScaleFactors, bg_add_scales(b, scaleIndices, count, cumulativeScaleIndex, 1, BEAGLE_OP_NONE),
         scaleIndices, count, cumulativeScaleIndex);
}

int beagleAccumulateScaleFactorsByPartition(int instance, const int *scaleIndices, int count, int cumulativeScaleIndex,
                                            int partitionIndex) {
    CALL(AccumulateScaleFactorsByPartition,
         bg_add_scales(b, scaleIndices, count, cumulativeScaleIndex, 1, partitionIndex), scaleIndices, count,
         cumulativeScaleIndex, partitionIndex);
}

int beagleRemoveScaleFactors(int instance, const int *scaleIndices, int count, int cumulativeScaleIndex) {
    CALL(RemoveScaleFactors, bg_add_scales(b, scaleIndices, count, cumulativeScaleIndex, -1, BEAGLE_OP_NONE),
         scaleIndices, count, cumulativeScaleIndex);
}

int beagleRemoveScaleFactorsByPartition(int instance, const int *scaleIndices, int count, int cumulativeScaleIndex,
                                        int partitionIndex) {
    CALL(RemoveScaleFactorsByPartition, bg_add_scales(b, scaleIndices, count, cumulativeScaleIndex, -1, partitionIndex),
         scaleIndices, count, cumulativeScaleIndex, partitionIndex);
}

int beagleResetScaleFactors(int instance, int cumulativeScaleIndex) {
    CALL(ResetScaleFactors, bg_add_scales(b, NULL, 0, cumulativeScaleIndex, 0, BEAGLE_OP_NONE), cumulativeScaleIndex);
}

int beagleResetScaleFactorsByPartition(int instance, int cumulativeScaleIndex, int partitionIndex) {
    CALL(ResetScaleFactorsByPartition, bg_add_scales(b, NULL, 0, cumulativeScaleIndex, 0, partitionIndex),
         cumulativeScaleIndex, partitionIndex);
}

static int copy_scales(bg_instance *b, int to, int from) {
    const int code = bg_add_scales(b, NULL, 0, to, to == from ? 1 : 0, BEAGLE_OP_NONE);
    return code != BEAGLE_SUCCESS || to == from ? code : bg_add_scales(b, &from, 1, to, 1, BEAGLE_OP_NONE);
}

int beagleCopyScaleFactors(int instance, int destScalingIndex, int srcScalingIndex) {
    CALL(CopyScaleFactors, copy_scales(b, destScalingIndex, srcScalingIndex), destScalingIndex, srcScalingIndex);
}

int beagleGetScaleFactors(int instance, int srcScalingIndex, double *outScaleFactors) {
    CALL(GetScaleFactors, bg_get_scale_factors(b, srcScalingIndex, outScaleFactors), srcScalingIndex, outScaleFactors);
}

/* ---- likelihoods ---- */

int beagleCalculateRootLogLikelihoods(int instance, const int *bufferIndices, const int *categoryWeightsIndices,
                                      const int *stateFrequenciesIndices, const int *cumulativeScaleIndices, int count,
                                      double *outSumLogLikelihood) {
    CALL(CalculateRootLogLikelihoods,
         bg_answer(b, &(bg_question){.parents = bufferIndices,
                                     .weights = categoryWeightsIndices,
                                     .frequencies = stateFrequenciesIndices,
                                     .count = count,
                                     .total = {outSumLogLikelihood}}),
         bufferIndices, categoryWeightsIndices, stateFrequenciesIndices, cumulativeScaleIndices, count,
         outSumLogLikelihood);
}

int beagleCalculateRootLogLikelihoodsByPartition(int instance, const int *bufferIndices,
                                                 const int *categoryWeightsIndices, const int *stateFrequenciesIndices,
                                                 const int *cumulativeScaleIndices, const int *partitionIndices,
                                                 int partitionCount, int count, double *outSumLogLikelihoodByPartition,
                                                 double *outSumLogLikelihood) {
    CALL(CalculateRootLogLikelihoodsByPartition,
         bg_answer(b, &(bg_question){.parents = bufferIndices,
                                     .weights = categoryWeightsIndices,
                                     .frequencies = stateFrequenciesIndices,
                                     .count = count,
                                     .partition_count = partitionCount,
                                     .partitions = partitionIndices,
                                     .by_partition = {outSumLogLikelihoodByPartition},
                                     .total = {outSumLogLikelihood}}),
         bufferIndices, categoryWeightsIndices, stateFrequenciesIndices, cumulativeScaleIndices, partitionIndices,
         partitionCount, count, outSumLogLikelihoodByPartition, outSumLogLikelihood);
}

int beagleCalculateEdgeLogLikelihoods(int instance, const int *parentBufferIndices, const int *childBufferIndices,
                                      const int *probabilityIndices, const int *firstDerivativeIndices,
                                      const int *secondDerivativeIndices, const int *categoryWeightsIndices,
                                      const int *stateFrequenciesIndices, const int *cumulativeScaleIndices, int count,
                                      double *outSumLogLikelihood, double *outSumFirstDerivative,
                                      double *outSumSecondDerivative) {
    CALL(CalculateEdgeLogLikelihoods,
         bg_answer(b, &(bg_question){.parents = parentBufferIndices,
                                     .children = childBufferIndices,
                                     .matrices = {probabilityIndices, firstDerivativeIndices, secondDerivativeIndices},
                                     .weights = categoryWeightsIndices,
                                     .frequencies = stateFrequenciesIndices,
                                     .count = count,
                                     .total = {outSumLogLikelihood, outSumFirstDerivative, outSumSecondDerivative}}),
         parentBufferIndices, childBufferIndices, probabilityIndices, firstDerivativeIndices, secondDerivativeIndices,
         categoryWeightsIndices, stateFrequenciesIndices, cumulativeScaleIndices, count, outSumLogLikelihood,
         outSumFirstDerivative, outSumSecondDerivative);
}

int beagleCalculateEdgeLogLikelihoodsByPartition(
    int instance, const int *parentBufferIndices, const int *childBufferIndices, const int *probabilityIndices,
    const int *firstDerivativeIndices, const int *secondDerivativeIndices, const int *categoryWeightsIndices,
    const int *stateFrequenciesIndices, const int *cumulativeScaleIndices, const int *partitionIndices,
    int partitionCount, int count, double *outSumLogLikelihoodByPartition, double *outSumLogLikelihood,
    double *outSumFirstDerivativeByPartition, double *outSumFirstDerivative, double *outSumSecondDerivativeByPartition,
    double *outSumSecondDerivative) {
    CALL(CalculateEdgeLogLikelihoodsByPartition,
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
                                     .total = {outSumLogLikelihood, outSumFirstDerivative, outSumSecondDerivative}}),
         parentBufferIndices, childBufferIndices, probabilityIndices, firstDerivativeIndices, secondDerivativeIndices,
         categoryWeightsIndices, stateFrequenciesIndices, cumulativeScaleIndices, partitionIndices, partitionCount,
         count, outSumLogLikelihoodByPartition, outSumLogLikelihood, outSumFirstDerivativeByPartition,
         outSumFirstDerivative, outSumSecondDerivativeByPartition, outSumSecondDerivative);
}

static int get_totals(const bg_instance *b, double *total, double *first, double *second) {
    if (total != NULL) *total = b->total[0];
    if (first != NULL) *first = b->total[1];
    if (second != NULL) *second = b->total[2];
    return BEAGLE_SUCCESS;
}

int beagleGetLogLikelihood(int instance, double *outSumLogLikelihood) {
    CALL(GetLogLikelihood, get_totals(b, outSumLogLikelihood, NULL, NULL), outSumLogLikelihood);
}

int beagleGetDerivatives(int instance, double *outSumFirstDerivative, double *outSumSecondDerivative) {
    CALL(GetDerivatives, get_totals(b, NULL, outSumFirstDerivative, outSumSecondDerivative), outSumFirstDerivative,
         outSumSecondDerivative);
}

int beagleGetSiteLogLikelihoods(int instance, double *outLogLikelihoods) {
    CALL(GetSiteLogLikelihoods, bg_get_sites(b, 0, outLogLikelihoods), outLogLikelihoods);
}

static int get_site_derivatives(bg_instance *b, double *first, double *second) {
    bg_get_sites(b, 1, first);
    return second != NULL ? bg_get_sites(b, 2, second) : BEAGLE_SUCCESS;
}

int beagleGetSiteDerivatives(int instance, double *outFirstDerivatives, double *outSecondDerivatives) {
    CALL(GetSiteDerivatives, get_site_derivatives(b, outFirstDerivatives, outSecondDerivatives), outFirstDerivatives,
         outSecondDerivatives);
}
