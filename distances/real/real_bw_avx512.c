#include "distances/real/real_block.h"

#ifdef __AVX512BW__
#define CORE core
#include "distances/real/real_core.h"

distances_real_core *const distances_real_core_avx512 = core;
#else
distances_real_core *const distances_real_core_avx512 = NULL;
#endif
