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
    uint64_t launches, blocks, left_out, warps; // left_out: blocks that were not to be run
    unsigned grid[3], block[3];                 // of the last launch
    size_t shared_bytes;                        // the most per block
    wl_sim_counters counters;
    int registers; // per thread; 0: not known
};

/* What was found wrong at the same lines of a kernel. */
struct FindingReport {
    std::string message, kind, kernel,
        lines; // message: of the first time; the others are "" where a program does not go on
    uint64_t count;
};

struct Report {
    std::vector<FindingReport> found, suppressed; // errors, and those that somebody has said to be harmless
    std::vector<std::string> warnings, notes;     // what may be a mistake, and what mostly is none
    std::vector<KernelReport> kernels;
    const wl_gpu *gpu; // whose occupancy is asked for; null: none's
    int exit_code;
};

void print_report(const Report &report);                          // to standard error
bool write_report(const Report &report, const std::string &path); // as JSON; false: errno says why not

} // namespace wl_sim
