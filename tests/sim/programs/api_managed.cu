// Managed memory, in a list that host and device walk, and a __managed__ variable.
#include <cstdio>

struct Node {
    int value;
    Node *next;
};
__managed__ int total;
__global__ void add_up(const Node *n) {
    for (; n; n = n->next) total += n->value;
}
__global__ void scale(Node *nodes, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) nodes[i].value *= 10;
}

int main() {
    const int n = 100;
    Node *nodes;
    cudaMallocManaged(&nodes, n * sizeof *nodes);
    for (int i = 0; i < n; i++) nodes[i] = {i, i + 1 < n ? nodes + i + 1 : nullptr};
    total = 5;
    add_up<<<1, 1>>>(nodes);
    cudaDeviceSynchronize();
    printf("%d\n", total);
    scale<<<4, 32>>>(nodes, n);
    cudaDeviceSynchronize();
    long sum = 0;
    for (Node *p = nodes; p; p = p->next) sum += p->value;
    printf("%ld\n", sum);
    cudaPointerAttributes a;
    cudaPointerGetAttributes(&a, nodes);
    printf("managed: %d\n", a.type == cudaMemoryTypeManaged);
    cudaFree(nodes);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
