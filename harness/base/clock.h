/* The monotonic clock. */
#pragma once

#include "harness/base/linkage.h"

WL_C_BEGIN

/* Seconds since some moment; only differences mean anything. */
double wl_now(void);

WL_C_END
