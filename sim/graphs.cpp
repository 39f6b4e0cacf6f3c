/* Graphs: nodes that wait for nodes. They are built by hand, or by stream capture: while a stream is captured, what is queued on it
   becomes a node instead of being done. A launch runs the nodes one by one. A node goes on in the stream of one that it waits for, or
   gets a stream of its own, so that work that nothing orders in the graph may still race. */
#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <memory>

#include "cuda_runtime.h"
#include "sim/internal.h"

typedef std::vector<wl_sim_graph_node *> Nodes;

struct wl_sim_graph_node {
    wl_sim_graph *graph;
    cudaGraphNodeType type;
    Nodes after;                              // the nodes that it waits for
    std::function<void(cudaStream_t)> action; // null: none
    cudaGraphNodeParams params;
    std::shared_ptr<void> kept;    // copies of a kernel's arguments, or memory of an allocation
    std::vector<void *> arguments; // of a kernel: its copies
    std::vector<std::shared_ptr<wl_sim_graph>> children;
    const wl_sim_graph_node *original; // in the graph that this one's is a copy of
    bool enabled;
};

struct wl_sim_graph {
    std::vector<std::unique_ptr<wl_sim_graph_node>> nodes;
    std::vector<std::unique_ptr<cudaGraph_t[]>> bodies; // what cudaConditionalNodeParams points to
};

struct wl_sim_graph_executable {
    std::shared_ptr<wl_sim_graph> graph;
    std::vector<cudaStream_t> streams; // for nodes that nothing orders
};

namespace wl_sim {

// ---------------------------------------------------------------- capture

struct Capture {
    cudaStream_t origin;
    wl_sim_graph *graph;
    size_t first;                          // node that was captured
    std::map<cudaStream_t, Nodes> streams; // what the next node of each waits for
    std::map<cudaEvent_t, Nodes> events;
};

static std::mutex mutex; // of what follows
static std::vector<std::unique_ptr<Capture>> capturing;
static std::atomic<int> captures;

static Capture *capture_of(cudaStream_t stream) {
    for (const auto &c : capturing)
        if (c->streams.count(stream)) return c.get();
    return nullptr;
}

static wl_sim_graph_node *add_node(wl_sim_graph *graph, cudaGraphNodeType type) {
    graph->nodes.emplace_back(new wl_sim_graph_node{graph, type, {}, nullptr, {}, nullptr, {}, {}, nullptr, true});
    graph->nodes.back()->params.type = type;
    return graph->nodes.back().get();
}

static void unite(Nodes &a, const Nodes &b) {
    for (wl_sim_graph_node *n : b)
        if (std::find(a.begin(), a.end(), n) == a.end()) a.push_back(n);
}

bool captured(cudaStream_t stream, int type, std::function<void(cudaStream_t)> action) {
    if (captures == 0) return false;
    std::lock_guard<std::mutex> guard(mutex);
    Capture *c = capture_of(stream);
    if (c == nullptr) return false;
    wl_sim_graph_node *node = add_node(c->graph, (cudaGraphNodeType)type);
    node->action = std::move(action);
    node->after = std::exchange(c->streams[stream], {node});
    return true;
}

bool captured_record(cudaStream_t stream, cudaEvent_t event) {
    if (captures == 0) return false;
    std::lock_guard<std::mutex> guard(mutex);
    Capture *c = capture_of(stream);
    for (const auto &other : capturing) other->events.erase(event); // it is something else from now on
    if (c != nullptr) c->events[event] = c->streams[stream];
    return c != nullptr;
}

/* A stream that waits for an event of a capture joins the capture. */
bool captured_wait(cudaStream_t stream, cudaEvent_t event) {
    if (captures == 0) return false;
    std::lock_guard<std::mutex> guard(mutex);
    for (const auto &c : capturing) {
        const auto at = c->events.find(event);
        if (at == c->events.end()) continue;
        unite(c->streams[stream], at->second);
        return true;
    }
    return false;
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *after,
                                          const cudaGraphEdgeData *, size_t count, cudaStreamCaptureMode) {
    std::lock_guard<std::mutex> guard(mutex);
    if (stream == nullptr || stream == cudaStreamLegacy) return (cudaError_t)report(cudaErrorStreamCaptureUnsupported);
    if (capture_of(stream)) return (cudaError_t)report(cudaErrorIllegalState);
    capturing.emplace_back(
        new Capture{stream, graph, graph->nodes.size(), {{stream, Nodes(after, after + count)}}, {}});
    captures++;
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    auto graph = std::make_unique<wl_sim_graph>();
    const cudaError_t error = cudaStreamBeginCaptureToGraph(stream, graph.get(), nullptr, nullptr, 0, mode);
    if (!error) graph.release();
    return error;
}

/* Does somebody in the graph wait for the node, or the capturing stream itself? */
static bool is_joined(const Capture &c, const wl_sim_graph_node *node) {
    const auto has = [node](const Nodes &all) { return std::find(all.begin(), all.end(), node) != all.end(); };
    return has(c.streams.at(c.origin)) ||
           std::any_of(c.graph->nodes.begin(), c.graph->nodes.end(), [&](const auto &n) { return has(n->after); });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
    std::lock_guard<std::mutex> guard(mutex);
    Capture *c = capture_of(stream);
    if (c == nullptr || c->origin != stream) return (cudaError_t)report(cudaErrorIllegalState);
    bool joined = true;
    for (size_t i = c->first; i < c->graph->nodes.size(); i++) joined &= is_joined(*c, c->graph->nodes[i].get());
    if (graph) *graph = joined ? c->graph : nullptr;
    capturing.erase(std::find_if(capturing.begin(), capturing.end(), [c](const auto &o) { return o.get() == c; }));
    captures--;
    return joined ? cudaSuccess : (cudaError_t)report(cudaErrorStreamCaptureUnjoined);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status, unsigned long long *id,
                                     cudaGraph_t *graph, const cudaGraphNode_t **after, size_t *count) {
    std::lock_guard<std::mutex> guard(mutex);
    Capture *c = capture_of(stream);
    *status = c ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    if (c == nullptr) return cudaSuccess;
    if (id) *id = (uintptr_t)c;
    if (graph) *graph = c->graph;
    if (after) *after = c->streams[stream].data();
    if (count) *count = c->streams[stream].size();
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
    return cudaStreamGetCaptureInfo(stream, status);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *after, size_t count,
                                                unsigned flags) {
    std::lock_guard<std::mutex> guard(mutex);
    Capture *c = capture_of(stream);
    if (c == nullptr) return (cudaError_t)report(cudaErrorIllegalState);
    if (flags == cudaStreamSetCaptureDependencies) c->streams[stream].clear();
    unite(c->streams[stream], Nodes(after, after + count));
    return cudaSuccess;
}

// ---------------------------------------------------------------- what nodes do

static std::deque<std::pair<std::atomic<unsigned>, unsigned>> conditions; // the value, and that at each launch
constexpr unsigned NO_DEFAULT = ~0u;

static size_t memory_of_graphs, most_memory_of_graphs;

/* Memory lives as long as a graph that has the node; it may be freed before. */
static std::shared_ptr<void> node_memory(size_t bytes) {
    void *memory = nullptr;
    if (cudaMalloc(&memory, bytes) != cudaSuccess) return nullptr;
    memory_of_graphs += bytes;
    most_memory_of_graphs = std::max(most_memory_of_graphs, memory_of_graphs);
    return {memory, [bytes](void *m) {
                memory_of_graphs -= bytes;
                if (is_allocated((uintptr_t)m)) cudaFree(m);
            }};
}

static void fill(const cudaMemsetParams &p, cudaStream_t stream) {
    const size_t bytes = p.width * p.elementSize;
    if (p.elementSize == 1) {
        cudaMemset2DAsync(p.dst, p.height > 1 ? p.pitch : bytes, (int)p.value, bytes, p.height, stream);
        return;
    }
    std::vector<char> row(bytes);
    for (size_t i = 0; i < bytes; i++) row[i] = (char)(p.value >> i % p.elementSize * 8);
    for (size_t y = 0; y < p.height; y++)
        cudaMemcpyAsync((char *)p.dst + y * p.pitch, row.data(), bytes, cudaMemcpyHostToDevice, stream);
}

static void run(wl_sim_graph &graph, cudaStream_t stream, std::vector<cudaStream_t> &streams, size_t *used);

static void run_condition(const wl_sim_graph_node &node, cudaStream_t stream) {
    const cudaConditionalNodeParams &p = node.params.conditional;
    const std::atomic<unsigned> &value = conditions[p.handle].first;
    std::vector<cudaStream_t> streams;
    const auto body = [&](unsigned which) {
        size_t used = 0;
        if (which < node.children.size()) run(*node.children[which], stream, streams, &used);
    };
    if (p.type == cudaGraphCondTypeSwitch)
        body(value);
    else if (p.type == cudaGraphCondTypeWhile)
        while (value && !launch_error()) body(0);
    else
        body(value ? 0 : 1);
}

static cudaError_t set_kernel(wl_sim_graph_node *node) {
    cudaKernelNodeParams &p = node->params.kernel;
    const wl_kernel_type *type = kernel_type(p.func);
    if (type == nullptr || p.extra != nullptr)
        return wl_refuse_call(cudaErrorInvalidDeviceFunction,
                              type ? "arguments of a kernel by `extra` are not simulated" : "found no kernel there");
    node->kept = type->keep(p.kernelParams, &node->arguments);
    p.kernelParams = node->arguments.data();
    node->action = [p, type](cudaStream_t stream) {
        type->launch(p.func, {p.gridDim, p.blockDim, p.sharedMemBytes, stream, false}, p.kernelParams);
    };
    return cudaSuccess;
}

/* Gives the node what `params` say. */
static cudaError_t set_node(wl_sim_graph_node *node, const cudaGraphNodeParams &params) {
    if (params.type != node->type) return (cudaError_t)report(cudaErrorInvalidValue);
    node->params = params;
    switch (params.type) {
        case cudaGraphNodeTypeKernel:
            return set_kernel(node);
        case cudaGraphNodeTypeMemcpy:
            node->action = [copy = params.memcpy.copyParams](cudaStream_t stream) {
                const wl_naming naming; // of a symbol, which the call that has made the node may name
                cudaMemcpy3DAsync(&copy, stream);
            };
            break;
        case cudaGraphNodeTypeMemset:
            node->action = [p = params.memset](cudaStream_t stream) { fill(p, stream); };
            break;
        case cudaGraphNodeTypeHost:
            node->action = [p = params.host](cudaStream_t stream) { cudaLaunchHostFunc(stream, p.fn, p.userData); };
            break;
        case cudaGraphNodeTypeEventRecord:
            node->action = [e = params.eventRecord.event](cudaStream_t stream) { cudaEventRecord(e, stream); };
            break;
        case cudaGraphNodeTypeWaitEvent:
            node->action = [e = params.eventWait.event](cudaStream_t stream) { cudaStreamWaitEvent(stream, e, 0); };
            break;
        case cudaGraphNodeTypeMemAlloc:
            node->kept = node_memory(params.alloc.bytesize);
            node->params.alloc.dptr = node->kept.get();
            return node->kept ? cudaSuccess : (cudaError_t)report(cudaErrorMemoryAllocation);
        default: // children are run, and memory of a graph stays until the graph is destroyed
            break;
    }
    return cudaSuccess;
}

// ---------------------------------------------------------------- graphs

static std::unique_ptr<wl_sim_graph> copy_of(const wl_sim_graph &graph) {
    auto copy = std::make_unique<wl_sim_graph>();
    std::map<const wl_sim_graph_node *, wl_sim_graph_node *> copies;
    for (const auto &n : graph.nodes) {
        copy->nodes.emplace_back(new wl_sim_graph_node(*n));
        wl_sim_graph_node *to = copy->nodes.back().get();
        to->graph = copy.get();
        to->original = n.get();
        copies[n.get()] = to;
        for (auto &child : to->children) child = copy_of(*child);
        if (to->type == cudaGraphNodeTypeKernel && to->kept) set_kernel(to);
    }
    for (const auto &n : copy->nodes)
        for (wl_sim_graph_node *&before : n->after) before = copies.at(before);
    return copy;
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned) { return *graph = new wl_sim_graph(), cudaSuccess; }

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
    if (graph == nullptr) return (cudaError_t)report(cudaErrorInvalidValue);
    return *clone = copy_of(*graph).release(), cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete graph;
    return cudaSuccess;
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                             cudaGraphNodeParams *params) {
    if (node == nullptr || graph == nullptr || params == nullptr || (count > 0 && after == nullptr))
        return (cudaError_t)report(cudaErrorInvalidValue);
    wl_sim_graph_node *n = add_node(graph, params->type);
    n->after.assign(after, after + count);
    if (params->type == cudaGraphNodeTypeGraph) n->children.push_back(copy_of(*params->graph.graph));
    if (params->type == cudaGraphNodeTypeConditional) {
        cudaConditionalNodeParams &c = params->conditional;
        graph->bodies.emplace_back(new cudaGraph_t[c.size]);
        c.phGraph_out = graph->bodies.back().get();
        for (unsigned i = 0; i < c.size; i++) {
            n->children.push_back(std::make_shared<wl_sim_graph>());
            c.phGraph_out[i] = n->children.back().get();
        }
    }
    const cudaError_t error = set_node(n, *params);
    if (error) {
        graph->nodes.pop_back();
    } else {
        *node = n;
        if (params->type == cudaGraphNodeTypeMemAlloc) params->alloc.dptr = n->params.alloc.dptr;
    }
    return error;
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, const cudaGraphNodeParams *params) {
    return node ? set_node(node, *params) : (cudaError_t)report(cudaErrorInvalidValue);
}

cudaError_t wl_node_params(cudaGraphNode_t node, cudaGraphNodeType type, cudaGraphNodeParams *params) {
    if (node == nullptr || node->type != type) return (cudaError_t)report(cudaErrorInvalidValue);
    return *params = node->params, cudaSuccess;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t, unsigned value,
                                             unsigned flags) {
    *handle = conditions.size();
    conditions.emplace_back(value, flags & cudaGraphCondAssignDefault ? value : NO_DEFAULT);
    return cudaSuccess;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     size_t count) {
    for (size_t i = 0; i < count; i++) unite(to[i]->after, {from[i]});
    return cudaSuccess;
}

static void forget(Nodes &nodes, const wl_sim_graph_node *node) {
    nodes.erase(std::remove(nodes.begin(), nodes.end(), node), nodes.end());
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        size_t count) {
    for (size_t i = 0; i < count; i++) forget(to[i]->after, from[i]);
    return cudaSuccess;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
    auto &all = node->graph->nodes;
    for (const auto &n : all) forget(n->after, node);
    all.erase(std::find_if(all.begin(), all.end(), [node](const auto &n) { return n.get() == node; }));
    return cudaSuccess;
}

// ---------------------------------------------------------------- what a graph consists of

/* As CUDA hands out lists: their length, and as many of `found` as there is room for. */
static cudaError_t give(const Nodes &found, cudaGraphNode_t *nodes, size_t *count) {
    if (count == nullptr) return (cudaError_t)report(cudaErrorInvalidValue);
    for (size_t i = 0; nodes != nullptr && i < *count; i++) nodes[i] = i < found.size() ? found[i] : nullptr;
    *count = nodes != nullptr ? std::min(*count, found.size()) : found.size();
    return cudaSuccess;
}

template <typename F> static Nodes nodes_where(const wl_sim_graph &graph, F wanted) {
    Nodes found;
    for (const auto &n : graph.nodes)
        if (wanted(*n)) found.push_back(n.get());
    return found;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    if (graph == nullptr) return (cudaError_t)report(cudaErrorInvalidValue);
    return give(nodes_where(*graph, [](const auto &) { return true; }), nodes, count);
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    if (graph == nullptr) return (cudaError_t)report(cudaErrorInvalidValue);
    return give(nodes_where(*graph, [](const wl_sim_graph_node &n) { return n.after.empty(); }), nodes, count);
}
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count) {
    Nodes begins, ends;
    if (graph == nullptr || count == nullptr) return (cudaError_t)report(cudaErrorInvalidValue);
    for (const auto &n : graph->nodes)
        for (wl_sim_graph_node *before : n->after) begins.push_back(before), ends.push_back(n.get());
    size_t room = *count;
    give(begins, from, &room);
    return give(ends, to, count);
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count) {
    return give(node->after, nodes, count);
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count) {
    const auto waits = [node](const wl_sim_graph_node &n) {
        return std::find(n.after.begin(), n.after.end(), node) != n.after.end();
    };
    return give(nodes_where(*node->graph, waits), nodes, count);
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType *type) {
    return *type = node->type, cudaSuccess;
}
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone) {
    const Nodes found = nodes_where(*clone, [=](const wl_sim_graph_node &n) { return n.original == original; });
    if (found.empty()) return (cudaError_t)report(cudaErrorInvalidValue);
    return *node = found[0], cudaSuccess;
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph) {
    if (node->type != cudaGraphNodeTypeGraph) return (cudaError_t)report(cudaErrorInvalidValue);
    return *graph = node->children[0].get(), cudaSuccess;
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *file, unsigned) {
    FILE *out = graph ? fopen(file, "w") : nullptr;
    if (out == nullptr) return (cudaError_t)report(cudaErrorInvalidValue);
    std::map<const wl_sim_graph_node *, size_t> number;
    fprintf(out, "digraph dot {\n");
    for (const auto &n : graph->nodes) {
        fprintf(out, "n%zu [label=\"%zu: type %d\"];\n", number.size(), number.size(), n->type);
        number.emplace(n.get(), number.size());
    }
    for (const auto &n : graph->nodes)
        for (const wl_sim_graph_node *before : n->after)
            fprintf(out, "n%zu -> n%zu;\n", number[before], number[n.get()]);
    fprintf(out, "}\n");
    return fclose(out) ? (cudaError_t)report(cudaErrorOperatingSystem) : cudaSuccess;
}

// ---------------------------------------------------------------- executables

/* Puts every node after those that it waits for. False: some wait for each other. */
static bool sort(wl_sim_graph *graph) {
    std::vector<std::unique_ptr<wl_sim_graph_node>> sorted;
    Nodes done;
    while (sorted.size() < graph->nodes.size()) {
        const size_t before = sorted.size();
        for (auto &n : graph->nodes) {
            const auto is_done = [&](wl_sim_graph_node *a) {
                return std::find(done.begin(), done.end(), a) != done.end();
            };
            if (n == nullptr || !std::all_of(n->after.begin(), n->after.end(), is_done)) continue;
            done.push_back(n.get());
            sorted.push_back(std::move(n));
        }
        if (sorted.size() == before) return false;
    }
    graph->nodes = std::move(sorted);
    return std::all_of(done.begin(), done.end(), [](const wl_sim_graph_node *n) {
        return std::all_of(n->children.begin(), n->children.end(), [](const auto &child) { return sort(child.get()); });
    });
}

cudaError_t wl_instantiate(cudaGraphExec_t *executable, cudaGraph_t graph) {
    if (executable == nullptr || graph == nullptr) return (cudaError_t)report(cudaErrorInvalidValue);
    std::shared_ptr<wl_sim_graph> copy = copy_of(*graph);
    if (!sort(copy.get())) return wl_refuse_call(cudaErrorInvalidValue, "nodes of the graph wait for each other");
    return *executable = new wl_sim_graph_executable{copy, {}}, cudaSuccess;
}

static wl_sim_graph_node *in_executable(cudaGraphExec_t executable, cudaGraphNode_t node) {
    const Nodes found = nodes_where(*executable->graph, [=](const wl_sim_graph_node &n) { return n.original == node; });
    return found.empty() ? nullptr : found[0];
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                       const cudaGraphNodeParams *params) {
    return cudaGraphNodeSetParams(in_executable(executable, node), params);
}
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned on) {
    wl_sim_graph_node *n = in_executable(executable, node);
    if (n == nullptr) return (cudaError_t)report(cudaErrorInvalidValue);
    return n->enabled = on != 0, cudaSuccess;
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned *on) {
    const wl_sim_graph_node *n = in_executable(executable, node);
    if (n == nullptr) return (cudaError_t)report(cudaErrorInvalidValue);
    return *on = n->enabled, cudaSuccess;
}

/* It takes another graph's nodes if these are of the same types and wait for the same ones. */
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info) {
    std::shared_ptr<wl_sim_graph> copy = copy_of(*graph);
    const auto &before = executable->graph->nodes, &now = copy->nodes;
    *info = {cudaGraphExecUpdateSuccess, nullptr, nullptr};
    if (!sort(copy.get()) || before.size() != now.size()) info->result = cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; info->result == cudaGraphExecUpdateSuccess && i < now.size(); i++) {
        if (before[i]->type != now[i]->type)
            info->result = cudaGraphExecUpdateErrorNodeTypeChanged;
        else if (before[i]->after.size() != now[i]->after.size())
            info->result = cudaGraphExecUpdateErrorTopologyChanged;
        if (info->result != cudaGraphExecUpdateSuccess) info->errorNode = (cudaGraphNode_t)now[i]->original;
    }
    if (info->result != cudaGraphExecUpdateSuccess) return (cudaError_t)report(cudaErrorGraphExecUpdateFailure);
    for (size_t i = 0; i < now.size(); i++) now[i]->original = before[i]->original;
    executable->graph = copy;
    return cudaSuccess;
}

/* The streams beyond the launch's own are made when they are first used, and kept: two launches never overlap in them. */
static void run(wl_sim_graph &graph, cudaStream_t stream, std::vector<cudaStream_t> &streams, size_t *used) {
    struct Place {
        cudaStream_t stream;
        cudaEvent_t over;
        bool continued; // another node goes on in its stream
    };
    std::map<const wl_sim_graph_node *, Place> places;
    cudaEvent_t begin;
    bool taken = false; // the launch's stream
    cudaEventCreateWithFlags(&begin, cudaEventDisableTiming);
    cudaEventRecord(begin, stream);
    for (const auto &node : graph.nodes) {
        Place place = {stream, nullptr, false};
        bool found = node->after.empty() && !std::exchange(taken, true);
        for (const wl_sim_graph_node *before : node->after) {
            if (found || places[before].continued) continue;
            place.stream = places[before].stream;
            places[before].continued = found = true;
        }
        if (!found) {
            if (*used == streams.size()) {
                streams.emplace_back();
                cudaStreamCreateWithFlags(&streams.back(), cudaStreamNonBlocking);
            }
            place.stream = streams[(*used)++];
            cudaStreamWaitEvent(place.stream, begin, 0);
        }
        for (const wl_sim_graph_node *before : node->after) cudaStreamWaitEvent(place.stream, places[before].over, 0);
        if (node->type == cudaGraphNodeTypeConditional)
            run_condition(*node, place.stream);
        else if (node->action && node->enabled)
            node->action(place.stream);
        else if (!node->children.empty())
            run(*node->children[0], place.stream, streams, used);
        cudaEventCreateWithFlags(&place.over, cudaEventDisableTiming);
        cudaEventRecord(place.over, place.stream);
        places[node.get()] = place;
    }
    for (const auto &place : places) {
        cudaStreamWaitEvent(stream, place.second.over, 0);
        cudaEventDestroy(place.second.over);
    }
    cudaEventDestroy(begin);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
    if (executable == nullptr) return (cudaError_t)report(cudaErrorInvalidValue);
    if (captured(stream, cudaGraphNodeTypeGraph, [=](cudaStream_t s) { cudaGraphLaunch(executable, s); }))
        return cudaSuccess;
    for (auto &c : conditions)
        if (c.second != NO_DEFAULT) c.first = c.second;
    size_t used = 0;
    run(*executable->graph, stream, executable->streams, &used);
    return (cudaError_t)launch_error();
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
    delete executable;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetGraphMemAttribute(int, cudaGraphMemAttributeType attribute, void *value) {
    const bool high = attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
    *(unsigned long long *)value = high ? most_memory_of_graphs : memory_of_graphs;
    return cudaSuccess;
}

} // namespace wl_sim

extern "C" void wl_sim_set_condition(cudaGraphConditionalHandle handle, unsigned value) {
    wl_sim::conditions[handle].first = value;
}
