/* Copies from global to shared memory that a thread starts and does not wait for: no register in between, and no
   instruction that the data would have to arrive for. Under one name on a GPU and on the simulated device. They need
   compute capability 8.0: say so in the variant's `supports`.

     wl_copy_async16(to, from)   start copying 16 bytes; both addresses are multiples of 16, `to` in shared memory
     wl_copy_commit()            what this thread has started since the last commit is a group (it may be empty)
     wl_copy_wait<N>()           wait until all of this thread's groups but the last N have arrived

   Each thread waits for its own copies only. A thread can read what others have copied after a barrier that follows their wait.
   A copy may overwrite only what all threads have read before a barrier that precedes the copy.

   The simulated device lets a copy arrive as late as allowed, in wl_copy_wait, and fills the bytes with poison until then: a thread
   that forgets to wait reads 0xA5. The copy races with other accesses both when it is started and when it arrives. It is counted
   when started, as a load from global and a store to shared memory. */
#pragma once

#include <stdint.h>

#include <cuda_runtime.h>

#ifdef WL_SIMULATED
extern "C" __device__ void wl_sim_copy_async16(void *to, const void *from);
extern "C" __device__ void wl_sim_copy_commit(void);
extern "C" __device__ void wl_sim_copy_wait(unsigned groups);
#endif

/* Before compute capability 8.0 there are no such instructions: stop the kernel rather than go on with garbage. */
#if defined(WL_SIMULATED) || !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define WL_COPY_PTX(...) __asm__ volatile(__VA_ARGS__)
#else
#define WL_COPY_PTX(...) __trap()
#endif

static __device__ __forceinline__ void wl_copy_async16(void *to, const void *from) {
#ifdef WL_SIMULATED
    wl_sim_copy_async16(to, from);
#else
    /* cg: past the first-level cache, which has no use for what goes to shared memory */
    const uint32_t shared = (uint32_t)__cvta_generic_to_shared(to);
    WL_COPY_PTX("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
#endif
}

static __device__ __forceinline__ void wl_copy_commit(void) {
#ifdef WL_SIMULATED
    wl_sim_copy_commit();
#else
    WL_COPY_PTX("cp.async.commit_group;" ::: "memory");
#endif
}

template <int N> static __device__ __forceinline__ void wl_copy_wait(void) {
#ifdef WL_SIMULATED
    wl_sim_copy_wait(N);
#else
    WL_COPY_PTX("cp.async.wait_group %0;" ::"n"(N) : "memory");
#endif
}
