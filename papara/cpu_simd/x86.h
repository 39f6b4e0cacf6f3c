/* What the x86 cores share: their instructions differ in the vectors' width alone. The including file defines vector and
   V(name), the intrinsic. */
#ifndef PAPARA_CPU_SIMD_X86_H
#define PAPARA_CPU_SIMD_X86_H

#define INLINE static inline __attribute__((always_inline))

#define LANES_OF(bits)                                                                    \
    INLINE vector splat_##bits(int64_t x) { return V(set1_epi##bits)((int##bits##_t)x); } \
    INLINE vector add_##bits(vector a, vector b) { return V(add_epi##bits)(a, b); }       \
    INLINE vector sub_##bits(vector a, vector b) { return V(sub_epi##bits)(a, b); }       \
    INLINE vector min_##bits(vector a, vector b) { return V(min_epi##bits)(a, b); }       \
    INLINE vector max_##bits(vector a, vector b) { return V(max_epi##bits)(a, b); }

LANES_OF(16)
LANES_OF(32)

#endif
