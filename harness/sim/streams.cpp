/* Which operations streams, events and waits put in order. Each operation runs when it is queued, but has the place in its
   stream that a GPU would give it: two that nothing orders and that touch the same bytes, one of them writing, race.

   Each stream has a clock: for every stream, how many of its operations are over before what is queued next. The host
   has one, too. All host threads share it, so threads that wait for each other are never blamed. */
#include <execinfo.h>

#include <algorithm>
#include <map>

#include "cuda_runtime.h"
#include "harness/sim/internal.h"

typedef std::vector<uint64_t> Clock; // by stream

struct wl_sim_stream {
    unsigned id;
    bool blocking; // waits for the legacy default stream, and that for it
    uint64_t queued;
    Clock clock;
};
struct wl_sim_event {
    Clock clock;
};

namespace wl_sim {

static std::mutex mutex; // of all that follows
static wl_sim_stream legacy{0, true, 0, {}};
// Never destroyed: streams of threads live until the program ends, and stay reachable for leak checkers.
static std::vector<wl_sim_stream *> &streams = *new std::vector<wl_sim_stream *>{&legacy};
static Clock host;
static bool per_thread;
static std::vector<Operation> unfinished; // those that the host has not waited for
static std::map<uintptr_t, size_t> pinned;
std::atomic<bool> host_in_danger; // a copy from or to pinned memory may be on its way

static void join(Clock &a, const Clock &b) {
    if (a.size() < b.size()) a.resize(b.size());
    for (size_t i = 0; i < b.size(); i++) a[i] = std::max(a[i], b[i]);
}

static uint64_t entry(const Clock &c, unsigned id) { return id < c.size() ? c[id] : 0; }

/* Each thread's own default stream. */
static wl_sim_stream *own_stream(void) {
    static thread_local wl_sim_stream *own;
    if (own == nullptr) {
        own = new wl_sim_stream{(unsigned)streams.size(), true, 0, {}};
        streams.push_back(own);
    }
    return own;
}

static wl_sim_stream *meant(cudaStream_t stream) {
    if (stream == cudaStreamPerThread || (stream == nullptr && per_thread)) return own_stream();
    return stream == nullptr || stream == cudaStreamLegacy ? &legacy : stream;
}

static void host_waits_for(const Clock &clock) {
    join(host, clock);
    auto over = [](const Operation &o) { return entry(host, o.stream) >= o.number; };
    unfinished.erase(std::remove_if(unfinished.begin(), unfinished.end(), over), unfinished.end());
    host_in_danger =
        std::any_of(unfinished.begin(), unfinished.end(), [](const Operation &o) { return o.host_low < o.host_high; });
}

HostPlace host_place(void) {
    HostPlace place;
    place.count = backtrace(place.frames, HostPlace::FRAMES);
    return place;
}

Operation queue_operation(cudaStream_t stream, const std::string &what) {
    constexpr size_t MOST = 4096; // a program that never waits: the oldest are forgotten
    std::lock_guard<std::mutex> guard(mutex);
    wl_sim_stream *s = meant(stream);
    join(s->clock, host);
    if (s == &legacy) {
        for (const wl_sim_stream *other : streams)
            if (other->blocking) join(s->clock, other->clock);
    } else if (s->blocking) {
        join(s->clock, legacy.clock);
    }
    Operation o{};
    o.what = what;
    o.place = host_place();
    o.stream = s->id;
    o.number = ++s->queued;
    if (s->clock.size() <= s->id) s->clock.resize(s->id + 1);
    o.before = s->clock;
    s->clock[s->id] = o.number;
    if (unfinished.size() >= MOST) unfinished.erase(unfinished.begin(), unfinished.begin() + MOST / 2);
    return o;
}

std::vector<Operation> unordered_with(const Operation &o) {
    std::lock_guard<std::mutex> guard(mutex);
    std::vector<Operation> found;
    for (const Operation &other : unfinished)
        if (entry(o.before, other.stream) < other.number) found.push_back(other);
    return found;
}

void remember_operation(const Operation &o) {
    std::lock_guard<std::mutex> guard(mutex);
    unfinished.push_back(o);
    if (o.host_low < o.host_high) host_in_danger = true;
}

void wait_for_operation(const Operation &o) {
    std::lock_guard<std::mutex> guard(mutex);
    Clock clock = o.before;
    if (clock.size() <= o.stream) clock.resize(o.stream + 1);
    clock[o.stream] = o.number;
    host_waits_for(clock);
}

void wait_for_all(void) {
    std::lock_guard<std::mutex> guard(mutex);
    for (const wl_sim_stream *s : streams) host_waits_for(s->clock);
}

bool is_pinned(uintptr_t address) {
    std::lock_guard<std::mutex> guard(mutex);
    auto after = pinned.upper_bound(address);
    return after != pinned.begin() && address < std::prev(after)->first + std::prev(after)->second;
}

/* Host code of a kernel file touches memory: is a copy on its way there? */
void check_host_access(uintptr_t address, size_t bytes, bool writes, Place place) {
    std::string message;
    {
        std::lock_guard<std::mutex> guard(mutex);
        for (const Operation &o : unfinished)
            if (address < o.host_high && address + bytes > o.host_low && (writes || o.writes_host))
                message = std::string("race between host and device: the host ") + (writes ? "stores" : "loads") + " " +
                          std::to_string(bytes) + " bytes at " + place_name(place) +
                          " before anything has waited for " + described(o);
    }
    if (message.empty()) return;
    set_launch_error(cudaErrorLaunchFailure, message);
    complain(message);
}

std::string described(const Operation &o) { return o.what + " (" + host_place_name(o.place) + ")"; }

// ---------------------------------------------------------------- what programs call

bool wl_streams_per_thread() { return per_thread = true; }

cudaError_t cudaDeviceSynchronize() {
    wait_for_all();
    return (cudaError_t)launch_error();
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    std::lock_guard<std::mutex> guard(mutex);
    host_waits_for(meant(stream)->clock);
    return (cudaError_t)launch_error();
}

// What has been queued is over; but a program that asks only once may have been lucky, so nothing is ordered by it before it is told so.
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    std::lock_guard<std::mutex> guard(mutex);
    *stream = new wl_sim_stream{(unsigned)streams.size(), (flags & cudaStreamNonBlocking) == 0, 0, {}};
    streams.push_back(*stream);
    return cudaSuccess;
}

// Its operations go on, so the stream is kept.
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    std::lock_guard<std::mutex> guard(mutex);
    join(meant(stream)->clock, event->clock);
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) {
    *event = new wl_sim_event;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    std::lock_guard<std::mutex> guard(mutex);
    wl_sim_stream *s = meant(stream);
    event->clock = s->clock;
    if (s == &legacy) {
        for (const wl_sim_stream *other : streams)
            if (other->blocking) join(event->clock, other->clock);
    } else if (s->blocking) {
        join(event->clock, legacy.clock);
    }
    return (cudaError_t)launch_error();
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    std::lock_guard<std::mutex> guard(mutex);
    host_waits_for(event->clock);
    return (cudaError_t)launch_error();
}

cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete event;
    return cudaSuccess;
}

cudaError_t wl_allocate_host(void **pointer, size_t bytes) {
    if (pointer == nullptr) return (cudaError_t)report(cudaErrorInvalidValue);
    *pointer = malloc(bytes ? bytes : 1);
    if (*pointer == nullptr) return (cudaError_t)report(cudaErrorMemoryAllocation);
    std::lock_guard<std::mutex> guard(mutex);
    pinned[(uintptr_t)*pointer] = bytes;
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void *pointer) {
    if (pointer == nullptr) return cudaSuccess;
    wait_for_all(); // as cudaFree
    {
        std::lock_guard<std::mutex> guard(mutex);
        if (pinned.erase((uintptr_t)pointer) == 0) return (cudaError_t)report(cudaErrorInvalidValue);
    }
    free(pointer);
    return cudaSuccess;
}

} // namespace wl_sim
