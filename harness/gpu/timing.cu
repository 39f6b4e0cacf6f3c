/* Timing one launch: events around it, the L2 cache flushed before it, the SM clock watched over it.

   A sample is queued in one go, and only then waited for:

       probe | flush the L2 cache | event | the variant's kernels | event | probe

   The probe and the flush keep the GPU busy while the host queues the rest. Else the time between the events would
   hold the host's time for a launch, which is longer than a short kernel. */
#include <math.h>
#include <stdlib.h>

#include "harness/gpu/internal.cuh"

enum {
    PROBED = 1024,     // multiprocessors that are looked at; %smid is below it on every GPU so far
    LEAD_COLD = 15000, // nanoseconds the first probe lasts: with the flush, enough to queue a few launches
    LEAD_HOT = 40000,  // there is no flush
    TICKS_LEAST = 20,  // a window of fewer timer steps says too little about the clock: 2 / 20 = 10 %
    FLUSH_THREADS = 256,
};

/* What a probe read on each multiprocessor; in host memory that the GPU writes to. */
typedef struct {
    unsigned long long cycles[PROBED], nanoseconds[PROBED];
} readings;

typedef struct {
    cudaEvent_t begin, end;
    readings *before, *after;
    unsigned *flush; // [flush_words], twice the L2 cache
    size_t flush_words;
    double nominal; // cycles a nanosecond
    double tick;    // of the global timer, nanoseconds
    int multiprocessors, ready;
} bench;

static bench benches[WL_GPUS_MOST];

/* One block a multiprocessor. Blocks are dealt out one to each as long as there are free ones. */
static __global__ void probe(readings *into, unsigned long long last) {
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    unsigned long long begin = wl_global_timer();
    if (sm < PROBED) {
        into->cycles[sm] = clock64();
        into->nanoseconds[sm] = begin;
    }
    while (wl_global_timer() - begin < last) {
    }
}

/* Read, not written: a cache full of modified lines would make the kernel under test pay for writing them back. The
   store never happens; the compiler cannot know. */
static __global__ void read_through(const uint4 *words, size_t count, unsigned *never) {
    unsigned sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
        uint4 word = words[i];
        sum |= word.x | word.y | word.z | word.w;
    }
    if (sum) *never = sum; // the buffer is all zero
}

static wl_status prepare(const wl_device *device, bench **result) {
    bench *b = &benches[device->ordinal];
    *result = b;
    if (b->ready) return WL_OK;
    int kilohertz = 0, l2 = 0;
    WL_CUDA(cudaEventCreate(&b->begin));
    WL_CUDA(cudaEventCreate(&b->end));
    WL_CUDA(cudaHostAlloc((void **)&b->before, sizeof *b->before, cudaHostAllocMapped));
    WL_CUDA(cudaHostAlloc((void **)&b->after, sizeof *b->after, cudaHostAllocMapped));
    WL_CUDA(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device->ordinal));
    WL_CUDA(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, device->ordinal));
    b->flush_words = 2 * (size_t)l2 / sizeof(uint4) * (sizeof(uint4) / sizeof(unsigned));
    WL_CUDA(cudaMalloc((void **)&b->flush, b->flush_words * sizeof(unsigned) + sizeof(uint4)));
    WL_CUDA(cudaMemset(b->flush, 0, b->flush_words * sizeof(unsigned) + sizeof(uint4)));
    wl_status status = wl_gpu_tick(device->ordinal, &b->tick);
    if (status != WL_OK) return status;
    b->nominal = kilohertz / 1e6;
    b->multiprocessors = device->multiprocessors;
    b->ready = 1;
    return WL_OK;
}

static void flush(const bench *b) {
    size_t count = b->flush_words / 4;
    if (count == 0) return;
    read_through<<<4 * b->multiprocessors, FLUSH_THREADS>>>((const uint4 *)b->flush, count, b->flush + b->flush_words);
}

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Median over the multiprocessors of the clock between the probes, over the nominal clock; NaN when the probes were
   too close together for the timer's step. */
static double clock_share(const bench *b) {
    double shares[PROBED];
    size_t count = 0;
    for (int sm = 0; sm < PROBED; sm++) {
        if (b->before->nanoseconds[sm] == 0 || b->after->nanoseconds[sm] == 0) continue;
        double window = (double)(b->after->nanoseconds[sm] - b->before->nanoseconds[sm]);
        double cycles = (double)(b->after->cycles[sm] - b->before->cycles[sm]);
        if (window >= TICKS_LEAST * b->tick) shares[count++] = cycles / window / b->nominal;
    }
    if (count == 0 || !(b->nominal > 0)) return NAN;
    qsort(shares, count, sizeof *shares, ascending);
    return shares[count / 2];
}

wl_status wl_gpu_time(const wl_device *device, wl_timed timed, int cold, wl_timing *timing) {
    bench *b;
    float ms = 0;
    WL_CUDA(cudaSetDevice(device->ordinal));
    wl_status status = prepare(device, &b);
    if (status != WL_OK) return status;
    for (int sm = 0; sm < PROBED; sm++) b->before->nanoseconds[sm] = b->after->nanoseconds[sm] = 0;

    probe<<<b->multiprocessors, 1>>>(b->before, cold ? LEAD_COLD : LEAD_HOT);
    if (cold) flush(b);
    WL_LAUNCHED();
    WL_CUDA(cudaEventRecord(b->begin));
    status = timed.run(timed.argument);
    WL_CUDA(cudaEventRecord(b->end));
    probe<<<b->multiprocessors, 1>>>(b->after, 0);
    WL_LAUNCHED();
    WL_CUDA(cudaStreamSynchronize(0));
    if (status != WL_OK) return status;
    WL_CUDA(cudaEventElapsedTime(&ms, b->begin, b->end));
    timing->seconds = ms / 1e3;
    timing->clock = clock_share(b);
    return WL_OK;
}

static __global__ void nothing(void) {}

static wl_status launch_nothing(void *) {
    nothing<<<1, 32>>>();
    WL_LAUNCHED();
    return WL_OK;
}

wl_status wl_gpu_empty_seconds(const wl_device *device, double *seconds) {
    enum { TIMES = 101 };
    double all[TIMES];
    wl_timed timed = {launch_nothing, NULL};
    for (int i = 0; i < TIMES; i++) {
        wl_timing timing;
        wl_status status = wl_gpu_time(device, timed, 1, &timing);
        if (status != WL_OK) return status;
        all[i] = timing.seconds;
    }
    qsort(all, TIMES, sizeof *all, ascending);
    *seconds = all[TIMES / 2];
    return WL_OK;
}
