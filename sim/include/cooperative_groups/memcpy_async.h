/* Copies that a cooperative group starts together and waits for. */
#pragma once

#include "cooperative_groups.h"
#include "sim_copy_async.h"

WL_DEVICE_CODE

namespace cooperative_groups {

template <typename Group> void memcpy_async(const Group &group, void *to, const void *from, size_t bytes) {
    wl_copy_share(to, from, bytes, (unsigned)group.thread_rank(), (unsigned)group.size());
    wl_sim_copy_commit();
}
/* Counted in elements: as many as both have. */
template <typename Group, typename T, typename ToLayout, typename FromLayout>
void memcpy_async(const Group &group, T *to, const ToLayout &to_count, const T *from, const FromLayout &from_count) {
    const size_t count = (size_t)to_count < (size_t)from_count ? (size_t)to_count : (size_t)from_count;
    memcpy_async(group, (void *)to, (const void *)from, count * sizeof(T));
}
template <typename Group> void wait(const Group &group, WL_SIM_HERE) {
    wl_sim_copy_wait(0);
    group.sync(file, line);
}
template <unsigned Stages, typename Group> void wait_prior(const Group &group, WL_SIM_HERE) {
    wl_sim_copy_wait(Stages);
    group.sync(file, line);
}

} // namespace cooperative_groups

WL_DEVICE_CODE_END
