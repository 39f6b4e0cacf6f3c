/* Numbers for people, with the unit in which they are short: "853.3 s", "4.49 G", "12.9%". Each writes to `text` of at least WL_QUANTITY
   bytes, which is returned; "-": the number is not finite. */
#pragma once

#include "harness/base/linkage.h"

WL_C_BEGIN

enum { WL_QUANTITY = 32 };

/* A time in milliseconds, as us, ms or s. */
char *wl_time_text(double ms, char *text);
/* Something per second, with k, M, G, T or P. */
char *wl_rate_text(double rate, char *text);
/* How many times as fast. */
char *wl_factor_text(double factor, char *text);
/* How many times as fast as CPU code, whose times scatter: two digits, or the interval from `low` to `high` if that is wider than a tenth. */
char *wl_cpu_factor_text(double factor, double low, double high, char *text);
/* 0.129 as "13%". */
char *wl_percent_text(double share, char *text);

WL_C_END
