/* An instance on a GPU: which of two copies of a buffer or matrix is the newer, and a flush as the device wants it. What is rarely asked
   for is computed on the host, from copies: derivatives, complex eigenvalues, matrices that say what a missing state gives. */
#include "beagle/device.h"

#include <stdlib.h>
#include <string.h>

#include "beagle/instance.h"

static uint32_t vector_of(const bg_instance *b, int buffer) {
    const bg_buffer *at = &b->buffer[buffer];
    return at->code != NULL ? (uint32_t)buffer : (uint32_t)b->buffers + at->slot - 1;
}

/* ---- copies ---- */

/* Partials by rate class and pattern, times 2^exponent. */
typedef struct {
    double *partials;  // [rates][patterns][states]
    int32_t *exponent; // [rates][patterns]
} plain;

static int plain_of(const bg_instance *b, plain *p) {
    p->partials = malloc(sizeof *p->partials * b->rates * b->patterns * b->layout.states);
    p->exponent = malloc(sizeof *p->exponent * b->rates * b->patterns);
    return p->partials == NULL || p->exponent == NULL ? BEAGLE_ERROR_OUT_OF_MEMORY : BEAGLE_SUCCESS;
}

static void plain_free(plain *p) {
    free(p->partials);
    free(p->exponent);
}

int bg_gpu_take_buffer(bg_instance *b, int buffer) {
    bg_buffer *at = &b->buffer[buffer];
    if (!at->is_stale) return BEAGLE_SUCCESS;
    plain p;
    int code = plain_of(b, &p);
    if (code == BEAGLE_SUCCESS) code = bg_partials_wanted(b, buffer);
    if (code == BEAGLE_SUCCESS) code = bg_device_get_partials(b->device, vector_of(b, buffer), p.partials, p.exponent);
    for (size_t i = 0; code == BEAGLE_SUCCESS && i < b->rates * b->patterns; i++)
        bg_set_scaled_column(b, buffer, i / b->patterns, i % b->patterns, p.partials + i * b->layout.states,
                             p.exponent[i]);
    plain_free(&p);
    if (code == BEAGLE_SUCCESS) at->is_stale = 0;
    return code;
}

static int give_buffer(bg_instance *b, int buffer) {
    bg_buffer *at = &b->buffer[buffer];
    if (at->code != NULL || at->on_device) return BEAGLE_SUCCESS;
    plain p;
    int code = plain_of(b, &p);
    if (code == BEAGLE_SUCCESS) code = bg_gpu_wanted(b, buffer);
    for (size_t i = 0; code == BEAGLE_SUCCESS && i < b->rates * b->patterns; i++) {
        const size_t column = b->column[i % b->patterns];
        bg_get_column(b, buffer, i / b->patterns, column / b->layout.tile, column % b->layout.tile,
                      p.partials + i * b->layout.states, &p.exponent[i]);
    }
    if (code == BEAGLE_SUCCESS) code = bg_device_set_partials(b->device, vector_of(b, buffer), p.partials, p.exponent);
    plain_free(&p);
    at->on_device = code == BEAGLE_SUCCESS;
    return code;
}

int bg_gpu_take_matrix(bg_instance *b, int matrix) {
    bg_matrix *at = &b->matrix[matrix];
    if (!at->is_stale) return BEAGLE_SUCCESS;
    const int code = bg_device_get_matrix(b->device, (uint32_t)matrix, at->column, b->layout.row);
    if (code == BEAGLE_SUCCESS) at->is_stale = 0;
    return code;
}

static int give_matrix(bg_instance *b, int matrix) {
    bg_matrix *at = &b->matrix[matrix];
    if (at->on_device) return BEAGLE_SUCCESS;
    const int code = bg_device_set_matrix(b->device, (uint32_t)matrix, at->column, b->layout.row);
    at->on_device = code == BEAGLE_SUCCESS;
    return code;
}

int bg_gpu_wanted(bg_instance *b, int buffer) {
    bg_buffer *at = &b->buffer[buffer];
    if (at->slot == 0) {
        if (b->slots == b->partials) return BEAGLE_ERROR_OUT_OF_RANGE;
        at->slot = (uint32_t)++b->slots;
    }
    return BEAGLE_SUCCESS;
}

int bg_gpu_set_states(bg_instance *b, int buffer, const int *states) {
    uint16_t *code = malloc(sizeof *code * b->patterns);
    if (code == NULL) return BEAGLE_ERROR_OUT_OF_MEMORY;
    for (size_t c = 0; c < b->patterns; c++)
        code[c] =
            (uint16_t)(states[c] >= 0 && (size_t)states[c] < b->layout.states ? (size_t)states[c] : b->layout.states);
    const int result = bg_device_set_codes(b->device, (uint32_t)buffer, code);
    free(code);
    return result;
}

/* ---- making and leaving ---- */

int bg_gpu_open(bg_instance *b, int device) {
    const bg_device_size size = {.buffers = (uint32_t)b->buffers,
                                 .partials = (uint32_t)b->partials,
                                 .matrices = (uint32_t)b->matrices,
                                 .scales = (uint32_t)b->scales,
                                 .eigens = (uint32_t)b->eigens,
                                 .states = (uint32_t)b->layout.states,
                                 .rates = (uint32_t)b->rates,
                                 .patterns = (uint32_t)b->patterns,
                                 .is_single = b->layout.number == sizeof(float)};
    const int code = bg_device_open(device, &size, &b->device);
    return code == BEAGLE_SUCCESS ? bg_device_set_weights(b->device, b->pattern_weight) : code;
}

int bg_gpu_leave(bg_instance *b) {
    int code = BEAGLE_SUCCESS;
    for (size_t i = 0; code == BEAGLE_SUCCESS && i < b->buffers; i++) code = bg_gpu_take_buffer(b, (int)i);
    for (size_t i = 0; code == BEAGLE_SUCCESS && i < b->matrices; i++) {
        code = bg_gpu_take_matrix(b, (int)i);
        if (b->matrix[i].column != NULL) bg_pack(b, (int)i);
    }
    if (code != BEAGLE_SUCCESS) return code;
    for (size_t i = 0; i < b->buffers; i++) b->buffer[i].on_device = 0;
    for (size_t i = 0; i < b->matrices; i++) b->matrix[i].on_device = 0;
    bg_device_close(b->device);
    b->device = NULL;
    return BEAGLE_SUCCESS;
}

/* ---- a flush ---- */

/* Matrices on the device first, by model; the others here. */
static int gather_matrices(bg_instance *b, peeling_edge *edges, bg_device_model *models, bg_device_work *work) {
    for (size_t i = 0; i < b->edge_count; i++) {
        const bg_edge *edge = &b->edges[i];
        const int is_plain = !b->eigen[edge->eigen].is_complex && edge->matrix[0] != BEAGLE_OP_NONE &&
                             edge->matrix[1] == BEAGLE_OP_NONE && edge->matrix[2] == BEAGLE_OP_NONE;
        for (int d = 0; d < 3; d++) {
            if (edge->matrix[d] == BEAGLE_OP_NONE) continue;
            b->matrix[edge->matrix[d]].on_device = b->matrix[edge->matrix[d]].is_stale = is_plain;
        }
        if (!is_plain) {
            for (size_t r = 0; r < b->rates; r++) bg_make_matrices(b, edge, r, b->scratch);
            continue;
        }
        const double *rate = b->rate[edge->rates];
        bg_device_model *model = work->model_count > 0 ? &models[work->model_count - 1] : NULL;
        if (model == NULL || model->eigen != (uint32_t)edge->eigen || model->rate != rate) {
            model = &models[work->model_count++];
            *model = (bg_device_model){.eigen = (uint32_t)edge->eigen, .first = work->edge_count, .rate = rate};
        }
        edges[work->edge_count++] = (peeling_edge){.matrix = (uint32_t)edge->matrix[0], .length = edge->length};
        model->count++;
    }
    return BEAGLE_SUCCESS;
}

/* The device takes what is missing for 1, and rows of matrices for sums of 1. */
static int is_odd(const bg_instance *b, int child, int matrix) {
    int is = b->buffer[child].code != NULL && b->matrix[matrix].missing != 1;
    for (size_t r = 0; r < b->rates; r++) is |= b->matrix[matrix].power[r] != 0;
    return is;
}
static int is_odd_operation(const bg_instance *b, const bg_operation *o) {
    return o->to >= 0 && (is_odd(b, o->child[0], o->matrix[0]) || is_odd(b, o->child[1], o->matrix[1]));
}

static uint32_t factors_of(const bg_instance *b, int buffer) {
    return b->buffer[buffer].is_taken ? (uint32_t)buffer : BG_NONE;
}
static uint32_t scale_of(int scale) { return scale < 0 ? BG_NONE : (uint32_t)scale; }

static bg_device_note note_of(const bg_instance *b, const bg_operation *o) {
    if (o->to < 0)
        return (bg_device_note){.to = BG_NONE, .write = scale_of(o->write), .read = scale_of(o->read), .sign = o->sign};
    return (bg_device_note){.to = (uint32_t)o->to,
                            .child = {factors_of(b, o->child[0]), factors_of(b, o->child[1])},
                            .vector = vector_of(b, o->to),
                            .write = scale_of(o->write),
                            .read = scale_of(o->read),
                            .sum = scale_of(o->sum)};
}

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* Operations [count], by level: one comes after those that make its children, and after those that read what it overwrites. No two of a
   flush have the same destination. level [count], and two numbers for each buffer: what the last reader's level is, and the maker's, from 1
   on. */
static int gather_joins(bg_instance *b, const bg_operation *operations, uint32_t count, uint32_t *level,
                        uint32_t *first, peeling_join *joins, bg_device_note *notes, bg_device_work *work) {
    uint32_t *made = calloc(2 * b->buffers + 1, sizeof *made), *read = made == NULL ? NULL : made + b->buffers,
             levels = 0;
    if (made == NULL) return BEAGLE_ERROR_OUT_OF_MEMORY;
    int code = BEAGLE_SUCCESS;
    for (uint32_t i = 0; i < count && code == BEAGLE_SUCCESS; i++) {
        const bg_operation *o = &operations[i];
        if (o->tells) notes[work->note_count++] = note_of(b, o);
        level[i] = 0;
        if (o->to < 0) continue;
        level[i] = 1 + larger(larger(made[o->child[0]], made[o->child[1]]), larger(made[o->to], read[o->to]));
        for (int k = 0; k < 2 && code == BEAGLE_SUCCESS; k++) {
            read[o->child[k]] = larger(read[o->child[k]], level[i]);
            code = give_matrix(b, o->matrix[k]);
            if (code == BEAGLE_SUCCESS && made[o->child[k]] == 0) code = give_buffer(b, o->child[k]);
        }
        made[o->to] = level[i];
        b->buffer[o->to].on_device = b->buffer[o->to].is_stale = 1;
        levels = larger(levels, level[i]);
    }
    free(made);
    if (code != BEAGLE_SUCCESS) return code;
    memset(first, 0, sizeof *first * (levels + (size_t)2));
    for (uint32_t i = 0; i < count; i++)
        if (level[i] > 0) first[level[i] + 1]++;
    for (uint32_t l = 0; l <= levels; l++) first[l + 1] += first[l];
    for (uint32_t i = 0; i < count; i++) {
        const bg_operation *o = &operations[i];
        if (level[i] == 0) continue;
        joins[first[level[i]]++] = (peeling_join){vector_of(b, o->to),
                                                  {vector_of(b, o->child[0]), vector_of(b, o->child[1])},
                                                  {(uint32_t)o->matrix[0], (uint32_t)o->matrix[1]}};
    }
    work->joins = joins;
    work->join_count = first[levels + 1];
    work->first_join = first; // first[l] is where level l + 1 began, now that each has moved on to its end
    work->levels = levels;
    return BEAGLE_SUCCESS;
}

/* On the host, from copies, and back. */
static int operate_here(bg_instance *b, const bg_operation *o) {
    int code = BEAGLE_SUCCESS;
    for (int k = 0; k < 2 && code == BEAGLE_SUCCESS; k++) {
        code = bg_gpu_take_buffer(b, o->child[k]);
        if (code == BEAGLE_SUCCESS) code = bg_gpu_take_matrix(b, o->matrix[k]);
        if (code == BEAGLE_SUCCESS) bg_pack(b, o->matrix[k]);
    }
    if (code == BEAGLE_SUCCESS) code = bg_partials_wanted(b, o->to);
    if (code != BEAGLE_SUCCESS) return code;
    for (size_t tile = 0; tile < b->tile_count; tile++)
        for (size_t r = 0; r < b->rates; r++) bg_operate(b, o, r, tile, b->scratch);
    b->buffer[o->to].is_stale = b->buffer[o->to].on_device = 0;
    code = give_buffer(b, o->to);
    if (code != BEAGLE_SUCCESS || !o->tells) return code;
    const bg_device_note note = note_of(b, o);
    return bg_device_run(b->device, &(bg_device_work){.notes = &note, .note_count = 1}, NULL);
}

static int is_asked_here(const bg_instance *b, const bg_request *request) {
    int is_here = request->derivatives > 0;
    for (size_t i = 0; i < request->count; i++)
        is_here |=
            request->subsets[i].child >= 0 && is_odd(b, request->subsets[i].child, request->subsets[i].matrix[0]);
    return is_here;
}

static int gather_subsets(bg_instance *b, const bg_request *request, bg_device_subset *subsets, bg_device_work *work) {
    int code = BEAGLE_SUCCESS;
    for (size_t i = 0; i < request->count && code == BEAGLE_SUCCESS; i++) {
        const bg_subset *from = &request->subsets[i];
        code = give_buffer(b, from->parent);
        if (code == BEAGLE_SUCCESS && from->child >= 0) code = give_buffer(b, from->child);
        if (code == BEAGLE_SUCCESS && from->child >= 0) code = give_matrix(b, from->matrix[0]);
        if (code != BEAGLE_SUCCESS) break;
        subsets[i] = (bg_device_subset){.parent = vector_of(b, from->parent),
                                        .child = from->child < 0 ? BG_NONE : vector_of(b, from->child),
                                        .matrix = from->child < 0 ? 0 : (uint32_t)from->matrix[0],
                                        .weight = b->weight[from->weights],
                                        .frequency = b->frequency[from->frequencies]};
    }
    work->subsets = subsets;
    work->subset_count = (uint32_t)request->count;
    return code;
}

static int take_for(bg_instance *b, const bg_request *request) {
    int code = BEAGLE_SUCCESS;
    for (size_t i = 0; i < request->count && code == BEAGLE_SUCCESS; i++) {
        const bg_subset *subset = &request->subsets[i];
        code = bg_gpu_take_buffer(b, subset->parent);
        if (code == BEAGLE_SUCCESS && subset->child >= 0) code = bg_gpu_take_buffer(b, subset->child);
        for (int d = 0; d <= request->derivatives && code == BEAGLE_SUCCESS && subset->child >= 0; d++) {
            code = bg_gpu_take_matrix(b, subset->matrix[d]);
            if (code == BEAGLE_SUCCESS) bg_pack(b, subset->matrix[d]);
        }
    }
    return code;
}

/* Everything that waits, in as few runs as the operations that are done here allow: mostly one. */
static int run_all(bg_instance *b, bg_request *request, peeling_edge *edges, bg_device_model *models, uint32_t *level,
                   uint32_t *first, peeling_join *joins, bg_device_note *notes, bg_device_subset *subsets) {
    bg_device_work work = {.models = models, .edges = edges};
    int code = gather_matrices(b, edges, models, &work);
    const int asks = request != NULL && !is_asked_here(b, request);
    for (size_t i = 0; code == BEAGLE_SUCCESS;) {
        size_t end = i;
        while (end < b->operation_count && !is_odd_operation(b, &b->operations[end])) end++;
        const int is_last = end == b->operation_count;
        work.notes = notes;
        work.note_count = 0;
        code = gather_joins(b, b->operations + i, (uint32_t)(end - i), level, first, joins, notes, &work);
        if (code == BEAGLE_SUCCESS && is_last && asks) code = gather_subsets(b, request, subsets, &work);
        if (code == BEAGLE_SUCCESS) code = bg_device_run(b->device, &work, request != NULL ? request->total : NULL);
        if (is_last) break;
        work = (bg_device_work){0};
        if (code == BEAGLE_SUCCESS) code = operate_here(b, &b->operations[end]);
        i = end + 1;
    }
    if (asks) request->is_done = b->sites_are_stale = 1;
    return code;
}

int bg_gpu_flush(bg_instance *b, bg_request *request) {
    const size_t o = b->operation_count + 1, e = b->edge_count + 1, s = request != NULL ? request->count : 0;
    peeling_edge *edges = malloc(sizeof *edges * e);
    bg_device_model *models = malloc(sizeof *models * e);
    uint32_t *level = malloc(sizeof *level * (2 * o + 2));
    peeling_join *joins = malloc(sizeof *joins * o);
    bg_device_note *notes = malloc(sizeof *notes * o);
    bg_device_subset *subsets = malloc(sizeof *subsets * (s + 1));
    int code = BEAGLE_ERROR_OUT_OF_MEMORY;
    if (edges != NULL && models != NULL && level != NULL && joins != NULL && notes != NULL && subsets != NULL)
        code = run_all(b, request, edges, models, level, level + o, joins, notes, subsets);
    free(edges);
    free(models);
    free(level);
    free(joins);
    free(notes);
    free(subsets);
    if (code == BEAGLE_SUCCESS && request != NULL && !request->is_done) code = take_for(b, request);
    for (size_t i = 0; i < b->operation_count; i++)
        if (b->operations[i].to >= 0) b->buffer[b->operations[i].to].waits = 0;
    return code;
}
