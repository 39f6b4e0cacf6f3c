/* What single instructions of inline PTX do: chevrons calls these functions instead (sim/chevrons.c). */
#pragma once

#include "sim_float.h"
#include "sim_integer.h"
#include "sim_warp.h"

WL_DEVICE_CODE

WL_DEVICE_INLINE unsigned wl_ptx_laneid(void) { return wl_sim_lane(); }
WL_DEVICE_INLINE unsigned wl_ptx_warpid(void) {
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32;
}
WL_DEVICE_INLINE unsigned wl_ptx_lanemask_eq(void) { return 1u << wl_sim_lane(); }
WL_DEVICE_INLINE unsigned wl_ptx_lanemask_lt(void) { return wl_ptx_lanemask_eq() - 1; }
WL_DEVICE_INLINE unsigned wl_ptx_lanemask_le(void) { return wl_ptx_lanemask_lt() | wl_ptx_lanemask_eq(); }
WL_DEVICE_INLINE unsigned wl_ptx_lanemask_gt(void) { return ~wl_ptx_lanemask_le(); }
WL_DEVICE_INLINE unsigned wl_ptx_lanemask_ge(void) { return ~wl_ptx_lanemask_lt(); }

WL_DEVICE_INLINE unsigned wl_ptx_add(unsigned a, unsigned b) { return a + b; }
WL_DEVICE_INLINE unsigned wl_ptx_sub(unsigned a, unsigned b) { return a - b; }
WL_DEVICE_INLINE unsigned wl_ptx_mul(unsigned a, unsigned b) { return a * b; }
WL_DEVICE_INLINE unsigned wl_ptx_mad(unsigned a, unsigned b, unsigned c) { return a * b + c; }
WL_DEVICE_INLINE unsigned wl_ptx_and(unsigned a, unsigned b) { return a & b; }
WL_DEVICE_INLINE unsigned wl_ptx_or(unsigned a, unsigned b) { return a | b; }
WL_DEVICE_INLINE unsigned wl_ptx_xor(unsigned a, unsigned b) { return a ^ b; }
// A shift by 32 and more leaves no bit.
WL_DEVICE_INLINE unsigned wl_ptx_shl(unsigned a, unsigned by) { return by > 31 ? 0 : a << by; }
WL_DEVICE_INLINE unsigned wl_ptx_shr(unsigned a, unsigned by) { return by > 31 ? 0 : a >> by; }
// Position and length are their lowest 8 bits.
WL_DEVICE_INLINE unsigned wl_ptx_bfe(unsigned a, unsigned position, unsigned bits) {
    return wl_ptx_shr(a, position & 255) & (wl_ptx_shl(1, bits & 255) - 1);
}

WL_DEVICE_CODE_END
