// A kernel is given the address of a variable of the host's.
int sum;
__global__ void k(int *p) { *p = 3; }
int main() {
    k<<<1, 1>>>(&sum);
    cudaDeviceSynchronize();
}
