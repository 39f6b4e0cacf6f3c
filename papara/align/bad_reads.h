/* Reads that cannot be aligned: without letters, with too many, or named as another. Refused, or left out and kept apart. */
#ifndef PAPARA_ALIGN_BAD_READS_H
#define PAPARA_ALIGN_BAD_READS_H

#include "papara/align/data.h"

/* Of data whose sequences, length and start are set: WL_BAD_INPUT names the first bad read of the kind that is looked for first; or,
   as `files` say, all bad reads go to data->left. WL_BAD_INPUT too when none is left. */
wl_status papara_bad_reads(const papara_files *files, papara_data *data);

/* Takes the reads with a reason [data->sequences.count] out of data and appends them to data->left, with best [..]'s scores where it
   is not NULL. Their letters stay in data->codes. */
wl_status papara_leave_out(papara_data *data, const uint8_t *reason, const int *score);

#endif
