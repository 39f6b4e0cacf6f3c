/* Memory for instances. */
#ifndef DISTANCES_STORAGE_H
#define DISTANCES_STORAGE_H

#include "distances/data.h"

/* `data` has its kind, count, sites, planes and sum, all else zero: gets its words, bits (not yet written, 64-byte aligned) and
   names (NULL each). WL_NO_MACHINE where it does not fit into memory; the line begins with `who`, and `data` is empty. */
wl_status distances_data_allocate(const char *who, distances_data *data);

#endif
