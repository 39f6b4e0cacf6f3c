/* What clients ask for, put where it waits: operations, matrices, and sums of scale factors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beagle/instance.h"

/* ---- operations ---- */

static int is_made(const bg_instance *b, int matrix) {
    return matrix >= 0 && (size_t)matrix < b->matrices && b->matrix[matrix].packed != NULL;
}

/* An index that there is, or none. With automatic scaling none is asked for. */
static int is_scale_or_none(bg_instance *b, int *scale) {
    if (b->flags & (BEAGLE_FLAG_SCALING_AUTO | BEAGLE_FLAG_SCALING_ALWAYS)) *scale = BEAGLE_OP_NONE;
    return *scale < 0 || ((size_t)*scale < b->scales && bg_scale_wanted(b, *scale) == BEAGLE_SUCCESS);
}

int bg_queue(bg_instance *b, const bg_operation *operation) {
    const int code = bg_grow(&b->operations, &b->operation_room, b->operation_count + 1, sizeof *b->operations);
    if (code == BEAGLE_SUCCESS) b->operations[b->operation_count++] = *operation;
    return code;
}

int bg_queue_operation(bg_instance *b, bg_operation o) {
    if (o.to < 0 || (size_t)o.to >= b->buffers || o.to == o.child[0] || o.to == o.child[1] ||
        o.partition >= b->partitions || !bg_is_full(b, o.child[0]) || !bg_is_full(b, o.child[1]) ||
        !is_made(b, o.matrix[0]) || !is_made(b, o.matrix[1]) || !is_scale_or_none(b, &o.write) ||
        !is_scale_or_none(b, &o.read) || !is_scale_or_none(b, &o.sum))
        return BEAGLE_ERROR_OUT_OF_RANGE;
    bg_buffer *to = &b->buffer[o.to];
    int code = BEAGLE_SUCCESS;
    /* Operations that wait may read these states or, on a GPU, partials that have yet to be copied there. */
    const int is_only_here = b->device != NULL && to->partials != NULL && !to->on_device;
    if (to->code != NULL || to->waits || is_only_here) code = bg_flush(b, NULL);
    if (code == BEAGLE_SUCCESS) code = b->device != NULL ? bg_gpu_wanted(b, o.to) : bg_partials_wanted(b, o.to);
    for (int i = 0; i < 2 && code == BEAGLE_SUCCESS && b->device == NULL; i++) {
        if (b->matrix[o.matrix[i]].is_packed) continue;
        if (b->matrix[o.matrix[i]].waits) code = bg_flush(b, NULL);
        bg_pack(b, o.matrix[i]);
    }
    o.tells = o.write >= 0 || o.read >= 0 || b->buffer[o.child[0]].is_taken || b->buffer[o.child[1]].is_taken;
    /* What was taken before is still read: by operations that wait, or in the columns of other partitions. */
    if (to->is_taken && (b->operation_count > 0 || o.partition >= 0)) o.tells = 1;
    if (o.tells && to->taken == NULL && b->device == NULL) {
        to->taken = bg_zeros(sizeof *to->taken * bg_columns(b));
        if (to->taken == NULL) code = BEAGLE_ERROR_OUT_OF_MEMORY;
    }
    if (code == BEAGLE_SUCCESS && o.tells && !to->is_taken && b->device == NULL)
        for (size_t c = 0; c < bg_columns(b); c++) to->taken[c] = 0;
    if (code == BEAGLE_SUCCESS) code = bg_queue(b, &o);
    if (code != BEAGLE_SUCCESS) return code;
    if (o.write >= 0) b->scale_use[o.write] = BG_FACTORS;
    if (o.sum >= 0) b->scale_use[o.sum] = BG_SUM;
    to->is_taken = o.tells;
    if (b->device != NULL) {
        free(to->code);
        to->code = NULL;
        to->on_device = to->is_stale = to->waits = 1;
    }
    return BEAGLE_SUCCESS;
}

/* ---- scale factors ---- */

/* With automatic scaling the indices are the client's guess: there is nothing to be done. */
static int is_automatic(const bg_instance *b) {
    return (b->flags & (BEAGLE_FLAG_SCALING_AUTO | BEAGLE_FLAG_SCALING_ALWAYS)) != 0;
}

static int is_scale(const bg_instance *b, int i) { return i >= 0 && (size_t)i < b->scales; }

/* to += sign * each of `indices`; sign 0: to = 0. In one partition's columns, or in all. */
int bg_add_scales(bg_instance *b, const int *indices, int count, int to, int sign, int partition) {
    int code = BEAGLE_SUCCESS;
    for (size_t i = 0; code == BEAGLE_SUCCESS && b->device == NULL && i < b->operation_count; i++)
        if (b->operations[i].tells) code = bg_flush(b, NULL);
    if (code != BEAGLE_SUCCESS || is_automatic(b)) return code;
    if (!is_scale(b, to) || partition >= b->partitions) return BEAGLE_ERROR_OUT_OF_RANGE;
    for (int i = 0; i < count; i++)
        if (!is_scale(b, indices[i])) return BEAGLE_ERROR_OUT_OF_RANGE;
    b->scale_use[to] = BG_SUM;
    if (b->device != NULL) {
        bg_operation add = {.to = BEAGLE_OP_NONE, .write = to, .read = BEAGLE_OP_NONE, .tells = 1, .sign = sign};
        if (sign == 0) code = bg_queue(b, &add);
        for (int i = 0; i < count && code == BEAGLE_SUCCESS; i++) {
            add.read = indices[i];
            code = bg_queue(b, &add);
        }
        return code;
    }
    code = bg_scale_wanted(b, to);
    for (size_t t = 0; code == BEAGLE_SUCCESS && t < b->tile_count; t++) {
        if (partition >= 0 && b->tiles[t].partition != partition) continue;
        int32_t *sum = b->scale[to] + t * b->layout.tile;
        if (sign == 0) memset(sum, 0, sizeof *sum * b->layout.tile);
        for (int i = 0; i < count; i++)
            for (size_t c = 0; b->scale[indices[i]] != NULL && c < b->layout.tile; c++)
                sum[c] += sign * b->scale[indices[i]][t * b->layout.tile + c];
    }
    return code;
}

int bg_get_scale_factors(bg_instance *b, int scale, double *to) {
    if (!is_scale(b, scale)) return BEAGLE_ERROR_OUT_OF_RANGE;
    int code = bg_flush(b, NULL);
    int32_t *exponent = malloc(sizeof *exponent * b->patterns);
    if (exponent == NULL) code = BEAGLE_ERROR_OUT_OF_MEMORY;
    if (code == BEAGLE_SUCCESS) code = bg_get_scale(b, scale, exponent);
    for (size_t c = 0; code == BEAGLE_SUCCESS && c < b->patterns; c++)
        to[c] = b->flags & BEAGLE_FLAG_SCALERS_LOG ? exponent[c] * log(2) : ldexp(1, exponent[c]);
    free(exponent);
    return code;
}

/* ---- matrices ---- */

static int is_matrix(const bg_instance *b, int i) { return i >= 0 && (size_t)i < b->matrices; }

static int in_range(const bg_instance *b, const int *indices, int i) {
    return indices == NULL || indices[i] == BEAGLE_OP_NONE || is_matrix(b, indices[i]);
}

/* One call's matrices, where `eigen` and `rates` may be the same for all (NULL: `one`, and 0). */
int bg_queue_edges(bg_instance *b, int one, const int *eigen, const int *rates, const int *const indices[3],
                   const double *lengths, int count) {
    int code = b->operation_count > 0 ? bg_flush(b, NULL) : BEAGLE_SUCCESS;
    for (int i = 0; code == BEAGLE_SUCCESS && i < count; i++) {
        const bg_edge edge = {.eigen = eigen == NULL ? one : eigen[i],
                              .rates = rates == NULL ? 0 : rates[i],
                              .matrix = {indices[0][i], indices[1] == NULL ? BEAGLE_OP_NONE : indices[1][i],
                                         indices[2] == NULL ? BEAGLE_OP_NONE : indices[2][i]},
                              .length = lengths[i]};
        if (edge.eigen < 0 || (size_t)edge.eigen >= b->eigens || b->eigen[edge.eigen].value == NULL || edge.rates < 0 ||
            (size_t)edge.rates >= b->eigens || !in_range(b, indices[0], i) || !in_range(b, indices[1], i) ||
            !in_range(b, indices[2], i)) {
            code = BEAGLE_ERROR_OUT_OF_RANGE;
            break;
        }
        for (int d = 0; d < 3 && code == BEAGLE_SUCCESS; d++) {
            if (edge.matrix[d] == BEAGLE_OP_NONE) continue;
            bg_matrix *matrix = &b->matrix[edge.matrix[d]];
            if (matrix->waits) code = bg_flush(b, NULL); // made twice before anybody reads it
            if (code == BEAGLE_SUCCESS) code = bg_matrix_wanted(b, edge.matrix[d]);
            matrix->missing = d == 0;
            matrix->is_packed = d == 0;
            if (b->device != NULL && code == BEAGLE_SUCCESS) memset(matrix->power, 0, sizeof *matrix->power * b->rates);
        }
        if (code == BEAGLE_SUCCESS) code = bg_grow(&b->edges, &b->edge_room, b->edge_count + 1, sizeof *b->edges);
        if (code != BEAGLE_SUCCESS) break;
        for (int d = 0; d < 3; d++)
            if (edge.matrix[d] != BEAGLE_OP_NONE) b->matrix[edge.matrix[d]].waits = 1;
        b->edges[b->edge_count++] = edge;
    }
    return code;
}
