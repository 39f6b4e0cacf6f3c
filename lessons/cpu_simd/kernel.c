/* cpu_simd: all pairs on every core of the CPU, 512 attributes at a time.

   Idea: a value of an alphabet of A letters is P = ceil(log2 A) bits. Keep bit p of 512 attributes in one word, plane p.
   Two instances differ where the planes' XORs, OR-ed, have a one: count the ones.
   Changed since the serial code: 2 bits an attribute instead of 32; 512 comparisons in 4 instructions; 4 x 4 distances
   at a time in registers, so that loads are shared; blocks that stay in the caches; the distance is symmetric, so half
   the work and a mirrored store; all cores.
   It should: with AVX-512 two vector instructions start a cycle, so 2 planes are 256 comparisons a cycle and core, and
   that, not memory, is the limit. It comes near it: results/lessons_2048x16384_2core_avx512.tsv, limit_fraction.
   Show it: ./run run lessons/cpu_simd --instances 2048 --attributes 16384 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "harness/base/cpu.h"
#include "lessons/cpu_simd/core.h"
#include "lessons/problem.h"

/* ---- Layout -------------------------------------------------------------------------------------------------------- */

/* Memory a panel's share of a block may take: two of them stay in a 32 KiB first-level cache. */
enum { BLOCK_BYTES = 16384 };
/* Edge of the tiles that threads take, in panels. Two tile edges of blocks are 1 MiB: half a second-level cache. */
enum { MOST_EDGE = 32 };
/* Below this many word pairs (some 50 microseconds) starting threads costs more than they save. */
enum { SMALL = 50000 };

/* planes: [blocks][panels][words of the block][PANEL][plane_count][WORD_BYTES] */
typedef struct {
    size_t instances, attributes;
    size_t panels;      /* of PANEL instances; the last one is padded with zeros */
    size_t words;       /* of 512 attributes; the last one is padded with zeros */
    size_t block_words; /* words of a block; the last block may have fewer */
    size_t edge;        /* panels along a tile */
    int plane_count;
    int threads;
    cpu_simd_pack *pack;
    cpu_simd_count *count;
    unsigned char *planes;
    int (*sums)[PANEL][PANEL]; /* [threads][edge][edge]: the distances of a tile, as 4 x 4 squares */
    int *distance;             /* [instances][instances] */
} cpu_state;

static size_t divided_up(size_t a, size_t b) { return (a + b - 1) / b; }
static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static size_t word_bytes(const cpu_state *s) { return (size_t)PANEL * s->plane_count * WORD_BYTES; }

static size_t words_of_block(const cpu_state *s, size_t block) {
    return least(s->block_words, s->words - block * s->block_words);
}

static unsigned char *panel_of_block(const cpu_state *s, size_t block, size_t panel) {
    size_t before = block * s->block_words * s->panels + panel * words_of_block(s, block);
    return s->planes + before * word_bytes(s);
}

/* Memory aligned for vectors; large pieces in large pages, of which there are fewer to fault in and to look up. */
static void *allocated(size_t bytes) {
    const size_t line = 64, large_page = (size_t)2 << 20;
    size_t alignment = bytes >= 2 * large_page ? large_page : line;
    bytes = divided_up(bytes ? bytes : 1, alignment) * alignment;
    void *memory = aligned_alloc(alignment, bytes);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (memory != NULL && alignment == large_page) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}

static int planes_of(int alphabet) {
    int planes = 1;
    while (1 << planes < alphabet) planes++;
    return planes;
}

static void lay_out(const wl_device *device, const lessons_input *input, cpu_state *s) {
    s->instances = input->instances;
    s->attributes = input->attributes;
    s->plane_count = planes_of(input->alphabet);
    s->panels = divided_up(s->instances, PANEL);
    s->words = divided_up(s->attributes, WORD_ATTRIBUTES);
    s->block_words = least(MOST_WORDS, BLOCK_BYTES / word_bytes(s));
    s->threads = 1;
#ifdef _OPENMP
    s->threads = device->multiprocessors > 0 ? device->multiprocessors : omp_get_max_threads();
#else
    (void)device;
#endif
    if (s->instances * s->instances / 2 * (s->words + 1) < SMALL) s->threads = 1;
    // Large tiles reuse what the caches hold; but every thread should find several.
    s->edge = MOST_EDGE;
    while (s->threads > 1 && s->edge > 1) {
        size_t tiles = divided_up(s->panels, s->edge);
        if (tiles * (tiles + 1) / 2 >= 8 * (size_t)s->threads) break;
        s->edge /= 2;
    }
}

static size_t plane_bytes(const cpu_state *s) { return s->panels * s->words * word_bytes(s); }

/* ---- The variant --------------------------------------------------------------------------------------------------- */

static const cpu_simd_core *chosen(const char **title, const char **why) {
    const wl_cpu_core cores[] = {
        // best first
        {WL_ISA_AVX512VPOPCNTDQ, cpu_simd_avx512vpopcntdq},
        {WL_ISA_AVX512BW, cpu_simd_avx512bw},
        {WL_ISA_AVX2, cpu_simd_avx2},
        {WL_ISA_PORTABLE, cpu_simd_portable},
    };
    const wl_cpu_core *found = wl_cpu_choose(cores, sizeof cores / sizeof *cores, why);
    *title = found != NULL ? wl_cpu_isa_title(found->isa) : "none";
    return found != NULL ? found->core : NULL;
}

static const char *supports(const wl_device *device, const void *input) {
    const lessons_input *in = input;
    const char *title, *why = NULL;
    if (chosen(&title, &why) == NULL) return why;
    if (in->alphabet < 1 || in->alphabet > 1 << MOST_PLANES) return "an alphabet has 1 to 256 letters";
    cpu_state s;
    lay_out(device, in, &s);
    if (device->memory_free > 0 && plane_bytes(&s) + sizeof(int) * s.instances * s.instances > device->memory_free)
        return "the bit planes and the distances do not fit into memory";
    return NULL;
}

/* Cut the instances into planes, all threads together. */
static void pack_planes(const cpu_state *s, const int *data) {
    const size_t blocks = divided_up(s->words, s->block_words);
#pragma omp parallel for collapse(2) schedule(static) num_threads(s->threads)
    for (size_t panel = 0; panel < s->panels; panel++) {
        for (size_t block = 0; block < blocks; block++) {
            const size_t first = block * s->block_words * WORD_ATTRIBUTES, words = words_of_block(s, block);
            const size_t count = least(s->attributes - first, words * WORD_ATTRIBUTES);
            unsigned char *to = panel_of_block(s, block, panel);
            for (size_t row = 0; row < PANEL; row++) {
                const size_t i = panel * PANEL + row;
                const int exists = i < s->instances;
                s->pack(exists ? data + i * s->attributes + first : NULL, exists ? count : 0, words,
                        to + row * s->plane_count * WORD_BYTES);
            }
        }
    }
}

static void release(void *state) {
    cpu_state *s = state;
    if (s == NULL) return;
    free(s->planes);
    free(s->sums);
    free(s->distance);
    free(s);
}

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    const lessons_input *in = input;
    const char *title, *why = supports(device, input);
    if (why != NULL) return wl_fail(WL_NO_MACHINE, "lessons/cpu_simd: %s", why);
    const cpu_simd_core *core = chosen(&title, &why);
    cpu_state *s = calloc(1, sizeof *s);
    if (s != NULL) {
        lay_out(device, in, s);
        s->pack = core->pack[s->plane_count];
        s->count = core->count[s->plane_count];
        s->planes = allocated(plane_bytes(s));
        s->sums = allocated(s->threads * s->edge * s->edge * sizeof *s->sums);
        s->distance = allocated(sizeof(int) * s->instances * s->instances);
    }
    if (s == NULL || s->planes == NULL || s->sums == NULL || s->distance == NULL) {
        release(s);
        return wl_fail(WL_NO_MACHINE, "not enough memory for %d x %d attributes and the distances", in->instances,
                       in->attributes);
    }
    pack_planes(s, in->data);
    *state = s;
    return WL_OK;
}

/* Squares of one tile: panels [rows, rows_end) against panels [columns, columns_end). Squares below the diagonal are left
   out: they are the mirror of those above. */
typedef struct {
    size_t rows, rows_end, columns, columns_end;
} tile;

static size_t first_column(const tile *t, size_t row) { return row > t->columns ? row : t->columns; }

static void count_tile(const cpu_state *s, const tile *t, int (*sums)[PANEL][PANEL]) {
    const size_t blocks = divided_up(s->words, s->block_words);
    memset(sums, 0, sizeof *sums * s->edge * s->edge);
    // Attributes block by block: what a block needs of the panels stays in the caches until the whole tile has used it.
    for (size_t block = 0; block < blocks; block++) {
        const size_t words = words_of_block(s, block);
        for (size_t row = t->rows; row < t->rows_end; row++) {
            const unsigned char *a = panel_of_block(s, block, row);
            for (size_t column = first_column(t, row); column < t->columns_end; column++) {
                const unsigned char *b = panel_of_block(s, block, column);
                s->count(a, b, words, sums[(row - t->rows) * s->edge + column - t->columns]);
            }
        }
    }
}

/* A 4 x 4 square to distance[i ..][j ..], cut off where the instances end. */
static void store_square(const cpu_state *s, size_t i, size_t j, const int square[PANEL][PANEL]) {
    const size_t rows = least(PANEL, s->instances - i), columns = least(PANEL, s->instances - j);
    for (size_t r = 0; r < rows; r++) {
        int *to = s->distance + (i + r) * s->instances + j;
        if (columns == PANEL) {
            memcpy(to, square[r], sizeof square[r]); // one 16-byte store
        } else {
            memcpy(to, square[r], columns * sizeof(int));
        }
    }
}

/* The tile and its mirror, each row by row, so that stores go to consecutive memory. */
static void store_tile(const cpu_state *s, const tile *t, int (*sums)[PANEL][PANEL]) {
    for (size_t row = t->rows; row < t->rows_end; row++) {
        for (size_t column = first_column(t, row); column < t->columns_end; column++)
            store_square(s, row * PANEL, column * PANEL, sums[(row - t->rows) * s->edge + column - t->columns]);
    }
    for (size_t column = t->columns; column < t->columns_end; column++) {
        for (size_t row = t->rows; row < t->rows_end && row < column; row++) {
            const int(*square)[PANEL] = sums[(row - t->rows) * s->edge + column - t->columns];
            int mirror[PANEL][PANEL];
            for (int r = 0; r < PANEL; r++)
                for (int c = 0; c < PANEL; c++) mirror[c][r] = square[r][c];
            store_square(s, column * PANEL, row * PANEL, (const int(*)[PANEL])mirror);
        }
    }
}

static wl_status launch(void *state) {
    const cpu_state *s = state;
    const size_t tiles = divided_up(s->panels, s->edge);
#pragma omp parallel for collapse(2) schedule(dynamic) num_threads(s->threads)
    for (size_t down = 0; down < tiles; down++) {
        for (size_t across = 0; across < tiles; across++) {
            if (across < down) continue;
            int thread = 0;
#ifdef _OPENMP
            thread = omp_get_thread_num();
#endif
            const tile t = {down * s->edge, least((down + 1) * s->edge, s->panels), across * s->edge,
                            least((across + 1) * s->edge, s->panels)};
            int(*sums)[PANEL][PANEL] = s->sums + thread * s->edge * s->edge;
            count_tile(s, &t, sums);
            store_tile(s, &t, sums);
        }
    }
    return WL_OK;
}

static wl_status collect(void *state, void *output, int poison) {
    (void)poison;
    const cpu_state *s = state;
    const size_t row_bytes = sizeof(int) * s->instances;
#pragma omp parallel for schedule(static) num_threads(s->threads)
    for (size_t i = 0; i < s->instances; i++)
        memcpy((char *)output + i * row_bytes, (const char *)s->distance + i * row_bytes, row_bytes);
    return WL_OK;
}

/* The planes once and the distances once; and each pair's words once. The rate is measured in words of two planes, which
   are four instructions: xor, xor and or in one, count, add. P planes are P + 2. */
static void cost(const wl_device *device, const void *input, wl_cost *cost) {
    (void)device;
    const lessons_input *in = input;
    const double n = in->instances, words64 = divided_up(in->attributes, 64), planes = planes_of(in->alphabet);
    cost->bytes = n * words64 * planes * 8 + sizeof(int) * n * n;
    cost->operations = n * (n - 1) / 2 * words64 * (planes + 2) / 4;
    cost->rate = WL_RATE_LOGIC512;
}

static const char *instruction_set(void) {
    const char *title, *why;
    chosen(&title, &why);
    return title;
}

WL_VARIANT(.idea = "bit planes: 512 attributes a word, half the matrix, every core", .source = "Warpladder",
           .supports = supports, .prepare = prepare, .launch = launch, .collect = collect, .release = release,
           .cost = cost, .instruction_set = instruction_set)
