// Votes, matches, reductions and shuffles of a warp, under full and partial masks, of 32 and 64 bits.
#include <cstdio>

__global__ void kernel(unsigned *u, long long *l, double *d) {
    int lane = threadIdx.x;
    u[lane] = __ballot_sync(~0u, lane % 3 == 0);
    u[lane + 32] = __match_any_sync(~0u, lane / 5);
    int same;
    u[lane + 64] = __match_all_sync(~0u, 7, &same) + same;
    u[lane + 96] =
        __reduce_add_sync(~0u, lane) + __reduce_max_sync(~0u, lane * 5 % 17) + __reduce_min_sync(~0u, lane - 3);
    u[lane + 128] = __reduce_xor_sync(~0u, 1u << lane) ^ __reduce_and_sync(~0u, 0xf0u | lane) ^
                    __reduce_or_sync(~0u, (unsigned)lane);
    l[lane] = __shfl_xor_sync(~0u, (long long)lane << 40, 5);
    d[lane] = __shfl_up_sync(~0u, lane * 0.5, 3, 8) + __shfl_down_sync(~0u, lane * 100.0, 2, 16);
    if (lane >= 16) {
        u[lane + 160] = __shfl_sync(0xffff0000u, lane, 20) + __all_sync(0xffff0000u, lane > 15) * 100 +
                        __any_sync(0xffff0000u, lane == 3);
        __syncwarp(0xffff0000u);
    } else {
        u[lane + 160] = __activemask() == 0xffffu;
    }
}

int main() {
    unsigned *u;
    long long *l;
    double *d;
    cudaMallocManaged(&u, 192 * sizeof *u);
    cudaMallocManaged(&l, 32 * sizeof *l);
    cudaMallocManaged(&d, 32 * sizeof *d);
    kernel<<<1, 32>>>(u, l, d);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < 192; i += 13) printf("%x ", u[i]);
    for (int i = 0; i < 32; i += 7) printf("%llx %g ", l[i], d[i]);
    printf("\n");
}
