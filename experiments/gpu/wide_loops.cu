/* What limits the products of bits of lesson 15 and of distances/03_one_pass. It times tiles of 128
   x 128 with and without writing, the same with lines that one copy brings to the blocks of a
   cluster, and a tile of 128 x 256 by one block. It is a measurement, not a test: the sums of the
   designs are compared with each other only (exit code 1: they differ). Its output is
   results/wide_loops_h200.tsv.

     nvcc -O3 -std=c++17 -gencode arch=compute_90a,code=sm_90a -DWL_HAVE_SM90A -I. experiments/gpu/wide_loops.cu -o wide_loops && ./wide_loops */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <tuple>
#include <vector>

#include "allpairs/units.h"

#define CHECK(call)                                                                        \
    do {                                                                                   \
        const cudaError_t error = (call);                                                  \
        if (error != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

enum { COMPARED = 1, DISTANCE = 2 }; // what is written
enum { SUMS = WL_WARPGROUP_SUMS, TILE = 128, TEAM = 2 * WL_WARPGROUP, THREADS = TEAM + 32 };
enum { SIDE_UNITS = TILE / WL_UNIT_ROWS, STAGE = 2 * SIDE_UNITS * WL_UNIT };
enum { LAUNCHES = 60, TILES_MOST = 80, LINES_MOST = 130 };

typedef struct {
    const char *units; // [tiles][2][lines][WL_UNIT]
    int lines, present_lines;
    size_t instances;
    const uint2 *tiles; // [jobs][blocks of a cluster]: row and column; below the diagonal: computed, not written
    unsigned jobs;
    int *distance, *compared; // [instances][instances]
} work;

struct values { // base + sign * sum
    unsigned base, sign;
    __device__ int column(size_t) const { return 0; }
    __device__ int2 operator()(int, int, int a, int b) const {
        return make_int2((int)(base + sign * (unsigned)a), (int)(base + sign * (unsigned)b));
    }
};

/* --- Clusters -------------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
/* To the same place in the shared memory of each block in `blocks`, and told to the same barrier there. */
static __device__ __forceinline__ void copy_to_many(void *to, const void *from, wl_mbarrier *b, unsigned short blocks) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, "
                 "[%3], %4;" ::"r"(at(to)),
                 "l"(from), "r"((unsigned)WL_UNIT), "r"(at(b)), "h"(blocks)
                 : "memory");
}
static __device__ __forceinline__ void arrive_at(wl_mbarrier *b, unsigned block) {
    asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}" ::"r"(at(b)),
                 "r"(block)
                 : "memory");
}
static __device__ __forceinline__ unsigned block_of_cluster() {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ __forceinline__ void meet() {
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

/* --- Lines and tiles as in lesson 15 ---------------------------------------------------------------------------------- */

/* Start copying a line of 128 rows, or columns: tile `tile` of them. `full` expects its SIDE_UNITS units. One thread. */
static __device__ __forceinline__ void copy_side(char *to, wl_mbarrier *full,
                                                 const char *units, // [padded / 64][lines][WL_UNIT]
                                                 size_t lines, unsigned tile, size_t line) {
#pragma unroll
    for (int u = 0; u < SIDE_UNITS; u++)
        wl_copy_bulk(to + u * WL_UNIT, units + (((size_t)tile * SIDE_UNITS + u) * lines + line) * WL_UNIT, WL_UNIT,
                     full);
}
/* Start copying a line of tile (j, i) into `stage`; one thread. */
static __device__ __forceinline__ void copy_line(char *stage, wl_mbarrier *full, const char *rows, const char *columns,
                                                 size_t lines, unsigned j, unsigned i, size_t line) {
    wl_mbarrier_expect(full, STAGE);
    copy_side(stage, full, rows, lines, j, line);
    copy_side(stage + SIDE_UNITS * WL_UNIT, full, columns, lines, i, line);
}

/* A line of the tile: start the products of this warpgroup's 64 rows with all columns. */
template <int SUMS>
static __device__ __forceinline__ void multiply_line(int (&sum)[SUMS], const char *stage, int warpgroup) {
    wl_warpgroup_begin();
#pragma unroll
    for (int step = 0; step < WL_WARPGROUP_STEPS; step++)
        wl_warpgroup_bits(sum, stage + warpgroup * WL_UNIT, stage + SIDE_UNITS * WL_UNIT, step);
    wl_warpgroup_commit();
}

/* Writes this warpgroup's rows of tile (j, i), and mirrored. Four lanes write 32 bytes of a row side by side; eight lanes write 32 bytes
   of a column. value(h, value.column(i), ..) makes two neighbours' results of their sums, in row first_row(tile_j, warpgroup) + 8 h. */
static __device__ __forceinline__ unsigned first_row(unsigned tile_j, int warpgroup) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    return tile_j * TILE + WL_UNIT_ROWS * warpgroup + 16 * warp + lane / 4;
}
template <typename Value>
static __device__ __forceinline__ void write_tile(const int sum[WL_WARPGROUP_SUMS], const Value &value,
                                                  int *to, // [rows][columns]
                                                  unsigned rows, unsigned columns, unsigned tile_j, unsigned tile_i,
                                                  int warpgroup, int mirrored) {
    const unsigned first_j = first_row(tile_j, warpgroup);
    const unsigned first_i = tile_i * TILE + 2 * (threadIdx.x % 4);
    const size_t pitch = columns;
    const int even = columns % 2 == 0; // then two neighbours are both there, at a multiple of 8 bytes
#pragma unroll
    for (int c = 0; c < TILE / 8; c++) {
        const unsigned i = first_i + 8 * c;
        const auto column = value.column(i);
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const unsigned j = first_j + 8 * h;
            const int2 d = value(h, column, sum[4 * c + 2 * h], sum[4 * c + 2 * h + 1]);
            if (j >= rows || i >= columns) continue;
            if (even) {
                *(int2 *)(to + pitch * j + i) = d;
            } else {
                to[pitch * j + i] = d.x;
                if (i + 1 < columns) to[pitch * j + i + 1] = d.y;
            }
            if (!mirrored) continue;
            to[pitch * i + j] = d.x;
            if (i + 1 < columns) to[pitch * (i + 1) + j] = d.y;
        }
    }
}

/* --- Tiles of 128 x 128 ---------------------------------------------------------------------------------------------- */

/* CLUSTER 1: distances/03_one_pass. 2: two tiles, one below the other, share columns. 4: two by two. */
template <int CLUSTER, int STAGES, int BLOCKS, int WRITES>
static __global__ void __launch_bounds__(THREADS, BLOCKS) square(const work w) {
    extern __shared__ uint4 shared[];
    char *stages = wl_unit_align(shared);
    wl_mbarrier *full = (wl_mbarrier *)(stages + STAGES * STAGE), *empty = full + STAGES;
    const unsigned rank = CLUSTER > 1 ? block_of_cluster() : 0, down = rank % 2, across = rank / 2;
    const int waits_for = CLUSTER == 4 ? 3 : CLUSTER; // blocks whose stages this one's copies fill
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++)
            wl_mbarrier_init(&full[s], 1), wl_mbarrier_init(&empty[s], SIDE_UNITS * waits_for);
        wl_mbarrier_publish();
    }
    if (CLUSTER > 1)
        meet();
    else
        __syncthreads();
    if (threadIdx.x >= TEAM) {
        int s = 0;
        unsigned parity = 1;
        for (unsigned job = blockIdx.x / CLUSTER; job < w.jobs && threadIdx.x % 32 == 0; job += gridDim.x / CLUSTER) {
            const uint2 t = w.tiles[job * CLUSTER + rank];
            for (int line = 0; line < w.lines; line++) {
                wl_mbarrier_wait(&empty[s], parity);
                char *stage = stages + s * STAGE;
                const auto unit = [&](unsigned tile, unsigned half) {
                    return w.units + (((size_t)tile * SIDE_UNITS + half) * w.lines + line) * WL_UNIT;
                };
                if (CLUSTER == 1) {
                    copy_line(stage, &full[s], w.units, w.units, w.lines, t.x, t.y, line);
                } else {
                    wl_mbarrier_expect(&full[s], STAGE);
                    if (CLUSTER == 2) {
                        for (int u = 0; u < SIDE_UNITS; u++)
                            wl_copy_bulk(stage + u * WL_UNIT, unit(t.x, u), WL_UNIT, &full[s]);
                        copy_to_many(stage + (2 + rank) * WL_UNIT, unit(t.y, rank), &full[s], 3);
                    } else {
                        copy_to_many(stage + across * WL_UNIT, unit(t.x, across), &full[s],
                                     (unsigned short)(5 << down));
                        copy_to_many(stage + (2 + down) * WL_UNIT, unit(t.y, down), &full[s],
                                     (unsigned short)(3 << 2 * across));
                    }
                }
                if (++s == STAGES) s = 0, parity ^= 1;
            }
        }
        __syncwarp();
        if (CLUSTER > 1) meet();
        return;
    }
    const int warpgroup = threadIdx.x / WL_WARPGROUP, thread = threadIdx.x % WL_WARPGROUP;
    int s = 0, last = 0;
    unsigned parity = 0;
    const auto release = [&](int stage) {
        if (CLUSTER == 1 && thread == 0) wl_mbarrier_arrive(&empty[stage]);
        if (CLUSTER == 2 && thread < 2) arrive_at(&empty[stage], thread);
        if (CLUSTER == 4 && thread < 3) arrive_at(&empty[stage], rank ^ thread); // itself, its column's, its row's
    };
    const auto multiply = [&](int(&sum)[SUMS], int lines) {
        for (int line = 0; line < lines; line++) {
            wl_mbarrier_wait(&full[s], parity);
            multiply_line(sum, stages + s * STAGE, warpgroup);
            wl_warpgroup_wait<1>();
            if (line > 0) release(last);
            last = s;
            if (++s == STAGES) s = 0, parity ^= 1;
        }
        wl_warpgroup_finish(sum);
        if (lines > 0) release(last);
    };
    for (unsigned job = blockIdx.x / CLUSTER; job < w.jobs; job += gridDim.x / CLUSTER) {
        const uint2 t = w.tiles[job * CLUSTER + rank];
        int sum[SUMS] = {0};
        const auto write = [&](int *to, values v) {
            if (t.y >= t.x) write_tile(sum, v, to, w.instances, w.instances, t.x, t.y, warpgroup, t.y > t.x);
        };
        multiply(sum, w.present_lines);
        if (WRITES & COMPARED) write(w.compared, values{0, 1});
        for (int k = 0; k < SUMS; k++) sum[k] = -sum[k];
        multiply(sum, w.lines - w.present_lines);
        if (WRITES & DISTANCE) write(w.distance, values{0, -1u});
        unsigned all = 1; // so that the sums are needed
        for (int k = 0; k < SUMS; k++) all &= (unsigned)sum[k];
        if (!(WRITES & DISTANCE) && all == 1) w.distance[0] = 0;
    }
    if (CLUSTER > 1) meet();
}

/* --- A tile of 128 x 256 --------------------------------------------------------------------------------------------- */

/* As write_tile, for an even number of columns; with write_tile the compiler spills ten times as many registers here. */
static __device__ __forceinline__ void write_half(const int *sum, values v, int *to, size_t n, unsigned tile_j,
                                                  unsigned tile_i, int warpgroup, bool mirrored) {
    const size_t first_j = first_row(tile_j, warpgroup), first_i = (size_t)tile_i * TILE + 2 * (threadIdx.x % 4);
#pragma unroll
    for (int c = 0; c < TILE / 8; c++) {
        const size_t i = first_i + 8 * c;
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const size_t j = first_j + 8 * h;
            const int2 d = v(0, 0, sum[4 * c + 2 * h], sum[4 * c + 2 * h + 1]);
            if (j >= n || i >= n) continue;
            *(int2 *)(to + n * j + i) = d;
            if (!mirrored) continue;
            to[n * i + j] = d.x;
            to[n * (i + 1) + j] = d.y;
        }
    }
}

enum { WIDE_STAGE = 3 * SIDE_UNITS * WL_UNIT };

template <int STAGES, int WRITES> static __global__ void __launch_bounds__(THREADS, 1) wide(const work w) {
    extern __shared__ uint4 shared[];
    char *stages = wl_unit_align(shared);
    wl_mbarrier *full = (wl_mbarrier *)(stages + STAGES * WIDE_STAGE), *empty = full + STAGES;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) wl_mbarrier_init(&full[s], 1), wl_mbarrier_init(&empty[s], SIDE_UNITS);
        wl_mbarrier_publish();
    }
    __syncthreads();
    if (threadIdx.x >= TEAM) {
        int s = 0;
        unsigned parity = 1;
        for (unsigned job = blockIdx.x; job < w.jobs && threadIdx.x % 32 == 0; job += gridDim.x) {
            const uint2 t = w.tiles[job];
            for (int line = 0; line < w.lines; line++) {
                wl_mbarrier_wait(&empty[s], parity);
                wl_mbarrier_expect(&full[s], WIDE_STAGE);
                for (int u = 0; u < 3 * SIDE_UNITS; u++) {
                    const size_t unit = u < SIDE_UNITS ? t.x * SIDE_UNITS + u : (t.y - 1) * SIDE_UNITS + u;
                    wl_copy_bulk(stages + s * WIDE_STAGE + u * WL_UNIT, w.units + (unit * w.lines + line) * WL_UNIT,
                                 WL_UNIT, &full[s]);
                }
                if (++s == STAGES) s = 0, parity ^= 1;
            }
        }
        return;
    }
    const int warpgroup = threadIdx.x / WL_WARPGROUP, speaks = threadIdx.x % WL_WARPGROUP == 0;
    int s = 0, last = 0;
    unsigned parity = 0;
    for (unsigned job = blockIdx.x; job < w.jobs; job += gridDim.x) {
        const uint2 t = w.tiles[job];
        int sum[2 * SUMS];
#pragma unroll
        for (int k = 0; k < 2 * SUMS; k++) sum[k] = 0;
#pragma unroll 1
        for (int part = 0; part < 2; part++) { // one piece of code: the loop is not to be compiled twice
            const int lines = part == 0 ? w.present_lines : w.lines - w.present_lines;
            for (int line = 0; line < lines; line++) {
                wl_mbarrier_wait(&full[s], parity);
                const char *stage = stages + s * WIDE_STAGE;
                multiply_line(sum, stage, warpgroup);
                wl_warpgroup_wait<1>();
                if (line > 0 && speaks) wl_mbarrier_arrive(&empty[last]);
                last = s;
                if (++s == STAGES) s = 0, parity ^= 1;
            }
            wl_warpgroup_wait<0>();
#pragma unroll
            for (int k = 0; k < 2 * SUMS; k++) asm volatile("" : "+r"(sum[k]));
            if (lines > 0 && speaks) wl_mbarrier_arrive(&empty[last]);
            if (WRITES & (part == 0 ? COMPARED : DISTANCE)) {
                const values v = {0, part == 0 ? 1u : -1u};
                int *to = part == 0 ? w.compared : w.distance;
                if (t.y >= t.x) write_half(sum, v, to, w.instances, t.x, t.y, warpgroup, t.y > t.x);
                write_half(sum + SUMS, v, to, w.instances, t.x, t.y + 1, warpgroup, t.y + 1 > t.x);
            }
#pragma unroll
            for (int k = 0; k < 2 * SUMS && part == 0; k++) sum[k] = -sum[k];
        }
        unsigned all = 1;
#pragma unroll
        for (int k = 0; k < 2 * SUMS; k++) all &= (unsigned)sum[k];
        if (!(WRITES & DISTANCE) && all == 1) w.distance[0] = 0;
    }
}

/* --- Host ------------------------------------------------------------------------------------------------------------ */

static size_t instances;
static int lines, present_lines, multiprocessors, *distance, *compared;
static char *units, *flushed;
static const char *data = "random";
static const size_t FLUSHED = 120 << 20;

/* Jobs of `down` x `across` tiles that hold a tile of the upper triangle, in bands of rows; the tiles of a job column by column. */
static std::vector<uint2> tiles_of(int down, int across, int band, bool all) {
    std::vector<uint2> found;
    const int tiles = (int)((instances + TILE - 1) / TILE);
    for (int first = 0; first < tiles; first += band)
        for (int i = first / across * across; i < tiles; i += across)
            for (int j = first; j < std::min(first + band, tiles) && j < i + across; j += down)
                for (int k = 0; k < (all ? down * across : 1); k++)
                    found.push_back(make_uint2(j + k % down, i + k / down));
    return found;
}

static unsigned long long checksum() {
    std::vector<int> host(instances * instances);
    unsigned long long sum = 0;
    for (int *matrix : {distance, compared}) {
        CHECK(cudaMemcpy(host.data(), matrix, sizeof(int) * host.size(), cudaMemcpyDeviceToHost));
        for (int number : host) sum = sum * 31 + (unsigned)number;
    }
    return sum;
}

/* The first design that writes both matrices of an input says what all others have to write. */
static void compare_sums(const char *design) {
    static std::map<std::tuple<size_t, int, int>, unsigned long long> sums;
    const unsigned long long sum = checksum();
    const auto first = sums.emplace(std::make_tuple(instances, lines, present_lines), sum).first;
    fprintf(stderr, "%s: sum of the results %llx\n", design, sum);
    if (first->second == sum) return;
    fprintf(stderr, "%s: expected %llx, as the first design has it\n", design, first->second);
    exit(1);
}

template <int CLUSTER>
static void measure(const char *design, void (*kernel)(work), int shared, int stages, int blocks, int band, int writes,
                    const std::vector<uint2> &tiles) {
    uint2 *list;
    CHECK(cudaMalloc(&list, tiles.size() * sizeof(uint2)));
    CHECK(cudaMemcpy(list, tiles.data(), tiles.size() * sizeof(uint2), cudaMemcpyHostToDevice));
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    const work w = {units,    lines,   present_lines, instances, list, (unsigned)(tiles.size() / CLUSTER),
                    distance, compared};
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = CLUSTER, cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t launch = {};
    launch.gridDim = std::min((unsigned)(multiprocessors * blocks / CLUSTER), w.jobs) * CLUSTER;
    launch.blockDim = THREADS, launch.dynamicSmemBytes = shared, launch.attrs = &cluster, launch.numAttrs = 1;
    int most = 0;
    if (CLUSTER > 1) CHECK(cudaOccupancyMaxActiveClusters(&most, kernel, &launch));
    if (most > 0) launch.gridDim.x = std::min(launch.gridDim.x, (unsigned)(most * CLUSTER));
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int *matrix : {distance, compared}) CHECK(cudaMemset(matrix, 0xA5, sizeof(int) * instances * instances));
    std::vector<float> times;
    for (int k = 0; k < LAUNCHES; k++) {
        CHECK(cudaMemsetAsync(flushed, k, FLUSHED));
        CHECK(cudaEventRecord(begin));
        CHECK(cudaLaunchKernelEx(&launch, kernel, w));
        CHECK(cudaEventRecord(end));
        CHECK(cudaDeviceSynchronize());
        float milliseconds;
        CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
        times.push_back(milliseconds);
    }
    std::sort(times.begin(), times.end());
    printf("\"%s\"\t%d\t%d\t%d\t\"%s\"\t\"%s\"\t%zu\t%d\t%d\t%.4f\t%.4f\n", design, stages, blocks, band,
           writes == (COMPARED | DISTANCE) ? "both"
           : writes                        ? "distance"
                                           : "none",
           data, instances, lines, present_lines, times[LAUNCHES / 2], times[0]);
    if (writes == (COMPARED | DISTANCE)) compare_sums(design);
    CHECK(cudaFree(list));
}

template <int CLUSTER, int STAGES, int BLOCKS, int WRITES> static void squares(const char *design, int band) {
    measure<CLUSTER>(design, square<CLUSTER, STAGES, BLOCKS, WRITES>,
                     WL_UNIT_ALIGN + STAGES * (STAGE + 2 * (int)sizeof(wl_mbarrier)), STAGES, BLOCKS, band, WRITES,
                     tiles_of(CLUSTER > 1 ? 2 : 1, CLUSTER > 2 ? 2 : 1, band, true));
}
template <int STAGES, int WRITES> static void wides(int band) {
    measure<1>("wide", wide<STAGES, WRITES>, WL_UNIT_ALIGN + STAGES * (WIDE_STAGE + 2 * (int)sizeof(wl_mbarrier)),
               STAGES, 1, band, WRITES, tiles_of(1, 2, band, false));
}
template <int WRITES> static void all_squares() {
    squares<1, 3, 2, WRITES>("two_blocks", 8);
    squares<2, 3, 2, WRITES>("cluster_of_2", 8);
    squares<4, 3, 2, WRITES>("cluster_of_4", 8);
}

static __global__ void fill(unsigned *to, size_t words) {
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < words; k += (size_t)gridDim.x * blockDim.x) {
        unsigned x = (unsigned)k * 2654435761u;
        x = (x ^ x >> 15) * 0x85ebca6bu;
        x = (x ^ x >> 13) * 0xc2b2ae35u;
        to[k] = x ^ x >> 16;
    }
}

int main() {
    enum { BOTH = COMPARED | DISTANCE };
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    multiprocessors = properties.multiProcessorCount;
    instances = 10000;
    const size_t bytes = (size_t)TILES_MOST * SIDE_UNITS * LINES_MOST * WL_UNIT,
                 matrix = sizeof(int) * instances * instances;
    CHECK(cudaMalloc(&units, bytes));
    CHECK(cudaMalloc(&distance, matrix));
    CHECK(cudaMalloc(&compared, matrix));
    CHECK(cudaMalloc(&flushed, FLUSHED));
    fill<<<1000, 256>>>((unsigned *)units, bytes / sizeof(unsigned));
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("# device: %s\n", properties.name);
    printf("design\tstages\tblocks\tband\twrites\tdata\tinstances\tlines\tpresent_lines\tmilliseconds\tleast_"
           "milliseconds\n");
    lines = 50, present_lines = 10; // 10,000 nucleotides with missing values
    all_squares<BOTH>(), all_squares<DISTANCE>(), all_squares<0>();
    squares<1, 6, 1, 0>("one_block", 8);
    squares<2, 3, 2, BOTH>("cluster_of_2", 4), squares<2, 3, 2, BOTH>("cluster_of_2", 16);
    squares<1, 3, 2, BOTH>("two_blocks", 12), squares<1, 3, 2, BOTH>("two_blocks", 16);
    wides<4, 0>(8), wides<4, DISTANCE>(8), wides<4, BOTH>(8), wides<4, BOTH>(16), wides<3, BOTH>(8);
    instances = 8192, lines = 128, present_lines = 0;
    all_squares<DISTANCE>(), wides<4, DISTANCE>(8), wides<4, 0>(8);
    instances = 10000, lines = 30; // lesson 15's 10,000 nucleotides
    all_squares<DISTANCE>(), all_squares<0>(), wides<4, DISTANCE>(8), wides<4, 0>(8);
    CHECK(cudaMemset(units, 0, bytes)); // little power: the clock stays high
    data = "zeros";
    squares<1, 3, 2, 0>("two_blocks", 8), wides<4, 0>(8), wides<4, DISTANCE>(8);
    return 0;
}
