#include "allpairs/planes/planes.h"

#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "harness/base/cpu.h"
#include "harness/base/memory.h"
#include "allpairs/planes/core.h"

/* Memory a panel's share of a block may take: two of them stay in a 32 KiB first-level cache. */
enum { BLOCK_BYTES = 16384 };
/* Edge of the largest tiles, in panels. Two tile edges of blocks are 1 MiB: half a second-level cache. */
enum { MOST_EDGE = 32 };
/* Below this many pairs of words (some 50 microseconds) starting threads costs more than they save. */
enum { SMALL = 50000 };

/* One side of the matrix. planes: [blocks][panels][words of the block][PANEL][kept][WORD_BYTES] */
typedef struct {
    size_t count;  // instances
    size_t panels; // of PANEL instances; the last one is padded with zeros
    unsigned char *planes;
} side;

struct wl_planes {
    wl_planes_shape shape;
    size_t words;       // of 512 sites
    size_t block_words; // words of a block; the last block may have fewer
    size_t blocks;
    size_t edge; // panels along a tile, which is what a thread takes
    int kept;    // planes
    int threads;
    side rows, columns; // the same memory where symmetric
    planes_count *count;
    planes_pack *pack;
    int matrices; // 2: distance and compared; 1 where nothing is missing (compared is all sites) or compared is not wanted
    planes_square *squares; // [threads][matrices][edge][edge]: the pairs of a tile
    uint32_t *matrix[2];    // [rows][columns]
};

static size_t least(size_t a, size_t b) { return a < b ? a : b; }
static size_t divided_up(size_t a, size_t b) { return (a + b - 1) / b; }

static const wl_cpu_core *chosen(const char **why) {
    extern const planes_core planes_core_portable;
    extern const planes_core planes_core_sse41 __attribute__((weak)), planes_core_avx2 __attribute__((weak)),
        planes_core_bw_avx512 __attribute__((weak)), planes_core_avx512 __attribute__((weak));
    static const wl_cpu_core cores[] = {
        // best first; NULL: not in this build
        {WL_ISA_AVX512VPOPCNTDQ, &planes_core_avx512},
        {WL_ISA_AVX512BW, &planes_core_bw_avx512},
        {WL_ISA_AVX2, &planes_core_avx2},
        {WL_ISA_SSE41, &planes_core_sse41},
        {WL_ISA_PORTABLE, &planes_core_portable},
    };
    return wl_cpu_choose(cores, sizeof cores / sizeof *cores, why);
}

const char *wl_planes_instruction_set(void) {
    const char *why;
    const wl_cpu_core *core = chosen(&why);
    return core != NULL ? wl_cpu_isa_title(core->isa) : "none";
}

/* ---- Layout ---- */

static size_t panel_word_bytes(const wl_planes *p) { return (size_t)PANEL * p->kept * WORD_BYTES; }

static size_t words_of_block(const wl_planes *p, size_t block) {
    return least(p->block_words, p->words - block * p->block_words);
}

static unsigned char *panel_of_block(const wl_planes *p, const side *s, size_t block, size_t panel) {
    const size_t before = block * p->block_words * s->panels + panel * words_of_block(p, block);
    return s->planes + before * panel_word_bytes(p);
}

/* All sizes; no memory is taken. */
static wl_planes laid_out(const wl_planes_shape *shape) {
    wl_planes p = {.shape = *shape, .threads = 1};
    p.matrices = shape->complete || shape->distance_only ? 1 : 2;
    p.kept = shape->planes + !shape->complete;
    p.words = divided_up(shape->sites, WL_PLANES_WORD_SITES);
    p.block_words = least(WL_PLANES_MOST_WORDS, BLOCK_BYTES / panel_word_bytes(&p));
    p.blocks = divided_up(p.words, p.block_words);
    p.rows = (side){.count = shape->rows, .panels = divided_up(shape->rows, PANEL)};
    p.columns = (side){.count = shape->columns, .panels = divided_up(shape->columns, PANEL)};
    const double pairs = (double)shape->rows * (double)shape->columns / (shape->symmetric ? 2 : 1);
#ifdef _OPENMP
    p.threads = shape->threads > 0 ? shape->threads : omp_get_max_threads();
#endif
    if (pairs * (double)(p.words + 1) < SMALL) p.threads = 1;
    // Large tiles reuse what the caches hold; but every thread should find several.
    for (p.edge = MOST_EDGE; p.threads > 1 && p.edge > 1; p.edge /= 2) {
        const size_t down = divided_up(p.rows.panels, p.edge), across = divided_up(p.columns.panels, p.edge);
        if ((shape->symmetric ? down * (down + 1) / 2 : down * across) >= 8 * (size_t)p.threads) break;
    }
    return p;
}

static size_t side_bytes(const wl_planes *p, const side *s) { return s->panels * p->words * panel_word_bytes(p); }
static size_t matrix_bytes(const wl_planes *p) { return sizeof(uint32_t) * p->shape.rows * p->shape.columns; }
static size_t square_bytes(const wl_planes *p) {
    return p->threads * p->matrices * p->edge * p->edge * sizeof *p->squares;
}

/* NULL: not in this program. */
static planes_count *count_of(const planes_core *core, const wl_planes_shape *shape) {
    const int counted = shape->complete ? PLANES_COMPLETE : shape->distance_only ? PLANES_DISTANCE : PLANES_BOTH;
    if (!shape->steps && shape->complete) return core->count[shape->planes];
    return core->more != NULL ? core->more->count[shape->steps][counted][shape->planes] : NULL;
}

const char *wl_planes_unsupported(const wl_planes_shape *shape, size_t memory) {
    const char *why = NULL;
    const wl_cpu_core *core = chosen(&why);
    if (core == NULL) return why;
    if (count_of(core->core, shape) == NULL) return "this program counts neither steps nor missing values";
    const wl_planes p = laid_out(shape);
    const double bytes = (double)side_bytes(&p, &p.rows) + (shape->symmetric ? 0 : (double)side_bytes(&p, &p.columns)) +
                         p.matrices * (double)matrix_bytes(&p) + (double)square_bytes(&p);
    if (memory > 0 && bytes > (double)memory) return "the bit planes and the distances do not fit into memory";
    return NULL;
}

/* All threads together. */
static void fill_side(const wl_planes *p, wl_planes_fill *fill, const void *source, const side *s) {
#pragma omp parallel for collapse(2) schedule(static) num_threads(p->threads)
    for (size_t panel = 0; panel < s->panels; panel++)
        for (size_t block = 0; block < p->blocks; block++) {
            unsigned char *to = panel_of_block(p, s, block, panel);
            const size_t words = words_of_block(p, block), instance_bytes = (size_t)p->kept * WORD_BYTES;
            for (size_t r = 0; r < PANEL; r++) {
                if (panel * PANEL + r < s->count)
                    fill(p, source, s == &p->columns, panel * PANEL + r, block * p->block_words, words,
                         to + r * instance_bytes);
                else
                    for (size_t k = 0; k < words; k++)
                        memset(to + k * panel_word_bytes(p) + r * instance_bytes, 0, instance_bytes);
            }
        }
}

/* Small ones come and go with each tile, and need not be aligned: the C library finds no freed piece again for one that is, and took 12 MB
   more of --memory 20M. */
static void *matrix_memory(size_t bytes) {
    enum { SMALL_MATRIX = 32 << 20 };
    return bytes < SMALL_MATRIX ? malloc(bytes ? bytes : 1) : wl_memory_large(bytes);
}

wl_planes *wl_planes_new(const wl_planes_shape *shape, wl_planes_fill *fill, const void *source) {
    const char *why;
    const planes_core *core = chosen(&why)->core;
    wl_planes *p = malloc(sizeof *p);
    if (p == NULL) return NULL;
    *p = laid_out(shape);
    p->count = count_of(core, shape);
    p->pack = core->pack[shape->planes];
    p->rows.planes = wl_memory_large(side_bytes(p, &p->rows));
    p->columns.planes = shape->symmetric ? p->rows.planes : wl_memory_large(side_bytes(p, &p->columns));
    p->squares = wl_memory_large(square_bytes(p));
    for (int m = 0; m < p->matrices; m++) p->matrix[m] = matrix_memory(matrix_bytes(p));
    if (p->rows.planes == NULL || p->columns.planes == NULL || p->squares == NULL ||
        p->matrix[p->matrices - 1] == NULL || p->matrix[0] == NULL) {
        wl_planes_free(p);
        return NULL;
    }
    fill_side(p, fill, source, &p->rows);
    if (!shape->symmetric) fill_side(p, fill, source, &p->columns);
    return p;
}

void wl_planes_free(wl_planes *p) {
    if (p == NULL) return;
    if (p->columns.planes != p->rows.planes) free(p->columns.planes);
    free(p->rows.planes);
    free(p->squares);
    for (int m = 0; m < p->matrices; m++) free(p->matrix[m]);
    free(p);
}

void wl_planes_pack(const wl_planes *p, const int *values, size_t count, size_t words, unsigned char *to) {
    p->pack(values, count, words, to);
}

/* ---- Counting ---- */

/* Panels [row, row_end) against panels [column, column_end). If the matrix is symmetric, the tile leaves out the
   squares below the diagonal, since they mirror those above it. */
typedef struct {
    size_t row, row_end, column, column_end;
    planes_square *squares; // [matrices][edge][edge]
} tile;

static size_t first_column(const wl_planes *p, const tile *t, size_t row) {
    return p->shape.symmetric && row > t->column ? row : t->column;
}

static planes_square *square_of(const wl_planes *p, const tile *t, int matrix, size_t row, size_t column) {
    return &t->squares[(matrix * p->edge + row - t->row) * p->edge + column - t->column];
}

static void count_tile(const wl_planes *p, const tile *t) {
    memset(t->squares, 0, sizeof *t->squares * p->matrices * p->edge * p->edge);
    // Sites block by block: what a block needs of the panels stays in the caches until the whole tile has used it.
    for (size_t block = 0; block < p->blocks; block++) {
        const size_t words = words_of_block(p, block);
        for (size_t row = t->row; row < t->row_end; row++) {
            const unsigned char *a = panel_of_block(p, &p->rows, block, row);
            for (size_t column = first_column(p, t, row); column < t->column_end; column++)
                p->count(a, panel_of_block(p, &p->columns, block, column), words, *square_of(p, t, 0, row, column),
                         *square_of(p, t, p->matrices - 1, row, column));
        }
    }
}

/* A square to matrix [i ..][j ..], cut off where the instances end. */
static void store_square(const wl_planes *p, uint32_t *matrix, size_t i, size_t j, uint32_t square[PANEL][PANEL]) {
    const size_t all = p->shape.columns, rows = least(PANEL, p->shape.rows - i), columns = least(PANEL, all - j);
    for (size_t r = 0; r < rows; r++) {
        uint32_t *to = matrix + (i + r) * all + j;
        if (columns == PANEL)
            memcpy(to, square[r], sizeof square[r]); // one 16-byte store
        else
            memcpy(to, square[r], columns * sizeof *to);
    }
}

static void store_mirrored(const wl_planes *p, uint32_t *matrix, size_t i, size_t j, uint32_t square[PANEL][PANEL]) {
    uint32_t mirror[PANEL][PANEL];
    for (int r = 0; r < PANEL; r++)
        for (int c = 0; c < PANEL; c++) mirror[c][r] = square[r][c];
    store_square(p, matrix, i, j, mirror);
}

/* The tile and its mirror, each row by row, so that stores go to consecutive memory. */
static void store_tile(const wl_planes *p, const tile *t) {
    for (size_t row = t->row; row < t->row_end; row++)
        for (size_t column = first_column(p, t, row); column < t->column_end; column++)
            for (int m = 0; m < p->matrices; m++)
                store_square(p, p->matrix[m], row * PANEL, column * PANEL, *square_of(p, t, m, row, column));
    for (size_t column = t->column; p->shape.symmetric && column < t->column_end; column++)
        for (size_t row = t->row; row < t->row_end && row < column; row++)
            for (int m = 0; m < p->matrices; m++)
                store_mirrored(p, p->matrix[m], column * PANEL, row * PANEL, *square_of(p, t, m, row, column));
}

void wl_planes_count(const wl_planes *p) {
    const size_t down = divided_up(p->rows.panels, p->edge), across = divided_up(p->columns.panels, p->edge);
#pragma omp parallel for collapse(2) schedule(dynamic) num_threads(p->threads)
    for (size_t y = 0; y < down; y++) {
        for (size_t x = 0; x < across; x++) {
            if (p->shape.symmetric && x < y) continue;
            size_t thread = 0;
#ifdef _OPENMP
            thread = (size_t)omp_get_thread_num();
#endif
            const tile t = {y * p->edge, least((y + 1) * p->edge, p->rows.panels), x * p->edge,
                            least((x + 1) * p->edge, p->columns.panels),
                            p->squares + thread * p->matrices * p->edge * p->edge};
            count_tile(p, &t);
            store_tile(p, &t);
        }
    }
}

void wl_planes_collect(const wl_planes *p, uint32_t *distance) {
    const size_t rows = p->shape.rows, columns = p->shape.columns, row_bytes = sizeof(uint32_t) * columns;
    uint32_t *compared = distance + rows * columns;
#pragma omp parallel for schedule(static) num_threads(p->threads)
    for (size_t i = 0; i < rows; i++) {
        memcpy(distance + i * columns, p->matrix[0] + i * columns, row_bytes);
        if (p->shape.distance_only) continue;
        if (p->matrices > 1)
            memcpy(compared + i * columns, p->matrix[1] + i * columns, row_bytes);
        else
            for (size_t j = 0; j < columns; j++) compared[i * columns + j] = (uint32_t)p->shape.sites;
    }
}

/* Vector instructions for a pair's word, with three-operand logic: differences, what is present in both, and for each thing that is
   counted a population count and an addition. */
static int instructions(const wl_planes_shape *shape) {
    const int present = shape->complete ? 0 : shape->distance_only ? 1 : 3;
    if (shape->steps) return 3 * shape->planes + present;
    const int differences =
        shape->planes + (!shape->complete && shape->planes > 1); // the AND; of one plane it is part of the XOR
    return differences + 2 + present;
}

void wl_planes_cost(const wl_planes_shape *shape, double *bytes, double *operations) {
    const double n = (double)shape->rows, m = (double)shape->columns, words64 = (double)divided_up(shape->sites, 64);
    *bytes = (shape->symmetric ? n : n + m) * words64 * (shape->planes + !shape->complete) * 8 +
             (shape->complete || shape->distance_only ? 1 : 2) * sizeof(uint32_t) * n * m;
    *operations = (shape->symmetric ? n * (n - 1) / 2 : n * m) * words64 * instructions(shape) / 4;
}
