/* From stage 07 on, the host cuts a query into bands of rows and spreads each band over the lanes of a warp. Scores are laid out
   so that no two lanes use the same bank of shared memory.

   A group of 8, 16 or 32 lanes holds a band. Lane l has `rows` rows of it and works one step after lane l - 1, from which a
   shuffle brings the last row:

     lane 0   rows 0 .. R-1      column  j      j+1    j+2
     lane 1   rows R .. 2R-1             j-1    j      j+1
     lane 2   rows 2R ..                 j-2    j-1    j

   H and F of a band's last row go to `edge` in global memory, from which the next band's lane 0 loads them. */
#pragma once

#include "harness/base/linkage.h"
#include "sw/plan/pieces.h"

WL_C_BEGIN

enum { SW_PROFILE_CODES = SW_END + 1 };

/* The shape of a kernel: groups of `lanes` lanes, and `rows` rows per lane, an even number. */
typedef struct {
    int lanes, rows;
} sw_shape;

/* The shapes (lanes, rows) that the build has for stages 07 and 08. Each is its own kernel, with unrolled loops and its rows in
   registers. */
// clang-format off
#define SW_SHAPES(X)                                                                                     \
    X(8, 4) X(8, 8) X(8, 12) X(8, 16) X(8, 18) X(8, 20) X(8, 22) X(8, 24) X(8, 26) X(8, 28) X(8, 30) X(8, 32) \
    X(16, 18) X(16, 20) X(16, 22) X(16, 24) X(16, 26) X(16, 28) X(16, 30) X(16, 32)                      \
    X(32, 8) X(32, 12) X(32, 16) X(32, 18) X(32, 20) X(32, 22) X(32, 24) X(32, 26) X(32, 28) X(32, 30) X(32, 32)
// clang-format on
extern const sw_shape sw_shapes[];

/* A stage's 16-bit numbers. */
typedef struct {
    int (*most)(const sw_input *in); // the largest score that they hold
    uint16_t (*as_bits)(int score);  // a score
    uint16_t none;                   // of rows after the query's end and of SW_END, which must never be aligned
} sw_numbers;

/* A kernel's launch. */
typedef struct {
    size_t query;
    int shape;        // index into sw_shapes
    size_t profile;   // where its scores begin, in words of the plan's profile
    int above, below; // is there a band above it, or below?
} sw_band;

/* Two rows' scores make a word, so a lane has W = rows / 2 words for each letter. A lane loads four words at a time, 16 bytes,
   and the 8 lanes that are served together have 128 consecutive bytes. The W % 4 words that are left follow.

     letter 0:  [W / 4][lanes][4 words]  then [lanes][W % 4 words]
     letter 1:  the same, and so on

   Each lane has its own rows, and so its own part. Whatever letters the lanes have, there is no bank conflict. */
size_t sw_profile_word(size_t lanes, size_t W, int code, int lane, int word);
size_t sw_profile_words(const sw_shape *shape);

/* Why stages 07 and 08 cannot run the input on this device, or NULL. */
const char *sw_stream_supports(const wl_device *device, const void *input);
/* All bands of all queries, query by query. For the profile see sw_profile_word. After a failure the plan is freed, too. */
wl_status sw_plan_bands(const wl_device *device, const sw_input *in, const sw_numbers *numbers, sw_scan_plan *plan);

WL_C_END
