/* Genotypes come site by site, all samples of one after another, in two bits each; planes are instance by instance. */
#pragma once

#include "tools/distances/read/rows.h"

/* The two bits of PLINK's .bed: the first sample's are the lowest of a site's first byte. */
enum { DISTANCES_TWO = 0, DISTANCES_UNKNOWN = 1, DISTANCES_ONE = 2, DISTANCES_NONE = 3 }; // of the counted allele

/* Sites that go to the planes together: a cache line of each instance's planes. */
enum { DISTANCES_BLOCK = 64 * DISTANCES_WORDS_ALIGN, DISTANCES_BLOCK_SLACK = 8 };

/* The bytes of a site. */
static inline size_t distances_site_bytes(size_t samples) { return (samples + 3) / 4; }

/* Planes for `count` samples, whose names there are, and `sites`; the planes are all to be written by distances_block. */
wl_status distances_genotype_rows(distances_rows *rows, size_t count, uint64_t sites);

/* Sites first .. first + count - 1 of all samples, count at most DISTANCES_BLOCK and `first` a multiple of it; the block's
   DISTANCES_BLOCK_SLACK bytes after the last site can be read. On all processors. */
void distances_block(distances_data *data, const uint8_t *block /* [count][site bytes] */, uint64_t first,
                     size_t count);
