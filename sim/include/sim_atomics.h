/* Atomic operations of the simulated device, and loads and stores with cache hints.
   wl_sim_atomic checks and counts the access; the operation itself is the host compiler's. */
#pragma once

WL_DEVICE_CODE

extern "C" void wl_sim_atomic(const volatile void *address, unsigned size, const void *where);
extern "C" void wl_sim_atomic_load(const volatile void *address, unsigned size, const void *where);
// A compare-and-swap. 0: it has found another value, which is in `expected` now, and stores nothing.
extern "C" int wl_sim_compare(const volatile void *address, unsigned size, void *expected, const void *where);
// One that may find memory that nobody has written.
extern "C" void wl_sim_atomic_write(const volatile void *address, unsigned size, const void *where);

// Each is a function of its own (noinline, not instrumented): its caller is the place in the kernel.
#define WL_SIM_ATOMIC(name, T, result)                                                                          \
    WL_SIM_INSIDE static T name(T *address, T value) {                                                          \
        wl_sim_atomic(address, sizeof(T), __builtin_return_address(0));                                         \
        T old = __atomic_load_n(address, __ATOMIC_RELAXED), next;                                               \
        do {                                                                                                    \
            next = (result);                                                                                    \
        } while (!__atomic_compare_exchange_n(address, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
        return old;                                                                                             \
    }

#define WL_SIM_ATOMICS_OF(T)                                                                                  \
    WL_SIM_ATOMIC(atomicAdd, T, (T)(old + value))                                                             \
    WL_SIM_INSIDE static T atomicExch(T *address, T value) {                                                  \
        wl_sim_atomic_write(address, sizeof(T), __builtin_return_address(0));                                 \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                         \
    }                                                                                                         \
    WL_SIM_ATOMIC(atomicMin, T, old < value ? old : value)                                                    \
    WL_SIM_ATOMIC(atomicMax, T, old > value ? old : value)                                                    \
    WL_SIM_ATOMIC(atomicAnd, T, old &value)                                                                   \
    WL_SIM_ATOMIC(atomicOr, T, old | value)                                                                   \
    WL_SIM_ATOMIC(atomicXor, T, old ^ value)                                                                  \
    WL_SIM_INSIDE static T atomicCAS(T *address, T compare, T value) {                                        \
        if (wl_sim_compare(address, sizeof(T), &compare, __builtin_return_address(0)))                        \
            __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
        return compare;                                                                                       \
    }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
WL_SIM_ATOMICS_OF(int)
WL_SIM_ATOMICS_OF(unsigned)
WL_SIM_ATOMICS_OF(unsigned long long)
WL_SIM_ATOMIC(atomicSub, int, old - value)
WL_SIM_ATOMIC(atomicSub, unsigned, old - value)
WL_SIM_ATOMIC(atomicInc, unsigned, old >= value ? 0 : old + 1)
WL_SIM_ATOMIC(atomicDec, unsigned, old == 0 || old > value ? value : old - 1)
WL_SIM_ATOMIC(atomicMin, long long, old < value ? old : value)
WL_SIM_ATOMIC(atomicMax, long long, old > value ? old : value)
WL_SIM_ATOMIC(atomicAnd, long long, old &value)
WL_SIM_ATOMIC(atomicOr, long long, old | value)
WL_SIM_ATOMIC(atomicXor, long long, old ^ value)
WL_SIM_INSIDE static unsigned short atomicCAS(unsigned short *address, unsigned short compare, unsigned short value) {
    if (wl_sim_compare(address, sizeof value, &compare, __builtin_return_address(0)))
        __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return compare;
}

// Floating point through the bits of an integer of the same size.
#define WL_SIM_ATOMIC_FLOAT(name, T, U, result)                                                                       \
    WL_SIM_INSIDE static T name(T *address, T value) {                                                                \
        wl_sim_atomic(address, sizeof(T), __builtin_return_address(0));                                               \
        U bits = __atomic_load_n((U *)address, __ATOMIC_RELAXED), next_bits;                                          \
        T old, next;                                                                                                  \
        do {                                                                                                          \
            __builtin_memcpy(&old, &bits, sizeof old);                                                                \
            next = (result);                                                                                          \
            __builtin_memcpy(&next_bits, &next, sizeof next);                                                         \
        } while (                                                                                                     \
            !__atomic_compare_exchange_n((U *)address, &bits, next_bits, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
        return old;                                                                                                   \
    }
WL_SIM_ATOMIC_FLOAT(atomicAdd, float, unsigned, old + value)
WL_SIM_ATOMIC_FLOAT(atomicAdd, double, unsigned long long, old + value)
WL_SIM_INSIDE static float atomicExch(float *address, float value) {
    wl_sim_atomic_write(address, sizeof *address, __builtin_return_address(0));
    __atomic_exchange(address, &value, &value, __ATOMIC_SEQ_CST);
    return value;
}
// Each component by itself, as on the device.
static inline float2 atomicAdd(float2 *address, float2 value) {
    return make_float2(atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y));
}
static inline float4 atomicAdd(float4 *address, float4 value) {
    return make_float4(atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y),
                       atomicAdd(&address->z, value.z), atomicAdd(&address->w, value.w));
}
#pragma GCC diagnostic pop

// The next atomic operation is one for the threads of the block only.
extern "C" void wl_sim_own_block(void);
// A load through the read-only path is going to follow.
extern "C" void wl_sim_read_only(const void *address, unsigned size);
#define WL_SIM_SCOPES(name)                                                              \
    template <typename T, typename V>                                                    \
    static inline __attribute__((always_inline)) auto name##_block(T *address, V value)  \
        ->decltype(name(address, (T)value)) {                                            \
        wl_sim_own_block();                                                              \
        return name(address, (T)value);                                                  \
    }                                                                                    \
    template <typename T, typename V>                                                    \
    static inline __attribute__((always_inline)) auto name##_system(T *address, V value) \
        ->decltype(name(address, (T)value)) {                                            \
        return name(address, (T)value);                                                  \
    }
WL_SIM_SCOPES(atomicAdd)
WL_SIM_SCOPES(atomicSub)
WL_SIM_SCOPES(atomicExch)
WL_SIM_SCOPES(atomicMin)
WL_SIM_SCOPES(atomicMax)
WL_SIM_SCOPES(atomicInc)
WL_SIM_SCOPES(atomicDec)
WL_SIM_SCOPES(atomicAnd)
WL_SIM_SCOPES(atomicOr)
WL_SIM_SCOPES(atomicXor)
#undef WL_SIM_SCOPES
template <typename T> static inline __attribute__((always_inline)) T atomicCAS_block(T *address, T compare, T value) {
    wl_sim_own_block();
    return atomicCAS(address, compare, value);
}
template <typename T> static inline __attribute__((always_inline)) T atomicCAS_system(T *address, T compare, T value) {
    return atomicCAS(address, compare, value);
}

// The read-only path and cache hints: the same loads and stores, reached another way.
template <typename T> static inline T __ldg(const T *address) {
    wl_sim_read_only(address, sizeof *address);
    return *address;
}
template <typename T> static inline T __ldcg(const T *address) { return *address; }
template <typename T> static inline T __ldca(const T *address) { return *address; }
template <typename T> static inline T __ldcs(const T *address) { return *address; }
template <typename T> static inline T __ldlu(const T *address) { return *address; }
template <typename T> static inline T __ldcv(const T *address) { return *(const volatile T *)address; }
template <typename T> static inline void __stcg(T *address, T value) { *address = value; }
template <typename T> static inline void __stcs(T *address, T value) { *address = value; }
template <typename T> static inline void __stwb(T *address, T value) { *address = value; }
template <typename T> static inline void __stwt(T *address, T value) { *(volatile T *)address = value; }

// ---------------------------------------------------------------- with an order and a scope

enum {
    __NV_ATOMIC_RELAXED,
    __NV_ATOMIC_CONSUME,
    __NV_ATOMIC_ACQUIRE,
    __NV_ATOMIC_RELEASE,
    __NV_ATOMIC_ACQ_REL,
    __NV_ATOMIC_SEQ_CST
};
enum {
    __NV_THREAD_SCOPE_THREAD,
    __NV_THREAD_SCOPE_BLOCK,
    __NV_THREAD_SCOPE_CLUSTER,
    __NV_THREAD_SCOPE_DEVICE,
    __NV_THREAD_SCOPE_SYSTEM
};
extern "C" void wl_sim_fence(int whole_device);
extern "C" void wl_sim_ordered(int order); // of the next atomic operation
static inline void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    if (order != __NV_ATOMIC_RELAXED) wl_sim_fence(scope > __NV_THREAD_SCOPE_BLOCK);
}
#define WL_NV_SCOPE int scope = __NV_THREAD_SCOPE_SYSTEM
#define WL_NV_ORDER        \
    wl_sim_ordered(order); \
    if (scope <= __NV_THREAD_SCOPE_BLOCK) wl_sim_own_block()
#define WL_NV_BEGIN(check) \
    WL_NV_ORDER;           \
    check(address, sizeof *address, __builtin_return_address(0))
#define WL_NV_ATOMIC(name, result)                                                                               \
    template <typename T, typename V> WL_SIM_INSIDE static T name(T *address, V given, int order, WL_NV_SCOPE) { \
        WL_NV_BEGIN(wl_sim_atomic);                                                                              \
        const T value = (T)given;                                                                                \
        T old, next;                                                                                             \
        __atomic_load(address, &old, __ATOMIC_RELAXED);                                                          \
        do {                                                                                                     \
            next = (T)(result);                                                                                  \
        } while (!__atomic_compare_exchange(address, &old, &next, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));   \
        return old;                                                                                              \
    }
WL_NV_ATOMIC(__nv_atomic_fetch_add, old + value)
WL_NV_ATOMIC(__nv_atomic_fetch_sub, old - value)
WL_NV_ATOMIC(__nv_atomic_fetch_and, old &value)
WL_NV_ATOMIC(__nv_atomic_fetch_or, old | value)
WL_NV_ATOMIC(__nv_atomic_fetch_xor, old ^ value)
WL_NV_ATOMIC(__nv_atomic_fetch_min, old < value ? old : value)
WL_NV_ATOMIC(__nv_atomic_fetch_max, old > value ? old : value)
#define WL_NV_UPDATE(name)                                                               \
    template <typename T, typename V>                                                    \
    static inline void __nv_atomic_##name(T *address, V value, int order, WL_NV_SCOPE) { \
        __nv_atomic_fetch_##name(address, value, order, scope);                          \
    }
WL_NV_UPDATE(add)
WL_NV_UPDATE(sub)
WL_NV_UPDATE(and)
WL_NV_UPDATE(or)
WL_NV_UPDATE(xor)
WL_NV_UPDATE(min)
WL_NV_UPDATE(max)
#undef WL_NV_UPDATE
#undef WL_NV_ATOMIC
template <typename T> WL_SIM_INSIDE static void __nv_atomic_load(const T *address, T *to, int order, WL_NV_SCOPE) {
    WL_NV_BEGIN(wl_sim_atomic_load);
    __atomic_load(const_cast<T *>(address), to, __ATOMIC_SEQ_CST);
}
template <typename T> static inline T __nv_atomic_load_n(const T *address, int order, WL_NV_SCOPE) {
    T value;
    __nv_atomic_load(address, &value, order, scope);
    return value;
}
template <typename T> WL_SIM_INSIDE static void __nv_atomic_store(T *address, T *from, int order, WL_NV_SCOPE) {
    WL_NV_BEGIN(wl_sim_atomic_write);
    __atomic_store(address, from, __ATOMIC_SEQ_CST);
}
template <typename T, typename V> static inline void __nv_atomic_store_n(T *address, V value, int order, WL_NV_SCOPE) {
    T from = (T)value;
    __nv_atomic_store(address, &from, order, scope);
}
template <typename T>
WL_SIM_INSIDE static void __nv_atomic_exchange(T *address, T *from, T *to, int order, WL_NV_SCOPE) {
    WL_NV_BEGIN(wl_sim_atomic_write);
    __atomic_exchange(address, from, to, __ATOMIC_SEQ_CST);
}
template <typename T, typename V> static inline T __nv_atomic_exchange_n(T *address, V value, int order, WL_NV_SCOPE) {
    T from = (T)value, to;
    __nv_atomic_exchange(address, &from, &to, order, scope);
    return to;
}
template <typename T>
WL_SIM_INSIDE static bool __nv_atomic_compare_exchange(T *address, T *expected, T *desired, bool, int order, int,
                                                       WL_NV_SCOPE) {
    WL_NV_ORDER;
    return wl_sim_compare(address, sizeof *address, expected, __builtin_return_address(0)) &&
           __atomic_compare_exchange(address, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
template <typename T, typename V>
static inline bool __nv_atomic_compare_exchange_n(T *address, T *expected, V desired, bool weak, int order,
                                                  int otherwise, WL_NV_SCOPE) {
    T from = (T)desired;
    return __nv_atomic_compare_exchange(address, expected, &from, weak, order, otherwise, scope);
}
#undef WL_NV_BEGIN
#undef WL_NV_ORDER
#undef WL_NV_SCOPE

WL_DEVICE_CODE_END
