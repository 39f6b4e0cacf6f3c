/* Legal but odd source: launches written in every way, and text that only looks like one. */
#include "tests/sim/help.h"

// clang-format off
template <typename T> struct Wrap {
    typedef T type;
    static constexpr int four = 4;
};
template <typename T, int N> static __global__ void put(T *out, int value) {
    if (threadIdx.x < N) out[threadIdx.x] = (T)value;
}
static __global__ void nothing() {}
namespace outer {
namespace inner {
static __global__ void put_one(int *out, int line) { *out = line; }
} // namespace inner
} // namespace outer

static __global__ void aligned_dynamic(int *out) {
    extern __shared__ alignas(16) volatile unsigned long long words /* of the block */ [];
    words[threadIdx.x] = 1'000'000;
    out[threadIdx.x] = (int)words[threadIdx.x];
}

#define PUT(n, where, what)           \
    do {                              \
        put<int, n> \
            <<<1, n>>>((where), (what)); \
    } while (0)
#define LAUNCH(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)

static const char *const quoted = "k<<<1, 1>>>(\"x\") /* \\";
static const char *const raw = R"cu(k<<<1, "2">>>(')" extern __shared__ int x[];)cu";
static const char marks[] = {'"', '\'', '<', L'"' == 34 ? 'y' : 'n', u8'"'};

TEST(launches_however_they_are_written) {
    Buffer<int> out(64);
    auto at = [&](int i) { return out.host()[(size_t)i]; };
    counted([&] { put<int, 4> /* "<<<" */ <<< 1 , 1'0 >>> ( out.device , 1 ); });
    CHECK(at(3) == 1 && at(4) == 0);
    counted([&] { // a launch over several lines keeps their numbers
        outer::inner::put_one
            <<<dim3(1,
                    1), // one block
               1>>>
            (out.device, __LINE__); });
    CHECK(at(0) >= 42 && at(0) < __LINE__); // compilers disagree which of the lines it is
    CHECK(__LINE__ == 48);
    counted([&] { put<Wrap<Wrap<int>::type>::type, (5 > 4 ? 5 : 4)><<<Wrap<Wrap<Wrap<int>>>::four >> 2, 64 >> 1>>>(out.device, 2); });
    CHECK(at(4) == 2 && at(5) == 0);
    counted([&] { PUT(6, out.device, 3); });
    CHECK(at(5) == 3 && at(6) == 0);
    counted([&] { LAUNCH(::outer::inner::put_one, out.device, '"'); });
    CHECK(at(0) == '"');
    counted([&] { nothing<<<3, 32>>>(); });
    counted([&] { nothing<<<dim3{3}, 32, 0, 0>>>(/* none */); });
    counted([&] { aligned_dynamic<<<1, 2, 16>>>(out.device); });
    CHECK(at(1) == 1000000);
    bool yes = true;
    yes ?outer::inner::put_one<<<1, 1>>>(out.device, 5):nothing<<<1, 1>>>();
    CHECK(at(0) == 5);
    CHECK(std::string(quoted) == "k<<<1, 1>>>(\"x\") /* \\");
    CHECK(std::string(raw) == "k<<<1, \"2\">>>(')\" extern __shared__ int x[];" && marks[3] == 'y');
}
