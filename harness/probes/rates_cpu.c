/* The CPU's ceilings: memory bandwidth, logic, byte, word and floating-point arithmetic of all threads, compare-and-add of one. */
#include "harness/probes/rates_cpu.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/cpu.h"
#include "harness/probes/rates.h"
#include "harness/base/clock.h"
#include "harness/base/memory.h"

static const double sample_seconds = 0.02;
enum { TIMES = 12, COPY_TIMES = 5, SCALARS = 2048 };

/* What is computed ends here, so that the compiler cannot drop it. */
static volatile uint64_t sink;

/* --- Vectors --- */

/* Best first. */
static const struct {
    wl_cpu_isa isa;
    const rates_loops *loops;
} sets[] = {{WL_ISA_AVX512VPOPCNTDQ, &rates_loops_avx512},
            {WL_ISA_AVX512BW, &rates_loops_bw_avx512},
            {WL_ISA_AVX2FMA, &rates_loops_fma_avx2},
            {WL_ISA_AVX2, &rates_loops_avx2},
            {WL_ISA_PORTABLE, &rates_loops_portable}};

/* The best loop of one kind that this build and this processor have. */
#define BEST(kind) best_loop(offsetof(rates_loops, kind))
static rates_loop *best_loop(size_t kind) {
    for (size_t i = 0;; i++) {
        if (sets[i].loops == NULL || !wl_cpu_has(sets[i].isa)) continue;
        rates_loop *loop = *(rates_loop *const *)((const char *)sets[i].loops + kind);
        if (loop) return loop;
    }
}

/* Results per second of all threads together, each doing `steps` steps of `loop`. The threads' own rates are added: a kernel that hands
   out its work is not held up by the one thread whose core another program has taken, and neither is its limit. */
static double all_threads(rates_loop *loop, uint64_t steps) {
    double rate = 0;
    uint64_t total = 0;
#pragma omp parallel reduction(+ : rate, total)
    {
        uint64_t sum;
        double begin = wl_now(), results = loop(steps, &sum);
        rate += results / (wl_now() - begin);
        total += sum;
    }
    sink = total;
    return rate;
}

static double logic_rate(uint64_t steps) { return all_threads(BEST(logic), steps); }
static double bytes_rate(uint64_t steps) { return all_threads(BEST(bytes), steps); }
static double words_rate(uint64_t steps) { return all_threads(BEST(words), steps); }
static double floats_rate(uint64_t steps) { return all_threads(BEST(floats), steps); }
static double doubles_rate(uint64_t steps) { return all_threads(BEST(doubles), steps); }

/* --- Compare-and-add --- */

/* One comparison and one addition at a time, four sums side by side; what a compiler makes of the serial code when it
   does not vectorise. */
__attribute__((optimize("no-tree-vectorize", "no-tree-slp-vectorize"))) static int count_differences(const int *a,
                                                                                                     const int *b,
                                                                                                     int n) {
    int s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int i = 0; i < n; i += 4) {
        s0 += a[i] != b[i];
        s1 += a[i + 1] != b[i + 1];
        s2 += a[i + 2] != b[i + 2];
        s3 += a[i + 3] != b[i + 3];
    }
    return s0 + s1 + s2 + s3;
}

static int left[SCALARS], right[SCALARS]; // 16 KiB: they stay in the first-level cache

static double scalar_rate(uint64_t steps) {
    uint64_t total = 0;
    double begin = wl_now();
    for (uint64_t step = 0; step < steps; step++) {
        __asm__ volatile("" ::: "memory"); // the arrays may have changed
        total += (uint64_t)count_differences(left, right, SCALARS);
    }
    sink = total;
    return (double)steps * SCALARS / (wl_now() - begin);
}

/* The highest of a few goes, each with so many steps that it lasts 20 ms: whatever else runs only ever lowers it. */
static double best_rate(double (*rate)(uint64_t steps)) {
    for (uint64_t steps = 64;; steps *= 2) {
        double best = 0;
        for (int i = 0; i < TIMES; i++) {
            double begin = wl_now(), now = rate(steps);
            if (now > best) best = now;
            if (wl_now() - begin < sample_seconds) break;
            if (i + 1 == TIMES) return best;
        }
    }
}

/* --- Bandwidth --- */

/* Bytes read and written a second by memcpy on all threads, far more than any cache holds. */
static double bandwidth(int threads) {
    size_t bytes = (size_t)1 << 28, available = wl_memory_available();
    if (bytes > available / 8) bytes = available / 8;
    char *from = malloc(bytes + 1), *to = malloc(bytes + 1);
    double best = NAN;
    size_t part = bytes / (size_t)threads;
    for (int i = 0; from && to && i <= COPY_TIMES; i++) {
        double begin = wl_now();
#pragma omp parallel for schedule(static, 1)
        for (int t = 0; t < threads; t++) {
            if (i == 0) memset(from + (size_t)t * part, 1, part); // the first pass gives each thread its pages
            memcpy(to + (size_t)t * part, from + (size_t)t * part, part);
        }
        double rate = 2.0 * (double)part * threads / (wl_now() - begin);
        if (i > 0 && !(rate <= best)) best = rate;
    }
    WL_FREE(from, to);
    return best;
}

void wl_cpu_rates(const wl_device *device, wl_rate rate, wl_rates *rates) {
    static double (*const measured[WL_RATES])(uint64_t steps) = {
        [WL_RATE_SCALAR] = scalar_rate,  [WL_RATE_LOGIC512] = logic_rate, [WL_RATE_SATURATED8] = bytes_rate,
        [WL_RATE_ADDMIN16] = words_rate, [WL_RATE_FP32] = floats_rate,    [WL_RATE_FP64] = doubles_rate,
    };
    for (int i = 0; i < SCALARS; i++) {
        left[i] = i % 3;
        right[i] = i % 5 % 3;
    }
    if (isnan(rates->bandwidth)) rates->bandwidth = bandwidth(device->multiprocessors);
    for (int r = 0; r < WL_RATES; r++)
        if (measured[r] && isnan(rates->operations[r]) && (rate == WL_RATES || rate == (wl_rate)r))
            rates->operations[r] = best_rate(measured[r]);
}
