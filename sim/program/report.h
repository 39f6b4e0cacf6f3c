/* What a program built by `warpladder cc` reports when it ends. */
#pragma once

#include <string>
#include <vector>

#include "sim/occupancy.h"
#include "sim/sim.h"

namespace wl_sim {

/* All launches of a kernel with blocks of one shape. */
struct KernelReport {
    std::string name;
    uint64_t launches, blocks, warps;
    unsigned grid[3], block[3]; // of the last launch
    size_t shared_bytes;        // the most per block
    wl_sim_counters counters;
    int registers; // per thread; 0: not known
};

struct Report {
    std::vector<std::string> found, notes;
    std::vector<KernelReport> kernels;
    const wl_gpu *gpu; // whose occupancy is asked for; null: none's
    int exit_code;
};

void print_report(const Report &report);                          // to standard error
bool write_report(const Report &report, const std::string &path); // as JSON; false: errno says why not

} // namespace wl_sim
