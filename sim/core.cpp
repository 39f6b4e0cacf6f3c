/* Running a grid: blocks are handed to host threads, a block's warps take turns, and a warp's lanes go forward step by
   step (internal.h). */
#include <omp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <mutex>
#include <thread>

#include "cuda_runtime.h"
#include "sim/fiber.h"
#include "sim/usual.h"

// What kernels know as blockDim and gridDim.
wl_dimensions current_block __asm__("wl_sim_block_shape"), current_grid __asm__("wl_sim_grid_shape");

namespace wl_sim {

thread_local Worker *active;
std::mutex device_mutex;

static std::vector<std::unique_ptr<Worker>> workers; // kept from launch to launch for their stacks
static std::atomic<size_t> worker_count;             // blocks that wait for others may need more during a launch
static int worker_limit;
static bool left_out; // kernels are not run
uint64_t next_sequence = 1;
unsigned far_blocks;
static uint64_t first_blocks; // of each launch; 0: all
static uint64_t order;        // of blocks and warps: the usual one for 0, the reverse for 1, by chance for others
static uint64_t steps_asked;  // 0: as many as ever
static std::atomic<bool> gave_up;

// A warp gives way to the others after so many steps, so that one that spins on another's flag does not hang.
constexpr unsigned TURN = 1 << 16;
// After so many of them, it is looked at whether it goes round in a loop. A block that is known to wait takes turns of the first number.
constexpr unsigned LOOKS[] = {1 << 9, 1 << 13, TURN - (1 << 9), TURN};
// A block that takes more steps than this, a minute or so of the host's time, is said to loop for ever. WL_SIM_STEPS
// overrides it.
static uint64_t step_limit(void) {
    static const uint64_t limit = [] {
        const char *text = getenv("WL_SIM_STEPS");
        uint64_t given = text ? strtoull(text, nullptr, 10) : 0;
        return given ? given : (uint64_t)1 << 25;
    }();
    return steps_asked ? steps_asked : limit;
}

std::string thread_name(const Launch *launch, unsigned thread) {
    dim3 shape = launch->block;
    char text[64];
    snprintf(text, sizeof text, "thread (%u,%u,%u)", thread % shape.x, thread / shape.x % shape.y,
             thread / shape.x / shape.y);
    return text;
}

std::string lanes_name(uint32_t lanes) {
    std::string text;
    for (unsigned lane = 0; lane < WARP; lane++) {
        if (!(lanes >> lane & 1)) continue;
        unsigned last = lane;
        while (last + 1 < WARP && lanes >> (last + 1) & 1) last++;
        text += (text.empty() ? "" : ", ") + std::to_string(lane);
        if (last > lane) text += "-" + std::to_string(last);
        lane = last;
    }
    return text.empty() ? "none" : text;
}

void await_store(const Worker *w, uintptr_t address) {
    std::atomic_thread_fence(std::memory_order_acquire); // after the look at the tag
    for (size_t i = 0, count = worker_count.load(std::memory_order_acquire); i < count; i++) {
        const Worker *other = workers[i].get();
        while (other != w && address >= other->storing_low.load(std::memory_order_acquire) &&
               address < other->storing_high.load(std::memory_order_acquire))
            std::this_thread::yield();
    }
}

/* The stack to go on with: of the next lane of the step, or the scheduler's. */
static inline void *next_stack(Worker *w) {
    const uint32_t here = w->remaining, rest = here & (here - 1);
    if (here == 0) return w->scheduler;
    const unsigned first = w->lane / WARP * WARP;
    if (rest) __builtin_prefetch(w->sp[first | (unsigned)__builtin_ctz(rest)]); // each stack has pages of its own
    const unsigned lane = first | (unsigned)__builtin_ctz(here);
    w->lane = lane;
    w->remaining = rest;
    w->next = w->events.data();
    return w->sp[lane];
}
static void *next_after_closer_look(Worker *w) {
    void *const stack = next_stack(w);
    if (w->fenced_in_step && stack != w->scheduler) next_lane_after_fence(w, false);
    return stack;
}

void yield(Worker *w) {
    const unsigned self = w->lane;
    w->apart++;
    wl_sim_switch(&w->sp[self], next_after_closer_look(w));
}

void abandon(Worker *w) {
    if (w->error != ANOTHER_FAILED) w->error += callers_here(nullptr);
    abandon_as_told(w);
}

void abandon_as_told(Worker *w) {
    w->error_thread = w->lane;
    void *nowhere;
    wl_sim_switch(&nowhere, w->scheduler);
    __builtin_unreachable();
}

static void lane_main(void) {
    active->frames[active->lane].all.clear();
    active->frames[active->lane].last = (uintptr_t)__builtin_frame_address(0);
    active->launch->call(active->launch->arguments);
#if defined(__x86_64__)
    asm volatile("" ::: "rbx", "r12", "r13", "r14", "r15"); // a kernel may have changed what it saved of these
#endif
    Worker *w = active;
    end_store(w);
    w->lanes[w->lane].state = State::done;
    w->lanes[w->lane].went_on = w->next != w->events.data();
    w->done++;
    w->arrived = true; // those who wait for this lane need not any more
    yield(w);
    __builtin_unreachable();
}

/* Run the lanes of `group` up to their next basic block, barrier or warp-wide call, then count what they did. */
static void step(Worker *w, uint32_t group) {
    unsigned first = (unsigned)__builtin_ctz(group);
    wl_sim_counters &c = counting_lines ? counters_at(w, place_of(w, w->warp * WARP + first)) : w->counters;
    c.steps++;
    c.step_lanes += (unsigned)__builtin_popcount(group);
    const Place start = w->traced ? place_of(w, w->warp * WARP + first) : nullptr;
    const uint64_t seen = w->trace_seen;
    w->event_count = 0;
    set_moment(w);
    w->group = group;
    w->remaining = group & (group - 1);
    w->lane = w->warp * WARP + first;
    w->common = w->apart = 0;
    w->common_place = nullptr;
    w->next = w->events.data();
    wl_sim_switch(&w->scheduler, w->sp[w->lane]);
    if (w->polled.address) finish_poll(w);
    if (w->fenced_in_step) next_lane_after_fence(w, true);
    if (w->event_count) count_step(w);
    if (w->traced && w->trace_seen == seen) trace_together(w, '.', group, start);
    const bool slow = runs_too_long(w);
    if (stop_asked.load(std::memory_order_relaxed) && w->error.empty()) w->error = STOPPED;
    if ((++w->steps > step_limit() || slow) && w->error.empty()) {
        w->error_thread = w->lane;
        gave_up = true;
        const Place place = (Place)((w->key[w->lane] & (((uint64_t)1 << 40) - 1)) + text_base());
        w->error = "still running after " +
                   (slow ? std::to_string(block_seconds()) + " s" : std::to_string(w->steps - 1) + " steps") + " at " +
                   place_name(place) + ": an endless loop, or a wait for a block that comes later (" +
                   (slow ? "WL_SIM_SECONDS" : "WL_SIM_STEPS") + " raises the limit)";
    }
}

/* The lanes that go next. */
struct Choice {
    uint32_t group; // 0: none is ready
    uint64_t next;  // the smallest key of the other lanes that are ready
};

/* Those that stand at the smallest key; at the end of a turn of spinning those at the largest, so that lanes that wait for
   others of their warp let them run. */
static Choice choose(const Worker *w, bool last) {
    const Lane *lanes = w->lanes + w->warp * WARP;
    const uint64_t *keys = w->key + w->warp * WARP;
    unsigned count = std::min(WARP, w->threads - w->warp * WARP);
    uint64_t best = UINT64_MAX;
    Choice choice = {0, UINT64_MAX};
    for (unsigned l = 0; l < count; l++) {
        if (lanes[l].state != State::ready) continue;
        uint64_t key = last ? ~keys[l] : keys[l];
        if (choice.group == 0 || key < best) choice.next = best, best = key, choice.group = 0;
        if (key == best)
            choice.group |= 1u << l;
        else
            choice.next = std::min(choice.next, key);
    }
    return choice;
}

/* Lanes whose phase of a barrier in shared memory is complete go on. */
static void wake(Worker *w) {
    Lane *lanes = w->lanes + w->warp * WARP;
    const unsigned count = std::min(WARP, w->threads - w->warp * WARP);
    for (unsigned l = 0; l < count; l++)
        if (lanes[l].state == State::at_mbarrier && mbarrier_passed(w, lanes[l].all, (unsigned)lanes[l].value))
            lanes[l].state = State::ready;
}

/* Returns whether the warp got anywhere. */
static bool run_warp(Worker *w, unsigned warp) {
    w->warp = warp;
    wake(w);
    w->arrived = w->spinning = w->goes_round = false;
    w->looks = false;
    bool moved = false, far = false; // far: the lanes that mostly go first are in a loop, so others do
    const unsigned turns = w->waits && !w->in_vain ? LOOKS[0] : TURN, *look = LOOKS;
    unsigned next_look = turns == TURN ? *look : 0;
    Choice choice = {};
    w->apart = 1;
    for (unsigned turn = 0; turn < turns; turn++) {
        const bool last = turn == turns - 1 && w->spinning;
        // Lanes that came to one place together, ahead of all others, go on together: mostly nobody has to look for them.
        const bool ahead = w->apart == 0 && w->common < choice.next;
        if (!ahead || w->arrived || last || far) {
            // A call is complete as soon as all have come: lanes that are past the branch it is in wait for those inside.
            if (w->arrived) w->arrived = false, finish_warp_calls(w, warp);
            choice = choose(w, last || far);
        }
        if (choice.group == 0) break;
        step(w, choice.group);
        if (!w->error.empty()) break;
        moved = true;
        if (!w->spinning) continue;
        if (turn >= next_look) {
            while (next_look <= turn) next_look = *look++;
            begin_look(w);
        } else if (const Round round = w->looks ? goes_round(w) : Round::none; round == Round::of_all) {
            w->goes_round = true;
            break;
        } else if (round == Round::of_some) {
            far = true;
            next_look = turn + LOOKS[0];
            w->looks = false;
        }
    }
    if (w->arrived && w->error.empty()) finish_warp_calls(w, warp); // whoever came in the last turn came, too
    return moved;
}

uint3 block_index(const Launch *launch, uint64_t linear) {
    const dim3 g = launch->grid;
    if (linear >= launch->blocks / 2) linear += launch->left_out;
    return {(unsigned)(linear % g.x), (unsigned)(linear / g.x % g.y), (unsigned)(linear / g.x / g.y)};
}

/* The `turn`-th of `count` in the order asked for. */
static uint64_t in_order(uint64_t turn, uint64_t count) {
    if (order == 0) return turn;
    if (order == 1) return count - 1 - turn;
    uint64_t step = (order * 0x9E3779B97F4A7C15 >> 20) % count + 1;
    while (std::gcd(step, count) != 1) step++;
    return (turn * step + order) % count;
}

/* What is known of such memory holds no longer. */
static void forget_events(Worker *w, Space space) {
    for (Event &e : w->events) {
        if (e.place == nullptr) break; // nobody has used the others
        if (e.space == space) e.lasting = false;
    }
}

static void run_block(Worker *w, uint64_t linear) {
    Launch *launch = w->launch;
    w->block_linear = linear;
    w->block = block_index(launch, linear);
    w->sequence = launch->first_sequence + linear;
    w->first_counted = launch->first_sequence;
    w->epoch = w->done = 0;
    w->steps = w->steps_seen = 0;
    w->ticks = 0;
    w->suspect.size = 0;
    w->traced = is_traced(w->block);
    w->sequences_before.clear();
    std::fill(w->warp_epoch, w->warp_epoch + MAX_WARPS, 0);
    std::fill(w->arrived_at, w->arrived_at + MAX_WARPS, 0);
    begin_block_signals(w);
    if (has_guesses) memset(w->loaded, 0, w->threads * sizeof *w->loaded);
    start_block_memory(w);
    forget_events(w, Space::shared); // which is new
    for (unsigned t = 0; t < w->threads; t++) {
        w->sp[t] = wl_sim_fiber(stack_of(w, t + 1), lane_main);
        w->key[t] = 0;
        w->lanes[t].state = State::ready;
    }
    while (w->done < w->threads && w->error.empty()) {
        const uint64_t changes = changes_of_blocks(launch);
        bool moved = false, waits = true;
        for (unsigned turn = 0; turn < w->warps && w->error.empty(); turn++) {
            const bool goes = run_warp(w, (unsigned)in_order(turn, w->warps));
            moved |= goes;
            waits &= !goes || w->goes_round;
        }
        if (moved && waits && w->error.empty())
            wait_for_blocks(w, changes);
        else if (w->waits)
            go_on_after_wait(w);
        if (w->error.empty() && !moved && !finish_barrier(w) && w->error.empty()) explain_stuck(w);
    }
    w->suspect.size = 0; // of a block that was given up
    end_store(w);
    if (w->error.empty()) end_block_bulk(w);
    end_block_signals(w);
}

static Worker *make_worker(void) {
    Worker *w = new Worker();
    size_t bytes = STACK_BYTES * MAX_THREADS, margin = 1 << 20; // one frame may reach past the end before it is noticed
    char *memory = (char *)mmap(nullptr, margin + bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return delete w, nullptr;
    w->stacks_low = memory + margin;
    madvise(w->stacks_low, bytes, MADV_NOHUGEPAGE); // most of a stack is never touched
    w->stacks_high = w->stacks_low + bytes;
    w->events.resize(64, Event{});
    return w;
}

std::string from_thread(const Launch *launch, uint64_t linear, unsigned thread) {
    const uint3 block = block_index(launch, linear);
    char where[96];
    snprintf(where, sizeof where, ": block (%u,%u,%u) ", block.x, block.y, block.z);
    return launch->name + (where + thread_name(launch, thread)) + ": ";
}

static void run_blocks(Worker *w, Launch *launch) {
    w->launch = launch;
    w->threads = launch->block.x * launch->block.y * launch->block.z;
    w->warps = (w->threads + WARP - 1) / WARP;
    const dim3 shape = launch->block;
    for (unsigned t = 0; t < w->threads; t++) w->index[t] = {t % shape.x, t / shape.x % shape.y, t / shape.x / shape.y};
    w->text = text_base();
    attach_memory(w);
    forget_events(w, Space::shared);
    forget_events(w, Space::global);
    active = w;
    watch_block(true);
    w->waits = w->in_vain = false;
    w->naps = 0;
    w->proved_at = UINT64_MAX;
    bool begun = false;
    for (;;) {
        if (begun) end_turn(w);
        const uint64_t turn = next_turn(launch);
        begun = turn < launch->blocks;
        if (!begun) break;
        const uint64_t block = in_order(turn, launch->blocks);
        if (order ? launch->failed_block != UINT64_MAX : block > launch->failed_block) break;
        w->error.clear();
        run_block(w, block);
        simulated_work += w->steps;
        if (launch->grid_barrier) leave_grid_barrier(*launch->grid_barrier, !w->error.empty());
        if (stop_asked) break;
        const bool failed = !w->error.empty() && w->error != ANOTHER_FAILED;
        if (failed && goes_on) find_failed_block(w);
        // A race explains what was loaded.
        const bool suspicious = !w->unwritten.empty() && (!failed || w->error.compare(0, 4, "race") != 0);
        if ((!failed || goes_on) && !suspicious) continue;
        static std::mutex mutex;
        std::lock_guard<std::mutex> guard(mutex);
        if (failed && !goes_on && block < launch->failed_block) {
            launch->failed_block = block;
            launch->error = from_thread(launch, block, w->error_thread) + w->error;
        }
        if (suspicious && block < launch->suspicious_block) {
            launch->suspicious_block = block;
            launch->suspicion = from_thread(launch, block, w->unwritten_thread) + w->unwritten;
        }
    }
    if (begun) end_turn(w);
    watch_block(false);
    active = nullptr;
}

/* One more for the launch. null: no memory for its stacks. */
static Worker *next_worker(size_t *used) {
    if (*used == workers.size()) {
        Worker *w = make_worker();
        if (w == nullptr) return nullptr;
        workers.emplace_back(w);
        worker_count.store(workers.size(), std::memory_order_release);
    }
    Worker *w = workers[(*used)++].get();
    w->counters = {};
    w->by_place.clear();
    memset(w->known, 0, sizeof w->known);
    w->trace.clear();
    w->trace_seen = 0;
    w->found.clear();
    w->guesses.clear();
    return w;
}

/* Why the launch is impossible, or "". */
static std::string refused(const Launch &launch, const void *kernel) {
    dim3 g = launch.grid, b = launch.block;
    uint64_t threads = (uint64_t)b.x * b.y * b.z;
    if (threads == 0 || threads > MAX_THREADS || b.z > 64)
        return "a block has 1 to 1,024 threads, at most 64 in z, not " + std::to_string(b.x) + " x " +
               std::to_string(b.y) + " x " + std::to_string(b.z);
    if (g.x == 0 || g.y == 0 || g.z == 0) return "a grid has at least one block in each direction";
    if (g.x > 0x7fffffff || g.y > 65535 || g.z > 65535) return "a grid has at most 65,535 blocks in y and z";
    if (launch.blocks >= 1u << 27) return "the simulated device runs at most 2^27 blocks a launch";
    if (launch.owner.mangled == "?") return "its object file has no symbol table (cmake/symbol-table.sh)";
    if (launch.static_bytes > STATIC_SHARED_LIMIT) return "more than 48 KB of static shared memory";
    if (constant_bytes(launch.owner) > CONSTANT_LIMIT) return "more than 64 KB of constant memory in the kernel's file";
    // cudaFuncSetAttribute is about the dynamic part; a block has to have room for both.
    if (launch.dynamic_bytes > std::max(STATIC_SHARED_LIMIT - launch.static_bytes, allowed_shared(kernel)) ||
        launch.dynamic_bytes + launch.static_bytes > shared_limit)
        return "more shared memory than allowed: above 48 KB, cudaFuncSetAttribute has to ask for it";
    return "";
}

/* A kernel launches a kernel, or asks for a copy. What its threads have asked for is done after it, in the order of blocks and threads, in
   its own stream: one of the orders that a GPU may choose. */
void add_child(Worker *w, bool tail, std::function<void(void)> done) {
    std::lock_guard<std::mutex> guard(w->launch->adding);
    w->launch->children.push_back({w->block_linear, w->lane, tail, std::move(done)});
}

static void run_children(std::vector<Child> &children) {
    const auto place = [](const Child &c) { return std::make_tuple(c.tail, c.block, c.thread); };
    std::stable_sort(children.begin(), children.end(),
                     [&](const Child &a, const Child &b) { return place(a) < place(b); });
    for (Child &c : children) c.run();
}

void run(const void *kernel, shape shape, void (*call)(void *), void *arguments, size_t bytes) {
    if (active) {
        const bool tail = std::exchange(shape.stream, active->launch->stream) == cudaStreamTailLaunch;
        return add_child(active, tail,
                         [=, copy = std::vector<char>((char *)arguments, (char *)arguments + bytes)]() mutable {
                             run(kernel, shape, call, copy.data(), bytes);
                         });
    }
    if (captured(shape.stream, cudaGraphNodeTypeKernel,
                 [=, copy = std::vector<char>((char *)arguments, (char *)arguments + bytes)](cudaStream_t stream) {
                     std::vector<char> parameters = copy; // a kernel may change its own
                     wl_sim::shape again = shape;
                     again.stream = stream;
                     run(kernel, again, call, parameters.data(), bytes);
                 }))
        return;
    refuse_launch(cudaSuccess, "");
    if (launch_error() != cudaSuccess) return; // as on the device: after a kernel failed nothing runs
    std::unique_lock<std::mutex> guard(device_mutex);
    Launch launch{};
    launch.grid = shape.grid;
    launch.block = shape.block;
    launch.dynamic_bytes = shape.bytes;
    launch.owner = owner_at(kernel);
    launch.name = readable(launch.owner);
    launch.static_bytes = static_shared_bytes(launch.owner);
    launch.kernel = kernel;
    launch.call = call;
    launch.arguments = arguments;
    launch.argument_bytes = bytes;
    launch.stream = shape.stream;
    launch.blocks = (uint64_t)shape.grid.x * shape.grid.y * shape.grid.z;
    if (first_blocks && launch.blocks > first_blocks && !shape.cooperative) launch.blocks = first_blocks;
    if (far_blocks && launch.blocks > far_blocks && !shape.cooperative) {
        launch.left_out = launch.blocks - far_blocks;
        launch.blocks = far_blocks;
    }
    if (const std::string reason = refused(launch, kernel); !reason.empty()) {
        /* CUDA 13's runtime calls what a device has too little of an invalid value; before, it was an invalid configuration. */
        const bool is_empty = launch.blocks == 0 || (uint64_t)shape.block.x * shape.block.y * shape.block.z == 0;
        refuse_launch(is_empty ? cudaErrorInvalidConfiguration : cudaErrorInvalidValue, launch.name + ": " + reason);
        return;
    }
    if (shape.cooperative) {
        const uint64_t most =
            resident_blocks(kernel, (uint64_t)shape.block.x * shape.block.y * shape.block.z, shape.bytes);
        if (launch.blocks > most) {
            refuse_launch(cudaErrorCooperativeLaunchTooLarge, launch.name + ": a cooperative launch of " +
                                                                  std::to_string(launch.blocks) + " blocks, of which " +
                                                                  std::to_string(most) + " fit on the device at once");
            return;
        }
    }
    if (refuse_symbol_argument(launch.name, arguments, bytes)) {
        set_launch_error(cudaErrorLaunchFailure, launch.name + ": an illegal address among the arguments");
        return;
    }
    launch.grid_barrier = shape.cooperative ? make_grid_barrier((unsigned)launch.blocks) : nullptr;
    // A tag has 28 bits for the sequence. A quarter of them is left for new_sequence.
    if (next_sequence + launch.blocks >= Tag::SEQUENCES / 4 * 3 || has_few_moments()) {
        forget_tags();
        for (auto &w : workers) forget_shared_tags(w.get());
        next_sequence = 1;
    }
    if (left_out) return;
    find_shared(&launch);
    find_given(&launch);
    static const bool compares = has_function({"atomicCAS", "compare_exchange"}); // no launch changes that
    has_guesses = compares;
    launch.first_sequence = next_sequence + 1; // see start_moments
    launch.operation = queue_operation(shape.stream, "kernel " + launch.name);
    launch.unordered = unordered_with(launch.operation);
    launch.failed_block = launch.suspicious_block = UINT64_MAX;
    launch.signals = make_signals();

    int wanted = order > 0 ? 1 : worker_limit > 0 ? worker_limit : omp_get_num_procs();
    wanted = (int)std::min<uint64_t>((uint64_t)wanted, launch.blocks);
    if (shape.cooperative)
        wanted = (int)launch.blocks; // each on a host thread of its own, so that it can wait for others
    size_t used = 0;
    workers.reserve((size_t)wanted + MOST_RESIDENT); // those that are there must not move
    while ((int)used < wanted && next_worker(&used)) continue;
    if (used == 0) {
        set_launch_error(cudaErrorMemoryAllocation, launch.name + ": no memory for the threads' stacks");
        return;
    }
    if (shape.cooperative && (int)used < wanted) {
        set_launch_error(cudaErrorMemoryAllocation, launch.name + ": no memory for the stacks of all blocks at once");
        return;
    }
    wanted = (int)used;
    if (launch.blocks > 1 && !shape.cooperative)
        launch.waits = make_waits([&] {
            Worker *w = next_worker(&used);
            return w ? std::thread(run_blocks, w, &launch) : std::thread();
        });
    current_block = {shape.block.x, shape.block.y, shape.block.z};
    current_grid = {shape.grid.x, shape.grid.y, shape.grid.z};
    enter_launch(true);
    kernels_running++;
    std::atomic<bool> too_few{false}; // blocks that wait for each other would wait for ever
#pragma omp parallel num_threads(wanted)
    {
        if (shape.cooperative && omp_get_num_threads() < wanted)
            too_few = true;
        else
            run_blocks(workers[omp_get_thread_num()].get(), &launch);
    }
    const std::string late = end_waits(&launch);
    wanted = (int)used;
    kernels_running--;
    enter_launch(false);
    if (too_few) {
        set_launch_error(cudaErrorLaunchFailure,
                         launch.name + ": a cooperative launch needs a host thread for each of its " +
                             std::to_string(wanted) + " blocks, and OpenMP gives fewer (OMP_THREAD_LIMIT)");
        return;
    }
    launch.operation.first_sequence = next_sequence;
    next_sequence = launch.first_sequence + launch.blocks + launch.renewed.size();
    launch.operation.end_sequence = next_sequence;
    tell_found(&launch, workers, wanted);
    // Errors first. Whoever is told one line reads both in it.
    if (launch.failed_block != UINT64_MAX && launch.suspicious_block == launch.failed_block && !tells_findings())
        launch.error += "; before that, " + launch.suspicion.substr(launch.suspicion.find(" thread (") + 1);
    else if (!first_blocks) // else blocks that are left out may have been to write what was loaded
        suspect(launch.suspicion);
    if (launch.failed_block == UINT64_MAX) {
        remember_operation(launch.operation);
        if (!late.empty()) warn(late);
    }

    wl_sim_counters sum = {};
    for (int i = 0; i < wanted; i++) {
        for (const auto &[place, counters] : workers[i]->by_place) add_counters(&sum, counters);
        add_counters(&sum, workers[i]->counters);
        if (counting_lines) remember_lines(launch.name, workers[i]->by_place);
    }
    gather_trace(workers, wanted);
    record_launch(launch, sum);
    while (stop_asked) { // somebody else reports what there is, and ends the program
        if (!kernels_stopped.exchange(true)) guard.unlock();
        pause();
    }
    if (launch.failed_block != UINT64_MAX) set_launch_error(cudaErrorLaunchFailure, launch.error);
    guard.unlock();
    run_children(launch.children);
}

/* A library computes on the host: what it calls is told that it is one thread in a grid of one. */
void begin_one_thread(void) {
    if (!device_mutex.try_lock()) return; // a kernel runs, and has blockDim
    current_block = current_grid = {1, 1, 1};
    device_mutex.unlock();
}

[[gnu::cold, gnu::noinline]] static uint3 index_on_host(void) {
    if (!in_stream()) end_with("the host asks for threadIdx or blockIdx in " + host_place_name(host_place()));
    return {0, 0, 0};
}

template <Kind KIND, unsigned SIZE> [[gnu::noinline]] static void unsettled(uintptr_t address, Place place) {
    if (Worker *w = active) {
        if (!usual_access<KIND, SIZE>(w, address, place))
            access(w, address, SIZE, KIND, false, place, KIND != Kind::store);
    } else if (host_in_danger) {
        check_host_access(address, SIZE, KIND != Kind::load, place);
    }
}
/* An access of a kernel, or of the host code in its file. */
template <Kind KIND, unsigned SIZE> [[gnu::always_inline]] static inline void plain(void *a, Place place) {
    Worker *w = active;
    if (w == nullptr || !settled_access<KIND, SIZE>(w, (uintptr_t)a, place)) unsettled<KIND, SIZE>((uintptr_t)a, place);
}
static void is_volatile(void *a, unsigned size, Kind kind, Place place) {
    const uintptr_t address = (uintptr_t)a;
    if (active)
        access(active, address, size, kind, true, place, kind != Kind::store);
    else if (host_in_danger)
        check_host_access(address, size, kind != Kind::load, place);
}

} // namespace wl_sim

using namespace wl_sim;

extern "C" {

void wl_sim_set_workers(int count) { worker_limit = count; }
void wl_sim_leave_out_kernels(int on) { left_out = on != 0; }
void wl_sim_first_blocks(uint64_t blocks) { first_blocks = blocks; }
void wl_sim_set_order(uint64_t seed) { order = seed; }
int wl_sim_limit(uint64_t steps, unsigned blocks) {
    steps_asked = steps;
    far_blocks = blocks;
    return gave_up.exchange(false);
}

uint3 wl_sim_thread_index(void) {
    const Worker *w = active;
    return w ? w->index[w->lane] : index_on_host();
}
uint3 wl_sim_block_index(void) { return active ? active->block : index_on_host(); }
void *wl_sim_dynamic_shared(void) { return active->dynamic_shared; }
void *wl_sim_shared_at(size_t address);
void *wl_sim_shared_at(size_t address) {
    if (address >> 32) return (void *)address;
    const uintptr_t lows[] = {active->static_low, (uintptr_t)active->dynamic_shared};
    const size_t sizes[] = {active->static_high - active->static_low, SHARED_LIMIT};
    for (int i = 0; i < 2; i++)
        if ((uint32_t)(address - lows[i]) < sizes[i]) return (void *)(lows[i] + (uint32_t)(address - lows[i]));
    return (void *)address;
}
unsigned wl_sim_lane(void) { return active->lane % WARP; }
int wl_sim_in_kernel(void);
int wl_sim_in_kernel(void) { return active != nullptr; }
long long wl_sim_clock(void) {
    active->asked_time = true;
    return (long long)active->steps;
}
clock_t wl_sim_clock_or_hosts(void);
clock_t wl_sim_clock_or_hosts(void) { return active ? (clock_t)wl_sim_clock() : clock(); }

// ---------------------------------------------------------------- what instrumented kernel code calls

#define PLACE ((Place)__builtin_return_address(0))

// Out of the way of what runs at every basic block.
[[noreturn, gnu::cold, gnu::noinline]] static void refuse_stack(Worker *w) {
    w->error = "stack overflow: recursion too deep, or too large local arrays (" +
               std::to_string((STACK_BYTES - STACK_RESERVE) >> 10) + " KB are there)";
    abandon(w);
}

/* The running lane has come to a basic block, whose call is to return to `place`. */
static inline void come_to(Worker *w, Place place, const char *frame) {
    w->storing_high.store(0, std::memory_order_release); // as end_store
    if (frame < stack_of(w, w->lane) + STACK_RESERVE) refuse_stack(w);
    const uint64_t key = w->key[w->lane] = key_of(w, place, frame);
    if (w->common == 0) w->common = key;
    w->apart += w->common != key;
}

#if defined(__x86_64__)
void *wl_sim_next(Worker *w, void **sp);
static inline uintptr_t stack_depth(const Worker *w, void **sp) { return (uintptr_t)sp - STACK_BYTES * w->lane; }
[[gnu::noinline]] static void *leave(Worker *w, void **sp) {
    const Place place = (Place)sp[6];
    if (w->suspect.size) settle_suspect(w);
    come_to(w, place, (const char *)(sp + 5));
    if (w->key[w->lane] == w->common && !w->fenced_in_step)
        w->common_place = place, w->common_stack = stack_depth(w, sp);
    return next_after_closer_look(w);
}
void *wl_sim_next(Worker *w, void **sp) {
    w->sp[w->lane] = sp;
    if ((Place)sp[6] != w->common_place || stack_depth(w, sp) != w->common_stack) return leave(w, sp);
    w->storing_high.store(0, std::memory_order_release); // as come_to
    w->key[w->lane] = w->common;
    return next_stack(w);
}
#else
void __sanitizer_cov_trace_pc(void) {
    Worker *w = active;
    if (w == nullptr) return; // host code of a kernel file
    end_store(w);
    come_to(w, PLACE, (const char *)__builtin_frame_address(0));
    wl_sim_switch(&w->sp[w->lane], next_after_closer_look(w));
}
#endif

#define WL_ACCESS(size)                                                                             \
    void __tsan_read##size(void *a) { plain<Kind::load, size>(a, PLACE); }                          \
    void __tsan_write##size(void *a) { plain<Kind::store, size>(a, PLACE); }                        \
    void __tsan_unaligned_read##size(void *a) { plain<Kind::load, size>(a, PLACE); }                \
    void __tsan_unaligned_write##size(void *a) { plain<Kind::store, size>(a, PLACE); }              \
    void __tsan_volatile_read##size(void *a) { is_volatile(a, size, Kind::load, PLACE); }           \
    void __tsan_volatile_write##size(void *a) { is_volatile(a, size, Kind::store, PLACE); }         \
    void __tsan_unaligned_volatile_read##size(void *a) { is_volatile(a, size, Kind::load, PLACE); } \
    void __tsan_unaligned_volatile_write##size(void *a) { is_volatile(a, size, Kind::store, PLACE); }
WL_ACCESS(1)
WL_ACCESS(2)
WL_ACCESS(4)
WL_ACCESS(8)
WL_ACCESS(16)

// Structures of other sizes.
void __tsan_read_range(void *a, unsigned long bytes) {
    if (active) access_range(active, (uintptr_t)a, bytes, Kind::load, PLACE);
}
void __tsan_write_range(void *a, unsigned long bytes) {
    if (active) access_range(active, (uintptr_t)a, bytes, Kind::store, PLACE);
}
void __tsan_vptr_update(void **, void *) {}
void __tsan_vptr_read(void **) {}
void __tsan_init(void) {}
/* The caller's frame, whose pointer is the first word of this function's. */
#define CALLERS_FRAME (*(uintptr_t *)__builtin_frame_address(0))
void __tsan_func_entry(void *) {
    Worker *w = active;
    if (w == nullptr) return;
    Frames &f = w->frames[w->lane];
    const uintptr_t outer = f.all.empty() ? f.last : f.all.back().at;
    const size_t before = f.all.size();
    for (uintptr_t at = CALLERS_FRAME; at < outer; at = f.all.back().next)
        f.all.push_back({at, ((uintptr_t *)at)[0], ((uintptr_t *)at)[1], 0, {}, false});
    std::reverse(f.all.begin() + (ptrdiff_t)before, f.all.end());
    if (f.all.size() == before) return;
    Frame &own = f.all.back();
    own.reported = true;
    own.count = std::min(saved_registers(PLACE), Frame::MOST_SAVED);
    memcpy(own.saved, (uintptr_t *)own.at - own.count, own.count * sizeof(uintptr_t));
}
void __tsan_func_exit(void) {
    Worker *w = active;
    if (w == nullptr) return;
    std::vector<Frame> &all = w->frames[w->lane].all;
    for (bool own = true; !all.empty() && (own || !all.back().reported); own = false, all.pop_back()) {
        const Frame &f = all.back();
        const uintptr_t *at = (uintptr_t *)f.at;
        if (at[0] == f.next && at[1] == f.returns && !memcmp(at - f.count, f.saved, f.count * sizeof *at)) continue;
        w->error = "out of bounds: something was stored beyond a local array, over what the function at " +
                   place_name(PLACE) + " returns with";
        abandon(w);
    }
}

/* -fsanitize=bounds: an index of an array that nobody else can reach, whose accesses are not reported otherwise. */
struct wl_sim_array_type {
    unsigned short kind, information;
    char name[1];
};
struct wl_sim_bad_index {
    const char *file;
    unsigned line, column;
    const wl_sim_array_type *array, *index;
};
void __ubsan_handle_out_of_bounds_abort(const wl_sim_bad_index *bad, void *index);
void __ubsan_handle_out_of_bounds_abort(const wl_sim_bad_index *bad, void *index) {
    const std::string what = "out of bounds: index " + std::to_string((long)index) + " of an array " +
                             bad->array->name + " at " + short_path(bad->file) + ":" + std::to_string(bad->line);
    if (active) {
        active->error = what + ", past the end or before the beginning of it";
        abandon(active);
    }
    fprintf(stderr, "%s\n", what.c_str());
    abort();
}

void wl_sim_atomic(const volatile void *address, unsigned size, const void *where) {
    Worker *w = active;
    if (w == nullptr) return;
    if (size == 4 && usual_access<Kind::atomic, 4>(w, (uintptr_t)address, (Place)where)) return;
    access_atomically(w, (uintptr_t)address, size, (Place)where, true);
}
void wl_sim_atomic_load(const volatile void *address, unsigned size, const void *where) {
    if (active == nullptr) return;
    active->only_loads = true;
    access_atomically(active, (uintptr_t)address, size, (Place)where, true);
}
void wl_sim_own_block(void) {
    if (active) active->own_block = true;
}
void wl_sim_read_only(const void *address, unsigned size) {
    if (active) check_read_only(active, (uintptr_t)address, size, PLACE);
}
int wl_sim_compare(const volatile void *address, unsigned size, void *expected, const void *where) {
    Worker *w = active;
    if (w == nullptr) return 1;
    uint64_t value = 0;
    if (size <= sizeof value) memcpy(&value, expected, size);
    if (has_guesses && size <= sizeof value) note_compare(w, (uintptr_t)address, size, value, (Place)where);
    if (size == 4 && usual_access<Kind::atomic, 4>(w, (uintptr_t)address, (Place)where)) return 1;
    return access_to_compare(w, (uintptr_t)address, size, expected, (Place)where);
}
void wl_sim_atomic_write(const volatile void *address, unsigned size, const void *where) {
    if (active) access_atomically(active, (uintptr_t)address, size, (Place)where, false);
}
void wl_sim_bound(unsigned threads) noexcept {
    Worker *w = active;
    if (w == nullptr) refuse_host_call((Place)__builtin_return_address(0));
    if (w->threads <= threads) return;
    w->error = "launched with " + std::to_string(w->threads) +
               " threads per block, and __launch_bounds__ promises at most " + std::to_string(threads) +
               ": a GPU refuses the launch";
    abandon(w);
}

// assert() in a kernel fails the launch; in host code it is the C library's.
void __assert_fail(const char *what, const char *file, unsigned line, const char *function) noexcept {
    if (active) wl_sim_trap((std::string("assertion '") + what + "' failed").c_str(), file, (int)line);
    fprintf(stderr, "%s:%u: %s: assertion '%s' failed\n", file, line, function, what);
    abort();
}

} // extern "C"
