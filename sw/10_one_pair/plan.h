/* How 10_one_pair lays an input out, what that costs, and which inputs it is for.

   Either the queries or the subjects are the rows, whichever takes less time. The rows of a sequence are cut into bands of 32 lanes
   with `height` rows each. A warp computes one band of one pair:

     band 0   ================>             A band's warp works after the band above has finished the same columns. Lane l works
     band 1       ================>         one column after lane l - 1, so a band is about one_lag columns behind the one above.
     band 2           ================>  */
#ifndef SW_10_ONE_PAIR_PLAN_H
#define SW_10_ONE_PAIR_PLAN_H

#include "sw/kit/stream.h"

/* A sequence whose letters are rows, or columns. Rows come longest first. */
typedef struct {
    uint64_t word;   // where its letters begin on the device, four per word
    uint64_t before; // how many bands (rows) or words (columns) the sequences before it have
    uint32_t length, number;
} one_sequence;

enum { ONE_HEIGHTS = 3 };
static const int one_heights[ONE_HEIGHTS] = {4, 8, 16};

/* How fast the kernels are on an H100, in clock cycles. A step is a column of a band. */
typedef struct {
    double alone;  // a step of a warp that has its scheduler to itself
    double shared; // a scheduler's time for a step, if several warps share it
} one_pace;
static const one_pace one_paces[ONE_HEIGHTS] = {{179, 165}, {200, 244}, {350, 232}};
static const double one_lag = 40; // steps from a band to the next: 31 for the lanes, the others for global memory
static const double one_launch = 2e4;

typedef struct {
    int rows_are_queries, height; // an index into one_heights
    double cycles;
} one_plan;

static inline size_t one_band_rows(int height) { return (size_t)SW_WARP * one_heights[height]; }

/* The least time, in clock cycles, of all columns with all rows: the schedulers' time for all bands, or the time until the last band
   of the largest pair has followed all others. */
static inline double one_cycles(const wl_device *device, const sw_set *rows, const sw_set *columns, int height) {
    enum { SCHEDULERS = 4 };
    const double band = (double)one_band_rows(height), count = (double)rows->count;
    const double bands = (double)rows->letters / band + count / 2, most = (double)rows->longest / band + 1;
    const double steps = (double)columns->letters + SW_WARP * (double)columns->count;
    const double all = bands * steps * one_paces[height].shared / (SCHEDULERS * device->multiprocessors);
    const double last = ((double)columns->longest + most * one_lag) * one_paces[height].alone;
    return one_launch + (all > last ? all : last);
}

static inline one_plan one_choose(const wl_device *device, const sw_input *in) {
    one_plan best = {1, 0, 0};
    for (int k = 0; k < 2 * ONE_HEIGHTS; k++) {
        const int by_query = k < ONE_HEIGHTS, height = k % ONE_HEIGHTS;
        const sw_set *rows = by_query ? &in->queries : &in->database,
                     *columns = by_query ? &in->database : &in->queries;
        const double cycles = one_cycles(device, rows, columns, height);
        if (k == 0 || cycles < best.cycles) best = (one_plan){by_query, height, cycles};
    }
    return best;
}

/* --- Which subjects it is for ------------------------------------------------------------------------------------------------- */

/* A second stage must save a fifth of the time, and what the host needs for it: a block is prepared and collected twice. */
static const double one_gain = 0.8, one_second_stage = 4e6;

/* The stages before take no less for what is left, however many of the first `most` subjects they are spared. */
static inline double one_bound(const wl_device *device, const sw_input *in, size_t most) {
    const sw_set first = sw_set_part(&in->database, 0, in->database.count < most ? in->database.count : most);
    const sw_set rest = {.letters = in->database.letters - first.letters};
    const sw_cut cut =
        sw_choose_bands(&sw_pace_two_subjects, sw_shapes, SW_SHAPE_COUNT, &rest, device->multiprocessors);
    return sw_cut_cost(&cut, &in->queries);
}

/* The subjects that it takes if the stages before have the others, longest first, so that all together take the least time. */
static size_t one_share(const wl_device *device, const void *input) {
    enum { MOST = 4096 };
    const sw_input *in = (const sw_input *)input;
    const sw_pace *pace = &sw_pace_two_subjects;
    const size_t count = in->database.count;
    size_t best = 0;
    double least = 0;
    if (count == 0 || in->queries.count == 0) return 0;
    for (size_t k = 0; k <= count && k <= MOST; k = k == 0 ? 1 : 2 * k < count || k == count ? 2 * k : count) {
        sw_input first = *in, rest = *in;
        first.database = sw_set_part(&in->database, 0, k);
        rest.database = sw_set_part(&in->database, k, count - k);
        double cycles = k > 0 ? one_choose(device, &first).cycles : 0;
        if (k < count) {
            const sw_outline outline = sw_outline_of(pace, &rest, device->multiprocessors, SW_BANDED_LANES);
            const sw_cut cut =
                sw_choose_bands(pace, sw_shapes, SW_SHAPE_COUNT, &outline.database, device->multiprocessors);
            cycles += sw_cut_cost(&cut, &in->queries) + (k > 0 ? one_second_stage : 0);
        }
        if (k == 0) {
            least = one_gain * cycles;
            if (one_bound(device, in, MOST) >= least) return 0; // before it looks at all lengths, again and again
        } else if (cycles < least) {
            least = cycles, best = k;
        }
    }
    return best;
}

static int one_faster(const wl_device *device, const void *input) {
    return one_share(device, input) == ((const sw_input *)input)->database.count;
}

#endif
