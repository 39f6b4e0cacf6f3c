/* BLAST's options, and what programs of that name do without them. */
#pragma once

#include "harness/base/argfile.h"
#include "cli/line.h"

extern const wl_foreign wl_blast_search[], wl_blast_makedb[]; /* up to a zero entry */

/* The programs of that name, up to a zero entry. */
extern const wl_alias wl_blast_searches[], wl_blast_makers[];
