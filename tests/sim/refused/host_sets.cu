// A __constant__ variable is set by its name, before anything else of CUDA's is called.
__constant__ float weights[3];
__global__ void k(float *p) { *p = weights[2]; }
int main() {
    weights[2] = 4;
    float *p;
    cudaMalloc(&p, 4);
    k<<<1, 1>>>(p);
}
