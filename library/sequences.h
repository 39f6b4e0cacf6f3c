/* Sequences that a caller gives, as the readers of files give them. */
#pragma once

#include "io/alignment.h"
#include "io/fasta.h"
#include "library/warpladder.h"

/* Copies of given [count]; `what` is what error lines call them, with a sequence's number in place of its line.
   WL_BAD_INPUT: none, one without letters, a byte that no sequence has, a name that is empty or has control
   characters. WL_BAD_USAGE: NULL. On success free with wl_sequences_free. */
wl_status library_sequences(const char *what, const warpladder_sequence *given, size_t count, wl_sequences *sequences);
/* The same as an alignment: all of one length, and names that differ. On success free with wl_alignment_free. */
wl_status library_alignment(const char *what, const warpladder_sequence *given, size_t count, wl_alignment *alignment);
