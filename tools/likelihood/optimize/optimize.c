/* Rounds of branch lengths, one after the other, and of each model's numbers, until a round gains nothing. */
#include "tools/likelihood/optimize/optimize.h"

#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "tools/likelihood/optimize/internal.h"

enum { ROUNDS_MOST = 500, LOOKING = 2, STEPS_MOST = 400 };
#define ENOUGH 1e-4     // a round's gain in log-likelihood after which there is no other
#define FURTHER 30      // times the larger of a climb's last two gains: no more comes
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
    if (m->status == WL_OK) m->status = optimize_part_evaluate(m->part, m->s->length, 0, &total);
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

static double mean_scale(const optimize_state *s, const optimize_part *without) {
    double sum = 0, columns = 0;
    for (size_t p = 0; p < s->count; p++) {
        if (&s->parts[p] != without) sum += s->parts[p].scale * s->parts[p].columns;
        columns += s->parts[p].columns;
    }
    return sum / columns;
}

/* The factor of this part's lengths with which the tree's longest branch, of the mean over all columns, is as long as it may be. */
static double most_longer(const optimize_state *s, const optimize_part *part) {
    double longest = LENGTH_LOW;
    for (uint32_t v = 0; v + 1 < s->tree->nodes; v++) longest = fmax(longest, s->length[v]);
    const double others = mean_scale(s, part), all = mean_scale(s, NULL);
    return all > others ? (LENGTH_HIGH / longest - others) / (all - others) : 1;
}

/* Lengths of the tree are the mean over all columns, and no shorter than a branch may be. */
static void scale_lengths(optimize_state *s) {
    const double factor = mean_scale(s, NULL);
    for (uint32_t v = 0; v + 1 < s->tree->nodes; v++)
        if (v != s->other && !s->tree->joined[v])
            s->length[v] = fmin(fmax(factor * s->length[v], LENGTH_LOW), LENGTH_HIGH);
    for (size_t p = 0; p < s->count; p++) s->parts[p].scale /= factor;
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
        m->numbers.high[m->numbers.count] = fmax(log(fmin(1e3 / part->scale, most_longer(s, part))), 0);
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
            *total = log_likelihood(m, m->best_x); // for models to be those
        }
    }
    const wl_status status = m->status;
    free(m);
    return status;
}

/* --- All of it --------------------------------------------------------------------------------------------------- */

/* With `keep`, a walk can begin. */
static wl_status evaluate(optimize_state *s, int keep, double *of_part, double *total) {
    *total = 0;
    for (size_t p = 0; p < s->count; p++) {
        WL_TRY(optimize_part_evaluate(&s->parts[p], s->length, keep, &of_part[p]));
        *total += of_part[p];
    }
    return WL_OK;
}

/* Only the first rounds look at other lengths than the branches have: it takes longer than all else. */
static wl_status walk(optimize_state *s, int round, double *of_part, double *before, double *total) {
    const size_t nodes = s->tree->nodes;
    for (int turn = 0; turn < 4; turn++) {
        double now;
        memcpy(before, s->length, nodes * sizeof *before);
        WL_TRY(optimize_walk(s, turn == 0 ? 1e-4 : 1e-7, turn == 0 && round <= LOOKING));
        WL_TRY(evaluate(s, 0, of_part, &now)); // the walk has kept all vectors up to date
        if (!(now >= *total)) {                // of a column that rounding alone makes possible
            memcpy(s->length, before, nodes * sizeof *before);
            return evaluate(s, 1, of_part, total);
        }
        const double gain = now - *total;
        *total = now;
        if (gain < 0.1) break;
    }
    return WL_OK;
}

/* Where numbers and lengths are. */
typedef struct {
    peeling_settings *settings; // [parts]
    double *scale, *length;     // [parts], [nodes]
} place;

/* Whether a climb will not come above `highest`, judged by its last two gains, of which every second one is small; or comes to the numbers
   of `best`. */
static int is_lost(const optimize_state *s, const place *best, double highest, double total, double before,
                   double gain) {
    if (!isfinite(highest) || total > highest) return 0;
    if (highest - total > FURTHER * fmax(gain, before)) return 1;
    int near = highest - total < 0.01 && fmax(gain, before) < 1e-3;
    for (size_t p = 0; p < s->count && near; p++) {
        const peeling_settings *here = &s->parts[p].l->settings, *there = &best->settings[p];
        near = fabs(here->invariant - there->invariant) < 0.01 && fabs(log(here->alpha / there->alpha)) < 0.05;
    }
    return near;
}

/* Rounds from the numbers and lengths as they are; fewer if they will not come above `highest`, which is where `best` is. */
static wl_status climb(optimize_state *s, const peeling_optimize_request *request, const place *best, double highest,
                       double *of_part, double *before, peeling_optimized *made) {
    double total, gain = 1, last_gain = 0;
    WL_TRY(evaluate(s, 1, of_part, &total));
    for (int round = 1;; round++) {
        const double old = total;
        if (request->branches) WL_TRY(walk(s, round, of_part, before, &total));
        for (size_t p = 0; p < s->count; p++)
            WL_TRY(search_model(s, &s->parts[p], request, fmin(fmax(1e-2 * gain, 1e-7), 1e-2), &of_part[p]));
        if (request->branches) scale_lengths(s);
        WL_TRY(evaluate(s, 1, of_part, &total));
        last_gain = gain;
        gain = isfinite(old) ? total - old : 1;
        made->rounds++;
        if (request->progress) request->progress(made->rounds, total);
        if (!isfinite(total)) break; // a column that cannot be, whatever the numbers
        if (gain < ENOUGH || round == ROUNDS_MOST) break;
        if (round > 2 && is_lost(s, best, highest, total, last_gain, gain)) break;
    }
    made->log_likelihood = total;
    return WL_OK;
}

static void keep(const optimize_state *s, place *at) {
    for (size_t p = 0; p < s->count; p++) {
        at->settings[p] = s->parts[p].l->settings;
        at->scale[p] = s->parts[p].scale;
    }
    memcpy(at->length, s->length, s->tree->nodes * sizeof *at->length);
}

static wl_status go_back(optimize_state *s, const place *at) {
    for (size_t p = 0; p < s->count; p++) {
        s->parts[p].l->settings = at->settings[p];
        s->parts[p].scale = at->scale[p];
        WL_TRY(optimize_part_model(&s->parts[p]));
    }
    memcpy(s->length, at->length, s->tree->nodes * sizeof *at->length);
    return WL_OK;
}

/* +I and +G explain the same columns in two ways, so that their likelihood has several maxima. Climbs begin where +I is all of it, where
   +G is, and between; from the best so far, from the first place, or with equal lengths. A number below 0 stays as it is. */
static const struct {
    double of_constant, alpha; // +I's share of the columns that may be constant
    enum { BEST, FIRST, EQUAL } from;
} starts[] = {{0, -1, BEST},     {-1, 1e6, BEST},   {0.9, 0.1, BEST},  {0.5, 0.3, FIRST}, {0.98, 1, FIRST},
              {0.9, 0.1, EQUAL}, {0.5, 0.5, EQUAL}, {0.9, 100, EQUAL}, {0, 1, EQUAL}};
enum {
    STARTS = sizeof starts / sizeof *starts,
    NEAR = 3,           // of them begin at the best lengths
    COLUMNS_FEW = 1000, // of more columns lengths are so sure that other beginnings were never better
};
#define EQUAL_LENGTH 0.1

static double constant_share(const peeling_likelihood *l) {
    double constant = 0, all = 0;
    for (uint32_t p = 0; p < l->columns.data.patterns; p++) {
        all += l->columns.data.weight[p];
        if (peeling_columns_may_be_constant(&l->columns, p)) constant += l->columns.data.weight[p];
    }
    return all > 0 ? constant / all : 0;
}

static int has_invariant(const peeling_settings *settings) {
    return settings->has_invariant && !(settings->given & PEELING_GIVEN_INVARIANT);
}

static int has_alpha(const peeling_settings *settings) {
    return settings->rates > 1 && !settings->free_rates && !(settings->given & PEELING_GIVEN_ALPHA);
}

/* How many of the starts are worth their time. */
static size_t starts_of(const optimize_state *s) {
    double columns = 0;
    int both = 0;
    for (size_t p = 0; p < s->count; p++) {
        const peeling_settings *settings = &s->parts[p].l->settings;
        both |= has_invariant(settings) && has_alpha(settings);
        columns += s->parts[p].columns;
    }
    if (columns < COLUMNS_FEW) return both ? STARTS : NEAR;
    return both ? NEAR : 0; // one number that so many columns tell has one maximum
}

/* 0: no part has a number to begin elsewhere. */
static int begin_at(optimize_state *s, size_t start) {
    int any = 0;
    for (size_t p = 0; p < s->count; p++) {
        peeling_settings *settings = &s->parts[p].l->settings;
        const int sets_invariant = has_invariant(settings) && starts[start].of_constant >= 0;
        const int sets_alpha = has_alpha(settings) && starts[start].alpha >= 0;
        if (sets_invariant) settings->invariant = starts[start].of_constant * fmin(constant_share(s->parts[p].l), 0.99);
        if (sets_alpha) settings->alpha = starts[start].alpha;
        any |= sets_invariant || sets_alpha;
    }
    return any;
}

static wl_status go_to_start(optimize_state *s, size_t start, const place *first, const place *best) {
    WL_TRY(go_back(s, starts[start].from == BEST ? best : first));
    for (uint32_t v = 0; v + 1 < s->tree->nodes && starts[start].from == EQUAL; v++)
        if (v != s->other && !s->tree->joined[v]) s->length[v] = EQUAL_LENGTH;
    return WL_OK;
}

static wl_status run(optimize_state *s, const peeling_optimize_request *request, double *of_part, double *before,
                     place *first, place *best, peeling_optimized *made) {
    keep(s, first);
    WL_TRY(climb(s, request, best, -INFINITY, of_part, before, made));
    double highest = made->log_likelihood;
    keep(s, best);
    const size_t count = request->model && isfinite(highest) ? starts_of(s) : 0;
    for (size_t start = 0; start < count; start++) {
        WL_TRY(go_to_start(s, start, first, best));
        if (!begin_at(s, start)) continue;
        for (size_t p = 0; p < s->count; p++) WL_TRY(optimize_part_model(&s->parts[p]));
        WL_TRY(climb(s, request, best, highest, of_part, before, made));
        if (made->log_likelihood > highest) {
            highest = made->log_likelihood;
            keep(s, best);
        }
    }
    made->log_likelihood = highest;
    return go_back(s, best);
}

static wl_status finish(optimize_state *s, const peeling_optimize_request *request, peeling_optimized *made) {
    for (size_t p = 0; p < s->count; p++) {
        made->evaluations += s->parts[p].evaluations;
        if (request->branches) made->scale[p] = s->parts[p].scale;
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
        WL_TRY(optimize_part_open(request, more, parts[s->count], &s->parts[s->count]));
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
    place first, best;
    if (!request->branches) WL_TRY(require_numbers(parts, count));
    made->rounds = 0;
    made->evaluations = 0;
    if (!WL_ALLOCATE(WL_ARRAY(s.length, s.tree->nodes), WL_ARRAY(before, s.tree->nodes), WL_ARRAY(of_part, count),
                     WL_ZEROS(s.parts, count), WL_ARRAY(best.settings, count), WL_ARRAY(best.scale, count),
                     WL_ARRAY(best.length, s.tree->nodes), WL_ARRAY(first.settings, count),
                     WL_ARRAY(first.scale, count), WL_ARRAY(first.length, s.tree->nodes)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu parts", count);
    wl_status status = open_all(&s, request, parts, count, made->scale);
    if (status == WL_OK) status = run(&s, request, of_part, before, &first, &best, made);
    if (status == WL_OK) status = finish(&s, request, made);
    for (size_t p = 0; p < count; p++)
        if (s.parts[p].l) optimize_part_close(&s.parts[p]);
    WL_FREE(s.length, before, of_part, s.parts, s.steps, best.settings, best.scale, best.length, first.settings,
            first.scale, first.length);
    return status;
}
