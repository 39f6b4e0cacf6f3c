/* What several machines are: their facts, as wl_results_facts has them, joined for one header. */
#ifndef HARNESS_BENCH_FACTS_H
#define HARNESS_BENCH_FACTS_H

#include <stddef.h>

#include "harness/base/error.h"

/* facts [count]: "key\tvalue\n" lines; names [count], for errors, say where each is from; count > 0. *joined has the keys of the
   first, in its order: the earliest date; each different value of memory and system, with "; " between; and of every other key the
   value that all have in common. WL_BAD_INPUT: such a value differs, or one has more or fewer lines than the first. WL_NO_MACHINE: no
   memory. The caller frees *joined, after a failure too. */
wl_status wl_facts_join(const char *const *facts, const char *const *names, size_t count, char **joined);

#endif
