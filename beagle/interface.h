/* The C interface of BEAGLE 3.1.2 (Ayres et al. 2019), which MrBayes and BEAST call, and the functions that version 4 adds. Names, numbers
   and layouts are BEAGLE's: a client that was compiled against its header runs with this library. docs/beagle.md says what differs.

   All functions but beagleGetVersion, beagleGetCitation and the two lists return a code below; none prints, exits or touches signals.
   Different threads may call functions on different instances.

   Shapes: S states, C rate categories, P patterns. Partials [C][P][S], one tip's [P][S]; transition matrices [C][S][S], row by row;
   category rates and weights [C]; eigenvectors [S][S]; eigenvalues [S], or [2 S] with the imaginary parts after the real ones. */
#ifndef BEAGLE_INTERFACE_H
#define BEAGLE_INTERFACE_H

enum {
    BEAGLE_SUCCESS = 0,
    BEAGLE_ERROR_GENERAL = -1,
    BEAGLE_ERROR_OUT_OF_MEMORY = -2,
    BEAGLE_ERROR_UNIDENTIFIED_EXCEPTION = -3,
    BEAGLE_ERROR_UNINITIALIZED_INSTANCE = -4,
    BEAGLE_ERROR_OUT_OF_RANGE = -5,
    BEAGLE_ERROR_NO_RESOURCE = -6,
    BEAGLE_ERROR_NO_IMPLEMENTATION = -7,
    BEAGLE_ERROR_FLOATING_POINT = -8, /* a log-likelihood is infinite or no number */
};

/* Bits of preferences, requirements and what an instance is. */
enum {
    BEAGLE_FLAG_PRECISION_SINGLE = 1 << 0,
    BEAGLE_FLAG_PRECISION_DOUBLE = 1 << 1,
    BEAGLE_FLAG_COMPUTATION_SYNCH = 1 << 2,
    BEAGLE_FLAG_COMPUTATION_ASYNCH = 1 << 3,
    BEAGLE_FLAG_EIGEN_REAL = 1 << 4,
    BEAGLE_FLAG_EIGEN_COMPLEX = 1 << 5,
    BEAGLE_FLAG_SCALING_MANUAL = 1 << 6,
    BEAGLE_FLAG_SCALING_AUTO = 1 << 7,
    BEAGLE_FLAG_SCALING_ALWAYS = 1 << 8,
    BEAGLE_FLAG_SCALERS_RAW = 1 << 9,
    BEAGLE_FLAG_SCALERS_LOG = 1 << 10,
    BEAGLE_FLAG_VECTOR_SSE = 1 << 11,
    BEAGLE_FLAG_VECTOR_NONE = 1 << 12,
    BEAGLE_FLAG_THREADING_OPENMP = 1 << 13,
    BEAGLE_FLAG_THREADING_NONE = 1 << 14,
    BEAGLE_FLAG_PROCESSOR_CPU = 1 << 15,
    BEAGLE_FLAG_PROCESSOR_GPU = 1 << 16,
    BEAGLE_FLAG_PROCESSOR_FPGA = 1 << 17,
    BEAGLE_FLAG_PROCESSOR_CELL = 1 << 18,
    BEAGLE_FLAG_PROCESSOR_PHI = 1 << 19,
    BEAGLE_FLAG_INVEVEC_STANDARD = 1 << 20,
    BEAGLE_FLAG_INVEVEC_TRANSPOSED = 1 << 21,
    BEAGLE_FLAG_FRAMEWORK_CUDA = 1 << 22,
    BEAGLE_FLAG_FRAMEWORK_OPENCL = 1 << 23,
    BEAGLE_FLAG_VECTOR_AVX = 1 << 24,
    BEAGLE_FLAG_SCALING_DYNAMIC = 1 << 25,
    BEAGLE_FLAG_PROCESSOR_OTHER = 1 << 26,
    BEAGLE_FLAG_FRAMEWORK_CPU = 1 << 27,
    BEAGLE_FLAG_PARALLELOPS_STREAMS = 1 << 28,
    BEAGLE_FLAG_PARALLELOPS_GRID = 1 << 29,
    BEAGLE_FLAG_THREADING_CPP = 1 << 30, /* in version 4: transpose pre-order matrices by hand */
};

enum { BEAGLE_OP_NONE = -1, BEAGLE_OP_COUNT = 7, BEAGLE_PARTITION_OP_COUNT = 9 };

typedef struct {
    int resourceNumber;
    char *resourceName, *implName, *implDescription; /* the library's, for as long as it is loaded */
    long flags;
} BeagleInstanceDetails;

typedef struct {
    char *name, *description;
    long supportFlags, requiredFlags;
} BeagleResource;

typedef struct {
    BeagleResource *list;
    int length;
} BeagleResourceList;

typedef struct {
    int number;
    char *name, *description;
    long supportFlags, requiredFlags;
    int returnCode;
    char *implName;
    long benchedFlags;
    double benchmarkResult;  /* milliseconds per evaluation of a tree */
    double performanceRatio; /* to resource 0: more is faster */
} BeagleBenchmarkedResource;

typedef struct {
    BeagleBenchmarkedResource *list; /* the fastest first */
    int length;
} BeagleBenchmarkedResourceList;

/* One partials buffer from its two children. Scale buffers: BEAGLE_OP_NONE, or one to write this operation's factors to, and one whose
   factors are used instead of new ones. */
typedef struct {
    int destinationPartials, destinationScaleWrite, destinationScaleRead;
    int child1Partials, child1TransitionMatrix, child2Partials, child2TransitionMatrix;
} BeagleOperation;

typedef struct {
    int destinationPartials, destinationScaleWrite, destinationScaleRead;
    int child1Partials, child1TransitionMatrix, child2Partials, child2TransitionMatrix;
    int partition, cumulativeScaleIndex;
} BeagleOperationByPartition;

#define BEAGLE_PUBLIC __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

BEAGLE_PUBLIC const char *beagleGetVersion(void);
BEAGLE_PUBLIC const char *beagleGetCitation(void);
BEAGLE_PUBLIC BeagleResourceList *beagleGetResourceList(void);
/* Each resource is timed on a tree of this size, once per process and size. */
BEAGLE_PUBLIC BeagleBenchmarkedResourceList *beagleGetBenchmarkedResourceList(
    int tipCount, int compactBufferCount, int stateCount, int patternCount, int categoryCount, int *resourceList,
    int resourceCount, long preferenceFlags, long requirementFlags, int eigenModelCount, int partitionCount,
    int calculateDerivatives, long benchmarkFlags);

/* Returns the instance's number, or an error. */
BEAGLE_PUBLIC int beagleCreateInstance(int tipCount, int partialsBufferCount, int compactBufferCount, int stateCount,
                                       int patternCount, int eigenBufferCount, int matrixBufferCount, int categoryCount,
                                       int scaleBufferCount, int *resourceList, int resourceCount, long preferenceFlags,
                                       long requirementFlags, BeagleInstanceDetails *returnInfo);
BEAGLE_PUBLIC int beagleFinalizeInstance(int instance);
BEAGLE_PUBLIC int beagleFinalize(void);
BEAGLE_PUBLIC int beagleSetCPUThreadCount(int instance, int threadCount);

BEAGLE_PUBLIC int beagleSetTipStates(int instance, int tipIndex, const int *inStates);
BEAGLE_PUBLIC int beagleSetTipPartials(int instance, int tipIndex, const double *inPartials);
BEAGLE_PUBLIC int beagleSetPartials(int instance, int bufferIndex, const double *inPartials);
BEAGLE_PUBLIC int beagleGetPartials(int instance, int bufferIndex, int scaleIndex, double *outPartials);
BEAGLE_PUBLIC int beagleSetEigenDecomposition(int instance, int eigenIndex, const double *inEigenVectors,
                                              const double *inInverseEigenVectors, const double *inEigenValues);
BEAGLE_PUBLIC int beagleSetStateFrequencies(int instance, int stateFrequenciesIndex, const double *inStateFrequencies);
BEAGLE_PUBLIC int beagleSetCategoryWeights(int instance, int categoryWeightsIndex, const double *inCategoryWeights);
BEAGLE_PUBLIC int beagleSetCategoryRates(int instance, const double *inCategoryRates);
BEAGLE_PUBLIC int beagleSetCategoryRatesWithIndex(int instance, int categoryRatesIndex, const double *inCategoryRates);
BEAGLE_PUBLIC int beagleSetPatternWeights(int instance, const double *inPatternWeights);
BEAGLE_PUBLIC int beagleSetPatternPartitions(int instance, int partitionCount, const int *inPatternPartitions);

BEAGLE_PUBLIC int beagleConvolveTransitionMatrices(int instance, const int *firstIndices, const int *secondIndices,
                                                   const int *resultIndices, int matrixCount);
BEAGLE_PUBLIC int beagleUpdateTransitionMatrices(int instance, int eigenIndex, const int *probabilityIndices,
                                                 const int *firstDerivativeIndices, const int *secondDerivativeIndices,
                                                 const double *edgeLengths, int count);
BEAGLE_PUBLIC int beagleUpdateTransitionMatricesWithMultipleModels(
    int instance, const int *eigenIndices, const int *categoryRateIndices, const int *probabilityIndices,
    const int *firstDerivativeIndices, const int *secondDerivativeIndices, const double *edgeLengths, int count);
BEAGLE_PUBLIC int beagleSetTransitionMatrix(int instance, int matrixIndex, const double *inMatrix, double paddedValue);
BEAGLE_PUBLIC int beagleGetTransitionMatrix(int instance, int matrixIndex, double *outMatrix);
BEAGLE_PUBLIC int beagleSetTransitionMatrices(int instance, const int *matrixIndices, const double *inMatrices,
                                              const double *paddedValues, int count);

BEAGLE_PUBLIC int beagleUpdatePartials(const int instance, const BeagleOperation *operations, int operationCount,
                                       int cumulativeScaleIndex);
BEAGLE_PUBLIC int beagleUpdatePartialsByPartition(const int instance, const BeagleOperationByPartition *operations,
                                                  int operationCount);
BEAGLE_PUBLIC int beagleWaitForPartials(const int instance, const int *destinationPartials,
                                        int destinationPartialsCount);

BEAGLE_PUBLIC int beagleAccumulateScaleFactors(int instance, const int *scaleIndices, int count,
                                               int cumulativeScaleIndex);
BEAGLE_PUBLIC int beagleAccumulateScaleFactorsByPartition(int instance, const int *scaleIndices, int count,
                                                          int cumulativeScaleIndex, int partitionIndex);
BEAGLE_PUBLIC int beagleRemoveScaleFactors(int instance, const int *scaleIndices, int count, int cumulativeScaleIndex);
BEAGLE_PUBLIC int beagleRemoveScaleFactorsByPartition(int instance, const int *scaleIndices, int count,
                                                      int cumulativeScaleIndex, int partitionIndex);
BEAGLE_PUBLIC int beagleResetScaleFactors(int instance, int cumulativeScaleIndex);
BEAGLE_PUBLIC int beagleResetScaleFactorsByPartition(int instance, int cumulativeScaleIndex, int partitionIndex);
BEAGLE_PUBLIC int beagleCopyScaleFactors(int instance, int destScalingIndex, int srcScalingIndex);
BEAGLE_PUBLIC int beagleGetScaleFactors(int instance, int srcScalingIndex, double *outScaleFactors);

BEAGLE_PUBLIC int beagleCalculateRootLogLikelihoods(int instance, const int *bufferIndices,
                                                    const int *categoryWeightsIndices,
                                                    const int *stateFrequenciesIndices,
                                                    const int *cumulativeScaleIndices, int count,
                                                    double *outSumLogLikelihood);
BEAGLE_PUBLIC int beagleCalculateRootLogLikelihoodsByPartition(
    int instance, const int *bufferIndices, const int *categoryWeightsIndices, const int *stateFrequenciesIndices,
    const int *cumulativeScaleIndices, const int *partitionIndices, int partitionCount, int count,
    double *outSumLogLikelihoodByPartition, double *outSumLogLikelihood);
BEAGLE_PUBLIC int beagleCalculateEdgeLogLikelihoods(
    int instance, const int *parentBufferIndices, const int *childBufferIndices, const int *probabilityIndices,
    const int *firstDerivativeIndices, const int *secondDerivativeIndices, const int *categoryWeightsIndices,
    const int *stateFrequenciesIndices, const int *cumulativeScaleIndices, int count, double *outSumLogLikelihood,
    double *outSumFirstDerivative, double *outSumSecondDerivative);
BEAGLE_PUBLIC int beagleCalculateEdgeLogLikelihoodsByPartition(
    int instance, const int *parentBufferIndices, const int *childBufferIndices, const int *probabilityIndices,
    const int *firstDerivativeIndices, const int *secondDerivativeIndices, const int *categoryWeightsIndices,
    const int *stateFrequenciesIndices, const int *cumulativeScaleIndices, const int *partitionIndices,
    int partitionCount, int count, double *outSumLogLikelihoodByPartition, double *outSumLogLikelihood,
    double *outSumFirstDerivativeByPartition, double *outSumFirstDerivative, double *outSumSecondDerivativeByPartition,
    double *outSumSecondDerivative);
BEAGLE_PUBLIC int beagleGetLogLikelihood(int instance, double *outSumLogLikelihood);
BEAGLE_PUBLIC int beagleGetDerivatives(int instance, double *outSumFirstDerivative, double *outSumSecondDerivative);
BEAGLE_PUBLIC int beagleGetSiteLogLikelihoods(int instance, double *outLogLikelihoods);
BEAGLE_PUBLIC int beagleGetSiteDerivatives(int instance, double *outFirstDerivatives, double *outSecondDerivatives);

/* Of version 4: pre-order partials and gradients. BEAGLE_ERROR_NO_IMPLEMENTATION unless a BEAGLE 4 is installed, to hand on to. */
BEAGLE_PUBLIC int beagleAddTransitionMatrices(int instance, const int *firstIndices, const int *secondIndices,
                                              const int *resultIndices, int matrixCount);
BEAGLE_PUBLIC int beagleTransposeTransitionMatrices(int instance, const int *inputIndices, const int *resultIndices,
                                                    int matrixCount);
BEAGLE_PUBLIC int beagleSetDifferentialMatrix(int instance, int matrixIndex, const double *inMatrix);
BEAGLE_PUBLIC int beagleSetRootPrePartials(int instance, const int *bufferIndices, const int *stateFrequenciesIndices,
                                           int count);
BEAGLE_PUBLIC int beagleUpdatePrePartials(int instance, const BeagleOperation *operations, int operationCount,
                                          int cumulativeScaleIndex);
BEAGLE_PUBLIC int beagleUpdatePrePartialsByPartition(int instance, const BeagleOperationByPartition *operations,
                                                     int operationCount);
BEAGLE_PUBLIC int beagleUpdateTransitionMatricesWithModelCategories(int instance, int *eigenIndices,
                                                                    const int *probabilityIndices,
                                                                    const int *firstDerivativeIndices,
                                                                    const int *secondDerivativeIndices,
                                                                    const double *edgeLengths, int count);
BEAGLE_PUBLIC int beagleCalculateEdgeDerivative(int instance, const int *postBufferIndices, const int *preBufferIndices,
                                                const int rootBufferIndex, const int *firstDerivativeIndices,
                                                const int *secondDerivativeIndices, const int categoryWeightsIndex,
                                                const int categoryRatesIndex, const int stateFrequenciesIndex,
                                                const int *cumulativeScaleIndices, int count,
                                                double *outFirstDerivative, double *outDiagonalSecondDerivative);
BEAGLE_PUBLIC int beagleCalculateEdgeDerivatives(int instance, const int *postBufferIndices,
                                                 const int *preBufferIndices, const int *derivativeMatrixIndices,
                                                 const int *categoryWeightsIndices, int count, double *outDerivatives,
                                                 double *outSumDerivatives, double *outSumSquaredDerivatives);
BEAGLE_PUBLIC int beagleCalculateCrossProductDerivative(int instance, const int *postBufferIndices,
                                                        const int *preBufferIndices, const int *categoryRateIndices,
                                                        const int *categoryWeightsIndices, const double *edgeLengths,
                                                        int count, double *outSumDerivatives,
                                                        double *outSumSquaredDerivatives);

#ifdef __cplusplus
}
#endif
#endif
