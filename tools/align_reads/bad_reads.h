/* Reads that cannot be aligned: without letters, with too many, or with a name that is taken. They are refused, or left out. Reads of
   nothing but N fit everywhere, which is no placement, and programs that place reads refuse them. They are left out. */
#pragma once

#include "tools/align_reads/data.h"

/* Needs data with sequences, length and start. WL_BAD_INPUT names the first bad read, or, if files->skip_bad_reads is set, all bad
   reads go to data->left. WL_BAD_INPUT also if no read remains. */
wl_status papara_bad_reads(const papara_files *files, papara_data *data);

/* Two reads with one name become name/1 and name/2. */
wl_status papara_name_pairs(const papara_files *files, papara_data *data);

/* Moves the reads that have a reason [data->sequences.count] from data to data->left, with their scores if `score` is not NULL.
   Their letters stay in data->codes. */
wl_status papara_leave_out(papara_data *data, const uint8_t *reason, const int *score);
