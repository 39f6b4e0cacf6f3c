/* The CPU's ceilings: memory bandwidth and logic of all threads, compare-and-add of one. */
#include "harness/rates_cpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/rates.h"
#include "harness/timer.h"
#include "io/memory.h"

static const double sample_seconds = 0.02;
enum { TIMES = 5, COPY_TIMES = 5, SCALARS = 2048 };

/* What is computed ends here, so that the compiler cannot drop it. */
static volatile uint64_t sink;

/* --- Logic --- */

static double logic_portable(uint64_t steps, uint64_t *sum) {
    enum { CHAINS = 4 };
    uint64_t a0 = 0x0123456789ABCDEF, a1 = 0x1032547698BADCFE, b0 = 0x76543210FEDCBA98, b1 = 0x67452301EFCDAB89;
    uint64_t sums[CHAINS] = {0};
    for (uint64_t step = 0; step < steps; step++) {
        for (int c = 0; c < CHAINS; c++) {
            __asm__ volatile("" : "+r"(a0), "+r"(a1));
            sums[c] += (uint64_t)__builtin_popcountll((a0 ^ b0) | (a1 ^ b1));
        }
    }
    *sum = sums[0] + sums[1] + sums[2] + sums[3];
    return (double)steps * CHAINS;
}

static wl_logic_loop *choose_logic(void) {
#if defined(__x86_64__) || defined(__i386__)
    if (wl_logic_loop_avx512 && __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512bw"))
        return wl_logic_loop_avx512;
    if (wl_logic_loop_avx2 && __builtin_cpu_supports("avx2")) return wl_logic_loop_avx2;
#endif
    return logic_portable;
}

/* Words a second when all threads run at once; the threads' start is a small part of 20 ms. */
static double logic_rate(void) {
    wl_logic_loop *loop = choose_logic();
    uint64_t steps = 1 << 12, total = 0;
    double best = 0, words, seconds;
    for (int taken = 0; taken < TIMES;) {
        words = 0;
        double begin = wl_now();
#pragma omp parallel reduction(+ : words, total)
        {
            uint64_t sum;
            words += loop(steps, &sum);
            total += sum;
        }
        seconds = wl_now() - begin;
        if (seconds < sample_seconds && steps < UINT64_C(1) << 40) {
            steps *= 2;
            continue;
        }
        if (words / seconds > best) best = words / seconds;
        taken++;
    }
    sink = total;
    return best;
}

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

static double scalar_rate(void) {
    static int a[SCALARS], b[SCALARS]; /* 16 KiB: stays in the first-level cache */
    uint64_t total = 0, repeats = 64;
    double best = 0;
    for (int i = 0; i < SCALARS; i++) {
        a[i] = i % 3;
        b[i] = i % 5 % 3;
    }
    for (int taken = 0; taken < TIMES;) {
        double begin = wl_now();
        for (uint64_t r = 0; r < repeats; r++) {
            __asm__ volatile("" ::: "memory"); /* the arrays may have changed */
            total += (uint64_t)count_differences(a, b, SCALARS);
        }
        double seconds = wl_now() - begin;
        if (seconds < sample_seconds) {
            repeats *= 2;
            continue;
        }
        if ((double)repeats * SCALARS / seconds > best) best = (double)repeats * SCALARS / seconds;
        taken++;
    }
    sink = total;
    return best;
}

/* --- Bandwidth --- */

/* Bytes read and written a second by memcpy on all threads, far more than any cache holds. */
static double bandwidth(int threads) {
    size_t bytes = (size_t)1 << 29, available = wl_memory_available();
    if (bytes > available / 8) bytes = available / 8;
    char *from = malloc(bytes + 1), *to = malloc(bytes + 1);
    double best = NAN;
    size_t part = bytes / (size_t)threads;
    for (int i = 0; from && to && i <= COPY_TIMES; i++) {
        double begin = wl_now();
#pragma omp parallel for schedule(static, 1)
        for (int t = 0; t < threads; t++) {
            if (i == 0) memset(from + (size_t)t * part, 1, part); /* the first pass gives each thread its pages */
            memcpy(to + (size_t)t * part, from + (size_t)t * part, part);
        }
        double rate = 2.0 * (double)part * threads / (wl_now() - begin);
        if (i > 0 && !(rate <= best)) best = rate;
    }
    free(from);
    free(to);
    return best;
}

void wl_cpu_rates(const wl_device *device, wl_rates *rates) {
    rates->bandwidth = bandwidth(device->multiprocessors);
    rates->operations[WL_RATE_SCALAR] = scalar_rate();
    rates->operations[WL_RATE_LOGIC512] = logic_rate();
}
