/* The two widths of a core, and its descriptor `core`. */
#ifndef PAPARA_CPU_SIMD_WIDTHS_H
#define PAPARA_CPU_SIMD_WIDTHS_H

#include <string.h>

#include "papara/cpu_simd/core.h"

#define BITS 16
#include "papara/cpu_simd/columns.h"
#define BITS 32
#include "papara/cpu_simd/columns.h"

static const cpu_core core = {VECTOR_BYTES, COLUMNS, {scan_16, scan_32}};

#endif
