/* Blocks that wait for other blocks. A GPU holds only so many blocks at once, and begins another when one of them has ended. So blocks that
   all wait for one that has not begun wait for ever. Here fewer blocks run at once than a GPU would hold, and a block that waits needs the
   processor of another. Once all that run wait, the next one begins, up to the number that the device holds.

   A block waits if each of its warps that can run goes round in a loop that only others can end. Then all lanes of the warp come back to the
   same places, with the same registers and stacks. Nothing has been stored, and atomic operations have left the same values. This counts
   when it has happened twice in a row. */
#include <chrono>
#include <condition_variable>
#include <thread>

#include "cuda_runtime.h"
#include "sim/internal.h"

namespace wl_sim {

/* The loop of a warp, as far as it is known. */
struct Loop {
    uint32_t lanes, came; // that can run; those that have run since the loop began
    uint64_t key[WARP], state[WARP];
    uint64_t values, before; // what atomic operations have left: in this round, and in the one before
    unsigned rounds, begun;  // rounds that were the same; how often it has been taken to begin
    Place polls;             // where it looks at what others store
};

struct Waits {
    std::mutex mutex;
    std::condition_variable changed;
    unsigned running, waiting, held; // blocks that have begun and not ended; those that wait; workers without a block
    unsigned proved;                 // blocks that were seen to wait since the last change
    bool begins, for_ever;           // a held worker may begin a block; the blocks that run wait for ever
    std::atomic<uint64_t> changes;   // a block began or ended, waits now, or does not any more
    uint64_t resident;               // blocks that the device holds at once; 0: not known yet
    std::string late; // "", or which block waited for one that a GPU may not hold at the same time, and where
    uint64_t late_block;
    std::function<std::thread(void)> add_worker;
    std::vector<std::thread> added;
};

std::shared_ptr<Waits> make_waits(std::function<std::thread(void)> add_worker) {
    auto s = std::make_shared<Waits>();
    s->add_worker = std::move(add_worker);
    return s;
}

// ---------------------------------------------------------------- loops

static uint64_t mixed(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15;
    return hash ^ hash >> 29;
}

/* A hash of all that the lane goes on with. */
static uint64_t state_of(const Worker *w, unsigned thread) {
    uint64_t hash = thread;
    const uint64_t *const end = (const uint64_t *)((uintptr_t)stack_of(w, thread + 1) & ~(uintptr_t)15);
    for (const uint64_t *at = (const uint64_t *)w->sp[thread]; at < end; at++) hash = mixed(hash, *at);
    return hash;
}

static void begin_loop(const Worker *w, Loop *loop) {
    const unsigned first = w->warp * WARP;
    loop->lanes = loop->came = loop->rounds = 0;
    loop->values = loop->before = 0;
    loop->begun++;
    for (unsigned l = 0; l < WARP && first + l < w->threads; l++) {
        if (w->lanes[first + l].state != State::ready) continue;
        loop->lanes |= 1u << l;
        loop->key[l] = w->key[first + l];
        loop->state[l] = state_of(w, first + l);
    }
}

/* Are the lanes where the loop began? */
static bool is_round(const Worker *w, const Loop &loop) {
    const unsigned first = w->warp * WARP;
    for (unsigned l = 0; l < WARP && first + l < w->threads; l++) {
        const bool is_ready = w->lanes[first + l].state == State::ready;
        if (is_ready != (loop.lanes >> l & 1) || (is_ready && w->key[first + l] != loop.key[l])) return false;
    }
    return true;
}
static bool is_same(const Worker *w, const Loop &loop) {
    const unsigned first = w->warp * WARP;
    for (unsigned l = 0; l < WARP; l++)
        if (loop.lanes >> l & 1 && state_of(w, first + l) != loop.state[l]) return false;
    return true;
}

void begin_look(Worker *w) {
    if (w->launch->waits == nullptr) return;
    if (!w->loop) w->loop = std::make_shared<Loop>();
    w->loop->begun = 0;
    w->looks = true;
    w->asked_time = false;
    begin_loop(w, w->loop.get());
}

Round goes_round(Worker *w) {
    constexpr unsigned MOST_BEGUN = 4; // registers that nobody needs any more may differ at first
    Loop *loop = w->loop.get();
    bool changes = w->asked_time;
    for (size_t i = 0; i < w->event_count; i++) {
        const Event &e = w->events[i];
        if (e.space != Space::global && e.space != Space::shared) continue;
        changes |= e.kind == Kind::store;
        if (e.space == Space::global) loop->polls = e.place;
        for (unsigned l = 0; e.kind == Kind::atomic && l < WARP; l++) {
            uint64_t value = 0;
            if (e.lanes >> l & 1) memcpy(&value, (const void *)e.address[l], std::min<size_t>(e.size, sizeof value));
            loop->values = mixed(loop->values, value);
        }
    }
    loop->came |= w->group;
    w->looks = !changes;
    if (changes || !is_round(w, *loop)) return Round::none;
    if (is_same(w, *loop)) {
        if (loop->rounds++ > 0 && loop->values == loop->before)
            return loop->lanes & ~loop->came ? Round::of_some : Round::of_all;
        loop->before = std::exchange(loop->values, 0);
        loop->came = 0;
    } else if (loop->begun < MOST_BEGUN) {
        begin_loop(w, loop);
    } else {
        w->looks = false;
    }
    return Round::none;
}

// ---------------------------------------------------------------- blocks

/* The caller holds the lock. */
static void change(Waits &s) {
    s.changes++;
    s.proved = 0;
    s.changed.notify_all();
}

uint64_t changes_of_blocks(const Launch *launch) { return launch->waits ? launch->waits->changes.load() : 0; }

/* All blocks that run wait, and there are others. */
static void begin_another(Worker *w, Waits &s) {
    Launch *launch = w->launch;
    if (s.resident == 0)
        s.resident = std::max<uint64_t>(1, resident_blocks(launch->kernel, w->threads, launch->dynamic_bytes));
    if (s.running >= s.resident) {
        s.for_ever = true;
        return change(s);
    }
    if (launch->blocks > s.resident && (s.late.empty() || w->block_linear < s.late_block)) {
        s.late_block = w->block_linear;
        s.late = from_thread(launch, w->block_linear, w->lane) + "waits at " + place_name(w->loop->polls) +
                 " for a block that begins later: on a GPU this may never end, since the launch has " +
                 std::to_string(launch->blocks) + " blocks, and the device holds " + std::to_string(s.resident) +
                 " of them at once";
    }
    if (s.held == 0) {
        std::thread added = s.add_worker();
        if (!added.joinable()) return; // no memory
        s.added.push_back(std::move(added));
    }
    s.begins = true;
    s.changed.notify_all();
}

void wait_for_blocks(Worker *w, uint64_t changes) {
    Launch *launch = w->launch;
    Waits &s = *launch->waits;
    std::unique_lock<std::mutex> lock(s.mutex);
    if (!w->waits) {
        w->waits = true;
        s.waiting++;
        return change(s); // what it has stored may have ended the wait of another, so all are looked at again
    }
    if (changes != s.changes) return;
    if (w->proved_at != changes) s.proved++;
    w->proved_at = changes;
    const bool all = s.proved == s.running, others = launch->next_block < launch->blocks;
    w->in_vain = all && !others; // only the host may end this, or the limit of a block
    if (w->in_vain) return;
    if (all && launch->failed_block != UINT64_MAX)
        w->error = ANOTHER_FAILED;
    else if (all && !s.begins && !s.for_ever)
        begin_another(w, s);
    if (w->error.empty() && !s.for_ever)
        s.changed.wait_for(lock, std::chrono::microseconds(s.waiting * 20 << std::min(w->naps++, 6u)),
                           [&] { return s.changes != changes || s.for_ever || stop_asked; });
    if (s.for_ever)
        w->error = "deadlock: waits at " + place_name(w->loop->polls) +
                   " for a block that cannot begin: the device holds " + std::to_string(s.resident) +
                   " blocks of this kernel at once, and all of them wait";
}

static void waits_no_more(Worker *w, Waits &s) {
    if (w->waits) s.waiting--;
    w->waits = w->in_vain = false;
    w->naps = 0;
    change(s);
}

void go_on_after_wait(Worker *w) {
    std::lock_guard<std::mutex> guard(w->launch->waits->mutex);
    waits_no_more(w, *w->launch->waits);
}

void end_turn(Worker *w) {
    if (w->launch->waits == nullptr) return;
    Waits &s = *w->launch->waits;
    std::lock_guard<std::mutex> guard(s.mutex);
    s.running--;
    waits_no_more(w, s);
}

/* While blocks wait, another one begins only if nothing else can end that. */
uint64_t next_turn(Launch *launch) {
    if (launch->waits == nullptr) return launch->next_block++;
    Waits &s = *launch->waits;
    std::unique_lock<std::mutex> lock(s.mutex);
    const auto may_go = [&] {
        return s.waiting == 0 || s.begins || s.for_ever || stop_asked || launch->next_block >= launch->blocks ||
               launch->failed_block != UINT64_MAX;
    };
    s.held++;
    while (!may_go()) s.changed.wait_for(lock, std::chrono::milliseconds(100));
    s.held--;
    s.begins = false;
    if (s.for_ever) return UINT64_MAX;
    const uint64_t turn = launch->next_block++;
    if (turn >= launch->blocks) return turn;
    s.running++;
    change(s);
    return turn;
}

std::string end_waits(Launch *launch) {
    if (launch->waits == nullptr) return "";
    Waits &s = *launch->waits;
    for (size_t i = 0;; i++) { // those that have been added may add others
        std::unique_lock<std::mutex> lock(s.mutex);
        if (i == s.added.size()) return s.late;
        std::thread thread = std::move(s.added[i]);
        lock.unlock();
        thread.join();
    }
}

} // namespace wl_sim
