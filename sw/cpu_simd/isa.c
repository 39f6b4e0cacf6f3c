#include "sw/cpu_simd/isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A CPU's flag counts only if the operating system saves the registers; __builtin_cpu_supports asks for both. */
#if defined(__x86_64__) || defined(__i386__)
static int has_sse41(void) { return __builtin_cpu_supports("sse4.1"); }
static int has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}
static int has_avx512(void) {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl");
}
static int has_vbmi(void) { return has_avx512() && __builtin_cpu_supports("avx512vbmi"); }
#else
static int has_sse41(void) { return 0; }
static int has_avx2(void) { return 0; }
static int has_avx512(void) { return 0; }
static int has_vbmi(void) { return 0; }
#endif

static int always(void) { return 1; }

/* Best first. */
static const struct {
    cpu_isa isa; /* its core is filled in when it is chosen */
    const cpu_core *const *core;
    int (*runs_here)(void);
} known[] = {
    {{"avx512", "AVX-512 VBMI", NULL}, &cpu_core_avx512vbmi, has_vbmi},
    {{"avx512bw", "AVX-512BW", NULL}, &cpu_core_avx512bw, has_avx512},
    {{"avx2", "AVX2", NULL}, &cpu_core_avx2, has_avx2},
    {{"sse41", "SSE4.1", NULL}, &cpu_core_sse41, has_sse41},
    {{"portable", "portable C", NULL}, &cpu_core_portable, always},
};

const cpu_isa *cpu_isa_chosen(const char **why) {
    static _Thread_local cpu_isa chosen;
    static _Thread_local char text[160];
    const char *wanted = getenv("WL_CPU_ISA");
    const int any = wanted == NULL || *wanted == '\0';
    int is_known = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *name = known[i].isa.name;
        // "avx512" begins both names: without VBMI it is the second.
        const int named = !any && (strcmp(wanted, name) == 0 ||
                                   (strcmp(wanted, "avx512") == 0 && strncmp(wanted, name, strlen(wanted)) == 0));
        is_known |= named;
        if ((any || named) && *known[i].core != NULL && known[i].runs_here()) {
            chosen = known[i].isa;
            chosen.core = *known[i].core;
            return &chosen;
        }
    }
    if (is_known)
        snprintf(text, sizeof text, "WL_CPU_ISA=%s: this CPU or this build does not have it", wanted);
    else
        snprintf(text, sizeof text, "WL_CPU_ISA=%.40s is unknown; there are portable, sse41, avx2, avx512bw and avx512",
                 wanted);
    *why = text;
    return NULL;
}
