/* Stage 10's joins of few patterns, by blocks of one team of warps or two (few_patterns.cu): 25 to 64 states. */
#pragma once

#include "peeling/kit/stage.h"

/* Says in *fits whether shared memory has room for all slots; if not, nothing is launched. */
extern "C" wl_status PEELING_ON(peeling_few_patterns)(peeling_state *s, uint32_t teams, bool *fits);
