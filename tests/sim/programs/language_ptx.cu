// Inline PTX of single instructions: special registers, integers, floats. Operands may be expressions, and a statement may take several lines.
#include <cstdio>

__device__ __forceinline__ unsigned field(unsigned x, unsigned from, unsigned bits) {
    unsigned found;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(found) : "r"(x), "r"(from), "r"(bits));
    return found;
}

__global__ void k(unsigned *out, float *sums) {
    unsigned lane, warp, below;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    int difference;
    asm("sub.s32 %0, %1, %2;\n\t" : "=r"(difference) : "r"((int)lane), "r"(warp > 0 ? 100 : 10));
    asm volatile("fma.rn.f32 %0, %1, "
                 "%2, %3;"
                 : "=f"(sums[threadIdx.x])
                 : "f"(0.5f), "f"((float)lane), "f"(1.0f)
                 : "memory");
    unsigned shifted, many;
    asm("shl.b32 %0, %1, %2;" : "=r"(shifted) : "r"(1u), "r"(lane + 20));
    asm("popc.b32 %0, %1;" : "=r"(many) : "r"(below));
    out[threadIdx.x] = difference + field(0xabcdef12u, 8, 12) + 7 * shifted + 1000 * many;
}

int main() {
    unsigned *out, host[64];
    float *sums, floats[64];
    cudaMalloc(&out, sizeof host);
    cudaMalloc(&sums, sizeof floats);
    k<<<1, 64>>>(out, sums);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpy(floats, sums, sizeof floats, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i += 9) printf("%u %g\n", host[i], floats[i]);
    cudaFree(out);
    cudaFree(sums);
}
