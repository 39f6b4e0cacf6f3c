/* The core for this CPU. */
#include "harness/base/cpu.h"
#include "peeling/core/core.h"

/* One for each instruction set. All but the portable core's may be missing: a weak symbol's address is NULL then. (Where they are
   defined nothing says weak: those would be all variants'.) */
extern const cpu_core cpu_core_fma_avx2 __attribute__((weak)), cpu_core_bw_avx512 __attribute__((weak));

const cpu_core *cpu_core_choose(const char **title, const char **why) {
    const wl_cpu_core cores[] = {
        // best first
        {WL_ISA_AVX512BW, &cpu_core_bw_avx512},
        {WL_ISA_AVX2FMA, &cpu_core_fma_avx2},
        {WL_ISA_PORTABLE, &cpu_core_portable},
    };
    const wl_cpu_core *found = wl_cpu_choose(cores, sizeof cores / sizeof *cores, why);
    *title = found != NULL ? wl_cpu_isa_title(found->isa) : "none";
    return found != NULL ? found->core : NULL;
}
