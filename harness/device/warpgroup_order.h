/* In which order a warpgroup's products come and are waited for: what harness/device/warpgroup.h and warpgroup_floats.h share. A warpgroup is
   four warps in a row, 128 threads whose first is a multiple of 128. Its products are asynchronous:

     wl_warpgroup_publish()    after stores to A or B by threads, before the barrier that the multiplying threads wait at
     wl_warpgroup_begin()      before the first product, and whenever threads have touched d since the last
     wl_warpgroup_commit()     the products since the last commit are a group
     wl_warpgroup_wait<N>()    until all groups but the last N have read A and B, and added

   A and B have come by bulk copy, with the wait for their barrier before wl_warpgroup_begin, or been published. The instructions need compute
   capability 9.0 and code compiled for 9.0a, which no other chip runs: say so in the variant's `supports` (WL_WARPGROUP_COMPILED).
   The simulated device multiplies as late as allowed, in wl_warpgroup_wait: a kernel that overwrites A or B too early gets poison. What
   the multiplications read from shared memory is not counted. It sees that all 32 lanes of a warp come together with the same
   arguments, and that all four warps come; whether wl_warpgroup_publish or wl_warpgroup_begin is missing, it does not. */
#pragma once

#include <stdint.h>

#include <cuda_runtime.h>

enum { WL_WARPGROUP = 128 }; // threads

#ifdef WL_SIMULATED
extern "C" {
__device__ void wl_sim_warpgroup_commit(void);
__device__ void wl_sim_warpgroup_wait(unsigned groups);
}
#define WL_WARPGROUP_HERE , const char *file = __builtin_FILE(), int line = __builtin_LINE()
#else
#define WL_WARPGROUP_HERE
#endif

/* In host code: was the device's code compiled for 9.0a? (CMake says so.) */
#if defined(WL_SIMULATED) || defined(WL_HAVE_SM90A)
#define WL_WARPGROUP_COMPILED 1
#else
#define WL_WARPGROUP_COMPILED 0
#endif
/* Elsewhere there are no such instructions: stop the kernel rather than go on with garbage. */
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define WL_WARPGROUP_PTX(...) __asm__ volatile(__VA_ARGS__)
#else
#define WL_WARPGROUP_PTX(...) __trap()
#endif

static __device__ __forceinline__ void wl_warpgroup_publish(void) {
#ifndef WL_SIMULATED
    WL_WARPGROUP_PTX("fence.proxy.async;" ::: "memory");
#endif
}

static __device__ __forceinline__ void wl_warpgroup_begin(void) {
#ifndef WL_SIMULATED
    WL_WARPGROUP_PTX("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}

static __device__ __forceinline__ void wl_warpgroup_commit(void) {
#ifdef WL_SIMULATED
    wl_sim_warpgroup_commit();
#else
    WL_WARPGROUP_PTX("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}

template <int N> static __device__ __forceinline__ void wl_warpgroup_wait(void) {
#ifdef WL_SIMULATED
    wl_sim_warpgroup_wait(N);
#else
    WL_WARPGROUP_PTX("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
#endif
}

/* All threads of a warpgroup: from now on each has REGISTERS registers, a multiple of 8. A block's warpgroups begin with equal shares, and
   first some give back what others then take. */
template <int REGISTERS> static __device__ __forceinline__ void wl_warpgroup_give(void) {
#ifndef WL_SIMULATED
    WL_WARPGROUP_PTX("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS));
#endif
}
template <int REGISTERS> static __device__ __forceinline__ void wl_warpgroup_take(void) {
#ifndef WL_SIMULATED
    WL_WARPGROUP_PTX("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
#endif
}
