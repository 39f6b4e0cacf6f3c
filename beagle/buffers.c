/* Partials, tip states and partitions: what a client stores and reads back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beagle/device.h"
#include "beagle/instance.h"

unsigned char *bg_partials(const bg_instance *b, int buffer, size_t rate, size_t tile) {
    return b->buffer[buffer].partials + (rate * b->tile_count + tile) * b->vector_bytes;
}

int bg_partials_wanted(bg_instance *b, int buffer) {
    bg_buffer *at = &b->buffer[buffer];
    if (at->partials == NULL) at->partials = bg_zeros(b->rates * b->tile_count * b->vector_bytes);
    if (at->partials == NULL) return BEAGLE_ERROR_OUT_OF_MEMORY;
    free(at->code);
    at->code = NULL;
    return BEAGLE_SUCCESS;
}

/* ---- columns ---- */

int bg_bias(const bg_instance *b) { return b->number == sizeof(float) ? CPU_BIAS_SINGLE : CPU_BIAS_DOUBLE; }

int bg_is_full(const bg_instance *b, int buffer) {
    if (buffer < 0 || (size_t)buffer >= b->buffers) return 0;
    const bg_buffer *at = &b->buffer[buffer];
    return at->code != NULL || at->partials != NULL || at->on_device;
}

static double number_at(const bg_instance *b, const void *numbers, size_t i) {
    return b->number == sizeof(float) ? (double)((const float *)numbers)[i] : ((const double *)numbers)[i];
}

static void put_number(const bg_instance *b, void *numbers, size_t i, double value) {
    if (b->number == sizeof(float))
        ((float *)numbers)[i] = (float)value;
    else
        ((double *)numbers)[i] = value;
}

/* Where state s of a column is. */
static size_t number_of(const bg_instance *b, size_t place, size_t s) {
    return b->few ? s * b->tile + place : place * b->padded + s;
}

void bg_get_column(const bg_instance *b, int buffer, size_t rate, size_t tile, size_t place, double *to,
                   int32_t *exponent) {
    const void *code = b->buffer[buffer].code;
    if (code != NULL) {
        const size_t column = tile * b->tile + place;
        const uint64_t set = b->few ? ((const uint8_t *)code)[column] : b->set[((const uint16_t *)code)[column]];
        for (size_t s = 0; s < b->states; s++) to[s] = (double)(set >> s & 1);
        *exponent = 0;
        return;
    }
    const unsigned char *from = bg_partials(b, buffer, rate, tile);
    const double scale = b->few ? 1 : number_at(b, from + b->scale_at, place);
    for (size_t s = 0; s < b->states; s++) to[s] = number_at(b, from, number_of(b, place, s)) * scale;
    *exponent = ((const int32_t *)(from + b->exponent_at))[place];
}

/* The largest to [1, 2), as a join would leave it to its reader. */
void bg_set_column(bg_instance *b, int buffer, size_t rate, size_t tile, size_t place, const double *from) {
    unsigned char *to = bg_partials(b, buffer, rate, tile);
    double most = 0;
    for (size_t s = 0; s < b->states; s++)
        if (from[s] > most) most = from[s];
    const int exponent = most > 0 && isfinite(most) ? ilogb(most) : 0;
    for (size_t s = 0; s < b->states; s++) put_number(b, to, number_of(b, place, s), ldexp(from[s], -exponent));
    if (!b->few) put_number(b, to + b->scale_at, place, ldexp(1, bg_bias(b)));
    ((int32_t *)(to + b->exponent_at))[place] = b->few ? exponent : exponent - bg_bias(b);
}

void bg_set_scaled_column(bg_instance *b, int buffer, size_t rate, size_t pattern, const double *from,
                          int32_t exponent) {
    const size_t tile = b->column[pattern] / b->tile, place = b->column[pattern] % b->tile;
    bg_set_column(b, buffer, rate, tile, place, from);
    ((int32_t *)(bg_partials(b, buffer, rate, tile) + b->exponent_at))[place] += exponent;
}

/* ---- what clients call ---- */

static int is_buffer(const bg_instance *b, int i) { return i >= 0 && (size_t)i < b->buffers; }

/* partials [rates][patterns][states], or without the rates, the same for all. */
static int set_partials(int instance, int buffer, const double *partials, int with_rates) {
    bg_instance *b = bg_enter(instance);
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
    if (!is_buffer(b, buffer)) return bg_leave(b, BEAGLE_ERROR_OUT_OF_RANGE);
    int code = bg_flush(b, NULL);
    if (code == BEAGLE_SUCCESS) code = bg_partials_wanted(b, buffer);
    if (code != BEAGLE_SUCCESS) return bg_leave(b, code);
    b->buffer[buffer].is_taken = b->buffer[buffer].on_device = b->buffer[buffer].is_stale = 0;
    for (size_t r = 0; r < b->rates; r++)
        for (size_t c = 0; c < b->patterns; c++)
            bg_set_column(b, buffer, r, b->column[c] / b->tile, b->column[c] % b->tile,
                          partials + ((with_rates ? r * b->patterns : 0) + c) * b->states);
    return bg_leave(b, BEAGLE_SUCCESS);
}

int beagleSetTipPartials(int instance, int tipIndex, const double *inPartials) {
    return set_partials(instance, tipIndex, inPartials, 0);
}

int beagleSetPartials(int instance, int bufferIndex, const double *inPartials) {
    return set_partials(instance, bufferIndex, inPartials, 1);
}

/* A state at or above S, or below 0, is missing. */
static void put_code(const bg_instance *b, void *code, size_t column, int state) {
    const int known = state >= 0 && (size_t)state < b->states;
    if (b->few)
        ((uint8_t *)code)[column] = (uint8_t)(known ? 1 << state : CPU_FEW_SETS - 1);
    else
        ((uint16_t *)code)[column] = (uint16_t)(known ? (size_t)state : b->states);
}

static void *codes_of(const bg_instance *b, const int *states) {
    void *code = malloc(bg_columns(b) * (b->few ? sizeof(uint8_t) : sizeof(uint16_t)));
    if (code == NULL) return NULL;
    for (size_t column = 0; column < bg_columns(b); column++) put_code(b, code, column, 0);
    for (size_t c = 0; c < b->patterns; c++) put_code(b, code, b->column[c], states[c]);
    return code;
}

int beagleSetTipStates(int instance, int tipIndex, const int *inStates) {
    bg_instance *b = bg_enter(instance);
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
    if (!is_buffer(b, tipIndex)) return bg_leave(b, BEAGLE_ERROR_OUT_OF_RANGE);
    const int code = bg_flush(b, NULL);
    void *codes = code == BEAGLE_SUCCESS ? codes_of(b, inStates) : NULL;
    if (codes == NULL) return bg_leave(b, code == BEAGLE_SUCCESS ? BEAGLE_ERROR_OUT_OF_MEMORY : code);
    bg_buffer *at = &b->buffer[tipIndex];
    free(at->code);
    free(at->partials);
    *at = (bg_buffer){.code = codes, .taken = at->taken, .slot = at->slot};
    return bg_leave(b, b->device != NULL ? bg_gpu_set_states(b, tipIndex, inStates) : BEAGLE_SUCCESS);
}

/* All of a buffer's partials as a client sees them: less what scale factors have taken, and times `back`: [patterns] each, binary. */
static void get_partials(const bg_instance *b, int buffer, const int32_t *taken, const int32_t *back, double *to) {
    for (size_t r = 0; r < b->rates; r++)
        for (size_t c = 0; c < b->patterns; c++, to += b->states) {
            const size_t column = b->column[c];
            int32_t exponent;
            bg_get_column(b, buffer, r, column / b->tile, column % b->tile, to, &exponent);
            exponent += back[c] - taken[c];
            for (size_t s = 0; s < b->states; s++) to[s] = ldexp(to[s], exponent);
        }
}

int beagleGetPartials(int instance, int bufferIndex, int scaleIndex, double *outPartials) {
    bg_instance *b = bg_enter(instance);
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
    if (!is_buffer(b, bufferIndex) || scaleIndex >= (int)b->scales) return bg_leave(b, BEAGLE_ERROR_OUT_OF_RANGE);
    const int code = bg_flush(b, NULL);
    if (code != BEAGLE_SUCCESS) return bg_leave(b, code);
    if (!bg_is_full(b, bufferIndex)) return bg_leave(b, BEAGLE_ERROR_OUT_OF_RANGE);
    int32_t *factor = malloc(sizeof *factor * 2 * b->patterns);
    int result = factor == NULL ? BEAGLE_ERROR_OUT_OF_MEMORY : bg_get_taken(b, bufferIndex, factor);
    if (result == BEAGLE_SUCCESS) result = bg_get_scale(b, scaleIndex, factor + b->patterns);
    if (result == BEAGLE_SUCCESS && b->device != NULL) result = bg_gpu_take_buffer(b, bufferIndex);
    if (result == BEAGLE_SUCCESS) get_partials(b, bufferIndex, factor, factor + b->patterns, outPartials);
    free(factor);
    return bg_leave(b, result);
}

/* One of the instance's vectors of frequencies or weights. */
static int set_row(bg_instance *b, double **rows, int row, const double *from, size_t length) {
    if (row < 0 || (size_t)row >= b->eigens) return BEAGLE_ERROR_OUT_OF_RANGE;
    memcpy(rows[row], from, sizeof *from * length);
    return BEAGLE_SUCCESS;
}

int beagleSetStateFrequencies(int instance, int stateFrequenciesIndex, const double *inStateFrequencies) {
    bg_instance *b = bg_enter(instance);
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
    return bg_leave(b, set_row(b, b->frequency, stateFrequenciesIndex, inStateFrequencies, b->states));
}

int beagleSetCategoryWeights(int instance, int categoryWeightsIndex, const double *inCategoryWeights) {
    bg_instance *b = bg_enter(instance);
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
    return bg_leave(b, set_row(b, b->weight, categoryWeightsIndex, inCategoryWeights, b->rates));
}

int beagleSetPatternWeights(int instance, const double *inPatternWeights) {
    bg_instance *b = bg_enter(instance);
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
    memcpy(b->pattern_weight, inPatternWeights, sizeof(double) * b->patterns);
    return bg_leave(b, b->device != NULL ? bg_device_set_weights(b->device, inPatternWeights) : BEAGLE_SUCCESS);
}

/* ---- partitions ---- */

/* What a buffer holds, for other tiles: its true partials, which is why columns go one by one. */
typedef struct {
    int *state;        /* [patterns]; or */
    double *partials;  /* [rates][patterns][states], times 2^ */
    int32_t *exponent; /* [rates][patterns] */
} kept;

static int keep_buffer(const bg_instance *b, int buffer, kept *k) {
    const bg_buffer *at = &b->buffer[buffer];
    if (at->code != NULL) {
        k->state = malloc(sizeof *k->state * (b->patterns + 1));
        if (k->state == NULL) return BEAGLE_ERROR_OUT_OF_MEMORY;
        for (size_t c = 0; c < b->patterns; c++) {
            const size_t column = b->column[c];
            const uint64_t set = b->few ? ((uint8_t *)at->code)[column] : b->set[((uint16_t *)at->code)[column]];
            k->state[c] = (set & (set - 1)) == 0 ? __builtin_ctzll(set) : (int)b->states;
        }
    } else if (at->partials != NULL) {
        k->partials = malloc(sizeof *k->partials * (b->rates * b->patterns * b->states + 1));
        k->exponent = malloc(sizeof *k->exponent * (b->rates * b->patterns + 1));
        if (k->partials == NULL || k->exponent == NULL) return BEAGLE_ERROR_OUT_OF_MEMORY;
        for (size_t i = 0; i < b->rates * b->patterns; i++) {
            const size_t column = b->column[i % b->patterns];
            bg_get_column(b, buffer, i / b->patterns, column / b->tile, column % b->tile, k->partials + i * b->states,
                          &k->exponent[i]);
        }
    }
    return BEAGLE_SUCCESS;
}

static int bring_back(bg_instance *b, int buffer, const kept *k) {
    bg_buffer *at = &b->buffer[buffer];
    free(at->code);
    free(at->partials);
    free(at->taken);
    *at = (bg_buffer){0};
    if (k->state != NULL && (at->code = codes_of(b, k->state)) == NULL) return BEAGLE_ERROR_OUT_OF_MEMORY;
    if (k->partials == NULL) return BEAGLE_SUCCESS;
    if (bg_partials_wanted(b, buffer) != BEAGLE_SUCCESS) return BEAGLE_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < b->rates * b->patterns; i++)
        bg_set_scaled_column(b, buffer, i / b->patterns, i % b->patterns, k->partials + i * b->states, k->exponent[i]);
    return BEAGLE_SUCCESS;
}

/* Scale buffers begin anew, at factors of 1. */
static int lay_out_anew(bg_instance *b) {
    kept *all = calloc(b->buffers + 1, sizeof *all);
    int code = all == NULL ? BEAGLE_ERROR_OUT_OF_MEMORY : BEAGLE_SUCCESS;
    for (size_t i = 0; code == BEAGLE_SUCCESS && i < b->buffers; i++) code = keep_buffer(b, (int)i, &all[i]);
    if (code == BEAGLE_SUCCESS) code = bg_lay_out(b);
    for (size_t i = 0; code == BEAGLE_SUCCESS && i < b->buffers; i++) code = bring_back(b, (int)i, &all[i]);
    for (size_t i = 0; all != NULL && i < b->buffers; i++) {
        free(all[i].state);
        free(all[i].partials);
        free(all[i].exponent);
    }
    free(all);
    for (size_t i = 0; i < b->scales; i++) {
        free(b->scale[i]);
        b->scale[i] = NULL;
    }
    return code;
}

int beagleSetPatternPartitions(int instance, int partitionCount, const int *inPatternPartitions) {
    bg_instance *b = bg_enter(instance);
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
    int in_range = partitionCount >= 1;
    for (size_t c = 0; c < b->patterns; c++)
        in_range &= inPatternPartitions[c] >= 0 && inPatternPartitions[c] < partitionCount;
    if (!in_range) return bg_leave(b, BEAGLE_ERROR_OUT_OF_RANGE);
    int code = bg_flush(b, NULL);
    if (code == BEAGLE_SUCCESS && b->device != NULL && partitionCount > 1) {
        bg_refuse(code, "a GPU for an instance with partitions: it goes on with the CPU");
        code = bg_gpu_leave(b);
    }
    if (code == BEAGLE_SUCCESS && b->device != NULL) return bg_leave(b, code); /* one partition is none */
    int *partition = malloc(sizeof *partition * b->patterns);
    if (partition == NULL) code = BEAGLE_ERROR_OUT_OF_MEMORY;
    if (code != BEAGLE_SUCCESS) {
        free(partition);
        return bg_leave(b, code);
    }
    memcpy(partition, inPatternPartitions, sizeof *partition * b->patterns);
    free(b->partition);
    b->partition = partition;
    b->partitions = partitionCount;
    return bg_leave(b, lay_out_anew(b));
}
