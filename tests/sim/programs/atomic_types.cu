// Atomic operations of every type and scope.
#include <cstdio>

struct Results {
    int i[8];
    unsigned u[8];
    unsigned long long w[8];
    long long l[2];
    float f[2];
    double d[2];
};
__global__ void all(Results *r) {
    int t = threadIdx.x;
    atomicAdd(&r->i[0], t);
    atomicSub(&r->i[1], t);
    atomicMin(&r->i[2], t - 10);
    atomicMax(&r->i[3], t - 10);
    atomicAnd(&r->i[4], ~(1 << (t % 8)));
    atomicOr(&r->i[5], 1 << (t % 8));
    atomicXor(&r->i[6], t);
    atomicAdd_block(&r->i[7], 1);
    atomicAdd(&r->u[0], 2u);
    atomicInc(&r->u[1], 9);
    atomicDec(&r->u[2], 9);
    atomicMax_system(&r->u[3], (unsigned)t * 3);
    atomicMin(&r->u[4], 100u - t);
    atomicCAS(&r->u[5], 0, 77);
    atomicExch_block(&r->u[6], 5);
    atomicXor_system(&r->u[7], 1u << (t % 32));
    atomicAdd(&r->w[0], (unsigned long long)t << 33);
    atomicMax(&r->w[1], (unsigned long long)t << 40);
    atomicMin(&r->w[2], (1ull << 50) - t);
    atomicAnd(&r->w[3], ~(1ull << (t % 64)));
    atomicOr(&r->w[4], 1ull << (t % 64));
    atomicXor(&r->w[5], 1ull << (t % 64));
    atomicCAS(&r->w[6], 0ull, 123ull);
    atomicExch(&r->w[7], 9ull);
    atomicMin(&r->l[0], (long long)t - 40);
    atomicMax(&r->l[1], (long long)t - 400);
    atomicAdd(&r->f[0], 0.5f);
    atomicAdd_system(&r->d[0], 0.25);
    atomicExch(&r->f[1], 2.0f);
}

int main() {
    Results *r;
    cudaMallocManaged(&r, sizeof *r);
    *r = {};
    r->i[4] = r->u[4] = 0xffff;
    r->w[2] = r->w[3] = ~0ull;
    r->l[1] = -1000;
    all<<<1, 64>>>(r);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int v : r->i) printf("%d ", v);
    for (unsigned v : r->u) printf("%u ", v);
    for (unsigned long long v : r->w) printf("%llx ", v);
    printf("%lld %lld %g %g %g\n", r->l[0], r->l[1], r->f[0], r->f[1], r->d[0]);
    cudaFree(r);
}
