/* Which sources a process measured: result files name a hash of them, so that a number that is older than its kernel can be told. */
#pragma once

/* From now on, this process's result files name the variant. One from outside the tree has no hash and is left out. */
void wl_sources_note(const char *problem, const char *variant);
/* "sw/05_two_in_one 3f9c01b2d4e5a678, ...": all that were noted (cmake/sources.sh makes the hashes). NULL: none. The caller frees it. */
char *wl_sources_noted(void);
