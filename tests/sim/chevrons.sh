#!/bin/sh
# chevrons.sh CHEVRONS: what the tool refuses it refuses with file and line; what it writes is what was meant.
# shellcheck disable=SC2059 # the sources are written with \n in them
chevrons=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failed=0

# says LINE-AND-MESSAGE SOURCE: translating SOURCE (printf's escapes) must fail with that.
says() {
    printf "$2" >"$folder/in.cu"
    if "$chevrons" "$folder/in.cu" "$folder/out.cpp" 2>"$folder/error"; then
        echo "translated, but should not: $2"
        failed=1
    elif ! grep -qF "in.cu:$1" "$folder/error"; then
        echo "expected $1, found $(cat "$folder/error")"
        failed=1
    fi
}
# gives RESULT SOURCE
gives() {
    printf "$2" >"$folder/in.cu"
    "$chevrons" "$folder/in.cu" "$folder/out.cpp" || failed=1
    printf "$1" >"$folder/expected"
    sed 1d "$folder/out.cpp" | cmp - "$folder/expected" || { failed=1; cat "$folder/out.cpp"; }
}

says "2: expected '>>>(' and the kernel's arguments" 'void f() {\n  k<<<1, 2;\n}\n'
says "2: expected '>>>('" 'void f() {\n  k<<<1, 2>>>;\n  g<<<1, 2>>>(3); }\n'
says "1: '(' without ')'" 'k<<<1, 2>>>(a'
says "1: expected a kernel's name" 'k<1 << 3><<<1, 2>>>();'
says "1: expected a kernel's name" '<<<'
says "2: comment without end" 'int a;\n/* \n'
says "1: raw string without end" 'R"x( )"'
says "2: declare dynamic shared memory inside the kernel" 'namespace {\nextern __shared__ int a[];\n}\n'
says "1: declare dynamic shared memory inside the kernel" 'extern "C" { extern __shared__ int a[]; }'
says "1: expected 'extern __shared__" 'void f() { extern __shared__ int a[], b[]; }'
says "1: expected 'extern __shared__" 'void f() { extern __shared__ int a; }'

gives 'wl_sim_launch(wl_sim_shape(1, 2), k)' 'k<<<1, 2>>>()' # no line end
gives 'f() {\r\n wl_sim_launch(wl_sim_shape(1,\r\n 2), k, a);\r\n}' 'f() {\r\n k<<<1,\r\n 2>>>(a);\r\n}'
gives 'wl_sim_launch(wl_sim_shape(1, 2), k, \n\na)\n// x<<<\\\ny<<<' 'k<<<1, 2>>>\n\n(a)\n// x<<<\\\ny<<<'
gives '#error it isn'"'"'t "so\nwl_sim_launch(wl_sim_shape(1, 2), k)' '#error it isn'"'"'t "so\nk<<<1, 2>>>()'
gives ' wl_sim_launch(wl_sim_shape(1, 2), a[3])' ' a[3]<<<1, 2>>>()'
gives 'f; wl_sim_launch(wl_sim_shape(1, 2), x.y->k<3>, 4)' 'f; x.y->k<3><<<1, 2>>>(4)'
gives 'if (c) wl_sim_launch(wl_sim_shape(1, 2), (*p))' 'if (c) (*p)<<<1, 2>>>()'
gives 'return wl_sim_launch(wl_sim_shape(1, 2), (p))' 'return (p)<<<1, 2>>>()'
gives '' ''
gives 'void f() { int (&a)[][4] = *(int (*)[][4])wl_sim_dynamic_shared(); }' 'void f() { extern __shared__ int a[][4]; }'
gives '__attribute__((section("wl_device_1"))) __device__ int a;' '__device__ int a;'
gives '__device__ int f(int a);' '__device__ int f(int a);'

# What g++ -E wrote.
says_preprocessed() {
    printf "$2" >"$folder/in.ii"
    if "$chevrons" --preprocessed "$folder/in.ii" "$folder/out.ii" 2>"$folder/error" || ! grep -qF "$1" "$folder/error"; then
        echo "expected $1, found $(cat "$folder/error")"
        failed=1
    fi
}
gives_preprocessed() {
    printf "$2" >"$folder/in.ii"
    "$chevrons" --preprocessed "$folder/in.ii" "$folder/out.ii" || failed=1
    printf "$1" >"$folder/expected"
    cmp "$folder/out.ii" "$folder/expected" || { failed=1; cat "$folder/out.ii"; }
}
says_preprocessed "k.h:41: expected '>>>('" '# 1 "a.cu"\n# 40 "k.h" 1\n\nk<<<1, 2;\n# 2 "a.cu" 2\n'
says_preprocessed "a.cu:3: expected '>>>('" '# 1 "a.cu"\n# 40 "k.h" 1\n\n;\n# 2 "a.cu" 2\n\nk<<<1, 2;\n'
gives_preprocessed '::wl_sim::launcher_of(wl_sim_shape(1, 2), k)(a, b)' 'k<<<1, 2>>>(a, b)'
gives_preprocessed 'static thread_local __attribute__((aligned(16))) int a;' 'static __shared__ int a;'
gives_preprocessed '__attribute__((__noinline__)) __attribute__((noinline))' '__attribute__((__noinline__)) __noinline__'
gives_preprocessed 'extern __thread float a[] __asm__("wl_sim_dynamic_array");' 'extern __shared__ float a[];'
gives_preprocessed '__attribute__((section("wl_constant_1"))) const float a[2] = {1, 2}; extern  int b;' '__constant__ const float a[2] = {1, 2}; extern __device__ int b;'
gives_preprocessed '__attribute__((noinline)) void k(int a) { wl_sim_bound(1024);}' '__global__ void k(int a) {}'
# A kernel with a default argument is launched by a stub.
gives_preprocessed '__attribute__((noinline)) void k(int a, int = 3) { wl_sim_bound(1024);} void wl_sim_kernel_k(int a,  int wl_p1 = 3) { ::wl_sim::launcher_of(::wl_sim::configured(), static_cast<void (*)(int a,  int wl_p1 )>(&k))(a, wl_p1); }
::wl_sim::configure(wl_sim_shape(1, 2)) ? (void)0 : wl_sim_kernel_k(4);' '__global__ void k(int a, int = 3) {}\nk<<<1, 2>>>(4);'
gives_preprocessed 'std::cout.operator<<<int>(3)' 'std::cout.operator<<<int>(3)'

exit $failed
