/* What the simulated device must compute and count, against closed formulas and the programming guide's rules. */
#include <cuda_runtime.h>

#include "harness/device/memory.h"
#include "tests/sim/help.h"

// ---------------------------------------------------------------- threads and launches

static __global__ void numbers(unsigned *out) {
    unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    out[block * blockDim.x * blockDim.y * blockDim.z + thread] = block * 1000 + thread;
}
static __global__ void add_numbers(unsigned *out) {
    unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    atomicAdd(&out[block * blockDim.x * blockDim.y * blockDim.z + thread], 1 + block * 1000 + thread);
}

TEST(every_thread_of_every_block_runs_once) {
    Buffer<unsigned> out(2 * 3 * 4 * 5 * 3 * 2, 0);
    add_numbers<<<dim3(2, 3, 4), dim3(5, 3, 2)>>>(out.device);
    CHECK(cudaGetLastError() == cudaSuccess);
    std::vector<unsigned> got = out.host();
    for (unsigned b = 0; b < 24; b++)
        for (unsigned t = 0; t < 30; t++) CHECK(got[b * 30 + t] == 1 + b * 1000 + t);
}

template <int FACTOR> static __global__ void scaled(int *out, long offset) {
    extern __shared__ __align__(16) int memory[];
    memory[threadIdx.x] = (int)threadIdx.x * FACTOR;
    __syncthreads();
    out[threadIdx.x + offset] = memory[blockDim.x - 1 - threadIdx.x];
}

TEST(template_kernels_and_dynamic_shared_memory) {
    Buffer<int> out(70);
    scaled<3><<<1, 64, 64 * sizeof(int)>>>(out.device, 6); // "<<<" in a comment or string is not a launch
    CHECK(cudaGetLastError() == cudaSuccess);
    std::vector<int> got = out.host();
    for (int t = 0; t < 64; t++) CHECK(got[t + 6] == 3 * (63 - t));
}

static __global__ void static_beside_dynamic(int *out) {
    extern __shared__ int dynamic[];
    __shared__ int fixed[1024];
    dynamic[threadIdx.x] = fixed[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = dynamic[threadIdx.x] + fixed[threadIdx.x];
}

TEST(configurations_a_device_refuses) {
    Buffer<int> out(8);
    std::string error;
    counted([&] { scaled<1><<<1, 1025>>>(out.device, 0); }, &error);
    CHECK(says(error, "1 to 1,024 threads"));
    counted([&] { scaled<1><<<dim3(1, 65536), 1>>>(out.device, 0); }, &error);
    CHECK(says(error, "65,535 blocks"));
    counted([&] { scaled<1><<<1, 32, 60000>>>(out.device, 0); }, &error);
    CHECK(says(error, "cudaFuncSetAttribute"));
    cudaFuncSetAttribute(scaled<1>, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000);
    counted([&] { scaled<1><<<1, 8, 60000>>>(out.device, 0); }, &error);
    CHECK(error == "");
    // What is asked for is the dynamic part; all together is at most what a multiprocessor has.
    cudaFuncSetAttribute(static_beside_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000);
    counted([&] { static_beside_dynamic<<<1, 8, 60000>>>(out.device); }, &error);
    CHECK(error == "");
    counted([&] { static_beside_dynamic<<<1, 8, 60004>>>(out.device); }, &error);
    CHECK(says(error, "cudaFuncSetAttribute"));
    cudaFuncSetAttribute(static_beside_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10);
    counted([&] { static_beside_dynamic<<<1, 8, 227 << 10>>>(out.device); }, &error);
    CHECK(says(error, "more shared memory than allowed"));
}

// ---------------------------------------------------------------- warps

static __global__ void shuffles(int *out) {
    int lane = threadIdx.x, *mine = out + 16 * lane;
    mine[0] = __shfl_sync(~0u, lane * 10, 5);
    mine[1] = __shfl_sync(~0u, lane * 10, lane + 1);
    mine[2] = __shfl_sync(~0u, lane * 10, 3, 8);
    mine[3] = __shfl_up_sync(~0u, lane * 10, 2);
    mine[4] = __shfl_down_sync(~0u, lane * 10, 2, 16);
    mine[5] = __shfl_xor_sync(~0u, lane * 10, 1);
    mine[6] = (int)__ballot_sync(~0u, lane % 3 == 0);
    mine[7] = __all_sync(~0u, lane < 31);
    mine[8] = __any_sync(~0u, lane == 31);
    mine[9] = (int)__match_any_sync(~0u, lane / 4);
    mine[10] = __reduce_add_sync(~0u, lane);
    mine[11] = __reduce_min_sync(~0u, lane - 16);
    mine[12] = (int)__reduce_max_sync(~0u, (unsigned)lane);
    mine[13] = (int)(__shfl_sync(~0u, (double)lane / 2, 9) * 4);
    mine[14] = __popc(__activemask());
    if (lane < 8)
        mine[15] = __shfl_down_sync(0xff, lane, 1);
    else
        mine[15] = (int)__ballot_sync(~0xffu, lane % 2);
}

TEST(shuffles_votes_and_reductions) {
    Buffer<int> out(16 * 32);
    shuffles<<<1, 32>>>(out.device);
    CHECK(cudaGetLastError() == cudaSuccess);
    std::vector<int> all = out.host();
    for (int lane = 0; lane < 32; lane++) {
        const int *got = &all[16 * (size_t)lane];
        CHECK(got[0] == 50);
        CHECK(got[1] == (lane + 1) % 32 * 10);
        CHECK(got[2] == (lane / 8 * 8 + 3) * 10);
        CHECK(got[3] == (lane < 2 ? lane : lane - 2) * 10);
        CHECK(got[4] == (lane % 16 > 13 ? lane : lane + 2) * 10);
        CHECK(got[5] == (lane ^ 1) * 10);
        CHECK((unsigned)got[6] == 0x49249249);
        CHECK(got[7] == 0 && got[8] == 1);
        CHECK((unsigned)got[9] == 0xfu << lane / 4 * 4);
        CHECK(got[10] == 496 && got[11] == -16 && got[12] == 31 && got[13] == 18 && got[14] == 32);
        CHECK(got[15] == (lane < 7 ? lane + 1 : lane == 7 ? (int)0xa5a5a5a5 : (int)0xaaaaaa00));
    }
}

static __global__ void lonely_shuffle(int *out) {
    if (threadIdx.x < 16)
        out[threadIdx.x] = __shfl_sync(~0u, 1, 0);
    else
        __syncthreads();
}

static __global__ void unnamed_lane(int *out) { out[threadIdx.x] = __shfl_sync(1u, 1, 0); }

TEST(warp_calls_that_cannot_complete_are_refused) {
    Buffer<int> out(32);
    std::string error;
    counted([&] { lonely_shuffle<<<1, 32>>>(out.device); }, &error);
    CHECK(says(error, "__shfl_sync at sim/device.cu:"));
    CHECK(says(error, "waits for lanes 16-31"));
    counted([&] { unnamed_lane<<<1, 32>>>(out.device); }, &error);
    CHECK(says(error, "lane 1 is not in the mask"));
}

static __global__ void many_shuffles(int *out, int before, int shuffles) {
    int value = 0;
    for (int k = 0; k < before; k++) out[threadIdx.x] = k;
    for (int k = 0; k < shuffles; k++) value = __shfl_sync(~0u, value + 1, 0);
    out[threadIdx.x] = value;
}

/* A warp goes on for 65,536 steps before another has its turn. Wherever in a shuffle that falls, the shuffle is completed. */
TEST(warp_calls_at_the_end_of_a_turn) {
    Buffer<int> out(32);
    std::string error;
    for (int before = 0; before < 8; before++) {
        counted([&] { many_shuffles<<<1, 32>>>(out.device, before, 40000); }, &error);
        CHECK(error.empty());
        for (int got : out.host()) CHECK(got == 40000);
    }
}

static __global__ void block_votes(int *out) {
    int t = threadIdx.x;
    int count = __syncthreads_count(t % 2), any = __syncthreads_or(t == 77), all = __syncthreads_and(t >= 0);
    out[t] = count * 100 + any * 10 + all;
}

TEST(block_wide_votes) {
    Buffer<int> out(96);
    block_votes<<<1, 96>>>(out.device);
    for (int got : out.host()) CHECK(got == 4811);
}

// ---------------------------------------------------------------- memory and counters

/* Reads of stride `stride` elements starting `offset` in: the textbook of coalescing. */
template <typename T> static __global__ void strided(const T *in, T *out, int stride, int offset) {
    out[threadIdx.x] = in[(int)threadIdx.x * stride + offset];
}

template <typename T> static wl_sim_counters stride_counters(int stride, int offset) {
    Buffer<T> in(32 * 64 + 64), out(32);
    return counted([&] { strided<T><<<1, 32>>>(in.device, out.device, stride, offset); });
}

TEST(sectors_of_strided_loads) {
    wl_sim_counters c = stride_counters<int>(1, 0);
    CHECK(c.global_load_requests == 1 && c.global_load_sectors == 4);
    CHECK(c.global_store_requests == 1 && c.global_store_sectors == 4);
    CHECK(stride_counters<int>(1, 1).global_load_sectors == 5); // misplaced by one: a fifth sector
    CHECK(stride_counters<int>(2, 0).global_load_sectors == 8);
    CHECK(stride_counters<int>(8, 0).global_load_sectors == 32);
    CHECK(stride_counters<int>(0, 3).global_load_sectors == 1);
    CHECK(stride_counters<char>(1, 0).global_load_sectors == 1);
    CHECK(stride_counters<int4>(1, 0).global_load_requests == 1);
    CHECK(stride_counters<int4>(1, 0).global_load_sectors == 16);
    CHECK(stride_counters<double>(1, 0).global_load_sectors == 8);
}

template <typename T> static __global__ void banks(T *out, int stride, T value) {
    __shared__ T memory[1024];
    memory[threadIdx.x * stride % 1024] = value;
    __syncwarp();
    out[threadIdx.x] = memory[threadIdx.x * stride % 1024];
}

template <typename T> static wl_sim_counters bank_counters(int stride) {
    Buffer<T> out(32);
    return counted([&] { banks<T><<<1, 32>>>(out.device, stride, T()); });
}

TEST(bank_conflicts) {
    for (int stride : {1, 3, 5, 31}) CHECK(bank_counters<int>(stride).shared_passes == 2); // odd: no conflict
    CHECK(bank_counters<int>(1).shared_requests == 2);
    CHECK(bank_counters<int>(2).shared_passes == 4);
    CHECK(bank_counters<int>(4).shared_passes == 8);
    CHECK(bank_counters<int>(32).shared_passes == 64);
    CHECK(bank_counters<int>(0).shared_passes == 2); // one word for all: a broadcast
    CHECK(bank_counters<double>(1).shared_passes == 4);
    CHECK(bank_counters<int4>(1).shared_passes == 8);
    CHECK(bank_counters<int4>(2).shared_passes == 16);
}

static __global__ void divergent(int *out, const int *in, int trips) {
    int sum = 0;
    for (int i = 0; i < trips + (int)threadIdx.x % 4; i++) {
        if (in[i] & 1 && threadIdx.x % 2) atomicAdd(out + 32 + i % 2, 1);
        sum += in[i];
    }
    out[threadIdx.x] = sum;
}

TEST(lanes_that_diverge_meet_again) {
    Buffer<int> in(16, 1), out(64);
    wl_sim_counters c = counted([&] { divergent<<<1, 32>>>(out.device, in.device, 6); });
    // Lanes make 6 to 9 trips: 9 trips of the warp, two loads each; the odd lanes' trips are 7 or 9, so 9 atomics.
    CHECK(c.global_load_requests == 18 && c.global_load_sectors == 18);
    CHECK(c.atomic_requests == 9 && c.atomic_operations == 8 * 7 + 8 * 9 && c.atomic_addresses == 9);
    CHECK(c.global_store_requests == 1);
    std::vector<int> got = out.host();
    for (int t = 0; t < 32; t++) CHECK(got[t] == 6 + t % 4);
    CHECK(got[32] + got[33] == 128);
}

__constant__ int table[4] = {1, 2, 3, 4};
__device__ int total;

static __global__ void constants(int *out) {
    int t = threadIdx.x + blockDim.x * blockIdx.x;
    out[t] = table[t % 4] + __ldg(out + t);
    atomicAdd(&total, 1);
}

TEST(constant_and_device_variables) {
    Buffer<int> out(64, 10);
    int fresh[4] = {5, 6, 7, 8}, sum = 0;
    cudaMemcpyToSymbol(table, fresh, sizeof fresh);
    cudaMemcpyToSymbol(total, &sum, sizeof sum);
    wl_sim_counters c = counted([&] { constants<<<2, 32>>>(out.device); });
    cudaMemcpyFromSymbol(&sum, total, sizeof sum);
    CHECK(sum == 64);
    CHECK(c.constant_requests == 2 && c.atomic_requests == 2 && c.atomic_operations == 64);
}

static __global__ void changes_a_constant(int *out) { table[threadIdx.x] = out[0]; }

static __global__ void adds_to_a_constant() { atomicAdd(table + threadIdx.x, 1); }

TEST(kernels_do_not_change_constants) {
    Buffer<int> out(4, 10);
    std::string error;
    counted([&] { changes_a_constant<<<1, 4>>>(out.device); }, &error);
    CHECK(says(error, "store of 4 bytes at sim/device.cu:") && says(error, "to constant memory"));
    counted([&] { adds_to_a_constant<<<1, 4>>>(); }, &error);
    CHECK(says(error, "atomic update of 4 bytes") && says(error, "to constant memory"));
}

TEST(copies_that_a_device_refuses) {
    Buffer<int> few(3), many(8);
    int host[8] = {};
    CHECK(cudaMemcpyToSymbol(table, many.device, 16, 0, cudaMemcpyDeviceToDevice) == cudaSuccess);
    CHECK(cudaMemcpyToSymbol(table, few.device, 16, 0, cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpyToSymbol(table, many.device, 16) == cudaErrorInvalidValue); // the default: from the host
    CHECK(cudaMemcpyToSymbol(table, host, 4, 16) == cudaErrorInvalidValue);
    CHECK(cudaMemcpyToSymbol(table, host, 4, ~(size_t)3) == cudaErrorInvalidValue); // 4 - 4 bytes, were it to wrap
    CHECK(cudaMemcpyFromSymbol(host, table, 16) == cudaSuccess);
    CHECK(cudaMemcpyFromSymbol(many.device, table, 16) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(many.device, few.device, 12, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(many.device, few.device, 12, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(many.device, few.device, 12, cudaMemcpyDeviceToDevice) == cudaSuccess);
    CHECK(cudaMemcpy(many.device, few.device, 12, cudaMemcpyDefault) == cudaSuccess);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

static __global__ void all_atomics(int *i, unsigned *u, unsigned long long *l, float *f, double *d) {
    int t = threadIdx.x;
    atomicAdd(i, t), atomicSub(i + 1, t), atomicMin(i + 2, -t), atomicMax(i + 3, t), atomicAnd(i + 4, ~(1 << t % 8));
    atomicOr(u, 1u << t % 32), atomicXor(u + 1, 1u << t % 32), atomicInc(u + 2, 9), atomicDec(u + 3, 9);
    atomicAdd(l, 1ull << 33), atomicAdd(f, 0.5f), atomicAdd(d, 0.25);
    for (unsigned old = 0, seen; (seen = atomicCAS(u + 4, old, old + 2)) != old; old = seen) continue;
    atomicExch(i + 5, 7);
}

TEST(atomics) {
    Buffer<int> i(6);
    Buffer<unsigned> u(5);
    Buffer<unsigned long long> l(1);
    Buffer<float> f(1);
    Buffer<double> d(1);
    all_atomics<<<3, 64>>>(i.device, u.device, l.device, f.device, d.device);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(i.host() == std::vector<int>({6048, -6048, -63, 63, 0, 7}));
    CHECK(u.host() == std::vector<unsigned>({~0u, 0, 2, 8, 384}));
    CHECK(l.host()[0] == 192ull << 33 && f.host()[0] == 96 && d.host()[0] == 48);
}

// ---------------------------------------------------------------- races

static __global__ void neighbours(int *out, int sync) {
    __shared__ int memory[64];
    memory[threadIdx.x] = (int)threadIdx.x;
    if (sync == 1) __syncwarp();
    if (sync == 2) __syncthreads();
    out[threadIdx.x] = memory[(threadIdx.x + 1) % blockDim.x];
}

TEST(races_on_shared_memory) {
    Buffer<int> out(64);
    std::string error;
    counted([&] { neighbours<<<1, 32>>>(out.device, 0); }, &error); // even within a warp
    CHECK(says(error, "race on shared memory: loads memory[1]"));
    CHECK(says(error, "thread (1,0,0) stored (sim/device.cu:") || says(error, "thread (0,0,0) stored"));
    counted([&] { neighbours<<<1, 32>>>(out.device, 1); }, &error);
    CHECK(error == "");
    counted([&] { neighbours<<<1, 64>>>(out.device, 1); }, &error); // two warps need a block-wide barrier
    CHECK(says(error, "race on shared memory"));
    counted([&] { neighbours<<<1, 64>>>(out.device, 2); }, &error);
    CHECK(error == "");
}

static __global__ void flags(int *out, int differ) { out[0] = differ ? (int)threadIdx.x : 1; }
static __global__ void across_blocks(int *out) {
    out[blockIdx.x] = 1;
    out[2 + blockIdx.x] = out[(blockIdx.x + 1) % 2];
}

TEST(races_on_global_memory) {
    Buffer<int> out(8);
    std::string error;
    counted([&] { flags<<<4, 64>>>(out.device, 0); }, &error); // everybody stores the same: harmless
    CHECK(error == "");
    counted([&] { flags<<<1, 64>>>(out.device, 1); }, &error);
    CHECK(says(error, "race on global memory: stores element 0 of 8, allocated as device in "));
    CHECK(says(error, "the values differ"));
    counted([&] { across_blocks<<<2, 1>>>(out.device); }, &error);
    CHECK(says(error, "race on global memory"));
}

/* The last block to finish adds up what all have stored: ordered by a fence and an atomic ticket. */
static __global__ void last_block_sums(int *parts, unsigned *ticket, int *sum) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = (int)blockIdx.x;
        __threadfence();
        last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int all = 0;
        for (unsigned b = 0; b < gridDim.x; b++) all += parts[b];
        *sum = all;
    }
}

TEST(fence_and_ticket_order_blocks) {
    Buffer<int> parts(100), sum(1);
    Buffer<unsigned> ticket(1);
    std::string error;
    counted([&] { last_block_sums<<<100, 64>>>(parts.device, ticket.device, sum.device); }, &error);
    CHECK(error == "");
    CHECK(sum.host()[0] == 4950);
}

// ---------------------------------------------------------------- refusals

static __global__ void spin(volatile int *flag) {
    while (*flag == 0) continue;
}
static __global__ void past_shared(int *out, int n) {
    __shared__ int memory[32];
    memory[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = memory[threadIdx.x + n];
}
static __global__ void through_null(int *out) { out[threadIdx.x] = 1; }

TEST(what_a_gpu_would_corrupt_silently) {
    Buffer<int> out(32);
    std::string error;
    counted([&] { through_null<<<1, 1>>>(nullptr); }, &error);
    CHECK(says(error, "through a null pointer"));
    int *freed = nullptr;
    cudaMalloc(&freed, 4096);
    cudaFree(freed);
    counted([&] { through_null<<<1, 1>>>(freed); }, &error);
    CHECK(says(error, "out of bounds"));
    counted([&] { past_shared<<<1, 32>>>(out.device, 100000); }, &error);
    CHECK(says(error, "out of bounds"));
    counted([&] { through_null<<<1, 32>>>(out.device); }, &error); // the device is usable again
    CHECK(error == "");
    CHECK(cudaMemcpy(out.device, &error, 4 * 33, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    float milliseconds;
    CHECK(cudaEventElapsedTime(&milliseconds, nullptr, nullptr) == cudaErrorInvalidResourceHandle);
}

TEST(endless_loops_end) {
    Buffer<int> flag(1);
    std::string error;
    counted([&] { spin<<<1, 1>>>(flag.device); }, &error);
    CHECK(says(error, "endless loop"));
}

static __global__ void sums_of_blocks(int *out, const int *in) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[threadIdx.x % (1 + blockIdx.x % 16)]);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

TEST(counters_do_not_depend_on_the_number_of_workers) {
    wl_sim_counters counters[2];
    for (int many = 0; many < 2; many++) {
        Buffer<int> in(16, 1), out(64, 0);
        wl_sim_set_workers(many ? 4 : 1);
        counters[many] = counted([&] { sums_of_blocks<<<64, 64>>>(out.device, in.device); });
        for (int sum : out.host()) CHECK(sum == 64);
    }
    wl_sim_set_workers(0);
    CHECK(counters[0].barriers == 128 && memcmp(&counters[0], &counters[1], sizeof *counters) == 0);
}

TEST(the_trace_is_what_a_block_touched) {
    const unsigned second[3] = {1, 0, 0};
    wl_sim_trace trace;
    Buffer<unsigned> out(64);
    wl_sim_trace_begin(second, 1000);
    numbers<<<2, 32>>>(out.device);
    wl_sim_trace_end(&trace);
    unsigned stores = 0;
    for (size_t i = 0; i < trace.count; i++) {
        const wl_sim_trace_event &e = trace.events[i];
        CHECK(e.block == 1 && e.warp == 0 && e.launch == 0 && e.lanes == ~0u && e.alive == ~0u);
        if (e.kind == '.') continue;
        CHECK(e.kind == 's' && e.size == 4 && e.sectors == 4 && e.passes == 0);
        CHECK(trace.memories[e.memory].space == 'g' && trace.memories[e.memory].bytes == 256);
        for (int l = 0; l < 32; l++) CHECK(e.offset[l] == 128 + 4 * l);
        stores++;
    }
    CHECK(stores == 1 && trace.left_out == 0 && trace.memory_count == 1 && trace.launch_count == 1);
    wl_sim_trace_free(&trace);
}

TEST(a_trace_keeps_whole_blocks) {
    Buffer<unsigned> out(64 * 32);
    wl_sim_trace all, some;
    wl_sim_trace_begin(NULL, SIZE_MAX);
    numbers<<<64, 32>>>(out.device);
    wl_sim_trace_end(&all);
    const size_t each = all.count / 64;
    CHECK(each >= 1 && all.count == 64 * each && all.left_out == 0);
    for (size_t i = 0; i < all.count; i++) CHECK(all.events[i].block == i / each);
    for (size_t most : {3 * each, 4 * each - 1}) {
        wl_sim_trace_begin(NULL, most);
        numbers<<<64, 32>>>(out.device);
        wl_sim_trace_end(&some);
        CHECK(some.count == 3 * each && some.left_out == all.count - some.count);
        wl_sim_trace_free(&some);
    }
    wl_sim_trace_free(&all);
}

// ---------------------------------------------------------------- harness/device/cuda_check.h, memory.h

TEST(what_is_taken_is_poisoned) {
    unsigned *memory = NULL;
    CHECK(wl_cuda_output(&memory, 24 * 30 * sizeof *memory) == WL_OK);
    numbers<<<dim3(2, 3, 4), dim3(5, 3, 2)>>>(memory);
    std::vector<unsigned> first(24 * 30), second(24 * 30);
    CHECK(wl_cuda_take(first.data(), memory, first.size() * sizeof first[0], 0) == WL_OK); // to use it: it stays
    CHECK(wl_cuda_take(first.data(), memory, first.size() * sizeof first[0], 1) == WL_OK);
    CHECK(wl_cuda_take(second.data(), memory, second.size() * sizeof second[0], 0) == WL_OK);
    for (unsigned i = 0; i < first.size(); i++) CHECK(first[i] == i / 30 * 1000 + i % 30 && second[i] == 0xA5A5A5A5);
    CHECK(cudaFree(memory) == cudaSuccess);
}

// What one variant has no memory for is not what the next one's launch is blamed for.
TEST(a_failure_is_told_once) {
    void *memory;
    CHECK(wl_cuda_check(cudaMalloc(&memory, (size_t)1 << 60), "cudaMalloc", "here.cu", 7) == WL_NO_MACHINE);
    CHECK(std::string(wl_error()).find("here.cu:7: cudaMalloc: ") == 0);
    CHECK(cudaGetLastError() == cudaSuccess);
}

// ---------------------------------------------------------------- assert

#undef NDEBUG
#include <assert.h>

static __global__ void asserting(int *out) {
    assert(threadIdx.x != 5);
    out[threadIdx.x] = 1;
}

TEST(an_assertion_fails_the_launch) {
    Buffer<int> out(32);
    std::string error;
    counted([&] { asserting<<<1, 4>>>(out.device); }, &error);
    CHECK(error.empty());
    counted([&] { asserting<<<1, 32>>>(out.device); }, &error);
    CHECK(says(error, "thread (5,0,0): assertion 'threadIdx.x != 5' failed at sim/device.cu:") ||
          says(error, "wl_sim_thread_index().x != 5' failed at sim/device.cu:"));
}
