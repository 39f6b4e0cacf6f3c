/* cpu_simd: a tile of the matrix on every core of the CPU, 512 sites at a time.

   Idea: XOR the planes of two instances, OR them, AND what is present in both, and count the ones. Then count what is present in
   both. This takes eight instructions for 512 sites of nucleotides, and four if nothing is missing (allpairs/planes/).
   Changed: since the serial code, 3 bits per site instead of 8; squares of 4 x 4 pairs share loads; blocks of sites stay in the
   caches; half of a symmetric matrix is computed, on all cores.
   Expected: a core with AVX-512 starts two vector instructions per cycle: 128 comparisons, or 256 if nothing is missing.
   Measured: README.md, 0.83 of the rate of logic with AVX-512.
   See: warpladder run distances/cpu_simd --rows 2000 --sites 30000 */
#include <string.h>

#include "distances/problem.h"
#include "harness/base/error.h"
#include "allpairs/planes/planes.h"

static wl_planes_shape shape_of(const wl_device *device, const distances_input *in) {
    return (wl_planes_shape){.rows = in->rows.count,
                             .columns = in->columns.count,
                             .sites = in->sites,
                             .planes = in->planes,
                             .steps = in->sum == DISTANCES_STEPS,
                             .complete = in->complete != 0,
                             .distance_only = in->distance_only != 0,
                             .symmetric = in->symmetric != 0,
                             .threads = device->multiprocessors};
}

static const char *supports(const wl_device *device, const void *input) {
    const distances_input *in = input;
    if (in->planes < 1 || in->planes > DISTANCES_PLANES_MOST) return "values have 1 to 7 planes";
    const wl_planes_shape shape = shape_of(device, in);
    return wl_planes_unsupported(&shape, device->memory_free);
}

/* Copies planes word by word, so that four instances lie side by side. */
static void copy(const wl_planes *p, const void *source, int side, size_t instance, size_t word, size_t words,
                 unsigned char *to) {
    (void)p;
    enum { BYTES = WL_PLANES_WORD_BYTES };
    const distances_input *in = source;
    const int kept = in->planes + !in->complete;
    const size_t plane_bytes = in->words * sizeof(uint64_t);
    const unsigned char *from = (const unsigned char *)(side ? in->columns : in->rows).bits +
                                instance * (size_t)(in->planes + 1) * plane_bytes + word * BYTES;
    for (size_t k = 0; k < words; k++, from += BYTES, to += WL_PLANES_PANEL * kept * BYTES)
        for (int plane = 0; plane < kept; plane++) memcpy(to + plane * BYTES, from + plane * plane_bytes, BYTES);
}

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    const distances_input *in = input;
    const char *why = supports(device, input);
    if (why != NULL) return wl_fail(WL_NO_MACHINE, "distances/cpu_simd: %s", why);
    const wl_planes_shape shape = shape_of(device, in);
    *state = wl_planes_new(&shape, copy, in);
    if (*state == NULL)
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu x %zu distances of %.0f sites", in->rows.count,
                       in->columns.count, (double)in->sites);
    return WL_OK;
}

static wl_status launch(void *state) {
    wl_planes_count(state);
    return WL_OK;
}

static wl_status collect(void *state, void *output, int poison) {
    (void)poison;
    wl_planes_collect(state, output);
    return WL_OK;
}

static void release(void *state) { wl_planes_free(state); }

static void cost(const wl_device *device, const void *input, wl_cost *cost) {
    const wl_planes_shape shape = shape_of(device, input);
    wl_planes_cost(&shape, &cost->bytes, &cost->operations);
    cost->rate = WL_RATE_LOGIC512;
}

WL_VARIANT(.idea = "bit planes: 512 sites a word, missing values masked, every core", .source = "Warpladder",
           .supports = supports, .prepare = prepare, .launch = launch, .collect = collect, .release = release,
           .cost = cost, .instruction_set = wl_planes_instruction_set)
