/* Reads aligned in parts: a block of reads each, against all edges. Neither the tree nor the reference is ever split. */
#ifndef PAPARA_ALIGN_PART_H
#define PAPARA_ALIGN_PART_H

#include "io/part.h"
#include "papara/align/align.h"

/* Of the tree, its alignment and the reads, those that are left out too. WL_NO_MACHINE: no memory. */
wl_status papara_data_hash(const papara_data *data, uint64_t *hash);

/* Align part `part` (from 0) of `parts`, and put what is known of each of its reads. The data stay as they are. */
wl_status papara_align_part(const papara_align_request *request, size_t part, size_t parts, wl_part_writer *writer,
                            papara_score_summary *summary, size_t *reads);
/* What papara_align makes, from all parts. On success free with papara_aligned_free. */
wl_status papara_align_merge(papara_data *data, const wl_part_set *set, papara_aligned *aligned);
#endif
