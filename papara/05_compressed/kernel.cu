/* 05_compressed: six sites in a 32-bit word in the rectangular blocks.

   Idea: four states and CGAP are five bits, so six sites fit into a word (the paper's "Data compression"). The ends, where the
   square blocks are, stay at one word per site (its Figure 5).
   Changed: a rectangle's twelve sites are two words. A thread loads them once and keeps them in registers for all rows.
   Rectangles begin at multiples of six columns, so no word belongs to two of them.
   Expected: 16 / 12 bytes per cell in a rectangle instead of 4 + 16 / 12, for a shift more per cell.
   Measured at an earlier version: 1.8 bytes per cell update, counted, instead of 5.5; 18.0 instructions per cell instead of 16.8. An H200 is
   0.94 times as fast as with stage 04: instructions limit it, not bytes. The paper reports a gain, without a number.
   See: warpladder explain papara/04* papara/05*; README.md */
#include "papara/kit/blocks.h"

enum { COLUMNS = 12, PACKED = 6, BITS = 5, CGAP_BIT = 1 << (BITS - 1) };

/* A group's part of task.site: [head + words + tail][width]. The first `head` sites, one per word; all sites, six per word; the
   last `tail` sites, one per word. The ends are as long as the squares of the longest read. */
typedef struct {
    size_t head, words, tail;
} layout;

static __host__ __device__ layout layout_of(uint32_t longest, uint32_t sites) {
    layout l;
    l.head = longest + PACKED < sites ? longest + PACKED : sites;
    l.tail = longest + COLUMNS < sites ? longest + COLUMNS : sites;
    l.words = (sites + PACKED - 1) / PACKED;
    return l;
}

/* One thread per vector; one block per group and word of the layout. */
static __global__ void compress(const uint32_t *plain, // [vectors][sites]
                                uint32_t *site,        // [group][head + words + tail][width]
                                layout l, size_t vectors, uint32_t sites, uint32_t width) {
    const size_t words = l.head + l.words + l.tail, group = blockIdx.x / words, word = blockIdx.x % words;
    const size_t vector = group * width + threadIdx.x;
    const uint32_t *A = plain + vector * sites;
    uint32_t value = 0;
    if (vector < vectors) {
        if (word < l.head) {
            value = A[word];
        } else if (word >= l.head + l.words) {
            value = A[sites - l.tail + (word - l.head - l.words)];
        } else {
            for (int k = 0; k < PACKED; k++) {
                const size_t i = (word - l.head) * PACKED + k;
                if (i < sites) value |= ((A[i] & 15) | (A[i] & PAPARA_CGAP ? CGAP_BIT : 0)) << BITS * k;
            }
        }
    }
    site[(group * words + word) * width + threadIdx.x] = value;
}

static __global__ void __launch_bounds__(PAPARA_THREADS)
    compressed(const papara_task task, // task.site: [group][head + words + tail][width]
               uint32_t longest,       // read
               size_t first,           // the launch's first block
               char *work, size_t stride) {
    __shared__ int row[COLUMNS][PAPARA_THREADS]; // S[..][j - 1], then S[..][j]. A thread's own: no barrier is needed
    const papara_pair pair = papara_pair_of(&task, first + blockIdx.x);
    if (pair.vector >= task.vectors) return;
    const int thread = threadIdx.x, m = pair.m, n = (int)task.sites;
    const size_t width = task.width;
    const layout l = layout_of(longest, task.sites);
    const papara_parts parts = papara_parts_of(m, n, COLUMNS, PACKED);
    int2 *edge = (int2 *)(work + stride * blockIdx.x) + thread; // [m][width]: S and D left of the block
    int *square = (int *)(edge - thread + m * width) + thread;  // [..][width], see papara_square
    const uint32_t *head = task.site + pair.group * (l.head + l.words + l.tail) * width + thread; // [head][width]
    const uint32_t *words = head + l.head * width;                                                // [words][width]
    const uint32_t *tail = words + l.words * width;                                               // [tail][width]

    int best = papara_square(&task, &pair, head, 1, parts.first, square, edge);
    for (int from = parts.first; from + 1 < parts.last; from += COLUMNS) { // columns from + 1 .. from + COLUMNS
        uint32_t sites[COLUMNS / PACKED];
#pragma unroll
        for (int w = 0; w < COLUMNS / PACKED; w++) sites[w] = words[(size_t)(from / PACKED + w) * width];
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) row[c][thread] = 0;
        int corner = 0;
        for (int j = 1; j <= m; j++) {
            // Makes each row load what the row before stored. Otherwise S stays in registers, which is stage 06's step.
            asm volatile("" ::: "memory");
            const uint32_t B = task.sets[pair.B[j - 1]];
            const int2 left = edge[(j - 1) * width];
            int S = left.x, D = left.y, diagonal = corner;
            corner = left.x;
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                const int above = row[c][thread];
                // Bits above the site's own five match nothing, because B has only four bits.
                const uint32_t five = sites[c / PACKED] >> BITS * (c % PACKED);
                S = papara_cell(&task.penalties, (five & B) != 0, (five & CGAP_BIT) != 0, diagonal, above, S, &D);
                row[c][thread] = S;
                diagonal = above;
            }
            edge[(j - 1) * width] = make_int2(S, D);
        }
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) best = min(best, row[c][thread]);
    }
    if (parts.last <= n) {
        const uint32_t *A = tail + (size_t)(parts.last - 1 - (n - (int)l.tail)) * width; // site of column `last`
        best = min(best, papara_square(&task, &pair, A, parts.last, n, square, edge));
    }
    task.score[pair.read * task.vectors + pair.vector] = best;
}

static size_t site_bytes(const papara_input *in, const papara_task *task) {
    const layout l = layout_of(in->reads.longest, in->sites);
    return sizeof(uint32_t) * task->groups * task->width * (l.head + l.words + l.tail);
}

static wl_status pack(papara_state *s, const uint32_t *plain, uint32_t *site) {
    const papara_task *task = &s->task;
    const layout l = layout_of(s->input->reads.longest, task->sites);
    const size_t blocks = task->groups * (l.head + l.words + l.tail);
    if (blocks > INT32_MAX) return wl_fail(WL_NO_MACHINE, "more than 2 billion words of sites; give fewer vectors");
    compress<<<(unsigned)blocks, task->width>>>(plain, site, l, task->vectors, task->sites, task->width);
    WL_LAUNCHED();
    return WL_OK;
}

static const char *refuses(const papara_input *in) {
    return in->states != 4 ? "a site has five bits, for four states and CGAP: DNA only" : NULL;
}

static const papara_plan plan = {
    .widest = PAPARA_THREADS,
    .site_bytes = site_bytes,
    .pack = pack,
    .work_bytes = papara_square_bytes<COLUMNS, PACKED>,
    .refuses = refuses,
};

static void launch(const papara_state *s, size_t first, unsigned blocks, size_t stride) {
    compressed<<<blocks, s->task.width>>>(s->task, s->input->reads.longest, first, (char *)s->work, stride);
}

PAPARA_STAGE(plan, .idea = "six sites of five bits in a word",
             .source = "Alachiotis et al. 2012, Data compression and Figure 5", .limits = "DNA only",
             .launch = papara_launch<launch>)
