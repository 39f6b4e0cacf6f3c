/* What the planners of stages 07 to 10 share: how to cut subjects, and how to cut queries into bands so that all together cost least.
   Costs are clock cycles of a device's schedulers, by the paces that were measured. */
#pragma once

#include "sw/plan/short.h"

/* --- Subjects ---------------------------------------------------------------------------------------------------- */

/* How to cut if a device computes `at_a_time` subjects at a time. A piece is at most half of each one's share of the letters, but
   at least four times the overlap. */
sw_piece_size sw_choose_pieces(const sw_input *in, size_t at_a_time);
/* Count, letters and longest of the pieces, without making them, as a set without residues; *words: of all pieces, four letters
   each. That suffices to compute a stage's memory. */
sw_set sw_measure_pieces(const sw_piece_size *size, const sw_set *database, uint64_t *words);
/* As sw_upload_bytes, of `count` pieces with as many letters as database->letters and `words` words in `groups` groups. */
size_t sw_upload_bytes_of(const sw_input *in, const sw_set *database, uint64_t words, size_t groups);

/* --- Queries ----------------------------------------------------------------------------------------------------- */

/* How fast a stage's kernels are, measured on an H200. `subjects`: how many a group computes at a time. `clocks`: a scheduler's
   clock cycles for a row of a warp. `column`: what a column costs a lane besides its rows, in rows (shuffles, letters, addresses
   and the loop). `launch`: the clock cycles that each kernel costs besides. */
typedef struct {
    int subjects;
    double clocks, column, launch;
} sw_pace;
extern const sw_pace sw_pace_two_subjects, sw_pace_two_queries; // of stages 07 and 08, and of stage 09

/* The subjects that a device computes at a time with groups of `lanes` lanes. */
size_t sw_at_a_time(const sw_pace *pace, int multiprocessors, int lanes);

size_t sw_shape_rows(const sw_shape *shape);
/* What a band costs a scan. It reads only `letters` and `longest` of the database. */
double sw_shape_cost(const sw_pace *pace, const sw_shape *shape, const sw_set *database, int multiprocessors);

/* How to cut any query: into bands of the largest shape until SW_CUT_ROWS rows are left, and these in the cheapest way.
   The rows of all shapes are multiples of SW_CUT_UNIT. */
enum { SW_CUT_ROWS = 4096, SW_CUT_UNIT = 4, SW_SHAPES_MOST = 40 };
typedef struct {
    const sw_shape *shapes;
    int largest;
    int take[SW_CUT_ROWS / SW_CUT_UNIT + 1];    // [units]: the first band's shape, if so many rows are left
    double cost[SW_CUT_ROWS / SW_CUT_UNIT + 1]; // [units]: what all their bands cost
    double shape_cost[SW_SHAPES_MOST];          // [shapes]
} sw_cut;

sw_cut sw_choose_bands(const sw_pace *pace, const sw_shape *shapes, int shape_count, const sw_set *database,
                       int multiprocessors);
/* The same of stages 07 and 08. */
sw_cut sw_choose_stream_bands(const sw_set *database, int multiprocessors);
/* The first band's shape, if `rows` rows are left. */
int sw_cut_first(const sw_cut *cut, size_t rows);
/* What all bands of all queries cost. */
double sw_cut_cost(const sw_cut *cut, const sw_set *queries);
/* What all kernels of short queries cost. */
double sw_short_cost(const sw_short_form *form, const sw_input *in, int multiprocessors);

/* --- Memory ------------------------------------------------------------------------------------------------------ */

/* The sizes of a scan, known before anything is allocated. */
typedef struct {
    sw_piece_size size;
    sw_set database; // its pieces, without their residues
    uint64_t words;  // of the pieces, and so elements of `edge`
} sw_outline;

enum { SW_BANDED_LANES = 16 }; // lanes of most groups

/* The outline if most groups have `lanes` lanes. */
sw_outline sw_outline_of(const sw_pace *pace, const sw_input *in, int multiprocessors, int lanes);

/* Device memory, in bytes, of a state with `profile` words of profiles, `kernels` kernels and `edges` edges, with one block's
   recomputation and with what allocations lose at their ends. */
size_t sw_banded_bytes(const sw_input *in, const sw_outline *outline, size_t profile, size_t kernels, int edges);

#define SW_BANDED_TOO_LARGE "the sequences, scores, profiles and edges of bands do not fit into device memory"
/* Why no device can take the input, or NULL. */
const char *sw_refuse_banded(const sw_input *in, const sw_outline *outline);
