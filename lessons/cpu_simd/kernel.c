/* cpu_simd: all pairs on every core of the CPU, 512 attributes at a time.

   Idea: a value of an alphabet of A letters has P = ceil(log2 A) bits. Plane p is a word with bit p of 512 attributes. Two
   instances differ where the OR of the planes' XORs has a one: count the ones. allpairs/planes/ does this.
   Changed, compared with the serial code: 2 bits per attribute instead of 32; 512 comparisons in 4 instructions; blocks
   that stay in the caches; all cores. Registers hold 4 x 4 distances at a time, which share loads. The distance is
   symmetric, so half the work and a mirrored store suffice.
   Expected: with AVX-512, two vector instructions start per cycle. So 2 planes allow 256 comparisons per cycle and core,
   and that, not memory, is the limit.
   Measured: near that limit, see limit_fraction in results/lessons_2048x16384_2core_avx512.tsv.
   See: ./run run lessons/cpu_simd --instances 2048 --attributes 16384 */
#include "harness/base/error.h"
#include "allpairs/planes/planes.h"
#include "lessons/problem.h"

static int planes_of(int alphabet) {
    int planes = 1;
    while (1 << planes < alphabet) planes++;
    return planes;
}

static wl_planes_shape shape_of(const wl_device *device, const lessons_input *in) {
    return (wl_planes_shape){.rows = in->instances,
                             .columns = in->instances,
                             .sites = in->attributes,
                             .planes = planes_of(in->alphabet),
                             .complete = 1,
                             .distance_only = 1,
                             .symmetric = 1,
                             .threads = device->multiprocessors};
}

static const char *supports(const wl_device *device, const void *input) {
    const lessons_input *in = input;
    if (in->alphabet < 1 || in->alphabet > 1 << WL_PLANES_MOST) return "an alphabet has 1 to 256 letters";
    const wl_planes_shape shape = shape_of(device, in);
    return wl_planes_unsupported(&shape, device->memory_free);
}

static void pack(const wl_planes *p, const void *source, int side, size_t instance, size_t word, size_t words,
                 unsigned char *to) {
    (void)side;
    const lessons_input *in = source;
    const size_t first = word * WL_PLANES_WORD_SITES, left = in->attributes - first;
    const size_t count = left < words * WL_PLANES_WORD_SITES ? left : words * WL_PLANES_WORD_SITES;
    wl_planes_pack(p, in->data + instance * in->attributes + first, count, words, to);
}

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    const lessons_input *in = input;
    const char *why = supports(device, input);
    if (why != NULL) return wl_fail(WL_NO_MACHINE, "lessons/cpu_simd: %s", why);
    const wl_planes_shape shape = shape_of(device, in);
    *state = wl_planes_new(&shape, pack, in);
    if (*state == NULL)
        return wl_fail(WL_NO_MACHINE, "not enough memory for %d x %d attributes and the distances", in->instances,
                       in->attributes);
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

WL_VARIANT(.idea = "bit planes: 512 attributes per word, half the matrix, every core", .source = "Warpladder",
           .supports = supports, .prepare = prepare, .launch = launch, .collect = collect, .release = release,
           .cost = cost, .instruction_set = wl_planes_instruction_set)
