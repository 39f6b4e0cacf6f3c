/* The simulated device's stand-in for CUB: block, warp and device primitives. Results are CUB's; how they are computed is not, so counters
   of these parts differ from a GPU's. */
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "cooperative_groups.h"
#include "sim_library.h"

WL_ANY_CODE

#define CUB_VERSION 300000
#define CubDebugExit(call) (call)
#define CubDebug(call) (call)

namespace cub {

struct Sum {
    template <typename T, typename U> auto operator()(const T &a, const U &b) const { return a + b; }
};
struct Max {
    template <typename T> T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
struct Min {
    template <typename T> T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
struct Equality {
    template <typename T> bool operator()(const T &a, const T &b) const { return a == b; }
};
template <typename K, typename V> struct KeyValuePair {
    typedef K Key;
    typedef V Value;
    K key;
    V value;
};
struct ArgMin {
    template <typename P> P operator()(const P &a, const P &b) const {
        return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
struct ArgMax {
    template <typename P> P operator()(const P &a, const P &b) const {
        return a.value < b.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
template <typename T> struct DoubleBuffer {
    T *d_buffers[2];
    int selector = 0;
    DoubleBuffer(T *current, T *other) : d_buffers{current, other} {}
    T *Current() { return d_buffers[selector]; }
    T *Alternate() { return d_buffers[selector ^ 1]; }
};

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT,
    BLOCK_LOAD_STRIPED,
    BLOCK_LOAD_VECTORIZE,
    BLOCK_LOAD_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE
};
enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT,
    BLOCK_STORE_STRIPED,
    BLOCK_STORE_VECTORIZE,
    BLOCK_STORE_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE
};

/* Shared memory for n values, without constructors. */
template <typename T, int N> struct wl_storage {
    alignas(alignof(T) > 16 ? alignof(T) : 16) unsigned char bytes[sizeof(T) * N];
    T *values() { return reinterpret_cast<T *>(bytes); }
};
static inline int wl_rank() { return (int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)); }

// ---------------------------------------------------------------- blocks

template <typename T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1>
class BlockReduce {
    static constexpr int N = X * Y * Z;
    T *shared;

  public:
    typedef wl_storage<T, N> TempStorage;
    explicit BlockReduce(TempStorage &storage) : shared(storage.values()) {}
    /* Reduces the first `valid` threads' values; the first thread gets the result. */
    template <typename Op> T Reduce(T value, Op op, int valid) {
        const int rank = wl_rank();
        if (rank < valid) shared[rank] = value;
        __syncthreads();
        if (rank == 0)
            for (int i = 1; i < valid; i++) value = op(value, shared[i]);
        return value;
    }
    template <typename Op> T Reduce(T value, Op op) { return Reduce(value, op, N); }
    template <int I, typename Op> T Reduce(T (&values)[I], Op op) {
        T value = values[0];
        for (int i = 1; i < I; i++) value = op(value, values[i]);
        return Reduce(value, op, N);
    }
    T Sum(T value) { return Reduce(value, cub::Sum(), N); }
    T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
    template <int I> T Sum(T (&values)[I]) { return Reduce(values, cub::Sum()); }
};

template <typename T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1> class BlockScan {
    static constexpr int N = X * Y * Z;
    T *shared; // one more for the sum of all

    /* What comes before the thread's own values; nothing for the first one. */
    template <typename Op> T before(T mine, Op op, T *total) {
        const int rank = wl_rank();
        shared[rank] = mine;
        __syncthreads();
        if (rank == 0)
            for (int i = 1; i < N; i++) shared[i] = op(shared[i - 1], shared[i]);
        __syncthreads();
        if (total) *total = shared[N - 1];
        return rank > 0 ? shared[rank - 1] : mine;
    }
    template <int I, typename Op>
    void scan(T (&in)[I], T (&out)[I], Op op, const T *initial, bool inclusive, T *total) {
        T sum = in[0];
        for (int i = 1; i < I; i++) sum = op(sum, in[i]);
        T prefix = before(sum, op, total);
        bool has = wl_rank() > 0;
        if (initial) prefix = has ? op(*initial, prefix) : *initial, has = true;
        for (int i = 0; i < I; i++) {
            const T value = in[i], next = has ? op(prefix, value) : value;
            out[i] = inclusive ? next : has ? prefix : T();
            prefix = next;
            has = true;
        }
    }

  public:
    typedef wl_storage<T, N> TempStorage;
    explicit BlockScan(TempStorage &storage) : shared(storage.values()) {}
    template <int I> void ExclusiveSum(T (&in)[I], T (&out)[I]) {
        const T zero = T();
        scan(in, out, cub::Sum(), &zero, false, nullptr);
    }
    template <int I> void ExclusiveSum(T (&in)[I], T (&out)[I], T &total) {
        const T zero = T();
        scan(in, out, cub::Sum(), &zero, false, &total);
    }
    template <int I> void InclusiveSum(T (&in)[I], T (&out)[I]) { scan(in, out, cub::Sum(), nullptr, true, nullptr); }
    template <int I> void InclusiveSum(T (&in)[I], T (&out)[I], T &total) {
        scan(in, out, cub::Sum(), nullptr, true, &total);
    }
    template <int I, typename Op> void ExclusiveScan(T (&in)[I], T (&out)[I], T initial, Op op) {
        scan(in, out, op, &initial, false, nullptr);
    }
    template <int I, typename Op> void InclusiveScan(T (&in)[I], T (&out)[I], Op op) {
        scan(in, out, op, nullptr, true, nullptr);
    }
    void ExclusiveSum(T in, T &out) {
        T a[1] = {in}, b[1];
        ExclusiveSum(a, b), out = b[0];
    }
    void ExclusiveSum(T in, T &out, T &total) {
        T a[1] = {in}, b[1];
        ExclusiveSum(a, b, total), out = b[0];
    }
    void InclusiveSum(T in, T &out) {
        T a[1] = {in}, b[1];
        InclusiveSum(a, b), out = b[0];
    }
    void InclusiveSum(T in, T &out, T &total) {
        T a[1] = {in}, b[1];
        InclusiveSum(a, b, total), out = b[0];
    }
    template <typename Op> void ExclusiveScan(T in, T &out, T initial, Op op) {
        T a[1] = {in}, b[1];
        ExclusiveScan(a, b, initial, op), out = b[0];
    }
    template <typename Op> void InclusiveScan(T in, T &out, Op op) {
        T a[1] = {in}, b[1];
        InclusiveScan(a, b, op), out = b[0];
    }
};

/* A key's bits as an unsigned number that is ordered like the keys. */
template <typename K> unsigned long long wl_radix(const K &key) {
    constexpr int bits = 8 * (int)sizeof(K);
    unsigned long long word = 0;
    __builtin_memcpy(&word, &key, sizeof key);
    const unsigned long long top = 1ull << (bits - 1), all = top | (top - 1);
    if (std::is_floating_point<K>::value || !std::is_arithmetic<K>::value) return word & top ? ~word & all : word | top;
    return std::is_signed<K>::value ? word ^ top : word;
}
template <typename K> unsigned long long wl_digits(const K &key, int begin, int end) {
    const unsigned long long word = wl_radix(key) >> begin;
    return end - begin >= 64 ? word : word & ((1ull << (end - begin)) - 1);
}
struct NullType {};

/* Stable, by the digits from `begin` to `end`. */
template <typename K> std::vector<size_t> wl_order(const K *keys, size_t n, bool descending, int begin, int end) {
    std::vector<size_t> order(n);
    std::vector<unsigned long long> digits(n);
    for (size_t i = 0; i < n; i++) order[i] = i, digits[i] = wl_digits(keys[i], begin, end);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return descending ? digits[b] < digits[a] : digits[a] < digits[b]; });
    return order;
}

template <typename K, int X, int I, typename V = NullType, int = 4, bool = true,
          BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS, int = 0, int Y = 1, int Z = 1>
class BlockRadixSort {
    static constexpr int N = X * Y * Z;
    struct Pairs {
        K keys[N * I];
        V values[N * I];
        unsigned short place[N * I];
    };
    Pairs *shared;

    /* The rank of each key is counted by its own thread. */
    void sort(K (&keys)[I], V *values, bool descending, int begin, int end, bool striped) {
        const int rank = wl_rank();
        for (int i = 0; i < I; i++) {
            shared->keys[rank * I + i] = keys[i];
            if (values) shared->values[rank * I + i] = values[i];
        }
        __syncthreads();
        for (int i = 0; i < I; i++) {
            const unsigned long long mine = wl_digits(keys[i], begin, end);
            int before = 0;
            for (int o = 0; o < N * I; o++) {
                const unsigned long long other = wl_digits(shared->keys[o], begin, end);
                before += (descending ? other > mine : other < mine) || (other == mine && o < rank * I + i);
            }
            shared->place[before] = (unsigned short)(rank * I + i);
        }
        __syncthreads();
        for (int i = 0; i < I; i++) {
            const int from = shared->place[striped ? i * N + rank : rank * I + i];
            keys[i] = shared->keys[from];
            if (values) values[i] = shared->values[from];
        }
    }

  public:
    typedef wl_storage<Pairs, 1> TempStorage;
    static constexpr int BITS = 8 * (int)sizeof(K);
    explicit BlockRadixSort(TempStorage &storage) : shared(storage.values()) {}
    void Sort(K (&keys)[I], int begin = 0, int end = BITS) { sort(keys, nullptr, false, begin, end, false); }
    void Sort(K (&keys)[I], V (&values)[I], int begin = 0, int end = BITS) {
        sort(keys, values, false, begin, end, false);
    }
    void SortDescending(K (&keys)[I], int begin = 0, int end = BITS) { sort(keys, nullptr, true, begin, end, false); }
    void SortDescending(K (&keys)[I], V (&values)[I], int begin = 0, int end = BITS) {
        sort(keys, values, true, begin, end, false);
    }
    void SortBlockedToStriped(K (&keys)[I], int begin = 0, int end = BITS) {
        sort(keys, nullptr, false, begin, end, true);
    }
    void SortBlockedToStriped(K (&keys)[I], V (&values)[I], int begin = 0, int end = BITS) {
        sort(keys, values, false, begin, end, true);
    }
};

/* Each thread moves its own items. */
template <typename T, int X, int I, BlockLoadAlgorithm A = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1> class BlockLoad {
    static int at(int i) { return A == BLOCK_LOAD_STRIPED ? i * X * Y * Z + wl_rank() : wl_rank() * I + i; }

  public:
    struct TempStorage {};
    BlockLoad() {}
    explicit BlockLoad(TempStorage &) {}
    template <typename P> void Load(P from, T (&items)[I]) {
        for (int i = 0; i < I; i++) items[i] = from[at(i)];
    }
    template <typename P> void Load(P from, T (&items)[I], int valid) {
        for (int i = 0; i < I; i++)
            if (at(i) < valid) items[i] = from[at(i)];
    }
    template <typename P, typename D> void Load(P from, T (&items)[I], int valid, D otherwise) {
        for (int i = 0; i < I; i++) items[i] = at(i) < valid ? (T)from[at(i)] : (T)otherwise;
    }
};
template <typename T, int X, int I, BlockStoreAlgorithm A = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1> class BlockStore {
    static int at(int i) { return A == BLOCK_STORE_STRIPED ? i * X * Y * Z + wl_rank() : wl_rank() * I + i; }

  public:
    struct TempStorage {};
    BlockStore() {}
    explicit BlockStore(TempStorage &) {}
    template <typename P> void Store(P to, T (&items)[I]) {
        for (int i = 0; i < I; i++) to[at(i)] = items[i];
    }
    template <typename P> void Store(P to, T (&items)[I], int valid) {
        for (int i = 0; i < I; i++)
            if (at(i) < valid) to[at(i)] = items[i];
    }
};

// ---------------------------------------------------------------- warps

template <typename T, int N = 32> class WarpReduce {
  public:
    struct TempStorage {};
    explicit WarpReduce(TempStorage &) {}
    /* The first lane gets it. */
    template <typename Op> T Reduce(T value, Op op, int valid = N) {
        auto tile = cooperative_groups::tiled_partition<N>(cooperative_groups::this_thread_block());
        const int rank = (int)tile.thread_rank();
        for (int i = 1; i < N; i *= 2) {
            T other = tile.shfl_down(value, i);
            if (rank + i < valid) value = op(value, other);
        }
        return value;
    }
    T Sum(T value) { return Reduce(value, cub::Sum()); }
    T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
};
template <typename T, int N = 32> class WarpScan {
    template <typename Op> T inclusive(T value, Op op) {
        auto tile = cooperative_groups::tiled_partition<N>(cooperative_groups::this_thread_block());
        const int rank = (int)tile.thread_rank();
        for (int i = 1; i < N; i *= 2) {
            T other = tile.shfl_up(value, i);
            if (rank >= i) value = op(other, value);
        }
        return value;
    }

  public:
    struct TempStorage {};
    explicit WarpScan(TempStorage &) {}
    template <typename Op> void InclusiveScan(T in, T &out, Op op) { out = inclusive(in, op); }
    void InclusiveSum(T in, T &out) { out = inclusive(in, cub::Sum()); }
    void ExclusiveSum(T in, T &out) { out = inclusive(in, cub::Sum()) - in; }
    void InclusiveSum(T in, T &out, T &total) {
        out = inclusive(in, cub::Sum());
        total = cooperative_groups::tiled_partition<N>(cooperative_groups::this_thread_block()).shfl(out, N - 1);
    }
    template <typename Op> void ExclusiveScan(T in, T &out, T initial, Op op) {
        auto tile = cooperative_groups::tiled_partition<N>(cooperative_groups::this_thread_block());
        T before = tile.shfl_up(inclusive(in, op), 1);
        out = tile.thread_rank() == 0 ? initial : op(initial, before);
    }
};

// ---------------------------------------------------------------- the device

/* The first call asks how much temporary memory is wanted; a byte is. */
#define WL_CUB(name, ...)                                                                               \
    if (temporary == nullptr) return bytes = 1, cudaSuccess;                                            \
    const wl_use uses[] = {__VA_ARGS__};                                                                \
    if (!wl_library_call(name, stream, uses, sizeof uses / sizeof *uses)) return cudaPeekAtLastError(); \
    wl_in_stream computing;

struct DeviceReduce {
    template <typename In, typename Out, typename N, typename Op, typename T>
    static cudaError_t Reduce(void *temporary, size_t &bytes, In in, Out out, N n, Op op, T initial,
                              cudaStream_t stream = 0) {
        WL_CUB("cub::DeviceReduce", wl_used(in, n, false), wl_used(out, 1, true))
        T sum = initial;
        for (N i = 0; i < n; i++) sum = op(sum, in[i]);
        return *out = sum, cudaSuccess;
    }
    template <typename In, typename Out, typename N>
    static cudaError_t Sum(void *temporary, size_t &bytes, In in, Out out, N n, cudaStream_t stream = 0) {
        typedef std::decay_t<decltype(*out)> T;
        return Reduce(temporary, bytes, in, out, n, cub::Sum(), T(), stream);
    }
    template <typename In, typename Out, typename N>
    static cudaError_t Min(void *temporary, size_t &bytes, In in, Out out, N n, cudaStream_t stream = 0) {
        typedef std::decay_t<decltype(*in)> T;
        return Reduce(temporary, bytes, in, out, n, cub::Min(), std::numeric_limits<T>::max(), stream);
    }
    template <typename In, typename Out, typename N>
    static cudaError_t Max(void *temporary, size_t &bytes, In in, Out out, N n, cudaStream_t stream = 0) {
        typedef std::decay_t<decltype(*in)> T;
        return Reduce(temporary, bytes, in, out, n, cub::Max(), std::numeric_limits<T>::lowest(), stream);
    }
};

struct DeviceScan {
    template <typename In, typename Out, typename Op, typename T, typename N>
    static cudaError_t ExclusiveScan(void *temporary, size_t &bytes, In in, Out out, Op op, T initial, N n,
                                     cudaStream_t stream = 0) {
        WL_CUB("cub::DeviceScan", wl_used(in, n, false), wl_used(out, n, true))
        T sum = initial;
        for (N i = 0; i < n; i++) {
            const T value = in[i]; // `in` may be `out`
            out[i] = sum;
            sum = op(sum, value);
        }
        return cudaSuccess;
    }
    template <typename In, typename Out, typename Op, typename N>
    static cudaError_t InclusiveScan(void *temporary, size_t &bytes, In in, Out out, Op op, N n,
                                     cudaStream_t stream = 0) {
        WL_CUB("cub::DeviceScan", wl_used(in, n, false), wl_used(out, n, true))
        std::decay_t<decltype(*in)> sum = {};
        for (N i = 0; i < n; i++) out[i] = sum = i == 0 ? in[i] : op(sum, in[i]);
        return cudaSuccess;
    }
    template <typename In, typename Out, typename N>
    static cudaError_t ExclusiveSum(void *temporary, size_t &bytes, In in, Out out, N n, cudaStream_t stream = 0) {
        return ExclusiveScan(temporary, bytes, in, out, cub::Sum(), std::decay_t<decltype(*in)>(), n, stream);
    }
    template <typename In, typename Out, typename N>
    static cudaError_t InclusiveSum(void *temporary, size_t &bytes, In in, Out out, N n, cudaStream_t stream = 0) {
        return InclusiveScan(temporary, bytes, in, out, cub::Sum(), n, stream);
    }
};

class DeviceRadixSort {
    template <typename K, typename V, typename N>
    static cudaError_t sort(void *temporary, size_t &bytes, const K *keys, K *to, const V *values, V *values_to, N n,
                            bool descending, int begin, int end, cudaStream_t stream) {
        WL_CUB("cub::DeviceRadixSort", wl_used(keys, n, false), wl_used(to, n, true),
               wl_used(values, values ? n : 0, false), wl_used(values_to, values ? n : 0, true))
        const std::vector<size_t> order = wl_order(keys, (size_t)n, descending, begin, end);
        std::vector<K> sorted;
        std::vector<V> moved;
        for (size_t i : order) sorted.push_back(keys[i]);
        for (size_t i = 0; values && i < order.size(); i++) moved.push_back(values[order[i]]);
        std::copy(sorted.begin(), sorted.end(), to);
        std::copy(moved.begin(), moved.end(), values_to);
        return cudaSuccess;
    }

  public:
#define WL_CUB_SORT(suffix, descending)                                                                            \
    template <typename K, typename N>                                                                              \
    static cudaError_t SortKeys##suffix(void *temporary, size_t &bytes, const K *keys, K *to, N n, int begin = 0,  \
                                        int end = 8 * sizeof(K), cudaStream_t stream = 0) {                        \
        return sort(temporary, bytes, keys, to, (const int *)nullptr, (int *)nullptr, n, descending, begin, end,   \
                    stream);                                                                                       \
    }                                                                                                              \
    template <typename K, typename N>                                                                              \
    static cudaError_t SortKeys##suffix(void *temporary, size_t &bytes, DoubleBuffer<K> &keys, N n, int begin = 0, \
                                        int end = 8 * sizeof(K), cudaStream_t stream = 0) {                        \
        const cudaError_t error =                                                                                  \
            SortKeys##suffix(temporary, bytes, keys.Current(), keys.Alternate(), n, begin, end, stream);           \
        if (temporary) keys.selector ^= 1;                                                                         \
        return error;                                                                                              \
    }                                                                                                              \
    template <typename K, typename V, typename N>                                                                  \
    static cudaError_t SortPairs##suffix(void *temporary, size_t &bytes, const K *keys, K *to, const V *values,    \
                                         V *values_to, N n, int begin = 0, int end = 8 * sizeof(K),                \
                                         cudaStream_t stream = 0) {                                                \
        return sort(temporary, bytes, keys, to, values, values_to, n, descending, begin, end, stream);             \
    }                                                                                                              \
    template <typename K, typename V, typename N>                                                                  \
    static cudaError_t SortPairs##suffix(void *temporary, size_t &bytes, DoubleBuffer<K> &keys,                    \
                                         DoubleBuffer<V> &values, N n, int begin = 0, int end = 8 * sizeof(K),     \
                                         cudaStream_t stream = 0) {                                                \
        const cudaError_t error = sort(temporary, bytes, keys.Current(), keys.Alternate(), values.Current(),       \
                                       values.Alternate(), n, descending, begin, end, stream);                     \
        if (temporary) keys.selector ^= 1, values.selector ^= 1;                                                   \
        return error;                                                                                              \
    }
    WL_CUB_SORT(, false)
    WL_CUB_SORT(Descending, true)
#undef WL_CUB_SORT
};

struct DeviceSelect {
    template <typename In, typename Flag, typename Out, typename Count, typename N>
    static cudaError_t Flagged(void *temporary, size_t &bytes, In in, Flag flags, Out out, Count count, N n,
                               cudaStream_t stream = 0) {
        WL_CUB("cub::DeviceSelect", wl_used(in, n, false), wl_used(flags, n, false), wl_used(count, 1, true))
        N kept = 0;
        for (N i = 0; i < n; i++)
            if (flags[i]) out[kept++] = in[i];
        return *count = kept, cudaSuccess;
    }
    template <typename In, typename Out, typename Count, typename N, typename P>
    static cudaError_t If(void *temporary, size_t &bytes, In in, Out out, Count count, N n, P predicate,
                          cudaStream_t stream = 0) {
        WL_CUB("cub::DeviceSelect", wl_used(in, n, false), wl_used(count, 1, true))
        N kept = 0;
        for (N i = 0; i < n; i++)
            if (predicate(in[i])) out[kept++] = in[i];
        return *count = kept, cudaSuccess;
    }
    template <typename In, typename Out, typename Count, typename N>
    static cudaError_t Unique(void *temporary, size_t &bytes, In in, Out out, Count count, N n,
                              cudaStream_t stream = 0) {
        WL_CUB("cub::DeviceSelect", wl_used(in, n, false), wl_used(count, 1, true))
        N kept = 0;
        for (N i = 0; i < n; i++)
            if (i == 0 || !(in[i] == in[i - 1])) out[kept++] = in[i];
        return *count = kept, cudaSuccess;
    }
};

struct DeviceHistogram {
    template <typename In, typename C, typename L, typename N>
    static cudaError_t HistogramEven(void *temporary, size_t &bytes, In in, C *counts, int levels, L low, L high, N n,
                                     cudaStream_t stream = 0) {
        WL_CUB("cub::DeviceHistogram", wl_used(in, n, false), wl_used(counts, levels - 1, true))
        std::fill(counts, counts + levels - 1, C());
        for (N i = 0; i < n; i++) {
            const L value = (L)in[i];
            if (value < low || !(value < high)) continue;
            // Whole numbers are divided exactly.
            const size_t bin = std::is_integral<L>::value
                                   ? (size_t)((unsigned __int128)(value - low) * (unsigned)(levels - 1) /
                                              (unsigned long long)(high - low))
                                   : (size_t)((value - low) * ((L)(levels - 1) / (high - low)));
            counts[std::min(bin, (size_t)levels - 2)]++;
        }
        return cudaSuccess;
    }
};

struct DeviceRunLengthEncode {
    template <typename In, typename Out, typename Length, typename Count, typename N>
    static cudaError_t Encode(void *temporary, size_t &bytes, In in, Out out, Length lengths, Count count, N n,
                              cudaStream_t stream = 0) {
        WL_CUB("cub::DeviceRunLengthEncode", wl_used(in, n, false), wl_used(count, 1, true))
        N runs = 0;
        for (N i = 0; i < n; i++) {
            if (i == 0 || !(in[i] == in[i - 1])) out[runs] = in[i], lengths[runs++] = 0;
            lengths[runs - 1]++;
        }
        return *count = runs, cudaSuccess;
    }
};
#undef WL_CUB

} // namespace cub

WL_ANY_CODE_END
