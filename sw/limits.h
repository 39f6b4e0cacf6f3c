/* What no variant computes. */
#ifndef SW_LIMITS_H
#define SW_LIMITS_H

#include "sw/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why a score may be too large for 32 bits, or NULL: variants refuse what the reference could not compute. With a match of 2 that
   takes two sequences of a billion. */
const char *sw_refuse_scores(const sw_input *in);

#ifdef __cplusplus
}
#endif
#endif
