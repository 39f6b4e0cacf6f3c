/* The files that a chain writes: a log for Tracer and trees for TreeAnnotator. */
#pragma once

#include "harness/base/outfile.h"
#include "tools/likelihood/chain/chain.h"

/* How far the two files had come when a chain was saved. */
typedef struct {
    uint64_t bytes[2], hash[2]; // of the log and of the trees
} peeling_trace_mark;

typedef struct {
    wl_outfile log;     // tab-separated: state, posterior, likelihood, prior, tree length, parameters
    wl_outfile trees;   // NEXUS; unrooted, written with a root in the middle of the first tip's branch
    uint64_t every;     // steps between two lines
    const char **names; // [tips], the caller's
    uint32_t tips;
    int grows;               // the files have their names, and what is in them is written at least once a second
    double shown;            // when it last was: wl_now()
    peeling_trace_mark mark; // of what peeling_trace_sync has brought to the disk
} peeling_trace;

/* FOLDER/NAME.log and FOLDER/NAME.trees: whole or absent, as of wl_outfile. names [tips] outlive the trace; NULL:
   "taxon1" .. */
wl_status peeling_trace_open(const char *folder, const char *name, const char **names, uint32_t tips, uint64_t every,
                             const peeling_settings *settings, peeling_trace *trace);
/* The same files under their names from the beginning, growing line by line. Opens and locks them, and changes nothing that is in
   them; peeling_trace_start does. `from`: where a saved chain's files go on; NULL: they begin. WL_BAD_USAGE: another process writes to them;
   or, without `from` and `replaces`, there is something in them. WL_BAD_INPUT: they do not begin with what they had in them at `from`. */
wl_status peeling_trace_grow(const char *folder, const char *name, uint32_t tips, uint64_t every, int replaces,
                             const peeling_trace_mark *from, peeling_trace *trace);
/* Cuts the files to where `from` said that they go on, or else to nothing. */
wl_status peeling_trace_cut(peeling_trace *trace);
/* What stands before the first sample. names as of peeling_trace_open. */
void peeling_trace_start(peeling_trace *trace, const char **names, const peeling_settings *settings);
/* What was written is on the disk; trace->mark says how far the files then are. */
wl_status peeling_trace_sync(peeling_trace *trace);
/* To be called before the first step and after each one: writes what is due. */
wl_status peeling_trace_note(peeling_trace *trace, const peeling_chain *chain);
wl_status peeling_trace_close(peeling_trace *trace);
/* Without files. Safe on a zeroed trace and after peeling_trace_close. */
void peeling_trace_discard(peeling_trace *trace);
