/* Reads placed on a reference tree and aligned to its alignment: the scoring phase, then the alignment phase. */
#pragma once

#include "tools/align_reads/request.h"

/* On success free with papara_aligned_free. An alignment that does not cost what the scoring phase found:
   WL_CHECK_FAILED, with the read's name. Devices, threads and memory do not change the result. */
wl_status papara_align(const papara_align_request *request, papara_aligned *aligned);
void papara_aligned_free(papara_aligned *aligned);
/* Moves reads with a score per letter above `most` from both to data->left, on the file's strand. */
wl_status papara_aligned_limit(papara_data *data, papara_aligned *aligned, double most);

/* The alignment phase alone, for reads that have been scored. */
typedef struct {
    const papara_score_request *scored;
    const papara_best *best;       // [reads]
    const wl_sequences *sequences; // [reads]: their names, for messages; NULL: by number
    int threads;                   // 0: all
    void (*progress)(void *user, const char *phase, double done, double seconds); // as above
    void *user;
} papara_alignment;

/* column: [letters] as in papara_aligned, or NULL. WL_CHECK_FAILED as papara_align. */
wl_status papara_align_scored(const papara_alignment *request, int32_t *column);
