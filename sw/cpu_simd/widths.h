/* The three widths of a core, and its descriptor `core`. */
#ifndef SW_CPU_SIMD_WIDTHS_H
#define SW_CPU_SIMD_WIDTHS_H

#define BITS 8
#include "sw/cpu_simd/columns.h"
#define BITS 16
#include "sw/cpu_simd/columns.h"
#define BITS 32
#include "sw/cpu_simd/columns.h"

static const cpu_core core = {VECTOR_BYTES, {scan_8, scan_16, scan_32}};

#endif
