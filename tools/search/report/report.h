/* Search results as text: BLAST's pairwise report, its tables and XML, JSON, SAM. Without published statistics bits and E-values are
   NA, and null in JSON. */
#pragma once

#include <stdio.h>

#include "tools/search/align/align.h"
#include "io/database/database.h"
#include "sw/scoring/scoring.h"
#include "tools/search/hits.h"
#include "tools/search/statistics/evalues.h"

/* Commented: tabular, with '#' lines like BLAST's outfmt 7. */
typedef enum { SW_PAIRWISE, SW_TABULAR, SW_COMMENTED, SW_JSON, SW_SAM, SW_XML, SW_TAKEN } sw_format;

typedef struct sw_report sw_report;

typedef struct {
    sw_hit hit;
    int strand;             // -1 where `reverse` was aligned and not `residues`
    sw_alignment alignment; // of the strand's residues
    double rank;            // the lower comes first; 0 where the score alone says so
} sw_aligned;

/* One query and what was found for it, best first: the alignments of a subject stand together, and are one, on the better of the
   strands searched, unless more were asked for.
   A query for which nothing was found is reported, too, with count 0. */
typedef struct {
    const char *name, *comment;
    const char *quality;     // [length], of FASTQ, or NULL
    const uint8_t *residues; // [length] codes
    uint32_t length;
    const uint8_t *reverse; // [length] its reverse complement; NULL when no strand is -1
    sw_space space;
    const sw_statistics *statistics; // the query's; NULL: the report's
    const sw_aligned *hits;          // [count]
    size_t count;
    int aligned; // the hits have alignments: when sw_report_aligns
} sw_found;

/* `text` is a format: "pairwise", "tabular", "commented", "csv", "sam" (nucleotides only), "xml", "json", or BLAST's numbers of the first
   six (0, 6, 7, 10, 17, 5). For a table of chosen columns, it has their names as BLAST's, separated by spaces or commas: "qseqid sseqid
   score bitscore", also "tabular qseqid ...", "7 delim=@ qseqid ...". Unknown: WL_BAD_USAGE naming what is known. Nothing is written
   yet. */
wl_status sw_report_open(const char *text, FILE *stream, const sw_scoring *scoring, const sw_statistics *statistics,
                         const sw_database *database, sw_report **report);
/* The highest E-value, for reports that say it; 10 before. */
void sw_report_set_evalue(sw_report *report, double evalue);
/* A report that writes nothing: `take` gets each query's hits, in the order of the queries. What it gets is valid until it returns.
   aligns: with alignments. */
typedef void sw_found_taker(void *context, const sw_report *report, const sw_found *found);
wl_status sw_report_take(sw_found_taker *take, void *context, int aligns, const sw_scoring *scoring,
                         const sw_statistics *statistics, const sw_database *database, sw_report **report);
/* Whether the format shows anything that takes an alignment. */
int sw_report_aligns(const sw_report *report);
wl_status sw_report_begin(sw_report *report); // WL_NO_MACHINE: no memory
void sw_report_query(sw_report *report, const sw_found *found);
void sw_report_end(sw_report *report);
/* What the format has changed in names, and which of them cannot be told apart, for a note, "names of subjects: 2 cut ..."; "": nothing.
   A database's file is not looked through. Returns `text`. */
enum { SW_RENAMED_TEXT = 512 };
const char *sw_report_renamed(const sw_report *report, const sw_owned_set *queries, char text[SW_RENAMED_TEXT]);
void sw_report_close(sw_report *report);
