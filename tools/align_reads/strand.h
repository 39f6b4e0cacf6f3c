/* The scoring phase on one strand or both, and an estimate of unrelated scores: turned reads are related to nothing. */
#pragma once

#include "tools/align_reads/request.h"

/* Sets all of `aligned` except the columns. `scoring` has everything except the reads. Reads that fit better on the other strand are
   turned in request->data. */
wl_status papara_score_strands(const papara_align_request *request, const papara_score_request *scoring,
                               papara_aligned *aligned);

/* Turns a read in data, letters and codes, into its reverse complement (amino acids: its reverse). */
void papara_turn(papara_data *data, size_t r);
