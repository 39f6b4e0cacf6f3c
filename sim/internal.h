/* How the simulated device is put together inside. docs/simulated-device.md tells the same as a story.

   A block runs on one host thread (Worker); each of its threads is a fiber (Lane). Kernel code calls back at every
   basic block and every access. The lanes of a warp advance together, a basic block at a time (a step): all lanes that
   stand at the same place run one after the other, so their k-th accesses in the step are one request. Among
   places, the deepest call and then the lowest address goes first; blocks are laid out in source order, so lanes
   that took a branch meet the others after it, as on the hardware. */
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "sim/sim.h"
#include "vector_types.h"

struct wl_sim_stream;
struct wl_sim_event;
struct wl_sim_array;

namespace wl_sim {

constexpr unsigned MOST_RESIDENT = 128; // blocks that the device holds at once (device.cpp)
constexpr unsigned WARP = 32, MAX_THREADS = 1024, MAX_WARPS = MAX_THREADS / WARP;
// Not a power of two: the tops of all stacks would fall into the same few sets of the cache.
constexpr size_t STACK_BYTES = (256 << 10) + 9 * 64, STACK_RESERVE = 32 << 10; // the reserve is for printf and the like
constexpr size_t SECTOR = 32, BANKS = 32;
constexpr size_t STATIC_SHARED_LIMIT = 48 << 10, SHARED_LIMIT = 227 << 10; // as on compute capability 9.0
extern size_t shared_limit; // of a block: SHARED_LIMIT, or what wl_sim_resemble asks for
constexpr size_t CONSTANT_LIMIT = 64 << 10;
constexpr uint8_t POISON = 0xA5; // what memory holds that nobody has written

typedef const char *Place; // a return address in kernel code

// ---------------------------------------------------------------- accesses and requests

enum class Kind : uint8_t { load, store, atomic };
enum class Space : uint8_t { global, shared, constant, ignored };

struct ShadowMap;

// One warp-wide access: the k-th of every lane in a step.
struct Event {
    Place place;
    Kind kind;
    Space space;
    uint8_t size;
    bool lasting;         // what is known of its memory holds for the next step at this place, too
    uint32_t lanes;       // which lanes made it
    uintptr_t low, high;  // bounds of the memory that lane found itself in: the others look there first
    const ShadowMap *map; // of that memory; null: nothing is known of it, since nobody changes it
    uintptr_t address[WARP];
    // Settled for all lanes: an access is allowed by tags that are like these (usual.h).
    uint64_t write_like, read_like;
    uint64_t outcome; // of a load: the kind that the read tag gets
    Place settled;    // `place`, from the step's first access to its end, as long as it may be settled
    uintptr_t write, read, places, states; // of address 0: its tags, and its page's state
    // Accesses that may be settled: where the first aligned one is, and how many come after it.
    uintptr_t base, most;
};

// Who touched a byte last. 0: nobody.
//   thread 10 | warp epoch 9 | block epoch 14 | kind 2 | block sequence 28
struct Tag {
    uint64_t bits;
    static constexpr unsigned EPOCHS = 1 << 14, WARP_EPOCHS = 1 << 9; // before they wrap: see new_sequence
    static constexpr uint64_t SEQUENCES = 1 << 28;
    static constexpr unsigned WARP_EPOCH = 10, EPOCH = 19, KIND = 33, BLOCK = 35; // the lowest bit of each
    static Tag of(uint64_t block, uint64_t kind, uint64_t epoch, uint64_t warp_epoch, uint64_t thread) {
        return {block << BLOCK | kind << KIND | epoch % EPOCHS << EPOCH | warp_epoch % WARP_EPOCHS << WARP_EPOCH |
                thread};
    }
    unsigned thread() const { return bits % MAX_THREADS; }
    unsigned warp_epoch() const { return (bits >> WARP_EPOCH) % WARP_EPOCHS; }
    unsigned epoch() const { return (bits >> EPOCH) % EPOCHS; }
    unsigned kind() const { return bits >> KIND & 3; }
    uint64_t block() const { return (bits >> BLOCK) % SEQUENCES; }
    static constexpr uint64_t VOLATILE = 1ull << 63; // of reads: all were volatile, and do not race with atomics
};
// As a signal: volatile, by a warp that uses fences. In the block: atomically, but for its threads only.
enum WriteKind { written, written_atomically, written_as_signal, written_in_block };
enum ReadKind { read_by_one, read_by_warp, read_by_block, read_by_grid };

/* The tag of a byte, in half the room: all that it shares with the rest of its warp stands in `moments`. 0: nobody.
   moment 25 | kind 2 | lane 5 */
struct ByteTag {
    uint32_t bits;
    static constexpr unsigned KIND = 5, MOMENT = 7; // the lowest bit of each
    static constexpr uint32_t MOMENTS = 1 << 25;
    // When `moments` is full: written, but by an access that meets no other.
    static constexpr uint32_t LOST = MOMENTS - 1;
};
/* A tag without kind and lane, and where `moments` has it. */
struct Moment {
    uint64_t bits;
    uint32_t number;
};

/* The tags of the last store and the last load, of a word or of a byte each. */
template <class T> struct Tags {
    T *write, *read;
    Place *write_place, *read_place; // null for global memory, where they would cost too much
};

/* What has happened to some memory, by word of four bytes: that takes 4 bytes per byte that is both read and written. By byte it is 8, and
   a word takes four looks. Where a kernel touches parts of words, the page goes over to bytes. */
struct ShadowMap {
    static constexpr size_t WORD = 4;
    enum State : uint8_t { by_word, changing, by_byte };
    uintptr_t low; // where the memory begins, and its first page
    size_t bytes;
    unsigned page_bits;
    Tags<Tag> words;
    Tags<ByteTag> each; // by byte
    uint8_t *states;    // by page
    uint8_t *state(uintptr_t address) const { return states + ((address - low) >> page_bits); }
};

// ---------------------------------------------------------------- threads

enum class State : uint8_t { ready, at_barrier, at_warp_call, at_mbarrier, done };

struct Lane {
    State state;
    uint8_t operation; // of the warp-wide call or barrier it waits at
    bool went_on;      // it is done, and its last basic block was not the function's end alone
    int predicate, line;
    const char *file, *name;
    unsigned mask, source;
    uint64_t value;
    const void *data; // an exchange's
    void *all;        // an exchange's; or the barrier in shared memory that it waits for, until phase `value`
    size_t bytes;
    uint64_t result;
    int flag;
};

// ---------------------------------------------------------------- operations of streams

/* Where host code made a call: return addresses, innermost first. */
struct HostPlace {
    static constexpr int FRAMES = 12;
    void *frames[FRAMES];
    int count;
};

/* A kernel, copy or fill as its stream has it. */
struct Operation {
    std::string what; // "kernel GPUshared"
    HostPlace place;
    unsigned stream;
    uint64_t number;                       // within the stream, from 1
    std::vector<uint64_t> before;          // by stream: how many operations are over when this one begins
    uint64_t first_sequence, end_sequence; // a kernel's blocks; else 0 and 0
    struct Range {
        uintptr_t low, high;
        bool writes;
    };
    std::vector<Range> ranges;     // of device memory that a copy or fill touches
    uintptr_t host_low, host_high; // of pinned memory
    bool writes_host;
};

/* The frame of a function: what it holds of its caller's. A kernel that changed that could go on anywhere. */
struct Frame {
    static constexpr unsigned MOST_SAVED = 5;
    uintptr_t at;                // where `next` lies
    uintptr_t next, returns;     // the caller's frame, and where to return to
    unsigned count;              // of the registers below `at` that the function gives back
    uintptr_t saved[MOST_SAVED]; // their values
    bool reported;               // its function has reported its beginning; else it lies between two that have
};
/* The frames of a thread's functions, where they report their beginning and end (labs). */
struct Frames {
    std::vector<Frame> all; // the outermost first
    uintptr_t last;         // the simulated device's own, beyond them
};

/* What tells findings of a launch apart. */
struct FoundKey {
    const char *kind;   // "race on shared memory"
    Place place, other; // other: of the access before; null where it is not known
    Place guess; // not null: no finding if a load or compare-and-swap there turns out to be part of a loop of guesses
    bool operator<(const FoundKey &o) const {
        return std::tie(place, other, guess, kind) < std::tie(o.place, o.other, o.guess, o.kind);
    }
};
struct Found {
    uint64_t count, block; // block and thread: of the first time
    unsigned thread;
    bool suppressed;
    std::string message;
};

/* What a thread has loaded, with a plain load. */
struct Loaded {
    uintptr_t address;
    Place place;
    uint64_t value;
};

/* A launch by a kernel, which begins when the launch of that kernel is over. */
struct Child {
    uint64_t block;
    unsigned thread;
    bool tail;                     // after all others
    std::function<void(void)> run; // launches it
};

struct Launch;
typedef std::unordered_map<Place, wl_sim_counters> PlaceCounters;

struct Worker {
    Launch *launch;
    void *scheduler; // its stack pointer while lanes run
    uintptr_t text;  // where the program's code begins
    // The block
    unsigned threads, warps;
    uint3 index[MAX_THREADS]; // threadIdx
    uint3 block;
    uint64_t block_linear, sequence;
    uint64_t first_counted;         // accesses of blocks before this sequence are over: earlier launches, grid barriers
    unsigned epoch;                 // barriers passed
    unsigned warp_epoch[MAX_WARPS]; // __syncwarp and fences passed, by warp
    unsigned warp_synced[MAX_WARPS]; // its warp_epoch after the last __syncwarp
    bool fences[MAX_WARPS];          // a lane of the warp has called a fence, or the like: it uses signals
    bool learnt[MAX_WARPS];          // the warp has acquired something, or waited for an mbarrier
    uint64_t arrived_at[MAX_WARPS];  // when a lane of the warp last arrived at an mbarrier: moment()
    // The strong access that comes now, or has been the last; address 0: what it has found is noted.
    struct {
        uintptr_t address;
        bool own_block, acquires;
    } polled;
    std::shared_ptr<struct Handing> handing; // what is fenced and known (signals.cpp); null: nothing
    bool fenced_in_step;                     // a lane of the step has called a fence
    unsigned step_epoch, last_epoch;         // then: the warp's epoch before the step, and the highest so far
    std::vector<uint64_t> sequences_before;  // the block's, rising; see new_sequence
    unsigned done;                           // threads that have returned
    Lane lanes[MAX_THREADS];
    // By thread, apart from `lanes`: a step goes through these of a whole warp, which are eight cache lines.
    void *sp[MAX_THREADS];     // stack pointers of those that are not running
    uint64_t key[MAX_THREADS]; // where they stand: deeper calls and lower addresses are smaller
    Frames frames[MAX_THREADS];
    // The step
    char *stacks_low;          // of thread 0; each is STACK_BYTES long
    unsigned warp, lane;       // the warp running; the thread running, within the block
    uint32_t group, remaining; // the lanes of the step; those of them that have yet to run
    std::vector<Event> events; // those beyond event_count are of earlier steps; there is always one
    size_t event_count;
    Event *next; // of them: that of the running thread's next access, if it does what the lane before it did
    uint64_t steps;
    uint64_t now,
        first; // tags: of the warp's accesses, without the thread; the lowest of those that count (see set_moment)
    uint32_t byte_now;             // `now` as tags of bytes have it; 0: it has no number yet
    Moment numbered[2][MAX_WARPS]; // by warp; the second ones are of volatile loads
    bool simple;                   // no earlier stream and no fence has a say in what races
    uint64_t common;               // the key of the place that the first lane of the step came to; 0: none yet
    // There: where the call returns to, and the stack pointer, from the lane's stack on. Null: each lane needs a closer look.
    Place common_place;
    uintptr_t common_stack;
    unsigned apart;          // how many lanes did not come there
    bool arrived;            // a lane of the warp running has come to a warp-wide call
    bool spinning;           // one has polled in this turn
    bool own_block;          // the next atomic operation is one for the threads of the block only
    bool acquires, releases; // likewise: what it orders itself
    bool only_loads;         // likewise
    void *expected;          // likewise: a compare-and-swap of this value; null: of none, or it found another one
    bool unseen;             // something was stored to the block's shared memory that no tag tells, as by a bulk copy
    // What waits.cpp knows of the warp and of the block
    bool asked_time;                   // a lane has read a clock
    std::shared_ptr<struct Loop> loop; // that the warp is in
    bool looks, goes_round;            // it is looked at; only others can end it
    bool waits, in_vain;               // the block waits for others; for blocks that have all begun
    uint64_t proved_at;                // after so many changes of the launch's blocks, it was seen to
    unsigned naps;                     // since it began to wait
    // Set by the watchdog of the host thread (watchdog.cpp)
    volatile unsigned ticks; // of the clock while the block runs: runs_too_long
    volatile uint64_t steps_seen;
    // A write that raced with another write: harmless if it wrote what was there.
    struct {
        uintptr_t address, offset;
        unsigned size; // 0: none
        uint8_t before[16];
        Space space;
        Tag other;
        Place place, other_place;
    } suspect;
    // Global memory whose tags tell of a store of this block that may not have taken place yet; until end_store. Other workers wait for
    // it where they compare the values of two stores.
    std::atomic<uintptr_t> storing_low, storing_high; // high 0: none
    // Shared memory
    char *dynamic_shared; // SHARED_LIMIT bytes, mapped once
    uintptr_t static_low, static_high;
    std::vector<uint64_t> poisoned; // by the launch's static array: the block that had it poisoned last
    ShadowMap static_map, dynamic_map;
    char *stacks_high; // beyond the last of them
    // What it found out
    wl_sim_counters counters;
    PlaceCounters by_place; // instead of `counters`, where lines are counted
    // Where lines are counted: counters that were looked up last, by a part of the place.
    static constexpr unsigned KNOWN = 64;
    struct {
        Place place;
        wl_sim_counters *counters;
    } known[KNOWN];
    bool traced;                           // what the block does is recorded
    std::vector<wl_sim_trace_event> trace; // of all its blocks in this launch
    uint64_t trace_seen;                   // events of them, kept or not
    std::string error;                     // what went wrong in this block; "" while all is well
    unsigned error_thread;
    std::string unwritten; // the first load of memory that nobody had written
    unsigned unwritten_thread;
    std::map<FoundKey, Found> found; // in this launch, where the block goes on
    // The last loads of each thread, where the program has a compare-and-swap: they may be first guesses.
    static constexpr unsigned LOADS = 4;
    Loaded loaded[MAX_THREADS][LOADS];
    uint8_t next_loaded[MAX_THREADS];
    std::vector<Place> guesses; // of loads and compare-and-swaps that belong together
};

// Held by a launch and by whoever changes or looks up allocations: host threads may use the device side by side.
extern std::mutex device_mutex;

// The worker whose lane is running on this host thread; null in host code.
extern thread_local Worker *active;

/* A function, as the declarer of __shared__ variables. Files may each have their own of one name. */
struct Owner {
    std::string mangled; // without the _Z
    size_t file;         // which of the kernels' object files, from 1; 0 where the name is known to all
    bool operator==(const Owner &o) const {
        return mangled == o.mangled && (file == o.file || file == 0 || o.file == 0);
    }
};

struct Symbol {
    uintptr_t low, high; // of a __shared__ variable: offsets in the thread-local block
    Owner owner;
    std::string name; // "dist"
};

struct Launch {
    std::string name; // "GPUshared"
    Owner owner;      // whose __shared__ variables it has
    dim3 grid, block;
    size_t dynamic_bytes, static_bytes;
    ::wl_sim_stream *stream;
    const void *kernel;
    void (*call)(void *);
    void *arguments;
    size_t argument_bytes;
    uint64_t blocks, first_sequence; // those that are run
    uint64_t left_out;               // blocks of the grid between the first and the last ones; see wl_sim_limit
    std::atomic<uint64_t> next_block, failed_block; // failed_block: the lowest one with an error
    std::string error;                              // that block's
    uint64_t suspicious_block;                      // the lowest one that loaded what nobody had written
    std::string suspicion;                          // that block's
    std::vector<uintptr_t> given;            // the allocations that its arguments point to: where they begin; sorted
    std::vector<uint64_t> renewed;           // by sequence, after the first ones: the block; see new_sequence
    std::shared_ptr<struct Signals> signals; // by which blocks hand over data
    std::atomic<bool> has_fences;            // a thread has called a fence, or an atomic operation that releases
    std::shared_ptr<struct GridBarrier> grid_barrier; // of a cooperative launch
    std::shared_ptr<struct Waits> waits;              // null: no block can wait for another, or each has a host thread
    std::vector<Symbol> shared;                       // the __shared__ variables that it may use, by address
    std::vector<Child> children;                      // under `adding`
    std::mutex adding;
    Operation operation;
    std::vector<Operation> unordered; // earlier operations of other streams that may not be over yet
};

// core.cpp
extern unsigned far_blocks;                                           // of each launch that are run; 0: all
extern uint64_t next_sequence;                                        // for the blocks of the next launch
void await_store(const Worker *w, uintptr_t address);                 // until no other worker is about to store there
void add_child(Worker *w, bool tail, std::function<void(void)> done); // after the running launch
void begin_one_thread(void);                                          // for what a library on the host calls
void yield(Worker *w); // let the other lanes of the step run, then the next step
inline char *stack_of(const Worker *w, unsigned thread) { return w->stacks_low + STACK_BYTES * thread; }
inline uint64_t key_of(const Worker *w, Place place, const void *frame) {
    const uint64_t depth = (uint64_t)(stack_of(w, w->lane + 1) - (const char *)frame) / 16;
    return (0xffff - depth) << 40 | ((uintptr_t)place - w->text);
}
// Give up this block from within a lane, after w->error has been set: its lanes are abandoned where they stand.
[[noreturn]] void abandon(Worker *w);
[[noreturn]] void abandon_as_told(Worker *w);                   // the error says already who called
std::string thread_name(const Launch *launch, unsigned thread); // "thread (3,0,0)"
uint3 block_index(const Launch *launch, uint64_t linear);       // of those that are run
std::string lanes_name(uint32_t lanes);                         // "0-3, 7"

// findings.cpp
extern bool goes_on;
// The running thread has found something wrong. Returns if the block goes on.
void find(Worker *w, const FoundKey &key, const std::function<std::string()> &message);
void find_failed_block(Worker *w); // instead of a launch that fails
void tell_found(Launch *launch, const std::vector<std::unique_ptr<Worker>> &workers, int count);
std::string from_thread(const Launch *launch, uint64_t block,
                        unsigned thread); // "add: block (3,0,0) thread (232,0,0): "

// warp.cpp
void finish_warp_calls(Worker *w, unsigned warp); // completes calls all of whose lanes have arrived
bool finish_barrier(Worker *w);                   // completes the block's barrier if everyone waits at it
void explain_stuck(Worker *w);                    // nobody can go on: w->error says why

// memory.cpp, places.cpp, races.cpp
constexpr size_t NOBODYS = 256 << 10; // bytes before and after the dynamic array
extern char *(*dynamic_array)(void);  // the calling thread's, where the program has one of its own; else null
// `reads`: what is there matters, so somebody must have written it.
void access(Worker *w, uintptr_t address, unsigned size, Kind kind, bool is_volatile, Place place, bool reads);
// The next atomic operation, of which the worker knows more (own_block to expected).
void access_atomically(Worker *w, uintptr_t address, unsigned size, Place place, bool reads);
// The same for a compare-and-swap. 0: it has found another value, which is in `expected` now, and stores nothing.
int access_to_compare(Worker *w, uintptr_t address, unsigned size, void *expected, Place place);
// What was counted as a store to shared memory before takes place now: no event, but it may race.
void arrive(Worker *w, uintptr_t address, unsigned size, Place place);
void settle_suspect(Worker *w);
// A load through the read-only path (__ldg): nobody may have stored there in this launch.
void check_read_only(Worker *w, uintptr_t address, unsigned size, Place place);
extern bool has_guesses; // the program has a compare-and-swap
// A compare-and-swap of this value: was it loaded before? Then that load was a guess, and this decides.
void note_compare(Worker *w, uintptr_t address, unsigned size, uint64_t value, Place place);
// signals.cpp
std::shared_ptr<struct Signals> make_signals(void); // of a launch
void begin_block_signals(Worker *w);
void end_block_signals(Worker *w);
void join_warp_signals(Worker *w, unsigned warp); // a __syncwarp
void join_block_signals(Worker *w);               // a barrier of the block
// A strong access, atomic or volatile, stores there. `releases`: by itself, without a fence before.
void signal_by(Worker *w, uintptr_t address, Space space, bool releases, bool own_block);
void finish_poll(Worker *w);                        // the last strong access has taken place
void next_lane_after_fence(Worker *w, bool is_end); // of a step in which a lane has called a fence
// Does the running thread know, by signals, that this access of a thread of `block` is over?
bool is_handed_over(const Worker *w, uint64_t block, Tag t, bool is_volatile);

extern "C" void wl_sim_ordered(int order); // of the next atomic operation
extern "C" int wl_sim_compare(const volatile void *address, unsigned size, void *expected,
                              const void *where); // sim_atomics.h
// Every callback of a lane says so: what it was about to store is in memory.
inline void end_store(Worker *w) {
    if (w->suspect.size) settle_suspect(w);
    if (w->polled.address) finish_poll(w);
    w->storing_high.store(0, std::memory_order_release);
}
void attach_memory(Worker *w);      // once for each launch, on the worker's host thread
void start_block_memory(Worker *w); // poison the block's dynamic shared memory
void new_sequence(Worker *w);       // an epoch of the block wraps: nothing before counts any more
uint64_t moment(const Worker *w);   // grows along a block's life
bool has_few_moments(void);         // for another launch
void forget_tags(void);             // no access of earlier launches to global memory counts any more
void forget_shared_tags(Worker *w); // nor to the shared memory of a worker
void set_moment(Worker *w);         // fills in w->now, w->first and w->simple; no event is settled any more
void settle_nothing(Worker *w);     // from now on, the lanes of the step need a closer look
size_t static_shared_bytes(const Owner &owner);
void find_shared(Launch *launch);          // fills in launch->shared
size_t constant_bytes(const Owner &owner); // of the kernel's object file

enum class Home : uint8_t { device, managed, host }; // cudaMalloc, cudaMallocManaged, cudaMallocHost
int allocate(void **pointer, size_t bytes, Home home);
bool find_home(uintptr_t address, Home *home, uintptr_t *low); // false: kernels cannot use what is there
int register_host(uintptr_t address, size_t bytes);
int unregister_host(uintptr_t address);
extern std::atomic<bool> kernels_share_memory; // with the host: there is managed, pinned or registered memory
// The kernel that wrote (`*wrote`) or, where the host `writes`, read one of these bytes; null if none of `all` did.
const Operation *kernel_that_touched(const std::vector<Operation> &all, uintptr_t address, size_t bytes, bool writes,
                                     bool *wrote);
// An access that is checked, for bounds and races, and not counted: of a texture, of memcpy.
void access_uncounted(Worker *w, uintptr_t address, size_t bytes, Kind kind, Place place);
// Refuses one of any size that leaves the memory in which it begins.
void refuse_beyond(Worker *w, uintptr_t address, size_t bytes, Kind kind, Place place);
// One of any size: word by word, as the device moves it.
void access_range(Worker *w, uintptr_t address, size_t bytes, Kind kind, Place place);
Space space_of(Worker *w, uintptr_t address);       // ignored: the thread's own, or none
void forget_range(uintptr_t address, size_t bytes); // of global memory: what is accessed from now on is new
// A barrier of the grid: nothing that came before counts any more for this block.
void begin_grid_phase(Worker *w, uint64_t first_counted);
uint64_t next_renewal(const Launch *launch); // the sequence that the next block gets which renews its own

bool is_device(uintptr_t address, size_t bytes);
bool is_allocated(uintptr_t address);
void note_written(uintptr_t address, size_t bytes); // by the host
/* Bytes of an allocation that neither the host nor a kernel has written, in whole words; *first: where they begin. */
size_t count_unwritten(uintptr_t address, size_t bytes, uintptr_t *first);
void fill_memory(uintptr_t address, int value, size_t bytes); // for the host: a memset that may leave pages alone
// What makes a copy, fill or library call, by its ranges, race with operations that nothing orders; "" when nothing does. Then the
// launch error is set.
std::string refuse_stream_race(const Operation &o);
size_t allocation_count(void);
std::string first_leak(size_t since); // allocations made after there were so many in all; "" when all are freed

bool lies_within(Worker *w, uintptr_t address, size_t bytes, Space space); // one allocation or variable
// A bulk copy is going to read this: is it device memory?
void check_bulk(Worker *w, uintptr_t address, size_t bytes, Place place);

// derived.cpp
void find_given(Launch *launch); // fills in launch->given
// Can the launch have a pointer into the allocation that begins at `low`?
bool is_derived(const Launch *launch, uintptr_t low);

// bulk.cpp
inline constexpr char WARPGROUP_PRODUCT[] = "a product of a warpgroup";
bool mbarrier_passed(Worker *w, void *barrier, unsigned parity); // lets copies arrive that the phase waits for
void end_block_bulk(Worker *w);                                  // an error if copies are still on their way

// heap.cpp
void heap_place(uintptr_t low, uintptr_t high); // where it may be
uintptr_t heap_low(void);
bool heap_holds(uintptr_t address);
bool heap_block(uintptr_t address, uintptr_t *low, uintptr_t *high); // what malloc gave in a kernel

size_t heap_limit(void);
void set_heap_limit(size_t bytes);

// count.cpp
extern bool counting_lines;
void count_step(Worker *w);
wl_sim_counters &counters_at(Worker *w, Place place);
Place place_of(const Worker *w, unsigned thread); // where it stands
void add_counters(wl_sim_counters *sum, const wl_sim_counters &more);
void remember_lines(const std::string &kernel, const PlaceCounters &places);

// trace.cpp
bool is_traced(const uint3 &block);
void trace_together(Worker *w, char kind, uint32_t lanes, Place place); // a step without requests, a warp-wide call
void trace_barrier(Worker *w, Place place);
void trace_request(Worker *w, const Event &e, const wl_sim_counters &own); // own: what it adds to the counters
void trace_bulk(Worker *w, uintptr_t address, unsigned bytes, unsigned sectors, Place place); // a bulk copy's load
void gather_trace(const std::vector<std::unique_ptr<Worker>> &workers, int count); // of a launch that is over

// page.cpp
void put_counters(FILE *out, const wl_sim_counters &values); // "counters": {...}

// protection.cpp
void close_device_memory(void); // from now on, except in windows
void enter_window(bool enters); // device memory is open until the window is left
void enter_launch(bool enters); // the window of a kernel
void settle_window(void);       // the host waits for the device, so memory that launches have left open is closed
struct DeviceWindow {
    DeviceWindow() { enter_window(true); }
    ~DeviceWindow() { enter_window(false); }
    DeviceWindow(const DeviceWindow &) = delete;
};
/* Only these bytes are open, for a copy: the fewer pages, the quicker. */
class RangeWindow {
    uintptr_t low;
    size_t bytes;
    bool changes;

  public:
    RangeWindow(uintptr_t low, size_t bytes);
    ~RangeWindow();
    RangeWindow(const RangeWindow &) = delete;
};
bool is_in_section(uintptr_t address);           // of __device__, __constant__ or __managed__ variables
const char *word_of_variable(uintptr_t address); // "__device__", "__constant__"; null: none, or a managed one
bool name_symbols(bool on); // the calling thread names variables, as it may; returns what was before
std::string host_fault(uintptr_t address,
                       int writes); // what the host does there; "": it is no device memory. writes < 0: not known
// Told, and true: a call gets the name of a variable where it needs an address.
bool refuse_symbol(const char *call, const void *to, const void *from);
bool refuse_symbol_argument(const std::string &kernel, const void *arguments, size_t bytes);
[[noreturn]] void refuse_host_call(Place place); // of a kernel

// streams.cpp
extern std::atomic<bool> host_in_danger; // a copy from or to pinned memory may be on its way
HostPlace host_place(void);
Operation queue_operation(::wl_sim_stream *stream, const std::string &what);
std::vector<Operation> unordered_with(const Operation &o);
void remember_operation(const Operation &o); // it may go on until the host waits for it
void wait_for_operation(const Operation &o);
void wait_for_all(void);
bool is_pinned(uintptr_t address);
void check_host_access(uintptr_t address, size_t bytes, bool writes, Place place);
std::string described(const Operation &o); // "kernel GPUshared (05_shared/kernel.cu:49)"

void enter_stream(bool enters); // the calling thread computes for a stream
bool in_stream(void);
extern std::atomic<uint64_t> simulated_work; // steps of warps, and copied bytes / 32, since the program began

// graphs.cpp
/* Is the stream captured? Then the action becomes a node of the graph, and nothing is to be done now. `type`: a cudaGraphNodeType. */
bool captured(::wl_sim_stream *stream, int type, std::function<void(::wl_sim_stream *)> action);
bool captured_record(::wl_sim_stream *stream, ::wl_sim_event *event);
bool captured_wait(::wl_sim_stream *stream, ::wl_sim_event *event);

// grid.cpp
std::shared_ptr<GridBarrier> make_grid_barrier(unsigned blocks);
void leave_grid_barrier(GridBarrier &barrier, bool failed); // the block is over
inline constexpr char ANOTHER_FAILED[] = "another block has failed", STOPPED[] = "the program is stopped";

// waits.cpp
// `add_worker`: runs blocks of the launch on another host thread.
std::shared_ptr<struct Waits> make_waits(std::function<std::thread(void)> add_worker);
enum class Round { none, of_some, of_all };        // of_some: other lanes of the warp have had no turn
void begin_look(Worker *w);                        // does the warp that runs go round in a loop?
Round goes_round(Worker *w);                       // after a step: it does, and only others can end that
uint64_t changes_of_blocks(const Launch *launch);  // when a block is looked at
void wait_for_blocks(Worker *w, uint64_t changes); // its warps have all been seen in such loops since
void go_on_after_wait(Worker *w);
uint64_t next_turn(Launch *launch);    // the next block's; at least launch->blocks: there is none
void end_turn(Worker *w);              // the block is over
std::string end_waits(Launch *launch); // "", or what is to be said of blocks that waited for later ones

// textures.cpp
struct ArrayShape {
    char *memory;
    size_t element, width, rows, planes, pitch; // the element's bytes; texels; bytes from one row to the next
};
ArrayShape array_shape(const ::wl_sim_array *array);

// device.cpp
const char *error_text(int error);
uint64_t resident_blocks(const void *kernel, uint64_t threads, size_t shared_bytes); // on the device at once

// division.cpp
// A kernel has trapped at a division, which is told. Then it goes on. False: that was no division.
bool refuse_division(void *context);

// watchdog.cpp
[[noreturn]] void end_with(const std::string &message); // of a crash of host code
unsigned block_seconds(void);                           // that a block may run: WL_SIM_SECONDS
bool runs_too_long(const Worker *w);
bool is_watched(void); // a check is under way: wl_sim_watch
/* Lives while the simulated device itself keeps the host busy, with large memory for example. That is no endless loop of the host's. */
struct Working {
    Working();
    ~Working();
};
void watch_block(bool on); // the calling host thread begins to run blocks, or ends
extern std::atomic<unsigned> kernels_running;
extern std::atomic<bool> stop_asked, kernels_stopped; // the program is to end; the kernel that ran has left its blocks

// lines.cpp
struct SourceLine {
    std::string file; // "" where it is not known
    int line;
    std::string function;
};
SourceLine source_line(Place place); // of the program, not of the headers that stand in for CUDA's
bool is_cuda_header(const char *file);
std::string place_name(Place place); // "05_shared/kernel.cu:25"
// Who has called the kernel code that runs, "; called from encrypt, k.cu:30; k, k.cu:51". `place`: where that is; null: where it is now.
std::string callers_here(Place place);
std::string host_place_name(const HostPlace &place); // of the first line outside of harness/
std::string memory_place(
    const HostPlace &place); // "in main, prog.cu:3", or "as data in ..." if the line names what it allocates
std::string short_path(const char *path); // "05_shared/kernel.cu"
void short_paths_in(const char *folder);  // those of files in it are relative to it from now on

// symbols.cpp
/* The element `offset` bytes into a variable of a function in the file of `kernel`: "dist[3]", and the variable: "dist[128]". */
struct Element {
    std::string element, variable;
};
Element element_at(const Symbol &variable, const void *kernel, long offset); // lines.cpp
const std::vector<Symbol> &shared_symbols(void);                             // both by address
const std::vector<Symbol> &device_symbols(void);                             // __device__ variables
Owner owner_at(const void *function);
bool has_function(std::initializer_list<const char *> parts); // whose mangled name has one of them
std::string readable(const Owner &owner);                     // "shared_access<double>"
uintptr_t thread_local_base(void);
unsigned saved_registers(Place place);    // that the kernel file's function at `place` pushes; 0: not known
std::string function_before(Place place); // the kernel file's function that it may be in; "" when there is none
uintptr_t text_base(void);

// runtime.cpp
void record_launch(const Launch &launch, const wl_sim_counters &counters);
size_t allowed_shared(const void *kernel);
int allow_shared(const void *kernel, int bytes); // dynamic, above 48 KB
void set_launch_error(int code, const std::string &message);
void refuse_launch(int code, const std::string &message); // cudaSuccess, "": a launch begins
int launch_error(void);                    // that a kernel failed with, until cudaGetLastError takes it; else 0
int report(int code);                      // returns `code`, which cudaGetLastError will return too
void complain(const std::string &message); // for take_complaint
void tell(const wl_sim_finding &finding);
bool tells_findings(void);                // to a program's report
void suspect(const std::string &message); // what harms only if the result turns out wrong; for take_suspicion
std::string take_suspicion(void);
/* What may be a mistake, as calls that failed for their arguments are; and copies to the host of what nobody has written. */
void warn(const std::string &message);
std::vector<std::string> take_warnings(void);
std::vector<std::string> take_unwritten_copies(void);
void note_unwritten_copy(const char *what, size_t unwritten, size_t bytes, size_t first);
std::string take_complaint(void); // the first one since; "" when there is none

} // namespace wl_sim
