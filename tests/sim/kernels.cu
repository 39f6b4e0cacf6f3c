/* Small kernels of the shapes that real ones have: tiles, reductions, wavefronts, persistent blocks, divergent
   control flow. What they compute is compared with plain loops; what the divergent ones count with counts worked out by
   hand for lanes that meet again at the end of each branch. */
#include <algorithm>

#include "tests/sim/help.h"

static unsigned noise(unsigned i) { return (i * 2654435761u ^ i >> 3) >> 7; }

// ---------------------------------------------------------------- tiles

template <int TILE>
static __global__ void __launch_bounds__(TILE *TILE, 2)
    product(const float *a, const float *b, float *c, int n) { // [n][n], n a multiple of TILE
    __shared__ float tile_a[2][TILE][TILE + 1], tile_b[2][TILE][TILE + 1];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    float sum = 0;
    tile_a[0][y][x] = a[row * n + x];
    tile_b[0][y][x] = b[y * n + column];
    __syncthreads();
    for (int t = 0; t < n / TILE; t++) {
        int now = t % 2, next = 1 - now;
        if (t + 1 < n / TILE) { // the other half of the buffer is filled while this one is used
            tile_a[next][y][x] = a[row * n + (t + 1) * TILE + x];
            tile_b[next][y][x] = b[((t + 1) * TILE + y) * n + column];
        }
        for (int k = 0; k < TILE; k++) sum += tile_a[now][y][k] * tile_b[now][k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

TEST(tiled_product_with_two_buffers) {
    const int n = 64;
    Buffer<float> a(n * n), b(n * n), c(n * n);
    std::vector<float> ha(n * n), hb(n * n);
    for (unsigned i = 0; i < n * n; i++) ha[i] = (float)(noise(i) % 7), hb[i] = (float)(noise(i + 99) % 5);
    cudaMemcpy(a.device, ha.data(), n * n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(b.device, hb.data(), n * n * 4, cudaMemcpyHostToDevice);
    wl_sim_counters k = counted([&] { product<16><<<dim3(4, 4), dim3(16, 16)>>>(a.device, b.device, c.device, n); });
    std::vector<float> got = c.host();
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int x = 0; x < n; x++) sum += ha[i * n + x] * hb[x * n + j];
            CHECK(got[i * n + j] == sum);
        }
    // 16 blocks of 8 warps; 4 tiles of 16 steps with two shared loads, and two stores a tile.
    CHECK(k.barriers == 16 * 5);
    CHECK(k.global_load_requests == 16 * 8 * 4 * 2 && k.global_store_requests == 16 * 8);
    CHECK(k.shared_requests == 16 * 8 * 4 * (16 * 2 + 2));
}

// ---------------------------------------------------------------- reductions and scans

static __global__ void tree_sum(const int *in, int *out, int n) {
    extern __shared__ int sums[];
    int threads = (int)(blockDim.x * blockDim.y * blockDim.z);
    int t = (int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
    sums[t] = t < n ? in[t] : 0;
    __syncthreads();
    for (int live = threads; live > 1;) {
        int half = (live + 1) / 2;
        if (t + half < live) sums[t] += sums[t + half];
        __syncthreads();
        live = half;
    }
    if (t == 0) *out = sums[0];
}

static __global__ void shuffle_sum(const int *in, int *out, int n) {
    __shared__ int sums[32]; // also a name in other kernels of this file
    int threads = (int)(blockDim.x * blockDim.y * blockDim.z);
    int t = (int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
    int warps = (threads + 31) / 32, rest = threads - t / 32 * 32;
    unsigned mask = rest >= 32 ? 0xffffffffu : (1u << rest) - 1;
    int value = t < n ? in[t] : 0;
    for (int distance = 16; distance > 0; distance /= 2) {
        int other = __shfl_down_sync(mask, value, distance);
        if (t % 32 + distance < rest) value += other;
    }
    if (t % 32 == 0) sums[t / 32] = value;
    __syncthreads();
    if (t < 32 && warps > 1) {
        unsigned first = threads >= 32 ? 0xffffffffu : mask;
        value = t < warps ? sums[t] : 0;
        for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(first, value, distance);
    }
    if (t == 0) *out = value;
}

TEST(block_sums_of_any_shape) {
    Buffer<int> in(1024), out(1);
    std::vector<int> values(1024);
    for (unsigned i = 0; i < 1024; i++) values[i] = (int)(noise(i) % 1000) - 500;
    cudaMemcpy(in.device, values.data(), 4096, cudaMemcpyHostToDevice);
    for (dim3 block : {dim3(1), dim3(31), dim3(33), dim3(96), dim3(1000), dim3(1024), dim3(7, 5), dim3(33, 3, 2)}) {
        unsigned threads = block.x * block.y * block.z;
        int n = std::min((int)threads, 900), sum = 0;
        for (int i = 0; i < n; i++) sum += values[i];
        counted([&] { tree_sum<<<1, block, threads * sizeof(int)>>>(in.device, out.device, n); });
        CHECK(out.host()[0] == sum);
        counted([&] { shuffle_sum<<<1, block>>>(in.device, out.device, n); });
        CHECK(out.host()[0] == sum);
    }
}

static __global__ void prefix_sum(const int *in, int *out) {
    __shared__ int buffer[2][256];
    int t = threadIdx.x, now = 0;
    buffer[0][t] = in[t];
    __syncthreads();
    for (int distance = 1; distance < (int)blockDim.x; distance *= 2, now ^= 1) {
        buffer[now ^ 1][t] = buffer[now][t] + (t >= distance ? buffer[now][t - distance] : 0);
        __syncthreads();
    }
    out[t] = buffer[now][t];
}

static __global__ void warp_prefix_sum(const int *in, int *out) {
    int t = threadIdx.x, value = in[t];
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        int left = __shfl_up_sync(~0u, value, distance);
        if (t >= distance) value += left;
    }
    out[t] = value;
}

TEST(prefix_sums) {
    Buffer<int> in(256, 3), out(256);
    wl_sim_counters c = counted([&] { prefix_sum<<<1, 256>>>(in.device, out.device); });
    for (int i = 0; i < 256; i++) CHECK(out.host()[i] == 3 * (i + 1));
    // 8 rounds of 8 warps: a load and a store each; the second load by the warps that have a lane t >= distance.
    CHECK(c.shared_requests == 8 * 2 + 8 * 8 * 2 + 5 * 8 + 8 + 7 + 6 + 4 - 8);
    counted([&] { warp_prefix_sum<<<1, 32>>>(in.device, out.device); });
    for (int i = 0; i < 32; i++) CHECK(out.host()[i] == 3 * (i + 1));
}

// ---------------------------------------------------------------- Smith-Waterman, one row a lane

/* Local alignment score with linear gaps. Lane l computes rows l * ROWS ..., one column later than lane l - 1; what crosses
   the border between two lanes goes by shuffle. */
template <int ROWS>
static __global__ void wavefront(const char *query, int rows, const char *subject, int columns, int *best) {
    const int MATCH = 2, MISMATCH = -1, GAP = 1;
    int lane = threadIdx.x, left[ROWS], top = 0, maximum = 0;
    char mine[ROWS];
    for (int r = 0; r < ROWS; r++) {
        left[r] = 0;
        mine[r] = lane * ROWS + r < rows ? query[lane * ROWS + r] : '#';
    }
    int diagonal_in = 0;
    for (int step = 0; step < columns + 31; step++) {
        top = __shfl_up_sync(0xffffffffu, left[ROWS - 1], 1); // the cell above this lane's first row
        if (lane == 0) top = 0;
        int column = step - lane;
        if (column >= 0 && column < columns) {
            char letter = subject[column];
            int diagonal = diagonal_in, above = top;
            for (int r = 0; r < ROWS; r++) {
                int score =
                    max(max(0, diagonal + (mine[r] == letter ? MATCH : MISMATCH)), max(left[r] - GAP, above - GAP));
                diagonal = left[r];
                left[r] = above = score;
                maximum = max(maximum, score);
            }
        }
        diagonal_in = column >= 0 ? top : 0;
    }
    maximum = __reduce_max_sync(0xffffffffu, maximum);
    if (lane == 0) *best = maximum;
}

TEST(wavefront_of_a_warp) {
    std::string query, subject;
    for (unsigned i = 0; i < 61; i++) query += "ACGT"[noise(i) % 4];
    for (unsigned i = 0; i < 90; i++) subject += "ACGT"[noise(i + 1000) % 4];
    subject.replace(30, 20, query.substr(10, 20));
    std::vector<int> row(query.size() + 1, 0);
    int best = 0;
    for (char letter : subject) {
        int diagonal = 0;
        for (size_t i = 1; i <= query.size(); i++) {
            int left = row[i];
            row[i] =
                std::max(std::max(0, diagonal + (query[i - 1] == letter ? 2 : -1)), std::max(left - 1, row[i - 1] - 1));
            diagonal = left;
            best = std::max(best, row[i]);
        }
    }
    Buffer<char> q(query.size()), s(subject.size());
    Buffer<int> out(1);
    cudaMemcpy(q.device, query.data(), query.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(s.device, subject.data(), subject.size(), cudaMemcpyHostToDevice);
    wl_sim_counters c = counted([&] { wavefront<2><<<1, 32>>>(q.device, 61, s.device, 90, out.device); });
    CHECK(best >= 40 && out.host()[0] == best);
    CHECK(c.global_load_requests == 2 + 90 + 31); // the query's rows, then a letter for the lanes at work in each step
    CHECK(c.shared_requests == 0 && c.barriers == 0 && c.global_store_requests == 1);
}

// ---------------------------------------------------------------- persistent blocks, counters, histograms

static __global__ void histogram(const unsigned char *in, int n, unsigned *bins) {
    __shared__ unsigned mine[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) mine[b] = 0;
    __syncthreads();
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += (int)(gridDim.x * blockDim.x))
        atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        if (mine[b]) atomicAdd(&bins[b], mine[b]);
}

TEST(histogram_of_bytes) {
    const unsigned n = 5000;
    std::vector<unsigned char> bytes(n);
    std::vector<unsigned> want(256, 0);
    for (unsigned i = 0; i < n; i++) want[bytes[i] = (unsigned char)(noise(i) % 250)]++;
    Buffer<unsigned char> in(n);
    Buffer<unsigned> bins(256);
    cudaMemcpy(in.device, bytes.data(), n, cudaMemcpyHostToDevice);
    counted([&] { histogram<<<5, 96>>>(in.device, (int)n, bins.device); });
    CHECK(bins.host() == want);
}

__device__ unsigned next_item;

static __global__ void workers(const int *in, int *out, int items) {
    __shared__ unsigned item;
    for (;;) {
        if (threadIdx.x == 0) item = atomicAdd(&next_item, 1u);
        __syncthreads();
        unsigned mine = item;
        __syncthreads(); // before thread 0 takes the next
        if (mine >= (unsigned)items) return;
        out[mine * blockDim.x + threadIdx.x] = in[mine * blockDim.x + threadIdx.x] * 2;
    }
}

TEST(persistent_blocks_take_work_from_a_counter) {
    unsigned zero = 0;
    Buffer<int> in(50 * 64, 21), out(50 * 64);
    cudaMemcpyToSymbol(next_item, &zero, sizeof zero);
    counted([&] { workers<<<4, 64>>>(in.device, out.device, 50); });
    for (int v : out.host()) CHECK(v == 42);
    cudaMemcpyFromSymbol(&zero, next_item, sizeof zero);
    CHECK(zero == 54);
}

__device__ unsigned finished;

/* The last block to finish sums up, as in the toolkit's threadFenceReduction: the ticket is a __device__ variable. */
static __global__ void last_sums(volatile int *parts, int *sum) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        *(int *)&parts[blockIdx.x] = (int)blockIdx.x;
        __threadfence();
        last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int all = 0;
        for (unsigned b = 0; b < gridDim.x; b++) all += ((int *)parts)[b];
        *sum = all;
    }
}

TEST(ticket_in_a_device_variable) {
    Buffer<int> parts(40), sum(1);
    counted([&] { last_sums<<<40, 32>>>(parts.device, sum.device); });
    CHECK(sum.host()[0] == 780);
}

static __global__ void relay(int *out) {
    __shared__ volatile int turn;
    __shared__ volatile int value;
    int warp = threadIdx.x / 32;
    if (threadIdx.x == 0) turn = 0, value = 1;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (turn != warp) continue;
        value = value * 3 + warp;
        __threadfence_block();
        turn = warp + 1;
    }
    __syncthreads();
    if (threadIdx.x == 0) *out = value;
}

TEST(volatile_flags_between_warps) {
    Buffer<int> out(1);
    std::string error;
    counted([&] { relay<<<1, 128>>>(out.device); }, &error);
    CHECK(error == "");
    CHECK(out.host()[0] == (((1 * 3 + 0) * 3 + 1) * 3 + 2) * 3 + 3);
}

// ---------------------------------------------------------------- functions, structures, templates

static __device__ __noinline__ int scaled_load(const int *in, int i, int factor) { return in[i] * factor; }

static __device__ __noinline__ int descend(const int *in, int lane, int depth) {
    if (depth == 0) return in[lane];
    return descend(in, lane, depth - 1) + in[32 * depth + lane];
}

static __global__ void calls(const int *in, int *out) {
    int lane = threadIdx.x, value;
    if (lane % 2)
        value = scaled_load(in, lane, 3);
    else
        value = scaled_load(in, lane, 5);
    out[lane] = value + descend(in, lane, lane % 4);
}

TEST(functions_that_are_called) {
    Buffer<int> in(128, 1), out(32);
    wl_sim_counters c = counted([&] { calls<<<1, 32>>>(in.device, out.device); });
    for (int lane = 0; lane < 32; lane++) CHECK(out.host()[lane] == (lane % 2 ? 3 : 5) + lane % 4 + 1);
    // One load for each call of scaled_load; descend reaches its end at four depths and adds at three.
    CHECK(c.global_load_requests == 2 + 4 + 3 && c.global_store_requests == 1);
}

struct Model {
    double frequency[4], matrix[4][4];
    int states;
    const double *tip;
};
__constant__ Model shared_model;
__device__ int grid_of_numbers[4][8] = {{1, 2, 3}, {4}};

template <typename T, int N, bool ADD, typename F> static __global__ void apply(Model model, T *out, F function) {
    T local[N];
    for (int i = 0; i < N; i++) local[i] = (T)(model.frequency[i % 4] * model.matrix[i % 4][threadIdx.x % 4]);
    T sum = ADD ? (T)model.states : (T)shared_model.states;
    for (int i = 0; i < N; i++) sum += function(local[(i + threadIdx.x) % N]);
    out[threadIdx.x] = sum + (T)model.tip[threadIdx.x] + (T)grid_of_numbers[0][threadIdx.x % 3];
}

struct Times {
    double factor;
    __device__ double operator()(double x) const { return factor * x; }
};

TEST(structures_templates_and_functors) {
    Buffer<double> tip(64, 0.5), out(64);
    Model model = {{1, 2, 3, 4}, {}, 20, tip.device}, constant = {};
    for (int i = 0; i < 16; i++) model.matrix[i / 4][i % 4] = i;
    constant.states = 7;
    cudaMemcpyToSymbol(shared_model, &constant, sizeof constant);
    for (int add = 0; add < 2; add++) {
        if (add)
            counted([&] { apply<double, 4, true, Times><<<1, 64>>>(model, out.device, Times{2}); });
        else
            counted([&] { apply<double, 4, false, Times><<<1, 64>>>(model, out.device, Times{2}); });
        for (int t = 0; t < 64; t++) {
            double sum = 0;
            for (int i = 0; i < 4; i++) sum += 2 * (model.frequency[i] * model.matrix[i][t % 4]);
            CHECK(out.host()[t] == sum + (add ? 20 : 7) + 0.5 + t % 3 + 1);
        }
    }
    auto twice = [] __device__(double x) { return 2 * x; };
    counted([&] { apply<double, 4, true, decltype(twice)><<<1, 64>>>(model, out.device, twice); });
}

static __global__ void carved(float *out, int n) {
    extern __shared__ __align__(16) unsigned char raw[];
    double *sums = (double *)raw;
    float *values = (float *)(sums + n);
    short *order = (short *)(values + n);
    unsigned char *flags = (unsigned char *)(order + n);
    int t = threadIdx.x;
    sums[t] = t;
    values[t] = t * 0.5f;
    order[t] = (short)(n - 1 - t);
    flags[t] = t % 2;
    __syncthreads();
    int other = order[t];
    out[t] = (float)sums[other] + values[other] + flags[other];
}

static __global__ void other_type(int *out) {
    extern __shared__ int raw_numbers[];
    __shared__ int sums[64];
    raw_numbers[threadIdx.x] = sums[threadIdx.x] = 4;
    out[threadIdx.x] = raw_numbers[threadIdx.x] + sums[threadIdx.x];
}

TEST(dynamic_shared_memory_of_several_types) {
    const int n = 77;
    Buffer<float> out(n);
    counted([&] { carved<<<1, n, n *(8 + 4 + 2 + 1)>>>(out.device, n); });
    for (int t = 0; t < n; t++) CHECK(out.host()[t] == (n - 1 - t) * 1.5f + (n - 1 - t) % 2);
    std::string error;
    counted([&] { carved<<<1, n, n *(8 + 4 + 2 + 1) - 1>>>(out.device, n); }, &error);
    CHECK(says(error, "1 bytes past the end of 1154 bytes of dynamic shared memory"));
    Buffer<int> numbers(64);
    counted([&] { other_type<<<2, 64, 256>>>(numbers.device); }, &error); // two blocks store the same
    CHECK(error == "");
    CHECK(numbers.host()[63] == 8);
}

// ---------------------------------------------------------------- divergence: exact counts

/* Runs kernel(in, out) with one warp; `in` holds noise below 8. Returns the global load requests; the store must be
   one. */
template <typename K> static uint64_t loads_of(K kernel, uint64_t stores = 1) {
    static Buffer<int> in(4096), out(64);
    std::vector<int> values(4096);
    for (unsigned i = 0; i < 4096; i++) values[i] = (int)(noise(i) % 8);
    cudaMemcpy(in.device, values.data(), 4096 * 4, cudaMemcpyHostToDevice);
    wl_sim_counters c = counted([&] { kernel<<<1, 32>>>((const int *)in.device, out.device); });
    CHECK(c.global_store_requests == stores);
    if (c.global_store_requests != stores) printf("  %d stores\n", (int)c.global_store_requests);
    return c.global_load_requests;
}
#define LOADS(kernel, expected)                                                                \
    do {                                                                                       \
        uint64_t got_ = loads_of(kernel), want_ = (uint64_t)(expected);                        \
        CHECK(got_ == want_);                                                                  \
        if (got_ != want_) printf("  %s: %d loads, not %d\n", #kernel, (int)got_, (int)want_); \
    } while (0)
static int value_at(unsigned i) { return (int)(noise(i) % 8); }

static __global__ void three_ways(const int *in, int *out) {
    int t = threadIdx.x, x;
    if (t % 3 == 0)
        x = in[t];
    else if (t % 3 == 1)
        x = in[t + 32] * 3;
    else
        x = in[t + 64] * 5;
    out[t] = x + in[t + 96];
}

static __global__ void nested_loops(const int *in, int *out) {
    int t = threadIdx.x, x = 0;
    for (int i = 0; i < t % 4; i++) {
        for (int j = 0; j < t % 3; j++) x += in[i * 8 + j];
        x ^= in[100 + i];
    }
    out[t] = x;
}

static __global__ void skips(const int *in, int *out) {
    int t = threadIdx.x, x = 0;
    for (int i = 0; i < 12; i++) {
        int v = in[i * 32 + t];
        x ^= v;
        if ((t + i) % 4 == 0) continue;
        if (i > t % 8 + 2) break;
        x += in[1000 + i * 32 + t];
    }
    out[t] = x + in[2000 + t];
}

static __global__ void at_least_once(const int *in, int *out) {
    int t = threadIdx.x, i = t % 5, x = 0;
    do {
        x += in[i * 32 + t];
        i += 2;
    } while (i < 8);
    out[t] = x;
}

static __global__ void conditions(const int *in, int *out) {
    int t = threadIdx.x, x = 0;
    if (in[t] > 3 && in[t + 32] > 3) x = 1; // the second load by some lanes only
    x += t % 2 ? in[t + 64] : in[t + 96];   // both ways
    x += in[t + 128] == 7 || in[t + 160] == 7;
    out[t] = x;
}

static __global__ void some_leave(const int *in, int *out) {
    int t = threadIdx.x, x = 0;
    if (t >= 20) return;
    for (int i = 0; i < t; i++) x += in[i];
    out[t] = x;
}

static __global__ void search(const int *in, int *out) {
    int t = threadIdx.x;
    for (int i = 0; i < 16; i++) {
        if (in[i * 32 + t] == t % 8) {
            out[t] = i;
            return;
        }
    }
    out[t] = -1;
}

enum { START, EVEN, ODD, END };
static __global__ void machine(const int *in, int *out) {
    int t = threadIdx.x, state = START, x = 0;
    for (int i = 0; i < 10 && state != END; i++) {
        switch (state) {
            case START:
                state = in[t] % 2 ? ODD : EVEN;
                break;
            case EVEN:
                x += in[i * 32 + t];
                state = x % 2 ? ODD : EVEN;
                break;
            case ODD:
                x += 2 * in[1000 + i * 32 + t] + 1;
                if (x > 20) state = END;
                [[fallthrough]]; // an odd step looks ahead
            default:
                x += in[2000 + t];
        }
        x &= 63;
    }
    out[t] = x;
}

static __global__ void triangle(const int *in, int *out) {
    int t = threadIdx.x, x = 0;
    for (int i = 0; i < t; i++) // each lane one trip more than the one before
        if (i % 2)
            x += in[i];
        else
            while (x < 4 * i) x += in[40 + i] + 1;
    out[t] = x;
}

static __global__ void shuffles_in_loops(const int *in, int *out) {
    int t = threadIdx.x, x = t;
    for (int i = 0; i < 6; i++) {
        if (t % 3 == i % 3) x += in[t + i];
        x += __shfl_xor_sync(~0u, x, 1);
        if (__any_sync(~0u, x > 1 << 20)) break;
        if (t & 1)
            x ^= in[64 + t];
        else
            x ^= in[128 + t] + in[160 + t];
        __syncwarp();
    }
    out[t] = x;
}

static __global__ void partial_syncs(const int *in, int *out) {
    __shared__ int left[16], right[16];
    int t = threadIdx.x, x;
    if (t < 16) {
        left[t] = in[t];
        __syncwarp(0x0000ffff);
        x = left[15 - t] + in[32 + t];
    } else {
        right[t - 16] = in[t] + 1;
        __syncwarp(0xffff0000);
        x = right[31 - t] + __shfl_xor_sync(0xffff0000, t, 3);
    }
    out[t] = x + in[64 + t];
}

static __device__ int first_above(const int *in, int t, int limit) { // early returns inside an inlined function
    for (int i = 0; i < 8; i++) {
        int v = in[i * 32 + t];
        if (v > limit) return v;
        if (v < 0) return -1;
    }
    return 0;
}
static __global__ void inlined_returns(const int *in, int *out) {
    int t = threadIdx.x, x = first_above(in, t, 5);
    x += first_above(in + 256, t, 6);
    out[t] = x + in[2000 + t];
}

static __global__ void guarded_twice(const int *in, int *out) {
    int t = threadIdx.x, x = 0;
    bool mine = t % 4 == 1;
    for (int i = 0; i < 5; i++) {
        if (mine) x += in[i * 32 + t];
        if (x > 100) {
            x = 0;
            continue;
        }
        if (!mine) {
            for (int j = 0; j < 3; j++) {
                if (j == t % 3) break;
                x += in[64 + j];
            }
        }
        x += in[500 + i];
    }
    out[t] = x;
}

TEST(divergent_lanes_meet_where_branches_end) {
    LOADS(three_ways, 4);
    LOADS(nested_loops, 3 * (2 + 1));
    {
        uint64_t want = 1; // the last load
        for (int i = 0, alive[32] = {0}; i < 12; i++) {
            bool any = false, second = false;
            for (int t = 0; t < 32; t++) {
                if (alive[t]) continue; // it has left the loop
                any = true;
                if ((t + i) % 4 == 0) continue;
                if (i > t % 8 + 2)
                    alive[t] = 1;
                else
                    second = true;
            }
            want += any + second;
        }
        LOADS(skips, want);
    }
    LOADS(at_least_once, 4); // lanes that begin at 0 and 1 make four trips
    LOADS(conditions, 2 + 2 + 2);
    LOADS(some_leave, 19);
    {
        uint64_t want = 0, stores = 0;
        bool gone[32] = {};
        for (unsigned i = 0; i < 16; i++) {
            bool any = false, found = false;
            for (unsigned t = 0; t < 32; t++)
                if (!gone[t]) any = true, gone[t] = value_at(i * 32 + t) == (int)t % 8, found |= gone[t];
            want += any, stores += found;
        }
        stores += std::count(gone, gone + 32, false) > 0;
        CHECK(loads_of(search, stores) == want);
    }
    {
        uint64_t want = 0;
        int state[32] = {}, x[32] = {};
        for (unsigned i = 0; i < 10; i++) {
            bool start = false, even = false, odd = false;
            for (unsigned t = 0; t < 32; t++) {
                if (state[t] == START) {
                    start = true;
                    state[t] = value_at(t) % 2 ? ODD : EVEN;
                } else if (state[t] == EVEN) {
                    even = true;
                    x[t] += value_at(i * 32 + t);
                    state[t] = x[t] % 2 ? ODD : EVEN;
                } else if (state[t] == ODD) {
                    odd = true;
                    x[t] += 2 * value_at(1000 + i * 32 + t) + 1;
                    if (x[t] > 20) state[t] = END;
                    x[t] += value_at(2000 + t);
                }
                x[t] &= 63;
            }
            want += start + even + 2 * odd;
        }
        LOADS(machine, want);
    }
    {
        uint64_t want = 0;
        int x[32] = {};
        for (int i = 0; i < 31; i++) {
            if (i % 2) {
                want++;
                for (int t = i + 1; t < 32; t++) x[t] += value_at((unsigned)i);
                continue;
            }
            for (bool again = true; again; want += again) {
                again = false;
                for (int t = i + 1; t < 32; t++)
                    if (x[t] < 4 * i) again = true, x[t] += value_at(40 + (unsigned)i) + 1;
            }
        }
        LOADS(triangle, want);
    }
    LOADS(shuffles_in_loops, 6 * (1 + 1 + 2));
    LOADS(partial_syncs, 4);
    {
        uint64_t want = 1;
        for (unsigned call = 0; call < 2; call++) {
            bool gone[32] = {};
            for (unsigned i = 0; i < 8; i++) {
                want += std::count(gone, gone + 32, false) > 0;
                for (unsigned t = 0; t < 32; t++) gone[t] |= value_at(call * 256 + i * 32 + t) > (call ? 6 : 5);
            }
        }
        LOADS(inlined_returns, want);
    }
    LOADS(guarded_twice, 5 * (1 + 2 + 1));
}
