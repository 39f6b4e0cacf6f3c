/* Reductions of a cooperative group. */
#pragma once

#include "cooperative_groups.h"

WL_DEVICE_CODE

namespace cooperative_groups {

template <typename T> struct plus {
    T operator()(const T &a, const T &b) const { return a + b; }
};
template <typename T> struct less {
    T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
template <typename T> struct greater {
    T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
template <typename T> struct bit_and {
    T operator()(const T &a, const T &b) const { return a & b; }
};
template <typename T> struct bit_or {
    T operator()(const T &a, const T &b) const { return a | b; }
};
template <typename T> struct bit_xor {
    T operator()(const T &a, const T &b) const { return a ^ b; }
};

/* Every thread of the group gets the result. Neighbours are combined last, as in a butterfly of shuffles. */
template <typename Group, typename T, typename Op>
auto reduce(const Group &group, T value, Op &&op, WL_SIM_HERE) -> std::decay_t<T> {
    const unsigned size = group.size(), rank = group.thread_rank();
    unsigned step = 1;
    while (step < size) step *= 2;
    for (step /= 2; step > 0; step /= 2) { // to the lower half, which keeps what has no partner
        T other = group.shfl_down(value, step, file, line);
        if (rank < step && rank + step < size) value = op(value, other);
    }
    return group.shfl(value, 0, file, line);
}

} // namespace cooperative_groups

WL_DEVICE_CODE_END
