/* Four numbers of 64 bits that threads of other blocks may store or load at the same time. Each number is stored and loaded whole, and no
   order with other memory is asked for. Under one name on a GPU and on the simulated device.

   The address is a multiple of 16. The instructions have a predicate, since a branch would cost more than they do. */
#pragma once

#include <cuda_runtime.h>

/* Loads if `wanted`, else `to` stays as it is. */
static __device__ __forceinline__ void wl_load_relaxed(ulonglong2 to[2], const ulonglong2 *from, bool wanted) {
#ifdef WL_SIMULATED
    const volatile unsigned long long *number = (const unsigned long long *)from;
    if (!wanted) return;
    to[0] = make_ulonglong2(number[0], number[1]);
    to[1] = make_ulonglong2(number[2], number[3]);
#else
    asm volatile("{\n"
                 ".reg .pred wanted;\n"
                 "setp.ne.s32 wanted, %5, 0;\n"
                 "@wanted ld.relaxed.gpu.global.v2.b64 {%0, %1}, [%4];\n"
                 "@wanted ld.relaxed.gpu.global.v2.b64 {%2, %3}, [%4 + 16];\n"
                 "}"
                 : "+l"(to[0].x), "+l"(to[0].y), "+l"(to[1].x), "+l"(to[1].y)
                 : "l"(from), "r"((int)wanted)
                 : "memory");
#endif
}

/* Stores if `wanted`. */
static __device__ __forceinline__ void wl_store_relaxed(ulonglong2 *to, const unsigned long long numbers[4],
                                                        bool wanted) {
#ifdef WL_SIMULATED
    for (int i = 0; i < 4 && wanted; i++) atomicExch((unsigned long long *)to + i, numbers[i]);
#else
    asm volatile("{\n"
                 ".reg .pred wanted;\n"
                 "setp.ne.s32 wanted, %5, 0;\n"
                 "@wanted st.relaxed.gpu.global.v2.b64 [%4], {%0, %1};\n"
                 "@wanted st.relaxed.gpu.global.v2.b64 [%4 + 16], {%2, %3};\n"
                 "}" ::"l"(numbers[0]),
                 "l"(numbers[1]), "l"(numbers[2]), "l"(numbers[3]), "l"(to), "r"((int)wanted)
                 : "memory");
#endif
}
