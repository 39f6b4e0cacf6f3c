#include "sim/occupancy.h"

#include <strings.h>

#include <algorithm>
#include <climits>
#include <iterator>
#include <cstdio>

namespace {

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". Shared memory in KB; `reserved` are the bytes of it
// that the system takes for each block. 64 K registers per multiprocessor and 255 per thread in all of these.
struct Limits {
    int major, minor, warps, blocks, shared, shared_per_block, reserved, shared_unit;
};
constexpr Limits limits[] = {
    {5, 0, 64, 32, 64, 48, 0, 256},      {5, 2, 64, 32, 96, 48, 0, 256},      {6, 0, 64, 32, 64, 48, 0, 256},
    {6, 1, 64, 32, 96, 48, 0, 256},      {7, 0, 64, 32, 96, 96, 0, 256},      {7, 5, 32, 16, 64, 64, 0, 256},
    {8, 0, 64, 32, 164, 163, 1024, 128}, {8, 6, 48, 16, 100, 99, 1024, 128},  {8, 7, 48, 16, 164, 163, 1024, 128},
    {8, 9, 48, 24, 100, 99, 1024, 128},  {9, 0, 64, 32, 228, 227, 1024, 128}, {10, 0, 64, 32, 228, 227, 1024, 128},
    {12, 0, 48, 24, 100, 99, 1024, 128},
};
constexpr int REGISTERS = 65536, MOST_REGISTERS = 255, REGISTER_UNIT = 256, PARTITIONS = 4, WARP = 32;

// The first one of a compute capability stands for it. Multiprocessors as in the makers' data sheets.
constexpr wl_gpu gpus[] = {
    {"M60", 5, 2, 16},     {"GTX980", 5, 2, 16},  {"P100", 6, 0, 56},   {"GTX1080", 6, 1, 20},   {"V100", 7, 0, 80},
    {"T4", 7, 5, 40},      {"RTX2080", 7, 5, 46}, {"A100", 8, 0, 108},  {"A10", 8, 6, 72},       {"A40", 8, 6, 84},
    {"RTX3090", 8, 6, 82}, {"ORIN", 8, 7, 16},    {"L4", 8, 9, 58},     {"L40S", 8, 9, 142},     {"RTX4090", 8, 9, 128},
    {"H200", 9, 0, 132},   {"H100", 9, 0, 132},   {"B200", 10, 0, 148}, {"RTX5090", 12, 0, 170}, {nullptr, 0, 0, 0},
};

const Limits &limits_of(const wl_gpu *gpu) {
    return *std::find_if(std::begin(limits), std::end(limits) - 1,
                         [&](const Limits &l) { return l.major == gpu->major && l.minor == gpu->minor; });
}

int round_up(int number, int unit) { return (number + unit - 1) / unit * unit; }

/* Registers are given out to warps, by each of the four partitions of a multiprocessor. */
int blocks_by_registers(int registers, int warps) {
    if (registers == 0) return INT_MAX;
    if (registers > MOST_REGISTERS) return 0;
    return REGISTERS / PARTITIONS / round_up(registers * WARP, REGISTER_UNIT) * PARTITIONS / warps;
}

} // namespace

extern "C" {

const wl_gpu *wl_gpu_named(const char *name) {
    for (const wl_gpu *g = gpus; g->name; g++) {
        char dotted[16], plain[16];
        snprintf(dotted, sizeof dotted, "%d.%d", g->major, g->minor);
        snprintf(plain, sizeof plain, "sm_%d%d", g->major, g->minor);
        if (strcasecmp(name, g->name) == 0 || strcasecmp(name, dotted) == 0 || strcasecmp(name, plain) == 0) return g;
    }
    return nullptr;
}

wl_occupancy wl_occupancy_of(const wl_gpu *gpu, int threads, int registers, size_t shared_bytes) {
    const Limits &l = limits_of(gpu);
    const int warps = std::max(1, (threads + WARP - 1) / WARP);
    const size_t shared = (size_t)round_up((int)std::min(shared_bytes, (size_t)1 << 24) + l.reserved, l.shared_unit);
    const int by_shared = shared_bytes > (size_t)l.shared_per_block * 1024 ? 0
                          : shared == 0                                    ? INT_MAX
                                                                           : (int)((size_t)l.shared * 1024 / shared);
    struct {
        const char *what;
        int blocks;
    } all[] = {{"warps", threads > 1024 ? 0 : l.warps / warps},
               {"blocks", l.blocks},
               {"shared memory", by_shared},
               {"registers", blocks_by_registers(registers, warps)}};
    wl_occupancy o = {INT_MAX, 0, l.warps, "", 0};
    for (const auto &limit : all)
        if (limit.blocks < o.blocks) o.blocks = limit.blocks, o.limit = limit.what;
    o.warps = o.blocks * warps;
    for (int r = 1; o.blocks > 0 && r <= MOST_REGISTERS && blocks_by_registers(r, warps) >= o.blocks; r++)
        o.spare_registers = r;
    return o;
}
}
