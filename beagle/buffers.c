/* Buffers: partials and tip states, column by column. */
#include <math.h>
#include <stdlib.h>

#include "beagle/instance.h"

unsigned char *bg_partials(const bg_instance *b, int buffer, size_t rate, size_t tile) {
    return b->buffer[buffer].partials + (rate * b->tile_count + tile) * b->layout.vector_bytes;
}

int bg_partials_wanted(bg_instance *b, int buffer) {
    bg_buffer *at = &b->buffer[buffer];
    if (at->partials == NULL) at->partials = bg_zeros(b->rates * b->tile_count * b->layout.vector_bytes);
    if (at->partials == NULL) return BEAGLE_ERROR_OUT_OF_MEMORY;
    free(at->code);
    at->code = NULL;
    return BEAGLE_SUCCESS;
}

/* ---- columns ---- */

int bg_bias(const bg_instance *b) { return b->layout.number == sizeof(float) ? CPU_BIAS_SINGLE : CPU_BIAS_DOUBLE; }

int bg_is_full(const bg_instance *b, int buffer) {
    if (buffer < 0 || (size_t)buffer >= b->buffers) return 0;
    const bg_buffer *at = &b->buffer[buffer];
    return at->code != NULL || at->partials != NULL || at->on_device;
}

static double number_at(const bg_instance *b, const void *numbers, size_t i) {
    return b->layout.number == sizeof(float) ? (double)((const float *)numbers)[i] : ((const double *)numbers)[i];
}

static void put_number(const bg_instance *b, void *numbers, size_t i, double value) {
    if (b->layout.number == sizeof(float))
        ((float *)numbers)[i] = (float)value;
    else
        ((double *)numbers)[i] = value;
}

/* Where state s of a column is. */
static size_t number_of(const bg_instance *b, size_t place, size_t s) {
    return b->layout.few ? s * b->layout.tile + place : place * b->layout.padded + s;
}

void bg_get_column(const bg_instance *b, int buffer, size_t rate, size_t tile, size_t place, double *to,
                   int32_t *exponent) {
    const void *code = b->buffer[buffer].code;
    if (code != NULL) {
        const size_t column = tile * b->layout.tile + place;
        const uint64_t set = b->layout.few ? ((const uint8_t *)code)[column] : b->set[((const uint16_t *)code)[column]];
        for (size_t s = 0; s < b->layout.states; s++) to[s] = (double)(set >> s & 1);
        *exponent = 0;
        return;
    }
    const unsigned char *from = bg_partials(b, buffer, rate, tile);
    const double scale = b->layout.few ? 1 : number_at(b, from + b->layout.scale_at, place);
    for (size_t s = 0; s < b->layout.states; s++) to[s] = number_at(b, from, number_of(b, place, s)) * scale;
    *exponent = ((const int32_t *)(from + b->layout.exponent_at))[place];
}

/* The largest to [1/2, 1), so that products of many tips' partials do not grow. */
void bg_set_column(bg_instance *b, int buffer, size_t rate, size_t tile, size_t place, const double *from) {
    unsigned char *to = bg_partials(b, buffer, rate, tile);
    double most = 0;
    for (size_t s = 0; s < b->layout.states; s++)
        if (from[s] > most) most = from[s];
    const int exponent = most > 0 && isfinite(most) ? ilogb(most) + 1 : 0;
    for (size_t s = 0; s < b->layout.states; s++) put_number(b, to, number_of(b, place, s), ldexp(from[s], -exponent));
    if (!b->layout.few) put_number(b, to + b->layout.scale_at, place, ldexp(1, bg_bias(b)));
    ((int32_t *)(to + b->layout.exponent_at))[place] = b->layout.few ? exponent : exponent - bg_bias(b);
}

void bg_set_scaled_column(bg_instance *b, int buffer, size_t rate, size_t pattern, const double *from,
                          int32_t exponent) {
    const size_t tile = b->column[pattern] / b->layout.tile, place = b->column[pattern] % b->layout.tile;
    bg_set_column(b, buffer, rate, tile, place, from);
    ((int32_t *)(bg_partials(b, buffer, rate, tile) + b->layout.exponent_at))[place] += exponent;
}

/* A state at or above S, or below 0, is missing. */
static void put_code(const bg_instance *b, void *code, size_t column, int state) {
    const int known = state >= 0 && (size_t)state < b->states;
    if (b->layout.few)
        ((uint8_t *)code)[column] = (uint8_t)(known ? 1 << state : CPU_FEW_SETS - 1);
    else
        ((uint16_t *)code)[column] = (uint16_t)(known ? (size_t)state : b->layout.states);
}

void *bg_codes_of(const bg_instance *b, const int *states) {
    void *code = malloc(bg_columns(b) * b->layout.code_bytes);
    if (code == NULL) return NULL;
    for (size_t column = 0; column < bg_columns(b); column++) put_code(b, code, column, 0);
    for (size_t c = 0; c < b->patterns; c++) put_code(b, code, b->column[c], states[c]);
    return code;
}
