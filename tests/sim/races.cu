/* What the simulated device must report, what it must let pass, and how errors reach the host. */
#include <thread>

#include "tests/sim/help.h"

/* The error of one launch of kernel(arguments...), "" when none. */
#define ERROR_OF(...)                          \
    [&] {                                      \
        std::string text_;                     \
        counted([&] { __VA_ARGS__; }, &text_); \
        return text_;                          \
    }()

// ---------------------------------------------------------------- shared memory

static __global__ void bytes_side_by_side(unsigned char *out) {
    __shared__ unsigned char bytes[64];
    bytes[threadIdx.x] = (unsigned char)threadIdx.x;
    bytes[threadIdx.x]++;
    out[threadIdx.x] = bytes[threadIdx.x];
}

static __global__ void word_over_bytes(int *out) {
    __shared__ __align__(4) unsigned char bytes[128];
    bytes[threadIdx.x] = 1;
    out[threadIdx.x % 32] = threadIdx.x < 32 ? *(int *)(bytes + 4 * threadIdx.x) : 0;
}

static __global__ void lost_update(int *out) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    sum += (int)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = sum;
}

static __global__ void mixed_update(int *out) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    if (threadIdx.x < 32)
        atomicAdd(&sum, 1);
    else
        out[threadIdx.x] = sum; // a plain load beside atomics
}

static __global__ void through_shuffle(int *out, int how) {
    __shared__ int memory[32];
    int t = threadIdx.x;
    memory[t] = t;
    if (how == 1) t = __shfl_sync(~0u, t, t);
    if (how == 2) t += __any_sync(~0u, t < 0);
    if (how == 3) __syncwarp();
    out[t] = memory[31 - t];
}

static __global__ void ping_pong(int *out, int rounds, int barriers) {
    __shared__ int buffer[2][64];
    int t = threadIdx.x;
    buffer[0][t] = t;
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        buffer[1 - r % 2][t] = buffer[r % 2][63 - t] + 1;
        if (barriers || r % 2) __syncthreads();
    }
    out[t] = buffer[rounds % 2][t];
}

TEST(what_races_in_shared_memory_and_what_does_not) {
    Buffer<unsigned char> bytes(64);
    Buffer<int> out(64);
    CHECK(ERROR_OF(bytes_side_by_side<<<3, 64>>>(bytes.device)) == "");
    CHECK(says(ERROR_OF(word_over_bytes<<<1, 128>>>(out.device)), "race on shared memory: loads bytes[1]"));
    CHECK(says(ERROR_OF(lost_update<<<1, 64>>>(out.device)), "race on shared memory"));
    CHECK(says(ERROR_OF(mixed_update<<<1, 64>>>(out.device)), "updated atomically"));
    CHECK(says(ERROR_OF(through_shuffle<<<1, 32>>>(out.device, 0)), "race on shared memory"));
    CHECK(says(ERROR_OF(through_shuffle<<<1, 32>>>(out.device, 1)), "race on shared memory")); // as CUDA has it
    CHECK(says(ERROR_OF(through_shuffle<<<1, 32>>>(out.device, 2)), "race on shared memory"));
    CHECK(ERROR_OF(through_shuffle<<<1, 32>>>(out.device, 3)) == "");
    CHECK(ERROR_OF(ping_pong<<<4, 64>>>(out.device, 9, 1)) == "");
    CHECK(says(ERROR_OF(ping_pong<<<4, 64>>>(out.device, 9, 0)), "race on shared memory"));
}

/* A table written once is read after every one of many barriers: the detector's clocks wrap on the way. */
static __global__ void many_barriers(int *out, int rounds) {
    __shared__ int table[64];
    table[threadIdx.x] = 1;
    int sum = 0;
    for (int r = 0; r < rounds; r++) {
        __syncthreads();
        sum += table[63 - threadIdx.x] + out[128 + (threadIdx.x + 1) % 64];
    }
    out[threadIdx.x] = sum;
}
static __global__ void many_syncwarps(int *table, int *out, int rounds, int last) {
    __shared__ int shared_table[32];
    int t = threadIdx.x, sum = 0;
    table[64 * blockIdx.x + t] = shared_table[t] = 1;
    for (int r = 0; r < rounds; r++) {
        __syncwarp();
        sum += shared_table[(t + r) % 32] + table[64 * blockIdx.x + (t + r) % 32];
    }
    if (last && t == 0) table[64 * blockIdx.x + 32] = 1;
    if (last && t == 1) sum += table[64 * blockIdx.x + 32]; // a race after all
    out[t] = sum;
}
static __global__ void written_before_the_wrap(int *table, int *out, int rounds) {
    table[threadIdx.x] = (int)threadIdx.x;
    for (int r = 0; r < rounds; r++) __syncthreads();
    out[threadIdx.x] = table[63 - threadIdx.x];
}

TEST(more_barriers_than_a_tag_has_bits_for) {
    Buffer<int> out(256), table(256);
    CHECK(ERROR_OF(many_barriers<<<1, 64>>>(out.device, 16384 + 10)) == "");
    CHECK(out.host()[5] == 16394);
    for (int rounds : {16383, 16384, 16385, 2 * 16384})
        CHECK(ERROR_OF(written_before_the_wrap<<<1, 64>>>(table.device, out.device, rounds)) == "");
    for (int rounds : {511, 512, 513, 1100}) {
        Buffer<int> many(64 * 3);
        CHECK(ERROR_OF(many_syncwarps<<<3, 32>>>(many.device, out.device, rounds, 0)) == "");
        CHECK(says(ERROR_OF(many_syncwarps<<<3, 32>>>(many.device, out.device, rounds, 1)), "race on"));
    }
}

// ---------------------------------------------------------------- consecutive blocks and launches

static __global__ void first_sees_poison(int *out) {
    __shared__ int memory[32];
    extern __shared__ int dynamic[];
    // An exchange may find what nobody has written; a load may not.
    out[32 * blockIdx.x + threadIdx.x] = atomicExch(&memory[threadIdx.x], 7) == (int)0xA5A5A5A5 &&
                                         atomicExch(&dynamic[threadIdx.x], 7) == (int)0xA5A5A5A5;
}

static __device__ __noinline__ int in_a_function(int t) {
    __shared__ int memory[32]; // the function's, not the kernel's
    int old = atomicExch(&memory[t], 7);
    __syncthreads();
    return old == (int)0xA5A5A5A5 && memory[31 - t] == 7;
}
static __global__ void shared_of_a_function(int *out) {
    out[32 * blockIdx.x + threadIdx.x] = in_a_function(threadIdx.x);
}

static __global__ void fill(int *out, int n) {
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += (int)(gridDim.x * blockDim.x)) out[i] = i;
}
static __global__ void reverse(const int *in, int *out, int n) {
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += (int)(gridDim.x * blockDim.x))
        out[i] = in[n - 1 - i];
}

TEST(blocks_and_launches_in_turn) {
    Buffer<int> out(32 * 20);
    CHECK(ERROR_OF(first_sees_poison<<<20, 32, 128>>>(out.device)) == "");
    for (int v : out.host()) CHECK(v == 1);
    CHECK(ERROR_OF(shared_of_a_function<<<20, 32>>>(out.device)) == "");
    for (int v : out.host()) CHECK(v == 1);
    Buffer<int> a(1000), b(1000);
    std::string error = ERROR_OF({
        fill<<<5, 32>>>(a.device, 1000);
        reverse<<<3, 64>>>(a.device, b.device, 1000);
        fill<<<5, 32>>>(a.device, 1000);
        cudaMemset(a.device, 0, 4000);
        reverse<<<3, 64>>>(b.device, a.device, 1000);
    });
    CHECK(error == "" && a.host()[17] == 17 && b.host()[0] == 999);
    for (int i = 0; i < 20; i++) { // memory comes back where other memory was
        Buffer<int> again(100 + 50 * (size_t)(i % 3));
        CHECK(ERROR_OF(fill<<<2, 32>>>(again.device, 100)) == "");
    }
}

static __global__ void fails_at_once(const int *nothing, int *out) { *out = *nothing; }

/* Numbers of blocks run out after 2^28; the tags that have them are forgotten. */
TEST(more_blocks_than_a_tag_has_bits_for) {
    Buffer<int> out(64);
    CHECK(ERROR_OF(ping_pong<<<4, 64>>>(out.device, 9, 1)) == "");
    for (int i = 0; i < 4; i++) {
        CHECK(says(ERROR_OF(fails_at_once<<<dim3(1 << 20, 100), 1>>>(nullptr, out.device)), "null pointer"));
        for (int j = 0; j < 3; j++) CHECK(ERROR_OF(ping_pong<<<4, 64>>>(out.device, 9, 1)) == "");
    }
}

// ---------------------------------------------------------------- global memory

__device__ int variable[64];
static __global__ void on_a_variable(int *out, int barrier) {
    variable[threadIdx.x] = (int)threadIdx.x;
    if (barrier) __syncthreads();
    out[threadIdx.x] = variable[63 - threadIdx.x];
}

static __global__ void any_space(int *global, int *out) { // half of the lanes point to shared memory
    __shared__ int memory[32];
    memory[threadIdx.x] = (int)threadIdx.x;
    __syncwarp();
    int *p = threadIdx.x % 2 ? memory : global;
    out[threadIdx.x] = p[threadIdx.x];
}

/* All blocks read the flags; the last one, known by its ticket, clears them for the next launch. */
static __global__ void last_clears(int *flags, unsigned *ticket, int *out) {
    __shared__ bool last;
    out[blockIdx.x * 32 + threadIdx.x] = flags[threadIdx.x];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (last) flags[threadIdx.x] = 0;
}

enum { SENDER = 1, RECEIVER = 2 };                         // who calls a fence
static __global__ void handed_over(int *out, int fences) { // from warp to warp, with a flag instead of a barrier
    __shared__ int value;
    __shared__ unsigned flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 32) {
        value = 5;
        if (fences & SENDER) __threadfence_block();
        atomicExch(&flag, 1u);
    } else if (threadIdx.x == 0) {
        while (atomicAdd(&flag, 0u) == 0) continue;
        if (fences & RECEIVER) __threadfence_block();
        *out = value;
    }
}

static __global__ void wide(const char *in, int at, double *d, int4 *q, int doubles) {
    if (doubles)
        *d = *(const double *)(in + at);
    else
        *q = *(const int4 *)(in + at);
}

struct Odd {
    char tag, bytes[6];
};
struct Inner {
    int x, y;
};
struct Outer {
    int tag;
    Inner inner;
};
static __global__ void structures(const Outer *in, Inner *out, Odd *odd) {
    out[threadIdx.x] = in[threadIdx.x].inner; // eight bytes at a multiple of four
    odd[threadIdx.x + 1] = odd[0];
}

TEST(global_memory) {
    Buffer<int> out(64), flags(32);
    CHECK(ERROR_OF(on_a_variable<<<1, 64>>>(out.device, 1)) == "");
    CHECK(says(ERROR_OF(on_a_variable<<<1, 64>>>(out.device, 0)), "race on global memory"));
    wl_sim_counters c = counted([&] { any_space<<<1, 32>>>(flags.device, out.device); });
    CHECK(c.global_load_requests == 1 && c.shared_requests == 2);
    CHECK(out.host()[3] == 3 && out.host()[4] == 0);
    Buffer<unsigned> ticket(1);
    Buffer<int> seen(32 * 30);
    CHECK(ERROR_OF(last_clears<<<30, 32>>>(flags.device, ticket.device, seen.device)) == "");
    CHECK(ERROR_OF(handed_over<<<1, 64>>>(out.device, SENDER | RECEIVER)) == "" && out.host()[0] == 5);
    for (int one : {0, (int)SENDER, (int)RECEIVER})
        CHECK(says(ERROR_OF(handed_over<<<1, 64>>>(out.device, one)), "race on shared memory"));
    CHECK(says(ERROR_OF(handed_over<<<1, 64>>>(out.device, SENDER)), "no __threadfence() follows the look at it"));

    Buffer<char> bytes(60);
    Buffer<double> d(1);
    Buffer<int4> q(1);
    CHECK(ERROR_OF(wide<<<1, 1>>>(bytes.device, 48, d.device, q.device, 1)) == "");
    CHECK(says(ERROR_OF(wide<<<1, 1>>>(bytes.device, 56, d.device, q.device, 1)),
               "4 bytes past the end of an allocation of 60 bytes"));
    CHECK(says(ERROR_OF(wide<<<1, 1>>>(bytes.device, 48, d.device, q.device, 0)),
               "4 bytes past the end of an allocation of 60 bytes"));
    CHECK(says(ERROR_OF(wide<<<1, 1>>>(bytes.device, -8, d.device, q.device, 1)), "out of bounds"));
    CHECK(says(ERROR_OF(wide<<<1, 1>>>(bytes.device, 4, d.device, q.device, 1)), "misaligned load of 8 bytes"));
    CHECK(says(ERROR_OF(wide<<<1, 1>>>(bytes.device, 8, d.device, q.device, 0)), "misaligned load of 16 bytes"));
    Buffer<Outer> outer(8);
    Buffer<Inner> inner(8);
    Buffer<Odd> odd(9);
    CHECK(ERROR_OF(structures<<<1, 8>>>(outer.device, inner.device, odd.device)) == "");
}

// ---------------------------------------------------------------- errors and the host

static __device__ __noinline__ int too_deep(int depth, volatile int *out) {
    if (depth == 0) return *out;
    return too_deep(depth - 1, out) + 1;
}
static __global__ void recursive(int *out, int depth) { *out = too_deep(depth, out); }

TEST(stacks_that_overflow) {
    Buffer<int> out(1);
    CHECK(ERROR_OF(recursive<<<1, 1>>>(out.device, 1000)) == "");
    CHECK(says(ERROR_OF(recursive<<<2, 64>>>(out.device, 1 << 20)), "stack overflow"));
    CHECK(ERROR_OF(fill<<<1, 1>>>(out.device, 1)) == "");
}

TEST(allocations) {
    int *p = &variable[0], *q = nullptr;
    CHECK(cudaMalloc(&p, 0) == cudaSuccess && p == nullptr);
    CHECK(cudaMalloc(&p, (size_t)1 << 50) == cudaErrorMemoryAllocation && p == nullptr);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation && cudaGetLastError() == cudaSuccess);
    CHECK(cudaMalloc(&p, SIZE_MAX) == cudaErrorMemoryAllocation);
    CHECK(cudaMalloc(&p, SIZE_MAX - 300) == cudaErrorMemoryAllocation);
    CHECK(cudaMalloc(&p, 100) == cudaSuccess && cudaMalloc(&q, 100) == cudaSuccess);
    CHECK((uintptr_t)p % 256 == 0 && (uintptr_t)q % 256 == 0 && p != q);
    CHECK(cudaFree(p + 1) == cudaErrorInvalidValue);
    CHECK(cudaFree(p) == cudaSuccess && cudaFree(p) == cudaErrorInvalidValue);
    CHECK(cudaFree(q) == cudaSuccess && cudaFree(nullptr) == cudaSuccess);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

TEST(errors_stay_until_they_are_read) {
    Buffer<int> out(64, 1);
    fill<<<1, 2000>>>(out.device, 64); // refused, but no harm done
    fill<<<1, 32>>>(out.device, 64);
    CHECK(out.host()[63] == 63 && cudaDeviceSynchronize() == cudaSuccess);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess);
    fails_at_once<<<1, 1>>>(nullptr, out.device); // a kernel that fails takes the device with it
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    CHECK(cudaMemset(out.device, 0, 4) == cudaErrorLaunchFailure);
    fill<<<1, 2000>>>(out.device, 64);
    CHECK(cudaGetLastError() == cudaErrorLaunchFailure && cudaGetLastError() == cudaSuccess);
    fill<<<1, 32>>>(out.device, 64);
    CHECK(cudaGetLastError() == cudaSuccess);
}

/* Without those of files: the system takes and brings back pages of the program as it likes. */
static long resident_pages(void) {
    FILE *file = fopen("/proc/self/statm", "r");
    long size = 0, resident = 0, of_files = 0;
    if (file == nullptr || fscanf(file, "%ld %ld %ld", &size, &resident, &of_files) != 3) resident = of_files = 0;
    if (file) fclose(file);
    return resident - of_files;
}

static __global__ void loads_bytes(const unsigned char *letters, unsigned n, int *out) {
    int sum = 0;
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) sum += letters[i];
    out[threadIdx.x] = sum;
}

TEST(tags_of_loaded_bytes_take_five_times_their_memory_at_most) {
    constexpr unsigned BYTES = 2 << 20, PAGE = 4096;
    Buffer<unsigned char> letters(BYTES);
    Buffer<int> out(256);
    CHECK(cudaMemset(letters.device, 1, BYTES) == cudaSuccess);
    CHECK(ERROR_OF(loads_bytes<<<1, 256>>>(letters.device, PAGE, out.device)) ==
          ""); // the stacks are there from now on
    const long before = resident_pages();
    CHECK(ERROR_OF(loads_bytes<<<1, 256>>>(letters.device, BYTES, out.device)) == "");
    CHECK(resident_pages() - before < 5l * BYTES / PAGE);
}

static __global__ void fails_in_many_blocks(int *out, int n) {
    __shared__ int memory[32];
    memory[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    if (blockIdx.x % 7 == 5) out[n + (int)threadIdx.x] = memory[31 - threadIdx.x];
}

static __global__ void bytes_beside_words(int *out, int offender) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x % 2 == 0)
        out[i] = (int)i;
    else
        for (unsigned b = 0; b < 4; b++) ((char *)out)[4 * i + b] = (char)b;
    if ((int)blockIdx.x == offender) ((char *)out)[4 * (i - blockDim.x) + 1] = 99; // a word of the block before
}

/* Tags are kept by word until a page is touched by byte; here one worker does that while another stores words beside. */
TEST(bytes_beside_words_of_two_workers) {
    wl_sim_set_workers(2);
    for (int i = 0; i < 40; i++) {
        Buffer<int> right(64 * 32), wrong(64 * 32);
        CHECK(ERROR_OF(bytes_beside_words<<<64, 32>>>(right.device, -1)) == "");
        CHECK(says(ERROR_OF(bytes_beside_words<<<64, 32>>>(wrong.device, 2 * (i % 31) + 1)), "race on global memory"));
    }
    wl_sim_set_workers(0);
}

TEST(ten_thousand_launches_that_fail) {
    Buffer<int> out(64);
    std::string first;
    long before = 0,
         late = 0; // memory does not grow with launches; workers that begin late, and other numbers of them, take some
    for (int i = 0; i < 10000; i++) {
        wl_sim_set_workers(i < 500 ? 4 : 1 + i / 2500);
        std::string error = ERROR_OF(fails_in_many_blocks<<<40, 32>>>(out.device, 64 - 3));
        if (i == 0) first = error;
        if (i == 500) before = resident_pages();
        if (i == 7600) late = resident_pages();
        if (error != first) {
            CHECK(says(error, first.c_str()));
            break;
        }
    }
    wl_sim_set_workers(0);
    CHECK(says(first, "fails_in_many_blocks: block (5,0,0) thread (3,0,0): out of bounds: store of 4 bytes at"));
    CHECK(resident_pages() - late < 64);
    CHECK(resident_pages() - before < 512);
}

TEST(host_threads_side_by_side) {
    int good[4] = {};
    std::vector<std::thread> threads;
    for (int h = 0; h < 4; h++)
        threads.emplace_back([h, &good] {
            for (int i = 0; i < 50; i++) {
                Buffer<int> a(500), b(500);
                fill<<<3, 64>>>(a.device, 500);
                if (h == 3) fails_at_once<<<1, 1>>>(nullptr, a.device);
                reverse<<<2, 32>>>(a.device, b.device, 500);
                bool failed = cudaGetLastError() != cudaSuccess;
                good[h] += failed ? h == 3 : b.host()[100] == 399;
            }
        });
    for (std::thread &t : threads) t.join();
    for (int g : good) CHECK(g == 50);
}

static __global__ void stores_the_same(int *out, int n) {
    for (int i = 0; i < n; i++) out[i] = i + 1;
}

/* A block stores what another one is just about to store: that its tag is there already does not mean that its value is. */
TEST(blocks_that_store_the_same_at_the_same_time) {
    enum { N = 5000 };
    wl_sim_set_workers(4);
    for (int i = 0; i < 60; i++) {
        Buffer<int> out(N);
        const std::string error = ERROR_OF(stores_the_same<<<4, 1>>>(out.device, N));
        CHECK(error == "" || says(error, "no error"));
    }
    wl_sim_set_workers(0);
}

TEST(compiler_atomics_link) {
    static const std::vector<int> made_once(3, 4); // its guard is an atomic
    static int counter;
    CHECK(made_once[2] == 4 && __atomic_fetch_add(&counter, 2, __ATOMIC_SEQ_CST) == 0 && counter == 2);
}
