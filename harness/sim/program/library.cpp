#include "harness/sim/program/library.h"

#include "sim_library.h"
namespace wl_sim {

bool begin_library_call(cudaStream_t stream, const char *what, const std::vector<Operation::Range> &ranges) {
    if (launch_error()) return false;
    Operation o = queue_operation(stream, what);
    const std::vector<Operation> unordered = unordered_with(o);
    for (const Operation::Range &r : ranges) {
        if (r.low >= r.high) continue;
        if (!is_device(r.low, r.high - r.low)) {
            set_launch_error(cudaErrorIllegalAddress, described(o) + ": " + (r.writes ? "stores" : "loads") + " " +
                                                          std::to_string(r.high - r.low) +
                                                          " bytes that are not within one allocation of device memory");
            return false;
        }
        o.ranges.push_back(r);
    }
    for (const Operation::Range &r : o.ranges) {
        const std::string race = unordered.empty() ? "" : stream_race(o, unordered, r);
        if (race.empty()) continue;
        set_launch_error(cudaErrorLaunchFailure, race);
        return false;
    }
    for (const Operation::Range &r : o.ranges)
        if (r.writes) note_written(r.low, r.high - r.low);
    remember_operation(o);
    return true;
}

bool wl_library_call(const char *name, cudaStream_t stream, const wl_use *uses, size_t count) {
    std::vector<Operation::Range> ranges;
    for (size_t i = 0; i < count; i++)
        ranges.push_back({(uintptr_t)uses[i].memory, (uintptr_t)uses[i].memory + uses[i].bytes, uses[i].writes});
    return begin_library_call(stream, name, ranges);
}

wl_in_stream::wl_in_stream() { enter_stream(true); }
wl_in_stream::~wl_in_stream() { enter_stream(false); }

} // namespace wl_sim
