// printf in a kernel, of one thread after the other.
#include <cstdio>

__global__ void speak(int turn, const char *) {
    if (threadIdx.x == turn)
        printf("thread %u of %u: %d %5.2f %s %c %llx\n", threadIdx.x, blockDim.x, -turn, turn * 0.25, "text",
               'a' + turn, 0xabcdefull << turn);
}

int main() {
    for (int turn = 0; turn < 3; turn++) {
        speak<<<1, 4>>>(turn, nullptr);
        cudaDeviceSynchronize();
    }
    fflush(stdout);
}
