/* What this machine and this program are: facts for result headers and for `warpladder machine`. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* One fact a call: key and value in words. GPU facts come once for each GPU there is. */
typedef void wl_fact(void *context, const char *key, const char *value);
/* cpu, cores, threads, instruction_set, memory, system, gpu, driver, cuda_runtime, gpu_clock ... */
void wl_machine_facts(wl_fact *tell, void *context);
/* program, commit, compiler, flags. */
void wl_build_facts(wl_fact *tell, void *context);
