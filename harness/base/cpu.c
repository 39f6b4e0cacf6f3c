#include "harness/base/cpu.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

/* A CPU's flag counts only if the operating system saves the registers; __builtin_cpu_supports asks for both. */
#if defined(__x86_64__) || defined(__i386__)
#define HAS(feature) (__builtin_cpu_supports(feature) != 0)
#define MADE_BY(maker) (__builtin_cpu_is(maker) != 0)
#else
#define HAS(feature) 0
#define MADE_BY(maker) 0
#endif
static int has_sse41(void) { return HAS("sse4.1"); }
static int has_avx2(void) { return HAS("avx2") && HAS("bmi") && HAS("bmi2") && HAS("popcnt"); }
static int has_fma(void) { return has_avx2() && HAS("fma"); }
static int has_avx512(void) { return has_avx2() && HAS("avx512f") && HAS("avx512bw") && HAS("avx512vl"); }
static int has_vbmi(void) { return has_avx512() && HAS("avx512vbmi"); }
static int has_vpopcntdq(void) { return has_avx512() && HAS("avx512vpopcntdq"); }
static int always(void) { return 1; }

static const struct {
    const char *name;  // as WL_CPU_ISA has it
    const char *title; // as result rows have it
    int (*runs_here)(void);
} known[WL_CPU_ISAS] = {
    [WL_ISA_PORTABLE] = {"portable", "portable C", always},
    [WL_ISA_SSE41] = {"sse41", "SSE4.1", has_sse41},
    [WL_ISA_AVX2] = {"avx2", "AVX2", has_avx2},
    [WL_ISA_AVX2FMA] = {"avx2", "AVX2 FMA", has_fma},
    [WL_ISA_AVX512BW] = {"avx512bw", "AVX-512BW", has_avx512},
    [WL_ISA_AVX512VBMI] = {"avx512vbmi", "AVX-512 VBMI", has_vbmi},
    [WL_ISA_AVX512AMD] = {"avx512amd", "AVX-512 VBMI, AMD", has_vbmi},
    [WL_ISA_AVX512VPOPCNTDQ] = {"avx512", "AVX-512 VPOPCNTDQ", has_vpopcntdq},
};

int wl_cpu_has(wl_cpu_isa isa) { return isa < WL_CPU_ISAS && known[isa].runs_here(); }
const char *wl_cpu_isa_title(wl_cpu_isa isa) { return isa < WL_CPU_ISAS ? known[isa].title : "none"; }

/* Other makers' processors run the core for AMD's, but only where it is asked for. */
static int suits(wl_cpu_isa isa, int is_asked_for) {
    return wl_cpu_has(isa) && (is_asked_for || isa != WL_ISA_AVX512AMD || MADE_BY("amd"));
}

/* "avx512" begins the names of all that have AVX-512. */
static int named(const char *wanted, const char *name) {
    return strcmp(wanted, name) == 0 || (strcmp(wanted, "avx512") == 0 && strncmp(name, wanted, strlen(wanted)) == 0);
}

/* "portable, avx2 and avx512bw", the least first. */
static void list_names(const wl_cpu_core *cores, size_t count, char *text, size_t size) {
    size_t used = 0;
    *text = '\0';
    for (size_t i = count; i-- > 0 && used < size;) {
        if (i > 0 && strcmp(known[cores[i].isa].name, known[cores[i - 1].isa].name) == 0) continue; // named once
        const char *before = i + 1 == count ? "" : i == 0 ? " and " : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", before, known[cores[i].isa].name);
    }
}

const wl_cpu_core *wl_cpu_choose(const wl_cpu_core *cores, size_t count, const char **why) {
    static _Thread_local char text[200];
    const char *wanted = getenv("WL_CPU_ISA");
    const int any = wanted == NULL || *wanted == '\0';
    int is_known = 0;
    for (size_t i = 0; i < count; i++) {
        const int fits = any || named(wanted, known[cores[i].isa].name);
        is_known |= fits;
        const int is_asked_for = !any && strcmp(wanted, known[cores[i].isa].name) == 0;
        if (fits && cores[i].core != NULL && suits(cores[i].isa, is_asked_for)) return &cores[i];
    }
    if (is_known) {
        snprintf(text, sizeof text, "WL_CPU_ISA=%.40s: this CPU or this build does not have it", any ? "" : wanted);
    } else {
        char names[100];
        list_names(cores, count, names, sizeof names);
        snprintf(text, sizeof text, "WL_CPU_ISA=%.40s is unknown; there are %s", any ? "" : wanted, names);
    }
    *why = text;
    return NULL;
}

/* OpenMP has looked at OMP_NUM_THREADS and at the processors this process may use; so do the CPU variants. */
int wl_cpu_threads(void) {
#ifdef _OPENMP
    const int threads = omp_get_max_threads();
    return threads <= WL_CPU_THREADS_MOST ? threads : omp_get_num_procs();
#else
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
#endif
}

/* What /proc/cpuinfo says first under this name; 0: nothing, and `text` stays. */
static int cpuinfo(const char *wanted, char *text, size_t size) {
    char line[512];
    int found = 0;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && !found && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        const size_t length = strlen(wanted);
        if (strncmp(line, wanted, length) != 0 || !colon || line + length + strspn(line + length, " \t") != colon)
            continue;
        char *name = colon + 1, *end = name + strlen(name);
        while (isspace((unsigned char)*name)) name++;
        while (end > name && isspace((unsigned char)end[-1])) *--end = 0;
        found = *name != 0;
        if (found) snprintf(text, size, "%s", name);
    }
    if (file) fclose(file);
    return found;
}

void wl_cpu_model(char *text, size_t size) {
    snprintf(text, size, "unknown CPU");
    cpuinfo("model name", text, size);
}

int wl_cpu_identity(char *text, size_t size) {
    char family[32], model[32], stepping[32], clock[32] = "unknown";
    if (!cpuinfo("cpu family", family, sizeof family) || !cpuinfo("model", model, sizeof model) ||
        !cpuinfo("stepping", stepping, sizeof stepping))
        return 0;
    cpuinfo("cpu MHz", clock, sizeof clock);
    snprintf(text, size, "family %s, model %s, stepping %s, clock %s MHz", family, model, stepping, clock);
    return 1;
}

const char *wl_cpu_instruction_set(void) {
#if defined(__x86_64__) || defined(__i386__)
    if (HAS("avx512f") && HAS("avx512vpopcntdq")) return "AVX-512 VPOPCNTDQ";
    if (HAS("avx512f") && HAS("avx512bw")) return "AVX-512";
    if (HAS("avx2")) return "AVX2";
    return "SSE2";
#elif defined(__aarch64__)
    return "NEON";
#else
    return "portable";
#endif
}
