/* The core for any machine. */
#include "sw/kit/vectors_portable.h"

#define WL_CORE(name) name##_portable
#include "sw/core/widths.h"
