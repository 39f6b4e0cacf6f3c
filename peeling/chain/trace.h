/* What a chain leaves behind: a log for Tracer and trees for TreeAnnotator. */
#ifndef PEELING_CHAIN_TRACE_H
#define PEELING_CHAIN_TRACE_H

#include "harness/base/outfile.h"
#include "peeling/chain/chain.h"

typedef struct {
    wl_outfile log;     // tab-separated: state, posterior, likelihood, prior, tree length, parameters
    wl_outfile trees;   // NEXUS; unrooted, written with a root in the middle of the first tip's branch
    uint64_t every;     // steps between two lines
    const char **names; // [tips], the caller's
    uint32_t tips;
    int grows;    // the files have their names, and what is in them is written at least once a second
    double shown; // when it last was: wl_now()
} peeling_trace;

/* FOLDER/NAME.log and FOLDER/NAME.trees: whole or absent, as of wl_outfile. names [tips] outlive the trace; NULL:
   "taxon1" .. */
wl_status peeling_trace_open(const char *folder, const char *name, const char **names, uint32_t tips, uint64_t every,
                             const peeling_settings *settings, peeling_trace *trace);
/* The same files under their names from the beginning, growing line by line. `replaces`: those that are there; else they are refused
   with WL_BAD_USAGE. from [2]: the lengths that the log and the trees had when a chain was saved, at which they go on; NULL: from
   nothing. */
wl_status peeling_trace_grow(const char *folder, const char *name, const char **names, uint32_t tips, uint64_t every,
                             const peeling_settings *settings, int replaces, const uint64_t *from,
                             peeling_trace *trace);
/* What was written is on the disk; how long the files then are. */
wl_status peeling_trace_sync(peeling_trace *trace, uint64_t bytes[2]);
/* To be called before the first step and after each one: writes what is due. */
wl_status peeling_trace_note(peeling_trace *trace, const peeling_chain *chain);
wl_status peeling_trace_close(peeling_trace *trace);
/* Without files. Safe on a zeroed trace and after peeling_trace_close. */
void peeling_trace_discard(peeling_trace *trace);

#endif
