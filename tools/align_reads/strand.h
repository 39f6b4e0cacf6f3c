/* The scoring phase on one strand or both, and an estimate of unrelated scores: turned reads are related to nothing. */
#ifndef TOOLS_ALIGN_READS_STRAND_H
#define TOOLS_ALIGN_READS_STRAND_H

#include "tools/align_reads/align.h"

/* The reads to place: first .. end - 1. */
void papara_align_range(const papara_align_request *request, size_t *first, size_t *end);
/* The same as a view. */
papara_reads papara_align_reads(const papara_align_request *request);

/* A read is out of line if its score per letter is above this share of an unrelated read's. Related reads are far below, reverse
   complements above. */
#define PAPARA_OUT_OF_LINE 0.75
int papara_out_of_line(const papara_data *data, const papara_aligned *aligned, size_t r);

/* Sets all of `aligned` except the columns. `scoring` has everything except the reads. Reads that fit better on the other strand are
   turned in request->data. */
wl_status papara_score_strands(const papara_align_request *request, const papara_score_request *scoring,
                               papara_aligned *aligned);

/* Turns a read in data, letters and codes, into its reverse complement (amino acids: its reverse). */
void papara_turn(papara_data *data, size_t r);

#endif
