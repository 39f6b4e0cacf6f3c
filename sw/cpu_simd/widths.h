/* The three widths of a core, and its descriptor. */
#pragma once

#ifndef BESTS // the CPU has no two units with different instructions, and 16 registers
#define BESTS 1
#define CUT COLUMNS
#define UNROLL_ROWS
#endif

#define NOINLINE __attribute__((noinline))
#define FETCH_UNROLLED _Pragma("GCC unroll 16")

#define BITS 8
#include "sw/cpu_simd/columns.h"
#define BITS 16
#include "sw/cpu_simd/columns.h"
#define BITS 32
#include "sw/cpu_simd/columns.h"

const cpu_core WL_CORE(cpu_core) = {VECTOR_BYTES, {scan_8, scan_16, scan_32}};
