/* cpu_simd: every core of the CPU computes, with one subject in every lane of its vectors.

   Idea: cells of one matrix wait for each other, cells of different subjects do not (Rognes 2011, SWIPE). So a vector holds
   the same cell of 64 subjects' matrices, and the recurrence is written as if there were one subject.
   Changed: the serial code has become lanes of 8 bits on all cores. If a score does not fit, its subject is computed again in
   16 and then in 32 bits. Four columns at a time: H and E are loaded and stored once per four cells, and a profile of the
   query replaces the look-up per cell. A lane whose subject ends takes the next one.
   Expected: a cell of 64 subjects takes six maxima or saturating subtractions and three plain additions. AVX-512 starts two
   instructions per cycle, of which one can be of the first kind.
   Measured at an earlier version: 64.3 G cells per second on two cores with AVX-512, 117 times as fast as serial -O3; README.md has all.
   See: ./run run sw/cpu_simd --subjects 40000 --query-lengths 464; README.md */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <omp.h>

#include "harness/base/cpu.h"
#include "harness/base/memory.h"
#include "sw/cpu_simd/alone.h"
#include "sw/limits.h"
#include "sw/cpu_simd/core.h"

/* ---- Layout ------------------------------------------------------------------------------------------------------ */

enum {
    UNIT_SUBJECTS = 8192,      // of a unit, at most
    UNIT_LANE_LETTERS = 16384, // that a unit gives to a lane, unless a single subject is longer
    UNITS_A_THREAD = 16,       // so that all threads end at nearly the same time
    SMALL_CELLS = 500000,      // about 50 microseconds; with less, starting threads costs more than they save
    LINE = 64,                 // bytes of a cache line, and of the longest vector
    LEAST_RANGE = 48,          // scores that 8 bits must hold; if they hold fewer, the first attempt has 16 bits
};

/* Threads take units of work: one query, and those of the sequences first .. end - 1 that have no score yet. */
typedef struct {
    size_t query;
    uint32_t first, end;
    double cells;
} unit;

typedef struct {
    const sw_input *input;
    const cpu_core *core;
    int threads;
    cpu_width narrowest;
    int highest; // of the matrix, at least 0
    int gap_open[WIDTHS], gap_extend[WIDTHS];
    size_t rows;           // of the longest band
    size_t edge_blocks;    // 0: every query is one band
    double alone_bytes;    // of a pair that is computed alone, at most
    unsigned char *memory; // [threads][thread_bytes]
    int *score;            // [queries][database]
    unit *units;
    size_t unit_count, unit_room;
} cpu_state;

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }
static size_t least(size_t a, size_t b) { return a < b ? a : b; }
static size_t lines(size_t bytes) { return (bytes + LINE - 1) / LINE * LINE; }
static size_t lanes_of(const cpu_state *s, cpu_width width) { return s->core->vector_bytes >> width; }

static size_t cell_bytes(const cpu_state *s) { return lines(s->rows * 2 * s->core->vector_bytes); }
static size_t profile_bytes(const cpu_state *s) { return SW_CODES * COLUMNS * s->core->vector_bytes; }
static size_t edge_bytes(const cpu_state *s) { return s->edge_blocks * COLUMNS * 2 * s->core->vector_bytes; }
static size_t thread_bytes(const cpu_state *s) {
    return cell_bytes(s) + profile_bytes(s) + edge_bytes(s) + lines(UNIT_SUBJECTS * (sizeof(uint32_t) + sizeof(int)));
}
static size_t pairs(const sw_input *in) { return in->queries.count * in->database.count; }

/* Can lanes of 8 bits hold what columns.h puts into them? The least is H - G_open - G_ext with an H of 0, and the range of
   scores must be worth having. */
static int bytes_serve(int gap_open, int gap_extend, int highest) {
    return gap_open + gap_extend <= -INT8_MIN && INT8_MAX - highest >= LEAST_RANGE;
}

static cpu_choice choice_of(const cpu_state *s, cpu_width width) {
    return (cpu_choice){s->core->vector_bytes, lanes_of(s, width), s->threads, s->input->queries.count};
}

/* Finds how much memory the lanes need for the longest sequences that are not computed alone: H and E of a band, H and F of
   a band's last row. A lane can get more letters than make_units aims at: by the last subject that completes the target,
   and by one more at the unit's end. */
static void lay_out_long(cpu_state *s) {
    const sw_set *queries = &s->input->queries, *database = &s->input->database;
    const cpu_choice choice = choice_of(s, s->narrowest);
    s->rows = 0;
    s->edge_blocks = 0;
    for (size_t q = 0; q < queries->count; q++) {
        const size_t alone = cpu_alone_count(&choice, queries->length[q], database->length, database->count);
        if (alone > 0) {
            const double bytes = cpu_alone_bytes(&choice, queries->length[q], database->length[0]);
            if (bytes > s->alone_bytes) s->alone_bytes = bytes;
        }
        if (alone == database->count) continue;
        const size_t longest = database->length[alone];
        s->rows = larger(s->rows, least(queries->length[q], BAND_ROWS));
        if (queries->length[q] > BAND_ROWS)
            s->edge_blocks = larger(s->edge_blocks, (larger(longest, UNIT_LANE_LETTERS) + 2 * longest) / COLUMNS +
                                                        UNIT_SUBJECTS / lanes_of(s, BITS_32) + COLUMNS);
    }
}

static void lay_out(const wl_device *device, const sw_input *input, const cpu_core *core, cpu_state *s) {
    const sw_scoring *scoring = &input->scoring;
    s->input = input;
    s->core = core;
    s->threads = device->multiprocessors > 0 ? device->multiprocessors : omp_get_max_threads();
    if ((double)input->queries.letters * (double)input->database.letters < SMALL_CELLS) s->threads = 1;
    s->highest = scoring->highest > 0 ? scoring->highest : 0;
    s->gap_open[BITS_8] = s->gap_open[BITS_16] = s->gap_open[BITS_32] = scoring->gap_open;
    s->gap_extend[BITS_8] = s->gap_extend[BITS_16] = s->gap_extend[BITS_32] = scoring->gap_extend;
    if (scoring->gap_open >= INT8_MAX) { // no H of 8 bits pays for a gap, whatever it costs beyond
        s->gap_open[BITS_8] = INT8_MAX;
        s->gap_extend[BITS_8] = 0;
    }
    s->narrowest = bytes_serve(s->gap_open[BITS_8], s->gap_extend[BITS_8], s->highest) ? BITS_8 : BITS_16;
    s->alone_bytes = 0;
    lay_out_long(s);
}

/* ---- The variant -------------------------------------------------------------------------------------------------- */

/* One core per instruction set. A build may lack all but the portable one; a weak symbol's address is then NULL. The
   definitions are not weak, only these declarations are. harness/base/cpu.h decides what this CPU can run, and nothing from
   a file that is built for an instruction set may run before that. */
extern const cpu_core cpu_core_portable;
extern const cpu_core cpu_core_sse41 __attribute__((weak)), cpu_core_avx2 __attribute__((weak)),
    cpu_core_bw_avx512 __attribute__((weak)), cpu_core_vbmi_avx512 __attribute__((weak)),
    cpu_core_amd_vbmi_avx512 __attribute__((weak));

static const cpu_core *chosen(const char **title, const char **why) {
    const wl_cpu_core cores[] = {
        // best first
        {WL_ISA_AVX512AMD, &cpu_core_amd_vbmi_avx512},
        {WL_ISA_AVX512VBMI, &cpu_core_vbmi_avx512},
        {WL_ISA_AVX512BW, &cpu_core_bw_avx512},
        {WL_ISA_AVX2, &cpu_core_avx2},
        {WL_ISA_SSE41, &cpu_core_sse41},
        {WL_ISA_PORTABLE, &cpu_core_portable},
    };
    const wl_cpu_core *found = wl_cpu_choose(cores, sizeof cores / sizeof *cores, why);
    *title = found != NULL ? wl_cpu_isa_title(found->isa) : "none";
    return found != NULL ? found->core : NULL;
}

static const char *supports(const wl_device *device, const void *input) {
    const sw_input *in = input;
    const char *title, *why = NULL;
    const cpu_core *core = chosen(&title, &why);
    if (core == NULL) return why;
    if (sw_refuse_scores(in) != NULL) return sw_refuse_scores(in);
    cpu_state s;
    lay_out(device, in, core, &s);
    const double bytes =
        (double)(s.threads * thread_bytes(&s)) + (double)(sizeof(int) * pairs(in)) + s.threads * s.alone_bytes;
    if (device->memory_free > 0 && bytes > (double)device->memory_free)
        return "the scores, and the columns of each thread, do not fit into memory";
    return NULL;
}

static void release(void *state) {
    cpu_state *s = state;
    if (s == NULL) return;
    WL_FREE(s->memory, s->score, s->units, s);
}

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    const char *title, *why = supports(device, input);
    if (why != NULL) return wl_fail(WL_NO_MACHINE, "sw/cpu_simd: %s", why);
    cpu_state *s = calloc(1, sizeof *s);
    if (s != NULL) {
        lay_out(device, input, chosen(&title, &why), s);
        s->memory = aligned_alloc(LINE, s->threads * thread_bytes(s));
        s->score = malloc(sizeof(int) * (pairs(s->input) + 1));
    }
    if (s == NULL || s->memory == NULL || s->score == NULL) {
        release(s);
        const sw_input *in = input;
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu x %zu scores", in->queries.count, in->database.count);
    }
    *state = s;
    return WL_OK;
}

static wl_status add_unit(cpu_state *s, unit u) {
    if (s->unit_count == s->unit_room) {
        const size_t room = 2 * s->unit_room + 256;
        unit *more = realloc(s->units, room * sizeof *more);
        if (more == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu units of work", room);
        s->units = more;
        s->unit_room = room;
    }
    s->units[s->unit_count++] = u;
    return WL_OK;
}

static int heavier_first(const void *a, const void *b) {
    const double x = ((const unit *)a)->cells, y = ((const unit *)b)->cells;
    return (x < y) - (x > y);
}

/* Cuts the pairs without a score into units. A unit is small enough for all threads to get some, and large enough to keep
   all lanes busy while one of them computes the longest subject. It has whole vectors of subjects, because neighbours
   have nearly the same length. */
static wl_status make_units(cpu_state *s, cpu_width width) {
    const sw_input *in = s->input;
    const sw_set *database = &in->database;
    const size_t lanes = lanes_of(s, width);
    const double share = (double)in->queries.count * (double)database->letters / s->threads / UNITS_A_THREAD;
    const size_t lane_letters = share / lanes < UNIT_LANE_LETTERS ? (size_t)(share / lanes) : UNIT_LANE_LETTERS;
    wl_status status = WL_OK;
    s->unit_count = 0;
    for (size_t q = 0; q < in->queries.count && status == WL_OK; q++) {
        const int *score = s->score + q * database->count;
        size_t letters = 0, subjects = 0, target = 0;
        unit u = {.query = q};
        for (size_t i = 0; i < database->count && status == WL_OK; i++) {
            if (score[i] != NO_SCORE) continue;
            if (subjects == 0) {
                u.first = (uint32_t)i;
                target = lanes * larger(lane_letters, database->length[i]);
            }
            letters += database->length[i];
            subjects++;
            if ((letters < target || subjects % lanes != 0) && subjects < UNIT_SUBJECTS) continue;
            u.end = (uint32_t)(i + 1);
            u.cells = (double)letters * in->queries.length[q];
            status = add_unit(s, u);
            letters = subjects = 0;
        }
        if (subjects > 0 && status == WL_OK) {
            u.end = (uint32_t)database->count;
            u.cells = (double)letters * in->queries.length[q];
            status = add_unit(s, u);
        }
    }
    if (s->unit_count > 1) qsort(s->units, s->unit_count, sizeof *s->units, heavier_first);
    return status;
}

/* Lists a query's subjects without a score, longest first: subject [database], length [database]. Returns how many. */
static size_t left_over(const cpu_state *s, size_t q, uint32_t *subject, uint32_t *length) {
    const sw_set *database = &s->input->database;
    size_t count = 0;
    for (size_t i = 0; i < database->count; i++)
        if (s->score[q * database->count + i] == NO_SCORE) {
            subject[count] = (uint32_t)i;
            length[count++] = database->length[i];
        }
    return count;
}

/* Computes one by one, with all lanes on one matrix, the pairs that are faster so. At first no subject has a score. */
static wl_status compute_alone(const cpu_state *s, cpu_width width) {
    const sw_set *queries = &s->input->queries, *database = &s->input->database;
    const cpu_choice choice = choice_of(s, width);
    const int bits = width == s->narrowest ? 0 : width == BITS_16 ? 8 : 16;
    const int is_first = width == s->narrowest;
    cpu_pair *alone = NULL;
    size_t count = 0, room = 0;
    uint32_t *subject = NULL, *length = NULL;
    if (!is_first && !WL_ALLOCATE(WL_ARRAY(subject, database->count), WL_ARRAY(length, database->count)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu subjects", database->count);
    wl_status status = WL_OK;
    for (size_t q = 0; q < queries->count && status == WL_OK; q++) {
        const size_t left = is_first ? database->count : left_over(s, q, subject, length);
        const uint32_t *lengths = is_first ? database->length : length;
        const size_t some = cpu_alone_count(&choice, queries->length[q], lengths, left);
        size_t since = 0;
        if (some > 0 && !wl_memory_grow(&since, &alone, &room, count + some, sizeof *alone)) {
            status = wl_fail(WL_NO_MACHINE, "not enough memory for %zu pairs", count + some);
            break;
        }
        for (size_t i = 0; i < some; i++)
            alone[count++] =
                (cpu_pair){q, is_first ? (uint32_t)i : subject[i], (double)queries->length[q] * lengths[i]};
    }
    if (status == WL_OK) status = cpu_alone_compute(s->input, alone, count, s->threads, bits, s->score);
    WL_FREE(alone, subject, length);
    return status;
}

/* Returns how many scores do not fit the width. */
static size_t compute(const cpu_state *s, const unit *u, cpu_width width, unsigned char *memory) {
    const sw_input *in = s->input;
    int *score = s->score + u->query * in->database.count;
    const cpu_memory parts = {memory, memory + cell_bytes(s), memory + cell_bytes(s) + profile_bytes(s)};
    uint32_t *subject = (uint32_t *)(parts.edges + edge_bytes(s)); // [UNIT_SUBJECTS]
    int *found = (int *)(subject + UNIT_SUBJECTS);                 // [UNIT_SUBJECTS]
    cpu_job job = {.query = in->queries.residues + in->queries.start[u->query],
                   .rows = in->queries.length[u->query],
                   .database = &in->database,
                   .subject = subject,
                   .score = found,
                   .matrix = in->scoring.matrix,
                   .gap_open = s->gap_open[width],
                   .gap_extend = s->gap_extend[width],
                   .highest = s->highest};
    for (uint32_t i = u->first; i < u->end; i++)
        if (score[i] == NO_SCORE) subject[job.count++] = i;
    s->core->scan[width](&job, &parts);
    size_t left = 0;
    for (size_t k = 0; k < job.count; k++) {
        score[subject[k]] = found[k];
        left += found[k] == NO_SCORE;
    }
    return left;
}

static wl_status launch(void *state) {
    cpu_state *s = state;
    const size_t bytes = thread_bytes(s);
    for (size_t pair = 0; pair < pairs(s->input); pair++) s->score[pair] = NO_SCORE;
    for (cpu_width width = s->narrowest; width < WIDTHS; width++) {
        size_t left = 0;
        WL_TRY(compute_alone(s, width));
        WL_TRY(make_units(s, width));
#pragma omp parallel for schedule(dynamic) num_threads(s->threads) reduction(+ : left)
        for (size_t u = 0; u < s->unit_count; u++) {
            left += compute(s, &s->units[u], width, s->memory + (size_t)omp_get_thread_num() * bytes);
        }
        if (left == 0) break;
    }
    return WL_OK;
}

static wl_status collect(void *state, void *output, int poison) {
    (void)poison;
    const cpu_state *s = state;
    if (pairs(s->input) > 0) memcpy(output, s->score, sizeof(int) * pairs(s->input));
    return WL_OK;
}

/* Bytes: the letters and the scores, once. Operations: four maxima and one saturating subtraction per cell, which the rate
   counts. The fifth maximum, for the best score, can be a comparison instead. */
static void cost(const wl_device *device, const void *input, wl_cost *cost) {
    (void)device;
    enum { OPERATIONS_A_CELL = 5 };
    const sw_input *in = input;
    cost->bytes = (double)in->queries.letters + (double)in->database.letters + sizeof(int) * (double)pairs(in);
    cost->operations = OPERATIONS_A_CELL * (double)in->queries.letters * (double)in->database.letters;
    cost->rate = WL_RATE_SATURATED8;
}

static const char *instruction_set(void) {
    const char *title, *why;
    chosen(&title, &why);
    return title;
}

WL_VARIANT(.idea = "a subject in every 8-bit lane, every core", .source = "Rognes 2011 (SWIPE)", .supports = supports,
           .prepare = prepare, .launch = launch, .collect = collect, .release = release, .cost = cost,
           .instruction_set = instruction_set)
