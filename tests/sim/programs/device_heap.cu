// malloc, free, new and delete in kernels: lists that outlive the kernel that made them.
#include <cstdio>

struct Node {
    int value;
    Node *next;
};
__global__ void build(Node **lists, int length) {
    Node *head = nullptr;
    for (int i = 0; i < length; i++) {
        Node *n = (Node *)malloc(sizeof(Node));
        n->value = threadIdx.x * 100 + i;
        n->next = head;
        head = n;
    }
    lists[threadIdx.x] = head;
}
__global__ void total(Node **lists, int *sums) {
    int sum = 0;
    for (Node *n = lists[threadIdx.x]; n;) {
        Node *next = n->next;
        sum += n->value;
        free(n);
        n = next;
    }
    int *array = new int[threadIdx.x + 1];
    for (int i = 0; i <= (int)threadIdx.x; i++) array[i] = i;
    sums[threadIdx.x] = sum + array[threadIdx.x];
    delete[] array;
}

int main() {
    Node **lists;
    int *sums, host[40];
    cudaMalloc(&lists, 40 * sizeof *lists);
    cudaMalloc(&sums, sizeof host);
    build<<<1, 40>>>(lists, 7);
    total<<<1, 40>>>(lists, sums);
    printf("%s\n", cudaGetErrorName(cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost)));
    printf("%d %d %d\n", host[0], host[1], host[39]);
    cudaFree(lists);
    cudaFree(sums);
}
