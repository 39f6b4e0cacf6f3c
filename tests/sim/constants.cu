/* A file with more constant memory than a device has: its kernels cannot run, whichever variables they use. Files are told
   apart, since on a GPU each is a module with 64 KB of its own. */
#include "tests/sim/help.h"

static __constant__ int most[16 << 10], one_more;

static __global__ void uses_one(int *out) { *out = one_more; }
static __global__ void uses_the_other(int *out) { *out = most[*out]; }

TEST(constant_memory_has_64_KB) {
    Buffer<int> out(1);
    std::string error;
    counted([&] { uses_one<<<1, 1>>>(out.device); }, &error);
    CHECK(says(error, "uses_one: more than 64 KB of constant memory"));
    counted([&] { uses_the_other<<<1, 1>>>(out.device); }, &error);
    CHECK(says(error, "uses_the_other: more than 64 KB of constant memory"));
}
