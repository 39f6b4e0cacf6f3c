/* Graphs: by stream capture, and built node by node. cuda_runtime.h includes it. */
#pragma once

#include "sim_launch.h"

typedef struct wl_sim_graph *cudaGraph_t;
typedef struct wl_sim_graph_executable *cudaGraphExec_t;
typedef struct wl_sim_graph_node *cudaGraphNode_t;
typedef unsigned long long cudaGraphConditionalHandle;

typedef enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal,
    cudaStreamCaptureModeThreadLocal,
    cudaStreamCaptureModeRelaxed
} cudaStreamCaptureMode;
typedef enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone,
    cudaStreamCaptureStatusActive,
    cudaStreamCaptureStatusInvalidated
} cudaStreamCaptureStatus;
enum { cudaStreamAddCaptureDependencies, cudaStreamSetCaptureDependencies };
typedef enum cudaGraphNodeType {
    cudaGraphNodeTypeKernel = 0,
    cudaGraphNodeTypeMemcpy = 1,
    cudaGraphNodeTypeMemset = 2,
    cudaGraphNodeTypeHost = 3,
    cudaGraphNodeTypeGraph = 4,
    cudaGraphNodeTypeEmpty = 5,
    cudaGraphNodeTypeWaitEvent = 6,
    cudaGraphNodeTypeEventRecord = 7,
    cudaGraphNodeTypeMemAlloc = 10,
    cudaGraphNodeTypeMemFree = 11,
    cudaGraphNodeTypeConditional = 13
} cudaGraphNodeType;
typedef enum cudaGraphConditionalNodeType {
    cudaGraphCondTypeIf,
    cudaGraphCondTypeWhile,
    cudaGraphCondTypeSwitch
} cudaGraphConditionalNodeType;
enum { cudaGraphCondAssignDefault = 1 };
typedef enum cudaGraphInstantiateFlags {
    cudaGraphInstantiateFlagAutoFreeOnLaunch = 1,
    cudaGraphInstantiateFlagUpload = 2,
    cudaGraphInstantiateFlagUseNodePriority = 8
} cudaGraphInstantiateFlags;
enum { cudaGraphDebugDotFlagsVerbose = 1 };
typedef enum cudaGraphExecUpdateResult {
    cudaGraphExecUpdateSuccess,
    cudaGraphExecUpdateError,
    cudaGraphExecUpdateErrorTopologyChanged,
    cudaGraphExecUpdateErrorNodeTypeChanged
} cudaGraphExecUpdateResult;
struct cudaGraphExecUpdateResultInfo {
    cudaGraphExecUpdateResult result;
    cudaGraphNode_t errorNode, errorFromNode;
};
struct cudaGraphEdgeData {
    unsigned char from_port, to_port, type, reserved[5];
};
typedef enum cudaGraphMemAttributeType {
    cudaGraphMemAttrUsedMemCurrent,
    cudaGraphMemAttrUsedMemHigh,
    cudaGraphMemAttrReservedMemCurrent,
    cudaGraphMemAttrReservedMemHigh
} cudaGraphMemAttributeType;

struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
};
typedef cudaKernelNodeParams cudaKernelNodeParamsV2;
struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;
};
typedef cudaMemsetParams cudaMemsetParamsV2;
struct cudaHostNodeParams {
    cudaHostFn_t fn;
    void *userData;
};
typedef cudaHostNodeParams cudaHostNodeParamsV2;
struct cudaMemcpyNodeParams {
    int flags, reserved[3];
    cudaMemcpy3DParms copyParams;
};
struct cudaMemAllocNodeParams {
    cudaMemPoolProps poolProps;
    const cudaMemAccessDesc *accessDescs;
    size_t accessDescCount, bytesize;
    void *dptr;
};
typedef cudaMemAllocNodeParams cudaMemAllocNodeParamsV2;
struct cudaMemFreeNodeParams {
    void *dptr;
};
struct cudaChildGraphNodeParams {
    cudaGraph_t graph;
};
struct cudaEventRecordNodeParams {
    cudaEvent_t event;
};
typedef cudaEventRecordNodeParams cudaEventWaitNodeParams;
struct cudaConditionalNodeParams {
    cudaGraphConditionalHandle handle;
    cudaGraphConditionalNodeType type;
    unsigned size;
    cudaGraph_t *phGraph_out;
};
struct cudaGraphNodeParams {
    cudaGraphNodeType type;
    int reserved0[3];
    union {
        long long reserved1[29];
        cudaKernelNodeParams kernel;
        cudaMemcpyNodeParams memcpy;
        cudaMemsetParams memset;
        cudaHostNodeParams host;
        cudaChildGraphNodeParams graph;
        cudaEventRecordNodeParams eventWait, eventRecord;
        cudaMemAllocNodeParams alloc;
        cudaMemFreeNodeParams free;
        cudaConditionalNodeParams conditional;
    };
};

namespace wl_sim {

// ---------------------------------------------------------------- capture

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *after,
                                          const cudaGraphEdgeData *edges, size_t count, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status,
                                     unsigned long long *id = nullptr, cudaGraph_t *graph = nullptr,
                                     const cudaGraphNode_t **after = nullptr, size_t *count = nullptr);
inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status,
                                            unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **after,
                                            const cudaGraphEdgeData **edges, size_t *count) {
    if (edges) *edges = nullptr;
    return cudaStreamGetCaptureInfo(stream, status, id, graph, after, count);
}
#define cudaStreamGetCaptureInfo_v2 cudaStreamGetCaptureInfo
#define cudaStreamGetCaptureInfo_v3 cudaStreamGetCaptureInfo
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *after, size_t count,
                                                unsigned flags = 0);
inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *after,
                                                       const cudaGraphEdgeData *, size_t count, unsigned flags = 0) {
    return cudaStreamUpdateCaptureDependencies(stream, after, count, flags);
}
inline cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *) { return cudaSuccess; }

// ---------------------------------------------------------------- nodes

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags);
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node);
cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                             cudaGraphNodeParams *params);
inline cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                    const cudaGraphEdgeData *, size_t count, cudaGraphNodeParams *params) {
    return cudaGraphAddNode(node, graph, after, count, params);
}
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, const cudaGraphNodeParams *params);
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                       const cudaGraphNodeParams *params);
cudaError_t wl_node_params(cudaGraphNode_t node, cudaGraphNodeType type, cudaGraphNodeParams *params);

/* What every kind of node has: how one is added, asked about, and changed, in a graph and in an executable. */
#define WL_NODE(Name, Params, Type, member)                                                                         \
    inline cudaGraphNodeParams wl_##member##_params(const Params *p) {                                              \
        cudaGraphNodeParams all = {};                                                                               \
        all.type = cudaGraphNodeType##Type;                                                                         \
        all.member = *p;                                                                                            \
        return all;                                                                                                 \
    }                                                                                                               \
    inline cudaError_t cudaGraph##Name##NodeGetParams(cudaGraphNode_t node, Params *params) {                       \
        cudaGraphNodeParams all = {};                                                                               \
        const cudaError_t error = wl_node_params(node, cudaGraphNodeType##Type, &all);                              \
        if (!error) *params = all.member;                                                                           \
        return error;                                                                                               \
    }                                                                                                               \
    inline cudaError_t cudaGraph##Name##NodeSetParams(cudaGraphNode_t node, const Params *params) {                 \
        const cudaGraphNodeParams all = wl_##member##_params(params);                                               \
        return cudaGraphNodeSetParams(node, &all);                                                                  \
    }                                                                                                               \
    inline cudaError_t cudaGraphExec##Name##NodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,         \
                                                          const Params *params) {                                   \
        const cudaGraphNodeParams all = wl_##member##_params(params);                                               \
        return cudaGraphExecNodeSetParams(executable, node, &all);                                                  \
    }                                                                                                               \
    inline cudaError_t cudaGraphAdd##Name##Node(cudaGraphNode_t *node, cudaGraph_t graph,                           \
                                                const cudaGraphNode_t *after, size_t count, const Params *params) { \
        cudaGraphNodeParams all = wl_##member##_params(params);                                                     \
        return cudaGraphAddNode(node, graph, after, count, &all);                                                   \
    }
WL_NODE(Kernel, cudaKernelNodeParams, Kernel, kernel)
WL_NODE(Memset, cudaMemsetParams, Memset, memset)
WL_NODE(Host, cudaHostNodeParams, Host, host)
#undef WL_NODE
inline cudaGraphNodeParams wl_copy_params(const cudaMemcpy3DParms *copy) {
    cudaGraphNodeParams all = {};
    all.type = cudaGraphNodeTypeMemcpy;
    all.memcpy.copyParams = *copy;
    return all;
}
inline cudaGraphNodeParams wl_copy_params(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr((void *)from, bytes, bytes, 1);
    copy.dstPtr = make_cudaPitchedPtr(to, bytes, bytes, 1);
    copy.extent = make_cudaExtent(bytes, 1, 1);
    copy.kind = kind;
    return wl_copy_params(&copy);
}
template <typename... P>
cudaError_t wl_add_copy(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                        P... copy) {
    cudaGraphNodeParams all = wl_copy_params(copy...);
    return cudaGraphAddNode(node, graph, after, count, &all);
}
inline cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                          size_t count, const cudaMemcpy3DParms *copy) {
    return wl_add_copy(node, graph, after, count, copy);
}
inline cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                            size_t count, void *to, const void *from, size_t bytes,
                                            cudaMemcpyKind kind) {
    return wl_add_copy(node, graph, after, count, to, from, bytes, kind);
}
template <typename T>
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                           size_t count, T &symbol, const void *from, size_t bytes, size_t offset,
                                           cudaMemcpyKind kind) {
    wl_note_symbol(&symbol);
    return wl_add_copy(node, graph, after, count, (void *)((char *)&symbol + offset), from, bytes, kind);
}
template <typename T>
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                             size_t count, void *to, const T &symbol, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind) {
    wl_note_symbol(&symbol);
    return wl_add_copy(node, graph, after, count, to, (const void *)((const char *)&symbol + offset), bytes, kind);
}
inline cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms *copy) {
    cudaGraphNodeParams all = {};
    const cudaError_t error = wl_node_params(node, cudaGraphNodeTypeMemcpy, &all);
    if (!error) *copy = all.memcpy.copyParams;
    return error;
}
inline cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms *copy) {
    const cudaGraphNodeParams all = wl_copy_params(copy);
    return cudaGraphNodeSetParams(node, &all);
}
inline cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from, size_t bytes,
                                                  cudaMemcpyKind kind) {
    const cudaGraphNodeParams all = wl_copy_params(to, from, bytes, kind);
    return cudaGraphNodeSetParams(node, &all);
}
inline cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                    const cudaMemcpy3DParms *copy) {
    const cudaGraphNodeParams all = wl_copy_params(copy);
    return cudaGraphExecNodeSetParams(executable, node, &all);
}
inline cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node, void *to,
                                                      const void *from, size_t bytes, cudaMemcpyKind kind) {
    const cudaGraphNodeParams all = wl_copy_params(to, from, bytes, kind);
    return cudaGraphExecNodeSetParams(executable, node, &all);
}
inline cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                         size_t count) {
    cudaGraphNodeParams all = {};
    all.type = cudaGraphNodeTypeEmpty;
    return cudaGraphAddNode(node, graph, after, count, &all);
}
inline cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                              size_t count, cudaGraph_t child) {
    cudaGraphNodeParams all = {};
    all.type = cudaGraphNodeTypeGraph;
    all.graph.graph = child;
    return cudaGraphAddNode(node, graph, after, count, &all);
}
inline cudaError_t wl_add_event(cudaGraphNodeType type, cudaGraphNode_t *node, cudaGraph_t graph,
                                const cudaGraphNode_t *after, size_t count, cudaEvent_t event) {
    cudaGraphNodeParams all = {};
    all.type = type;
    all.eventRecord.event = event;
    return cudaGraphAddNode(node, graph, after, count, &all);
}
inline cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                               size_t count, cudaEvent_t event) {
    return wl_add_event(cudaGraphNodeTypeEventRecord, node, graph, after, count, event);
}
inline cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                             size_t count, cudaEvent_t event) {
    return wl_add_event(cudaGraphNodeTypeWaitEvent, node, graph, after, count, event);
}
inline cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                            size_t count, cudaMemAllocNodeParams *params) {
    cudaGraphNodeParams all = {};
    all.type = cudaGraphNodeTypeMemAlloc;
    all.alloc = *params;
    const cudaError_t error = cudaGraphAddNode(node, graph, after, count, &all);
    params->dptr = all.alloc.dptr;
    return error;
}
inline cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                           size_t count, void *memory) {
    cudaGraphNodeParams all = {};
    all.type = cudaGraphNodeTypeMemFree;
    all.free.dptr = memory;
    return cudaGraphAddNode(node, graph, after, count, &all);
}
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph, unsigned value = 0,
                                             unsigned flags = 0);

// From each of `from` to the one of `to` at the same place.
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     size_t count);
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        size_t count);
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                            const cudaGraphEdgeData *, size_t count) {
    return cudaGraphAddDependencies(graph, from, to, count);
}
inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                               const cudaGraphNode_t *to, const cudaGraphEdgeData *, size_t count) {
    return cudaGraphRemoveDependencies(graph, from, to, count);
}
// These say how many there are, and fill what room there is.
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count);
inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *,
                                     size_t *count) {
    return cudaGraphGetEdges(graph, from, to, count);
}
inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *,
                                                size_t *count) {
    return cudaGraphNodeGetDependencies(node, nodes, count);
}
inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *,
                                                  size_t *count) {
    return cudaGraphNodeGetDependentNodes(node, nodes, count);
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType *type);
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone);
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph);
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *file, unsigned flags);

// ---------------------------------------------------------------- executables

cudaError_t wl_instantiate(cudaGraphExec_t *executable, cudaGraph_t graph);
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long = 0) {
    return wl_instantiate(executable, graph);
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, cudaGraphNode_t *, char *,
                                        size_t) {
    return wl_instantiate(executable, graph);
}
inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *executable, cudaGraph_t graph,
                                                 unsigned long long = 0) {
    return wl_instantiate(executable, graph);
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info);
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphNode_t *error_node,
                                       cudaGraphExecUpdateResult *result) {
    cudaGraphExecUpdateResultInfo info = {};
    const cudaError_t error = cudaGraphExecUpdate(executable, graph, &info);
    if (error_node) *error_node = info.errorNode;
    *result = info.result;
    return error;
}
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned on);
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned *on);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
inline cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);
cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void *value);
inline cudaError_t cudaDeviceSetGraphMemAttribute(int, cudaGraphMemAttributeType, void *) { return cudaSuccess; }
inline cudaError_t cudaDeviceGraphMemTrim(int) { return cudaSuccess; }

} // namespace wl_sim

WL_DEVICE_CODE
extern "C" void wl_sim_set_condition(cudaGraphConditionalHandle handle, unsigned value);
static inline void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value) {
    wl_sim_set_condition(handle, value);
}
WL_DEVICE_CODE_END
