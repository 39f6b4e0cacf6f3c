/* The compiler's own atomics. In a kernel file they too are handed to the thread sanitizer's runtime, for which we stand
   in; without these the file would not link. Host code has them for its local statics (the guard around their
   initialisation) and std::atomic. In a kernel they are checked and counted as atomic operations. */
#include "sim/internal.h"

// Their types are those of the sanitizer's interface, not of C++'s library.
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"

using namespace wl_sim;

static void touch(const volatile void *address, unsigned size, const void *place, int order, bool reads = true) {
    wl_sim_ordered(order);
    if (active) access_atomically(active, (uintptr_t)address, size, (Place)place, reads);
}
static void touch_to_load(const volatile void *address, unsigned size, const void *place, int order) {
    if (active) active->only_loads = true;
    touch(address, size, place, order);
}
static bool touch_to_compare(const volatile void *address, unsigned size, void *expected, const void *place,
                             int order) {
    wl_sim_ordered(order);
    return wl_sim_compare(address, size, expected, place);
}
#define WL_TOUCH touch(a, sizeof *a, __builtin_return_address(0), order)

#define WL_UPDATE(bits, T, name)                                    \
    T __tsan_atomic##bits##_##name(volatile T *a, T v, int order) { \
        WL_TOUCH;                                                   \
        return __atomic_##name(a, v, __ATOMIC_SEQ_CST);             \
    }
#define WL_EXCHANGE(bits, T, name)                                                                        \
    bool __tsan_atomic##bits##_compare_exchange_##name(volatile T *a, T *expected, T v, int order, int) { \
        return touch_to_compare(a, sizeof *a, expected, __builtin_return_address(0), order) &&            \
               __atomic_compare_exchange_n(a, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);    \
    }
#define WL_ATOMICS(bits, T)                                              \
    T __tsan_atomic##bits##_load(const volatile T *a, int order) {       \
        touch_to_load(a, sizeof *a, __builtin_return_address(0), order); \
        return __atomic_load_n(a, __ATOMIC_SEQ_CST);                     \
    }                                                                    \
    void __tsan_atomic##bits##_store(volatile T *a, T v, int order) {    \
        WL_TOUCH;                                                        \
        __atomic_store_n(a, v, __ATOMIC_SEQ_CST);                        \
    }                                                                    \
    T __tsan_atomic##bits##_exchange(volatile T *a, T v, int order) {    \
        touch(a, sizeof *a, __builtin_return_address(0), order, false);  \
        return __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST);              \
    }                                                                    \
    WL_UPDATE(bits, T, fetch_add)                                        \
    WL_UPDATE(bits, T, fetch_sub)                                        \
    WL_UPDATE(bits, T, fetch_and)                                        \
    WL_UPDATE(bits, T, fetch_or)                                         \
    WL_UPDATE(bits, T, fetch_xor)                                        \
    WL_EXCHANGE(bits, T, strong)                                         \
    WL_EXCHANGE(bits, T, weak)

extern "C" {
WL_ATOMICS(8, unsigned char)
WL_ATOMICS(16, unsigned short)
WL_ATOMICS(32, unsigned)
WL_ATOMICS(64, unsigned long)
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}
}
