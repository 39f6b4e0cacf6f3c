/* What the host computes for stages 07 to 09: reads packed into words, and sizes in memory. */
#pragma once

#include "harness/base/linkage.h"
#include "papara/kit/plan.h"

WL_C_BEGIN

enum { PAPARA_PAIRS = 2 * PAPARA_WARP };         // vectors of a group
enum { PAPARA_LETTERS = 8, PAPARA_NUMBERS = 4 }; // letters per word: as sets of four states, as numbers
enum { PAPARA_PACK_BLOCK = 256 };                // threads of a block that packs

/* What is different in each of these stages. */
typedef struct {
    papara_plan plan;
    unsigned columns;  // of a block
    unsigned resident; // warps per multiprocessor
    unsigned warps;    // per thread block, each with a read of its own
    int any_alphabet;  // 1: letters are numbers of papara_view.set; 0: DNA only, and letters are sets
    size_t (*block_bytes)(const papara_input *in); // of `work`, per warp
} papara_pairs_plan;

/* The reads of an input, on the host. */
typedef struct {
    size_t words;
    uint32_t *letters;    // [words]: PAPARA_LETTERS sets or PAPARA_NUMBERS numbers each, the first in the lowest bits
    uint64_t *first_word; // [reads], in the order given
    uint32_t *order;      // [reads]: their numbers, longest read first
    unsigned sets;        // of letters as numbers: how many different sets of states occur
    uint32_t set[PAPARA_CODES]; // and these sets
} papara_packed;

/* numbers: whether letters are numbers of sets. On failure nothing is left to free. */
wl_status papara_pack_reads(const papara_input *in, int numbers, papara_packed *packed);
void papara_packed_free(papara_packed *packed);

/* Sites per group: whole blocks of columns and one more, because the last block reads the site after it. */
size_t papara_padded(size_t sites, size_t columns);
/* Groups x padded sites x 32. */
size_t papara_lanes(const papara_task *task, size_t columns);
/* Blocks of PAPARA_PACK_BLOCK threads that pack so many lanes. */
unsigned papara_pack_blocks(size_t lanes);
/* Thread blocks that are resident, at most as many as there is work for. */
unsigned papara_pairs_blocks(const wl_device *device, const papara_task *task, const papara_pairs_plan *plan);
/* wl_variant's `supports` of a stage with this plan. */
const char *papara_pairs_why_not(const wl_device *device, const papara_input *in, const papara_pairs_plan *plan);

WL_C_END
