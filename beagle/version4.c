/* What BEAGLE 4 adds. Nothing of it is computed here: the instance is handed over to BEAGLE's own library, where one is installed that has
   the function, with all that it has. */
#include "beagle/instance.h"

/* Locks the instance of this number, and sets *b. A code. */
static int hand_over(int instance, bg_instance **b, int has_function, const char *name) {
    *b = bg_enter(instance);
    if (*b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
    if (!has_function) return bg_refuse(BEAGLE_ERROR_NO_IMPLEMENTATION, "%s; expected an installed BEAGLE 4", name);
    if ((*b)->is_handed) return BEAGLE_SUCCESS;
    int code = BEAGLE_SUCCESS;
    if ((*b)->partitions > 1) code = bg_refuse(BEAGLE_ERROR_NO_IMPLEMENTATION, "%s with partitions", name);
    if (code == BEAGLE_SUCCESS && (*b)->theirs == NULL) code = bg_prepare_theirs(*b, name, NULL);
    return code == BEAGLE_SUCCESS ? bg_hand_over(*b) : code;
}

/* The rest of a function. */
#define CALL(name, ...)                                                                         \
    bg_instance *b;                                                                             \
    const bg_theirs *theirs = bg_find_theirs();                                                 \
    int code = hand_over(instance, &b, theirs != NULL && theirs->name != NULL, "beagle" #name); \
    if (b == NULL) return code;                                                                 \
    return bg_leave(b, code == BEAGLE_SUCCESS ? theirs->name(b->their_number, __VA_ARGS__) : code)

int beagleAddTransitionMatrices(int instance, const int *firstIndices, const int *secondIndices,
                                const int *resultIndices, int matrixCount) {
    CALL(AddTransitionMatrices, firstIndices, secondIndices, resultIndices, matrixCount);
}

int beagleTransposeTransitionMatrices(int instance, const int *inputIndices, const int *resultIndices,
                                      int matrixCount) {
    CALL(TransposeTransitionMatrices, inputIndices, resultIndices, matrixCount);
}

int beagleSetDifferentialMatrix(int instance, int matrixIndex, const double *inMatrix) {
    CALL(SetDifferentialMatrix, matrixIndex, inMatrix);
}

int beagleSetRootPrePartials(int instance, const int *bufferIndices, const int *stateFrequenciesIndices, int count) {
    CALL(SetRootPrePartials, bufferIndices, stateFrequenciesIndices, count);
}

int beagleUpdatePrePartials(int instance, const BeagleOperation *operations, int operationCount,
                            int cumulativeScaleIndex) {
    CALL(UpdatePrePartials, operations, operationCount, cumulativeScaleIndex);
}

int beagleUpdatePrePartialsByPartition(int instance, const BeagleOperationByPartition *operations, int operationCount) {
    CALL(UpdatePrePartialsByPartition, operations, operationCount);
}

int beagleUpdateTransitionMatricesWithModelCategories(int instance, int *eigenIndices, const int *probabilityIndices,
                                                      const int *firstDerivativeIndices,
                                                      const int *secondDerivativeIndices, const double *edgeLengths,
                                                      int count) {
    CALL(UpdateTransitionMatricesWithModelCategories, eigenIndices, probabilityIndices, firstDerivativeIndices,
         secondDerivativeIndices, edgeLengths, count);
}

int beagleCalculateEdgeDerivative(int instance, const int *postBufferIndices, const int *preBufferIndices,
                                  const int rootBufferIndex, const int *firstDerivativeIndices,
                                  const int *secondDerivativeIndices, const int categoryWeightsIndex,
                                  const int categoryRatesIndex, const int stateFrequenciesIndex,
                                  const int *cumulativeScaleIndices, int count, double *outFirstDerivative,
                                  double *outDiagonalSecondDerivative) {
    CALL(CalculateEdgeDerivative, postBufferIndices, preBufferIndices, rootBufferIndex, firstDerivativeIndices,
         secondDerivativeIndices, categoryWeightsIndex, categoryRatesIndex, stateFrequenciesIndex,
         cumulativeScaleIndices, count, outFirstDerivative, outDiagonalSecondDerivative);
}

int beagleCalculateEdgeDerivatives(int instance, const int *postBufferIndices, const int *preBufferIndices,
                                   const int *derivativeMatrixIndices, const int *categoryWeightsIndices, int count,
                                   double *outDerivatives, double *outSumDerivatives,
                                   double *outSumSquaredDerivatives) {
    CALL(CalculateEdgeDerivatives, postBufferIndices, preBufferIndices, derivativeMatrixIndices, categoryWeightsIndices,
         count, outDerivatives, outSumDerivatives, outSumSquaredDerivatives);
}

int beagleCalculateCrossProductDerivative(int instance, const int *postBufferIndices, const int *preBufferIndices,
                                          const int *categoryRateIndices, const int *categoryWeightsIndices,
                                          const double *edgeLengths, int count, double *outSumDerivatives,
                                          double *outSumSquaredDerivatives) {
    CALL(CalculateCrossProductDerivative, postBufferIndices, preBufferIndices, categoryRateIndices,
         categoryWeightsIndices, edgeLengths, count, outSumDerivatives, outSumSquaredDerivatives);
}
