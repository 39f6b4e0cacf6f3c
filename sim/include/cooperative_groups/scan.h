/* Prefix sums of a cooperative group. */
#pragma once

#include "cooperative_groups/reduce.h"

WL_DEVICE_CODE

namespace cooperative_groups {

template <typename Group, typename T, typename Op>
auto inclusive_scan(const Group &group, T value, Op &&op, WL_SIM_HERE) -> std::decay_t<T> {
    const unsigned size = group.size(), rank = group.thread_rank();
    for (unsigned step = 1; step < size; step *= 2) {
        T other = group.shfl_up(value, step, file, line);
        if (rank >= step) value = op(other, value);
    }
    return value;
}
template <typename Group, typename T> auto inclusive_scan(const Group &group, T value, WL_SIM_HERE) -> std::decay_t<T> {
    return inclusive_scan(group, value, plus<T>(), file, line);
}
/* The first thread gets T(). */
template <typename Group, typename T, typename Op>
auto exclusive_scan(const Group &group, T value, Op &&op, WL_SIM_HERE) -> std::decay_t<T> {
    T before = group.shfl_up(inclusive_scan(group, value, op, file, line), 1, file, line);
    return group.thread_rank() == 0 ? T() : before;
}
template <typename Group, typename T> auto exclusive_scan(const Group &group, T value, WL_SIM_HERE) -> std::decay_t<T> {
    return exclusive_scan(group, value, plus<T>(), file, line);
}

} // namespace cooperative_groups

WL_DEVICE_CODE_END
