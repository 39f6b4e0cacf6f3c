/* How stage 10 lays an input out, what that costs, and which inputs it is for.

   Either the queries or the subjects are the rows, whichever takes less time. The rows of a sequence are cut into bands of 32 lanes
   with `height` rows each. A warp computes one band of one pair:

     band 0   ================>             A band's warp works after the band above has finished the same columns. Lane l works
     band 1       ================>         one column after lane l - 1, so a band is about 40 columns behind the one above.
     band 2           ================>  */
#pragma once

#include "harness/base/linkage.h"
#include "sw/plan/layout.h"

WL_C_BEGIN

/* A sequence whose letters are rows, or columns. Rows come longest first. */
typedef struct {
    uint64_t word;   // where its letters begin on the device, four per word
    uint64_t before; // how many bands (rows) or words (columns) the sequences before it have
    uint32_t length, number;
} sw_one_sequence;

enum { SW_ONE_HEIGHTS = 3 };     // 4, 8 and 16 rows
enum { SW_ONE_EDGE_BYTES = 32 }; // of four columns of the row between two bands

typedef struct {
    int rows_are_queries, height;    // an index
    sw_one_sequence *rows, *columns; // [row_count + 1], [column_count + 1]
    size_t row_count, column_count;
    size_t several;    // rows' sequences with several bands, which come first
    size_t edge_words; // of edges, for the pairs of a launch whose rows are several bands; as many as fit
    int8_t scores[SW_CODES][SW_CODES]; // [a column's code][a row's]
} sw_one_plan;

size_t sw_one_band_rows(int height);

/* See wl_variant. share: the subjects that it takes if the stages before have the others, longest first, so that all together take the
   least time. */
const char *sw_one_supports(const wl_device *device, const void *input);
int sw_one_faster(const wl_device *device, const void *input);
size_t sw_one_share(const wl_device *device, const void *input);

/* first_word: of each subject on the device. The caller frees the plan with sw_one_free, after a failure, too. */
wl_status sw_one_make(const wl_device *device, const sw_input *in, const uint64_t *first_word, sw_one_plan *plan);
void sw_one_free(sw_one_plan *plan);

WL_C_END
