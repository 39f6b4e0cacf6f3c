/* The two widths of a core, and its descriptor `core`. */
#ifndef PAPARA_CPU_SIMD_WIDTHS_H
#define PAPARA_CPU_SIMD_WIDTHS_H

#include <string.h>

#include "papara/cpu_simd/core.h"

/* Where all units that know a minimum are equally busy. */
#ifndef TOO
#define TOO 1
#define min_too_16 min_16
#define min_too_32 min_32
#endif

#define BITS 16
#include "papara/cpu_simd/columns.h"
#define BITS 32
#include "papara/cpu_simd/columns.h"

static const cpu_core core = {VECTOR_BYTES, {scan_16, scan_32}};

#endif
