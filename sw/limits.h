/* What no variant computes. */
#pragma once

#include "harness/base/linkage.h"
#include "sw/problem.h"

WL_C_BEGIN

/* Why a score may be too large for 32 bits, or NULL: variants refuse what the reference could not compute. With a match of 2 that
   takes two sequences of a billion. */
const char *sw_refuse_scores(const sw_input *in);

WL_C_END
