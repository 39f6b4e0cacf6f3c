/* The simulated device's stand-in for the toolkit's <cuda_runtime.h>: what a kernel file may use, in terms of
   sim. A kernel compiled with this header runs on the CPU; it is written exactly as for a GPU.

   Kernel code is compiled with -fsanitize=thread and -fsanitize-coverage=trace-pc, so that every load, store and basic
   block calls back into sim/core.cpp, which gives them their CUDA meaning. */
#pragma once
#define WL_SIM_CUDA_RUNTIME_H // which other headers ask for

#include "sim_rules.h"

// The standard headers that kernel files use come first: some use names that CUDA makes macros of (__noinline__).
#include <cassert>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "vector_types.h"

#define __restrict __restrict__
#define __forceinline__ inline __attribute__((always_inline))
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))
#if defined WL_SIM_RULES // clang knows the words
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#elif !defined WL_SIM_TRANSLATING // else chevrons replaces these words
#define __global__ __attribute__((noinline))
#define __device__
#define __host__
#define __noinline__ __attribute__((noinline))
#define __constant__ __attribute__((section("wl_constant")))
#define __managed__ __attribute__((section("wl_managed")))
#define __launch_bounds__(...) // chevrons has the kernel compare its block with the bound
// A block runs on one thread of the host from start to end: what that thread owns, the block shares.
#define __shared__ static thread_local __attribute__((aligned(16)))
#endif
#ifndef WL_SIM_HOST_CODE // a .cpp file, which nvcc would not compile for the device
#define __CUDACC__ 1
#endif
#define CUDART_VERSION 13000
// What tells other headers, such as helper_cuda.h of NVIDIA's samples, that the toolkit's are there.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__

// What the simulated device is compiled as: every path for devices of compute capability 9.0.
#if !defined __CUDA_ARCH__ && !defined WL_SIM_HOST_CODE && !defined WL_SIM_RULES
#define __CUDA_ARCH__ 900
#endif

// A function of these headers that is no kernel code: nothing in it is checked or counted.
#if defined WL_SIM_RULES
#define WL_SIM_INSIDE
#elif __GNUC__ >= 12
#define WL_SIM_INSIDE __attribute__((no_sanitize("thread"), no_sanitize_coverage, noinline))
#else
#define WL_SIM_INSIDE __attribute__((no_sanitize("thread"), noinline))
#endif

// ---------------------------------------------------------------- threads

WL_DEVICE_CODE
extern "C" {
// Constant for a thread's whole life, which lets the compiler call each once.
uint3 wl_sim_thread_index(void) __attribute__((const));
uint3 wl_sim_block_index(void) __attribute__((const));
void *wl_sim_dynamic_shared(void) __attribute__((const));
void wl_sim_bound(unsigned threads) noexcept;
}
WL_DEVICE_CODE_END
#ifdef WL_SIM_RULES // clang's messages name what it calls
WL_DEVICE_CODE
uint3 threadIdx(void);
uint3 blockIdx(void);
WL_DEVICE_CODE_END
#define threadIdx threadIdx()
#define blockIdx blockIdx()
#else
#define threadIdx wl_sim_thread_index()
#define blockIdx wl_sim_block_index()
#endif
/* Variables, because programs have their own of these names. One launch runs at a time, so all its threads share them. g++ does not
   report accesses to what is declared const, and has no constructor. */
WL_ANY_CODE
struct wl_dimensions {
    unsigned x, y, z;
    operator dim3() const { return dim3(x, y, z); }
    operator uint3() const { return make_uint3(x, y, z); }
};
WL_ANY_CODE_END
#ifdef WL_SIM_RULES
extern const __device__ wl_dimensions blockDim, gridDim;
#else
extern const wl_dimensions blockDim __asm__("wl_sim_block_shape"), gridDim __asm__("wl_sim_grid_shape");
#endif
constexpr int warpSize = 32;

#include "sim_host.h"
#include "sim_launch.h"
#include "sim_graph.h"
#include "sim_texture.h"
using namespace wl_sim;

#include "sim_atomics.h"
#include "sim_warp.h"
#include "sim_intrinsics.h"
#include "sim_ptx.h"
