/* What tensor cores do with doubles and with floats in mma.sync's shapes: loops over registers. The predictions in peeling/07_tensor and
   09_resident are made of it. A measurement, not a test; results/peeling_loops_h200.tsv is its output.

     nvcc -O3 -std=c++17 -gencode arch=compute_90a,code=sm_90a experiments/gpu/peeling_loops.cu -o peeling_loops && ./peeling_loops

   A warp has CHAINS independent sums. TFLOP/s of the whole device, multiplications and additions counted. */
#include <cstdio>

enum { STEPS = 2048, REPEATS = 3, WARP = 32, CHAINS = 8 };
enum shape { F64_4, F64_8, F64_16, F64_WIDE4, TF32, TF32_WIDE4, FMA64, FMA32 };

template <shape SHAPE> static __global__ void products(double *memory) {
    double d[CHAINS][4], a[8], b[4];
    float f[CHAINS][4];
    unsigned fa[4], fb[2];
    for (int i = 0; i < 8; i++) a[i] = memory[threadIdx.x + i];
    for (int i = 0; i < 4; i++) b[i] = memory[threadIdx.x + i];
    for (int i = 0; i < 4; i++) fa[i] = (unsigned)memory[threadIdx.x + i];
    for (int i = 0; i < 2; i++) fb[i] = (unsigned)memory[threadIdx.x + i];
    for (int c = 0; c < CHAINS; c++)
        for (int i = 0; i < 4; i++) d[c][i] = memory[c], f[c][i] = (float)memory[c];
#pragma unroll 1
    for (int step = 0; step < STEPS; step++)
#pragma unroll
        for (int c = 0; c < CHAINS; c++) {
            if (SHAPE == F64_4)
                asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                             : "+d"(d[c][0]), "+d"(d[c][1])
                             : "d"(a[0]), "d"(b[0]));
            if (SHAPE == F64_WIDE4)
                asm volatile(
                    "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                    : "+d"(d[c][0]), "+d"(d[c][1]), "+d"(d[c][2]), "+d"(d[c][3])
                    : "d"(a[0]), "d"(a[1]), "d"(b[0]));
            if (SHAPE == F64_8)
                asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                             "{%0,%1,%2,%3};"
                             : "+d"(d[c][0]), "+d"(d[c][1]), "+d"(d[c][2]), "+d"(d[c][3])
                             : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
            if (SHAPE == F64_16)
                asm volatile(
                    "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, "
                    "{%12,%13,%14,%15}, {%0,%1,%2,%3};"
                    : "+d"(d[c][0]), "+d"(d[c][1]), "+d"(d[c][2]), "+d"(d[c][3])
                    : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]),
                      "d"(b[1]), "d"(b[2]), "d"(b[3]));
            if (SHAPE == TF32)
                asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                             "{%8,%9}, {%0,%1,%2,%3};"
                             : "+f"(f[c][0]), "+f"(f[c][1]), "+f"(f[c][2]), "+f"(f[c][3])
                             : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
            if (SHAPE == TF32_WIDE4)
                asm volatile(
                    "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                    : "+f"(f[c][0]), "+f"(f[c][1]), "+f"(f[c][2]), "+f"(f[c][3])
                    : "r"(fa[0]), "r"(fa[1]), "r"(fb[0]));
            if (SHAPE == FMA64)
                for (int i = 0; i < 4; i++) d[c][i] = fma(d[c][i], a[i], b[0]);
            if (SHAPE == FMA32)
                for (int i = 0; i < 4; i++) f[c][i] = fmaf(f[c][i], (float)a[i], (float)b[0]);
        }
    double sum = 0;
    for (int c = 0; c < CHAINS; c++)
        for (int i = 0; i < 4; i++) sum += d[c][i] + f[c][i];
    memory[blockIdx.x * (size_t)blockDim.x + threadIdx.x] = sum;
}

template <shape SHAPE> static void measure(const char *what, double operations, double *memory, int multiprocessors) {
    printf("\"%s\"", what);
    for (int warps = 1; warps <= 4; warps *= 2) { // a scheduler
        float least = 1e30f;
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            cudaEvent_t begin, end;
            cudaEventCreate(&begin);
            cudaEventCreate(&end);
            cudaEventRecord(begin);
            products<SHAPE><<<multiprocessors, 4 * warps * WARP>>>(memory);
            cudaEventRecord(end);
            cudaEventSynchronize(end);
            float ms;
            cudaEventElapsedTime(&ms, begin, end);
            if (ms < least) least = ms;
        }
        printf("\t%.1f", 1e-9 * multiprocessors * 4.0 * warps * STEPS * CHAINS * operations / least);
    }
    printf("\n");
    if (cudaGetLastError() != cudaSuccess) printf("# a launch failed\n");
}

int main() {
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    double *memory;
    cudaMalloc(&memory, 1 << 24);
    cudaMemset(memory, 0, 1 << 24);
    printf("# what: TFLOP/s of mma.sync and of multiply-adds, by warps a scheduler; best of 3\n");
    printf("# device: %s\n# command: experiments/gpu/peeling_loops.cu, compiled as it says\n", properties.name);
    printf("loop\twarps_1\twarps_2\twarps_4\n");
    const int m = properties.multiProcessorCount;
    measure<F64_4>("f64 m8n8k4", 2 * 8 * 8 * 4, memory, m);
    measure<F64_WIDE4>("f64 m16n8k4", 2 * 16 * 8 * 4, memory, m);
    measure<F64_8>("f64 m16n8k8", 2 * 16 * 8 * 8, memory, m);
    measure<F64_16>("f64 m16n8k16", 2 * 16 * 8 * 16, memory, m);
    measure<TF32>("tf32 m16n8k8", 2 * 16 * 8 * 8, memory, m);
    measure<TF32_WIDE4>("tf32 m16n8k4", 2 * 16 * 8 * 4, memory, m);
    measure<FMA64>("fp64 multiply-add", 2 * 4 * 32, memory, m);
    measure<FMA32>("fp32 multiply-add", 2 * 4 * 32, memory, m);
    cudaFree(memory);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
