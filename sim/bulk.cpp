/* Barriers in shared memory, bulk copies and products of warpgroups: the simulated device's half of harness/device/copy_bulk.h and
   harness/device/warpgroup.h. All three end as late as they may: copies when somebody waits for their barrier, products when their thread
   waits for them. */
#include <unordered_map>

#include "cuda_runtime.h"
#include "sim/internal.h"

using namespace wl_sim;

namespace {

struct BulkCopy {
    void *to;
    std::vector<unsigned char> data;
};
struct Barrier {
    unsigned count, missing; // arrivals of a phase, and those still to come
    uint64_t phase;
    int64_t expected; // bytes, of this phase
    std::vector<BulkCopy> copies;
    unsigned maker, epoch; // the thread that made it, and how many barriers of the block it had passed
};
struct Product {
    int *d;
    unsigned sums;
    const unsigned char *a, *b; // no `a`: of floats
    int step, bytes;
    uint64_t group;
    // Of floats: A of both rows of the thread, and how far apart B's halves are.
    uint32_t rows[2][8] = {}, apart = 0;
};
struct Products { // of a thread
    uint64_t groups;
    std::vector<Product> all;
};
// In a barrier's eight bytes, as long as nobody writes over them.
constexpr uint64_t INTACT = 0x62617272696572a5;
// A block's.
struct Block {
    uint64_t block;
    std::unordered_map<uintptr_t, Barrier> barriers;
    std::vector<Products> products; // by thread
};
thread_local Block state;

uint64_t number_of_block(const Worker *w) { return w->launch->first_sequence + w->block_linear; }

Block &block_of(const Worker *w) {
    const uint64_t block = number_of_block(w);
    if (state.block != block) {
        state.block = block;
        state.barriers.clear();
        state.products.clear();
    }
    state.products.resize(w->threads);
    return state;
}

[[noreturn]] void fail(Worker *w, const std::string &what) {
    w->error = what;
    abandon(w);
}

bool in_shared(Worker *w, const void *p, size_t bytes) { return lies_within(w, (uintptr_t)p, bytes, Space::shared); }

Barrier &barrier_of(Worker *w, void *barrier, Place place) {
    Block &b = block_of(w);
    auto at = b.barriers.find((uintptr_t)barrier);
    if (at == b.barriers.end()) fail(w, "barrier at " + place_name(place) + " that has not been initialised");
    if (memcmp(barrier, &INTACT, sizeof INTACT) != 0)
        fail(w, "barrier at " + place_name(place) + " that something has been stored or copied over");
    return at->second;
}

/* The phase ends if all is there, or on its way. */
void end_phase(Barrier &b) {
    int64_t coming = 0;
    for (const BulkCopy &c : b.copies) coming += (int64_t)c.data.size();
    if (b.missing > 0 || coming != b.expected) return;
    for (const BulkCopy &c : b.copies) memcpy(c.to, c.data.data(), c.data.size());
    b.copies.clear();
    b.expected = 0;
    b.missing = b.count;
    b.phase++;
}

/* The running lane sleeps until the phase of this parity is over. */
void sleep_until(Worker *w, void *barrier, unsigned parity, const char *name, const char *file, int line, Place place,
                 const void *frame) {
    Lane &lane = w->lanes[w->lane];
    end_store(w);
    lane.name = name;
    lane.file = file;
    lane.line = line;
    lane.all = barrier;
    lane.value = parity;
    w->key[w->lane] = key_of(w, place, frame);
    lane.state = State::at_mbarrier;
    yield(w);
}

/* All four warps of the running lane's warpgroup have come to its product: none is ahead of another. */
void meet_warpgroup(Worker *w, const char *file, int line, Place place, const void *frame) {
    constexpr unsigned LANES = 4 * WARP;
    void *key = (void *)(uintptr_t)(1 + w->lane / LANES); // no address of a barrier
    Barrier &b = block_of(w).barriers.try_emplace((uintptr_t)key, Barrier{LANES, LANES, 0, 0, {}, 0, 0}).first->second;
    const unsigned parity = b.phase & 1;
    b.missing--;
    end_phase(b);
    sleep_until(w, key, parity, WARPGROUP_PRODUCT, file, line, place, frame); // the last one, too: lanes go on together
}

int sum_of_products(const unsigned char *a, const unsigned char *b, int bytes) {
    int sum = 0;
    for (int i = 0; i < 16; i += 8) {
        uint64_t x, y;
        memcpy(&x, a + i, 8);
        memcpy(&y, b + i, 8);
        if (!bytes) sum += __popcll(x & y);
        for (int k = 0; k < 8 && bytes; k++) sum += (int8_t)(x >> 8 * k) * (int8_t)(y >> 8 * k);
    }
    return sum;
}

float tf32(uint32_t bits) { return wl_bit_cast<float>(bits & 0xffffe000u); }

/* A thread's share of a product of floats: exact, rounded once to the sum (harness/device/mma.h). */
void multiply_floats(const Product &p, unsigned thread) {
    const unsigned lane = thread % WARP;
    float *d = (float *)p.d;
    for (unsigned i = 0; i < p.sums; i++) {
        const unsigned column = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
        double sum = d[i];
        for (unsigned k = 0; k < 8; k++) {
            uint32_t b;
            memcpy(&b, p.b + k / 4 * (size_t)p.apart + column / 8 * 128 + column % 8 * 16 + k % 4 * 4, sizeof b);
            sum += (double)tf32(p.rows[i / 2 % 2][k]) * (double)tf32(b);
        }
        d[i] = (float)sum;
    }
}

/* A thread's share of a product. */
void multiply(const Product &p, unsigned thread) {
    if (p.a == nullptr) return multiply_floats(p, thread);
    const unsigned lane = thread % WARP, warp = thread / WARP % 4;
    for (unsigned k = 0; k < p.sums; k++) {
        const unsigned row = 16 * warp + lane / 4 + 8 * (k / 2 % 2), column = 8 * (k / 4) + 2 * (lane % 4) + k % 2;
        unsigned sum = (unsigned)p.d[k]; // wraps at 32 bits
        for (unsigned piece = 2 * (unsigned)p.step; piece < 2 * (unsigned)p.step + 2; piece++)
            sum += (unsigned)sum_of_products(p.a + 128 * row + 16 * (piece ^ row % 8),
                                             p.b + 128 * column + 16 * (piece ^ column % 8), p.bytes);
        p.d[k] = (int)sum;
    }
}

} // namespace

namespace wl_sim {

bool mbarrier_passed(Worker *w, void *barrier, unsigned parity) {
    Barrier &b = block_of(w).barriers.at((uintptr_t)barrier);
    if ((b.phase & 1) == (parity & 1)) end_phase(b);
    return (b.phase & 1) != (parity & 1);
}

void end_block_bulk(Worker *w) {
    if (state.block != number_of_block(w)) return; // it has no barriers
    state.block = 0;                               // no block's
    size_t bytes = 0;
    for (const auto &barrier : state.barriers)
        for (const BulkCopy &copy : barrier.second.copies) bytes += copy.data.size();
    if (bytes == 0) return;
    w->error_thread = 0;
    w->error = "the block ends while " + std::to_string(bytes) +
               " bytes of bulk copies are on their way to its shared memory: nobody has waited for them";
}

} // namespace wl_sim

extern "C" {

void wl_sim_mbarrier_init(void *barrier, unsigned count);
void wl_sim_mbarrier_arrive(void *barrier, unsigned bytes);
void wl_sim_mbarrier_wait(void *barrier, unsigned parity, const char *file, int line);
void wl_sim_copy_bulk(void *to, const void *from, unsigned bytes, void *barrier);
void wl_sim_copy_to_barrier(void *to, const void *from, unsigned long bytes, void *barrier);
unsigned wl_sim_mbarrier_parity(void *barrier);
void wl_sim_warpgroup(int *d, int columns, const void *a, const void *b, int step, int bytes, const char *file,
                      int line);
void wl_sim_warpgroup_tf32(float *d, int columns, const uint32_t *a, const void *b, uint32_t apart, const char *file,
                           int line);
void wl_sim_warpgroup_commit(void);
void wl_sim_warpgroup_wait(unsigned groups);
void wl_sim_warp_exchange(const void *mine, unsigned long bytes, void *all, const char *file, int line);

void wl_sim_mbarrier_init(void *barrier, unsigned count) {
    Worker *w = active;
    const Place place = (Place)__builtin_return_address(0);
    if (!in_shared(w, barrier, 8) || (uintptr_t)barrier % 8 != 0 || count == 0)
        fail(w,
             "barrier at " + place_name(place) + " which is not eight aligned bytes of shared memory, or for nobody");
    Barrier &b = block_of(w).barriers[(uintptr_t)barrier];
    if (b.count > 0 && b.maker != w->lane && b.epoch == w->epoch)
        fail(w, "barrier at " + place_name(place) + " that thread " + std::to_string(b.maker) +
                    " makes, too: no __syncthreads() is between them");
    memcpy(barrier, &INTACT, sizeof INTACT);
    b = {count, count, 0, 0, {}, w->lane, w->epoch};
}

void wl_sim_mbarrier_arrive(void *barrier, unsigned bytes) {
    Worker *w = active;
    const Place place = (Place)__builtin_return_address(0);
    Barrier &b = barrier_of(w, barrier, place);
    if (b.missing == 0) // its bytes are on their way, for all that anybody knows
        fail(w, "arrival at " + place_name(place) + " beyond the " + std::to_string(b.count) +
                    " of the barrier's phase, which nobody has waited for");
    w->arrived_at[w->warp] = moment(w) + 1; // what this thread did is seen by those who wait
    w->fences[w->warp] = true;
    b.missing--;
    b.expected += bytes;
    if (b.expected == 0 && b.copies.empty()) end_phase(b);
}

void wl_sim_mbarrier_wait(void *barrier, unsigned parity, const char *file, int line) {
    Worker *w = active;
    barrier_of(w, barrier, (Place)__builtin_return_address(0));
    if (!mbarrier_passed(w, barrier, parity))
        sleep_until(w, barrier, parity, "wl_mbarrier_wait", file, line, (Place)__builtin_return_address(0),
                    __builtin_frame_address(0));
    w->learnt[w->warp] = true;
    join_block_signals(w);
}

void wl_sim_copy_bulk(void *to, const void *from, unsigned bytes, void *barrier) {
    Worker *w = active;
    const Place place = (Place)__builtin_return_address(0);
    Barrier &b = barrier_of(w, barrier, place);
    if (bytes == 0 || bytes % 16 != 0 || (uintptr_t)to % 16 != 0 || (uintptr_t)from % 16 != 0)
        fail(w, "bulk copy of " + std::to_string(bytes) + " bytes at " + place_name(place) +
                    ": bytes and addresses have to be multiples of 16");
    if (!in_shared(w, to, bytes)) fail(w, "bulk copy at " + place_name(place) + " to an address outside shared memory");
    check_bulk(w, (uintptr_t)from, bytes, place);
    wl_sim_counters &c = counters_at(w, place);
    c.global_load_requests++;
    const unsigned sectors = (unsigned)(((uintptr_t)from % SECTOR + bytes + SECTOR - 1) / SECTOR);
    c.global_load_sectors += sectors;
    if (w->traced) trace_bulk(w, (uintptr_t)from, bytes, sectors, place);
    const unsigned char *data = (const unsigned char *)from;
    b.copies.push_back({to, std::vector<unsigned char>(data, data + bytes)});
    memset(to, POISON, bytes);
    w->unseen = true;
}

// An asynchronous copy of any size, which the barrier's phase waits for as well.
void wl_sim_copy_to_barrier(void *to, const void *from, unsigned long bytes, void *barrier) {
    Worker *w = active;
    const Place place = (Place)__builtin_return_address(0);
    Barrier &b = barrier_of(w, barrier, place);
    if (bytes == 0) return;
    if (!in_shared(w, to, bytes))
        fail(w, "asynchronous copy at " + place_name(place) + " to an address outside shared memory");
    check_bulk(w, (uintptr_t)from, bytes, place);
    w->counters.global_load_requests++;
    w->counters.global_load_sectors += ((uintptr_t)from % SECTOR + bytes + SECTOR - 1) / SECTOR;
    const unsigned char *data = (const unsigned char *)from;
    b.copies.push_back({to, std::vector<unsigned char>(data, data + bytes)});
    b.expected += (int64_t)bytes;
    memset(to, POISON, bytes);
    w->unseen = true;
}

// The parity of the phase that goes on.
unsigned wl_sim_mbarrier_parity(void *barrier) {
    return barrier_of(active, barrier, (Place)__builtin_return_address(0)).phase & 1;
}

void wl_sim_warpgroup(int *d, int columns, const void *a, const void *b, int step, int bytes, const char *file,
                      int line) {
    Worker *w = active;
    const Place place = (Place)__builtin_return_address(0);
    struct {
        const void *a, *b;
        int step;
    } mine = {a, b, step}, all[WARP];
    wl_sim_warp_exchange(&mine, sizeof mine, all, file, line);
    for (const auto &other : all)
        if (other.a != a || other.b != b || other.step != step)
            fail(w,
                 "product of a warpgroup at " + place_name(place) + " with other matrices in other lanes of the warp");
    if (!in_shared(w, a, 64 * 128) || !in_shared(w, b, (size_t)columns * 128) || (uintptr_t)a % 1024 != 0 ||
        (uintptr_t)b % 1024 != 0 || step < 0 || step > 3)
        fail(w, "product of a warpgroup at " + place_name(place) + ": 64 and " + std::to_string(columns) +
                    " rows of 128 bytes, at multiples of 1,024 in shared memory, and a step from 0 to 3");
    meet_warpgroup(w, file, line, place, __builtin_frame_address(0));
    Products &p = block_of(w).products[w->lane];
    p.all.push_back(
        {d, (unsigned)columns / 2, (const unsigned char *)a, (const unsigned char *)b, step, bytes, p.groups});
}

void wl_sim_warpgroup_tf32(float *d, int columns, const uint32_t *a, const void *b, uint32_t apart, const char *file,
                           int line) {
    Worker *w = active;
    const Place place = (Place)__builtin_return_address(0);
    struct {
        uint32_t a[4];
        const void *b;
        uint32_t apart;
    } mine = {{a[0], a[1], a[2], a[3]}, b, apart}, all[WARP];
    wl_sim_warp_exchange(&mine, sizeof mine, all, file, line);
    for (const auto &other : all)
        if (other.b != b || other.apart != apart)
            fail(w,
                 "product of a warpgroup at " + place_name(place) + " with other matrices in other lanes of the warp");
    const size_t half = (size_t)columns * 16;
    if (!in_shared(w, b, half) || !in_shared(w, (const char *)b + apart, half) || (uintptr_t)b % 16 != 0 ||
        apart % 16 != 0)
        fail(w, "product of a warpgroup at " + place_name(place) + ": two halves of " + std::to_string(half) +
                    " bytes, at multiples of 16 in shared memory");
    meet_warpgroup(w, file, line, place, __builtin_frame_address(0));
    Products &p = block_of(w).products[w->lane];
    p.all.push_back({(int *)d, (unsigned)columns / 2, nullptr, (const unsigned char *)b, 0, 0, p.groups, {}, apart});
    for (unsigned k = 0; k < 8; k++) // as harness/device/mma.h draws it
        for (unsigned i = 0; i < 2; i++) p.all.back().rows[i][k] = all[w->lane % WARP / 4 * 4 + k % 4].a[i + k / 4 * 2];
}

void wl_sim_warpgroup_commit(void) { block_of(active).products[active->lane].groups++; }

void wl_sim_warpgroup_wait(unsigned groups) {
    Worker *w = active;
    Products &p = block_of(w).products[w->lane];
    size_t done = 0; // products are in the order of their groups
    for (; done < p.all.size() && p.all[done].group + groups < p.groups; done++) multiply(p.all[done], w->lane);
    p.all.erase(p.all.begin(), p.all.begin() + (ptrdiff_t)done);
}
}
