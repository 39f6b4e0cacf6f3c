/* Scale factors. No likelihood here needs them, since each column has an exponent of its own. A client that keeps them gets consistent
   ones: the partials that GetPartials shows of a buffer, times the factors of all the operations below it, are the true partials.
   A factor is a power of two, that of the largest partial of the pattern over all rate classes. Sums of their logarithms are therefore
   sums of integers, so that a client can remove exactly what it has accumulated. */
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
    const int bias = b->layout.few ? 0 : bg_bias(b);
    for (size_t place = 0; place < b->tiles[tile].columns; place++) {
        const size_t column = tile * b->layout.tile + place;
        const int32_t below = taken_from(a, column) + taken_from(c, column);
        int32_t factor = 0;
        if (operation->write >= 0) {
            int32_t most = INT32_MIN;
            for (size_t r = 0; r < b->rates; r++) {
                const int32_t *exponent =
                    (const int32_t *)(bg_partials(b, operation->to, r, tile) + b->layout.exponent_at);
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
