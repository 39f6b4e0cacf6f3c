/* What the stand-ins for CUDA's scalar functions are written with.

   They run inside simulated kernels, where every basic block and every access to memory calls back into the simulator.
   So they have no branch, no loop and no table: a choice is made with masks (wl_choose), bits are reinterpreted in
   registers (wl_bit_cast), and everything is inlined, so that a call adds nothing to what the simulator counts. */
#pragma once

#include <cstdint>

#include "sim_rules.h"

WL_ANY_CODE

#define WL_DEVICE_INLINE static inline __attribute__((always_inline, unused))

/* The bits of `from` as a To of the same size. */
template <typename To, typename From> WL_DEVICE_INLINE To wl_bit_cast(From from) {
    static_assert(sizeof(To) == sizeof(From), "a bit cast keeps the size");
    return __builtin_bit_cast(To, from);
}

/* All bits set where `condition` holds, none where not. */
WL_DEVICE_INLINE uint32_t wl_mask(bool condition) { return 0u - (uint32_t)condition; }
WL_DEVICE_INLINE uint64_t wl_mask64(bool condition) { return 0u - (uint64_t)condition; }

/* condition ? yes : no, with both sides evaluated: one basic block. */
WL_DEVICE_INLINE uint32_t wl_choose(bool condition, uint32_t yes, uint32_t no) {
    return no ^ ((yes ^ no) & wl_mask(condition));
}
WL_DEVICE_INLINE uint64_t wl_choose64(bool condition, uint64_t yes, uint64_t no) {
    return no ^ ((yes ^ no) & wl_mask64(condition));
}

/* Wrap-around arithmetic: in C, a signed overflow is undefined; on the device it wraps. */
WL_DEVICE_INLINE int wl_wrapping_add(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
WL_DEVICE_INLINE int wl_wrapping_multiply(int a, int b) { return (int)((unsigned)a * (unsigned)b); }

WL_ANY_CODE_END
