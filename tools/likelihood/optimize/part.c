/* One alignment of those whose likelihoods are multiplied: its engine's states, and its share of a branch's derivatives. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "tools/likelihood/optimize/internal.h"

enum { PIECE = 1024 }; // columns

static wl_status allocate(optimize_part *part) {
    const size_t patterns = part->l->input.data.patterns + (size_t)1;
    const size_t each = part->classes > 1 ? 3 * part->classes * patterns : 1;
    if (WL_ALLOCATE(WL_ARRAY(part->model, part->classes), WL_ARRAY(part->edges, part->l->tree.nodes),
                    WL_ARRAY(part->sum[0], patterns), WL_ARRAY(part->sum[1], patterns),
                    WL_ARRAY(part->sum[2], patterns), WL_ARRAY(part->class_sum, each),
                    WL_ARRAY(part->exponent, part->classes > 1 ? patterns : 1), WL_ZEROS(part->constant, patterns),
                    WL_ARRAY(part->common, patterns), WL_ARRAY(part->added, patterns / PIECE + 1)))
        return WL_OK;
    return wl_fail(WL_NO_MACHINE, "not enough memory for %zu patterns", patterns);
}

/* A column's likelihood in rate classes of rate 0: those of +I, or of an alpha so small that the slowest class stands still. Each state's
   first rate class is looked at; others of rate 0 are computed like any class. */
static void find_constant(optimize_part *part) {
    const peeling_data *data = &part->l->input.data;
    part->has_constant = 0;
    for (size_t k = 0; k < part->classes; k++) part->has_constant |= part->model[k].rate[0] == 0;
    memset(part->constant, 0, data->patterns * sizeof *part->constant);
    for (uint32_t p = 0; p < data->patterns && part->has_constant; p++)
        for (size_t k = 0; k < part->classes; k++) {
            const peeling_model *model = &part->model[k];
            for (int i = 0; i < model->states && model->rate[0] == 0; i++)
                if (part->common[p] >> i & 1)
                    part->constant[p] += part->share[k] * model->share[0] * model->frequency[i];
        }
}

static void find_common(optimize_part *part) {
    const peeling_data *data = &part->l->input.data;
    for (uint32_t p = 0; p < data->patterns; p++) part->common[p] = ~(uint64_t)0;
    for (uint32_t t = 0; t < data->tips; t++)
        for (uint32_t p = 0; p < data->patterns; p++)
            part->common[p] &= data->set[data->code[(size_t)t * data->patterns + p]];
}

wl_status optimize_part_model(optimize_part *part) {
    for (size_t k = 0; k < part->classes; k++) {
        WL_TRY(peeling_model_make_part(&part->l->settings, (int)k, &part->model[k], &part->share[k]));
        if (part->state[k]) WL_TRY(part->engine->set_model(part->state[k], &part->model[k]));
        if (part->passing[k]) WL_TRY(part->passing_engine->set_model(part->passing[k], &part->model[k]));
    }
    find_constant(part);
    return WL_OK;
}

/* A device adds columns up itself: of one model, without a correction for columns that were not seen. */
static int suits_device(const optimize_part *part) {
    return part->classes == 1 && part->l->columns.data.patterns == part->l->input.data.patterns;
}

/* Engines for part->input[0] and part->passing_input[0], which stand for all classes. */
static wl_status find_engines(const wl_device *device, optimize_part *part) {
    const char *why = NULL;
    part->engine = peeling_engine_find_branches(device, &part->input[0], &why);
    if (part->engine) part->passing_engine = peeling_engine_find(device, NULL, &part->passing_input[0], &why);
    return part->engine && part->passing_engine ? WL_OK : wl_fail(WL_NO_MACHINE, "%s", why);
}

static wl_status open_states(const wl_device *device, optimize_part *part) {
    WL_TRY(wl_device_use(device));
    for (size_t k = 0; k < part->classes; k++) {
        WL_TRY(part->engine->open(device, &part->input[k], &part->state[k]));
        WL_TRY(part->engine->branches->open(part->state[k]));
        WL_TRY(part->passing_engine->open(device, &part->passing_input[k], &part->passing[k]));
    }
    return WL_OK;
}

wl_status optimize_part_open(const peeling_optimize_request *request, uint32_t more_partials, peeling_likelihood *l,
                             optimize_part *part) {
    const wl_device *cpu = &request->cpu, *device = request->device;
    *part = (optimize_part){.l = l, .scale = 1, .classes = (size_t)peeling_parts_of(&l->settings)};
    for (uint32_t c = 0; c < l->columns.data.patterns; c++) part->columns += l->columns.data.weight[c];
    part->threads = cpu->multiprocessors > 0 ? cpu->multiprocessors : omp_get_max_threads();
    WL_TRY(allocate(part));
    find_common(part);
    WL_TRY(optimize_part_model(part));
    for (size_t k = 0; k < part->classes; k++) {
        part->input[k] = l->input;
        part->input[k].precision = PEELING_DOUBLE;
        part->input[k].model = &part->model[k];
        part->passing_input[k] = part->input[k];
        part->passing_input[k].work_only = 1;
        part->input[k].partials += more_partials;
        part->input[k].work_only = 0;
    }
    if (device && suits_device(part)) {
        if (find_engines(device, part) == WL_OK) return open_states(device, part);
        peeling_likelihood_note(request->read, "the search runs on the CPU: %s", wl_error());
    }
    WL_TRY(find_engines(cpu, part));
    return open_states(cpu, part);
}

void optimize_part_close(optimize_part *part) {
    for (size_t k = 0; k < part->classes; k++) {
        if (part->state[k]) part->engine->release(part->state[k]);
        if (part->passing[k]) part->passing_engine->release(part->passing[k]);
    }
    WL_FREE(part->model, part->edges, part->sum[0], part->sum[1], part->sum[2], part->class_sum, part->exponent,
            part->common, part->constant, part->added);
}

/* --- The likelihood ---------------------------------------------------------------------------------------------- */

wl_status optimize_part_evaluate(optimize_part *part, const double *length, int keep, double *total) {
    peeling_likelihood *l = part->l;
    const peeling_engine *engine = keep ? part->engine : part->passing_engine;
    void *const *state = keep ? part->state : part->passing;
    const uint32_t patterns = l->input.data.patterns;
    for (uint32_t v = 0; v + 1 < l->tree.nodes; v++)
        part->edges[v] = (peeling_edge){.matrix = v, .length = part->scale * length[v]};
    peeling_work work = l->input.work;
    work.edges = part->edges;
    part->evaluations++;
    if (keep && engine->branches->constant)
        WL_TRY(engine->branches->constant(state[0], part->has_constant ? part->constant : NULL));
    for (size_t k = 0; k < part->classes; k++) {
        double *site = part->classes > 1 ? part->sum[0] : l->settings.variable_only ? l->site : NULL;
        WL_TRY(peeling_engine_run(engine, state[k], &work));
        WL_TRY(engine->result(state[k], &l->total, site, 0));
        for (uint32_t p = 0; p < patterns && part->classes > 1; p++) {
            const double of_class = log(part->share[k]) + site[p];
            l->site[p] = k == 0 ? of_class : peeling_log_of_sum(l->site[p], of_class);
        }
    }
    if (part->classes > 1) {
        l->total = 0;
        for (uint32_t p = 0; p < patterns; p++) l->total += l->input.data.weight[p] * l->site[p];
    }
    peeling_likelihood_correct(l);
    *total = l->total;
    return WL_OK;
}

/* --- Derivatives ------------------------------------------------------------------------------------------------- */

/* Sums of all classes in part->sum, each column's times 2^exponent[c]: one, or three with derivatives. */
static const int32_t *sum_classes(optimize_part *part, uint32_t ends, double length, int count) {
    const peeling_branches *branches = part->engine->branches;
    const size_t patterns = part->l->input.data.patterns;
    const int32_t *exponent[PEELING_PARTS_MOST];
    if (part->classes == 1) {
        branches->at(part->state[0], ends, length, count, part->sum, &exponent[0]);
        return exponent[0];
    }
    for (size_t k = 0; k < part->classes; k++) {
        double *own = part->class_sum + 3 * k * patterns;
        branches->at(part->state[k], ends, length, count, (double *const[]){own, own + patterns, own + 2 * patterns},
                     &exponent[k]);
    }
    for (size_t c = 0; c < patterns; c++) {
        int32_t most = exponent[0][c]; // a class that makes the column impossible has the least of all exponents
        for (size_t k = 1; k < part->classes; k++) most = exponent[k][c] > most ? exponent[k][c] : most;
        part->exponent[c] = most;
        part->sum[0][c] = part->sum[1][c] = part->sum[2][c] = 0;
        for (size_t k = 0; k < part->classes; k++) {
            const double weight = ldexp(part->share[k], exponent[k][c] - most);
            for (int d = 0; d < count; d++)
                part->sum[d][c] += weight * part->class_sum[(3 * k + (size_t)d) * patterns + c];
        }
    }
    return part->exponent;
}

/* What columns [from, to) add to the height, or to the slope and the curvature. */
static void add_columns(const optimize_part *part, const int32_t *exponent, uint32_t from, uint32_t to, int heights,
                        double scaled, double added[3]) {
    const double *weight = part->l->input.data.weight;
    double height = 0, first = 0, second = 0;
    for (uint32_t c = from; c < to; c++) {
        double sum = part->sum[0][c];
        if (part->constant[c] > 0) sum += ldexp(part->constant[c], -exponent[c]);
        if (heights) {
            height += weight[c] * log(sum);
            continue;
        }
        /* Rounding made it 0: a change so rare that it needs all of the length. */
        const double one = sum > 0 ? part->sum[1][c] / sum : 1 / scaled;
        const double two = sum > 0 ? part->sum[2][c] / sum : 0;
        first += weight[c] * one;
        second += weight[c] * (two - one * one);
    }
    added[0] = height;
    added[1] = first;
    added[2] = second;
}

static void add_slopes(optimize_part *part, uint32_t ends, double length, int heights, peeling_slopes *all) {
    const uint32_t seen = part->l->columns.data.patterns, patterns = part->l->input.data.patterns;
    const double scaled = part->scale * length;
    const int derivatives = heights ? 0 : 2;
    const int32_t *exponent = sum_classes(part, ends, scaled, 1 + derivatives);
    double height = 0, first = 0, second = 0;
    /* Pieces are added up in their order, whichever thread has done them. */
#pragma omp parallel for schedule(static) num_threads(part->threads) if (part->threads > 1 && seen > PIECE)
    for (uint32_t c = 0; c < seen; c += PIECE)
        add_columns(part, exponent, c, seen - c < PIECE ? seen : c + PIECE, heights, scaled, part->added[c / PIECE]);
    for (uint32_t i = 0; i * PIECE < seen; i++) {
        height += part->added[i][0];
        first += part->added[i][1];
        second += part->added[i][2];
    }
    if (patterns > seen) { // divided by 1 - the likelihood of all constant columns
        double sum[3] = {0};
        for (uint32_t c = seen; c < patterns; c++) {
            sum[0] += part->constant[c];
            for (int d = 0; d <= derivatives; d++) sum[d] += ldexp(part->sum[d][c], exponent[c]);
        }
        const double one = sum[1] / (1 - sum[0]), two = sum[2] / (1 - sum[0]);
        height -= part->columns * log1p(-sum[0]);
        first += part->columns * one;
        second += part->columns * (two + one * one);
    }
    all->height += height;
    all->slope += part->scale * first;
    all->curvature += part->scale * part->scale * second;
}

wl_status optimize_part_slopes(optimize_part *part, uint32_t ends, const double *length, int count, int heights,
                               peeling_slopes *all) {
    const peeling_branches *branches = part->engine->branches;
    const double scale = part->scale;
    double scaled[PEELING_LENGTHS_MOST];
    peeling_slopes own[PEELING_LENGTHS_MOST];
    for (int i = 0; i < count; i++) {
        scaled[i] = scale * length[i];
        if (branches->at) add_slopes(part, ends, length[i], heights, &all[i]);
    }
    if (branches->at) return WL_OK;
    WL_TRY(branches->sums(part->state[0], ends, scaled, count, heights, own));
    for (int i = 0; i < count; i++) {
        all[i].height += own[i].height;
        all[i].slope += scale * own[i].slope;
        all[i].curvature += scale * scale * own[i].curvature;
    }
    return WL_OK;
}
