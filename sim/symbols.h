/* What a kernel's object file declares. cmake/symbol-table.sh writes one table per object file after it is compiled and links the
   table into that object, so the simulated device knows the names in a stripped program too. */
#pragma once

#include "harness/base/linkage.h"

WL_C_BEGIN

typedef struct {
    const char *name;    // mangled
    const void *address; // of a function or a __device__ variable; NULL for a __shared__ variable,
    void *(*here)(void); // which each host thread has elsewhere: this returns the calling thread's
    unsigned long size;  // in bytes; 0 for a function
    int known_to_all;    // other object files mean the same by this name: a template's or an inline function's
} wl_sim_symbol;

/* Called by each table's constructor. The table is kept, not copied. */
void wl_sim_add_symbols(const wl_sim_symbol *table, unsigned long count);

WL_C_END
