#!/usr/bin/env bash
# cases.sh WARPLADDER CASE: plain CUDA programs, compiled by `warpladder cc` and run on the simulated device.
# shellcheck source=tests/support/said.sh
source "$(dirname "$0")/../../support/said.sh" "$@"

# A program that includes nothing and has arguments.
case_vector_add() {
    said 0 "$warpladder" cc "$here/vector_add.cu" -o add
    said 0 ./add 77
    has out 'c[76] = 152'
    said 0 "$warpladder" simulate "$here/vector_add.cu" -- 5000
    has out 'c[4999] = 9998'
}

# The message names the kernel, block, thread and the line of the source.
case_out_of_range() {
    sed 's/i < n)/i <= n)/' "$here/vector_add.cu" >wrong.cu
    said 1 "$warpladder" simulate wrong.cu
    has err 'add: block (3,0,0) thread (232,0,0): out of bounds: load of 4 bytes at'
    has err 'wrong.cu:4, 4 bytes past the end of an allocation of 4000 bytes, made as '
}

# A race is found although the program looks at no error code. The report says it as JSON, too.
case_race() {
    needs_jq
    said 1 "$warpladder" simulate "$here/race.cu" --report report.json
    has err 'race'
    has err 'race.cu:7'
    jq -e '.exit_code == 1 and (.found | length) == 1 and .found[0].kernel == "reverse" and .found[0].block == [0, 0, 0] and
        (.found[0].file | endswith("race.cu")) and (.found[0].line == 6 or .found[0].line == 7) and .kernels[0].name == "reverse"' \
        report.json >/dev/null || fail "$(cat report.json)"
}

# Counters by source line: what they add up to is what the kernel has, and a vector addition's are known.
case_lines() {
    needs_jq
    said 0 "$warpladder" simulate "$here/vector_add.cu" --report report.json -- 4096
    jq -e '.found == [] and (.kernels[0] | .warps == 128 and .counters.global_load_requests == 256 and
        .counters.global_load_sectors == 1024 and .counters.global_store_sectors == 512 and .counters.step_lanes == 32 * .counters.steps)
        and (.kernels[0].lines | map(select(.line == 4).counters.global_load_requests) == [256])' report.json >/dev/null ||
        fail "$(cat report.json)"
    jq -e '.kernels[0] as $k | $k.counters | keys | all(. as $c | ($k.lines | map(.counters[$c]) | add) == $k.counters[$c])' \
        report.json >/dev/null || fail "lines do not add up: $(cat report.json)"
    # The table has the same figures.
    said 0 "$warpladder" simulate "$here/vector_add.cu" -- 4096
    grep -qE 'vector_add.cu:4 +384 +1,536 +4.0 ' err || fail "$(cat err)"
    said 0 "$warpladder" simulate "$here/vector_add.cu" --quiet
    [ ! -s err ] || fail "--quiet says $(cat err)"
}

# The page of steps of a program, also of one with a mistake.
case_steps() {
    said 0 "$warpladder" simulate "$here/vector_add.cu" --quiet --interactive steps.html -- 300
    grep -q 'vector_add.cu' steps.html || fail 'the page lacks the source'
    said 1 "$warpladder" simulate "$here/race.cu" --quiet --interactive steps.html
    grep -q 'race on shared memory' steps.html || fail 'the page lacks the mistake'
    said 4 "$warpladder" simulate "$here/vector_add.cu" --quiet --interactive none/steps.html
    has err 'none/steps.html: No such file or directory'
}

# The environment of a program that `cc` made is checked as options are.
case_settings() {
    said 0 "$warpladder" cc "$here/vector_add.cu" -o add
    for wrong in WL_SIM_BLOCKS=four WL_SIM_LIMIT=-1 WL_SIM_REGISTERS=add=x; do
        said 2 env "$wrong" ./add
        has err "${wrong%%=*}: found '${wrong#*=}'; expected a number"
    done
    said 4 env WL_SIM_OUTPUT=none/text ./add
}

# Half of each warp does something else, so half of its lanes wait.
case_divergence() {
    needs_jq
    cat >odd.cu <<'END'
__global__ void odd(int *to) {
    if (threadIdx.x % 2)
        for (int i = 0; i < 100; i++)
            to[threadIdx.x] += i;
}
int main() {
    int *to;
    cudaMalloc(&to, 256);
    cudaMemset(to, 0, 256);
    odd<<<1, 64>>>(to);
    cudaFree(to);
}
END
    said 0 "$warpladder" simulate odd.cu --report report.json
    jq -e '.kernels[0].lines[] | select(.line == 4).counters | .steps == 200 and .step_lanes == 16 * 200' report.json >/dev/null ||
        fail "$(cat report.json)"
}

# Launches in headers and macros, of templates and through pointers; variables of one file that another uses.
case_several_files() {
    said 0 "$warpladder" cc "$here"/several/*.cu -o several
    said 0 ./several
    has out 'kernel<<<1, 1>>>(nothing): 120 120, 13 steps'
    # One file at a time, as makefiles do it. Host code comes from a compiler of its own.
    sed 's/int main()/int cuda_main()/; s/^    cudaFree(device);/&\n    return 0;/' "$here/several/main.cu" >main.cu
    echo 'int cuda_main(); int main() { return cuda_main(); }' >host.cpp
    said 0 "$warpladder" cc -c -I "$here/several" main.cu
    said 0 "$warpladder" cc -dc "$here/several/other.cu" -o second.o
    said 0 "$warpladder" cc main.o second.o host.cpp -o parts
    said 0 ./parts
    has out '120 120, 13 steps'
}

case_templates() {
    said 0 "$warpladder" simulate "$here/templates.cu"
    has out '26.5 22.5'
}

case_dynamic_shared() {
    said 0 "$warpladder" simulate "$here/dynamic_shared.cu"
    has out '33 2'
    sed 's/k<<<1, 32, 128>>>/k<<<1, 32, 124>>>/' "$here/dynamic_shared.cu" >short.cu
    said 1 "$warpladder" simulate short.cu
    has err '4 bytes past the end of 124 bytes of dynamic shared memory'
}

# A message of the compiler, or of the debugger, names the line of a header that was translated.
case_places() {
    printf '#include "k.cuh"\nint main() { go(); }\n' >main.cu
    printf 'template <typename T> __global__ void k(T *p) {\n  p[0] = 1;\n}\ninline void go() {\n  k<<<1, 1>>>((int *)0);\n}\n' >k.cuh
    said 1 "$warpladder" simulate main.cu
    has err 'k<int>: block (0,0,0) thread (0,0,0): out of bounds: store of 4 bytes at k.cuh:2 through a null pointer'
    sed -i 's/p\[0\]/q[0]/' k.cuh
    said 3 "$warpladder" simulate main.cu
    has err 'k.cuh:2:'
    sed -i 's/q\[0\]/p[0]/; s/k<<<1, 1>>>(/k<<<1, 1>>(/' k.cuh
    said 3 "$warpladder" simulate main.cu
    has err "k.cuh:5: expected '>>>('"
}

# A function that the simulated device lacks is told by name, once, in one line.
case_missing() {
    printf 'int main() {\n  cudaNoSuchThing(1);\n  cudaNoSuchThing(2);\n  return 0;\n}\n' >missing.cu
    said 3 "$warpladder" cc missing.cu
    [ "$(grep -c 'cudaNoSuchThing' err)" = 1 ] || fail "$(cat err)"
    has err 'missing.cu:2: cudaNoSuchThing is not simulated'
    printf '#include <cudnn_no_such.h>\nint main() {}\n' >missing.cu
    said 3 "$warpladder" cc missing.cu
    has err 'missing.cu:1: cudnn_no_such.h is not simulated'
    printf 'extern "C" int cublasNoSuch();\nint main() { return cublasNoSuch(); }\n' >missing.cu
    said 3 "$warpladder" cc missing.cu
    has err 'cublasNoSuch is not simulated'
    # Neither is a header of a toolkit on this machine, which would clash with the simulated device's own.
    mkdir -p toolkit/include
    echo '#include "vector_types.h"' >toolkit/include/nvnosuch.h
    echo 'struct float4 { float x; };' >toolkit/include/vector_types.h
    printf '#include <cstdio>\n\n#include <nvnosuch.h>\nint main() {}\n' >missing.cu
    said 3 "$warpladder" cc -I toolkit/include missing.cu
    has err 'missing.cu:3: nvnosuch.h is not simulated'
    # What is not CUDA's is the compiler's to tell.
    printf 'int main() { return mistake; }\n' >missing.cu
    said 3 "$warpladder" cc missing.cu
    has err "missing.cu:1:21: error: 'mistake' was not declared in this scope"
}

# nvcc's options are taken in its spellings.
case_options() {
    mkdir include
    echo 'inline int twice(int x) { return 2 * x; }' >include/twice.h
    cat >options.cu <<'END'
#include <twice.h>
#include <cmath>
#if __cplusplus < 202002L || !defined FIRST || defined GONE
#error "an option was not understood"
#endif
int main() { printf("%d %g\n", twice(VALUE), pow(2, 0.5)); }
END
    said 0 "$warpladder" cc -arch=sm_90 -gencode arch=compute_80,code=sm_80 -O3 -std=c++20 -Iinclude -D FIRST --define-macro=VALUE=21 \
        -DGONE -UGONE -lineinfo -G --expt-relaxed-constexpr --extended-lambda -Xcompiler -Wall,-fopenmp -Xptxas -v -rdc=true -lm \
        -use_fast_math -maxrregcount 64 -o prog options.cu
    said 0 ./prog
    has out '42 1.41421'
    said 0 "$warpladder" cc --verbose -arch=sm_90 -Iinclude -std c++20 -DFIRST -DVALUE=1 options.cu
    has err 'option -arch=sm_90 has no effect'
    [ -x a.out ] || fail "no a.out"
    said 2 "$warpladder" cc -std=c++20
    said 2 "$warpladder" cc --nonsense options.cu
    said 2 "$warpladder" cc options.cu -o
    said 3 "$warpladder" cc none.cu
    has err 'none.cu: cannot be read'
    said 2 "$warpladder" simulate options.cu --gpu ZX81
}

# The table of docs/simulating-your-program.md is what the simulated device counts.
case_sgemm() {
    needs_jq
    "$here/sgemm_counts.sh" "$warpladder" | cmp - <(grep -v "^# sources: " "$here/../../../results/sgemm_simulated.tsv") || fail "run tests/sim/toolchain/sgemm_counts.sh"
}

case_exit_code() {
    echo 'int main(int argc, char **argv) { return argc == 3 ? atoi(argv[1]) + atoi(argv[2]) : 99; }' >code.cu
    said 42 "$warpladder" simulate code.cu -- 40 2
    echo 'int main() { int *p = 0; p[0] = 1; }' >crash.cu
    said 1 "$warpladder" simulate crash.cu
    has err 'SIGSEGV: memory that is not there, in main, crash.cu:1'
}

# Calls that fail are told with what is wrong, even if the program does not look. They may be meant. So is a copy of what nobody has
# written: there is the error in the indexing of a kernel that reaches half of its array.
case_calls() {
    cat >calls.cu <<'END'
__global__ void half(char *a) { if (threadIdx.x < 16) atomicAdd((int *)a + threadIdx.x % 4, a[16 + threadIdx.x]); }
int main() {
    char host[64] = "", *device, *gone;
    cudaMalloc(&device, 32), cudaMalloc(&gone, 64), cudaFree(gone);
    cudaMemcpy(device, host, 64, cudaMemcpyHostToDevice);
    cudaMemcpy(host, device, 32, cudaMemcpyHostToDevice);
    cudaMemcpy(device, device, 32, cudaMemcpyHostToDevice);
    cudaMemcpy(host, gone, 64, cudaMemcpyDeviceToHost);
    cudaMemset(nullptr, 0, 4);
    cudaMemcpy(host, device, 32, cudaMemcpyDeviceToHost);
    cudaMemset(device, 0, 32);
    half<<<1, 32>>>(device);
    half<<<1, 2048>>>(device);
    cudaFree(device);
    cudaFree(device);
}
END
    said 1 "$warpladder" simulate calls.cu
    has err 'the destination has room for 32 bytes, not for 64: 32 were allocated in main, calls.cu:4, in main, calls.cu:5'
    has err 'the destination is not device memory (the pointer does not come from cudaMalloc), in main, calls.cu:6'
    has err 'the direction says that the source is host memory, but it comes from cudaMalloc, in main, calls.cu:7'
    has err 'the source was freed in main, calls.cu:4 (allocated in main, calls.cu:4), in main, calls.cu:8'
    has err 'the destination is a null pointer, in main, calls.cu:9'
    has err 'takes 32 bytes to the host, of which neither the host nor a kernel has written 32, the first at byte 0'
    has err 'half: a block has 1 to 1,024 threads, at most 64 in z, not 2048 x 1 x 1'
    has err 'device memory freed twice: in main, calls.cu:15'
    has err '2 things found wrong'
    # Sectors are those of loads and stores; what the header of a launch does is not the program's.
    [ "$(grep -c 'calls.cu:1 .* 1 .* 1 .* 1.0 .* 16 ' err)" -eq 1 ] || fail "no line of counts: $(cat err)"
    ! grep -q 'sim_launch.h' err || fail "a line of the simulated device: $(cat err)"
}

# A debugger stops in a kernel, at the line of a header.
case_debugger() {
    command -v gdb >/dev/null || exit 77
    said 0 "$warpladder" cc "$here"/several/*.cu -o prog
    gdb -batch -ex 'break launches.h:7' -ex run -ex 'print value' -ex 'backtrace 1' ./prog >out 2>&1
    grep -q 'ptrace: Operation not permitted' out && exit 77
    has out '= 7'
    has out 'fill<int, 64> (to='
}

case_no_compiler() {
    mkdir bin
    for tool in sh awk readelf objcopy ld mkdir rm mv; do ln -s "$(command -v $tool)" "bin/$tool"; done
    PATH=$work/bin said 4 "$warpladder" cc "$here/vector_add.cu"
    /usr/bin/grep -q 'g++ is not found' err || fail "$(/usr/bin/cat err)"
    [ "$(/usr/bin/wc -l <err)" -eq 1 ] || fail "more than one line: $(/usr/bin/cat err)"
}

# Of blocks of 256 threads with 40 registers, NVIDIA's calculator puts 6 on a multiprocessor of compute capability 9.0, for the registers.
case_occupancy() {
    said 0 "$warpladder" simulate "$here/vector_add.cu" --gpu H200 --registers 40
    has err '6 blocks per multiprocessor, 48 of 64 warps (75 %), limited by registers'
    said 0 "$warpladder" simulate "$here/vector_add.cu" --gpu 8.6 --registers add=32
    has err '6 blocks per multiprocessor, 48 of 48 warps (100 %), limited by warps'
    said 0 "$warpladder" simulate "$here/vector_add.cu" --gpu t4
    has err '4 blocks per multiprocessor, 32 of 32 warps (100 %), limited by warps'
    has err 'at most 64 registers'
    sed 's/^    if (i/    __shared__ float room[12000]; room[threadIdx.x] = n;\n    __syncthreads();\n    n = room[0];\n    if (i/' "$here/vector_add.cu" >shared.cu
    said 0 "$warpladder" simulate shared.cu --gpu A100 --registers 16
    has err '3 blocks per multiprocessor, 24 of 64 warps (38 %), limited by shared memory'
}

# refused NAME WORDS: the program on standard input is found wrong, with these words.
refused() {
    cat >"$1.cu"
    said "${3:-1}" "$warpladder" simulate "$1.cu"
    has err "$2"
}

# Without clang, one line says what is not checked, and the program is built as before.
case_no_clang() {
    cat >host.cu <<'END'
int scale = 3;
__global__ void k(int *p) { *p = scale; }
int main() { return 0; }
END
    if command -v clang >/dev/null; then
        said 3 "$warpladder" cc host.cu -o host
        has err "host.cu:2:34: error: reference to __host__ variable 'scale' in __global__ function"
    fi
    said 0 env CLANG= "$warpladder" cc host.cu -o host
    has err 'clang is not found, so what C++ allows and CUDA forbids is not checked (Debian: apt install clang)'
    [ "$(wc -l <err)" -eq 1 ] || fail "more than one line without clang"
    said 0 ./host
}

# Headers are parsed once. What a program prints, and what is told about a wrong one, are the same with and without those kept in the cache
# folder, and with damaged ones, which are emptied.
case_precompiled() {
    export XDG_CACHE_HOME=$PWD/cache
    local kept=$PWD/cache/warpladder/precompiled
    printf '__global__ void k(int *a) { a[threadIdx.x] = b; }\nint main() { return 1; }\n' >undeclared.cu
    printf 'int f() { return 1; }\n__global__ void k(int *a) { *a = f(); }\nint main() {}\n' >side.cu
    env -u XDG_CACHE_HOME -u HOME CLANG= "$warpladder" cc undeclared.cu 2>undeclared.err || true
    if command -v clang >/dev/null; then env -u XDG_CACHE_HOME -u HOME "$warpladder" cc side.cu 2>side.err || true; fi
    said 0 "$warpladder" simulate "$here/vector_add.cu" --quiet -- 2
    has out 'c[1] = 2'
    said 3 env CLANG= "$warpladder" cc undeclared.cu
    cmp err undeclared.err || fail "other words: $(cat err)"
    if command -v clang >/dev/null; then
        said 3 "$warpladder" cc side.cu
        cmp err side.err || fail "other words: $(cat err)"
    fi
    [ "$(find "$kept" -size +1000k | wc -l)" -ge 1 ] || fail 'nothing is kept'
    for file in "$kept"/*; do echo nonsense >"$file"; done
    said 0 "$warpladder" simulate "$here/vector_add.cu" --quiet -- 2
    has out 'c[1] = 2'
    [ -z "$(find "$kept" -name '*.gch' -size +0)" ] || fail 'a damaged file stays'
    # Nobody else may have put files there.
    rm -f "$kept"/*
    chmod 777 "$kept"
    said 0 "$warpladder" cc "$here/vector_add.cu" -o add
    [ -z "$(ls -A "$kept")" ] || fail 'a folder that all may write is used'
}

# A cooperative launch without a host thread for each block is refused. It would wait for ever.
case_cooperative_threads() {
    said 0 "$warpladder" cc "$here/../programs/coop_grid.cu" -o grid
    said 1 env OMP_THREAD_LIMIT=1 timeout 20 ./grid
    has err 'needs a host thread for each of its'
}

# A stage that is right only where the simulated device's macro is defined, and others like it.
case_one_source() {
    root=$here/../../.. lesson=$here/../../../lessons/05_shared/kernel.cu
    mkdir mine
    sed 's/^    if (idx == 0) {/#ifdef WL_SIMULATED\n&\n#endif\n    {/' "$lesson" >mine/kernel.cu
    said 3 "$warpladder" check mine --instances 3 --attributes 5
    has err "mine/kernel.cu:$(grep -n WL_SIMULATED mine/kernel.cu | cut -d: -f1): found WL_SIMULATED, by which the stage may be another one"
    [ "$(wc -l <err)" -eq 1 ] || fail "more than one line: $(cat err)"
    while read -r line; do
        printf '/* WL_SIMULATED\n   */\n%s // WL_SIMULATED\n' "$line" >mine/kernel.cu
        said 1 sh "$root/cmake/one-source.sh" mine echo same
        has err "mine/kernel.cu:3: found ${line##* }, by which"
    done <<'END'
#if !defined WL_SIMULATED
#elif 1 && __SANITIZE_THREAD__
#ifndef __NVCC__
int backend = WL_DEVICE_BACKEND
#define SAME WL_SIM
void wl_sim_watch
END
    printf '%s\n' '#if __CUDA_ARCH__ >= 800 // WL_SIMULATED' '#define ANY "WL_SIMULATED"' '#ifdef ANY /* __NVCC__ */' >mine/kernel.cu
    said 0 sh "$root/cmake/one-source.sh" mine echo same
    has out 'same'
}

# What is added for plain programs keeps to the rules: races, bounds, and what is not simulated is told in one line.
case_refusals() {
    refused nested 'inner: block (0,0,0) thread (0,0,0): out of bounds: store of 4 bytes' <<'END'
__global__ void inner(int *p) { p[8] = 1; }
__global__ void outer(int *p) { inner<<<1, 1>>>(p); }
int main() { int *p; cudaMalloc(&p, 32); outer<<<1, 1>>>(p); return cudaDeviceSynchronize() == 0; }
END
    refused ptx 'ptx.cu:1: inline PTX: madc_lo is not simulated' 3 <<'END'
__global__ void k(unsigned *o) { asm volatile("madc.lo.u32 %0, %0, %0, %0;" : "+r"(*o)); }
int main() { k<<<1, 1>>>(nullptr); }
END
    refused branch "inline PTX: 'bra' is not simulated" 3 <<'END'
__global__ void k(unsigned *o) { asm volatile("{ bra done; done: }"); }
int main() { k<<<1, 1>>>(nullptr); }
END
    refused host 'race between host and device: the host loads 4 bytes' <<'END'
__global__ void k(int *a) { *a = 5; }
int main() { int *a; cudaMallocManaged(&a, 4); k<<<1, 1>>>(a); int v = *a; cudaDeviceSynchronize(); return v == 7; }
END
    refused heap 'out of bounds: store of 4 bytes' <<'END'
__global__ void k(int n, int *out) { int *a = (int *)malloc(8); a[n] = 1; *out = a[0]; free(a); }
int main() { int *out; cudaMalloc(&out, 4); k<<<1, 1>>>(2, out); return cudaDeviceSynchronize() == 0; }
END
    refused twice 'free at' <<'END'
__global__ void k(int **p) { *p = (int *)malloc(8); free(*p); free(*p); }
int main() { int **p; cudaMalloc(&p, 8); k<<<1, 1>>>(p); return cudaDeviceSynchronize() == 0; }
END
    refused grid 'but the launch is not cooperative' <<'END'
#include <cooperative_groups.h>
__global__ void k() { cooperative_groups::this_grid().sync(); }
int main() { k<<<2, 32>>>(); return cudaDeviceSynchronize() == 0; }
END
    refused blocks 'race on global memory' <<'END'
#include <cooperative_groups.h>
__global__ void k(int *a) { a[blockIdx.x] = 1; if (a[16]) cooperative_groups::this_grid().sync(); a[8 + blockIdx.x] = a[blockIdx.x ^ 1]; }
int main() {
    int *a;
    cudaMalloc(&a, 80);
    cudaMemset(a, 0, 80);
    void *arguments[] = {&a};
    cudaLaunchCooperativeKernel((void *)k, 2, 1, arguments, 0, 0);
    return cudaDeviceSynchronize() == 0;
}
END
    refused surface 'lies outside the surface of 4 x 4 x 1' <<'END'
__global__ void k(cudaSurfaceObject_t s) { surf2Dwrite(1.0f, s, 16, 0); }
int main() {
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaResourceDesc r = {};
    cudaSurfaceObject_t s;
    r.resType = cudaResourceTypeArray;
    cudaMallocArray(&r.res.array.array, &f, 4, 4, cudaArraySurfaceLoadStore);
    cudaCreateSurfaceObject(&s, &r);
    k<<<1, 1>>>(s);
    return cudaDeviceSynchronize() == 0;
}
END
    refused copy 'out of bounds: load of 64 bytes' <<'END'
#include <cstring>
__global__ void k(const int *a, int *b, int n) { memcpy(b, a, n); }
int main() { int *a, *b; cudaMalloc(&a, 32); cudaMalloc(&b, 64); cudaMemset(a, 0, 32); k<<<1, 1>>>(a, b, 64); return cudaDeviceSynchronize() == 0; }
END
}

"case_$case"
