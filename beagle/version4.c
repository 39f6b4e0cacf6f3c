/* What BEAGLE 4 adds: each symbol is there, since clients bind all of them at start; none is offered. */
#include "beagle/interface.h"

int beagleAddTransitionMatrices(int instance, const int *firstIndices, const int *secondIndices,
                                const int *resultIndices, int matrixCount) {
    (void)instance, (void)firstIndices, (void)secondIndices, (void)resultIndices, (void)matrixCount;
    return BEAGLE_ERROR_NO_IMPLEMENTATION;
}

int beagleTransposeTransitionMatrices(int instance, const int *inputIndices, const int *resultIndices,
                                      int matrixCount) {
    (void)instance, (void)inputIndices, (void)resultIndices, (void)matrixCount;
    return BEAGLE_ERROR_NO_IMPLEMENTATION;
}

int beagleSetDifferentialMatrix(int instance, int matrixIndex, const double *inMatrix) {
    (void)instance, (void)matrixIndex, (void)inMatrix;
    return BEAGLE_ERROR_NO_IMPLEMENTATION;
}

int beagleSetRootPrePartials(int instance, const int *bufferIndices, const int *stateFrequenciesIndices, int count) {
    (void)instance, (void)bufferIndices, (void)stateFrequenciesIndices, (void)count;
    return BEAGLE_ERROR_NO_IMPLEMENTATION;
}

int beagleUpdatePrePartials(int instance, const BeagleOperation *operations, int operationCount,
                            int cumulativeScaleIndex) {
    (void)instance, (void)operations, (void)operationCount, (void)cumulativeScaleIndex;
    return BEAGLE_ERROR_NO_IMPLEMENTATION;
}

int beagleUpdatePrePartialsByPartition(int instance, const BeagleOperationByPartition *operations, int operationCount) {
    (void)instance, (void)operations, (void)operationCount;
    return BEAGLE_ERROR_NO_IMPLEMENTATION;
}

int beagleUpdateTransitionMatricesWithModelCategories(int instance, int *eigenIndices, const int *probabilityIndices,
                                                      const int *firstDerivativeIndices,
                                                      const int *secondDerivativeIndices, const double *edgeLengths,
                                                      int count) {
    (void)instance, (void)eigenIndices, (void)probabilityIndices, (void)firstDerivativeIndices,
        (void)secondDerivativeIndices, (void)edgeLengths, (void)count;
    return BEAGLE_ERROR_NO_IMPLEMENTATION;
}

int beagleCalculateEdgeDerivative(int instance, const int *postBufferIndices, const int *preBufferIndices,
                                  const int rootBufferIndex, const int *firstDerivativeIndices,
                                  const int *secondDerivativeIndices, const int categoryWeightsIndex,
                                  const int categoryRatesIndex, const int stateFrequenciesIndex,
                                  const int *cumulativeScaleIndices, int count, double *outFirstDerivative,
                                  double *outDiagonalSecondDerivative) {
    (void)instance, (void)postBufferIndices, (void)preBufferIndices, (void)rootBufferIndex,
        (void)firstDerivativeIndices, (void)secondDerivativeIndices, (void)categoryWeightsIndex,
        (void)categoryRatesIndex, (void)stateFrequenciesIndex, (void)cumulativeScaleIndices, (void)count,
        (void)outFirstDerivative, (void)outDiagonalSecondDerivative;
    return BEAGLE_ERROR_NO_IMPLEMENTATION;
}

int beagleCalculateEdgeDerivatives(int instance, const int *postBufferIndices, const int *preBufferIndices,
                                   const int *derivativeMatrixIndices, const int *categoryWeightsIndices, int count,
                                   double *outDerivatives, double *outSumDerivatives,
                                   double *outSumSquaredDerivatives) {
    (void)instance, (void)postBufferIndices, (void)preBufferIndices, (void)derivativeMatrixIndices,
        (void)categoryWeightsIndices, (void)count, (void)outDerivatives, (void)outSumDerivatives,
        (void)outSumSquaredDerivatives;
    return BEAGLE_ERROR_NO_IMPLEMENTATION;
}

int beagleCalculateCrossProductDerivative(int instance, const int *postBufferIndices, const int *preBufferIndices,
                                          const int *categoryRateIndices, const int *categoryWeightsIndices,
                                          const double *edgeLengths, int count, double *outSumDerivatives,
                                          double *outSumSquaredDerivatives) {
    (void)instance, (void)postBufferIndices, (void)preBufferIndices, (void)categoryRateIndices,
        (void)categoryWeightsIndices, (void)edgeLengths, (void)count, (void)outSumDerivatives,
        (void)outSumSquaredDerivatives;
    return BEAGLE_ERROR_NO_IMPLEMENTATION;
}
