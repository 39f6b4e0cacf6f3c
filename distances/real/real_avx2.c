#include "distances/real/real_block.h"

#ifdef __AVX2__
#define CORE core
#include "distances/real/real_core.h"

distances_real_core *const distances_real_core_avx2 = core;
#else
distances_real_core *const distances_real_core_avx2 = NULL;
#endif
