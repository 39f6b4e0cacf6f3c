/* Bulk copies from global to shared memory, and the barriers in shared memory that say when they have arrived. One thread starts the copy
   of a whole piece; an engine of the multiprocessor does the rest. Under one name on a GPU and on the simulated device. They need
   compute capability 9.0: say so in the variant's `supports`.

     wl_mbarrier_init(b, count)     a barrier for `count` arrivals per phase; by one thread
     wl_mbarrier_publish()          then by the same thread: now copies know it; after a __syncthreads the other threads do
     wl_mbarrier_arrive(b)          one arrival
     wl_mbarrier_expect(b, bytes)   one arrival, and `bytes` that copies are to bring before the phase is complete
     wl_copy_bulk(to, from, bytes, b)  start copying; `bytes` and both addresses are multiples of 16, `to` in shared memory
     wl_mbarrier_wait(b, parity)    wait until the phase of this parity is complete: phases count from 0

   After the wait, a thread can read what the others wrote before they arrived, and what the copies brought. A phase is over when all its
   arrivals and bytes have come; then the next one begins. wl_mbarrier_wait can name two phases only, the current one and the one before.
   A thread that waits for an older phase waits for the current one instead. A thread that waits for a later phase does not wait at all.
   On a new barrier, the phase before the first one, parity 1, is complete. A block must not end before its copies have arrived.

   The simulated device lets bulk copies arrive as late as allowed, when a thread waits for them, and fills the bytes with poison until
   then. A thread that forgets the wait computes with 0xA5, and so does one that still reads a piece while a copy overwrites it.
   It refuses more arrivals than a phase has, a barrier that is not initialised or was written over, and a block that ends before its
   copies have arrived. It does not see that wl_mbarrier_publish is missing. A bulk copy is counted as one request for all its sectors. */
#pragma once

#include <stdint.h>

#include <cuda_runtime.h>

typedef uint64_t wl_mbarrier; // in shared memory

#ifdef WL_SIMULATED
#include <sim_copy_bulk.h>
#else
/* Before compute capability 9.0 there are no such instructions: stop the kernel rather than go on with garbage. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define WL_BULK_PTX(...) __asm__ volatile(__VA_ARGS__)
#else
#define WL_BULK_PTX(...) __trap()
#endif

static __device__ __forceinline__ void wl_mbarrier_init(wl_mbarrier *b, unsigned count) {
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(b);
    WL_BULK_PTX("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(count) : "memory");
}

static __device__ __forceinline__ void wl_mbarrier_publish(void) {
    WL_BULK_PTX("fence.mbarrier_init.release.cluster;" ::: "memory");
}

static __device__ __forceinline__ void wl_mbarrier_arrive(wl_mbarrier *b) {
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(b);
    WL_BULK_PTX("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at) : "memory");
}

static __device__ __forceinline__ void wl_mbarrier_expect(wl_mbarrier *b, unsigned bytes) {
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(b);
    WL_BULK_PTX("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
}

static __device__ __forceinline__ void wl_copy_bulk(void *to, const void *from, unsigned bytes, wl_mbarrier *b) {
    const uint32_t there = (uint32_t)__cvta_generic_to_shared(to), at = (uint32_t)__cvta_generic_to_shared(b);
    WL_BULK_PTX("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(there),
                "l"(from), "r"(bytes), "r"(at)
                : "memory");
}

static __device__ __forceinline__ void wl_mbarrier_wait(wl_mbarrier *b, unsigned parity) {
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(b);
    WL_BULK_PTX("{\n.reg .pred complete;\n"
                "again:\n"
                "mbarrier.try_wait.parity.shared::cta.b64 complete, [%0], %1;\n"
                "@!complete bra again;\n}" ::"r"(at),
                "r"(parity)
                : "memory");
}
#endif
