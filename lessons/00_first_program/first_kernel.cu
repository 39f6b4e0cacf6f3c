/* The paper's first kernel (lessons/01_naive) as a whole program, compared with the serial loop. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

enum { INSTANCES = 112, ATTRIBUTES = 512, THREADS = 128 };

__global__ void GPUnaive(const int *data, // [attributes][instances]
                         int *distance,   // [instances][instances], zeroed
                         int instances, int attributes) {
    int idx = threadIdx.x;
    int gx = blockIdx.x;
    int gy = blockIdx.y;
    for (int i = idx; i < attributes; i += THREADS)
        if (data[instances * i + gx] != data[instances * i + gy]) atomicAdd(distance + instances * gy + gx, 1);
}

/* The same on the host: the loops over gx and gy have become the grid, and threads share the loop over i. */
static void serial(const int *data, int *distance, int instances, int attributes) {
    for (int gy = 0; gy < instances; gy++)
        for (int gx = 0; gx < instances; gx++)
            for (int i = 0; i < attributes; i++)
                if (data[instances * i + gx] != data[instances * i + gy]) distance[instances * gy + gx]++;
}

static void expect(cudaError_t error) {
    if (error == cudaSuccess) return;
    printf("CUDA: %s\n", cudaGetErrorString(error));
    exit(1);
}

int main(void) {
    static int data[ATTRIBUTES * INSTANCES], distance[INSTANCES * INSTANCES], expected[INSTANCES * INSTANCES];
    for (int i = 0; i < ATTRIBUTES * INSTANCES; i++) data[i] = rand() % 3;
    serial(data, expected, INSTANCES, ATTRIBUTES);

    int *device_data, *device_distance; // "prepare"
    expect(cudaMalloc(&device_data, sizeof data));
    expect(cudaMalloc(&device_distance, sizeof distance));
    expect(cudaMemcpy(device_data, data, sizeof data, cudaMemcpyHostToDevice));

    expect(cudaMemset(device_distance, 0, sizeof distance)); // "launch"
    GPUnaive<<<dim3(INSTANCES, INSTANCES), THREADS>>>(device_data, device_distance, INSTANCES, ATTRIBUTES);
    expect(cudaGetLastError());

    expect(cudaMemcpy(distance, device_distance, sizeof distance, cudaMemcpyDeviceToHost)); // "collect"

    cudaFree(device_data), cudaFree(device_distance); // "release"

    int wrong = 0;
    for (int i = 0; i < INSTANCES * INSTANCES; i++) wrong += distance[i] != expected[i];
    printf("%d of %d distances are wrong\n", wrong, INSTANCES * INSTANCES);
    return wrong > 0;
}
