/* Asynchronous copies and fragment loads: what arrives when, what races, and what is counted. */
#include "harness/device/copy_async.h"
#include "harness/device/mma.h"
#include "tests/sim/help.h"

enum { THREADS = 64, WORDS = 4 * THREADS };

/* Two groups of copies, rows 0 and 1; then thread t reads what its neighbour copied of row `row`. */
template <int WAIT, bool BARRIER> static __global__ void two_groups(const uint4 *from, int row, unsigned *out) {
    __shared__ uint4 rows[2][THREADS];
    for (int k = 0; k < 2; k++) {
        wl_copy_async16(&rows[k][threadIdx.x], &from[k * THREADS + threadIdx.x]);
        wl_copy_commit();
    }
    if (WAIT >= 0) wl_copy_wait<WAIT >= 0 ? WAIT : 0>();
    if (BARRIER) __syncthreads();
    out[threadIdx.x] = rows[row][(threadIdx.x + 32) % THREADS].y;
}

static Buffer<unsigned> numbers(void) {
    Buffer<unsigned> all(2 * WORDS);
    std::vector<unsigned> host(2 * WORDS);
    for (unsigned k = 0; k < 2 * WORDS; k++) host[k] = k;
    cudaMemcpy(all.device, host.data(), sizeof(unsigned) * host.size(), cudaMemcpyHostToDevice);
    return all;
}

/* Are all threads' words those of `row`? poisoned: 0xA5 in every byte. */
static bool arrived(const Buffer<unsigned> &out, unsigned row) {
    std::vector<unsigned> got = out.host();
    for (unsigned t = 0; t < THREADS; t++)
        if (got[t] != row * WORDS + 4 * ((t + 32) % THREADS) + 1) return false;
    return true;
}
static bool poisoned(const Buffer<unsigned> &out) {
    for (unsigned word : out.host())
        if (word != 0xA5A5A5A5u) return false;
    return true;
}

TEST(copies_arrive_when_they_are_waited_for) {
    Buffer<unsigned> from = numbers(), out(THREADS);
    const uint4 *rows = (const uint4 *)from.device;
    wl_sim_counters c = counted([&] { two_groups<0, true><<<1, THREADS>>>(rows, 1, out.device); });
    CHECK(arrived(out, 1));
    // Two copies by two warps, 512 bytes each, then a load of a word in each row of 16 bytes: four to a bank.
    CHECK(c.global_load_requests == 4 && c.global_load_sectors == 64);
    CHECK(c.shared_requests == 4 + 2 && c.shared_passes == 4 * 4 + 2 * 4);
    counted([&] { two_groups<1, true><<<1, THREADS>>>(rows, 0, out.device); });
    CHECK(arrived(out, 0));
    counted([&] { two_groups<1, true><<<1, THREADS>>>(rows, 1, out.device); });
    CHECK(poisoned(out)); // the last group may be on its way
    counted([&] { two_groups<-1, true><<<1, THREADS>>>(rows, 0, out.device); });
    CHECK(poisoned(out)); // a barrier waits for no copy
}

TEST(copies_race_when_started_and_when_they_arrive) {
    Buffer<unsigned> from = numbers(), out(THREADS);
    const uint4 *rows = (const uint4 *)from.device;
    std::string error;
    counted([&] { two_groups<0, false><<<1, THREADS>>>(rows, 0, out.device); }, &error);
    CHECK(says(error, "race on shared memory"));
}

/* Started before the barrier, waited for after it: others read what is arriving. Or, `late`, started while others read. */
static __global__ void around_a_barrier(const uint4 *from, int late, unsigned *out) {
    __shared__ uint4 row[THREADS];
    row[threadIdx.x] = make_uint4(0, 0, 0, 0);
    __syncthreads();
    if (!late) wl_copy_async16(&row[threadIdx.x], &from[threadIdx.x]);
    if (late) out[threadIdx.x] = row[(threadIdx.x + 32) % THREADS].x;
    if (late) wl_copy_async16(&row[threadIdx.x], &from[threadIdx.x]);
    wl_copy_commit();
    __syncthreads();
    wl_copy_wait<0>();
    if (!late) out[threadIdx.x] = row[(threadIdx.x + 32) % THREADS].x;
}

TEST(a_barrier_has_to_lie_between_copies_and_other_threads) {
    Buffer<unsigned> from = numbers(), out(THREADS);
    const uint4 *rows = (const uint4 *)from.device;
    for (int late = 0; late < 2; late++) {
        std::string error;
        counted([&] { around_a_barrier<<<1, THREADS>>>(rows, late, out.device); }, &error);
        CHECK(says(error, "race on shared memory"));
    }
}

static __global__ void to_global(uint4 *to, const uint4 *from) { wl_copy_async16(to, from); }
static __global__ void half_way(const char *from, int to_offset) {
    __shared__ uint4 row[2];
    wl_copy_async16((char *)row + to_offset, from);
}

TEST(copies_that_a_device_refuses) {
    Buffer<unsigned> from = numbers(), to(8);
    std::string error;
    counted([&] { to_global<<<1, 1>>>((uint4 *)to.device, (const uint4 *)from.device); }, &error);
    CHECK(says(error, "outside shared memory"));
    counted([&] { half_way<<<1, 1>>>((const char *)from.device, 8); }, &error);
    CHECK(says(error, "misaligned"));
    counted([&] { half_way<<<1, 1>>>((const char *)from.device + 4, 0); }, &error);
    CHECK(says(error, "misaligned"));
    counted([&] { half_way<<<1, 1>>>((const char *)(from.device + 2 * WORDS), 0); }, &error);
    CHECK(says(error, "out of bounds"));
}

/* Copies that nobody waited for are not the next block's: it has the same queue. */
static __global__ void left_behind(const uint4 *from, unsigned *out) {
    __shared__ uint4 row[THREADS];
    if (blockIdx.x == 0) {
        wl_copy_async16(&row[threadIdx.x], &from[threadIdx.x]);
        wl_copy_commit();
        return;
    }
    row[threadIdx.x] = make_uint4(7, 7, 7, 7);
    wl_copy_wait<0>();
    out[threadIdx.x] = row[threadIdx.x].x;
}

TEST(copies_end_with_their_block) {
    Buffer<unsigned> from = numbers(), out(THREADS);
    wl_sim_set_workers(1);
    counted([&] { left_behind<<<2, THREADS>>>((const uint4 *)from.device, out.device); });
    wl_sim_set_workers(0);
    for (unsigned word : out.host()) CHECK(word == 7);
}

// ---------------------------------------------------------------- fragments

/* Rows of `pieces` times 16 bytes; word w of row r is 100 r + w. swizzled: piece p is kept at p ^ r % 8. */
static __global__ void fragments(int pieces, int swizzled, unsigned *out) {
    __shared__ uint4 rows[32 * 8];
    const int lane = threadIdx.x;
    for (int p = 0; p < pieces; p++) {
        const unsigned first = 100 * lane + 4 * p;
        rows[lane * pieces + (swizzled ? p ^ lane % 8 : p)] = make_uint4(first, first + 1, first + 2, first + 3);
    }
    __syncwarp();
    uint32_t r[4];
    wl_mma_load(r, &rows[lane * pieces + (swizzled ? 1 ^ lane % 8 : 0)]);
    for (int k = 0; k < 4; k++) out[4 * lane + k] = r[k];
}

TEST(fragment_loads_hand_out_words_and_count_passes) {
    Buffer<unsigned> out(4 * 32);
    wl_sim_counters packed = counted([&] { fragments<<<1, 32>>>(1, 0, out.device); });
    std::vector<unsigned> got = out.host();
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned k = 0; k < 4; k++) CHECK(got[4 * lane + k] == 100 * (8 * k + lane / 4) + lane % 4);
    CHECK(packed.shared_requests == 2 && packed.shared_passes == 4 + 4);
    // Rows of 128 bytes: all pieces of a column are in the same four banks. Swizzled, they are in all.
    wl_sim_counters below = counted([&] { fragments<<<1, 32>>>(8, 0, out.device); });
    wl_sim_counters swizzled = counted([&] { fragments<<<1, 32>>>(8, 1, out.device); });
    CHECK(below.shared_passes - 8 * 32 == 32 && swizzled.shared_passes - 8 * 4 == 4);
    got = out.host();
    for (unsigned lane = 0; lane < 32; lane++) CHECK(got[4 * lane] == 100 * (lane / 4) + 4 + lane % 4);
}
