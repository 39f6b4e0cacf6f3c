/* Sequences evolve down a random tree, column by column, each from a random stream of its own. */
#include "peeling/simulate/simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "peeling/reference.h"

enum { TREE_STREAM = 0, COLUMN_STREAMS = 1, COLUMNS_A_PATTERN = 16, BATCH = 4096 };

/* --- Sets of states ---------------------------------------------------------------------------------------------- */

/* Codes from S on: the full set; then of each state s the pair s, s + 1; then the three s, s + 1, s + S / 2. */
static uint32_t code_count(const peeling_recipe *recipe, uint32_t states) {
    return recipe->ambiguous > 0 ? 3 * states + 1 : recipe->missing > 0 ? states + 1 : states;
}

static uint64_t set_of(uint32_t code, uint32_t states) {
    const uint64_t full = states == 64 ? ~(uint64_t)0 : ((uint64_t)1 << states) - 1;
    if (code < states) return (uint64_t)1 << code;
    if (code == states) return full;
    const uint32_t s = (code - states - 1) % states;
    const uint64_t pair = (uint64_t)1 << s | (uint64_t)1 << (s + 1) % states;
    return code <= 2 * states ? pair : pair | (uint64_t)1 << (s + states / 2) % states;
}

/* The code of a character that has the state in truth. */
static uint16_t observe(const peeling_recipe *recipe, uint32_t states, uint32_t state, wl_random *random) {
    if (recipe->missing > 0 && wl_random_unit(random) < recipe->missing) return (uint16_t)states;
    if (recipe->ambiguous == 0 || wl_random_unit(random) >= recipe->ambiguous) return (uint16_t)state;
    // The two pairs and three threes that the state is in.
    const uint32_t pairs = states + 1, threes = 2 * states + 1;
    const uint32_t before = (state + states - 1) % states, half = (state + states - states / 2) % states;
    const uint32_t codes[] = {pairs + state, pairs + before, threes + state, threes + before, threes + half};
    return (uint16_t)codes[wl_random_below(random, sizeof codes / sizeof *codes)];
}

/* --- Columns ----------------------------------------------------------------------------------------------------- */

typedef struct {
    const peeling_recipe *recipe;
    const peeling_model *model;
    const peeling_tree *tree;
    double *cumulative; // [matrices][rates][states][states]: sums of a matrix's rows from the left
    double frequency[PEELING_STATES_MOST], share[PEELING_RATES_MOST]; // the same
} evolution;

/* From cumulative [count]: each as often as its step is high, so that none without a step is. */
static uint32_t draw(const double *cumulative, uint32_t count, wl_random *random) {
    const double u = wl_random_unit(random) * cumulative[count - 1];
    uint32_t low = 0, high = count - 1; // the first that is larger than u
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (cumulative[middle] > u)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* state [nodes]: scratch. code [tips] is written. */
static void evolve(const evolution *e, uint64_t column, uint16_t *state, uint16_t *code) {
    const peeling_recipe *recipe = e->recipe;
    const uint32_t S = (uint32_t)e->model->states, R = (uint32_t)e->model->rates, tips = recipe->taxa;
    wl_random random = wl_random_stream(recipe->seed, COLUMN_STREAMS + column);
    const uint32_t rate = draw(e->share, R, &random), root = e->tree->nodes - 1;
    state[root] = (uint16_t)draw(e->frequency, S, &random);
    if (recipe->kind != PEELING_EVOLVED) state[root] = (uint16_t)wl_random_below(&random, S);
    for (uint32_t node = root; node-- > 0;) { // parents have higher numbers
        const uint32_t from = state[e->tree->parent[node]];
        const double *row = e->cumulative + (((size_t)node * R + rate) * S + from) * S;
        if (recipe->kind == PEELING_EVOLVED)
            state[node] = (uint16_t)draw(row, S, &random);
        else
            state[node] = (uint16_t)(recipe->kind == PEELING_RANDOM ? wl_random_below(&random, S) : from);
    }
    for (uint32_t t = 0; t < tips; t++) code[t] = observe(recipe, S, state[t], &random);
}

/* Columns by what they are: slot [mask + 1] has a pattern's number plus one, 0 where there is none. */
typedef struct {
    const uint16_t *column; // [patterns][tips], of those known
    uint32_t *slot;
    size_t mask, bytes; // bytes: of a column
} dictionary;

static uint32_t *look_up(const dictionary *d, const uint16_t *column) {
    uint64_t hash = 0;
    for (size_t t = 0; t < d->bytes / sizeof *column; t++) {
        hash = (hash + column[t] + 1) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    size_t at = hash & d->mask;
    const size_t tips = d->bytes / sizeof *column;
    while (d->slot[at] && memcmp(d->column + (d->slot[at] - 1) * tips, column, d->bytes) != 0) at = (at + 1) & d->mask;
    return &d->slot[at];
}

/* Draws columns until there are enough. column [patterns][tips], batch [BATCH][tips], state [BATCH][nodes]. */
static void collect(const evolution *e, dictionary *known, uint16_t *column, uint16_t *batch, uint16_t *state,
                    double *weight) {
    const uint32_t patterns = e->recipe->patterns, tips = e->recipe->taxa;
    const uint64_t most = (uint64_t)COLUMNS_A_PATTERN * patterns;
    uint32_t found = 0;
    for (uint64_t drawn = 0; found < patterns;) {
        const uint32_t count = patterns < BATCH ? patterns : BATCH;
#pragma omp parallel for schedule(static)
        for (uint32_t i = 0; i < count; i++)
            evolve(e, drawn + i, state + (size_t)i * e->tree->nodes, batch + (size_t)i * tips);
        for (uint32_t i = 0; i < count && found < patterns; i++, drawn++) {
            uint32_t *slot = look_up(known, batch + (size_t)i * tips);
            if (*slot && drawn < most) {
                weight[*slot - 1] += e->recipe->weight;
                continue;
            }
            memcpy(column + (size_t)found * tips, batch + (size_t)i * tips, known->bytes);
            weight[found++] = e->recipe->weight;
            if (*slot == 0) *slot = found;
        }
    }
}

/* From columns, in which a pattern's characters are neighbours, to rows, in which a tip's are: few enough patterns
   at a time for their columns to stay in a cache. */
static void transpose(const uint16_t *column, uint32_t patterns, uint32_t tips, uint16_t *row) {
    enum { TILE = 64 };
    for (size_t begin = 0; begin < patterns; begin += TILE) {
        const size_t end = begin + TILE < patterns ? begin + TILE : patterns;
        for (size_t t = 0; t < tips; t++)
            for (size_t c = begin; c < end; c++) row[t * patterns + c] = column[c * tips + t];
    }
}

static void accumulate(const double *from, size_t count, double *to) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) to[i] = sum += from[i];
}

static wl_status no_memory(const peeling_recipe *recipe) {
    return wl_fail(WL_NO_MACHINE, "not enough memory for %u patterns of %u taxa", recipe->patterns, recipe->taxa);
}

static wl_status draw_patterns(const peeling_recipe *recipe, const peeling_owned_input *made, uint16_t *code,
                               double *weight) {
    const size_t S = (size_t)made->model.states, rows = made->input.matrices * (size_t)made->model.rates * S;
    evolution e = {.recipe = recipe, .model = &made->model, .tree = &made->tree};
    dictionary known = {.bytes = sizeof(uint16_t) * recipe->taxa};
    for (known.mask = 1; known.mask < 2 * (size_t)recipe->patterns;) known.mask = 2 * known.mask + 1;
    const size_t batch_size = recipe->patterns < BATCH ? recipe->patterns : BATCH;
    uint16_t *column, *batch, *state;
    if (!WL_ALLOCATE(WL_ARRAY(column, recipe->taxa * (size_t)recipe->patterns),
                     WL_ARRAY(batch, recipe->taxa * batch_size), WL_ARRAY(state, made->tree.nodes * batch_size),
                     WL_ARRAY(e.cumulative, rows * S), WL_ZEROS(known.slot, known.mask + 1)))
        return no_memory(recipe);
    known.column = column;
    for (size_t i = 0; i < rows; i++) accumulate(made->input.reference_matrix + i * S, S, e.cumulative + i * S);
    accumulate(made->model.frequency, S, e.frequency);
    accumulate(made->model.share, (size_t)made->model.rates, e.share);
    collect(&e, &known, column, batch, state, weight);
    transpose(column, recipe->patterns, recipe->taxa, code);
    WL_FREE(column, batch, state, e.cumulative, known.slot);
    return WL_OK;
}

/* --- The input --------------------------------------------------------------------------------------------------- */

void peeling_owned_input_free(peeling_owned_input *made) {
    for (size_t b = 0; b < sizeof made->block / sizeof *made->block; b++) free(made->block[b]);
    peeling_tree_free(&made->tree);
    *made = (peeling_owned_input){0};
}

/* `count` things of `size` bytes, kept in block `b`. NULL: no memory. */
static void *keep(peeling_owned_input *made, int b, size_t count, size_t size) {
    return made->block[b] = malloc((count + 1) * size);
}

static wl_status fill(const peeling_recipe *recipe, peeling_owned_input *made) {
    peeling_input *in = &made->input;
    const uint32_t S = (uint32_t)made->model.states, codes = code_count(recipe, S), edges = 2 * recipe->taxa - 2;
    const size_t matrices = edges * (size_t)made->model.rates, characters = recipe->taxa * (size_t)recipe->patterns;
    double *matrix = keep(made, 0, matrices * S * S, sizeof *matrix), *weight = keep(made, 1, recipe->patterns, 8);
    uint16_t *code = keep(made, 2, characters, sizeof *code);
    uint64_t *set = keep(made, 3, codes, sizeof *set);
    peeling_edge *edge = keep(made, 4, edges, sizeof *edge);
    peeling_join *join = keep(made, 5, recipe->taxa, sizeof *join);
    if (!matrix || !weight || !code || !set || !edge || !join) return no_memory(recipe);
    for (uint32_t c = 0; c < codes; c++) set[c] = set_of(c, S);
    peeling_tree_work(&made->tree, edge, join, &in->work);
    in->precision = recipe->precision;
    in->tiles = recipe->tiles;
    in->spill = recipe->spill;
    in->model = &made->model;
    in->data = (peeling_data){
        .tips = recipe->taxa, .patterns = recipe->patterns, .weight = weight, .code = code, .codes = codes, .set = set};
    in->matrices = edges;
    in->partials = recipe->taxa - 1;
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < matrices; i++) peeling_reference_some_matrices(in, i, 1, matrix);
    in->reference_matrix = matrix;
    return draw_patterns(recipe, made, code, weight);
}

/* Characters, as columns and as rows; weights and the dictionary; matrices and their sums; the tree. */
static wl_status check_room(const peeling_recipe *recipe, const peeling_model *model) {
    const double matrix = (double)model->rates * model->states * model->states, taxa = recipe->taxa;
    const double bytes = 4 * taxa * recipe->patterns + 24. * recipe->patterns + taxa * (32 * matrix + 120);
    size_t since = 0;
    return bytes < 0x1p62 && wl_memory_room(&since, (size_t)bytes) ? WL_OK : no_memory(recipe);
}

wl_status peeling_simulate(const peeling_recipe *recipe, peeling_owned_input *made) {
    *made = (peeling_owned_input){0};
    wl_random random = wl_random_stream(recipe->seed, TREE_STREAM);
    WL_TRY(peeling_model_make(&recipe->settings, &made->model));
    WL_TRY(check_room(recipe, &made->model));
    WL_TRY(peeling_simulate_tree(recipe, &random, &made->tree));
    const wl_status status = fill(recipe, made);
    if (status != WL_OK) peeling_owned_input_free(made);
    return status;
}
