/* One planted fault per name, in a plain CUDA program: what do the simulated device and compute-sanitizer find?
 *   faults               lists the names, and what the simulated device must say of each, as TSV
 *   faults NAME          commits the fault NAME
 * experiments/gpu/faults.sh runs them under compute-sanitizer, run.sh here on the simulated device. A fault that would hang a GPU is not
 * among them. */
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

enum { N = 1000, THREADS = 64 };

static void take(cudaError_t error) {
    if (error != cudaSuccess) printf("%s\n", cudaGetErrorString(error));
}

/* ---- global memory: data has N elements ---- */

__global__ void load_at(const int *data, int *out, long long i) { out[threadIdx.x] = data[i + threadIdx.x]; }
__global__ void store_at(int *data, long long i) { data[i + threadIdx.x] = 1; }
__global__ void add_at(int *data, long long i) { atomicAdd(&data[i], 1); }
__global__ void load4_at(const char *data, int4 *out, long long byte) {
    out[threadIdx.x] = *(const int4 *)(data + byte);
}
__global__ void load_misaligned(const char *data, int *out) { out[threadIdx.x] = *(const int *)(data + 2); }
__global__ void index_of_32_bits(int *data, int rows, int columns) {
    data[rows * columns + (int)threadIdx.x] = 1; // overflows
}
__global__ void free_on_device(int *out) {
    int *own = (int *)malloc(16);
    own[0] = 7;
    free(own);
    out[0] = own[0];
}

/* ---- shared memory ---- */

__global__ void shared_at(int *out, int i) {
    __shared__ int tile[THREADS];
    tile[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = tile[(int)threadIdx.x + i];
}
__global__ void shared_store_at(int *out, int i) {
    __shared__ int tile[THREADS];
    tile[threadIdx.x] = 1;
    __syncthreads();
    tile[(int)threadIdx.x + i] = 2;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}
__global__ void shared_into_next(int *out) {
    __shared__ int first[THREADS], second[THREADS];
    first[threadIdx.x] = 1;
    second[threadIdx.x] = 2;
    __syncthreads();
    out[threadIdx.x] = first[threadIdx.x + THREADS / 2] + second[threadIdx.x];
}
__global__ void dynamic_at(int *out, int i) {
    extern __shared__ int dynamic[];
    dynamic[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = dynamic[(int)threadIdx.x + i];
}
__global__ void local_at(int *out, int i) {
    volatile int own[8];
    for (int k = 0; k < 8; k++) own[k] = k;
    out[threadIdx.x] = own[i];
}

/* ---- races ---- */

__global__ void no_barrier(int *out) {
    __shared__ int tile[THREADS];
    tile[threadIdx.x] = (int)threadIdx.x;
    out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
}
__global__ void no_second_barrier(int *out) {
    __shared__ int tile[THREADS];
    int sum = 0;
    for (int round = 0; round < 3; round++) {
        tile[threadIdx.x] = round + (int)threadIdx.x;
        __syncthreads();
        sum += tile[THREADS - 1 - threadIdx.x]; // the next round stores at once
    }
    out[threadIdx.x] = sum;
}
__global__ void all_store(int *out) {
    __shared__ int one;
    one = (int)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = one;
}
__global__ void lost_sum(int *out) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    sum += (int)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = sum;
}
__global__ void no_warp_barrier(int *out) {
    __shared__ int tile[32];
    tile[threadIdx.x] = (int)threadIdx.x;
    out[threadIdx.x] = tile[31 - threadIdx.x];
}
__global__ void tree_without_barrier(int *out) {
    __shared__ int tile[THREADS];
    tile[threadIdx.x] = 1;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2)
        if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
    if (threadIdx.x == 0) out[0] = tile[0];
}
__global__ void blocks_store(int *out) { out[threadIdx.x] = (int)blockIdx.x; }
__global__ void threads_of_a_block(int *data) {
    data[threadIdx.x] = (int)threadIdx.x;
    if (threadIdx.x > 0) data[N - threadIdx.x] = data[threadIdx.x - 1];
}
/* Thread 0's plain store races with thread 32, also where thread 0 updates atomically after it. */
__global__ void stored_then_updated(int *out) {
    if (threadIdx.x == 0) out[0] = 5;
    if (threadIdx.x % 32 == 0) atomicAdd(&out[0], 1);
}
__global__ void plain_beside_atomic(int *out) {
    if (threadIdx.x < 32)
        atomicAdd(&out[0], 1);
    else
        out[1 + threadIdx.x] = out[0];
}

/* ---- memory that nobody has written: its value decides a branch that fails ---- */

__global__ void sum_of(const int *data, int *out, int n) {
    int sum = 0;
    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x) sum += data[i];
    assert(sum >= 0);
    out[threadIdx.x] = sum;
}
__global__ void shared_unwritten(int *out) {
    __shared__ int tile[THREADS];
    if (threadIdx.x < THREADS / 2) tile[threadIdx.x] = 1;
    __syncthreads();
    assert(tile[threadIdx.x] == 1);
    out[threadIdx.x] = tile[threadIdx.x];
}

/* ---- barriers, launches, the host's calls ---- */

__global__ void barrier_of_some(int *out) {
    if (threadIdx.x < 40) __syncthreads();
    out[threadIdx.x] = 1;
}
__global__ void two_barriers(int *out) {
    if (threadIdx.x < 40)
        __syncthreads();
    else
        __syncthreads();
    out[threadIdx.x] = 1;
}
__global__ void fails(int *out) {
    assert(threadIdx.x != 5);
    out[threadIdx.x] = 1;
}
__global__ void __launch_bounds__(32) at_most_32(int *out) { out[threadIdx.x] = 1; }
__global__ void slow(int *out, int rounds) {
    int x = 1;
    for (int i = 0; i < rounds; i++) x = x * 1103515245 + 12345;
    out[threadIdx.x] = x;
}

static int *data, *out; // [N] each, on the device

static void past() { load_at<<<1, 32>>>(data, out, N - 31); }
static void before() { load_at<<<1, 32>>>(data, out, -1); }
static void far() { load_at<<<1, 32>>>(data, out, 1 << 28); }
static void store_past() { store_at<<<1, 32>>>(data, N - 31); }
static void add_past() { add_at<<<1, 32>>>(data, N); }
static void vector_past() { load4_at<<<1, 1>>>((const char *)data, (int4 *)out, N * 4); }
static void vector_misaligned() { load4_at<<<1, 1>>>((const char *)data, (int4 *)out, 8); }
static void word_misaligned() { load_misaligned<<<1, 1>>>((const char *)data, out); }
static void null() { store_at<<<1, 32>>>(nullptr, 0); }
static void overflow() { index_of_32_bits<<<1, 32>>>(data, 50000, 50000); }
static void freed() {
    int *old;
    take(cudaMalloc((void **)&old, N * sizeof(int)));
    take(cudaFree(old));
    load_at<<<1, 32>>>(old, out, 0);
}
static void freed_on_device() { free_on_device<<<1, 1>>>(out); }
static void twice() {
    int *old;
    take(cudaMalloc((void **)&old, N * sizeof(int)));
    take(cudaFree(old));
    take(cudaFree(old));
}
static void free_inside() { take(cudaFree(data + 1)); }
static void leak() {
    int *lost;
    take(cudaMalloc((void **)&lost, 123456));
}
static void copy_past() {
    static int host[2 * N];
    take(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
}
static void fill_past() { take(cudaMemset(data, 0, 2 * N * sizeof(int))); }
static void shared_past() { shared_at<<<1, THREADS>>>(out, 1); }
static void shared_before() { shared_at<<<1, THREADS>>>(out, -1); }
static void shared_far() { shared_at<<<1, THREADS>>>(out, 100000); }
static void shared_store_past() { shared_store_at<<<1, THREADS>>>(out, 1); }
static void shared_next() { shared_into_next<<<1, THREADS>>>(out); }
static void dynamic_past() { dynamic_at<<<1, THREADS, THREADS * sizeof(int)>>>(out, 1); }
static void local_past() { local_at<<<1, 32>>>(out, 8); }
static void race_barrier() { no_barrier<<<1, THREADS>>>(out); }
static void race_loop() { no_second_barrier<<<1, THREADS>>>(out); }
static void race_store() { all_store<<<1, THREADS>>>(out); }
static void race_sum() { lost_sum<<<1, THREADS>>>(out); }
static void race_warp() { no_warp_barrier<<<1, 32>>>(out); }
static void race_tree() { tree_without_barrier<<<1, THREADS>>>(out); }
static void race_blocks() { blocks_store<<<4, THREADS>>>(out); }
static void race_global() { threads_of_a_block<<<1, 512>>>(data); }
static void race_atomic() { plain_beside_atomic<<<1, THREADS>>>(out); }
static void race_hidden() { stored_then_updated<<<1, THREADS>>>(out); }
static void race_streams() {
    cudaStream_t stream[2];
    for (int i = 0; i < 2; i++) take(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
    slow<<<1, 32, 0, stream[0]>>>(out, 100);
    slow<<<1, 32, 0, stream[1]>>>(out, 101);
    take(cudaDeviceSynchronize());
    for (int i = 0; i < 2; i++) take(cudaStreamDestroy(stream[i]));
}
static void race_host() {
    int *pinned;
    cudaStream_t stream;
    take(cudaMallocHost((void **)&pinned, N * sizeof(int)));
    take(cudaStreamCreate(&stream));
    take(cudaMemcpyAsync(pinned, data, N * sizeof(int), cudaMemcpyDeviceToHost, stream));
    int sum = 0;
    for (int i = 0; i < N; i++) sum += pinned[i]; // not awaited
    printf("%d\n", sum);
    take(cudaStreamSynchronize(stream));
    take(cudaStreamDestroy(stream));
    take(cudaFreeHost(pinned));
}
static void unwritten() {
    int *fresh;
    take(cudaMalloc((void **)&fresh, N * sizeof(int)));
    sum_of<<<1, 32>>>(fresh, out, N);
    take(cudaDeviceSynchronize());
    take(cudaFree(fresh));
}
static void unwritten_half() {
    int *fresh;
    take(cudaMalloc((void **)&fresh, N * sizeof(int)));
    take(cudaMemset(fresh, 0, N * sizeof(int) / 2));
    sum_of<<<1, 32>>>(fresh, out, N);
    take(cudaDeviceSynchronize());
    take(cudaFree(fresh));
}
static void unwritten_shared() { shared_unwritten<<<1, THREADS>>>(out); }
static void barrier_some() { barrier_of_some<<<1, THREADS>>>(out); }
static void barrier_two() { two_barriers<<<1, THREADS>>>(out); }
static void assertion() { fails<<<1, 32>>>(out); }
static void launch_bounds() { at_most_32<<<1, THREADS>>>(out); }
static void launch_threads() { slow<<<1, 2048>>>(out, 1); }
static void launch_shared() { slow<<<1, 32, 1 << 20>>>(out, 1); }

static const struct {
    const char *name, *said; // what the simulated device says, among other things; "" if it finds nothing
    void (*commit)();
} faults[] = {
    {"global_past", "element 1000 of 1000", past},
    {"global_before", "before an allocation", before},
    {"global_far", "element 268435456 of 1000", far},
    {"global_store_past", "element 1000 of 1000", store_past},
    {"global_atomic_past", "element 1000 of 1000", add_past},
    {"global_vector_past", "element 250 of 250", vector_past},
    {"global_vector_misaligned", "misaligned", vector_misaligned},
    {"global_word_misaligned", "misaligned", word_misaligned},
    {"global_null", "null pointer", null},
    {"global_overflow", "element -1794967296 of 1000", overflow},
    {"global_freed", "in memory that was freed", freed},
    {"heap_freed", "outside of what malloc or new has given", freed_on_device},
    {"free_twice", "freed twice", twice},
    {"free_inside", "free", free_inside},
    {"leak", "123456 bytes", leak},
    {"copy_past", "has room for", copy_past},
    {"fill_past", "has room for", fill_past},
    {"shared_past", "tile[64]", shared_past},
    {"shared_before", "tile[-1]", shared_before},
    {"shared_far", "shared memory", shared_far},
    {"shared_store_past", "tile[64]", shared_store_past},
    {"shared_next", "first[64]", shared_next},
    {"shared_dynamic_past", "shared memory", dynamic_past},
    {"local_past", "", local_past},
    {"race_barrier", "race on shared memory", race_barrier},
    {"race_loop", "race on shared memory", race_loop},
    {"race_store", "race on shared memory", race_store},
    {"race_sum", "race on shared memory", race_sum},
    {"race_warp", "race on shared memory", race_warp},
    {"race_tree", "race on shared memory", race_tree},
    {"race_blocks", "race on global memory", race_blocks},
    {"race_global", "race on global memory", race_global},
    {"race_atomic", "race on global memory", race_atomic},
    {"race_hidden", "updates atomically", race_hidden},
    {"race_streams", "no stream, event or wait orders", race_streams},
    {"race_host", "race", race_host},
    {"unwritten", "neither the host nor a kernel has written", unwritten},
    {"unwritten_half", "element 500 of 1000", unwritten_half},
    {"unwritten_shared", "tile[32] in shared memory, which no thread", unwritten_shared},
    {"barrier_some", "barrier", barrier_some},
    {"barrier_two_places", "barrier", barrier_two},
    {"assertion", "threadIdx.x != 5", assertion},
    {"launch_bounds", "32", launch_bounds},
    {"launch_threads", "1 to 1,024 threads", launch_threads},
    {"launch_shared", "more shared memory than allowed", launch_shared},
};

int main(int argc, char **argv) {
    if (argc < 2) {
        for (const auto &fault : faults) printf("%s\t%s\n", fault.name, fault.said);
        return 0;
    }
    take(cudaMalloc((void **)&data, N * sizeof(int)));
    take(cudaMalloc((void **)&out, N * sizeof(int)));
    take(cudaMemset(data, 0, N * sizeof(int)));
    take(cudaMemset(out, 0, N * sizeof(int)));
    take(cudaDeviceSynchronize());
    for (const auto &fault : faults)
        if (strcmp(fault.name, argv[1]) == 0) {
            fault.commit();
            take(cudaGetLastError());
            take(cudaDeviceSynchronize());
            take(cudaFree(data));
            take(cudaFree(out));
            return 0;
        }
    fprintf(stderr, "faults: no fault '%s'\n", argv[1]);
    return 2;
}
