/* The simulated device's stand-in for the toolkit's <cooperative_groups.h>: blocks, tiles of up to 32 threads, coalesced groups, the grid. */
#pragma once

#include "cuda_runtime.h"

WL_DEVICE_CODE

extern "C" {
void wl_sim_grid_barrier(const char *file, int line);
int wl_sim_grid_is_cooperative(void);
}

namespace cooperative_groups {

/* The n-th set bit of a mask, from 0; 32 where there is none. */
static inline unsigned wl_lane_of_rank(unsigned mask, unsigned rank) {
    while (rank-- > 0 && mask) mask &= mask - 1;
    return mask ? (unsigned)__builtin_ctz(mask) : 32;
}
static inline unsigned wl_block_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
static inline unsigned wl_block_size() { return blockDim.x * blockDim.y * blockDim.z; }

/* A value of any size from another lane of the mask. */
template <typename T>
static inline T wl_shuffle(unsigned mask, const T &value, unsigned lane, const char *file, int line) {
    static_assert(std::is_trivially_copyable<T>::value, "shuffles move plain values");
    T result;
    for (size_t i = 0; i < sizeof(T); i += 8) {
        const size_t bytes = sizeof(T) - i < 8 ? sizeof(T) - i : 8;
        uint64_t bits = 0;
        __builtin_memcpy(&bits, (const char *)&value + i, bytes);
        bits = wl_sim_warp(WL_SIM_SHUFFLE, mask, bits, lane, nullptr, "shfl of a group", file, line);
        __builtin_memcpy((char *)&result + i, &bits, bytes);
    }
    return result;
}

/* Lanes of a warp. A tile's are neighbours, a coalesced group's any. */
class wl_lanes {
  protected:
    unsigned mask;
    explicit wl_lanes(unsigned mask) : mask(mask) {}
    unsigned lane_of(unsigned rank) const { return wl_lane_of_rank(mask, rank); }
    /* A mask of lanes as one of ranks. */
    unsigned ranks_of(unsigned lanes) const {
        unsigned result = 0, rank = 0;
        for (unsigned m = mask; m; m &= m - 1, rank++)
            if (lanes & m & (0u - m)) result |= 1u << rank;
        return result;
    }

  public:
    typedef unsigned size_type;
    unsigned wl_mask() const { return mask; }
    unsigned size() const { return (unsigned)__popc(mask); }
    unsigned num_threads() const { return size(); }
    unsigned thread_rank() const { return (unsigned)__popc(mask & ((1u << wl_sim_lane()) - 1)); }
    void sync(WL_SIM_HERE) const { wl_sim_warp(WL_SIM_SYNCWARP, mask, 0, 0, nullptr, "sync of a group", file, line); }
    template <typename T> T shfl(T value, unsigned rank, WL_SIM_HERE) const {
        return wl_shuffle(mask, value, lane_of(rank % size()), file, line);
    }
    /* Without a source a lane gets its own value. */
    template <typename T> T shfl_up(T value, unsigned delta, WL_SIM_HERE) const {
        const unsigned rank = thread_rank();
        return wl_shuffle(mask, value, rank < delta ? wl_sim_lane() : lane_of(rank - delta), file, line);
    }
    template <typename T> T shfl_down(T value, unsigned delta, WL_SIM_HERE) const {
        const unsigned rank = thread_rank() + delta;
        return wl_shuffle(mask, value, rank < size() ? lane_of(rank) : wl_sim_lane(), file, line);
    }
    template <typename T> T shfl_xor(T value, unsigned other, WL_SIM_HERE) const {
        const unsigned rank = thread_rank() ^ other;
        return wl_shuffle(mask, value, rank < size() ? lane_of(rank) : wl_sim_lane(), file, line);
    }
    int any(int predicate, WL_SIM_HERE) const {
        return (int)wl_sim_warp(WL_SIM_ANY, mask, predicate != 0, 0, nullptr, "any of a group", file, line);
    }
    int all(int predicate, WL_SIM_HERE) const {
        return (int)wl_sim_warp(WL_SIM_ALL, mask, predicate != 0, 0, nullptr, "all of a group", file, line);
    }
    unsigned ballot(int predicate, WL_SIM_HERE) const {
        return ranks_of(
            (unsigned)wl_sim_warp(WL_SIM_BALLOT, mask, predicate != 0, 0, nullptr, "ballot of a group", file, line));
    }
    template <typename T> unsigned match_any(T value, WL_SIM_HERE) const {
        return ranks_of((unsigned)wl_sim_warp(WL_SIM_MATCH_ANY, mask, wl_sim_bits(value), 0, nullptr,
                                              "match_any of a group", file, line));
    }
    template <typename T> unsigned match_all(T value, int &predicate, WL_SIM_HERE) const {
        return ranks_of((unsigned)wl_sim_warp(WL_SIM_MATCH_ALL, mask, wl_sim_bits(value), 0, &predicate,
                                              "match_all of a group", file, line));
    }
};

class thread_block {
  public:
    typedef unsigned size_type;
    struct arrival_token {};
    static void sync(WL_SIM_HERE) { wl_sim_barrier(0, file, line); }
    // The wait is the barrier: a thread that waits, waits for all arrivals.
    arrival_token barrier_arrive() const { return {}; }
    void barrier_wait(arrival_token &&, WL_SIM_HERE) const { wl_sim_barrier(0, file, line); }
    void barrier_wait(WL_SIM_HERE) const { wl_sim_barrier(0, file, line); }
    static unsigned thread_rank() { return wl_block_rank(); }
    static unsigned size() { return wl_block_size(); }
    static unsigned num_threads() { return wl_block_size(); }
    static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    static dim3 group_dim() { return blockDim; }
    static dim3 dim_threads() { return blockDim; }
};
static inline thread_block this_thread_block() { return {}; }

class grid_group {
  public:
    typedef unsigned long long size_type;
    bool is_valid() const { return wl_sim_grid_is_cooperative(); }
    void sync(WL_SIM_HERE) const { wl_sim_grid_barrier(file, line); }
    struct arrival_token {};
    arrival_token barrier_arrive() const { return {}; }
    void barrier_wait(arrival_token &&, WL_SIM_HERE) const { wl_sim_grid_barrier(file, line); }
    static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    static unsigned long long block_rank() {
        return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
    }
    static unsigned long long num_threads() { return num_blocks() * wl_block_size(); }
    static unsigned long long size() { return num_threads(); }
    static unsigned long long thread_rank() { return block_rank() * wl_block_size() + wl_block_rank(); }
    static dim3 group_dim() { return gridDim; }
    static dim3 dim_blocks() { return gridDim; }
    static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};
static inline grid_group this_grid() { return {}; }

class coalesced_group : public wl_lanes {
  public:
    explicit coalesced_group(unsigned mask) : wl_lanes(mask) {}
    unsigned meta_group_rank() const { return 0; }
    unsigned meta_group_size() const { return 1; }
};
static inline coalesced_group coalesced_threads() { return coalesced_group(wl_sim_active_mask()); }

template <unsigned Size, typename Parent = void> class thread_block_tile : public wl_lanes {
    static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                  "the simulated device has tiles of 1, 2, 4, 8, 16 or 32 threads");
    unsigned first, parent_size; // rank of the tile's first thread in the parent

  public:
    thread_block_tile(unsigned mask, unsigned first, unsigned parent_size)
        : wl_lanes(mask), first(first), parent_size(parent_size) {}
    static constexpr unsigned size() { return Size; }
    static constexpr unsigned num_threads() { return Size; }
    unsigned thread_rank() const { return wl_sim_lane() % Size; }
    unsigned meta_group_rank() const { return first / Size; }
    unsigned meta_group_size() const { return (parent_size + Size - 1) / Size; }
    template <unsigned S, typename P> operator thread_block_tile<S, P>() const {
        static_assert(S == Size, "tiles of other sizes are other groups");
        return thread_block_tile<S, P>(mask, first, parent_size);
    }
};

/* What all groups have; made from any of them. */
class thread_group {
    enum { block, grid, lanes } kind;
    unsigned mask;

  public:
    thread_group(const thread_block &) : kind(block), mask(0) {}
    thread_group(const grid_group &) : kind(grid), mask(0) {}
    thread_group(const wl_lanes &group) : kind(lanes), mask(group.wl_mask()) {}
    unsigned long long size() const {
        return kind == block ? wl_block_size() : kind == grid ? grid_group::size() : (unsigned)__popc(mask);
    }
    unsigned long long num_threads() const { return size(); }
    unsigned long long thread_rank() const {
        return kind == block  ? wl_block_rank()
               : kind == grid ? grid_group::thread_rank()
                              : (unsigned)__popc(mask & ((1u << wl_sim_lane()) - 1));
    }
    void sync(WL_SIM_HERE) const {
        if (kind == block)
            wl_sim_barrier(0, file, line);
        else if (kind == grid)
            wl_sim_grid_barrier(file, line);
        else
            wl_sim_warp(WL_SIM_SYNCWARP, mask, 0, 0, nullptr, "sync of a group", file, line);
    }
};

static inline unsigned wl_tile_mask(unsigned size) {
    const unsigned lane = wl_sim_lane(), first = lane / size * size,
                   left = wl_block_size() - (wl_block_rank() - lane + first);
    const unsigned count = left < size ? left : size; // a block may end within a tile
    return (count == 32 ? ~0u : (1u << count) - 1) << first;
}
template <unsigned Size, typename Group> thread_block_tile<Size, Group> tiled_partition(const Group &parent) {
    const unsigned rank = (unsigned)parent.thread_rank();
    return thread_block_tile<Size, Group>(wl_tile_mask(Size), rank / Size * Size, (unsigned)parent.size());
}
static inline thread_group tiled_partition(const thread_group &, unsigned size) {
    return coalesced_group(wl_tile_mask(size));
}
/* Tiles that the caller counts itself: as a type that functions take. */
template <unsigned Size> using wl_tile = thread_block_tile<Size, void>;

/* The lanes of a group that give the same label, or predicate. */
template <typename Group, typename T> coalesced_group labeled_partition(const Group &group, T label, WL_SIM_HERE) {
    return coalesced_group((unsigned)wl_sim_warp(WL_SIM_MATCH_ANY, group.wl_mask(), wl_sim_bits(label), 0, nullptr,
                                                 "labeled_partition", file, line));
}
template <typename Group> coalesced_group binary_partition(const Group &group, bool predicate, WL_SIM_HERE) {
    return labeled_partition(group, (int)predicate, file, line);
}

template <typename Group> void sync(const Group &group, WL_SIM_HERE) { group.sync(file, line); }
template <typename Group> auto thread_rank(const Group &group) { return group.thread_rank(); }
template <typename Group> auto group_size(const Group &group) { return group.size(); }

/* One thread of the group runs it. */
template <typename Group, typename F, typename... A> void invoke_one(const Group &group, F &&function, A &&...values) {
    if (group.thread_rank() == 0) std::forward<F>(function)(std::forward<A>(values)...);
}

} // namespace cooperative_groups

WL_DEVICE_CODE_END
