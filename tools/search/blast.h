/* BLAST's options, as ours. */
#pragma once

#include "harness/base/argfile.h"

/* Of its searches and of makeblastdb, up to a zero entry. */
extern const wl_foreign wl_blast_search[], wl_blast_makedb[];
