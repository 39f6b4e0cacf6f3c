/* The readers of the formats. `bytes` is open at its beginning. */
#pragma once

#include "tools/distances/read/rows.h"

/* Files that are read one after the other, as if they were one; with two, rows->split is how many instances the first has. */
typedef struct {
    wl_bytes *bytes;
    distances_format format;
} distances_source;
wl_status distances_read_letters(distances_rows *rows, const distances_source *sources, size_t count);
wl_status distances_read_table(distances_rows *rows, const distances_source *sources, size_t count);
wl_status distances_read_vcf(distances_rows *rows, wl_bytes *bytes);
/* `path` is where bytes come from. */
wl_status distances_read_bcf(distances_rows *rows, wl_bytes *bytes, const char *path);
wl_status distances_read_plink(distances_rows *rows, const char *path);

/* Letters from elsewhere: `each` gives `take` one sequence after the other, with `context`, and ends with what `take` returned unless that
   is WL_OK. */
typedef wl_status distances_letters_source(void *source, wl_sequence_taker *take, void *context);
wl_status distances_take_letters(distances_rows *rows, distances_letters_source *each, void *source);
