/* The scoring phase on one strand or both, and what a score is worth: reads turned around are related to nothing. */
#ifndef PAPARA_ALIGN_STRAND_H
#define PAPARA_ALIGN_STRAND_H

#include "papara/align/align.h"

/* Sets aligned->best, ->turned and ->chance, all but its columns. `scoring` has everything but the reads. Reads that fit their other
   strand better are turned in request->data. */
wl_status papara_score_strands(const papara_align_request *request, const papara_score_request *scoring,
                               papara_aligned *aligned);

/* The reverse complement of a read in data, letters and codes; of amino acids, the reverse. */
void papara_turn(papara_data *data, size_t r);

#endif
