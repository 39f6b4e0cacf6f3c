/* cpu_simd: all cores of the CPU, with an ancestral state vector in each lane of their vectors.

   Idea: cells of one matrix wait for each other, but the matrices of different vectors are independent. So a register holds the same
   cell of 32 matrices, all of the same read, and the code is written as if there were one (the paper's generalised vector unit).
   Changed: a change of variables leaves five operations per cell. A block of sites stays in registers while a read's letters pass,
   with a table of what each letter costs there, so long references need no more cache. Lanes have 16 bits, or 32 for reads
   whose scores need them. All cores work.
   Expected: three minima and two additions for 32 cells. AVX-512 starts two of them per cycle, at most one of them a minimum.
   Measured: 0.71 of this limit with AVX-512 and 0.49 with AVX2, on two cores (1,500 sites).
   See: warpladder run papara/cpu_simd --device cpu; README.md */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <omp.h>

#include "harness/base/cpu.h"
#include "harness/base/memory.h"
#include "papara/cpu_simd/core.h"

/* ---- Layout ------------------------------------------------------------------------------------------------------ */

enum {
    BORDER_BYTES = 256 * 1024, // of a unit's reads, unless it has only one: any second-level cache holds them
    UNITS_A_THREAD = 16,       // so that all threads end at nearly the same time
    SMALL_CELLS = 500000,      // about 50 microseconds; for fewer, starting threads costs more than they save
    CORES = 4,
    LINE = 64, // bytes of a cache line, and of the longest vector
};

/* Reads order[first] .. order[end - 1]. A unit of work is a chunk and as many vectors as there are lanes. */
typedef struct {
    size_t first, end;
} chunk;

typedef struct {
    const papara_input *input;
    const cpu_core *core;
    int threads;
    uint8_t used[PAPARA_CODES]; // the codes that reads have
    int used_count;
    uint32_t longest[WIDTHS];   // of the reads in this width
    size_t chunk_count[WIDTHS]; // chunks of 16 bits come first
    chunk *chunks;
    uint32_t *order;              // [reads]
    size_t most_rows, most_reads; // of a chunk
    unsigned char *memory;        // [threads][thread_bytes]
    int *score;                   // [reads][vectors]
} cpu_state;

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }
static size_t divided_up(size_t a, size_t b) { return (a + b - 1) / b; }
static size_t lines(size_t bytes) { return divided_up(bytes, LINE) * LINE; }
static size_t pairs(const papara_input *in) { return in->reads.count * in->vectors; }
static size_t lanes_of(const cpu_core *core, cpu_width width) { return core->vector_bytes / 2 >> width; }

static size_t row_bytes(const cpu_core *core) { return 2 * core->vector_bytes; }
static size_t table_bytes(const cpu_core *core) { return lines((PAPARA_CODES + 5) * COLUMNS * core->vector_bytes); }
static size_t border_bytes(const cpu_state *s) { return lines(s->most_rows * row_bytes(s->core)); }
static size_t thread_bytes(const cpu_state *s) {
    return table_bytes(s->core) + border_bytes(s) + lines(s->most_reads * s->core->vector_bytes);
}

static cpu_width width_of(const papara_input *in, uint32_t length) {
    return cpu_drift_room(&in->penalties, length, BITS_16) >= 0 ? BITS_16 : BITS_32;
}

static int threads_of(const wl_device *device, const papara_input *in) {
    const int threads = device->multiprocessors > 0 ? device->multiprocessors : omp_get_max_threads();
    return (double)in->reads.letters * (double)in->vectors * in->sites < SMALL_CELLS ? 1 : threads;
}

/* One core per instruction set. All except the portable one may be missing; a weak symbol's address is then NULL. (Their definitions
   are not weak, because that would concern all variants.) */
extern const cpu_core cpu_core_portable;
extern const cpu_core cpu_core_sse41 __attribute__((weak)), cpu_core_avx2 __attribute__((weak)),
    cpu_core_bw_avx512 __attribute__((weak));

/* Best first. */
static size_t all_cores(wl_cpu_core cores[CORES]) {
    const wl_cpu_core all[CORES] = {
        {WL_ISA_AVX512BW, &cpu_core_bw_avx512},
        {WL_ISA_AVX2, &cpu_core_avx2},
        {WL_ISA_SSE41, &cpu_core_sse41},
        {WL_ISA_PORTABLE, &cpu_core_portable},
    };
    memcpy(cores, all, sizeof all);
    return CORES;
}

static const cpu_core *chosen(const char **title, const char **why) {
    wl_cpu_core cores[CORES];
    const wl_cpu_core *found = wl_cpu_choose(cores, all_cores(cores), why);
    *title = found != NULL ? wl_cpu_isa_title(found->isa) : "none";
    return found != NULL ? found->core : NULL;
}

/* If the last vectors are few, a core with fewer lanes takes less time. */
static const cpu_core *core_for(const cpu_state *s, size_t vectors, cpu_width width) {
    wl_cpu_core cores[CORES];
    const size_t count = all_cores(cores);
    const cpu_core *best = s->core;
    for (size_t i = 0; i < count; i++) {
        const cpu_core *core = cores[i].core;
        if (core == NULL || !wl_cpu_has(cores[i].isa)) continue;
        if (lanes_of(core, width) >= vectors && core->vector_bytes < best->vector_bytes) best = core;
    }
    return best;
}

/* Rows of borders per chunk: as many as the cache holds, but so few that all threads get work. */
static size_t chunk_rows(const cpu_state *s, cpu_width width) {
    const papara_input *in = s->input;
    const size_t cached = BORDER_BYTES / row_bytes(s->core);
    if (s->threads == 1) return cached;
    const size_t blocks = divided_up(in->vectors, lanes_of(s->core, width));
    const size_t chunks = divided_up((size_t)s->threads * UNITS_A_THREAD, larger(blocks, 1));
    const size_t shared = divided_up(in->reads.letters + in->reads.count, chunks);
    return shared < cached ? shared : cached;
}

/* Orders the reads by width, otherwise as given, and cuts the order into chunks. */
static void make_chunks(cpu_state *s) {
    const papara_input *in = s->input;
    size_t ordered = 0;
    chunk *next = s->chunks;
    for (cpu_width width = 0; width < WIDTHS; width++) {
        const size_t begin = ordered, most = chunk_rows(s, width);
        size_t rows = 0;
        for (size_t r = 0; r < in->reads.count; r++) {
            const uint32_t length = in->reads.length[r];
            if (width_of(in, length) != width) continue;
            if (ordered == begin || rows + length + 1 > most) {
                *next++ = (chunk){ordered, ordered};
                s->chunk_count[width]++;
                rows = 0;
            }
            rows += (size_t)length + 1;
            s->order[ordered++] = (uint32_t)r;
            next[-1].end = ordered;
            if (length > s->longest[width]) s->longest[width] = length;
            s->most_rows = larger(s->most_rows, rows);
            s->most_reads = larger(s->most_reads, next[-1].end - next[-1].first);
        }
    }
}

static void find_used(cpu_state *s) {
    const papara_reads *reads = &s->input->reads;
    uint8_t is_used[PAPARA_CODES] = {0};
    for (size_t r = 0; r < reads->count; r++)
        for (uint32_t j = 0; j < reads->length[r]; j++) is_used[reads->codes[reads->start[r] + j]] = 1;
    for (int code = 0; code < PAPARA_CODES; code++)
        if (is_used[code]) s->used[s->used_count++] = (uint8_t)code;
}

/* ---- The variant -------------------------------------------------------------------------------------------------- */

static const char *supports(const wl_device *device, const void *input) {
    const papara_input *in = input;
    const char *title, *why = NULL;
    const cpu_core *core = chosen(&title, &why);
    if (core == NULL) return why;
    const size_t row = row_bytes(core);
    const double thread = (double)larger(BORDER_BYTES, ((size_t)in->reads.longest + 1) * row) * 2;
    const double bytes = threads_of(device, in) * thread + sizeof(int) * (double)pairs(in);
    if (device->memory_free > 0 && bytes > (double)device->memory_free)
        return "the scores and the borders of each thread's reads do not fit into memory";
    return NULL;
}

static void release(void *state) {
    cpu_state *s = state;
    if (s == NULL) return;
    WL_FREE(s->chunks, s->order, s->memory, s->score, s);
}

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    const papara_input *in = input;
    const char *title, *why = supports(device, input);
    if (why != NULL) return wl_fail(WL_NO_MACHINE, "papara/cpu_simd: %s", why);
    cpu_state *s = calloc(1, sizeof *s);
    if (s != NULL) {
        s->input = in;
        s->core = chosen(&title, &why);
        s->threads = threads_of(device, in);
        s->chunks = malloc(sizeof *s->chunks * (in->reads.count + 1));
        s->order = malloc(sizeof *s->order * (in->reads.count + 1));
        s->score = malloc(sizeof(int) * (pairs(in) + 1));
    }
    if (s != NULL && s->chunks != NULL && s->order != NULL && s->score != NULL) {
        find_used(s);
        make_chunks(s);
        s->memory = aligned_alloc(LINE, s->threads * thread_bytes(s));
    }
    if (s == NULL || s->memory == NULL) {
        release(s);
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu x %zu scores", in->reads.count, in->vectors);
    }
    *state = s;
    return WL_OK;
}

/* Computes one unit: a chunk of reads and as many vectors as there are lanes, or those that are left. */
static void compute(const cpu_state *s, cpu_width width, const chunk *reads, size_t first_vector,
                    unsigned char *memory) {
    const size_t lanes = lanes_of(s->core, width), left = s->input->vectors - first_vector;
    const cpu_memory parts = {memory, memory + table_bytes(s->core), memory + table_bytes(s->core) + border_bytes(s)};
    const cpu_job job = {.input = s->input,
                         .first_vector = first_vector,
                         .vectors = left < lanes ? left : lanes,
                         .read = s->order + reads->first,
                         .reads = reads->end - reads->first,
                         .used = s->used,
                         .used_count = s->used_count,
                         .longest = s->longest[width],
                         .score = s->score};
    core_for(s, job.vectors, width)->scan[width](&job, &parts);
}

static wl_status launch(void *state) {
    const cpu_state *s = state;
    const size_t bytes = thread_bytes(s);
    const chunk *chunks = s->chunks;
    for (cpu_width width = 0; width < WIDTHS; width++) {
        const size_t count = s->chunk_count[width], lanes = lanes_of(s->core, width);
        const size_t units = count * divided_up(s->input->vectors, lanes);
#pragma omp parallel for schedule(dynamic) num_threads(s->threads)
        for (size_t u = 0; u < units; u++) {
            compute(s, width, &chunks[u % count], u / count * lanes, s->memory + (size_t)omp_get_thread_num() * bytes);
        }
        chunks += count;
    }
    return WL_OK;
}

static wl_status collect(void *state, void *output, int poison) {
    (void)poison;
    const cpu_state *s = state;
    if (pairs(s->input) > 0) memcpy(output, s->score, sizeof(int) * pairs(s->input));
    return WL_OK;
}

/* Moves the letters, the sites and the scores once, and does three minima and two additions for each computed cell. */
static void cost(const wl_device *device, const void *input, wl_cost *cost) {
    (void)device;
    enum { OPERATIONS_A_CELL = 5 };
    const papara_input *in = input;
    double cells = 0;
    for (size_t r = 0; r < in->reads.count; r++)
        cells += (double)in->reads.length[r] * ((double)in->sites - in->reads.length[r] + 1) * (double)in->vectors;
    cost->bytes = (double)in->reads.letters + sizeof(uint32_t) * (double)in->vectors * in->sites +
                  sizeof(int) * (double)pairs(in);
    cost->operations = OPERATIONS_A_CELL * cells;
    cost->rate = WL_RATE_ADDMIN16;
}

static const char *instruction_set(void) {
    const char *title, *why;
    chosen(&title, &why);
    return title;
}

WL_VARIANT(.idea = "an ancestral state vector in each 16-bit lane, blocks of sites in registers, all cores",
           .source = "Alachiotis, Berger & Stamatakis 2012, generalised vector unit", .supports = supports,
           .prepare = prepare, .launch = launch, .collect = collect, .release = release, .cost = cost,
           .instruction_set = instruction_set)
