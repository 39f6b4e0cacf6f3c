/* The three widths of a core, and its descriptor. */
#pragma once

#include <string.h>

#include "sw/core/core.h"

#define UNROLL_SEGMENTS _Pragma("GCC unroll 2")

#define BITS 8
#include "sw/core/stripes.h"
#define BITS 16
#include "sw/core/stripes.h"
#define BITS 32
#include "sw/core/stripes.h"

const pair_core WL_CORE(sw_pair_core) = {VECTOR_BYTES, {fill_8, fill_16, fill_32}, {compute_8, compute_16, compute_32}};
