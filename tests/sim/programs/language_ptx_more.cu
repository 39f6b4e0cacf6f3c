// Inline PTX of several instructions: predicates, registers, memory, atomics, shuffles, conversions, copies and matrices of tensor cores.
#include <cstdio>
#include <cuda_fp16.h>

__device__ int clamped(int x, int most) {
    int y;
    asm("{\n\t"
        "  .reg .pred p;   // more than that?\n\t"
        "  .reg .s32 t<2>;\n\t"
        "  sub.s32 t0, %1, %2;\n\t"
        "  setp.gt.s32 p, t0, 0;\n\t"
        "  mov.s32 t1, %1;\n\t"
        "  @p mov.b32 t1, %2;\n\t"
        "  mov.b32 %0, t1;\n\t"
        "}"
        : "=r"(y)
        : "r"(x), "r"(most));
    return y;
}

__global__ void values(int *out, float *floats, unsigned *counter) {
    const int i = threadIdx.x;
    __shared__ float tile[32];
    float x, y, z, w;
    asm volatile("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
                 : "l"(floats + 4 * (i / 4)));
    const unsigned at = (unsigned)__cvta_generic_to_shared(tile);
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(at + 4 * i), "f"(x + y + z + w) : "memory");
    asm volatile("bar.sync 0;" ::: "memory");
    asm volatile("ld.shared.f32 %0, [%1+-4];" : "=f"(x) : "r"(at + 4 * (i > 0 ? i : 32)));
    int from;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(from) : "r"(i), "r"(5));
    unsigned odd;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
                 : "=r"(odd)
                 : "r"(i & 1));
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(counter), "r"(2) : "memory");
    unsigned long long wide;
    asm("mul.wide.s32 %0, %1, %2;" : "=l"(wide) : "r"(-3), "r"(i));
    int whole;
    asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(whole) : "f"(-1.75f * i));
    unsigned short half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(0.5f));
    unsigned mixed;
    asm("lop3.b32 %0, %1, %2, %3, 0xCA;" : "=r"(mixed) : "r"(0xff00ff00u), "r"(0x12345678u), "r"(0x9abcdef0u));
    unsigned low, high;
    asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(wide));
    out[i] = clamped(i, 10) + from + (int)x + (odd == 0xaaaaaaaau) + (int)(long long)wide + whole + (half == 0x3800) +
             (mixed == 0x12bc56f0u) + (int)(high == 0xffffffffu || i == 0);
}

// A 16 x 8 product of halves, whose rows lie in shared memory.
__global__ void product(const __half *a, const __half *b, float *c) {
    __shared__ alignas(16) __half rows[16 * 16], columns[16 * 8];
    const int lane = threadIdx.x;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(rows + 8 * lane)),
                 "l"(a + 8 * lane));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 0;");
    for (int i = lane; i < 16 * 8; i += 32) columns[i] = b[i];
    __syncwarp();
    unsigned x[4], y[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"((unsigned)__cvta_generic_to_shared(rows + 16 * (lane % 16) + 8 * (lane / 16))));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(y[0]), "=r"(y[1])
                 : "r"((unsigned)__cvta_generic_to_shared(columns + 8 * (lane % 16))));
    float d[4] = {0, 0, 0, 0};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                 "{%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    for (int i = 0; i < 4; i++) c[(lane / 4 + 8 * (i / 2)) * 8 + 2 * (lane % 4) + i % 2] = d[i];
}

int main() {
    int *out;
    float *floats, *c;
    unsigned *counter;
    __half *a, *b;
    cudaMallocManaged(&out, 32 * sizeof *out);
    cudaMallocManaged(&floats, 32 * sizeof *floats);
    cudaMallocManaged(&counter, sizeof *counter);
    cudaMallocManaged(&a, 256 * sizeof *a);
    cudaMallocManaged(&b, 128 * sizeof *b);
    cudaMallocManaged(&c, 128 * sizeof *c);
    for (int i = 0; i < 32; i++) floats[i] = (float)i;
    *counter = 0;
    values<<<1, 32>>>(out, floats, counter);
    cudaDeviceSynchronize();
    for (int i = 0; i < 32; i += 7) printf("%d ", out[i]);
    printf("%u\n", *counter);
    for (int i = 0; i < 256; i++) a[i] = __float2half((float)(i % 7));
    for (int i = 0; i < 128; i++) b[i] = __float2half((float)(i % 5) - 2);
    product<<<1, 32>>>(a, b, c);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int m = 0; m < 16; m++)
        for (int n = 0; n < 8; n++) {
            float sum = 0;
            for (int k = 0; k < 16; k++) sum += (float)((m * 16 + k) % 7) * (float)((k * 8 + n) % 5 - 2);
            wrong += sum != c[m * 8 + n];
        }
    printf("%d wrong, %g\n", wrong, c[17]);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
