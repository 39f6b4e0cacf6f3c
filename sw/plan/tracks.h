/* Which two queries share a band (stage 09). Queries go on two tracks, one per half of a register, and a kernel takes the next rows of
   both:

     track 0   [ query 3              ][ query 0       ][ query 5, its last rows ]
     track 1   [ query 5, its first rows ][ query 1    ][ query 2  ][ query 4    ]
     kernels   [        ][             ]...

   A kernel has the rows that are left of the query that ends first, in the cheapest bands for so many rows. The other query
   continues in the next kernel. H and F of a kernel's last row go to the edge, in words that have both tracks. There are two
   ways to fill the tracks, and the host takes the cheaper one. Either each query is whole and goes, longest first, on the
   shorter track. Or one track is filled after the other, and the query in the middle is cut so that both are equally long. */
#pragma once

#include "harness/base/linkage.h"
#include "sw/plan/bands.h"

WL_C_BEGIN

/* The shapes that the build has kernels for. The number of rows is a multiple of four, because a lane loads four scores at a time. */
// clang-format off
#define SW_TRACK_SHAPES(X)                                                                                   \
    X(1, 4) X(1, 8) X(1, 12) X(1, 16) X(1, 20) X(1, 24) X(1, 28) X(1, 32)                                      \
    X(8, 4) X(8, 8) X(8, 12) X(8, 16) X(8, 20) X(8, 24) X(8, 28) X(8, 32) X(8, 36) X(8, 40) X(8, 44) \
    X(16, 28) X(16, 32) X(16, 36) X(16, 40) X(16, 44)                                                \
    X(32, 8) X(32, 12) X(32, 16) X(32, 20) X(32, 24) X(32, 28) X(32, 32) X(32, 36) X(32, 40) X(32, 44)
// clang-format on
extern const sw_shape sw_track_shapes[];

/* Eight lanes load from shared memory together. If a lane has all rows, each of the eight has its own copy of the profile, in
   its own banks. */
enum { SW_TRACKS = 2, SW_PROFILE_LANES = 8 };

/* A track's rows in a kernel: `rows` rows of `query` from `row` on, or 0 if it has none. above: H and F of the row above come
   from the edge. below: other rows of the query follow. */
typedef struct {
    size_t query, row, rows;
    int above, below;
} sw_track_band;

/* A kernel's launch. */
typedef struct {
    int shape; // index into sw_track_shapes
    /* Where its scores begin, in words of the plan's profile: [SW_PROFILE_CODES][rows][lanes],
       two queries' scores each */
    size_t profile;
    sw_track_band half[SW_TRACKS];
    int takes_up; // track 0 begins with the cut query's last rows; the row above them is in the edge that was kept
    int leaves;   // track 1 ends the cut query's first rows, and its edge is kept
} sw_track_pair;

/* Words of a kernel's profile: one for each letter and row of each lane. */
size_t sw_track_profile_words(const sw_shape *shape);

/* As sw_stream_supports and sw_plan_bands; of the plan's edges, the second is the one that is kept. */
const char *sw_tracks_supports(const wl_device *device, const void *input);
wl_status sw_plan_tracks(const wl_device *device, const sw_input *in, const sw_numbers *numbers, sw_scan_plan *plan);
/* Does stage 09 take less time than the stages before it? */
int sw_tracks_faster(const wl_device *device, const void *input);

WL_C_END
