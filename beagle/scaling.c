/* Scale factors. No likelihood here needs them, since each column has an exponent of its own; so a client that keeps them gets a tale that
   is true in itself: the partials that GetPartials shows of a buffer, times the factors of all the operations below it, are the true
   partials. A factor is a power of two, that of the largest partial of the pattern over all rate classes. Sums of their logarithms are
   sums of integers, and what was accumulated can be removed again without a trace. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beagle/device.h"
#include "beagle/instance.h"

int bg_scale_wanted(bg_instance *b, int scale) {
    if (b->device != NULL) return BEAGLE_SUCCESS;
    if (b->scale[scale] == NULL) b->scale[scale] = bg_zeros(sizeof(int32_t) * bg_columns(b));
    return b->scale[scale] == NULL ? BEAGLE_ERROR_OUT_OF_MEMORY : BEAGLE_SUCCESS;
}

int bg_get_scale(bg_instance *b, int scale, int32_t *to) {
    if (b->device != NULL && scale >= 0) return bg_device_get_scale(b->device, (uint32_t)scale, to);
    const int32_t *from = scale < 0 ? NULL : b->scale[scale];
    for (size_t c = 0; c < b->patterns; c++) to[c] = from == NULL ? 0 : from[b->column[c]];
    return BEAGLE_SUCCESS;
}

int bg_get_taken(bg_instance *b, int buffer, int32_t *to) {
    const bg_buffer *at = &b->buffer[buffer];
    if (b->device != NULL && at->is_taken) return bg_device_get_taken(b->device, (uint32_t)buffer, to);
    for (size_t c = 0; c < b->patterns; c++) to[c] = at->is_taken ? at->taken[b->column[c]] : 0;
    return BEAGLE_SUCCESS;
}

static int32_t taken_from(const bg_buffer *buffer, size_t column) {
    return buffer->is_taken ? buffer->taken[column] : 0;
}

void bg_note_scale(bg_instance *b, const bg_operation *operation, size_t tile) {
    const bg_buffer *a = &b->buffer[operation->child[0]], *c = &b->buffer[operation->child[1]];
    int32_t *taken = b->buffer[operation->to].taken;
    const int bias = b->few ? 0 : bg_bias(b);
    for (size_t place = 0; place < b->tiles[tile].columns; place++) {
        const size_t column = tile * b->tile + place;
        const int32_t below = taken_from(a, column) + taken_from(c, column);
        int32_t factor = 0;
        if (operation->write >= 0) {
            int32_t most = INT32_MIN;
            for (size_t r = 0; r < b->rates; r++) {
                const int32_t *exponent = (const int32_t *)(bg_partials(b, operation->to, r, tile) + b->exponent_at);
                if (exponent[place] > most) most = exponent[place];
            }
            factor = most + bias - below;
            b->scale[operation->write][column] = factor;
            if (operation->sum >= 0) b->scale[operation->sum][column] += factor;
        } else if (operation->read >= 0) {
            factor = b->scale[operation->read][column];
        }
        taken[column] = below + factor;
    }
}

/* ---- what clients call ---- */

/* With automatic scaling the indices are the client's guess: there is nothing to be done. */
static int is_automatic(const bg_instance *b) {
    return (b->flags & (BEAGLE_FLAG_SCALING_AUTO | BEAGLE_FLAG_SCALING_ALWAYS)) != 0;
}

static int is_scale(const bg_instance *b, int i) { return i >= 0 && (size_t)i < b->scales; }

/* to += sign * each of `indices`; sign 0: to = 0. Of one partition's columns, or of all. */
static int add(bg_instance *b, const int *indices, int count, int to, int sign, int partition) {
    int code = BEAGLE_SUCCESS;
    for (size_t i = 0; code == BEAGLE_SUCCESS && b->device == NULL && i < b->operation_count; i++)
        if (b->operations[i].tells) code = bg_flush(b, NULL);
    if (code != BEAGLE_SUCCESS || is_automatic(b)) return code;
    if (!is_scale(b, to) || partition >= b->partitions) return BEAGLE_ERROR_OUT_OF_RANGE;
    for (int i = 0; i < count; i++)
        if (!is_scale(b, indices[i])) return BEAGLE_ERROR_OUT_OF_RANGE;
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
        int32_t *sum = b->scale[to] + t * b->tile;
        if (sign == 0) memset(sum, 0, sizeof *sum * b->tile);
        for (int i = 0; i < count; i++)
            for (size_t c = 0; b->scale[indices[i]] != NULL && c < b->tile; c++)
                sum[c] += sign * b->scale[indices[i]][t * b->tile + c];
    }
    return code;
}

static int add_to(int instance, const int *indices, int count, int to, int sign, int partition) {
    bg_instance *b = bg_enter(instance);
    return b == NULL ? BEAGLE_ERROR_UNINITIALIZED_INSTANCE : bg_leave(b, add(b, indices, count, to, sign, partition));
}

int beagleAccumulateScaleFactors(int instance, const int *scaleIndices, int count, int cumulativeScaleIndex) {
    return add_to(instance, scaleIndices, count, cumulativeScaleIndex, 1, BEAGLE_OP_NONE);
}

int beagleAccumulateScaleFactorsByPartition(int instance, const int *scaleIndices, int count, int cumulativeScaleIndex,
                                            int partitionIndex) {
    return add_to(instance, scaleIndices, count, cumulativeScaleIndex, 1, partitionIndex);
}

int beagleRemoveScaleFactors(int instance, const int *scaleIndices, int count, int cumulativeScaleIndex) {
    return add_to(instance, scaleIndices, count, cumulativeScaleIndex, -1, BEAGLE_OP_NONE);
}

int beagleRemoveScaleFactorsByPartition(int instance, const int *scaleIndices, int count, int cumulativeScaleIndex,
                                        int partitionIndex) {
    return add_to(instance, scaleIndices, count, cumulativeScaleIndex, -1, partitionIndex);
}

int beagleResetScaleFactors(int instance, int cumulativeScaleIndex) {
    return add_to(instance, NULL, 0, cumulativeScaleIndex, 0, BEAGLE_OP_NONE);
}

int beagleResetScaleFactorsByPartition(int instance, int cumulativeScaleIndex, int partitionIndex) {
    return add_to(instance, NULL, 0, cumulativeScaleIndex, 0, partitionIndex);
}

int beagleCopyScaleFactors(int instance, int destScalingIndex, int srcScalingIndex) {
    bg_instance *b = bg_enter(instance);
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
    int code = add(b, NULL, 0, destScalingIndex, destScalingIndex == srcScalingIndex ? 1 : 0, BEAGLE_OP_NONE);
    if (code == BEAGLE_SUCCESS && destScalingIndex != srcScalingIndex)
        code = add(b, &srcScalingIndex, 1, destScalingIndex, 1, BEAGLE_OP_NONE);
    return bg_leave(b, code);
}

int beagleGetScaleFactors(int instance, int srcScalingIndex, double *outScaleFactors) {
    bg_instance *b = bg_enter(instance);
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
    if (!is_scale(b, srcScalingIndex)) return bg_leave(b, BEAGLE_ERROR_OUT_OF_RANGE);
    int code = bg_flush(b, NULL);
    int32_t *exponent = malloc(sizeof *exponent * b->patterns);
    if (exponent == NULL) code = BEAGLE_ERROR_OUT_OF_MEMORY;
    if (code == BEAGLE_SUCCESS) code = bg_get_scale(b, srcScalingIndex, exponent);
    for (size_t c = 0; code == BEAGLE_SUCCESS && c < b->patterns; c++)
        outScaleFactors[c] = b->flags & BEAGLE_FLAG_SCALERS_LOG ? exponent[c] * log(2) : ldexp(1, exponent[c]);
    free(exponent);
    return bg_leave(b, code);
}
