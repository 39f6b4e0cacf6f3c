/* Barriers, fences and the warp-wide functions of the simulated device.
   Each takes the place it is called from, so that an error can name the line. */
#pragma once

WL_DEVICE_CODE

extern "C" {

/* What the lanes of a warp do together. */
typedef enum {
    WL_SIM_SYNCWARP,
    WL_SIM_SHUFFLE, // argument: the source lane in the low byte's meaning of `shuffle`
    WL_SIM_BALLOT,
    WL_SIM_ALL,
    WL_SIM_ANY,
    WL_SIM_MATCH_ANY,
    WL_SIM_MATCH_ALL,
    WL_SIM_REDUCE_ADD,
    WL_SIM_REDUCE_MIN_S,
    WL_SIM_REDUCE_MAX_S,
    WL_SIM_REDUCE_MIN_U,
    WL_SIM_REDUCE_MAX_U,
    WL_SIM_REDUCE_AND,
    WL_SIM_REDUCE_OR,
    WL_SIM_REDUCE_XOR,
    WL_SIM_EXCHANGE
} wl_sim_warp_operation;

/* All lanes of `mask` call it with the same operation and mask; `value` is this lane's, `source` the lane whose value
   a shuffle returns. `*flag` receives match_all's predicate. */
uint64_t wl_sim_warp(wl_sim_warp_operation operation, unsigned mask, uint64_t value, unsigned source, int *flag,
                     const char *name, const char *file, int line);
void wl_sim_warp_exchange(const void *mine, unsigned long bytes_per_lane, void *all32, const char *file, int line);

/* Block-wide barrier; returns how many threads' predicate was true. */
int wl_sim_barrier(int predicate, const char *file, int line);
void wl_sim_fence(int whole_device);
void wl_sim_sleep(void);
unsigned wl_sim_lane(void) __attribute__((const));
unsigned wl_sim_active_mask(void);
long long wl_sim_clock(void);
void wl_sim_trap(const char *what, const char *file, int line) __attribute__((noreturn));
/* Where a pointer of a kernel leads. */
typedef enum { WL_SIM_NOWHERE, WL_SIM_GLOBAL, WL_SIM_SHARED, WL_SIM_CONSTANT, WL_SIM_LOCAL } wl_sim_space;
wl_sim_space wl_sim_space_of(const void *pointer);
}

#define WL_SIM_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

#ifndef WL_SIM_RULES // clang has its own
static inline void __syncthreads(WL_SIM_HERE) { wl_sim_barrier(0, file, line); }
#endif
static inline int __syncthreads_count(int predicate, WL_SIM_HERE) { return wl_sim_barrier(predicate != 0, file, line); }
static inline int __syncthreads_or(int predicate, WL_SIM_HERE) {
    return wl_sim_barrier(predicate != 0, file, line) > 0;
}
static inline int __syncthreads_and(int predicate, WL_SIM_HERE) {
    return wl_sim_barrier(predicate == 0, file, line) == 0;
}
static inline void __threadfence() { wl_sim_fence(1); }
static inline void __threadfence_system() { wl_sim_fence(1); }
static inline void __threadfence_block() { wl_sim_fence(0); }

static inline void __syncwarp(unsigned mask = 0xffffffffu, WL_SIM_HERE) {
    wl_sim_warp(WL_SIM_SYNCWARP, mask, 0, 0, nullptr, "__syncwarp", file, line);
}
static inline unsigned __activemask() { return wl_sim_active_mask(); }
static inline unsigned __ballot_sync(unsigned mask, int predicate, WL_SIM_HERE) {
    return (unsigned)wl_sim_warp(WL_SIM_BALLOT, mask, predicate != 0, 0, nullptr, "__ballot_sync", file, line);
}
static inline int __all_sync(unsigned mask, int predicate, WL_SIM_HERE) {
    return (int)wl_sim_warp(WL_SIM_ALL, mask, predicate != 0, 0, nullptr, "__all_sync", file, line);
}
static inline int __any_sync(unsigned mask, int predicate, WL_SIM_HERE) {
    return (int)wl_sim_warp(WL_SIM_ANY, mask, predicate != 0, 0, nullptr, "__any_sync", file, line);
}

// A value of up to 8 bytes as 64 bits and back.
template <typename T> static inline uint64_t wl_sim_bits(T value) {
    static_assert(sizeof(T) <= 8 && std::is_trivially_copyable<T>::value, "shuffles move values of up to 8 bytes");
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
}
WL_DEVICE_CODE_END
WL_ANY_CODE
template <typename T> static inline T wl_sim_value(uint64_t bits) {
    T value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
WL_ANY_CODE_END
WL_DEVICE_CODE

// Shuffles: `width` splits the warp into segments; a source outside the segment gives the caller's own value.
template <typename T> static inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, WL_SIM_HERE) {
    unsigned lane = wl_sim_lane(), from = (lane & ~(width - 1u)) | ((unsigned)source & (width - 1u));
    return wl_sim_value<T>(
        wl_sim_warp(WL_SIM_SHUFFLE, mask, wl_sim_bits(value), from, nullptr, "__shfl_sync", file, line));
}
template <typename T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, WL_SIM_HERE) {
    unsigned lane = wl_sim_lane(), from = (lane & (width - 1u)) < delta ? lane : lane - delta;
    return wl_sim_value<T>(
        wl_sim_warp(WL_SIM_SHUFFLE, mask, wl_sim_bits(value), from, nullptr, "__shfl_up_sync", file, line));
}
template <typename T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, WL_SIM_HERE) {
    unsigned lane = wl_sim_lane(), from = (lane & (width - 1u)) + delta >= (unsigned)width ? lane : lane + delta;
    return wl_sim_value<T>(
        wl_sim_warp(WL_SIM_SHUFFLE, mask, wl_sim_bits(value), from, nullptr, "__shfl_down_sync", file, line));
}
template <typename T> static inline T __shfl_xor_sync(unsigned mask, T value, int other, int width = 32, WL_SIM_HERE) {
    unsigned lane = wl_sim_lane(), from = lane ^ (unsigned)other;
    // A source in a later segment is refused, one in an earlier segment is not: as the programming guide has it.
    from = (from & ~(width - 1u)) > (lane & ~(width - 1u)) ? lane : from;
    return wl_sim_value<T>(
        wl_sim_warp(WL_SIM_SHUFFLE, mask, wl_sim_bits(value), from, nullptr, "__shfl_xor_sync", file, line));
}

template <typename T> static inline unsigned __match_any_sync(unsigned mask, T value, WL_SIM_HERE) {
    return (unsigned)wl_sim_warp(WL_SIM_MATCH_ANY, mask, wl_sim_bits(value), 0, nullptr, "__match_any_sync", file,
                                 line);
}
template <typename T> static inline unsigned __match_all_sync(unsigned mask, T value, int *predicate, WL_SIM_HERE) {
    return (unsigned)wl_sim_warp(WL_SIM_MATCH_ALL, mask, wl_sim_bits(value), 0, predicate, "__match_all_sync", file,
                                 line);
}

static inline int __reduce_add_sync(unsigned mask, int value, WL_SIM_HERE) {
    return (int)wl_sim_warp(WL_SIM_REDUCE_ADD, mask, (unsigned)value, 0, nullptr, "__reduce_add_sync", file, line);
}
static inline unsigned __reduce_add_sync(unsigned mask, unsigned value, WL_SIM_HERE) {
    return (unsigned)wl_sim_warp(WL_SIM_REDUCE_ADD, mask, value, 0, nullptr, "__reduce_add_sync", file, line);
}
static inline int __reduce_min_sync(unsigned mask, int value, WL_SIM_HERE) {
    return (int)wl_sim_warp(WL_SIM_REDUCE_MIN_S, mask, (unsigned)value, 0, nullptr, "__reduce_min_sync", file, line);
}
static inline unsigned __reduce_min_sync(unsigned mask, unsigned value, WL_SIM_HERE) {
    return (unsigned)wl_sim_warp(WL_SIM_REDUCE_MIN_U, mask, value, 0, nullptr, "__reduce_min_sync", file, line);
}
static inline int __reduce_max_sync(unsigned mask, int value, WL_SIM_HERE) {
    return (int)wl_sim_warp(WL_SIM_REDUCE_MAX_S, mask, (unsigned)value, 0, nullptr, "__reduce_max_sync", file, line);
}
static inline unsigned __reduce_max_sync(unsigned mask, unsigned value, WL_SIM_HERE) {
    return (unsigned)wl_sim_warp(WL_SIM_REDUCE_MAX_U, mask, value, 0, nullptr, "__reduce_max_sync", file, line);
}
static inline unsigned __reduce_and_sync(unsigned mask, unsigned value, WL_SIM_HERE) {
    return (unsigned)wl_sim_warp(WL_SIM_REDUCE_AND, mask, value, 0, nullptr, "__reduce_and_sync", file, line);
}
static inline unsigned __reduce_or_sync(unsigned mask, unsigned value, WL_SIM_HERE) {
    return (unsigned)wl_sim_warp(WL_SIM_REDUCE_OR, mask, value, 0, nullptr, "__reduce_or_sync", file, line);
}
static inline unsigned __reduce_xor_sync(unsigned mask, unsigned value, WL_SIM_HERE) {
    return (unsigned)wl_sim_warp(WL_SIM_REDUCE_XOR, mask, value, 0, nullptr, "__reduce_xor_sync", file, line);
}

static inline long long clock64() { return wl_sim_clock(); }
static inline void __nanosleep(unsigned) { wl_sim_sleep(); }
static inline void __brkpt() {}
static inline void __prof_trigger(int) {}
static inline void __trap(WL_SIM_HERE) { wl_sim_trap("__trap", file, line); }

static inline unsigned __isGlobal(const void *p) { return wl_sim_space_of(p) == WL_SIM_GLOBAL; }
static inline unsigned __isShared(const void *p) { return wl_sim_space_of(p) == WL_SIM_SHARED; }
static inline unsigned __isConstant(const void *p) { return wl_sim_space_of(p) == WL_SIM_CONSTANT; }
static inline unsigned __isLocal(const void *p) { return wl_sim_space_of(p) == WL_SIM_LOCAL; }
static inline unsigned __isGridConstant(const void *) { return 0; }
// All spaces have one kind of address here.
static inline size_t __cvta_generic_to_global(const void *p) { return (size_t)p; }
static inline size_t __cvta_generic_to_shared(const void *p) { return (size_t)p; }
static inline size_t __cvta_generic_to_constant(const void *p) { return (size_t)p; }
static inline size_t __cvta_generic_to_local(const void *p) { return (size_t)p; }
static inline void *__cvta_global_to_generic(size_t p) { return (void *)p; }
static inline void *__cvta_shared_to_generic(size_t p) { return (void *)p; }
#define __builtin_assume(condition) ((void)0)
#define __assume(condition) ((void)0)

WL_DEVICE_CODE_END
