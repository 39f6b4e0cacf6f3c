/* Rounds of branch lengths, one after the other, and of each model's numbers, until a round gains nothing. */
#include "tools/likelihood/optimize/optimize.h"

#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "tools/likelihood/optimize/internal.h"

enum { ROUNDS_MOST = 500, STEPS_MOST = 400 };
#define ENOUGH 1e-5     // a round's gain in log-likelihood after which there is no other
#define DIFFERENCE 1e-6 // of a number, for a slope

/* --- Beginning and end ------------------------------------------------------------------------------------------- */

static void take_lengths(optimize_state *s, double scale) {
    const peeling_tree *tree = s->tree;
    const uint32_t *top = tree->child[tree->nodes - 1];
    for (uint32_t v = 0; v < tree->nodes; v++) s->length[v] = tree->length[v] / scale;
    s->joined = tree->joined[top[0]] ? top[1] : top[0];
    s->other = s->joined == top[0] ? top[1] : top[0];
    const double both = s->length[top[0]] + s->length[top[1]];
    s->ratio = tree->joined[s->other] ? 1 : both > 0 ? s->length[s->joined] / both : 0.5;
    s->length[s->joined] = both;
    s->length[s->other] = 0;
}

/* Lengths within bounds, from where they may be moved. */
static void bound_lengths(optimize_state *s) {
    for (uint32_t v = 0; v + 1 < s->tree->nodes; v++)
        if (v != s->other && !s->tree->joined[v]) s->length[v] = fmin(fmax(s->length[v], LENGTH_LOW), LENGTH_HIGH);
}

static wl_status give_lengths(const optimize_state *s, peeling_likelihood *l, double scale) {
    const uint32_t root = l->tree.nodes - 1;
    for (uint32_t v = 0; v < root; v++) l->tree.length[v] = scale * s->length[v];
    l->tree.length[s->other] = (1 - s->ratio) * l->tree.length[s->joined];
    l->tree.length[s->joined] *= s->ratio;
    for (uint32_t v = 0; v < root; v++) l->edges[v].length = l->tree.length[v];
    double share;
    return peeling_model_make_part(&l->settings, 0, &l->model, &share);
}

/* --- The models -------------------------------------------------------------------------------------------------- */

typedef struct {
    optimize_state *s;
    optimize_part *part;
    optimize_numbers numbers;
    int scales; // the last number is the logarithm of a factor of all lengths, or of the part's
    double *length, scale;
    double best, best_x[NUMBERS_MOST + 1];
    wl_status status;
} search;

static double log_likelihood(search *m, const double *x) {
    double total = -INFINITY;
    optimize_numbers_set(&m->numbers, x);
    const double factor = m->scales ? exp(x[m->numbers.count]) : 1;
    m->part->scale = m->scale * factor;
    if (m->status == WL_OK) m->status = optimize_part_model(m->part);
    if (m->status == WL_OK) m->status = optimize_part_evaluate(m->part, m->s->length, &total);
    return total;
}

static double minimised(unsigned count, const double *x, double *slope, void *data) {
    search *m = data;
    const double total = log_likelihood(m, x), per_column = 1 / m->part->columns;
    if (total > m->best) {
        m->best = total;
        memcpy(m->best_x, x, count * sizeof *x);
    }
    double moved[NUMBERS_MOST + 1];
    memcpy(moved, x, count * sizeof *x);
    for (unsigned i = 0; slope && i < count; i++) slope[i] = 0;
    for (unsigned i = 0; slope && i < count && isfinite(total); i++) {
        const int inside = (int)i >= m->numbers.count || x[i] + DIFFERENCE <= m->numbers.high[i];
        moved[i] = x[i] + (inside ? DIFFERENCE : -DIFFERENCE);
        slope[i] = -(log_likelihood(m, moved) - total) / (moved[i] - x[i]) * per_column;
        if (!isfinite(slope[i])) slope[i] = 0;
        moved[i] = x[i];
    }
    if (isfinite(total) && m->status == WL_OK) return -total * per_column;
    return 1e10;
}

/* One part's numbers, lengths being as they are, but for a factor. */
static wl_status search_model(optimize_state *s, optimize_part *part, const peeling_optimize_request *request,
                              double enough, double *total) {
    search *m = calloc(1, sizeof *m);
    if (m == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a model's numbers");
    *m = (search){.s = s, .part = part, .scale = part->scale, .best = -INFINITY};
    if (request->model) optimize_numbers_of(&part->l->settings, &m->numbers);
    m->scales = request->branches && (s->count == 1 || request->scaled);
    const unsigned count = (unsigned)(m->numbers.count + m->scales);
    double x[NUMBERS_MOST + 1], least;
    optimize_numbers_get(&m->numbers, x);
    if (m->scales) {
        x[m->numbers.count] = 0;
        /* NLopt refuses a start beyond them, and at a bound rounding may bring it there. */
        m->numbers.low[m->numbers.count] = fmin(log(1e-3 / part->scale), 0);
        m->numbers.high[m->numbers.count] = fmax(log(1e3 / part->scale), 0);
    }
    if (m->numbers.count > 0 || (m->scales && s->count > 1)) {
        nlopt_opt engine = nlopt_create(NLOPT_LD_SLSQP, count);
        if (engine == NULL) m->status = wl_fail(WL_NO_MACHINE, "NLopt has no memory for %u numbers", count);
        if (engine) {
            nlopt_set_lower_bounds(engine, m->numbers.low);
            nlopt_set_upper_bounds(engine, m->numbers.high);
            nlopt_set_min_objective(engine, minimised, m);
            nlopt_set_ftol_abs(engine, enough / part->columns);
            nlopt_set_maxeval(engine, STEPS_MOST);
            nlopt_optimize(engine, x, &least); // whatever ends it: the best is kept
            nlopt_destroy(engine);
        }
        if (m->status == WL_OK && isfinite(m->best)) {
            *total = log_likelihood(m, m->best_x); // for models and vectors to be those
            const double factor = part->scale / m->scale;
            if (s->count == 1) {
                part->scale = 1;
                for (uint32_t v = 0; v + 1 < s->tree->nodes; v++) s->length[v] *= factor;
            }
        }
    }
    const wl_status status = m->status;
    free(m);
    return status;
}

/* --- All of it --------------------------------------------------------------------------------------------------- */

static wl_status evaluate(optimize_state *s, double *of_part, double *total) {
    *total = 0;
    for (size_t p = 0; p < s->count; p++) {
        WL_TRY(optimize_part_evaluate(&s->parts[p], s->length, &of_part[p]));
        *total += of_part[p];
    }
    return WL_OK;
}

static wl_status walk(optimize_state *s, double *of_part, double *before, double *total) {
    const size_t nodes = s->tree->nodes;
    for (int turn = 0; turn < 4; turn++) {
        double now;
        memcpy(before, s->length, nodes * sizeof *before);
        optimize_walk(s, turn == 0 ? 1e-4 : 1e-7);
        WL_TRY(evaluate(s, of_part, &now));
        if (!(now >= *total)) { // of a column that rounding alone makes possible
            memcpy(s->length, before, nodes * sizeof *before);
            return evaluate(s, of_part, total);
        }
        const double gain = now - *total;
        *total = now;
        if (gain < 0.1) break;
    }
    return WL_OK;
}

static wl_status run(optimize_state *s, const peeling_optimize_request *request, double *of_part, double *before,
                     peeling_optimized *made) {
    double total, gain = 1;
    WL_TRY(evaluate(s, of_part, &total));
    for (made->rounds = 1;; made->rounds++) {
        const double old = total;
        if (request->branches) WL_TRY(walk(s, of_part, before, &total));
        for (size_t p = 0; p < s->count; p++)
            WL_TRY(search_model(s, &s->parts[p], request, fmin(fmax(1e-2 * gain, 1e-7), 1e-2), &of_part[p]));
        total = 0;
        for (size_t p = 0; p < s->count; p++) total += of_part[p];
        gain = isfinite(old) ? total - old : 1;
        if (request->progress) request->progress(made->rounds, total);
        if (!isfinite(total)) break; // a column that cannot be, whatever the numbers
        if (gain < ENOUGH || made->rounds == ROUNDS_MOST) break;
    }
    made->log_likelihood = total;
    return WL_OK;
}

/* The tree's lengths are those of a part of scale 1: on average, by columns. */
static wl_status finish(optimize_state *s, const peeling_optimize_request *request, peeling_optimized *made) {
    double sum = 0, columns = 0;
    for (size_t p = 0; p < s->count; p++) {
        sum += s->parts[p].scale * s->parts[p].columns;
        columns += s->parts[p].columns;
        made->evaluations += s->parts[p].evaluations;
    }
    for (size_t p = 0; p < s->count; p++) {
        if (request->branches) made->scale[p] = s->parts[p].scale * columns / sum;
        WL_TRY(give_lengths(s, s->parts[p].l, s->parts[p].scale));
    }
    return WL_OK;
}

static wl_status open_all(optimize_state *s, const peeling_optimize_request *request, peeling_likelihood *const *parts,
                          size_t count, const double *scale) {
    const uint32_t more = optimize_walk_partials(s->tree);
    take_lengths(s, scale[0]);
    if (request->branches) bound_lengths(s);
    WL_TRY(optimize_walk_open(s));
    for (; s->count < count; s->count++) {
        WL_TRY(optimize_part_open(&request->cpu, more, parts[s->count], &s->parts[s->count]));
        s->parts[s->count].scale = scale[s->count];
    }
    return WL_OK;
}

/* Where lengths are kept. */
static wl_status require_numbers(peeling_likelihood *const *parts, size_t count) {
    char name[PEELING_NAME];
    for (size_t p = 0; p < count; p++) {
        optimize_numbers numbers;
        optimize_numbers_of(&parts[p]->settings, &numbers);
        if (numbers.count > 0) return WL_OK;
    }
    return wl_fail(
        WL_BAD_USAGE,
        "option --optimize: found model, and %s has no number to estimate, or all are given; expected branches",
        peeling_model_name(&parts[0]->settings, name));
}

wl_status peeling_optimize(const peeling_optimize_request *request, peeling_likelihood *const *parts, size_t count,
                           peeling_optimized *made) {
    optimize_state s = {.tree = &parts[0]->tree};
    double *of_part = NULL, *before = NULL;
    if (!request->branches) WL_TRY(require_numbers(parts, count));
    made->rounds = 0;
    made->evaluations = 0;
    if (!WL_ALLOCATE(WL_ARRAY(s.length, s.tree->nodes), WL_ARRAY(before, s.tree->nodes), WL_ARRAY(of_part, count),
                     WL_ZEROS(s.parts, count)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu parts", count);
    wl_status status = open_all(&s, request, parts, count, made->scale);
    if (status == WL_OK) status = run(&s, request, of_part, before, made);
    if (status == WL_OK) status = finish(&s, request, made);
    for (size_t p = 0; p < count; p++)
        if (s.parts[p].l) optimize_part_close(&s.parts[p]);
    WL_FREE(s.length, before, of_part, s.parts, s.steps);
    return status;
}
