/* Which operations streams, events and waits put in order. Each operation runs when it is queued, but has the place in its
   stream that a GPU would give it: two that nothing orders and that touch the same bytes, one of them writing, race.

   Each stream has a clock: for every stream, how many of its operations are over before what is queued next. The host
   has one, too. All host threads share it, so threads that wait for each other are never blamed. */
#include <execinfo.h>

#include <algorithm>

#include "cuda_runtime.h"
#include "sim/internal.h"

typedef std::vector<uint64_t> Clock; // by stream

struct wl_sim_stream {
    unsigned id;
    bool blocking; // waits for the legacy default stream, and that for it
    uint64_t queued;
    Clock clock;
    int priority;
};
struct wl_sim_event {
    Clock clock;
    bool timed, recorded;
    uint64_t work; // that had been simulated when it was recorded: simulated_work
};

namespace wl_sim {

constexpr int LOWEST_PRIORITY = 0, HIGHEST_PRIORITY = -5; // as on today's GPUs

static std::mutex mutex; // of all that follows
static wl_sim_stream legacy{0, true, 0, {}, 0};
// Never destroyed: streams of threads live until the program ends, and stay reachable for leak checkers.
static std::vector<wl_sim_stream *> &streams = *new std::vector<wl_sim_stream *>{&legacy};
static Clock host;
static bool per_thread;
static std::vector<Operation> unfinished; // those that the host has not waited for
std::atomic<bool> host_in_danger;         // what the device may still access is within the host's reach
std::atomic<uint64_t> simulated_work;

static void join(Clock &a, const Clock &b) {
    if (a.size() < b.size()) a.resize(b.size());
    for (size_t i = 0; i < b.size(); i++) a[i] = std::max(a[i], b[i]);
}

static uint64_t entry(const Clock &c, unsigned id) { return id < c.size() ? c[id] : 0; }

/* Each thread's own default stream. */
static wl_sim_stream *own_stream(void) {
    static thread_local wl_sim_stream *own;
    if (own == nullptr) {
        own = new wl_sim_stream{(unsigned)streams.size(), true, 0, {}, 0};
        streams.push_back(own);
    }
    return own;
}

static wl_sim_stream *meant(cudaStream_t stream) {
    if (stream == cudaStreamPerThread || (stream == nullptr && per_thread)) return own_stream();
    return stream == nullptr || stream == cudaStreamLegacy ? &legacy : stream;
}

/* Does it access memory of the host's, or a kernel memory that both may use? */
static bool endangers_host(const Operation &o) {
    return o.host_low < o.host_high || (o.end_sequence > 0 && kernels_share_memory);
}

static void host_waits_for(const Clock &clock) {
    settle_window();
    join(host, clock);
    auto over = [](const Operation &o) { return entry(host, o.stream) >= o.number; };
    unfinished.erase(std::remove_if(unfinished.begin(), unfinished.end(), over), unfinished.end());
    host_in_danger = std::any_of(unfinished.begin(), unfinished.end(), endangers_host);
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
    if (endangers_host(o)) host_in_danger = true;
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
    Home home;
    uintptr_t low;
    return find_home(address, &home, &low) && home == Home::host;
}

static thread_local bool streaming; // the calling thread runs a function of a stream: what was queued before is over
void enter_stream(bool enters) {
    streaming = enters;
    enter_window(enters);
}
bool in_stream(void) { return streaming; }

/* Host code of a kernel file touches memory: is a copy on its way there, or a kernel using it? */
void check_host_access(uintptr_t address, size_t bytes, bool writes, Place place) {
    if (streaming) return;
    Home home;
    uintptr_t low;
    const bool shared = find_home(address, &home, &low); // with the device; most of the host's memory is not
    std::string message;
    std::vector<Operation> kernels;
    const auto what = [&] {
        return std::string("race between host and device: the host ") + (writes ? "stores " : "loads ") +
               std::to_string(bytes) + " bytes at " + place_name(place);
    };
    {
        std::lock_guard<std::mutex> guard(mutex);
        for (const Operation &o : unfinished) {
            if (address < o.host_high && address + bytes > o.host_low && (writes || o.writes_host))
                message = what() + " before anything has waited for " + described(o);
            if (shared && o.end_sequence > 0) kernels.push_back(o);
        }
    }
    bool wrote = false;
    const Operation *kernel = message.empty() ? kernel_that_touched(kernels, address, bytes, writes, &wrote) : nullptr;
    if (kernel)
        message = what() + ", which " + described(*kernel) + (wrote ? " stores to" : " loads from") +
                  ", before anything has waited for it";
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

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    std::lock_guard<std::mutex> guard(mutex);
    if (stream == nullptr || (flags & ~(unsigned)cudaStreamNonBlocking))
        return (cudaError_t)report(cudaErrorInvalidValue);
    priority = std::min(LOWEST_PRIORITY, std::max(HIGHEST_PRIORITY, priority));
    *stream = new wl_sim_stream{(unsigned)streams.size(), (flags & cudaStreamNonBlocking) == 0, 0, {}, priority};
    streams.push_back(*stream);
    return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, LOWEST_PRIORITY);
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
    std::lock_guard<std::mutex> guard(mutex);
    return *priority = meant(stream)->priority, cudaSuccess;
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
    std::lock_guard<std::mutex> guard(mutex);
    return *flags = meant(stream)->blocking ? cudaStreamDefault : cudaStreamNonBlocking, cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    if (least) *least = LOWEST_PRIORITY;
    if (greatest) *greatest = HIGHEST_PRIORITY;
    return cudaSuccess;
}

// It runs at once: all that was queued before is done.
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
    if (function == nullptr) return (cudaError_t)report(cudaErrorInvalidValue);
    if (captured(stream, cudaGraphNodeTypeHost, [=](cudaStream_t s) { cudaLaunchHostFunc(s, function, data); }))
        return cudaSuccess;
    if (launch_error()) return (cudaError_t)launch_error();
    remember_operation(queue_operation(stream, "host function"));
    streaming = true;
    function(data);
    streaming = false;
    return (cudaError_t)launch_error();
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void *data, unsigned) {
    if (function == nullptr) return (cudaError_t)report(cudaErrorInvalidValue);
    remember_operation(queue_operation(stream, "callback"));
    streaming = true;
    function(stream, (cudaError_t)launch_error(), data);
    streaming = false;
    return (cudaError_t)launch_error();
}

// Its operations go on, so the stream is kept.
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    if (active) return cudaSuccess; // of a kernel's launches: these go one after the other
    if (event == nullptr) return (cudaError_t)report(cudaErrorInvalidResourceHandle);
    if (captured_wait(stream, event)) return cudaSuccess;
    std::lock_guard<std::mutex> guard(mutex);
    join(meant(stream)->clock, event->clock);
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    if (event == nullptr) return (cudaError_t)report(cudaErrorInvalidValue);
    *event = new wl_sim_event{{}, (flags & cudaEventDisableTiming) == 0, false, 0};
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    if (active) return cudaSuccess;
    if (event == nullptr) return (cudaError_t)report(cudaErrorInvalidResourceHandle);
    if (captured_record(stream, event)) return cudaSuccess;
    std::lock_guard<std::mutex> guard(mutex);
    wl_sim_stream *s = meant(stream);
    event->clock = s->clock;
    event->recorded = true;
    event->work = simulated_work;
    if (s == &legacy) {
        for (const wl_sim_stream *other : streams)
            if (other->blocking) join(event->clock, other->clock);
    } else if (s->blocking) {
        join(event->clock, legacy.clock);
    }
    return (cudaError_t)launch_error();
}

// A count of work, a unit to the nanosecond: programs that divide by it, or stop at an error, go on.
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    if (milliseconds == nullptr || begin == nullptr || end == nullptr || !begin->recorded || !end->recorded ||
        !begin->timed || !end->timed)
        return (cudaError_t)report(cudaErrorInvalidResourceHandle);
    static std::once_flag once;
    std::call_once(once, [] {
        fprintf(stderr,
                "simulated device: cudaEventElapsedTime gives a count of simulated work, a nanosecond for each step of "
                "a warp; it is no time\n");
    });
    *milliseconds = (float)((double)(end->work - begin->work) * 1e-6);
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

} // namespace wl_sim
