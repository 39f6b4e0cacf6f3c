/* A core on x86. The build compiles it once per instruction set.
   Compiled for: sse41 avx2 bw_avx512 vbmi_avx512 amd_vbmi_avx512 */
#ifdef __SSE4_1__ // else: another architecture
#include "sw/kit/vectors_x86.h"

#include "sw/core/widths.h"

#endif
