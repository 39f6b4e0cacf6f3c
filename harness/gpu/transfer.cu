/* Large copies between pageable memory and a device: each of several threads copies pieces through two pinned buffers of its own, into one
   while the device reads or fills the other. */
#include "harness/device/transfer.h"

#include <atomic>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

extern "C" {
#include "harness/base/cpu.h"
#include "harness/base/clock.h"
#include "harness/base/thread.h"
#include "harness/base/timings.h"
}
#include "harness/gpu/gpu.h"

#define LARGE ((size_t)16 << 20) // smaller ones take a millisecond or two in any case
#define PIECE ((size_t)1 << 20)  // 20 microseconds of PCIe's time
enum { CARRIERS = 4, BUFFERS = 2, PAIRS_MOST = 4 * CARRIERS };

/* --- Pinned buffers ---------------------------------------------------------------------------------------------- */

/* They are kept: pinning takes as long as copying a few times. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *spare[PAIRS_MOST]; // [BUFFERS][PIECE] each
static int spares;

/* NULL: the host has no more memory that can be pinned. */
static char *take_buffers(void) {
    char *buffers = NULL;
    pthread_mutex_lock(&lock);
    if (spares > 0) buffers = spare[--spares];
    pthread_mutex_unlock(&lock);
    if (buffers != NULL || cudaHostAlloc((void **)&buffers, BUFFERS * PIECE, cudaHostAllocPortable) == cudaSuccess)
        return buffers;
    cudaGetLastError(); // else the next launch would be blamed for it
    return NULL;
}

static void give_back(char *buffers) {
    pthread_mutex_lock(&lock);
    const int is_kept = spares < PAIRS_MOST;
    if (is_kept) spare[spares++] = buffers;
    pthread_mutex_unlock(&lock);
    if (!is_kept) cudaFreeHost(buffers);
}

/* --- Copies ------------------------------------------------------------------------------------------------------ */

typedef struct {
    char *to;
    const char *from;
    size_t bytes;
    enum cudaMemcpyKind kind;
    int device;
    std::atomic<size_t> next; // piece
    std::atomic<int> failed;
} transfer;

typedef struct {
    transfer *of;
    wl_status status;
    char error[512];
} carrier;

/* What a buffer holds, or is about to hold. */
typedef struct {
    char *memory;
    cudaEvent_t moved; // the device has read or filled it
    size_t at, bytes;  // 0 bytes: it is free
} buffer;

/* Wait for the device; what it has brought goes to its place. */
static wl_status empty(const transfer *t, buffer *b) {
    if (b->bytes == 0) return WL_OK;
    WL_CUDA(cudaEventSynchronize(b->moved));
    if (t->kind == cudaMemcpyDeviceToHost) memcpy(t->to + b->at, b->memory, b->bytes);
    b->bytes = 0;
    return WL_OK;
}

static wl_status fill(const transfer *t, size_t piece, buffer *b) {
    b->at = piece * PIECE;
    b->bytes = t->bytes - b->at < PIECE ? t->bytes - b->at : PIECE;
    if (t->kind == cudaMemcpyHostToDevice) {
        memcpy(b->memory, t->from + b->at, b->bytes);
        WL_CUDA(cudaMemcpyAsync(t->to + b->at, b->memory, b->bytes, t->kind, 0));
    } else {
        WL_CUDA(cudaMemcpyAsync(b->memory, t->from + b->at, b->bytes, t->kind, 0));
    }
    WL_CUDA(cudaEventRecord(b->moved, 0));
    return WL_OK;
}

static wl_status carry_pieces(transfer *t, buffer *buffers) {
    const size_t pieces = (t->bytes + PIECE - 1) / PIECE;
    for (int turn = 0; !t->failed; turn = (turn + 1) % BUFFERS) {
        const size_t piece = t->next++;
        if (piece >= pieces) break;
        WL_TRY(empty(t, &buffers[turn]));
        WL_TRY(fill(t, piece, &buffers[turn]));
    }
    for (int k = 0; k < BUFFERS; k++) WL_TRY(empty(t, &buffers[k]));
    return WL_OK;
}

static wl_status carry_with(transfer *t, char *memory) {
    buffer buffers[BUFFERS] = {};
    wl_status status = WL_OK;
    for (int k = 0; k < BUFFERS && status == WL_OK; k++) {
        buffers[k].memory = memory + k * PIECE;
        status = wl_cuda_check(cudaEventCreateWithFlags(&buffers[k].moved, cudaEventDisableTiming), "cudaEventCreate",
                               __FILE__, __LINE__);
    }
    if (status == WL_OK) status = carry_pieces(t, buffers);
    if (status != WL_OK) cudaStreamSynchronize(0); // nothing is under way in buffers that others will have
    for (int k = 0; k < BUFFERS; k++)
        if (buffers[k].moved != NULL) cudaEventDestroy(buffers[k].moved);
    return status;
}

/* Without buffers, it leaves all to the others. */
static void *carry(void *argument) {
    carrier *c = (carrier *)argument;
    transfer *t = c->of;
    char *memory = NULL;
    c->status = wl_cuda_check(cudaSetDevice(t->device), "cudaSetDevice", __FILE__, __LINE__);
    if (c->status == WL_OK) memory = take_buffers();
    if (memory != NULL) {
        c->status = carry_with(t, memory);
        give_back(memory);
    }
    if (c->status == WL_OK) return NULL;
    t->failed = 1;
    snprintf(c->error, sizeof c->error, "%s", wl_error()); // this thread's
    return NULL;
}

wl_status wl_transfer(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    const int threads = wl_cpu_threads() < CARRIERS ? wl_cpu_threads() : CARRIERS;
    transfer t = {};
    wl_timings_add(kind == cudaMemcpyHostToDevice ? WL_PHASE_COPY : WL_PHASE_COPY_BACK, 0, (double)bytes);
    if (bytes < LARGE || threads < 2) {
        WL_CUDA(cudaMemcpy(to, from, bytes, kind));
        return WL_OK;
    }
    t.to = (char *)to;
    t.from = (const char *)from;
    t.bytes = bytes;
    t.kind = kind;
    WL_CUDA(cudaGetDevice(&t.device));
    WL_CUDA(cudaStreamSynchronize(0)); // the other threads have streams of their own
    carrier carriers[CARRIERS] = {};
    pthread_t thread[CARRIERS];
    int started = 1; // this one is the first
    for (int k = 0; k < threads; k++) carriers[k].of = &t;
    while (started < threads && wl_thread_start(&thread[started], carry, &carriers[started])) started++;
    carry(&carriers[0]);
    for (int k = 1; k < started; k++) pthread_join(thread[k], NULL);
    for (int k = 0; k < started; k++)
        if (carriers[k].status != WL_OK) return wl_fail(carriers[k].status, "%s", carriers[k].error);
    if (t.next == 0) WL_CUDA(cudaMemcpy(to, from, bytes, kind)); // nobody had buffers
    return WL_OK;
}

/* --- What they are measured by ----------------------------------------------------------------------------------- */

static wl_status rate_of(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, double *rate) {
    WL_CUDA(cudaMemcpy(to, from, bytes, kind)); // once before it is timed
    const double begun = wl_now();
    WL_CUDA(cudaMemcpy(to, from, bytes, kind));
    *rate = (double)bytes / (wl_now() - begun);
    return WL_OK;
}

wl_status wl_gpu_copy_rates(int ordinal, double *to, double *back) {
    const size_t bytes = (size_t)64 << 20;
    void *host = NULL, *device = NULL;
    WL_CUDA(cudaSetDevice(ordinal));
    wl_status status =
        wl_cuda_check(cudaHostAlloc(&host, bytes, cudaHostAllocPortable), "cudaHostAlloc", __FILE__, __LINE__);
    if (status == WL_OK) status = wl_cuda_check(cudaMalloc(&device, bytes), "cudaMalloc", __FILE__, __LINE__);
    if (status == WL_OK) status = rate_of(device, host, bytes, cudaMemcpyHostToDevice, to);
    if (status == WL_OK) status = rate_of(host, device, bytes, cudaMemcpyDeviceToHost, back);
    cudaFree(device);
    cudaFreeHost(host);
    return status;
}
