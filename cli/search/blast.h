/* What programs with BLAST's names do without options. */
#pragma once

#include "cli/args.h"
#include "tools/search/blast.h"

/* The programs of that name, up to a zero entry. */
extern const wl_alias wl_blast_searches[], wl_blast_makers[];
