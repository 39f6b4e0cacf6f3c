/* BLAST's options, and what programs of that name do without them. */
#ifndef CLI_BLAST_H
#define CLI_BLAST_H

#include "harness/base/given.h"
#include "cli/line.h"

extern const wl_foreign wl_blast_search[], wl_blast_makedb[]; /* up to a zero entry */

/* When this program is called blastp, blastn or makeblastdb, as by a link: the command that does it, and into `words` what precedes the
   line's own words. NULL: it is called otherwise. */
enum { WL_BLAST_WORDS = 4 };
const wl_command *wl_blast_called(const char *program, const char *words[WL_BLAST_WORDS], int *count);

#endif
