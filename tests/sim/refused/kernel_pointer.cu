// A kernel is called by its address, like a function.
__global__ void k(int *p) { p[threadIdx.x] = 1; }
int main() {
    int *p;
    cudaMalloc(&p, 128);
    void (*call)(int *) = k;
    call(p);
}
