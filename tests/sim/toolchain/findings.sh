#!/usr/bin/env bash
# findings.sh WARPLADDER CASE: what `warpladder simulate` finds wrong in a program, what it lets pass, and what it does after a finding.
# shellcheck source=tests/support/said.sh
source "$(dirname "$0")/../../support/said.sh" "$@"

# runs CODE OPTION...: simulates the program on standard input, which ends with this code.
runs() {
    local code=$1
    shift
    cat >prog.cu
    said "$code" "$warpladder" simulate --quiet prog.cu "$@"
}

# Threads that have returned hold no barrier back: whole warps, parts of warps, and threads that stored something before they returned.
case_early_return() {
    runs 0 <<'END'
__global__ void part(int *o, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    if (threadIdx.x >= n) return;
    __syncthreads();
    o[threadIdx.x] = s[n - 1 - threadIdx.x];
}
__global__ void stores(int *o, int n) {
    if (threadIdx.x >= n) {
        o[threadIdx.x] = 5;
        return;
    }
    o[threadIdx.x] = __syncthreads_count(threadIdx.x % 2);
}
int main() {
    int h[64], *o;
    cudaMalloc(&o, 256);
    for (int n : {32, 40, 1}) {
        part<<<1, 64>>>(o, n);
        cudaMemcpy(h, o, n * 4, cudaMemcpyDeviceToHost);
        printf("%d ", h[n / 2]);
        stores<<<1, 64>>>(o, n);
        cudaMemcpy(h, o, 256, cudaMemcpyDeviceToHost);
        printf("%d %d, ", h[0], h[63]);
    }
}
END
    has out '15 16 5, 19 20 5, 0 0 5, '
    # But a thread that goes round a barrier and on is missing at it.
    runs 1 <<'END'
__global__ void k(int *o) {
    if (threadIdx.x < 40) __syncthreads();
    o[threadIdx.x] = 1;
}
int main() {
    int *o;
    cudaMalloc(&o, 256);
    k<<<1, 64>>>(o);
}
END
    has err 'diverged barrier: waits at prog.cu:2, which 24 of 64 threads never reach: thread (40,0,0) went round it and has returned'
}

# A loop of guesses: the first load races with other threads' compare-and-swaps, which decide. A maximum may need no swap at all.
case_guesses() {
    runs 0 <<'END'
__device__ double add(double *address, double value) {
    unsigned long long *p = (unsigned long long *)address, old = *p, assumed;
    do {
        assumed = old;
        old = atomicCAS(p, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}
__device__ float most(float *address, float value) {
    int old = *(int *)address;
    while (value > __int_as_float(old)) {
        int assumed = old;
        old = atomicCAS((int *)address, assumed, __float_as_int(value));
        if (old == assumed) break;
    }
    return __int_as_float(old);
}
__global__ void k(double *sum, float *greatest) {
    __shared__ float here;
    if (threadIdx.x == 0) here = 0;
    __syncthreads();
    most(&here, threadIdx.x % 7);
    __syncthreads();
    add(sum, here);
    most(greatest, (threadIdx.x * 37 + blockIdx.x) % 101);
}
int main() {
    double sum, *d;
    float greatest;
    cudaMalloc(&d, 16);
    cudaMemset(d, 0, 16);
    k<<<8, 64>>>(d, (float *)(d + 1));
    cudaMemcpy(&sum, d, 8, cudaMemcpyDeviceToHost);
    cudaMemcpy(&greatest, d + 1, 4, cudaMemcpyDeviceToHost);
    printf("%g %g\n", sum, greatest);
}
END
    has out '3072 100'
    # However the compare-and-swap is written, and if no other kernel has one.
    while read -r swap; do
        { echo '#include <cuda/atomic>'; sed "s/SWAP/$swap/" <<'END'; } >swaps.cu
__global__ void k(unsigned *p) {
    unsigned old = *p;
    while (!SWAP);
}
int main() {
    unsigned *d, n;
    cudaMalloc(&d, 4);
    cudaMemset(d, 0, 4);
    k<<<2, 64>>>(d);
    cudaMemcpy(&n, d, 4, cudaMemcpyDeviceToHost);
    printf("%u\n", n);
}
END
        said 0 "$warpladder" simulate swaps.cu --quiet
        has out 128
    done <<'END'
__nv_atomic_compare_exchange_n(p, \&old, old + 1, false, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED)
cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*p).compare_exchange_weak(old, old + 1)
END
    # Whoever uses what such a load gives still races.
    runs 1 <<'END'
__global__ void k(unsigned *word, unsigned *out) {
    unsigned old = *word, seen;
    do seen = old, old = atomicCAS(word, seen, seen + 1);
    while (old != seen);
    out[threadIdx.x] = *word;
}
int main() {
    unsigned *d;
    cudaMalloc(&d, 260);
    cudaMemset(d, 0, 260);
    k<<<1, 64>>>(d, d + 1);
}
END
    has err 'race on global memory: loads element 0 of 65, allocated as d in main, prog.cu:9 (prog.cu:5)'
    # So does a load whose value no compare-and-swap has looked at.
    runs 1 <<'END'
__global__ void k(unsigned *word) {
    unsigned old = *word;
    if (old < 1000) atomicCAS(word, 5, 6);
}
int main() {
    unsigned *d;
    cudaMalloc(&d, 4);
    cudaMemset(d, 0, 4);
    k<<<1, 64>>>(d);
}
END
    has err 'race on global memory'
}

# After a finding the program goes on, so that its own check can speak. Findings are counted by kind and line.
case_keep_going() {
    needs_jq
    cat >prog.cu <<'END'
__global__ void any(const int *a, int *out) {
    __shared__ int who;
    if (a[threadIdx.x] == 3) who = threadIdx.x; // any of them will do
    __syncthreads();
    if (threadIdx.x == who) out[0] = a[threadIdx.x];
}
__global__ void far(int *a) { a[threadIdx.x + 40] = 1; }
int main() {
    int h[64], *a;
    for (int i = 0; i < 64; i++) h[i] = 3 + i % 2;
    cudaMalloc(&a, 256);
    cudaMemcpy(a, h, 256, cudaMemcpyHostToDevice);
    for (int i = 0; i < 2; i++) any<<<1, 64>>>(a, a + 63);
    cudaMemcpy(h, a + 63, 4, cudaMemcpyDeviceToHost);
    printf("%d %s\n", h[0], cudaGetErrorString(cudaGetLastError()));
    far<<<1, 32>>>(a);
    cudaFree(a);
}
END
    said 1 "$warpladder" simulate --keep-going prog.cu --report report.json
    has out '3 no error'
    [ "$(grep -c 'found wrong' err)" = 2 ] || fail "$(cat err)"
    jq -e '.found | map([.kind, .kernel, .line, .count]) ==
        [["race on shared memory", "any", 3, 63], ["out of bounds", "far", 7, 8]]' report.json >/dev/null || fail "$(cat report.json)"
    said 1 "$warpladder" simulate --keep-going prog.cu
    has err 'error: 63 times: race on shared memory in any, prog.cu:3'
    has err 'error: 8 times: out of bounds in far, prog.cu:7'
    # What somebody has said to be harmless is only counted.
    said 0 "$warpladder" simulate --suppress prog.cu:3,far prog.cu
    has out '3 no error'
    has err 'suppressed: 63 times: race on shared memory in any, prog.cu:3'
    ! grep -q 'found wrong' err || fail "$(cat err)"
    said 1 "$warpladder" simulate --suppress og.cu:3,fa prog.cu
}

# Errors come before what may be harmless, and hide nothing.
case_gravest_first() {
    runs 1 <<'END'
__global__ void add(const float *a, float *c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + 1;
}
int main() {
    float *a, *c;
    cudaMalloc(&a, 4000);
    cudaMalloc(&c, 4000);
    add<<<4, 256>>>(a, c); // a copy is forgotten, and so is the bounds check
}
END
    has err 'found wrong: add: block (3,0,0) thread (232,0,0): out of bounds: load of 4 bytes at prog.cu:3'
    said 1 "$warpladder" simulate prog.cu
    has err 'warning: add: block (0,0,0) thread (0,0,0): uninitialised memory: load of 4 bytes at prog.cu:3 of element 0 of 1000'
    grep -nE 'found wrong: |warning: ' err | head -n 1 | grep -q 'found wrong' || fail "$(cat err)"
}

# Who has called the function that went wrong.
case_callers() {
    runs 1 <<'END'
__device__ __noinline__ int get(const int *a, int i) { return a[i]; }
__device__ int twice(const int *a, int i) {
    return 2 * get(a, i);
}
__global__ void k(const int *a, int *o) {
    o[0] = twice(a, 64);
}
int main() {
    int *a;
    cudaMalloc(&a, 256);
    cudaMemset(a, 0, 256);
    k<<<1, 1>>>(a, a);
}
END
    has err 'load of 4 bytes at prog.cu:1, 4 bytes past'
    has err '; called from twice, prog.cu:3; k, prog.cu:6'
}

# What there is when somebody or a limit stops the program: in a kernel, in one without memory accesses, and in host code.
case_stopped() {
    cat >slow.cu <<'END'
__global__ void quick(float *a) { a[0] += 1; }
__global__ void slow(float *a) { for (int i = 0; i < 1 << 30; i++) a[threadIdx.x] *= 1.5f; }
__global__ void spins() { for (volatile int i = 0; i >= 0;) ; }
int main(int count, char **words) {
    float *a;
    cudaMalloc(&a, 256);
    cudaMemset(a, 0, 256);
    quick<<<1, 1>>>(a);
    if (count == 2) slow<<<100, 64>>>(a);
    if (count == 3) spins<<<1, 1>>>();
    for (;;) ;
}
END
    export WL_SIM_SECONDS=100
    said 0 "$warpladder" cc slow.cu -o slow
    for words in "1" "1 2" ""; do
        # shellcheck disable=SC2086 # several words
        said 124 env WL_SIM_LIMIT=2 timeout -k 1 60 ./slow $words
        has err 'note: stopped after 2 s, the limit: what is reported is what was seen until then'
        has err 'quick: 1 launch of 1 block of 1 thread'
    done
    "$warpladder" simulate slow.cu -- 1 >out 2>err &
    local child=$! code=0
    for _ in $(seq 100); do sleep 0.1 && pgrep -P $child -x slow >/dev/null && break; done
    sleep 1
    kill -TERM $child
    wait $child || code=$?
    [ $code = 143 ] || fail "exit code $code: $(cat err)"
    has err 'note: stopped by SIGTERM'
    has err 'slow: 1 launch of 100 blocks of 64 threads'
}

# The first blocks of each launch. What others were to write is not missed.
case_blocks() {
    needs_jq
    cat >prog.cu <<'END'
__global__ void set(int *a) { a[blockIdx.x] = 1; }
__global__ void get(int *a, int *b) { b[blockIdx.x] = a[gridDim.x - 1 - blockIdx.x]; }
int main() {
    int *a, *b;
    cudaMalloc(&a, 4000);
    cudaMalloc(&b, 4000);
    set<<<1000, 32>>>(a);
    get<<<1000, 1>>>(a, b);
    cudaFree(a), cudaFree(b);
}
END
    said 0 "$warpladder" simulate --blocks 10 prog.cu --report report.json
    jq -e '.kernels | map([.blocks, .blocks_left_out, .warps, .counters.global_store_requests]) == [[10, 990, 10, 10], [10, 990, 10, 10]]' \
        report.json >/dev/null || fail "$(cat report.json)"
    jq -e '.warnings == []' report.json >/dev/null || fail "$(cat report.json)"
    said 0 "$warpladder" simulate --blocks 10 prog.cu
    has err 'only 10 blocks of 1,000 simulated'
    said 2 "$warpladder" simulate --blocks 0 prog.cu
}

# A shape for which there is no memory is named.
case_left_out() {
    (
        ulimit -v 12000000
        said 0 "$warpladder" check lessons/01_naive --device sim
    )
    has out 'ok, 33 shapes; 1 not tried (--instances 46350 --attributes 1: '
}

# One that a kernel takes too long for is named, too: nobody knows whether it is right there.
case_left_out_long() {
    said 0 "$warpladder" check lessons/16_wide_tiles --device sim
    has out '2 not tried (--instances 2 --attributes 60001 --alphabet 128: a block takes more than '
}

# A stage that clears much memory keeps the host busy, which is no endless loop.
case_work_memory() {
    mkdir stage
    sed -e '/^LESSONS_STAGE(/i\
static void *work;\
static wl_status prepare(const wl_device *device, const void *input, void **state) {\
    cudaMalloc(\&work, (size_t)1 << 30);\
    cudaMemset(work, 0, (size_t)1 << 30);\
    return lessons_prepare_chars(device, input, state);\
}\
static void release(void *state) {\
    cudaFree(work);\
    lessons_release(state);\
}
s/\.launch = launch)/.prepare = prepare, .launch = launch, .release = release)/' "$here/../../../lessons/05_shared/kernel.cu" >stage/kernel.cu
    WL_SIM_SECONDS=1 said 0 "$warpladder" check stage --device sim --instances 9 --attributes 70
}

# The limit on a block's time is none on a launch of many short blocks by one worker.
case_seconds_of_a_block() {
    OMP_NUM_THREADS=1 WL_SIM_SECONDS=1 said 0 "$warpladder" check lessons/03_char4 --device sim --instances 200 --attributes 700
}

# An index that leads from one allocation into another: an int cannot get there, and a kernel has to have a pointer to where it goes.
case_provenance() {
    cat >prog.cu <<'END'
__global__ void k(int *a, INDEX far, int *out) { *out = a[far]; }
__global__ void counted_from_1(const int *a, int *out) { out[threadIdx.x] = a[threadIdx.x + 1]; }
__global__ void rows(int **row, int *out) { out[threadIdx.x] = row[threadIdx.x][0]; }
__device__ int *known;
__global__ void from_variable(int *out) { *out = known[3]; }
int main(int count, char **) {
    int *a, *b, *out, **table, *row[8];
    cudaMalloc(&a, 4096), cudaMalloc(&b, 64 << 20), cudaMalloc(&out, 400), cudaMalloc(&table, sizeof row);
    cudaMemset(a, 0, 4096), cudaMemset(b, 1, 64 << 20);
    for (int i = 0; i < 8; i++) {
        cudaMalloc(&row[i], 64);
        cudaMemset(row[i], 0, 64);
    }
    cudaMemcpy(table, row, sizeof row, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(known, &b, sizeof b);
    counted_from_1<<<1, 8>>>(a - 1, out);
    rows<<<1, 8>>>(table, out);
    from_variable<<<1, 1>>>(out);
    cudaMemset(out, 0, 400);
    b = nullptr;
    cudaMemcpyToSymbol(known, &b, sizeof b);
    if (count > 1) k<<<1, 1>>>(a, (INDEX)(row[7] - a + 3), out);
}
END
    for type in int "long long"; do
        said 0 "$warpladder" cc -D "INDEX=$type" prog.cu -o prog
        said 0 ./prog
        said 1 ./prog 1
        has err 'k: block (0,0,0) thread (0,0,0): out of bounds: load of 4 bytes at prog.cu:1'
        [ "$type" = int ] || has err 'in memory that the kernel has no pointer to: element 3 of 16'
    done
}

# A message needs a fence or a release on one side, an acquire on the other, and a scope that both are in.
case_scopes() {
    cat >prog.cu <<'END'
#include <cuda/atomic>
__global__ void one(int *c) { atomicAdd_block(c, 1); }
__global__ void own(int *c) {
    atomicAdd_block(c + blockIdx.x, 1);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(c + blockIdx.x, 5);
}
__global__ void one_by_reference(int *c) { cuda::atomic_ref<int, cuda::thread_scope_block>(*c).fetch_add(1); }
__global__ void message(int *data, int *flag, int *o, cuda::memory_order sends, cuda::memory_order gets) {
    cuda::atomic_ref<int, cuda::thread_scope_device> r(*flag);
    if (blockIdx.x == 0) {
        *data = 5;
        r.store(1, sends);
    } else {
        while (!r.load(gets)) ;
        *o = *data;
    }
}
__global__ void last(int *part, int *ticket, int *total, int fence) {
    if (threadIdx.x > 0) return;
    part[blockIdx.x] = blockIdx.x;
    if (fence) __threadfence();
    if (atomicAdd(ticket, 1) < gridDim.x - 1) return;
    if (fence) __threadfence();
    for (int i = 0; i < gridDim.x; i++) *total += part[i];
}
int main(int, char **words) {
    int *a;
    cudaMalloc(&a, 4096);
    cudaMemset(a, 0, 4096);
    const auto relaxed = cuda::memory_order_relaxed, release = cuda::memory_order_release, acquire = cuda::memory_order_acquire;
    switch (atoi(words[1])) {
    case 0: own<<<4, 32>>>(a); break;
    case 1: message<<<2, 1>>>(a, a + 1, a + 2, release, acquire); break;
    case 2: last<<<50, 32>>>(a, a + 100, a + 101, 1); break;
    case 3: one<<<4, 32>>>(a); break;
    case 4: one_by_reference<<<4, 32>>>(a); break;
    case 5: message<<<2, 1>>>(a, a + 1, a + 2, relaxed, acquire); break;
    case 6: message<<<2, 1>>>(a, a + 1, a + 2, release, relaxed); break;
    case 7: last<<<50, 32>>>(a, a + 100, a + 101, 0); break;
    }
}
END
    said 0 "$warpladder" cc prog.cu -o prog
    for right in 0 1 2; do said 0 ./prog $right; done
    for wrong in 3 4; do
        said 1 ./prog $wrong
        has err 'updated atomically, one of the two for its own block only'
    done
    for wrong in 5 6 7; do
        said 1 ./prog $wrong
        has err 'race on global memory: loads element 0'
    done
}

# Memory that a kernel stores to is not for the read-only path.
case_read_only() {
    runs 1 <<'END'
__global__ void k(int *a, int *o) {
    a[threadIdx.x] = 1;
    __syncthreads();
    o[threadIdx.x] = __ldg(a + threadIdx.x);
}
int main() {
    int *a;
    cudaMalloc(&a, 256);
    k<<<1, 32>>>(a, a + 32);
}
END
    has err 'stale data: __ldg at prog.cu:4 of element 0 of 64'
    runs 0 <<'END'
__global__ void k(const int *a, int *o) { o[threadIdx.x] = __ldg(a + threadIdx.x); }
int main() {
    int *a;
    cudaMalloc(&a, 384);
    cudaMemset(a, 0, 384);
    for (int i = 0; i < 2; i++) k<<<1, 32>>>(a + 32 * i, a + 32 + 32 * i); // each launch reads what the one before has stored
}
END
}

# A shuffle from a lane that takes no part gives what nobody knows.
case_absent_lane() {
    runs 0 <<'END'
__global__ void k(int *o) {
    if (threadIdx.x < 16) o[threadIdx.x] = __shfl_sync(0xffff, (int)threadIdx.x, threadIdx.x + 8);
}
int main() {
    int *a;
    cudaMalloc(&a, 64);
    k<<<1, 32>>>(a);
    cudaFree(a);
}
END
    said 0 "$warpladder" simulate prog.cu
    has err 'warning: k: block (0,0,0) thread (8,0,0): __shfl_sync at prog.cu:2 takes the value of lane 16, which takes no part'
}

# A step knows from the last one at its place which memory is used there. That ends where a kernel frees it, and with the block.
case_kept() {
    cat >prog.cu <<'END'
__global__ void heap(int *out, int n) {
    int *p = (int *)malloc(64), sum = p[0] = 0;
    for (int i = 0; i < n; i++) {
        sum += p[0];
        if (i == 2) free(p);
    }
    out[threadIdx.x] = sum;
}
__global__ void shared(int *out, int n) {
    __shared__ int v[32];
    if (blockIdx.x == 0) v[threadIdx.x] = 3;
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = v[threadIdx.x] + n;
}
int main() {
    int *a;
    cudaMalloc(&a, 256);
    KERNEL<<<BLOCKS, 32>>>(a, 5);
    cudaFree(a);
}
END
    said 1 "$warpladder" simulate -DKERNEL=heap -DBLOCKS=1 prog.cu
    has err 'heap: block (0,0,0) thread (0,0,0): out of bounds: load of 4 bytes at prog.cu:4 in the heap of kernels'
    said 0 "$warpladder" simulate -DKERNEL=shared -DBLOCKS=2 prog.cu
    has err 'warning: shared: block (1,0,0) thread (0,0,0): uninitialised memory: load of 4 bytes at prog.cu:13 of v[0]'
}

# An operation that only loads hands nothing over, and neither does a compare-and-swap that finds another value.
case_loads_release_nothing() {
    cat >prog.cu <<'END'
#include <cuda/atomic>
__global__ void k(int *data, int *flag, int *o, int how) {
    cuda::atomic_ref<int, cuda::thread_scope_device> r(*flag);
    int expected = how < 10 ? 7 : 0, found; // the flag is 0
    if (threadIdx.x == 0) {
        *data = 5;
        if (how % 10 < 4) __threadfence();
        switch (how % 10) {
        case 0: r.load(cuda::memory_order_relaxed); break;
        case 1: __nv_atomic_load(flag, &found, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE); break;
        case 2: atomicCAS(flag, expected, 1); break;
        case 3: r.compare_exchange_strong(expected, 1, cuda::memory_order_relaxed); break;
        case 4: r.compare_exchange_strong(expected, 1, cuda::memory_order_release); break;
        case 5: __nv_atomic_compare_exchange_n(flag, &expected, 1, false, __NV_ATOMIC_RELEASE, __NV_ATOMIC_RELAXED); break;
        }
        o[1] = expected;
    } else if (threadIdx.x == 32) {
        for (int i = 0; i < 100; i++) atomicAdd(flag, 0); // the other warp is done by then
        __threadfence();
        *o = *data;
    }
}
int main(int, char **words) {
    int *a, h[4];
    cudaMalloc(&a, 16);
    cudaMemset(a, 0, 16);
    k<<<1, 64>>>(a, a + 1, a + 2, atoi(words[1]));
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    cudaMemcpy(h, a, 16, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", h[1], h[2], h[3]);
}
END
    said 0 "$warpladder" cc prog.cu -o prog
    for wrong in 0 1 2 3 4 5; do
        said 1 ./prog $wrong
        has err 'race on global memory: loads element 0'
    done
    for right in 12 13 14 15; do
        said 0 ./prog $right
        has out '1 5 0'
    done
}

# A compare-and-swap is told where it may not be, before anything is read there.
case_swap_out_of_bounds() {
    cat >prog.cu <<'END'
#include <cuda/atomic>
__global__ void k(int *p) {
    int expected = 0;
    cuda::atomic_ref<int>(*p).compare_exchange_strong(expected, 1);
}
int main(int, char **words) {
    int *a;
    cudaMalloc(&a, 64);
    if (atoi(words[1]) == 1) cudaFree(a);
    k<<<1, 1>>>(atoi(words[1]) == 0 ? nullptr : atoi(words[1]) == 2 ? a + (1 << 30) : a);
    return cudaDeviceSynchronize() != cudaSuccess;
}
END
    said 0 "$warpladder" cc prog.cu -o prog
    for where in 0 1 2; do
        said 1 ./prog $where
        has err 'out of bounds: atomic update of 4 bytes at prog.cu:4'
    done
}

# What depends on the order of blocks or warps shows in another order.
case_orders() {
    cat >prog.cu <<'END'
__global__ void k(int *o) {
    if (threadIdx.x % 32 == 0) atomicExch(&o[LAST], blockIdx.x * 2 + threadIdx.x / 32);
    if (threadIdx.x == 0) atomicAdd(&o[2], 1);
}
int main() {
    int *o, h[3];
    cudaMalloc(&o, 12);
    cudaMemset(o, 0, 12);
    k<<<BLOCKS, 64>>>(o);
    cudaMemcpy(h, o, 12, cudaMemcpyDeviceToHost);
    printf("first line\n%d %d\n", h[0], h[2]);
    cudaFree(o);
}
END
    said 0 "$warpladder" simulate --quiet --orders 3 -D LAST=1 -D BLOCKS=7 prog.cu
    has out '0 7'
    # On one processor the first run goes through the blocks in order; several take them as they come.
    said 1 taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" "$warpladder" simulate --quiet --orders 3 -D LAST=0 -D BLOCKS=7 prog.cu
    has out '13 7'
    has err 'depends on the order of blocks or warps: line 2 of what it prints differs in order 1 (WL_SIM_ORDER=1)'
    said 1 "$warpladder" simulate --quiet --orders 1 -D LAST=0 -D BLOCKS=1 prog.cu # the order of warps
}

# A division of integers that has no result: a processor traps where a GPU goes on. Divisors of all sizes, in registers and in memory.
case_division() {
    [ "$(uname -m)" = x86_64 ] || exit 77
    cat >prog.cu <<'END'
template <typename T> __global__ void divide(T *to, const T *by, T what) {
    __shared__ T divisors[8];
    divisors[threadIdx.x] = by[threadIdx.x];
    to[threadIdx.x] = (T)(what / divisors[threadIdx.x]);
    to[8 + threadIdx.x] = (T)(what % divisors[threadIdx.x]);
    to[16 + threadIdx.x] = (T)(what / by[threadIdx.x]);
}
template <typename T> void run(T what, T divisor, const char *format) {
    T h[24], by[8] = {1, 2, 3, divisor, 5, 6, 7, 8}, *from, *to;
    cudaMalloc(&from, sizeof by);
    cudaMalloc(&to, sizeof h);
    cudaMemcpy(from, by, sizeof by, cudaMemcpyHostToDevice);
    divide<<<1, 8>>>(to, from, what);
    cudaGetLastError();
    cudaMemcpy(h, to, sizeof h, cudaMemcpyDeviceToHost);
    for (int i : {1, 3, 7, 9, 11, 15, 17, 19, 23}) printf(format, h[i]);
    printf("\n");
    cudaFree(from);
    cudaFree(to);
}
int main(int, char **arguments) {
    switch (*arguments[1]) {
#define CASE(letter, type, what, by)              \
    case letter:                                  \
        run<type>(what, by, "%" PRINTED " ");     \
        break;
#define PRINTED "d"
        CASE('c', char, 100, 0)
        CASE('C', unsigned char, 100, 0)
        CASE('s', short, 100, 0)
        CASE('S', unsigned short, 100, 0)
        CASE('i', int, 100, 0)
        CASE('m', int, -2147483647 - 1, -1)
        CASE('r', int, -100, -1) // which is right
#undef PRINTED
#define PRINTED "u"
        CASE('I', unsigned, 100, 0)
#undef PRINTED
#define PRINTED "lld"
        CASE('l', long long, 100, 0)
        CASE('L', unsigned long long, 100, 0)
        CASE('M', long long, -9223372036854775807 - 1, -1)
    }
}
END
    said 0 "$warpladder" cc prog.cu -o prog
    export WL_SIM_QUIET=1
    for type in c C s S i I l L; do
        said 1 ./prog $type
        has err 'block (0,0,0) thread (3,0,0): integer division by zero at prog.cu:4, where a GPU goes on with an undefined value'
    done
    said 1 ./prog m
    has err 'thread (3,0,0): integer overflow: -2147483648 is divided by -1 at prog.cu:4, where a GPU goes on'
    said 1 ./prog M
    has err 'integer overflow: -9223372036854775808 is divided by -1 at prog.cu:4, where a GPU goes on'
    said 0 ./prog r
    has out '-50 100 -12 0 0 -4 -50 100 -12'
    # The other threads' results are there where the program goes on.
    WL_SIM_KEEP_GOING=1 said 1 ./prog I
    has out '50 4294967295 12 0 4294967295 4 50 4294967295 12'
}

# Blocks that wait for later ones. The simulated device holds 8 blocks of 1,024 threads at once.
case_waits() {
    cat >prog.cu <<'END'
__device__ int tickets, arrived;
__device__ volatile int sum_is_there[200];
// As many blocks as fit may meet.
__global__ void meet(int *o) {
    if (threadIdx.x == 0) {
        atomicAdd(&arrived, 1);
        while (atomicAdd(&arrived, 0) < gridDim.x) {}
    }
    __syncthreads();
    if (threadIdx.x == 0) o[blockIdx.x] = 1;
}
// Each block waits for the one that has begun before it, by its ticket.
__global__ void look_back(int *o) {
    __shared__ int ticket;
    if (threadIdx.x == 0) {
        ticket = atomicAdd(&tickets, 1);
        int sum = 1;
        if (ticket > 0) {
            while (!sum_is_there[ticket - 1]) {}
            __threadfence();
            sum += ((volatile int *)o)[ticket - 1];
        }
        o[ticket] = sum;
        __threadfence();
        sum_is_there[ticket] = 1;
    }
}
// The first block waits for the last.
__global__ void first_and_last(int *o) {
    if (threadIdx.x == 0 && blockIdx.x == 0)
        while (atomicAdd(&arrived, 0) == 0) {}
    if (blockIdx.x == gridDim.x - 1) atomicAdd(&arrived, 1);
    o[blockIdx.x] = 1;
}
// Nobody comes, and nobody waits for ever.
__global__ void patient(int *o) {
    for (long long begin = clock64(); threadIdx.x == 0 && atomicAdd(&arrived, 0) == 0 && clock64() - begin < 50000;) {}
    o[blockIdx.x] = 1;
}
int main(int, char **arguments) {
    void (*const kernels[])(int *) = {meet, look_back, first_and_last, patient};
    const int blocks = atoi(arguments[2]);
    int h[200], *o;
    cudaMalloc(&o, sizeof h);
    kernels[atoi(arguments[1])]<<<blocks, 1024>>>(o);
    if (cudaMemcpy(h, o, blocks * 4, cudaMemcpyDeviceToHost) == cudaSuccess) printf("%d %d\n", h[0], h[blocks - 1]);
    cudaFree(o);
}
END
    said 0 "$warpladder" cc prog.cu -o prog
    said 0 ./prog 0 8
    has out '1 1'
    ! grep waits err || fail 'this is right'
    said 1 ./prog 0 9
    has err 'meet: block (0,0,0) thread (0,0,0): deadlock: waits at prog.cu:7 for a block that cannot begin: the device holds 8 blocks of this kernel at once, and all of them wait'
    said 0 ./prog 1 200
    has out '1 200'
    ! grep waits err || fail 'this is right'
    said 0 ./prog 2 200
    has out '1 1'
    has err 'first_and_last: block (0,0,0) thread (0,0,0): waits at prog.cu:31 for a block that begins later: on a GPU this may never end, since the launch has 200 blocks, and the device holds 8 of them at once'
    said 0 ./prog 3 9
    ! grep waits err || fail 'this is right'
}

"case_$case"
