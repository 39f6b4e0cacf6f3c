/* cpu_simd: a tile of the matrix on every core of the CPU, 512 sites at a time.

   Idea: XOR the planes of two instances, OR them, AND what is present in both, count the ones; and count what is present in
   both. That is eight instructions for 512 sites of nucleotides, four where nothing is missing.
   Changed since the serial code: 3 bits a site instead of 8; squares of 4 x 4 pairs, so that loads are shared; blocks of sites that
   stay in the caches; half of a symmetric matrix; all cores.
   It should: with AVX-512 two vector instructions start a cycle, so 128 comparisons with missing values a cycle and core, 256 without,
   and that, not memory, is the limit. README.md says how near it comes.
   Show it: ./run run distances/cpu_simd --rows 2000 --sites 30000 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "distances/cpu_simd/layout.h"
#include "harness/base/cpu.h"

static const cpu_core *chosen(const char **title, const char **why) {
    const wl_cpu_core cores[] = {
        // best first
        {WL_ISA_AVX512VPOPCNTDQ, cpu_core_avx512vpopcntdq},
        {WL_ISA_AVX512BW, cpu_core_avx512bw},
        {WL_ISA_AVX2, cpu_core_avx2},
        {WL_ISA_SSE41, cpu_core_sse41},
        {WL_ISA_PORTABLE, cpu_core_portable},
    };
    const wl_cpu_core *found = wl_cpu_choose(cores, sizeof cores / sizeof *cores, why);
    *title = found != NULL ? wl_cpu_isa_title(found->isa) : "none";
    return found != NULL ? found->core : NULL;
}

static const char *supports(const wl_device *device, const void *input) {
    const distances_input *in = input;
    const char *title, *why = NULL;
    if (chosen(&title, &why) == NULL) return why;
    if (in->planes < 1 || in->planes > DISTANCES_PLANES_MOST) return "values have 1 to 7 planes";
    cpu_state s;
    cpu_lay_out(in, device->multiprocessors, &s);
    if (device->memory_free > 0 && cpu_bytes(&s) > (double)device->memory_free)
        return "the bit planes and the distances do not fit into memory";
    return NULL;
}

static void release(void *state) {
    if (state == NULL) return;
    cpu_free(state);
    free(state);
}

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    const distances_input *in = input;
    const char *title, *why = supports(device, input);
    if (why != NULL) return wl_fail(WL_NO_MACHINE, "distances/cpu_simd: %s", why);
    cpu_state *s = calloc(1, sizeof *s);
    if (s != NULL) cpu_lay_out(in, device->multiprocessors, s);
    if (s == NULL || !cpu_allocate(s)) {
        release(s);
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu x %zu distances of %.0f sites", in->rows.count,
                       in->columns.count, (double)in->sites);
    }
    s->count = chosen(&title, &why)->count[in->sum][in->complete != 0][in->planes];
    *state = s;
    return WL_OK;
}

/* Panels [row, row_end) against panels [column, column_end). Of a symmetric matrix, squares below the diagonal are left out:
   they are the mirror of those above. */
typedef struct {
    size_t row, row_end, column, column_end;
    cpu_square *squares; /* [edge][edge] */
} tile;

static size_t first_column(const cpu_state *s, const tile *t, size_t row) {
    return s->input->symmetric && row > t->column ? row : t->column;
}

static cpu_square *square_of(const cpu_state *s, const tile *t, size_t row, size_t column) {
    return &t->squares[(row - t->row) * s->edge + column - t->column];
}

static void count_tile(const cpu_state *s, const tile *t) {
    memset(t->squares, 0, sizeof *t->squares * s->edge * s->edge);
    // Sites block by block: what a block needs of the panels stays in the caches until the whole tile has used it.
    for (size_t block = 0; block < s->blocks; block++) {
        const size_t words = words_of_block(s, block);
        for (size_t row = t->row; row < t->row_end; row++) {
            const unsigned char *a = panel_of_block(s, &s->rows, block, row);
            for (size_t column = first_column(s, t, row); column < t->column_end; column++)
                s->count(a, panel_of_block(s, &s->columns, block, column), words, square_of(s, t, row, column));
        }
    }
}

/* A square to matrix [i ..][j ..], cut off where the instances end. */
static void store_square(const cpu_state *s, uint32_t *matrix, size_t i, size_t j, uint32_t square[PANEL][PANEL]) {
    const size_t all = s->input->columns.count;
    const size_t rows = least(PANEL, s->input->rows.count - i), columns = least(PANEL, all - j);
    for (size_t r = 0; r < rows; r++) {
        uint32_t *to = matrix + (i + r) * all + j;
        if (columns == PANEL)
            memcpy(to, square[r], sizeof square[r]); // one 16-byte store
        else
            memcpy(to, square[r], columns * sizeof *to);
    }
}

static void store_mirrored(const cpu_state *s, uint32_t *matrix, size_t i, size_t j, uint32_t square[PANEL][PANEL]) {
    uint32_t mirror[PANEL][PANEL];
    for (int r = 0; r < PANEL; r++)
        for (int c = 0; c < PANEL; c++) mirror[c][r] = square[r][c];
    store_square(s, matrix, i, j, mirror);
}

/* The tile and its mirror, each row by row, so that stores go to consecutive memory. */
static void store_tile(const cpu_state *s, const tile *t) {
    for (size_t row = t->row; row < t->row_end; row++) {
        for (size_t column = first_column(s, t, row); column < t->column_end; column++) {
            cpu_square *square = square_of(s, t, row, column);
            store_square(s, s->distance, row * PANEL, column * PANEL, square->distance);
            if (s->compared != NULL) store_square(s, s->compared, row * PANEL, column * PANEL, square->compared);
        }
    }
    for (size_t column = t->column; s->input->symmetric && column < t->column_end; column++) {
        for (size_t row = t->row; row < t->row_end && row < column; row++) {
            cpu_square *square = square_of(s, t, row, column);
            store_mirrored(s, s->distance, column * PANEL, row * PANEL, square->distance);
            if (s->compared != NULL) store_mirrored(s, s->compared, column * PANEL, row * PANEL, square->compared);
        }
    }
}

static wl_status launch(void *state) {
    const cpu_state *s = state;
    const size_t down = divided_up(s->rows.panels, s->edge), across = divided_up(s->columns.panels, s->edge);
#pragma omp parallel for collapse(2) schedule(dynamic) num_threads(s->threads)
    for (size_t y = 0; y < down; y++) {
        for (size_t x = 0; x < across; x++) {
            if (s->input->symmetric && x < y) continue;
            size_t thread = 0;
#ifdef _OPENMP
            thread = (size_t)omp_get_thread_num();
#endif
            const tile t = {y * s->edge, least((y + 1) * s->edge, s->rows.panels), x * s->edge,
                            least((x + 1) * s->edge, s->columns.panels), s->squares + thread * s->edge * s->edge};
            count_tile(s, &t);
            store_tile(s, &t);
        }
    }
    return WL_OK;
}

static wl_status collect(void *state, void *output, int poison) {
    (void)poison;
    const cpu_state *s = state;
    const size_t rows = s->input->rows.count, columns = s->input->columns.count, row_bytes = sizeof(uint32_t) * columns;
    uint32_t *distance = output, *compared = distance + rows * columns; // [rows][columns]
#pragma omp parallel for schedule(static) num_threads(s->threads)
    for (size_t i = 0; i < rows; i++) {
        memcpy(distance + i * columns, s->distance + i * columns, row_bytes);
        if (s->compared != NULL)
            memcpy(compared + i * columns, s->compared + i * columns, row_bytes);
        else
            for (size_t j = 0; j < columns; j++) compared[i * columns + j] = (uint32_t)s->input->sites;
    }
    return WL_OK;
}

/* Vector instructions for a pair's word, with three-operand logic: differences, what is present in both, and for each thing that is
   counted a population count and an addition. */
static int instructions(const distances_input *in) {
    if (in->sum == DISTANCES_STEPS) return 3 * in->planes + (in->complete ? 0 : 3);
    const int differences =
        in->planes + (!in->complete && in->planes > 1); // the AND; of one plane it is part of the XOR
    return differences + 2 + (in->complete ? 0 : 3);
}

/* The planes once and the matrices once; and each pair's words once. The rate is measured in words of two planes without missing
   values, which are four instructions. */
static void cost(const wl_device *device, const void *input, wl_cost *cost) {
    (void)device;
    const distances_input *in = input;
    const double n = (double)in->rows.count, m = (double)in->columns.count;
    const double words64 = (double)divided_up((size_t)in->sites, 64), kept = in->planes + !in->complete;
    cost->bytes = (in->symmetric ? n : n + m) * words64 * kept * 8 + (in->complete ? 1 : 2) * sizeof(uint32_t) * n * m;
    cost->operations = (in->symmetric ? n * (n - 1) / 2 : n * m) * words64 * instructions(in) / 4;
    cost->rate = WL_RATE_LOGIC512;
}

static const char *instruction_set(void) {
    const char *title, *why;
    chosen(&title, &why);
    return title;
}

WL_VARIANT(.idea = "bit planes: 512 sites a word, missing values masked, every core", .source = "Warpladder",
           .supports = supports, .prepare = prepare, .launch = launch, .collect = collect, .release = release,
           .cost = cost, .instruction_set = instruction_set)
