/* Missing values, and steps, once for each instruction set.
   Compiled for: portable sse41 avx2 bw_avx512 avx512 */
#include "allpairs/planes/count.h"

#define FUNCTIONS(planes)             \
    COUNT(0, PLANES_BOTH, planes)     \
    COUNT(0, PLANES_DISTANCE, planes) \
    COUNT(1, PLANES_BOTH, planes)     \
    COUNT(1, PLANES_COMPLETE, planes) \
    COUNT(1, PLANES_DISTANCE, planes)
EACH_NUMBER_OF_PLANES(FUNCTIONS)

const planes_more WL_CORE(planes_more) = {
    {{[PLANES_BOTH] = NAMES(count_0_PLANES_BOTH), [PLANES_DISTANCE] = NAMES(count_0_PLANES_DISTANCE)},
     {[PLANES_BOTH] = NAMES(count_1_PLANES_BOTH),
      [PLANES_COMPLETE] = NAMES(count_1_PLANES_COMPLETE),
      [PLANES_DISTANCE] = NAMES(count_1_PLANES_DISTANCE)}}};
