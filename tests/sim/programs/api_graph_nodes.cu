// A graph built node by node: copies, fills, kernels and host functions, a branch, a child, changed parameters, a loop by a condition.
#include <cstdio>

__global__ void add(int *a, int value) { a[threadIdx.x] += value; }
template <typename T> __global__ void combine(T *to, const T *a, const T *b) {
    to[threadIdx.x] = a[threadIdx.x] + 1000 * b[threadIdx.x];
}
__global__ void kernel(int *count, cudaGraphConditionalHandle handle) { cudaGraphSetConditional(handle, ++*count < 4); }

static void note(void *text) { printf("host: %s\n", (const char *)text); }

static cudaKernelNodeParams kernel_node(void *kernel, unsigned threads, void **arguments) {
    cudaKernelNodeParams p = {};
    p.func = kernel;
    p.gridDim = dim3(1);
    p.blockDim = dim3(threads);
    p.kernelParams = arguments;
    return p;
}

int main() {
    const int bytes = 64 * sizeof(int);
    int *a, *b, *c, host[64];
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&c, bytes);

    cudaGraph_t graph, child;
    cudaGraphNode_t zero, fill, one, two, both, copy, tell;
    cudaGraphCreate(&graph, 0);
    cudaMemsetParams set = {};
    set.dst = a, set.elementSize = 4, set.width = 64, set.height = 1;
    cudaGraphAddMemsetNode(&zero, graph, nullptr, 0, &set);
    set.dst = b, set.value = 0x10002;
    cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &set);
    int value = 1;
    void *for_one[] = {&a, &value}, *for_both[] = {&c, &a, &b};
    cudaKernelNodeParams p = kernel_node((void *)add, 64, for_one);
    cudaGraphAddKernelNode(&one, graph, &zero, 1, &p);
    cudaGraphCreate(&child, 0);
    cudaGraphNode_t inner;
    void *for_inner[] = {&b, &value};
    value = 5; // the node has copied 1
    p = kernel_node(reinterpret_cast<void *>(&add), 64, for_inner);
    cudaGraphAddKernelNode(&inner, child, nullptr, 0, &p);
    cudaGraphAddChildGraphNode(&two, graph, &fill, 1, child);
    cudaGraphNode_t branches[] = {one, two};
    p = kernel_node((void *)combine<int>, 64, for_both);
    cudaGraphAddKernelNode(&both, graph, branches, 2, &p);
    cudaGraphAddMemcpyNode1D(&copy, graph, &both, 1, host, c, bytes, cudaMemcpyDeviceToHost);
    cudaHostNodeParams h = {note, (void *)"done"};
    cudaGraphAddHostNode(&tell, graph, &copy, 1, &h);

    size_t nodes = 0, roots = 0;
    cudaGraphGetNodes(graph, nullptr, &nodes);
    cudaGraphGetRootNodes(graph, nullptr, &roots);
    cudaGraphNodeType type;
    cudaGraphNodeGetType(two, &type);
    printf("%zu nodes, %zu roots, a child %d\n", nodes, roots, type == cudaGraphNodeTypeGraph);
    cudaGraphExec_t executable;
    cudaGraphInstantiate(&executable, graph, 0);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    for (int i = 0; i < 2; i++) {
        cudaGraphLaunch(executable, stream);
        cudaStreamSynchronize(stream);
        printf("%d %d\n", host[0], host[63]);
        value = 7;
        p = kernel_node((void *)add, 64, for_one);
        cudaGraphExecKernelNodeSetParams(executable, one, &p);
    }

    int *count;
    cudaMallocManaged(&count, sizeof *count);
    *count = 0;
    cudaGraph_t loop;
    cudaGraphNode_t node;
    cudaGraphConditionalHandle handle;
    cudaGraphCreate(&loop, 0);
    cudaGraphConditionalHandleCreate(&handle, loop, 1, cudaGraphCondAssignDefault);
    cudaGraphNodeParams condition = {};
    condition.type = cudaGraphNodeTypeConditional;
    condition.conditional.handle = handle;
    condition.conditional.type = cudaGraphCondTypeWhile;
    condition.conditional.size = 1;
    cudaGraphAddNode(&node, loop, nullptr, nullptr, 0, &condition);
    void *for_step[] = {&count, &handle};
    p = kernel_node((void *)kernel, 1, for_step);
    cudaGraphAddKernelNode(&inner, condition.conditional.phGraph_out[0], nullptr, 0, &p);
    cudaGraphExec_t looping;
    cudaGraphInstantiate(&looping, loop, 0);
    cudaGraphLaunch(looping, stream);
    cudaStreamSynchronize(stream);
    printf("%d times round\n", *count);

    void *chosen = (void *)add, *arguments[] = {&a, &value};
    cudaLaunchKernel(chosen, dim3(1), dim3(64), arguments, 0, stream);
    cudaMemcpyAsync(host, a, bytes, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    printf("%d\n", host[63]);
    cudaGraphExecDestroy(executable);
    cudaGraphExecDestroy(looping);
    cudaGraphDestroy(graph);
    cudaGraphDestroy(child);
    cudaGraphDestroy(loop);
    cudaFree(count);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
