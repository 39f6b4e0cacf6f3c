/* This CPU: its model, its threads, its vector instruction sets, and which of a CPU variant's cores to use. */
#pragma once

#include <stddef.h>

/* What the build compiles files for by their names' ends (cmake/Objects.cmake). */
typedef enum {
    WL_ISA_PORTABLE,
    WL_ISA_SSE41,
    WL_ISA_AVX2,            // and BMI1, BMI2, POPCNT
    WL_ISA_AVX2FMA,         // the same and FMA
    WL_ISA_AVX512BW,        // AVX-512 F, BW and VL
    WL_ISA_AVX512VBMI,      // and VBMI
    WL_ISA_AVX512AMD,       // the same, for AMD's processors, whose units differ from Intel's
    WL_ISA_AVX512VPOPCNTDQ, // AVX-512 F, BW, VL and VPOPCNTDQ
    WL_CPU_ISAS
} wl_cpu_isa;

/* For functions whose loops the compiler vectorises: four lanes of 32 bits on any x86-64, eight where there is AVX2. */
#define WL_VECTORS __attribute__((target_clones("avx2", "default")))

/* A part of a CPU variant that is compiled for an instruction set. Nothing of it may run before the CPU has been asked. */
typedef struct {
    wl_cpu_isa isa;
    const void *core; // the variant's own type; NULL: not in this build
} wl_cpu_core;

/* Whether this CPU, and its operating system, run it. */
int wl_cpu_has(wl_cpu_isa isa);
/* As result rows have it: "AVX-512BW". */
const char *wl_cpu_isa_title(wl_cpu_isa isa);

/* Of `cores`, best first, the best that this CPU runs, or the one that the environment variable WL_CPU_ISA names: portable,
   sse41, avx2, avx512bw, avx512vbmi, avx512amd (on any CPU with VBMI), or avx512 for the best AVX-512 there is. NULL when the
   variant does not know that one or it cannot run here, with the reason in words (valid until the thread's next call) in `*why`. */
const wl_cpu_core *wl_cpu_choose(const wl_cpu_core *cores, size_t count, const char **why);

/* Threads that CPU variants may use: the processors this process may run on, or OMP_NUM_THREADS. */
enum { WL_CPU_THREADS_MOST = 4096 };
int wl_cpu_threads(void); // at most those

/* "Intel(R) Xeon(R) Processor"; "unknown CPU" when it cannot be told. */
void wl_cpu_model(char *text, size_t size);
/* "family 6, model 207, stepping 2, clock 2300.000 MHz", for a virtual machine may hide the model's name. 0: it cannot be told. */
int wl_cpu_identity(char *text, size_t size);
/* The widest vector instruction sets this processor has: "AVX-512 VPOPCNTDQ", "AVX2", "SSE2", "NEON". */
const char *wl_cpu_instruction_set(void);
