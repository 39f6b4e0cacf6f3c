/* Long subjects are cut into pieces that overlap, so that a subject of 35,000 residues, or a chromosome, keeps more than one group
   of lanes busy.

     subject  ==============================================
     pieces   --------------------
                            --------------------              each begins `step` letters after the one before it, and goes on
                                          -----------------   `overlap` letters into the next

   The score stays exact, because an alignment with a positive score covers at most `overlap` letters of the subject. Each of the
   query's m residues is aligned with at most one letter and adds at most the best score of its row. Every other letter costs
   at least gap_extend, since gap_open, the cost of a gap's first letter, is never less. So the best alignment lies within one
   piece, and the best score of the pieces is the subject's. */
#pragma once

#include "harness/base/linkage.h"
#include "sw/problem.h"

WL_C_BEGIN

typedef struct {
    uint32_t step, overlap; // in letters. step 0: nothing is cut
} sw_piece_size;

/* A stage's input, cut. A kernel takes the pieces for subjects. */
typedef struct {
    sw_input input;  // its database is the pieces, longest first; if nothing is cut, the stage's own database
    size_t subjects; // of the stage's own database
    void *memory;    // of the database's arrays and of subject_of
    const uint32_t *subject_of; // [pieces]; NULL if nothing is cut
} sw_pieces;

/* Cuts the input, which outlives the pieces. Free with sw_free_pieces, after a failure, too. */
wl_status sw_make_pieces(const sw_input *in, const sw_piece_size *size, sw_pieces *result);
void sw_free_pieces(sw_pieces *pieces);

/* What stages 07 to 09 do, as the host has planned it. The caller frees it with sw_free_plan. */
typedef struct {
    sw_piece_size size;   // how subjects are cut
    uint32_t lanes;       // pieces per group of sw_state
    int most;             // the largest score that the stage's numbers hold
    size_t kernels;       // how many are launched
    void *launches;       // [kernels], in the order in which they run: sw_band, sw_short_launch or sw_track_pair
    size_t profile_words; // of all kernels
    uint32_t *profile;    // [profile_words]: the scores of the queries' rows with each letter
    int edges;            // 16-byte words per word of the pieces, in which rows between bands are kept
    size_t device_bytes;  // device memory of all
} sw_scan_plan;
void sw_free_plan(sw_scan_plan *plan);

WL_C_END
