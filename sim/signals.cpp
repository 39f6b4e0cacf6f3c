/* How threads hand over data without a barrier, as PTX's memory model has it:

     store of the data; fence; atomic or volatile store    ->    atomic or volatile load; fence; load of the data

   What a thread has done, and knows of, when it calls a fence is fenced. Its next strong (atomic or volatile) access leaves that at the
   address: it releases. A strong access of the same address looks at the signal, and a fence after that acquires what the address held
   then. Fences and accesses of a block's scope do that within the block only. A barrier hands on what its threads have fenced and what they
   know. It also takes the place of the second fence: the sum of blocks in CUDA's own samples has no other. */
#include <unordered_map>

#include "sim/memory.h"

namespace wl_sim {

namespace {

/* Accesses that are over: of these threads of a block, before this moment (position). */
struct Before {
    unsigned first, count;
    uint64_t position;
};
struct Signal;
/* The first `count` releases of a signal. */
struct Acquired {
    Signal *signal;
    size_t count;
};
typedef std::shared_ptr<const std::vector<Acquired>> Known; // null: nothing
struct Release {
    std::vector<Before> before; // of the block's threads
    Known known;                // what the thread has acquired itself
};
/* What has been released at an address. */
struct Signal {
    std::vector<Release> log;
    std::unordered_map<uint64_t, std::vector<size_t>> of_block; // which releases a block has made, rising
    std::unordered_map<uint64_t, uint64_t> last;                // by block and thread: its version then
};
typedef std::unordered_map<uintptr_t, Signal> SignalsAt;

enum Scope { OF_BLOCK, OF_DEVICE, SCOPES };

/* What a thread has fenced: its own accesses before `own`, and those of its warp before `warp`. 0: nothing. */
struct Fenced {
    uint64_t own, warp;
};

constexpr size_t MOST_KNOWN = 1024;    // signals; a warp that knows more is taken to know all
constexpr size_t MOST_LOOKS = 1 << 12; // at releases, for one access; then it is taken to be ordered

} // namespace

struct Signals {
    SignalsAt at;
    std::atomic<uint64_t> releases;              // of all blocks, for themselves as well
    std::unordered_map<uint64_t, uint64_t> most; // by block: no release tells of an access at this moment or after it
    std::vector<SignalsAt> of_blocks;            // those of blocks whose releases to others tell of them
};

/* What a block that runs has fenced, and what it knows. */
struct Handing {
    bool told; // other blocks may know of its own signals
    SignalsAt near;
    uint64_t most;     // as Signals::most, of `near`
    uint64_t versions; // counts fences, and barriers after them
    struct {
        Fenced by_thread[MAX_THREADS], by_warp[MAX_THREADS],
            by_block[MAX_THREADS]; // the last two: handed on by barriers
        uint64_t version[MAX_THREADS], warp_version[MAX_WARPS], block_version;
        Known known[MAX_WARPS], block_known;
    } fenced[SCOPES];
    std::vector<Acquired> seen[SCOPES][MAX_WARPS]; // looked at, without a fence since
    /* The last look: where, how, by which warp, after how many releases. A warp that spins would keep others from the lock. */
    std::tuple<uintptr_t, bool, bool, unsigned, uint64_t> last_look;
    Known known[MAX_WARPS];
    bool knows_all[MAX_WARPS];
    /* The last accesses that a warp was found to know of. */
    struct {
        uint64_t warp_version, thread, position;
    } found[256];
    uint64_t known_version[MAX_WARPS];
};

static std::mutex signalling; // of blocks that run at the same time

std::shared_ptr<Signals> make_signals(void) { return std::make_shared<Signals>(); }

static uint64_t position(uint64_t sequence, unsigned epoch, unsigned warp_epoch) {
    return (sequence * Tag::EPOCHS + epoch % Tag::EPOCHS) * Tag::WARP_EPOCHS + warp_epoch % Tag::WARP_EPOCHS;
}
static uint64_t since_barrier(uint64_t position) { return position / Tag::WARP_EPOCHS * Tag::WARP_EPOCHS; }

static Handing *handing_of(Worker *w) {
    if (!w->handing) w->handing = std::make_shared<Handing>();
    return w->handing.get();
}

void begin_block_signals(Worker *w) {
    w->polled = {};
    std::fill(w->learnt, w->learnt + MAX_WARPS, false);
    std::fill(w->fences, w->fences + MAX_WARPS, false);
    std::fill(w->warp_synced, w->warp_synced + MAX_WARPS, 0);
    w->own_block = w->acquires = w->releases = w->only_loads = w->fenced_in_step = false;
    w->expected = nullptr;
}

void end_block_signals(Worker *w) {
    if (w->handing && w->handing->told) {
        std::lock_guard<std::mutex> guard(signalling);
        w->launch->signals->of_blocks.push_back(std::move(w->handing->near));
    }
    w->handing.reset();
}

/* From now on `known` holds all of `more`, too. */
static void learn(Handing *h, Known *known, const std::vector<Acquired> &more, bool *knows_all) {
    if (more.empty()) return;
    auto all = std::make_shared<std::vector<Acquired>>(*known ? **known : std::vector<Acquired>());
    std::unordered_map<Signal *, size_t> at;
    for (size_t i = 0; i < all->size(); i++) at[(*all)[i].signal] = i;
    for (const Acquired &a : more) {
        const auto [found, is_new] = at.insert({a.signal, all->size()});
        if (is_new)
            all->push_back(a);
        else
            (*all)[found->second].count = std::max((*all)[found->second].count, a.count);
    }
    if (all->size() > MOST_KNOWN && knows_all) *knows_all = true;
    *known = all;
    h->versions++;
}
static void learn(Handing *h, Known *known, const Known &more, bool *knows_all) {
    if (more == nullptr || more == *known) return;
    if (*known == nullptr)
        *known = more;
    else
        learn(h, known, *more, knows_all);
}

static void learn_in_warp(Worker *w, unsigned warp, const std::vector<Acquired> &more) {
    Handing *h = w->handing.get();
    learn(h, &h->known[warp], more, &h->knows_all[warp]);
    h->known_version[warp] = ++h->versions;
    w->learnt[warp] = true;
}

/* A warp has looked at what `signal` holds now. */
static void look(std::vector<Acquired> *seen, Signal *signal) {
    for (Acquired &a : *seen)
        if (a.signal == signal) return (void)(a.count = signal->log.size());
    seen->push_back({signal, signal->log.size()});
}

void finish_poll(Worker *w) {
    const auto poll = w->polled;
    w->polled.address = 0;
    if (!w->launch->has_fences) return;
    Handing *h = handing_of(w);
    const uint64_t releases = w->launch->signals->releases.load(std::memory_order_acquire);
    const auto now = std::make_tuple(poll.address, poll.own_block, poll.acquires, w->warp, releases);
    if (h->last_look == now) return;
    h->last_look = now;
    std::vector<Acquired> acquired;
    std::lock_guard<std::mutex> guard(signalling);
    for (int scope = OF_BLOCK; scope <= (poll.own_block ? OF_BLOCK : OF_DEVICE); scope++) {
        SignalsAt &at = scope == OF_BLOCK ? h->near : w->launch->signals->at;
        const auto found = at.find(poll.address);
        if (found != at.end()) look(poll.acquires ? &acquired : &h->seen[scope][w->warp], &found->second);
    }
    if (acquired.empty()) return;
    learn_in_warp(w, w->warp, acquired);
    set_moment(w);
}

/* What the running thread does from now on can be told from what it has done. */
static void go_on(Worker *w) {
    if (!w->fenced_in_step) w->fenced_in_step = true, w->step_epoch = w->last_epoch = w->warp_epoch[w->warp];
    if (++w->warp_epoch[w->warp] % Tag::WARP_EPOCHS == 0) {
        new_sequence(w);
        w->warp_synced[w->warp] = w->step_epoch = w->warp_epoch[w->warp];
    }
    w->last_epoch = std::max(w->last_epoch, w->warp_epoch[w->warp]);
    set_moment(w);
}

void next_lane_after_fence(Worker *w, bool last) {
    w->warp_epoch[w->warp] = last ? w->last_epoch : w->step_epoch;
    w->fenced_in_step = !last;
    set_moment(w);
}

static Fenced fenced_now(const Worker *w) {
    return {position(w->sequence, w->epoch, w->warp_epoch[w->warp]),
            position(w->sequence, w->epoch, w->warp_synced[w->warp])};
}

static void fence(Worker *w, Scope scope) {
    Handing *h = handing_of(w);
    w->launch->has_fences = true;
    w->fences[w->warp] = true;
    go_on(w);
    for (int s = OF_BLOCK; s <= scope; s++) {
        std::vector<Acquired> &seen = h->seen[s][w->warp];
        if (seen.empty()) continue;
        learn_in_warp(w, w->warp, seen);
        seen.clear();
    }
    h->versions++;
    for (int s = OF_BLOCK; s <= scope; s++) {
        auto &f = h->fenced[s];
        f.by_thread[w->lane] = fenced_now(w);
        f.version[w->lane] = h->versions;
        f.known[w->warp] = h->known[w->warp];
    }
    set_moment(w);
}

/* Appends the threads that have fenced something, those alike as one. */
static void add_ranges(const uint64_t *positions, unsigned count, uint64_t all, std::vector<Before> *to) {
    for (unsigned t = 0, end; t < count; t = end) {
        for (end = t + 1; end < count && positions[end] == positions[t]; end++) continue;
        if (positions[t] > all) to->push_back({t, end - t, positions[t]});
    }
}

/* Grows with what the running thread has fenced; 0: nothing. */
static uint64_t version_of(const Worker *w, Scope scope) {
    const auto &f = w->handing->fenced[scope];
    return std::max({f.version[w->lane], f.warp_version[w->warp], f.block_version});
}

/* What the running thread releases with its next strong access, by what it has fenced. */
static Release release_of(const Worker *w, Scope scope) {
    Handing *h = w->handing.get();
    auto &f = h->fenced[scope];
    const unsigned first = w->warp * WARP;
    uint64_t positions[MAX_THREADS] = {}, all = 0;
    const auto add = [&](unsigned thread, const Fenced &one) {
        positions[thread] = std::max(positions[thread], one.own);
        all = std::max(all, since_barrier(one.own));
        const unsigned first_of_warp = thread / WARP * WARP;
        for (unsigned t = first_of_warp; one.warp > since_barrier(one.own) && t < first_of_warp + WARP; t++)
            positions[t] = std::max(positions[t], one.warp);
    };
    if (f.block_version)
        for (unsigned t = 0; t < w->threads; t++) add(t, f.by_block[t]);
    if (f.warp_version[w->warp])
        for (unsigned t = first; t < first + WARP; t++) add(t, f.by_warp[t]);
    add(w->lane, f.by_thread[w->lane]);
    Release release = {{{0, MAX_THREADS, all}}, f.known[w->warp]};
    add_ranges(positions, w->threads, all, &release.before);
    learn(h, &release.known, f.block_known, nullptr);
    return release;
}

/* What it releases if this very access does. */
static Release release_now(Worker *w) {
    go_on(w);
    const Fenced now = fenced_now(w);
    return {{{0, MAX_THREADS, since_barrier(now.own)}, {w->warp * WARP, WARP, now.warp}, {w->lane, 1, now.own}},
            w->handing->known[w->warp]};
}

static void leave(Worker *w, Scope scope, Signal *signal, Release release) {
    uint64_t *most = scope == OF_BLOCK ? &w->handing->most : &w->launch->signals->most[w->block_linear];
    for (const Before &b : release.before) *most = std::max(*most, b.position);
    signal->of_block[w->block_linear].push_back(signal->log.size());
    signal->log.push_back(std::move(release));
    w->launch->signals->releases.fetch_add(1, std::memory_order_release);
}

void signal_by(Worker *w, uintptr_t address, Space space, bool releases, bool own_block) {
    if (!w->launch->has_fences && !releases) return;
    if (releases) w->launch->has_fences = w->fences[w->warp] = true;
    Handing *h = handing_of(w);
    const bool near_only = own_block || space == Space::shared;
    const Release now = releases ? release_now(w) : Release();
    std::lock_guard<std::mutex> guard(signalling);
    for (int s = OF_BLOCK; s <= (near_only ? OF_BLOCK : OF_DEVICE); s++) {
        SignalsAt &at = s == OF_BLOCK ? h->near : w->launch->signals->at;
        if (releases) {
            leave(w, (Scope)s, &at[address], now);
        } else {
            const uint64_t version = version_of(w, (Scope)s);
            if (version == 0) continue;
            Signal &signal = at[address];
            uint64_t &last = signal.last[w->block_linear * MAX_THREADS + w->lane];
            if (last == version) continue; // it has released that before
            leave(w, (Scope)s, &signal, release_of(w, (Scope)s));
            last = version;
        }
        if (s == OF_DEVICE) h->told = true;
    }
}

void join_warp_signals(Worker *w, unsigned warp) {
    Handing *h = w->handing.get();
    if (h == nullptr) return;
    for (auto &f : h->fenced) {
        uint64_t version = 0;
        for (unsigned t = warp * WARP; t < (warp + 1) * WARP; t++) {
            version = std::max(version, f.version[t]);
            f.by_warp[t] = f.by_thread[t];
        }
        if (version > f.warp_version[warp]) f.warp_version[warp] = ++h->versions;
    }
}

void join_block_signals(Worker *w) {
    Handing *h = w->handing.get();
    if (h == nullptr) return;
    for (auto &f : h->fenced) {
        uint64_t version = 0;
        for (unsigned t = 0; t < w->threads; t++) version = std::max(version, f.version[t]);
        if (version <= f.block_version) continue;
        memcpy(f.by_block, f.by_thread, w->threads * sizeof *f.by_thread);
        f.block_version = ++h->versions;
        for (unsigned warp = 0; warp < w->warps; warp++) learn(h, &f.block_known, f.known[warp], nullptr);
    }
    Known known;
    bool knows_all = false;
    for (unsigned warp = 0; warp < w->warps; warp++) {
        learn(h, &known, h->known[warp], &knows_all);
        for (auto &seen : h->seen) {
            learn(h, &known, seen[warp], &knows_all);
            seen[warp].clear();
        }
        knows_all |= h->knows_all[warp];
    }
    for (unsigned warp = 0; warp < w->warps; warp++) {
        if (h->known[warp] != known) h->known_version[warp] = ++h->versions;
        h->known[warp] = known;
        h->knows_all[warp] = knows_all;
        w->learnt[warp] |= known != nullptr;
    }
}

/* One access that may be among what has been acquired. */
struct Access {
    uint64_t block, position;
    unsigned thread;
    size_t looks;
};

static bool holds(const Acquired &a, Access *access) {
    const auto found = a.signal->of_block.find(access->block);
    if (found == a.signal->of_block.end()) return false;
    const std::vector<size_t> &all = found->second;
    for (auto i = std::lower_bound(all.begin(), all.end(), a.count); i != all.begin();) {
        if (access->looks++ > MOST_LOOKS) return true;
        for (const Before &b : a.signal->log[*--i].before)
            if (access->thread - b.first < b.count && access->position < b.position) return true;
    }
    return false;
}

static bool holds(const std::vector<Acquired> &all, Access *access, std::unordered_map<Signal *, size_t> *been) {
    for (size_t i = all.size(); i-- > 0;)
        if (holds(all[i], access)) return true;
    for (size_t i = all.size(); i-- > 0;) {
        size_t &before = (*been)[all[i].signal];
        const size_t from = before;
        before = std::max(before, all[i].count);
        for (size_t n = all[i].count; n-- > from;) {
            if (access->looks++ > MOST_LOOKS) return true;
            const Known &known = all[i].signal->log[n].known;
            if (known && holds(*known, access, been)) return true;
        }
    }
    return false;
}

bool is_handed_over(const Worker *w, uint64_t block, Tag t, bool is_volatile) {
    Handing *h = w->handing.get();
    if (h == nullptr) return false;
    if (h->knows_all[w->warp]) return true;
    const bool looked = is_volatile && !(h->seen[OF_BLOCK][w->warp].empty() && h->seen[OF_DEVICE][w->warp].empty());
    if (!h->known[w->warp] && !looked) return false;
    Access access = {block, position(t.block(), t.epoch(), t.warp_epoch()), t.thread(), 0};
    const uint64_t thread = block * MAX_THREADS + access.thread;
    auto &found = h->found[(block * 31 + access.thread) % 256];
    if (found.warp_version == h->known_version[w->warp] && found.thread == thread && found.position >= access.position)
        return true;
    if (block == w->block_linear && access.position >= h->most) return false;
    std::lock_guard<std::mutex> guard(signalling);
    const auto most = w->launch->signals->most.find(block);
    if (block != w->block_linear && (most == w->launch->signals->most.end() || access.position >= most->second))
        return false;
    std::unordered_map<Signal *, size_t> been;
    if (h->known[w->warp] && holds(*h->known[w->warp], &access, &been)) {
        found = {h->known_version[w->warp], thread, access.position};
        return true;
    }
    return looked &&
           (holds(h->seen[OF_BLOCK][w->warp], &access, &been) || holds(h->seen[OF_DEVICE][w->warp], &access, &been));
}

} // namespace wl_sim

using namespace wl_sim;

extern "C" void wl_sim_fence(int whole_device) {
    Worker *w = active;
    end_store(w);
    fence(w, whole_device ? OF_DEVICE : OF_BLOCK);
}
extern "C" void wl_sim_sleep(void) {
    end_store(active);
    active->fences[active->warp] = true; // it waits for a signal
}
extern "C" void wl_sim_ordered(int order) {
    if (active == nullptr) return;
    active->acquires = order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
    active->releases = order >= __ATOMIC_RELEASE;
}
