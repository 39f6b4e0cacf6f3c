/* Each access of a thread: whether it may be, and whether it races with another. */
#include "sim/memory.h"

namespace wl_sim {

// ---------------------------------------------------------------- races

/* Tags have few bits for epochs. Before one wraps, the block goes on under a new sequence number, and its accesses so
   far no longer count. (Those of other warps since the last barrier are forgotten with them: a race is missed, none
   invented.) */
static std::mutex renewing;
void new_sequence(Worker *w) {
    std::lock_guard<std::mutex> guard(renewing);
    w->sequences_before.push_back(w->sequence);
    w->sequence = w->launch->first_sequence + w->launch->blocks + w->launch->renewed.size();
    w->launch->renewed.push_back(w->block_linear);
}

void set_moment(Worker *w) {
    w->now = Tag::of(w->sequence, 0, w->epoch, w->warp_epoch[w->warp], 0).bits;
    w->first = w->first_counted << Tag::BLOCK;
    const Moment &known = w->numbered[0][w->warp];
    w->byte_now = known.bits == (w->now | w->warp * WARP) ? known.number << ByteTag::MOMENT : 0;
    w->simple =
        w->launch->unordered.empty() && !w->learnt[w->warp] && w->warp_synced[w->warp] == w->warp_epoch[w->warp];
    settle_nothing(w);
}

void settle_nothing(Worker *w) {
    for (size_t i = 0; i < w->event_count; i++) w->events[i].settled = nullptr;
    w->common_place = nullptr;
}

void begin_grid_phase(Worker *w, uint64_t first_counted) {
    new_sequence(w);
    w->first_counted = first_counted;
    set_moment(w);
}

uint64_t next_renewal(const Launch *launch) {
    std::lock_guard<std::mutex> guard(renewing);
    return launch->first_sequence + launch->blocks + launch->renewed.size();
}

static uint64_t block_of(const Launch *launch, uint64_t sequence) {
    uint64_t i = sequence - launch->first_sequence;
    if (i < launch->blocks) return i;
    std::lock_guard<std::mutex> guard(renewing);
    return launch->renewed[i - launch->blocks];
}

static uint64_t moment(uint64_t sequence, unsigned epoch) { return sequence * Tag::EPOCHS + epoch % Tag::EPOCHS; }
uint64_t moment(const Worker *w) { return moment(w->sequence, w->epoch); }

/* Is `t` an access of this launch that can meet the running thread's? Shared memory is new for every block. */
static bool counts(const Worker *w, Tag t, Space space) {
    if (t.block() == w->sequence) return true;
    if (space == Space::shared || t.block() < w->first_counted) return false;
    return !std::binary_search(w->sequences_before.begin(), w->sequences_before.end(), t.block());
}

/* Do signals order what `t` says before what the running thread does now? That is how blocks, or warps without a barrier, hand over
   data. */
static bool signalled(const Worker *w, Tag t, bool is_volatile) {
    const bool same_block = t.block() == w->sequence;
    if (same_block && w->learnt[w->warp] && w->arrived_at[t.thread() / WARP] > moment(t.block(), t.epoch()))
        return true;
    return w->handing &&
           is_handed_over(w, same_block ? w->block_linear : block_of(w->launch, t.block()), t, is_volatile);
}

/* Has no __syncwarp come since what `t` says, which the warp that runs did since the last barrier? */
static bool is_of_interval(const Worker *w, Tag t) {
    return t.warp_epoch() >= w->warp_synced[w->warp] % Tag::WARP_EPOCHS;
}

/* Did what `t` says happen unordered with what the running thread does now? */
static bool unordered(const Worker *w, Tag t, bool is_volatile) {
    if (t.block() == w->sequence) {
        if (t.epoch() != w->epoch % Tag::EPOCHS) return false; // a barrier lies between
        if (t.thread() / WARP == w->lane / WARP && !is_of_interval(w, t)) return false;
    }
    return !signalled(w, t, is_volatile);
}

static bool written_by_others(const Worker *w, Tag t, Space space, bool is_volatile) {
    if (t.kind() == written_as_signal) return false;
    return counts(w, t, space) && !(t.block() == w->sequence && t.thread() == w->lane) && unordered(w, t, is_volatile);
}

static bool read_by_others(const Worker *w, Tag r, Space space, bool is_volatile) {
    if (!counts(w, r, space)) return false;
    bool own = r.block() == w->sequence;
    switch (r.kind()) {
        case read_by_grid: // only the last reader's fence is known
            return !(own ? w->learnt[w->warp] : signalled(w, r, is_volatile));
        case read_by_block:
            return own ? r.epoch() == w->epoch % Tag::EPOCHS && !signalled(w, r, is_volatile)
                       : unordered(w, r, is_volatile);
        case read_by_one:
            return !(own && r.thread() == w->lane) && unordered(w, r, is_volatile);
        default:
            return unordered(w, r, is_volatile);
    }
}

/* The tag of a byte that had `old` once the running thread has read it too. */
static Tag after_read(const Worker *w, Tag old, Space space, bool is_volatile) {
    const unsigned epoch = w->epoch % Tag::EPOCHS;
    unsigned kind = read_by_one;
    if (counts(w, old, space) && !signalled(w, old, is_volatile)) {
        bool same_warp = old.thread() / WARP == w->lane / WARP;
        if (old.block() != w->sequence || old.kind() == read_by_grid) {
            kind = read_by_grid;
        } else if (old.epoch() == epoch && !(old.kind() == read_by_one && old.thread() == w->lane)) {
            if (old.kind() == read_by_block || !same_warp)
                kind = read_by_block;
            else if (is_of_interval(w, old))
                kind = read_by_warp;
        }
    }
    return Tag::of(w->sequence, kind, epoch, w->warp_epoch[w->warp], w->lane);
}

static std::string who(const Worker *w, Tag t) {
    if (t.block() == w->sequence) return thread_name(w->launch, t.thread());
    const uint3 block = block_index(w->launch, block_of(w->launch, t.block()));
    char text[96];
    snprintf(text, sizeof text, "%s of block (%u,%u,%u)", thread_name(w->launch, t.thread()).c_str(), block.x, block.y,
             block.z);
    return text;
}

static const char *verb(Kind kind) {
    return kind == Kind::load ? "loads" : kind == Kind::store ? "stores" : "updates atomically";
}

static const char LOADED[] = "loaded", STORED[] = "stored";

/* Two accesses that race: the running thread's now and `other`'s. */
struct Race {
    uintptr_t offset; // of the byte, in its allocation
    unsigned size;
    Kind kind;
    Space space;
    Place place, other_place; // null where unknown
    Tag other;
    const char *did; // STORED, LOADED, or how else
    uintptr_t address;
};

static std::string describe(const Worker *w, const Race &r) {
    std::string missing =
        r.other.block() == w->sequence ? ", with no barrier between them" : ", and nothing orders the two blocks";
    // Perhaps both are of one statement, such as sum += x: then a barrier would not help.
    const bool one_line = r.other_place == nullptr || place_name(r.other_place) == place_name(r.place);
    if (signalled(w, r.other, true))
        missing = "; a signal says so, but no __threadfence() follows the look at it";
    else if (one_line && ((r.kind == Kind::load && r.did == STORED) || (r.kind == Kind::store && r.did == LOADED)))
        missing += "; an update such as += by several threads needs an atomic";
    return std::string("race on ") + (r.space == Space::shared ? "shared" : "global") + " memory: " + verb(r.kind) +
           " " + touched(w, r.address, r.size, r.space, r.offset) + " (" + place_name(r.place) + ") which " +
           who(w, r.other) + " " + r.did + (r.other_place ? " (" + place_name(r.other_place) + ")" : "") + missing;
}

// ---------------------------------------------------------------- races between streams

static const char UNORDERED[] = ", and no stream, event or wait orders the two";

/* The operation whose kernel has this block, or null. */
static const Operation *kernel_of(const std::vector<Operation> &all, Tag t) {
    for (const Operation &o : all)
        if (t.block() >= o.first_sequence && t.block() < o.end_sequence) return &o;
    return nullptr;
}

/* Is the memory at `address` newer than what `t` tells of? Then it told of somebody else's. */
static bool outdated(uintptr_t address, Tag t) {
    auto at = address >= arena && address < arena_end ? find_allocation(address) : allocations.end();
    return at != allocations.end() && t.block() < at->first_sequence;
}

/* The launch may meet accesses of operations before it: this is one byte of an access of `size`. */
static void check_streams(Worker *w, Tag t, Tag r, uintptr_t address, uintptr_t offset, unsigned size, Kind kind,
                          Place place) {
    const auto &others = w->launch->unordered;
    const char *did = "stores to";
    const Operation *o = kernel_of(others, t);
    if (o && (outdated(address, t) || (kind == Kind::atomic && t.kind() == written_atomically))) o = nullptr;
    if (o == nullptr && kind != Kind::load) {
        o = kernel_of(others, r);
        if (o && outdated(address, r)) o = nullptr;
        did = "loads from";
    }
    for (size_t i = 0; o == nullptr && i < others.size(); i++)
        for (const Operation::Range &range : others[i].ranges)
            if (address >= range.low && address < range.high && (range.writes || kind != Kind::load)) {
                o = &others[i];
                did = range.writes ? "stores to" : "loads from";
            }
    if (o == nullptr) return;
    w->error = std::string("race on global memory: ") + verb(kind) + " " +
               touched(w, address, size, Space::global, offset) + " (" + place_name(place) + ") which " +
               described(*o) + " " + did + UNORDERED;
    abandon(w);
}

/* What makes one of its ranges race with an operation that nothing orders; "" when nothing does. */
static std::string stream_race(const Operation &o, const std::vector<Operation> &unordered,
                               const Operation::Range &range) {
    const auto race = [&](const Operation &other, bool writes) {
        return "race on global memory: " + described(o) + (range.writes ? " stores to" : " loads from") +
               " memory that " + described(other) + (writes ? " stores to" : " loads from") + UNORDERED;
    };
    bool kernels = false, wrote = false;
    for (const Operation &other : unordered) {
        kernels |= other.end_sequence > 0;
        for (const Operation::Range &r : other.ranges)
            if (range.low < r.high && range.high > r.low && (range.writes || r.writes)) return race(other, r.writes);
    }
    const Operation *kernel =
        kernels ? kernel_that_touched(unordered, range.low, range.high - range.low, range.writes, &wrote) : nullptr;
    return kernel ? race(*kernel, wrote) : "";
}

std::string refuse_stream_race(const Operation &o) {
    const std::vector<Operation> unordered = unordered_with(o);
    for (size_t i = 0; i < o.ranges.size() && !unordered.empty(); i++) {
        const std::string race = stream_race(o, unordered, o.ranges[i]);
        if (race.empty()) continue;
        set_launch_error(cudaErrorLaunchFailure, race);
        return race;
    }
    return "";
}

// ---------------------------------------------------------------- memory that nobody has written

static bool unwritten(const Worker *w, const Shadow &s, uintptr_t address, unsigned size, Space space) {
    if (space == Space::shared) {
        if (w->unseen) return false;
        for (unsigned i = 0; i < size / s.unit; i++)
            if (counts(w, s.write(i), space) ||
                std::binary_search(w->sequences_before.begin(), w->sequences_before.end(), s.write(i).block()))
                return false;
        return true;
    }
    auto at = address >= arena && address < arena_end ? find_allocation(address) : allocations.end();
    if (at == allocations.end()) return false;  // a __device__ variable holds zero
    if (at->home != Home::device) return false; // the host stores there unseen
    for (unsigned i = 0; i < size / s.unit; i++)
        if (s.write(i).block() >= std::max<uint64_t>(at->first_sequence, 1)) return false;
    for (const Interval &i : at->written)
        if (address < i.second && address + size > i.first) return false;
    return true;
}

size_t count_unwritten(uintptr_t address, size_t bytes, uintptr_t *first) {
    constexpr uintptr_t WORD = ShadowMap::WORD; // bytes would need a shadow of their own
    size_t count = 0;
    if (address < arena || address + bytes > arena_end) return 0;
    for (uintptr_t a = (address + WORD - 1) / WORD * WORD; a + WORD <= address + bytes; a += WORD) {
        if (!poisoned(a, WORD) || !unwritten(nullptr, shadow_of(arena_map, a, WORD), a, WORD, Space::global)) continue;
        if (count == 0) *first = a;
        count += WORD;
    }
    return count;
}

static const char *kind_of(const Race &race) {
    return race.space == Space::shared ? "race on shared memory" : "race on global memory";
}

bool has_guesses;

/* A loop of guesses begins with a plain load, and goes on with compare-and-swaps of what the last one has found. That load is allowed
   to race with those of other threads: they decide. Whether a load is one shows later. Null, or the place that then has to be known. */
static Place guess_of(const Worker *w, const Race &race, Tag writer, bool readers, bool writers) {
    if (!has_guesses) return nullptr;
    if (race.kind == Kind::load && writer.kind() == written_atomically) return race.place;
    if (race.kind != Kind::atomic || !readers || writers) return nullptr;
    if (race.other.block() == w->sequence)
        for (const Loaded &l : w->loaded[race.other.thread()])
            if (l.address == race.address) return l.place;
    return race.place;
}

[[gnu::cold, gnu::noinline]] static void find_race(Worker *w, const Race &race, Place guess) {
    find(w, {kind_of(race), race.place, race.other_place, guess}, [&] { return describe(w, race); });
}

void note_compare(Worker *w, uintptr_t address, unsigned size, uint64_t value, Place place) {
    const uint64_t mask = size < 8 ? (1ull << size * 8) - 1 : ~0ull;
    for (const Loaded &l : w->loaded[w->lane])
        if (l.address == address && ((l.value ^ value) & mask) == 0)
            for (const Place p : {l.place, place})
                if (std::find(w->guesses.begin(), w->guesses.end(), p) == w->guesses.end()) w->guesses.push_back(p);
}

static bool is_atomic(Tag t) { return t.kind() == written_atomically || t.kind() == written_in_block; }

static void check_units(Worker *w, const Shadow &s, uintptr_t address, uintptr_t offset, unsigned size, Kind kind,
                        Space space, Place place, bool meant, bool is_volatile) {
    Tag me = Tag::of(w->sequence,
                     meant                  ? written_as_signal
                     : kind == Kind::atomic ? (w->own_block ? written_in_block : written_atomically)
                                            : written,
                     w->epoch, w->warp_epoch[w->warp], w->lane);
    const Tag plain = Tag::of(w->sequence, written, w->epoch, w->warp_epoch[w->warp], w->lane);
    Tag t = {~0ull}, r = {~0ull}, read = {0};
    for (unsigned i = 0, b = 0; b < size; i++, b += s.unit) {
        // The parts of an access mostly have the same history: then one look serves them all.
        if (const Tag now = s.write(i), now_read = s.read(i); i == 0 || now.bits != t.bits || now_read.bits != r.bits) {
            t = now;
            r = now_read;
            if (space == Space::global && !w->launch->unordered.empty())
                check_streams(w, t, r, address + b, offset + b, size, kind, place);
            bool writers = !meant && written_by_others(w, t, space, is_volatile);
            bool readers = !meant && kind != Kind::load && !(kind == Kind::atomic && (r.bits & Tag::VOLATILE)) &&
                           read_by_others(w, r, space, is_volatile);
            // PTX: ld.volatile is as strong as ld.relaxed.sys, so it does not race with an atomic operation.
            // Operations of a block's scope are atomic for its own threads.
            const bool far = t.block() != w->sequence && (t.kind() == written_in_block || w->own_block);
            if (writers && (kind == Kind::atomic || (kind == Kind::load && is_volatile)) && is_atomic(t) && !far)
                writers = false;
            Race race = {offset + b, size, kind, space, place, nullptr, t, STORED, address + b};
            if (readers) {
                race.other = r;
                race.did = LOADED;
                race.other_place = space == Space::shared ? s.read_places()[i] : nullptr;
            } else if (writers) {
                if (is_atomic(t))
                    race.did = far ? "updated atomically, one of the two for its own block only" : "updated atomically";
                race.other_place = space == Space::shared ? s.write_places()[i] : nullptr;
            }
            if (!readers && writers && kind == Kind::store && t.kind() == written) {
                // Two plain stores: harmless when both write the same value, which shows once this one is done.
                if (t.block() != w->sequence) await_store(w, address + b);
                if (w->suspect.size == 0)
                    w->suspect = {address, offset + b, size, {}, space, t, place, race.other_place};
                if (w->suspect.address == address) memcpy(w->suspect.before, (void *)address, size);
                settle_nothing(w);
            } else if (readers || writers) {
                find_race(w, race, is_volatile ? nullptr : guess_of(w, race, t, readers, writers));
            }
            // Volatile loads of global memory wait for a signal: a store that comes later is no race with them.
            if (kind == Kind::load)
                read = meant || (is_volatile && space == Space::global) || kernel_of(w->launch->unordered, r)
                           ? r
                           : after_read(w, r, space, is_volatile);
            if (kind == Kind::load && is_volatile && read.bits != r.bits &&
                (!counts(w, r, space) || (r.bits & Tag::VOLATILE)))
                read.bits |= Tag::VOLATILE;
        }
        if (kind == Kind::load) {
            if (read.bits != r.bits) s.set_read(w, i, read);
            if (space == Space::shared) s.read_places()[i] = place;
        } else if (kind == Kind::store && space == Space::global) {
            // No part is announced before its turn: two workers never wait for each other.
            if (w->storing_high.load(std::memory_order_relaxed) == 0)
                w->storing_low.store(address + b, std::memory_order_relaxed);
            w->storing_high.store(address + b + s.unit, std::memory_order_relaxed);
            s.set_write(w, i, me);
        } else {
            // What the thread has just stored plainly races with other threads even if it updates it atomically now.
            if (kind != Kind::atomic || s.write(i).bits != plain.bits) s.set_write(w, i, me);
            if (space == Space::shared) s.write_places()[i] = place;
        }
    }
}

static void check_race(Worker *w, const ShadowMap &map, uintptr_t address, uintptr_t offset, unsigned size, Kind kind,
                       Space space, Place place, bool meant = false, bool is_volatile = false) {
    const Shadow s = shadow_of(map, address, size);
    check_units(w, s, address, offset, size, kind, space, place, meant, is_volatile);
    // Another worker has gone over to bytes meanwhile.
    if (s.unit > 1 && __atomic_load_n(map.state(address), __ATOMIC_RELAXED) != ShadowMap::by_word)
        check_units(w, bytes_at(map, address), address, offset, size, kind, space, place, meant, is_volatile);
}

void settle_suspect(Worker *w) {
    unsigned size = w->suspect.size;
    w->suspect.size = 0;
    if (size == 0 || memcmp((void *)w->suspect.address, w->suspect.before, size) == 0) return;
    const auto &s = w->suspect;
    const Race race = {s.offset, size, Kind::store, s.space, s.place, s.other_place, s.other, STORED, s.address};
    find(w, {kind_of(race), race.place, race.other_place, nullptr},
         [&] { return describe(w, race) + ", and the values differ"; });
}

// ---------------------------------------------------------------- one access

static std::string describe(Kind kind, unsigned size, Place place) {
    const char *what = kind == Kind::load ? "load" : kind == Kind::store ? "store" : "atomic update";
    return std::string(what) + " of " + std::to_string(size) + " bytes at " + place_name(place);
}

static Event *event_of(Worker *w, Kind kind, Place place, unsigned size) {
    size_t k = (size_t)(w->next - w->events.data());
    for (; k < w->event_count; k++)
        if (w->events[k].place == place && w->events[k].kind == kind && w->events[k].size == size &&
            !(w->events[k].lanes >> w->lane % WARP & 1))
            break;
    if (k == w->event_count) {
        if (w->event_count + 1 == w->events.size()) w->events.resize(2 * w->events.size());
        Event &e = w->events[w->event_count++];
        e.place = place;
        e.kind = kind;
        e.size = (uint8_t)size;
        e.low = e.high = 0;
        begin_event(e);
    }
    w->next = &w->events[k] + 1;
    return &w->events[k];
}

/* For settled_access: all but what depends on the address. */
static void find_tags(const Worker *w, Event *e) {
    const ShadowMap &map = *e->map;
    const auto find = [&](const auto &tags, size_t unit) {
        const uintptr_t before = map.low / unit;
        e->write = (uintptr_t)tags.write - before * sizeof *tags.write;
        e->read = (uintptr_t)tags.read - before * sizeof *tags.read;
        e->places = (uintptr_t)(e->kind == Kind::load ? tags.read_place : tags.write_place) - before * sizeof(Place);
    };
    if (e->size % ShadowMap::WORD == 0)
        find(map.words, ShadowMap::WORD);
    else
        find(map.each, 1);
    e->states = (uintptr_t)map.states - (map.low >> map.page_bits);
    e->base = (e->low + e->size - 1) / e->size * e->size;
    const bool has_room = e->base + e->size <= e->high;
    e->most = has_room ? (e->high - e->size - e->base) / e->size : 0;
    e->settled = has_room && may_settle(w, e->kind) ? e->place : nullptr;
}

static const ShadowMap &shared_map(const Worker *w, uintptr_t address) {
    return address - (uintptr_t)w->dynamic_shared < SHARED_LIMIT ? w->dynamic_map : w->static_map;
}
static const ShadowMap &map_of(const Worker *w, Space space, uintptr_t address) {
    return space == Space::shared ? shared_map(w, address) : global_map(address);
}

void arrive(Worker *w, uintptr_t address, unsigned size, Place place) {
    end_store(w);
    check_race(w, shared_map(w, address), address, address - locate(w, address).low, size, Kind::store, Space::shared,
               place);
}

bool lies_within(Worker *w, uintptr_t address, size_t bytes, Space space) {
    const Region region = locate(w, address);
    return region.space == space && address + bytes <= region.high;
}

void check_bulk(Worker *w, uintptr_t address, size_t bytes, Place place) {
    if (lies_within(w, address, bytes, Space::global)) return;
    w->error = "out of bounds: bulk copy of " + std::to_string(bytes) + " bytes at " + place_name(place) +
               whereabouts(w, address, (unsigned)bytes);
    abandon(w);
}

static const char *unwritten_by(Space space) {
    return space == Space::shared ? " in shared memory, which no thread of the block has written"
                                  : ", which neither the host nor a kernel has written";
}

// What refuses an access is out of the way of those that are right.
#define WL_COLD [[noreturn, gnu::cold, gnu::noinline]] static

WL_COLD void refuse_place(Worker *w, uintptr_t address, unsigned size, Kind kind, Place place) {
    w->error = "out of bounds: " + describe(kind, size, place) + whereabouts(w, address, size);
    abandon(w);
}
/* If kernels go on after a finding, this one goes on as on a GPU where there is memory. */
[[gnu::cold, gnu::noinline]] static void refuse_bounds(Worker *w, uintptr_t address, unsigned size, Kind kind,
                                                       Place place) {
    if (address < arena || address + size > arena_end) refuse_place(w, address, size, kind, place);
    find(w, {"out of bounds", place, nullptr, nullptr},
         [&] { return "out of bounds: " + describe(kind, size, place) + whereabouts(w, address, size); });
}
WL_COLD void refuse_constant(Worker *w, unsigned size, Kind kind, Place place) {
    w->error = describe(kind, size, place) + " to constant memory, which only the host can change";
    abandon(w);
}
WL_COLD void refuse_alignment(Worker *w, uintptr_t address, unsigned size, Kind kind, Place place) {
    w->error = "misaligned " + describe(kind, size, place) + ": the address is " + std::to_string(address % size) +
               " bytes past a multiple of " + std::to_string(size);
    abandon(w);
}
[[gnu::cold, gnu::noinline]] static void note_unwritten(Worker *w, uintptr_t address, unsigned size, Kind kind,
                                                        Space space, Place place, uintptr_t low) {
    w->unwritten = "uninitialised memory: " + describe(kind, size, place) + " of " +
                   touched(w, address, size, space, address - low) + unwritten_by(space);
    w->unwritten_thread = w->lane;
}

/* Are these bytes variables, or parameters, of the thread's functions? What lies beyond the kernel's frames is not the kernel's. */
[[gnu::noinline]] static bool is_variable(const Frames &f, uintptr_t address, size_t bytes) {
    constexpr size_t LINK = 2 * sizeof(uintptr_t); // Frame::next and returns
    const uintptr_t end = address + bytes;
    if (end < address || end > f.last) return false;
    for (const Frame &frame : f.all)
        if (address < frame.at + LINK && end > frame.at - frame.count * sizeof(uintptr_t)) return false;
    return true;
}

void check_read_only(Worker *w, uintptr_t address, unsigned size, Place place) {
    const Region region = locate(w, address);
    if (region.space != Space::global || address + size > region.high) return;
    const Tag t = tags_at(global_map(address), address).write(0);
    if (t.block() < w->launch->first_sequence || outdated(address, t)) return;
    find(w, {"stale data", place, nullptr, nullptr}, [&] {
        return "stale data: __ldg at " + place_name(place) + " of " +
               touched(w, address, size, Space::global, address - region.low) + ", which " + who(w, t) +
               " has stored in this launch; the cache for what is only read may hold the value from before";
    });
}

/* Is it on the running thread's stack? */
static inline bool is_own(const Worker *w, uintptr_t address, size_t bytes) {
    if (address - (uintptr_t)stack_of(w, w->lane) >= STACK_BYTES) return false;
    return w->frames[w->lane].all.empty() || is_variable(w->frames[w->lane], address, bytes);
}

static uint64_t value_at(uintptr_t address, unsigned size) {
    switch (size) {
        case 1:
            return __atomic_load_n((uint8_t *)address, __ATOMIC_SEQ_CST);
        case 2:
            return __atomic_load_n((uint16_t *)address, __ATOMIC_SEQ_CST);
        case 4:
            return __atomic_load_n((uint32_t *)address, __ATOMIC_SEQ_CST);
        default:
            return __atomic_load_n((uint64_t *)address, __ATOMIC_SEQ_CST);
    }
}

/* Does the atomic operation store? If it does not, it releases nothing. A compare-and-swap that finds another value here must not go on to
   the swap: another worker may have stored the expected value by then, and the swap would succeed without a release. */
static bool stores(Worker *w, uintptr_t address, unsigned size) {
    if (w->expected == nullptr || size > sizeof(uint64_t)) return !w->only_loads;
    const uint64_t found = value_at(address, size);
    if (memcmp(&found, w->expected, size) == 0) return true;
    memcpy(w->expected, &found, size);
    w->expected = nullptr;
    return false;
}

void access(Worker *w, uintptr_t address, unsigned size, Kind kind, bool is_volatile, Place place, bool reads) {
    end_store(w);
    if (is_own(w, address, size)) return;
    // The first of them says which kernel it is (sim_launch.h).
    const uintptr_t arguments = (uintptr_t)w->launch->arguments, last = arguments + w->launch->argument_bytes;
    if (address >= arguments + sizeof(void *) && address + size <= last) return;
    Event *e = event_of(w, kind, place, size);
    uintptr_t low = e->low, high = e->high;
    if (address < low || address + size > high) {
        Region region = locate(w, address);
        bool lasting = !heap_holds(address); // a kernel may free what it holds
        if (region.space == Space::ignored && region.high > 0)
            low = region.low, high = address + size;
        else
            low = region.low, high = region.high;
        if (high == 0 || address + size > high) {
            refuse_bounds(w, address, size, kind, place);
            region.space = Space::global, low = address, high = address + size;
            lasting = false;
        } else if (region.space == Space::global && !far_blocks && low >= arena && low < heap_low() &&
                   !is_derived(w->launch, low)) {
            find(w, {"out of bounds", place, nullptr, nullptr}, [&] {
                return "out of bounds: " + describe(kind, size, place) +
                       " in memory that the kernel has no pointer to: " +
                       touched(w, address, size, Space::global, address - low);
            });
            lasting = false;
        }
        // A pointer may lead some lanes to shared and others to global memory: those are two requests.
        while (e->lanes && e->space != region.space) e = event_of(w, kind, place, size);
        if (e->lanes == 0) {
            e->space = region.space;
            e->low = low;
            e->high = high;
            const bool changes = region.space == Space::shared || region.space == Space::global;
            e->map = changes ? &map_of(w, region.space, address) : nullptr;
            e->lasting = changes && lasting;
            if (changes) find_tags(w, e);
        }
    }
    if (e->space == Space::ignored) return;
    if (e->space == Space::constant && kind != Kind::load) refuse_constant(w, size, kind, place);
    if (address & (size - 1)) refuse_alignment(w, address, size, kind, place); // sizes are powers of two
    e->lanes |= 1u << w->lane % WARP;
    e->address[w->lane % WARP] = address;

    bool signal = kind == Kind::atomic || is_volatile;
    if (signal) w->spinning = true;
    if (e->map == nullptr) return;
    // Warps that use fences signal each other by volatile variables; without fences those race as others do.
    const bool meant = is_volatile && w->fences[w->warp];
    // Told if the result is wrong or the block fails, unless a race explains it: the value may never be used.
    if (reads && poisoned(address, size) && w->unwritten.empty() &&
        unwritten(w, shadow_of(*e->map, address, size), address, size, e->space))
        note_unwritten(w, address, size, kind, e->space, place, low);
    if (has_guesses && kind == Kind::load && size <= 8) note_load(w, address, size, place);
    check_race(w, *e->map, address, address - low, size, kind, e->space, place, meant, is_volatile);
    if (signal && kind != Kind::load && stores(w, address, size))
        signal_by(w, address, e->space, w->releases, w->own_block);
    if (signal && kind != Kind::store) w->polled = {address, w->own_block, w->acquires};
}

void access_atomically(Worker *w, uintptr_t address, unsigned size, Place place, bool reads) {
    access(w, address, size, Kind::atomic, false, place, reads);
    w->own_block = w->acquires = w->releases = w->only_loads = false;
}

int access_to_compare(Worker *w, uintptr_t address, unsigned size, void *expected, Place place) {
    w->expected = expected;
    access_atomically(w, address, size, place, true);
    const int fits = w->expected != nullptr;
    w->expected = nullptr;
    return fits;
}

void access_uncounted(Worker *w, uintptr_t address, size_t bytes, Kind kind, Place place) {
    end_store(w);
    if (is_own(w, address, bytes)) return;
    const Region region = locate(w, address);
    if (region.space == Space::ignored && region.high > 0) return;
    if (region.high == 0 || address + bytes > region.high) refuse_place(w, address, (unsigned)bytes, kind, place);
    if (region.space == Space::constant && kind != Kind::load) refuse_constant(w, (unsigned)bytes, kind, place);
    if (region.space == Space::constant) return;
    for (size_t i = 0, size; i < bytes; i += size) {
        const uintptr_t a = address + i;
        size = bytes - i >= 4 && a % 4 == 0 ? 4 : 1;
        const ShadowMap &map = map_of(w, region.space, a);
        if (kind == Kind::load && poisoned(a, (unsigned)size) && w->unwritten.empty() &&
            unwritten(w, shadow_of(map, a, (unsigned)size), a, (unsigned)size, region.space))
            note_unwritten(w, a, (unsigned)size, kind, region.space, place, region.low);
        check_race(w, map, a, a - region.low, (unsigned)size, kind, region.space, place);
    }
}

void refuse_beyond(Worker *w, uintptr_t address, size_t bytes, Kind kind, Place place) {
    if (is_own(w, address, 1)) return;
    const Region region = locate(w, address);
    if (region.space != Space::ignored && (address + bytes < address || address + bytes > region.high))
        refuse_place(w, address, (unsigned)bytes, kind, place);
}

void access_range(Worker *w, uintptr_t address, size_t bytes, Kind kind, Place place) {
    for (size_t i = 0; i < bytes;) {
        const unsigned size = bytes - i >= 4 && (address + i) % 4 == 0 ? 4 : 1;
        access(w, address + i, size, kind, false, place, kind != Kind::store);
        i += size;
    }
}

Space space_of(Worker *w, uintptr_t address) {
    return is_own(w, address, 1) ? Space::ignored : locate(w, address).space;
}

const Operation *kernel_that_touched(const std::vector<Operation> &all, uintptr_t address, size_t bytes, bool writes,
                                     bool *wrote) {
    Home home;
    uintptr_t low;
    if (all.empty() || bytes == 0 || !find_home(address, &home, &low) || !find_home(address + bytes - 1, &home, &low))
        return nullptr;
    std::lock_guard<std::mutex> guard(device_mutex);
    for (uintptr_t a = address; a < address + bytes; a++) {
        const Shadow s = tags_at(global_map(a), a);
        const Operation *o = kernel_of(all, s.write(0));
        if (o && !outdated(a, s.write(0))) return *wrote = true, o;
        o = writes ? kernel_of(all, s.read(0)) : nullptr;
        if (o && !outdated(a, s.read(0))) return *wrote = false, o;
    }
    return nullptr;
}

} // namespace wl_sim
