/* BEAGLE's own library. Where it is installed, instances that this library serves more slowly, or not at all, are handed on to it: all
   calls on them, by their names. */
#pragma once

#include "beagle/interface.h"

/* It is formatted by hand: the tool has no form of it that it would leave alone. */
/* clang-format off */
/* What takes an instance, and what makes one. */
#define BG_CALLS(X) \
    X(CreateInstance) X(FinalizeInstance) X(SetCPUThreadCount) X(SetTipStates) X(SetTipPartials) X(SetPartials) X(GetPartials) \
    X(SetEigenDecomposition) X(SetStateFrequencies) X(SetCategoryWeights) X(SetCategoryRates) X(SetCategoryRatesWithIndex) \
    X(SetPatternWeights) X(SetPatternPartitions) X(ConvolveTransitionMatrices) X(UpdateTransitionMatrices) \
    X(UpdateTransitionMatricesWithMultipleModels) X(SetTransitionMatrix) X(GetTransitionMatrix) X(SetTransitionMatrices) \
    X(UpdatePartials) X(UpdatePartialsByPartition) X(WaitForPartials) X(AccumulateScaleFactors) \
    X(AccumulateScaleFactorsByPartition) X(RemoveScaleFactors) X(RemoveScaleFactorsByPartition) X(ResetScaleFactors) \
    X(ResetScaleFactorsByPartition) X(CopyScaleFactors) X(GetScaleFactors) X(CalculateRootLogLikelihoods) \
    X(CalculateRootLogLikelihoodsByPartition) X(CalculateEdgeLogLikelihoods) X(CalculateEdgeLogLikelihoodsByPartition) \
    X(GetLogLikelihood) X(GetDerivatives) X(GetSiteLogLikelihoods) X(GetSiteDerivatives)
/* Of version 4: NULL where the installed library is older. */
#define BG_CALLS_OF_4(X) \
    X(AddTransitionMatrices) X(TransposeTransitionMatrices) X(SetDifferentialMatrix) X(SetRootPrePartials) X(UpdatePrePartials) \
    X(UpdatePrePartialsByPartition) X(UpdateTransitionMatricesWithModelCategories) X(CalculateEdgeDerivative) \
    X(CalculateEdgeDerivatives) X(CalculateCrossProductDerivative)
/* clang-format on */

#define BG_POINTER(name) __typeof__(&beagle##name) name;
typedef struct {
    BG_CALLS(BG_POINTER)
    BG_CALLS_OF_4(BG_POINTER)
    char *path;
    const char *version;
} bg_theirs;

/* Looked for once. NULL: there is none. The environment's WARPLADDER_BEAGLE_INSTALLED is its path; "none": it is not wanted. */
const bg_theirs *bg_find_theirs(void);
