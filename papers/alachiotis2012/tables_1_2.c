/* Tables 1 and 2: cell updates per second against the reference's length and against the number of reads. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "papers/alachiotis2012/paper.h"
#include "harness/probes/rates.h"
#include "harness/bench/rounds.h"
#include "harness/bench/sources.h"
#include "harness/base/stats.h"
#include "harness/base/memory.h"
#include "papara/generate.h"

/* ---- who takes part, and the points of one line beside those of another ---- */

static int is_papara(const alachiotis_run *run, const wl_variant *variant, wl_backend backend) {
    return variant->backend == backend && strcmp(variant->problem, run->problem->name) == 0;
}

void alachiotis_choose_lines(alachiotis_run *run) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    const char *paper = wl_paper_header(&run->tables[0], "variant");
    for (size_t v = 0; v < count; v++) { // sorted by name: the last stage comes last
        const wl_variant *variant = variants[v];
        alachiotis_line cpu = {variant, &run->cpu}, gpu = {variant, &run->gpus.items[0]};
        if (is_papara(run, variant, WL_CPU)) {
            if (strcmp(variant->name, run->problem->serial_baseline) == 0) run->lines[ALACHIOTIS_SEQ] = cpu;
            if (variant->launch_slices == NULL) run->lines[ALACHIOTIS_SIMD] = cpu;
        }
        if (run->gpus.count == 0 || !is_papara(run, variant, WL_GPU)) continue;
        if (strcmp(variant->name, paper) == 0) run->lines[ALACHIOTIS_PAPER] = gpu;
        if (isdigit((unsigned char)variant->name[0])) run->lines[ALACHIOTIS_LAST] = gpu;
    }
}

const alachiotis_point alachiotis_unmeasured = {.share = 1,
                                                .ms = {NAN, NAN, NAN, NAN, NAN},
                                                .total_seconds = NAN,
                                                .seconds = NAN,
                                                .gcups = NAN,
                                                .joules = NAN,
                                                .watts = NAN,
                                                .computed = NAN,
                                                .printed = NAN,
                                                .limit_gcups = NAN};

void alachiotis_dimensions(const wl_paper *paper, int table, size_t row, alachiotis_point *point) {
    const double sites = table == 1 ? wl_paper_number(paper, row, "sites") : wl_paper_header_number(paper, "sites");
    const double reads = table == 1 ? wl_paper_header_number(paper, "reads") : wl_paper_number(paper, row, "reads");
    point->table = table;
    point->sites = (uint32_t)sites;
    point->reads = (size_t)reads;
    point->vectors = (size_t)wl_paper_header_number(paper, "vectors");
}

double alachiotis_paper_cells(const wl_paper *paper, const alachiotis_point *point) {
    return (double)point->sites * (double)point->reads * (double)point->vectors *
           wl_paper_header_number(paper, "read_length");
}

const alachiotis_point *alachiotis_find(const alachiotis_run *run, int table, uint32_t sites, size_t reads,
                                        int is_filling, alachiotis_line_number line) {
    for (size_t i = 0; i < run->count; i++) {
        const alachiotis_point *p = &run->points[i];
        if (p->table == table && p->sites == sites && p->reads == reads && p->is_filling == is_filling &&
            p->line == line)
            return p;
    }
    return NULL;
}

double alachiotis_speedup(const alachiotis_point *point, const alachiotis_point *cpu) {
    if (point == NULL || cpu == NULL || point == cpu) return NAN;
    return point->gcups / cpu->gcups * cpu->ms.lower_quartile / cpu->ms.median;
}

/* ---- how much of a batch is measured ---- */

/* A launch of the paper's at 500,000 sites is 2e13 cells, hours of a serial code and a minute and more of many cores. The speed of a
   line depends on the length, hardly on how many reads there are: of a batch that takes longer than this the first reads are
   measured, and the row says how many. */
static double launch_seconds(const alachiotis_run *run, alachiotis_line_number line) {
    if (line == ALACHIOTIS_SIMD) return run->quick ? 0.6 : 12;
    return run->quick ? 1 : 6;
}
static const double long_launch = 3;    // seconds: longer ones are timed once, when they are checked
enum { LEAST_READS = 64 };              // of a part: with fewer, what each vector costs before the first read shows
static const double first_cells = 2e10; // before anything is known of a line: the smallest launch of the paper's

/* The reads of a serial code and the vectors: so few pairs that each is a slice of its own. */
enum { SERIAL_READS = 7, SERIAL_VECTORS = 9 };

static papara_input part_of(const papara_input *whole, size_t reads, size_t vectors) {
    papara_input part = *whole;
    part.vectors = vectors < whole->vectors ? vectors : whole->vectors;
    part.reads.count = reads < whole->reads.count ? reads : whole->reads.count;
    part.reads.letters = part.reads.longest = 0;
    for (size_t r = 0; r < part.reads.count; r++) {
        part.reads.letters += part.reads.length[r];
        if (part.reads.length[r] > part.reads.longest) part.reads.longest = part.reads.length[r];
    }
    return part;
}

static papara_input choose_part(const alachiotis_run *run, alachiotis_line_number line, const papara_input *batch) {
    if (line == ALACHIOTIS_SEQ) return part_of(batch, SERIAL_READS, SERIAL_VECTORS);
    double cells = run->rates[line] > 0 ? 1e9 * run->rates[line] * launch_seconds(run, line) : first_cells;
    double all = run->problem->work(batch);
    if (all <= 1.25 * cells) return *batch;
    double reads = floor((double)batch->reads.count * cells / all);
    return part_of(batch, reads < LEAST_READS ? LEAST_READS : (size_t)reads, batch->vectors);
}

/* ---- one batch ---- */

typedef struct {
    papara_input part;
    void *view;
    wl_expectation own, *expected; // that of the first entry with the same part
    wl_inputs inputs;
    wl_measurement measurement;
    void *state;
    size_t slices, timed;
    double only_ms; // of a long launch; else 0
    alachiotis_point point;
} entry;

static wl_status launch_entry(void *argument) {
    const entry *e = argument;
    return e->measurement.variant->launch(e->state);
}

static double computed_cells(const papara_input *in) {
    double sum = 0;
    for (size_t r = 0; r < in->reads.count; r++)
        sum += (double)in->reads.length[r] * (in->sites - in->reads.length[r] + 1.0);
    return sum * (double)in->vectors;
}

/* One launch from beginning to end; its result in *result, which the caller frees. */
static wl_status run_once(const alachiotis_run *run, entry *e, void **result) {
    const wl_variant *variant = e->measurement.variant;
    const wl_device *device = e->measurement.device;
    const wl_clockwork *clockwork = run->options.clockwork;
    wl_timing timing = {NAN, NAN};
    double begin = wl_now();
    wl_sources_note(variant->problem, variant->name);
    wl_status status = wl_device_use(device);
    if (status == WL_OK) status = variant->prepare(device, e->view, &e->state);
    if (status == WL_OK) status = clockwork->time(clockwork->context, device, (wl_timed){launch_entry, e}, 1, &timing);
    if (status == WL_OK && (*result = wl_poisoned(run->problem->output_size(e->view))) == NULL)
        status = wl_fail(WL_NO_MACHINE, "not enough memory for the scores");
    if (status == WL_OK) status = variant->collect(e->state, *result, 0);
    e->point.total_seconds = wl_now() - begin;
    if (timing.seconds >= long_launch && !(timing.clock < run->options.least_clock)) e->only_ms = 1e3 * timing.seconds;
    return status;
}

/* All results on one part are compared with the first one's that agrees with the reference, for a moment on all cores, on
   pairs that the seed chooses. The result is taken over or freed. */
static wl_status judge(const alachiotis_run *run, entry *e, void *result) {
    alachiotis_point *p = &e->point;
    wl_expectation *expected = e->inputs.expected;
    wl_status status;
    if (expected->result != NULL) {
        status = wl_compare(run->problem, e->view, expected->result, result, &p->verdict);
        snprintf(p->verdict.checked_by, sizeof p->verdict.checked_by,
                 "reference on %zu of %zu slices, another line on all", expected->sampled, e->slices);
    } else {
        status = wl_check_sample(&e->inputs, 0, result, &expected->sampled, &p->verdict);
        if (status == WL_OK) {
            expected->result = result;
            return WL_OK;
        }
        p->verdict.checked_by[0] = '\0'; // another line may be right
    }
    free(result);
    return status;
}

static void release(entry *e) {
    if (e->state != NULL && wl_device_use(e->measurement.device) == WL_OK) e->measurement.variant->release(e->state);
    e->state = NULL;
}

static void check(const alachiotis_run *run, entry *e) {
    alachiotis_point *p = &e->point;
    const wl_variant *variant = e->measurement.variant;
    const wl_device *device = e->measurement.device;
    void *result = NULL;
    e->slices = run->problem->slices(e->view);
    if (variant->launch_slices != NULL) { // a serial code; what it is timed on is compared in full
        e->timed = wl_choose_slices(&e->inputs, 0, variant, device, 0.1, run->options.clockwork);
        size_t slices = e->timed < e->slices ? e->timed : 0;
        wl_check_variant(&e->inputs, 0, variant, device, slices, &e->state, &p->verdict);
        return;
    }
    const char *reason = variant->supports != NULL ? variant->supports(device, e->view) : NULL;
    if (reason != NULL) {
        wl_verdict_set(&p->verdict, WL_NO_MACHINE, "%s", reason);
        return;
    }
    wl_status status = run_once(run, e, &result);
    if (status == WL_OK) {
        status = judge(run, e, result);
    } else {
        wl_verdict_set(&p->verdict, status, "%s", wl_error());
        free(result);
    }
    if (status != WL_OK) release(e);
}

/* After the last sample once more, on what the last launch left. */
static void check_again(entry *e) {
    wl_measurement *m = &e->measurement;
    size_t slices = e->timed < e->slices ? e->timed : 0;
    if (e->state == NULL || e->only_ms > 0 || !wl_passed(&e->point.verdict)) return;
    wl_verdict again;
    wl_status status = wl_check_again(&e->inputs, 0, m->variant, m->device, slices, e->state, &again);
    if (status != WL_OK) wl_verdict_set(&e->point.verdict, status, "%s", again.reason);
}

static wl_status keep(alachiotis_run *run, const alachiotis_point *point) {
    if (!WL_GROW(run->points, run->count, 1)) return wl_fail(WL_NO_MACHINE, "not enough memory for the points");
    run->points[run->count++] = *point;
    return WL_OK;
}

static wl_status finish(alachiotis_run *run, const papara_input *batch, entry *e) {
    alachiotis_point *p = &e->point;
    wl_measurement *m = &e->measurement;
    double *kept = malloc((m->sample_count + 1) * sizeof *kept);
    size_t count = 0;
    if (kept == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for the samples");
    for (size_t i = 0; i < m->sample_count; i++)
        if (!m->samples[i].discarded) kept[count++] = m->samples[i].ms;
    if (e->only_ms > 0) kept[count++] = e->only_ms;
    check_again(e);
    release(e);
    double work = run->problem->work(e->view);
    if (wl_failed(&m->row.verdict)) wl_verdict_set(&p->verdict, WL_CHECK_FAILED, "%s", m->row.verdict.reason);
    if (wl_passed(&p->verdict) && count > 0) {
        p->samples = count;
        p->ms = wl_summarize(kept, count);
        p->gcups = 1e-6 * work / p->ms.median;
        p->computed = 1e-6 * computed_cells(&e->part) / p->ms.median;
        p->joules = m->sample_count > 0 ? m->row.joules : NAN;
        p->watts = m->sample_count > 0 ? m->row.watts : NAN;
        p->seconds = 1e-3 * p->ms.median * run->problem->work(batch) / work;
        run->rates[p->line] = fmax(run->rates[p->line], p->gcups); // what disturbs it now is no measure for the next
    }
    p->share = work / run->problem->work(batch);
    if (e->timed > 0 && e->timed < e->slices) p->share *= (double)e->timed / (double)e->slices;
    if (m->variant->cost != NULL) {
        const char *limit;
        m->variant->cost(m->device, e->view, &p->cost);
        p->limit_gcups = 1e-9 * work / wl_limit_seconds(&p->cost, wl_rates_of(m->device, p->cost.rate), &limit);
        snprintf(p->limit, sizeof p->limit, "%s", limit);
    }
    WL_FREE(kept, m->samples, m->round_ms);
    return keep(run, p);
}

static void begin_entry(alachiotis_run *run, const papara_input *batch, const alachiotis_point *like,
                        alachiotis_line_number line, entry *entries, size_t index) {
    entry *e = &entries[index];
    *e = (entry){.part = choose_part(run, line, batch), .point = *like};
    e->view = &e->part;
    e->measurement = (wl_measurement){.variant = run->lines[line].variant, .device = run->lines[line].device};
    e->inputs = (wl_inputs){.problem = run->problem,
                            .count = 1,
                            .inputs = &e->view,
                            .expected = &e->own,
                            .seed = run->seed,
                            .sample_seconds = run->check_seconds};
    for (size_t i = 0; i < index; i++)
        if (entries[i].part.reads.count == e->part.reads.count && entries[i].part.vectors == e->part.vectors)
            e->inputs.expected = entries[i].inputs.expected;
    e->point.line = line;
    e->point.measured_reads = e->part.reads.count;
    e->point.measured_vectors = e->part.vectors;
}

/* Every line on one batch. `like` holds what their points have in common. */
static wl_status measure_batch(alachiotis_run *run, const papara_input *batch, const alachiotis_point *like) {
    entry entries[ALACHIOTIS_LINES];
    wl_contestant contestants[ALACHIOTIS_LINES];
    size_t count = 0, timed = 0;
    wl_status status = WL_OK;
    for (int line = 0; line < ALACHIOTIS_LINES; line++) {
        int is_cpu = line == ALACHIOTIS_SEQ || line == ALACHIOTIS_SIMD; // which the paper's launch fills
        if (run->lines[line].variant == NULL || (like->is_filling && is_cpu)) continue;
        begin_entry(run, batch, like, (alachiotis_line_number)line, entries, count);
        entry *e = &entries[count++];
        check(run, e);
        if (e->state == NULL || e->only_ms > 0) continue;
        contestants[timed++] = (wl_contestant){
            .measurement = &e->measurement, .states = &e->state, .slices = &e->slices, .timed = e->timed};
    }
    if (timed > 0) status = wl_take_rounds(contestants, timed, 1, &run->options);
    for (size_t i = 0; i < count; i++) {
        wl_status finished = finish(run, batch, &entries[i]);
        if (status == WL_OK) status = finished;
    }
    for (size_t i = 0; i < count; i++) free(entries[i].own.result); // others were compared with it
    return status;
}

/* ---- the tables ---- */

/* How many times the paper's vectors make a batch that fills a GPU: as many as a launch of a few seconds and a few gigabytes allow. */
static size_t filling_of(const alachiotis_run *run, uint32_t sites, size_t reads, size_t vectors, uint32_t length) {
    enum { MOST = 64 };
    if (run->gpus.count == 0) return 1;
    double rate = run->rates[ALACHIOTIS_LAST] > 0 ? run->rates[ALACHIOTIS_LAST] : 100;
    double cells = (double)reads * length * (double)vectors * sites, bytes = 4.0 * (double)vectors * sites;
    double memory = fmin(4e9, (double)wl_memory_available() / 8);
    size_t times = 2;
    while (times < MOST && 2 * (double)times * cells <= 1e9 * rate * launch_seconds(run, ALACHIOTIS_LAST) &&
           2 * (double)times * bytes <= memory)
        times *= 2;
    return (double)times * bytes <= memory ? times : 1;
}

/* A row of a table. */
static wl_status measure_row(alachiotis_run *run, const wl_paper *paper, alachiotis_point *like) {
    uint32_t length = (uint32_t)wl_paper_header_number(paper, "read_length");
    size_t times = filling_of(run, like->sites, like->reads, like->vectors, length);
    papara_random_recipe recipe = {.seed = run->seed,
                                   .penalties = PAPARA_PENALTIES,
                                   .vectors = like->vectors * times,
                                   .reads = like->reads,
                                   .sites = like->sites,
                                   .read_length = length,
                                   .shortest = length - length / 10,
                                   .longest = length + length / 10};
    papara_owned_input made;
    if (run->progress)
        fprintf(stderr, "\rTable %d: %zu reads against vectors of %u sites\033[K", like->table, like->reads,
                like->sites);
    WL_TRY(papara_generate(&recipe, &made));
    papara_input launch = part_of(&made.input, like->reads, like->vectors);
    wl_status status = measure_batch(run, &launch, like);
    if (status == WL_OK && times > 1) {
        like->is_filling = 1;
        like->vectors *= times;
        status = measure_batch(run, &made.input, like);
    }
    papara_owned_input_free(&made);
    return status;
}

/* With --quick a serial pair at 500,000 sites, and vectors of gigabytes, are left out. */
enum { QUICK_SITES_MOST = 50000 };

wl_status alachiotis_sweep(alachiotis_run *run, int table) {
    const wl_paper *paper = &run->tables[table - 1];
    wl_status status = WL_OK;
    for (int line = 0; line < ALACHIOTIS_LINES; line++) run->rates[line] = 0;
    for (size_t row = 0; status == WL_OK && row < paper->rows; row++) {
        alachiotis_point like = alachiotis_unmeasured;
        alachiotis_dimensions(paper, table, row, &like);
        if (!run->quick || like.sites <= QUICK_SITES_MOST) status = measure_row(run, paper, &like);
    }
    if (run->progress) fputs("\r\033[K", stderr);
    return status;
}
