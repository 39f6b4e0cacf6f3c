/* cpu_simd: all cores of the CPU, a tile of columns carried through the whole tree in the cache.

   Idea: a join is two products of a matrix and a child's partials. If a tile's partials and half a matrix stay in the
   caches, arithmetic is the limit, not memory (Goto & van de Geijn 2008). If a tile goes through all joins before the
   next one begins, no partials leave the cache.
   Changed, against the serial code: registers hold blocks of the result, so that each loaded number serves several
   multiply-adds. A tip is a look-up of a matrix column. Transition matrices are blocked products, too. All cores work.
   Expected: 64 multiply-adds for each number of a child, of which AVX-512 does 8 (doubles) or 16 at a time.
   Measured: 0.65 of the rate of multiply-adds in registers (62 taxa, 3,600 codons, doubles, 2 cores); BEAGLE 0.03.
   See: warpladder run peeling/cpu_simd --device cpu */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "harness/base/memory.h"
#include "peeling/core/core.h"
#include "peeling/cpu_simd/state.h"
#include "peeling/engine/engine.h"
#include "peeling/work.h"

/* --- Layout ------------------------------------------------------------------------------------------------------ */

/* TILE: columns per tile. With 64 states in doubles a child's partials are 48 KiB. A tree of 60 taxa keeps about six at
   a time, a third of an L2 cache of 1 MiB. */
enum { TILE = 96, TILE_FEW = 240, UNITS_A_THREAD = 4, SMALL_OPERATIONS = 2000000 };

/* Gives each vector that a join makes a slot, which is free again after the last join that reads it. Returns the number
   of slots. */
static uint32_t share_slots(const peeling_input *in, uint32_t *slot) {
    const peeling_work *work = &in->work;
    const uint32_t tips = in->data.tips;
    uint32_t *uses = calloc(in->partials + (size_t)1, sizeof *uses);
    uint32_t *unused = malloc(sizeof *unused * (in->partials + (size_t)1));
    uint32_t slots = 0, count = 0;
    if (uses != NULL && unused != NULL) {
        for (uint32_t j = 0; j < work->join_count; j++)
            for (int i = 0; i < 2; i++)
                if (work->joins[j].child[i] >= tips) uses[work->joins[j].child[i] - tips]++;
        for (uint32_t j = 0; j < work->join_count; j++) {
            slot[work->joins[j].to - tips] = count > 0 ? unused[--count] : slots++;
            for (int i = 0; i < 2; i++) {
                const uint32_t child = work->joins[j].child[i];
                if (child >= tips && --uses[child - tips] == 0) unused[count++] = slot[child - tips];
            }
        }
    } else {
        for (; slots < in->partials; slots++) slot[slots] = slots;
    }
    WL_FREE(uses, unused);
    return slots;
}

static int threads_of(const wl_device *device, const peeling_input *in) {
    int threads = 1;
#ifdef _OPENMP
    threads = device->multiprocessors > 0 ? device->multiprocessors : omp_get_max_threads();
#else
    (void)device;
#endif
    const double S = in->model->states, R = in->model->rates;
    return in->data.tips * R * S * S * (in->data.patterns + S) < SMALL_OPERATIONS ? 1 : threads;
}

/* Computes all sizes, and allocates nothing. */
static void lay_out(const wl_device *device, const peeling_input *in, const cpu_core *core, int keep, cpu_state *s) {
    s->input = in;
    s->keep = keep;
    s->threads = threads_of(device, in);
    s->rates = (size_t)in->model->rates;
    size_t tile = in->model->states == CPU_FEW ? TILE_FEW : TILE;
    while (tile > CPU_STEP && s->rates * (in->data.patterns / tile) < (size_t)s->threads * UNITS_A_THREAD)
        tile -= CPU_STEP;
    s->tiles = (in->data.patterns + tile - 1) / tile;
    s->layout = cpu_lay_out(core, in->precision, (size_t)in->model->states, tile);
}

static size_t partials_bytes(const cpu_state *s) {
    return s->layout.vector_bytes *
           (s->keep ? s->input->partials * s->rates * s->tiles : (size_t)s->threads * s->slots);
}

/* --- State ------------------------------------------------------------------------------------------------------- */

static void state_free(void *state) {
    cpu_state *s = state;
    if (s == NULL) return;
    WL_FREE(s->slot, s->code, s->left, s->right, s->matrices, s->partials, s->scratch, s->sum, s->exponent, s->site,
            s->ends, s->end_weight, s->end_factor, s->end_exponent, s);
}

/* Copies the codes, padded to whole tiles with state 0. */
static void copy_codes(cpu_state *s) {
    enum { USUAL = 256 }; // nearly all data has fewer codes; a small table of their sets stays in the cache
    const peeling_data *data = &s->input->data;
    const size_t columns = s->layout.tile * s->tiles, patterns = data->patterns;
    uint8_t set_of[USUAL] = {0};
    for (uint32_t k = 0; k < data->codes && k < USUAL; k++) set_of[k] = (uint8_t)(data->set[k] & (CPU_FEW_SETS - 1));
    for (size_t tip = 0; tip < data->tips; tip++) {
        const uint16_t *from = data->code + tip * patterns;
        if (s->layout.few) {
            uint8_t *to = (uint8_t *)s->code + tip * columns;
            for (size_t c = 0; c < patterns; c++)
                to[c] = from[c] < USUAL ? set_of[from[c]] : (uint8_t)(data->set[from[c]] & (CPU_FEW_SETS - 1));
            memset(to + patterns, set_of[0], columns - patterns);
        } else {
            uint16_t *to = (uint16_t *)s->code + tip * columns;
            memcpy(to, from, patterns * sizeof *to);
            memset(to + patterns, 0, (columns - patterns) * sizeof *to);
        }
    }
}

/* Memory for vectors, filled with zeros, because joins also compute what lies past a tile's last column. */
static void *zeros(size_t bytes) {
    const size_t large_page = (size_t)2 << 20, alignment = bytes >= large_page ? large_page : CPU_LINE;
    bytes = cpu_rounded(bytes > 0 ? bytes : 1, alignment);
    void *memory = aligned_alloc(alignment, bytes);
    if (memory == NULL) return NULL;
    cpu_use_large_pages(memory, alignment == large_page ? bytes : 0);
    return memset(memory, 0, bytes);
}

static wl_status set_model(void *state, const peeling_model *model) {
    cpu_state *s = state;
    s->model = *model;
    double *row = (double *)s->scratch; // E transposed, [k][s]
    for (size_t k = 0; k < s->layout.states; k++)
        for (size_t i = 0; i < s->layout.states; i++) {
            row[k * s->layout.row + i] = model->right[i * s->layout.states + k];
            s->left[i * s->layout.row + k] = model->left[k * s->layout.states + i];
        }
    s->layout.core->precision[PEELING_DOUBLE].store(s->layout.states, row, s->layout.row, -INFINITY, s->right);
    if (s->ends != NULL) cpu_branches_model(s);
    return WL_OK;
}

static wl_status open_state(const wl_device *device, const peeling_input *in, void **state) {
    const char *title, *why = NULL;
    const int keep = !in->work_only;
    const cpu_core *core = cpu_core_choose(&title, &why);
    if (core == NULL) return wl_fail(WL_NO_MACHINE, "peeling/cpu_simd: %s", why);
    cpu_state *s = calloc(1, sizeof *s);
    if (s != NULL) {
        lay_out(device, in, core, keep, s);
        // The system grants more memory than it has, and kills the program when it writes too much. So check here.
        if (keep && device->memory_free > 0 && partials_bytes(s) > device->memory_free) {
            const double needed = (double)partials_bytes(s), available = (double)device->memory_free;
            state_free(s);
            return wl_fail(WL_NO_MACHINE, "found %.3g GB of memory; the partials of %u patterns need %.3g GB",
                           available / 1e9, in->data.patterns, needed / 1e9);
        }
        s->slot = malloc(sizeof *s->slot * (in->partials + (size_t)1));
    }
    if (s != NULL && s->slot != NULL) {
        if (!keep) s->slots = share_slots(in, s->slot);
        const size_t columns = s->layout.tile * s->tiles, square = s->layout.states * s->layout.row * sizeof(double);
        s->code = malloc(s->layout.code_bytes * in->data.tips * columns + 1);
        s->left = zeros(square);
        s->right = zeros(square);
        s->matrices = zeros(s->layout.matrix_bytes * s->rates * in->matrices);
        s->partials = zeros(partials_bytes(s));
        s->scratch = zeros(s->layout.scratch_bytes * (size_t)s->threads);
        s->sum = malloc(sizeof *s->sum * s->rates * columns + 1);
        s->exponent = malloc(sizeof *s->exponent * s->rates * columns + 1);
        s->site = malloc(sizeof *s->site * (in->data.patterns + (size_t)1));
    }
    if (s == NULL || s->slot == NULL || s->code == NULL || s->left == NULL || s->right == NULL || s->matrices == NULL ||
        s->partials == NULL || s->scratch == NULL || s->sum == NULL || s->exponent == NULL || s->site == NULL) {
        state_free(s);
        return wl_fail(WL_NO_MACHINE, "not enough memory for the partials of %u patterns, %d rates and %d states",
                       in->data.patterns, in->model->rates, in->model->states);
    }
    copy_codes(s);
    set_model(s, in->model);
    *state = s;
    return WL_OK;
}

/* --- The variant ------------------------------------------------------------------------------------------------- */

static const char *supports(const wl_device *device, const void *input) {
    const peeling_input *in = input;
    const char *title, *why = NULL;
    const cpu_core *core = cpu_core_choose(&title, &why);
    if (core == NULL) return why;
    if (in->model->states > PEELING_STATES_MOST) return "there are at most 64 states";
    cpu_state s = {0};
    lay_out(device, in, core, 0, &s);
    const double columns = (double)s.layout.tile * (double)s.tiles;
    const double bytes = columns * ((double)s.layout.code_bytes * in->data.tips + 12.0 * (double)s.rates + 8) +
                         (double)s.layout.matrix_bytes * (double)s.rates * in->matrices;
    if (device->memory_free > 0 && bytes > (double)device->memory_free)
        return "the columns and the transition matrices do not fit into memory";
    return NULL;
}

static wl_status load(void *state, const peeling_work *work) {
    ((cpu_state *)state)->work = *work;
    return WL_OK;
}

static wl_status launch(void *state) {
    cpu_evaluate(state);
    return WL_OK;
}

static wl_status result(void *state, double *total, double *site, int poison) {
    (void)poison;
    const cpu_state *s = state;
    *total = s->total;
    if (site != NULL) memcpy(site, s->site, sizeof *site * s->input->data.patterns);
    return WL_OK;
}

/* The least traffic: the codes and the results once, since all partials could stay on the chip. */
static void cost(const wl_device *device, const void *input, wl_cost *cost) {
    (void)device;
    const peeling_input *in = input;
    const double code = in->model->states == CPU_FEW ? sizeof(uint8_t) : sizeof(uint16_t);
    cost->bytes = in->data.patterns * (code * in->data.tips + 2 * sizeof(double));
    cost->operations = peeling_operations_done(in);
    cost->rate = in->precision == PEELING_SINGLE ? WL_RATE_FP32 : WL_RATE_FP64;
}

static const char *instruction_set(void) {
    const char *title, *why;
    cpu_core_choose(&title, &why);
    return title;
}

static peeling_engine engine = {
    .keeps_partials = 1,
    .open = open_state,
    .set_model = set_model,
    .load = load,
    .launch = launch,
    .result = result,
    .release = state_free,
    .branches = &cpu_branches,
};
PEELING_ENGINE(
    engine, .idea = "a tile of columns through the whole tree in the cache, products blocked in registers, every core",
    .source = "Warpladder", .supports = supports, .cost = cost, .instruction_set = instruction_set)
