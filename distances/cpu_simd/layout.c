#include "distances/cpu_simd/layout.h"

#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef __linux__
#include <sys/mman.h>
#endif

/* Memory a panel's share of a block may take: two of them stay in a 32 KiB first-level cache. */
enum { BLOCK_BYTES = 16384 };
/* Edge of the largest tiles, in panels. Two tile edges of blocks are 1 MiB: half a second-level cache. */
enum { MOST_EDGE = 32 };
/* Below this many pairs of words (some 50 microseconds) starting threads costs more than they save. */
enum { SMALL = 50000 };

void cpu_lay_out(const distances_input *input, int threads, cpu_state *s) {
    *s = (cpu_state){.input = input, .threads = 1};
    s->kept = input->planes + !input->complete;
    s->words = divided_up((size_t)input->sites, WORD_SITES);
    s->block_words = least(MOST_WORDS, BLOCK_BYTES / panel_word_bytes(s));
    s->blocks = divided_up(s->words, s->block_words);
    s->rows.panels = divided_up(input->rows.count, PANEL);
    s->columns.panels = divided_up(input->columns.count, PANEL);
    const double pairs = (double)input->rows.count * (double)input->columns.count / (input->symmetric ? 2 : 1);
#ifdef _OPENMP
    s->threads = threads > 0 ? threads : omp_get_max_threads();
#else
    (void)threads;
#endif
    if (pairs * (double)(s->words + 1) < SMALL) s->threads = 1;
    // Large tiles reuse what the caches hold; but every thread should find several.
    for (s->edge = MOST_EDGE; s->threads > 1 && s->edge > 1; s->edge /= 2) {
        const size_t down = divided_up(s->rows.panels, s->edge), across = divided_up(s->columns.panels, s->edge);
        if ((input->symmetric ? down * (down + 1) / 2 : down * across) >= 8 * (size_t)s->threads) break;
    }
}

static size_t side_bytes(const cpu_state *s, const cpu_side *side) {
    return side->panels * s->words * panel_word_bytes(s);
}

static size_t matrix_bytes(const cpu_state *s) {
    return sizeof(uint32_t) * s->input->rows.count * s->input->columns.count;
}

static size_t square_bytes(const cpu_state *s) { return s->threads * s->edge * s->edge * sizeof *s->squares; }

double cpu_bytes(const cpu_state *s) {
    const distances_input *in = s->input;
    return (double)side_bytes(s, &s->rows) + (in->symmetric ? 0 : (double)side_bytes(s, &s->columns)) +
           (in->complete ? 1 : 2) * (double)matrix_bytes(s) + (double)square_bytes(s);
}

/* Memory aligned for vectors; large pieces in large pages, of which there are fewer to fault in and to look up. */
static void *allocated(size_t bytes) {
    const size_t line = 64, large_page = (size_t)2 << 20;
    const size_t alignment = bytes >= 2 * large_page ? large_page : line;
    bytes = divided_up(bytes ? bytes : 1, alignment) * alignment;
    void *memory = aligned_alloc(alignment, bytes);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (memory != NULL && alignment == large_page) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}

/* One panel's share of a block: planes copied word by word, so that four instances lie side by side. */
static void fill_panel(const cpu_state *s, const distances_side *from, size_t panel, size_t block, unsigned char *to) {
    const size_t words = words_of_block(s, block), first = block * s->block_words * WORD_BYTES;
    const size_t plane_bytes = s->input->words * sizeof *from->bits;
    for (size_t r = 0; r < PANEL; r++) {
        const size_t i = panel * PANEL + r;
        const unsigned char *instance =
            (const unsigned char *)from->bits + i * (size_t)(s->input->planes + 1) * plane_bytes + first;
        for (size_t k = 0; k < words; k++) {
            unsigned char *word = to + k * panel_word_bytes(s) + r * s->kept * WORD_BYTES;
            for (int p = 0; p < s->kept; p++) {
                if (i < from->count)
                    memcpy(word + p * WORD_BYTES, instance + p * plane_bytes + k * WORD_BYTES, WORD_BYTES);
                else
                    memset(word + p * WORD_BYTES, 0, WORD_BYTES);
            }
        }
    }
}

/* All threads together. */
static void fill_side(const cpu_state *s, const distances_side *from, cpu_side *to) {
#pragma omp parallel for collapse(2) schedule(static) num_threads(s->threads)
    for (size_t block = 0; block < s->blocks; block++)
        for (size_t panel = 0; panel < to->panels; panel++)
            fill_panel(s, from, panel, block, panel_of_block(s, to, block, panel));
}

int cpu_allocate(cpu_state *s) {
    const distances_input *in = s->input;
    s->rows.planes = allocated(side_bytes(s, &s->rows));
    s->columns.planes = in->symmetric ? s->rows.planes : allocated(side_bytes(s, &s->columns));
    s->squares = allocated(square_bytes(s));
    s->distance = allocated(matrix_bytes(s));
    if (!in->complete) s->compared = allocated(matrix_bytes(s));
    if (s->rows.planes == NULL || s->columns.planes == NULL || s->squares == NULL || s->distance == NULL) return 0;
    if (!in->complete && s->compared == NULL) return 0;
    fill_side(s, &in->rows, &s->rows);
    if (!in->symmetric) fill_side(s, &in->columns, &s->columns);
    return 1;
}

void cpu_free(cpu_state *s) {
    if (s->columns.planes != s->rows.planes) free(s->columns.planes);
    free(s->rows.planes);
    free(s->squares);
    free(s->distance);
    free(s->compared);
}
