/* 07_read_only: two more ways to memory, for data that no kernel changes.

   Idea: constant memory, 64 KB, gives one word to all lanes of a warp at once; a load marked read-only (__ldg) may be
   cached without regard to stores.
   Changed: a thread computes a pair, not a block. The threads of a block share instance gy, of whose row a slice lies in
   constant memory. Thread gx reads its own instance with __ldg from columns, next to the word of the next instance.
   Expected: half the global loads (the other row is constant), and no sum over threads, barrier or shared memory.
   Measured: half the load sectors; 0.96 times as fast on an H200, whose L1 cache had served as well (4,096 x 8,192).
   See: warpladder explain lessons; warpladder run lessons; README.md */
#include "lessons/kit/device.h"

enum { THREADS = 128, ROWS = 32, SLICE_WORDS = 512 }; // slices of 32 rows, of at most 512 words each: all 64 KB
#define ONES 0x01010101u

// One per device: two host threads that launched this kernel side by side would overwrite each other's rows.
static __constant__ uint32_t constant_rows[ROWS * SLICE_WORDS]; // of one launch: [ROWS][slice_words]

static __global__ void read_only(const uint32_t *__restrict__ columns, // [words of all slices][instances]
                                 int *distance,                        // [instances][instances]
                                 int instances, int first_gy, int first_word, int words, int slice_words) {
    int gx = blockIdx.x * THREADS + threadIdx.x;
    int gy = first_gy + blockIdx.y;
    if (gx >= instances) return;
    const uint32_t *row = constant_rows + blockIdx.y * slice_words;
    const uint32_t *column = columns + (size_t)instances * first_word + gx;
    unsigned count = 0;
    for (int w = 0; w < words; w++) // four attributes: a 1 in each byte that differs, then the sum of the four
        count = __dp4a(__vsetne4(row[w], __ldg(column + (size_t)instances * w)), ONES, count);
    int *element = distance + (size_t)instances * gy + gx;
    *element = first_word == 0 ? count : *element + count; // this thread's own, in every launch
}

/* How the rows are cut into pieces for constant memory. */
typedef struct {
    int words;       // per row, of four attributes each
    int slice_words; // per slice; the last slice may have fewer
    int slices;      // per row. One if there are no attributes, because the zeros have to be written
    int groups;      // of ROWS rows each
} cut;

static cut cut_of(int instances, int attributes) {
    cut c;
    c.words = (int)(((int64_t)attributes + 3) / 4);
    c.slice_words = c.words < 1 ? 1 : c.words < SLICE_WORDS ? c.words : SLICE_WORDS;
    c.slices = c.words < 1 ? 1 : (c.words - 1) / c.slice_words + 1;
    c.groups = (instances + ROWS - 1) / ROWS;
    return c;
}
static size_t column_words(const cut *c, int instances) { return (size_t)c->words * instances; }
static size_t piece_words(const cut *c) { return (size_t)ROWS * c->slice_words; } // of constant memory per launch
static size_t all_words(const cut *c, int instances) {
    return column_words(c, instances) + (size_t)c->groups * c->slices * piece_words(c);
}

/* After the columns come the pieces that launches copy to constant memory: [groups][slices][ROWS][slice_words]. */
static void lay_out(const lessons_input *in, const cut *c, const uint32_t *rows, uint32_t *data) {
    uint32_t *slices = data + column_words(c, in->instances);
    for (int gx = 0; gx < in->instances; gx++) {
        for (int w = 0; w < c->words; w++) {
            const uint32_t word = rows[(size_t)c->words * gx + w];
            const size_t piece = (size_t)(gx / ROWS) * c->slices + w / c->slice_words;
            data[(size_t)in->instances * w + gx] = word;
            slices[piece * piece_words(c) + (size_t)(gx % ROWS) * c->slice_words + w % c->slice_words] = word;
        }
    }
}

static const char *supports(const wl_device *device, const void *input) {
    const lessons_input *in = (const lessons_input *)input;
    const cut c = cut_of(in->instances, in->attributes);
    return lessons_fits(device, in, sizeof(uint32_t) * (double)all_words(&c, in->instances));
}

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    const lessons_input *in = (const lessons_input *)input;
    const cut c = cut_of(in->instances, in->attributes);
    const size_t words = all_words(&c, in->instances);
    size_t pitch = 0;
    char *rows = lessons_char_rows(in, &pitch);
    uint32_t *data = rows == NULL ? NULL : (uint32_t *)calloc(words + 1, sizeof *data);
    if (data != NULL) lay_out(in, &c, (const uint32_t *)rows, data);
    free(rows);
    wl_status status = lessons_upload(device, in, pitch, data, sizeof *data * words, state);
    free(data);
    return status;
}

static wl_status launch(void *state) {
    lessons_state *s = (lessons_state *)state;
    const cut c = cut_of(s->instances, s->attributes);
    const uint32_t *columns = (const uint32_t *)s->data, *piece = columns + column_words(&c, s->instances);
    for (int first_gy = 0; first_gy < s->instances; first_gy += ROWS) {
        const int rows = s->instances - first_gy < ROWS ? s->instances - first_gy : ROWS;
        for (int slice = 0; slice < c.slices; slice++, piece += piece_words(&c)) {
            const int first_word = slice * c.slice_words, left = c.words - first_word;
            WL_CUDA(
                cudaMemcpyToSymbol(constant_rows, piece, sizeof *piece * piece_words(&c), 0, cudaMemcpyDeviceToDevice));
            dim3 grid((s->instances - 1) / THREADS + 1, rows);
            read_only<<<grid, THREADS>>>(columns, s->distance, s->instances, first_gy, first_word,
                                         left < c.slice_words ? left : c.slice_words, c.slice_words);
            WL_LAUNCHED();
        }
    }
    return WL_OK;
}

/* The rows are read once from the columns, and once more on the way to constant memory. */
static void cost(const wl_device *device, const void *input, wl_cost *cost) {
    const lessons_input *in = (const lessons_input *)input;
    lessons_cost_chars(device, input, cost);
    cost->bytes += (double)in->instances * in->attributes;
}

LESSONS_STAGE(.idea = "one row in constant memory for all threads of a block",
              .source = "Warpladder; Payne et al. 2010 name it in their discussion", .supports = supports,
              .prepare = prepare, .launch = launch, .cost = cost)
