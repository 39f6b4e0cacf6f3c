/* On the host: which blocks stage 12 takes, when it is faster, and shapes for its check. */
#pragma once

#include "peeling/engine/faster.h"
#include "peeling/kit/streamed.h"

WL_C_BEGIN

extern const peeling_faster peeling_warpgroups_faster[];
extern const char *const peeling_warpgroups_shapes[];
const char *peeling_warpgroups_refuses(const wl_device *device, const peeling_input *in);
uint32_t peeling_warpgroups_of(const peeling_state *s); // warpgroups of the block that should take the least time

WL_C_END
