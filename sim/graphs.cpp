/* Graphs by stream capture: while a stream is captured, what is queued on it is kept instead of done. A launch of the graph does it
   in the order in which it was queued. The streams and events of the capture have stand-ins then, so that work that nothing orders
   in the graph may still race. */
#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <set>

#include "cuda_runtime.h"
#include "sim/internal.h"

struct wl_sim_graph {
    cudaStream_t origin;
    std::set<cudaStream_t> streams;
    std::set<cudaEvent_t> events;
    std::vector<std::function<void(const wl_sim::Replay &)>> actions;
    size_t nodes; // actions that are no waits
    bool failed;
};

namespace wl_sim {

static std::mutex mutex; // of what follows
static std::vector<wl_sim_graph *> capturing;
static std::atomic<int> captures;

static wl_sim_graph *capture_of(cudaStream_t stream) {
    if (captures == 0) return nullptr;
    for (wl_sim_graph *g : capturing)
        if (g->streams.count(stream)) return g;
    return nullptr;
}

bool captured(cudaStream_t stream, std::function<void(const Replay &)> action) {
    if (captures == 0) return false;
    std::lock_guard<std::mutex> guard(mutex);
    wl_sim_graph *g = capture_of(stream);
    if (g == nullptr) return false;
    g->actions.push_back(std::move(action));
    g->nodes++;
    return true;
}

bool captured_record(cudaStream_t stream, cudaEvent_t event) {
    if (captures == 0) return false;
    std::lock_guard<std::mutex> guard(mutex);
    wl_sim_graph *g = capture_of(stream);
    if (g == nullptr) {
        for (wl_sim_graph *other : capturing) other->events.erase(event); // it is something else from now on
        return false;
    }
    g->events.insert(event);
    g->actions.push_back([=](const Replay &r) { cudaEventRecord(r.event(event), r.stream(stream)); });
    return true;
}

/* A stream that waits for an event of a capture joins the capture. */
bool captured_wait(cudaStream_t stream, cudaEvent_t event) {
    if (captures == 0) return false;
    std::lock_guard<std::mutex> guard(mutex);
    for (wl_sim_graph *g : capturing) {
        if (!g->events.count(event)) continue;
        g->streams.insert(stream);
        g->actions.push_back([=](const Replay &r) { cudaStreamWaitEvent(r.stream(stream), r.event(event), 0); });
        return true;
    }
    return false;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    std::lock_guard<std::mutex> guard(mutex);
    if (stream == nullptr || stream == cudaStreamLegacy) return (cudaError_t)report(cudaErrorStreamCaptureUnsupported);
    if (capture_of(stream)) return (cudaError_t)report(cudaErrorIllegalState);
    capturing.push_back(new wl_sim_graph{stream, {stream}, {}, {}, 0, false});
    captures++;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
    std::lock_guard<std::mutex> guard(mutex);
    wl_sim_graph *g = capture_of(stream);
    if (g == nullptr || g->origin != stream) return (cudaError_t)report(cudaErrorIllegalState);
    capturing.erase(std::find(capturing.begin(), capturing.end(), g));
    captures--;
    *graph = g;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
    std::lock_guard<std::mutex> guard(mutex);
    *status = capture_of(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    if (graph == nullptr || count == nullptr) return (cudaError_t)report(cudaErrorInvalidValue);
    if (nodes != nullptr) return (cudaError_t)report(cudaErrorNotSupported); // they cannot be asked about
    return *count = graph->nodes, cudaSuccess;
}

cudaError_t wl_instantiate(cudaGraphExec_t *executable, cudaGraph_t graph) {
    if (executable == nullptr || graph == nullptr) return (cudaError_t)report(cudaErrorInvalidValue);
    *executable = (cudaGraphExec_t) new wl_sim_graph(*graph);
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
    wl_sim_graph *graph = (wl_sim_graph *)executable;
    if (graph == nullptr) return (cudaError_t)report(cudaErrorInvalidValue);
    Replay replay;
    for (cudaStream_t s : graph->streams) {
        cudaStream_t standin = stream;
        if (s != graph->origin) cudaStreamCreateWithFlags(&standin, cudaStreamNonBlocking);
        replay.streams[s] = standin;
    }
    for (cudaEvent_t e : graph->events) cudaEventCreateWithFlags(&replay.events[e], cudaEventDisableTiming);
    for (const auto &action : graph->actions) action(replay);
    for (const auto &s : replay.streams)
        if (s.first != graph->origin) cudaStreamDestroy(s.second);
    for (const auto &e : replay.events) cudaEventDestroy(e.second);
    return (cudaError_t)launch_error();
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete graph;
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
    delete (wl_sim_graph *)executable;
    return cudaSuccess;
}

} // namespace wl_sim
