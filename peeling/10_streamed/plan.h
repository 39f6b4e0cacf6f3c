/* On the host: which blocks stage 10 takes, where it cuts the tree, when it is faster, and shapes for its check. */
#pragma once

#include "peeling/engine/faster.h"
#include "peeling/kit/streamed.h"

WL_C_BEGIN

extern const peeling_faster peeling_streamed_faster[];
extern const char *const peeling_streamed_shapes[];
const char *peeling_streamed_refuses(const wl_device *device, const peeling_input *in);
void peeling_streamed_cut(const peeling_state *s, uint32_t *workers, uint32_t *most_roots);
uint32_t peeling_streamed_teams(const peeling_state *s); // of the block that should take the least time

WL_C_END
