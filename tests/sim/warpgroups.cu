/* Barriers in shared memory, bulk copies and products of warpgroups: what is there when, what is right, what is said when it is not. */
#include <numeric>

#include "harness/device/copy_bulk.h"
#include "harness/device/warpgroup.h"
#include "tests/sim/help.h"

enum {
    THREADS = WL_WARPGROUP,
    ROW = 128,                         // bytes
    A_BYTES = WL_WARPGROUP_ROWS * ROW, // then B
    BYTES = A_BYTES + WL_WARPGROUP_COLUMNS * ROW,
};

static std::vector<unsigned char> random_bytes(size_t count) {
    std::vector<unsigned char> all(count);
    unsigned x = 1;
    for (unsigned char &byte : all) x = x * 1664525u + 1013904223u, byte = (unsigned char)(x >> 24);
    return all;
}
static Buffer<unsigned char> on_device(const std::vector<unsigned char> &bytes) {
    Buffer<unsigned char> all(bytes.size());
    cudaMemcpy(all.device, bytes.data(), bytes.size(), cudaMemcpyHostToDevice);
    return all;
}

// ---------------------------------------------------------------- products

/* What may be left out, or done wrong. */
enum { RIGHT, NO_WAIT_FOR_COPY, NO_WAIT_FOR_PRODUCT, COPIED_OVER };

/* A and B of COLUMNS columns copied, steps first to last multiplied; sums as they lie in D. */
template <int COLUMNS>
static __global__ void product(const unsigned char *from, int bytes, int first, int last, int wrong, int *out) {
    __shared__ __align__(1024) unsigned char rows[A_BYTES + COLUMNS * ROW];
    __shared__ wl_mbarrier full;
    if (threadIdx.x == 0) {
        wl_mbarrier_init(&full, 1);
        wl_mbarrier_publish();
        wl_mbarrier_expect(&full, sizeof rows);
        wl_copy_bulk(rows, from, A_BYTES, &full);
        wl_copy_bulk(rows + A_BYTES, from + A_BYTES, COLUMNS * ROW, &full);
    }
    __syncthreads();
    if (wrong != NO_WAIT_FOR_COPY) wl_mbarrier_wait(&full, 0);
    int sum[COLUMNS / 2] = {0};
    wl_warpgroup_begin();
    for (int step = first; step <= last; step++) {
        if (bytes)
            wl_warpgroup_bytes(sum, rows, rows + A_BYTES, step);
        else
            wl_warpgroup_bits(sum, rows, rows + A_BYTES, step);
    }
    wl_warpgroup_commit();
    if (wrong == COPIED_OVER && threadIdx.x == 0) {
        wl_mbarrier_expect(&full, A_BYTES);
        wl_copy_bulk(rows, from, A_BYTES, &full);
    }
    __syncthreads();
    if (wrong != NO_WAIT_FOR_PRODUCT) wl_warpgroup_finish(sum);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int k = 0; k < COLUMNS / 2; k++) {
        const int row = 16 * warp + lane / 4 + 8 * (k / 2 % 2), column = 8 * (k / 4) + 2 * (lane % 4) + k % 2;
        out[row * COLUMNS + column] = sum[k];
    }
    if (wrong == NO_WAIT_FOR_COPY) wl_mbarrier_wait(&full, 0); // too late; but no block may end before its copies
    if (wrong == COPIED_OVER) wl_mbarrier_wait(&full, 1);
}

/* Element k of 32 (bytes) or 256 (bits) of a row's step, where the swizzle has put it. */
static int element(const unsigned char *rows, int row, int step, int bytes, int k) {
    const int byte = bytes ? k : k / 8, piece = 2 * step + byte / 16;
    const unsigned char value = rows[ROW * row + 16 * (piece ^ row % 8) + byte % 16];
    return bytes ? (signed char)value : value >> k % 8 & 1;
}
static std::vector<int> expected(const std::vector<unsigned char> &rows, int columns, int bytes, int first, int last) {
    const int count = bytes ? 32 : 256, lines = WL_WARPGROUP_ROWS + columns;
    std::vector<int> all(WL_WARPGROUP_ROWS * columns, 0), in_order(lines * 256);
    for (int step = first; step <= last; step++) {
        for (int row = 0; row < lines; row++)
            for (int k = 0; k < count; k++) in_order[row * 256 + k] = element(rows.data(), row, step, bytes, k);
        for (int s = 0; s < (int)all.size(); s++) {
            const int *a = &in_order[s / columns * 256], *b = &in_order[(A_BYTES / ROW + s % columns) * 256];
            all[s] += std::inner_product(a, a + count, b, 0);
        }
    }
    return all;
}

template <int COLUMNS> static void check_products() {
    const std::vector<unsigned char> rows = random_bytes(A_BYTES + COLUMNS * ROW);
    Buffer<unsigned char> from = on_device(rows);
    Buffer<int> out(WL_WARPGROUP_ROWS * COLUMNS);
    for (int bytes = 0; bytes < 2; bytes++)
        for (int first = 0; first < 4; first++) {
            counted([&] { product<COLUMNS><<<1, THREADS>>>(from.device, bytes, first, 3, RIGHT, out.device); });
            CHECK(out.host() == expected(rows, COLUMNS, bytes, first, 3));
        }
}
TEST(warpgroup_products_are_those_of_a_loop) {
    check_products<WL_WARPGROUP_COLUMNS>();
    check_products<2 * WL_WARPGROUP_COLUMNS>();
}

TEST(warpgroup_products_of_what_is_not_there_are_wrong) {
    const std::vector<unsigned char> rows = random_bytes(BYTES);
    Buffer<unsigned char> from = on_device(rows);
    Buffer<int> out(WL_WARPGROUP_ROWS * WL_WARPGROUP_COLUMNS);
    const std::vector<int> right = expected(rows, WL_WARPGROUP_COLUMNS, 0, 0, 3);
    for (int wrong = NO_WAIT_FOR_COPY; wrong <= COPIED_OVER; wrong++) {
        counted([&] { product<WL_WARPGROUP_COLUMNS><<<1, THREADS>>>(from.device, 0, 0, 3, wrong, out.device); });
        CHECK(out.host() != right);
    }
}

static __global__ void alone(int lanes) {
    __shared__ __align__(1024) unsigned char rows[BYTES];
    int sum[WL_WARPGROUP_SUMS] = {0};
    if ((int)threadIdx.x % 32 < lanes) wl_warpgroup_bits(sum, rows, rows + A_BYTES, 0);
}
static __global__ void some_warps(int warps) {
    __shared__ __align__(1024) unsigned char rows[BYTES];
    int sum[WL_WARPGROUP_SUMS] = {0};
    if ((int)threadIdx.x < 32 * warps) wl_warpgroup_bits(sum, rows, rows + A_BYTES, 0);
}
static __global__ void apart(int offset, int step) {
    __shared__ __align__(1024) unsigned char rows[BYTES];
    int sum[WL_WARPGROUP_SUMS] = {0};
    wl_warpgroup_bits(sum, rows + offset, rows + A_BYTES, threadIdx.x == 5 ? step : 0);
}

TEST(warpgroup_products_that_a_device_refuses) {
    std::string error;
    counted([&] { alone<<<1, THREADS>>>(31); }, &error);
    CHECK(says(error, "waits for lanes 31"));
    counted([&] { some_warps<<<1, THREADS>>>(4); });
    counted([&] { some_warps<<<1, THREADS>>>(3); }, &error);
    CHECK(says(error, "waits for the other warps of four"));
    counted([&] { some_warps<<<1, 96>>>(3); }, &error);
    CHECK(says(error, "waits for the other warps of four"));
    counted([&] { apart<<<1, THREADS>>>(0, 1); }, &error);
    CHECK(says(error, "other matrices in other lanes"));
    counted([&] { apart<<<1, THREADS>>>(128, 0); }, &error);
    CHECK(says(error, "at multiples of 1,024"));
}

// ---------------------------------------------------------------- barriers and copies

/* Warp 0 fills two stages in turn, warp 1 adds them up and empties them. */
static __global__ void pipeline(const unsigned *from, int rounds, unsigned *out) {
    __shared__ __align__(16) unsigned stage[2][32];
    __shared__ wl_mbarrier full[2], empty[2];
    if (threadIdx.x == 0) {
        for (int s = 0; s < 2; s++) wl_mbarrier_init(&full[s], 1), wl_mbarrier_init(&empty[s], 32);
        wl_mbarrier_publish();
    }
    __syncthreads();
    const int lane = threadIdx.x % 32;
    unsigned sum = 0;
    for (int r = 0; r < rounds; r++) {
        const unsigned parity = r / 2 % 2;
        if (threadIdx.x == 0) {
            wl_mbarrier_wait(&empty[r % 2], parity ^ 1);
            wl_mbarrier_expect(&full[r % 2], sizeof stage[0]);
            wl_copy_bulk(stage[r % 2], from + 32 * r, sizeof stage[0], &full[r % 2]);
        } else if (threadIdx.x >= 32) {
            wl_mbarrier_wait(&full[r % 2], parity);
            sum += stage[r % 2][lane];
            wl_mbarrier_arrive(&empty[r % 2]);
        }
    }
    if (threadIdx.x >= 32) out[lane] = sum;
}

TEST(stages_are_filled_and_emptied_in_turn) {
    enum { ROUNDS = 9 };
    std::vector<unsigned> rows(32 * ROUNDS), sums(32, 0);
    for (unsigned k = 0; k < rows.size(); k++) rows[k] = k * k, sums[k % 32] += k * k;
    Buffer<unsigned> from(rows.size()), out(32);
    cudaMemcpy(from.device, rows.data(), 4 * rows.size(), cudaMemcpyHostToDevice);
    const wl_sim_counters c = counted([&] { pipeline<<<1, 64>>>(from.device, ROUNDS, out.device); });
    CHECK(out.host() == sums);
    CHECK(c.global_load_requests == ROUNDS && c.global_load_sectors == 4 * ROUNDS);
}

/* Arrivals before which `wait` is not over; parity 1 of a new barrier is. */
static __global__ void arrivals(int count, int arriving, int parity, unsigned *out) {
    __shared__ wl_mbarrier b;
    if (threadIdx.x == 0) wl_mbarrier_init(&b, count);
    __syncthreads();
    if ((int)threadIdx.x < arriving) wl_mbarrier_arrive(&b);
    wl_mbarrier_wait(&b, parity);
    out[threadIdx.x] = 1;
}
static __global__ void uninitialised() {
    __shared__ wl_mbarrier b;
    wl_mbarrier_arrive(&b);
}
/* Thread 1 is the first of many; after __syncthreads() another one may make the barrier anew. */
static __global__ void one_after_another(unsigned *out) {
    __shared__ wl_mbarrier b;
    if (threadIdx.x == 0) wl_mbarrier_init(&b, 1);
    __syncthreads();
    if (threadIdx.x == 1) wl_mbarrier_init(&b, 2);
    out[threadIdx.x] = 1;
}
static __global__ void by_each_thread(unsigned *out) {
    __shared__ wl_mbarrier b;
    if (threadIdx.x > 0) wl_mbarrier_init(&b, 1);
    __syncthreads();
    out[threadIdx.x] = 1;
}
static __global__ void bytes_missing(const unsigned char *from, unsigned expected, unsigned copied, unsigned offset) {
    __shared__ __align__(16) unsigned char to[64];
    __shared__ wl_mbarrier b;
    wl_mbarrier_init(&b, 1);
    wl_mbarrier_expect(&b, expected);
    wl_copy_bulk(to, from + offset, copied, &b);
    wl_mbarrier_wait(&b, 0);
}

TEST(a_barrier_waits_for_all_and_says_who_does_not_come) {
    Buffer<unsigned> out(64);
    std::string error;
    counted([&] { arrivals<<<1, 64>>>(40, 40, 0, out.device); });
    CHECK(out.host() == std::vector<unsigned>(64, 1));
    counted([&] { arrivals<<<1, 64>>>(40, 0, 1, out.device); });
    counted([&] { arrivals<<<1, 64>>>(40, 39, 0, out.device); }, &error);
    CHECK(says(error, "waits for a phase of parity 0 that does not end"));
    counted([&] { uninitialised<<<1, 1>>>(); }, &error);
    CHECK(says(error, "not been initialised"));
}

TEST(one_thread_makes_a_barrier) {
    Buffer<unsigned> out(64);
    std::string error;
    counted([&] { by_each_thread<<<1, 64>>>(out.device); }, &error);
    CHECK(says(error, "that thread 1 makes, too"));
    counted([&] { one_after_another<<<1, 64>>>(out.device); });
    CHECK(out.host() == std::vector<unsigned>(64, 1));
}

/* Half of a warp's lanes wait for the phase that the other half ends; those wait for the one before, which is over. */
static __global__ void halves(unsigned *out) {
    __shared__ wl_mbarrier b;
    if (threadIdx.x == 0) wl_mbarrier_init(&b, 16);
    __syncthreads();
    const unsigned odd = threadIdx.x % 2;
    wl_mbarrier_wait(&b, odd);
    if (odd) wl_mbarrier_arrive(&b);
    out[threadIdx.x] = 1;
}

TEST(lanes_of_a_warp_wait_for_different_phases) {
    Buffer<unsigned> out(32);
    counted([&] { halves<<<1, 32>>>(out.device); });
    CHECK(out.host() == std::vector<unsigned>(32, 1));
}

/* Each block brings a row of its own to the same place; so many blocks make their barrier. */
static __global__ void row_each(const unsigned *from, unsigned initialised, unsigned *out) {
    extern __shared__ uint4 shared[];
    unsigned *row = (unsigned *)shared;
    wl_mbarrier *full = (wl_mbarrier *)(row + 32);
    if (threadIdx.x == 0) {
        if (blockIdx.x < initialised) wl_mbarrier_init(full, 1);
        wl_mbarrier_expect(full, 128);
        wl_copy_bulk(row, from + 32 * blockIdx.x, 128, full);
    }
    __syncthreads();
    wl_mbarrier_wait(full, 0);
    out[32 * blockIdx.x + threadIdx.x] = row[threadIdx.x];
}

TEST(blocks_have_barriers_of_their_own_in_the_same_place) {
    enum { BLOCKS = 100, SHARED = 128 + sizeof(wl_mbarrier) };
    std::vector<unsigned> rows(32 * BLOCKS);
    for (unsigned k = 0; k < rows.size(); k++) rows[k] = k * k;
    Buffer<unsigned> from(rows.size());
    cudaMemcpy(from.device, rows.data(), 4 * rows.size(), cudaMemcpyHostToDevice);
    for (int workers = 0; workers <= 2; workers++) { // 0: as many as there are processors
        wl_sim_set_workers(workers);
        std::string error;
        Buffer<unsigned> out(rows.size());
        counted([&] { row_each<<<BLOCKS, 32, SHARED>>>(from.device, BLOCKS, out.device); });
        CHECK(out.host() == rows);
        counted([&] { row_each<<<BLOCKS, 32, SHARED>>>(from.device, BLOCKS - 1, out.device); }, &error);
        CHECK(says(error, "block (99,0,0)") && says(error, "not been initialised"));
    }
    wl_sim_set_workers(0);
}

/* The second line of a stage is started without a wait for the first. */
static __global__ void no_wait_between(const unsigned char *from) {
    __shared__ __align__(16) unsigned char to[64];
    __shared__ wl_mbarrier b;
    wl_mbarrier_init(&b, 1);
    for (int line = 0; line < 2; line++) {
        wl_mbarrier_expect(&b, 64);
        wl_copy_bulk(to, from, 64, &b);
    }
    wl_mbarrier_wait(&b, 1);
}
static __global__ void no_wait_at_all(const unsigned char *from) {
    __shared__ __align__(16) unsigned char to[64];
    __shared__ wl_mbarrier b;
    wl_mbarrier_init(&b, 1);
    wl_mbarrier_expect(&b, 64);
    wl_copy_bulk(to, from, 64, &b);
}
/* The barrier is among the bytes that the copy brings. */
static __global__ void over_the_barrier(const unsigned char *from) {
    __shared__ __align__(16) unsigned char to[64];
    wl_mbarrier *b = (wl_mbarrier *)(to + 48);
    wl_mbarrier_init(b, 1);
    wl_mbarrier_expect(b, 64);
    wl_copy_bulk(to, from, 64, b);
    wl_mbarrier_wait(b, 0);
}

TEST(barriers_that_are_not_waited_for_or_not_there_any_more) {
    Buffer<unsigned char> from(64);
    std::string error;
    counted([&] { no_wait_between<<<1, 1>>>(from.device); }, &error);
    CHECK(says(error, "beyond the 1 of the barrier's phase"));
    counted([&] { no_wait_at_all<<<1, 1>>>(from.device); }, &error);
    CHECK(says(error, "the block ends while 64 bytes"));
    counted([&] { over_the_barrier<<<1, 1>>>(from.device); }, &error);
    CHECK(says(error, "stored or copied over"));
}

TEST(bulk_copies_that_a_device_refuses) {
    Buffer<unsigned char> from(96);
    std::string error;
    counted([&] { bytes_missing<<<1, 1>>>(from.device, 64, 64, 0); });
    counted([&] { bytes_missing<<<1, 1>>>(from.device, 64, 32, 0); }, &error);
    CHECK(says(error, "arrivals or bytes are missing"));
    counted([&] { bytes_missing<<<1, 1>>>(from.device, 8, 8, 0); }, &error);
    CHECK(says(error, "multiples of 16"));
    counted([&] { bytes_missing<<<1, 1>>>(from.device, 32, 32, 8); }, &error);
    CHECK(says(error, "multiples of 16"));
    counted([&] { bytes_missing<<<1, 1>>>(from.device, 64, 64, 48); }, &error);
    CHECK(says(error, "out of bounds"));
    counted([&] { bytes_missing<<<1, 1>>>(from.device, 80, 80, 0); }, &error);
    CHECK(says(error, "outside shared memory"));
}
