/* Aligns reads in parts. Each part is a block of reads, with all edges; tree and reference are never split. */
#pragma once

#include "io/part.h"
#include "tools/align_reads/align.h"

/* A hash of the tree, its alignment and all reads, also those that are left out. WL_NO_MACHINE: no memory. */
wl_status papara_data_hash(const papara_data *data, uint64_t *hash);

/* Aligns the range's parts and writes the result of each of their reads. The data stays as it is, but for the ancestors, which stay for
   the next call. */
wl_status papara_align_parts(const papara_align_request *request, const wl_part_range *range,
                             papara_score_summary *summary, size_t *reads);
/* The result of papara_align, from all parts. On success free with papara_aligned_free. */
wl_status papara_align_merge(papara_data *data, const wl_part_set *set, papara_aligned *aligned);
