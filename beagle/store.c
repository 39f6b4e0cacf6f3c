/* What clients store and read back: partials, tip states, weights and partitions. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beagle/device.h"
#include "beagle/instance.h"

static int is_buffer(const bg_instance *b, int i) { return i >= 0 && (size_t)i < b->buffers; }

/* partials [rates][patterns][states], or without the rates, the same for all. */
int bg_set_partials(bg_instance *b, int buffer, const double *partials, int with_rates) {
    if (!is_buffer(b, buffer)) return BEAGLE_ERROR_OUT_OF_RANGE;
    int code = bg_flush(b, NULL);
    if (code == BEAGLE_SUCCESS) code = bg_partials_wanted(b, buffer);
    if (code != BEAGLE_SUCCESS) return code;
    b->buffer[buffer].is_taken = b->buffer[buffer].on_device = b->buffer[buffer].is_stale = 0;
    double column[PEELING_STATES_MOST] = {0};
    for (size_t r = 0; r < b->rates; r++)
        for (size_t c = 0; c < b->patterns; c++) {
            memcpy(column, partials + ((with_rates ? r * b->patterns : 0) + c) * b->states, sizeof *column * b->states);
            bg_set_column(b, buffer, r, b->column[c] / b->layout.tile, b->column[c] % b->layout.tile, column);
        }
    return BEAGLE_SUCCESS;
}

int bg_set_states(bg_instance *b, int buffer, const int *states) {
    if (!is_buffer(b, buffer)) return BEAGLE_ERROR_OUT_OF_RANGE;
    const int code = bg_flush(b, NULL);
    void *codes = code == BEAGLE_SUCCESS ? bg_codes_of(b, states) : NULL;
    if (codes == NULL) return code == BEAGLE_SUCCESS ? BEAGLE_ERROR_OUT_OF_MEMORY : code;
    bg_buffer *at = &b->buffer[buffer];
    free(at->code);
    free(at->partials);
    *at = (bg_buffer){.code = codes, .taken = at->taken, .slot = at->slot};
    return b->device != NULL ? bg_gpu_set_states(b, buffer, states) : BEAGLE_SUCCESS;
}

/* A pattern's partials as a client sees them: times 2^change. exponent: room for [rates]. With is_shown:

   A client that draws ancestral states needs the ratios of a pattern's partials, over all rate classes, also where the partials are too
   small for doubles: on a tree of 450 tips. If one is outside the range of doubles that is not negligible beside the pattern's largest, all
   of the pattern are multiplied by the power of two that brings the largest to [1, 2). */
static void show_pattern(const bg_instance *b, int buffer, size_t pattern, int32_t change, int is_shown,
                         int32_t *exponent, double *to) {
    const size_t tile = b->column[pattern] / b->layout.tile, place = b->column[pattern] % b->layout.tile;
    const size_t S = b->states, each = b->patterns * S;
    int32_t most = INT32_MIN / 2, least = INT32_MAX;
    to += pattern * S;
    for (size_t r = 0; r < b->rates; r++) {
        double column[PEELING_STATES_MOST];
        bg_get_column(b, buffer, r, tile, place, column, &exponent[r]);
        memcpy(to + r * each, column, sizeof *column * S);
        exponent[r] += change;
        for (size_t s = 0; s < S; s++)
            if (isnormal(to[r * each + s]) && exponent[r] + ilogb(to[r * each + s]) > most)
                most = exponent[r] + ilogb(to[r * each + s]);
    }
    for (size_t i = 0; i < b->rates * S; i++) {
        const double x = to[i / S * each + i % S];
        const int32_t its = isnormal(x) ? exponent[i / S] + ilogb(x) : INT32_MIN;
        if (its < least && its >= most - DBL_MANT_DIG) least = its;
    }
    const int fits = least == INT32_MAX || (least >= DBL_MIN_EXP - 1 && most < DBL_MAX_EXP);
    const int32_t power = fits || !is_shown ? 0 : -most;
    for (size_t i = 0; i < b->rates * S; i++)
        to[i / S * each + i % S] = ldexp(to[i / S * each + i % S], exponent[i / S] + power);
}

int bg_get_partials(bg_instance *b, int buffer, int scale, int is_shown, double *to) {
    if (!is_buffer(b, buffer) || scale >= (int)b->scales) return BEAGLE_ERROR_OUT_OF_RANGE;
    const int code = bg_flush(b, NULL);
    if (code != BEAGLE_SUCCESS) return code;
    if (!bg_is_full(b, buffer)) return BEAGLE_ERROR_OUT_OF_RANGE;
    int32_t *factor = malloc(sizeof *factor * (2 * b->patterns + b->rates));
    int result = factor == NULL ? BEAGLE_ERROR_OUT_OF_MEMORY : bg_get_taken(b, buffer, factor);
    if (result == BEAGLE_SUCCESS) result = bg_get_scale(b, scale, factor + b->patterns);
    if (result == BEAGLE_SUCCESS && b->device != NULL) result = bg_gpu_take_buffer(b, buffer);
    for (size_t c = 0; result == BEAGLE_SUCCESS && c < b->patterns; c++)
        show_pattern(b, buffer, c, factor[b->patterns + c] - factor[c], is_shown, factor + 2 * b->patterns, to);
    free(factor);
    return result;
}

/* One of the instance's vectors of frequencies or weights. */
int bg_set_row(const bg_instance *b, double **rows, int row, const double *from, size_t length) {
    if (row < 0 || (size_t)row >= b->eigens) return BEAGLE_ERROR_OUT_OF_RANGE;
    memcpy(rows[row], from, sizeof *from * length);
    return BEAGLE_SUCCESS;
}

int bg_set_pattern_weights(bg_instance *b, const double *weights) {
    memcpy(b->pattern_weight, weights, sizeof *weights * b->patterns);
    return b->device != NULL ? bg_device_set_weights(b->device, weights) : BEAGLE_SUCCESS;
}

/* ---- partitions ---- */

void bg_get_states(const bg_instance *b, int buffer, int *to) {
    const void *code = b->buffer[buffer].code;
    for (size_t c = 0; c < b->patterns; c++) {
        const size_t column = b->column[c];
        const uint64_t set = b->layout.few ? ((const uint8_t *)code)[column] : b->set[((const uint16_t *)code)[column]];
        to[c] = (set & (set - 1)) == 0 ? __builtin_ctzll(set) : (int)b->states;
    }
}

/* What a buffer holds, for other tiles: its true partials, which is why columns go one by one. */
typedef struct {
    int *state;        // [patterns]; or
    double *partials;  // [rates][patterns][states], times 2^
    int32_t *exponent; // [rates][patterns]
} buffer_copy;

static int keep_buffer(const bg_instance *b, int buffer, buffer_copy *k) {
    const bg_buffer *at = &b->buffer[buffer];
    if (at->code != NULL) {
        k->state = malloc(sizeof *k->state * (b->patterns + 1));
        if (k->state == NULL) return BEAGLE_ERROR_OUT_OF_MEMORY;
        bg_get_states(b, buffer, k->state);
    } else if (at->partials != NULL) {
        k->partials = malloc(sizeof *k->partials * (b->rates * b->patterns * b->layout.states + 1));
        k->exponent = malloc(sizeof *k->exponent * (b->rates * b->patterns + 1));
        if (k->partials == NULL || k->exponent == NULL) return BEAGLE_ERROR_OUT_OF_MEMORY;
        for (size_t i = 0; i < b->rates * b->patterns; i++) {
            const size_t column = b->column[i % b->patterns];
            bg_get_column(b, buffer, i / b->patterns, column / b->layout.tile, column % b->layout.tile,
                          k->partials + i * b->layout.states, &k->exponent[i]);
        }
    }
    return BEAGLE_SUCCESS;
}

static int bring_back(bg_instance *b, int buffer, const buffer_copy *k) {
    bg_buffer *at = &b->buffer[buffer];
    free(at->code);
    free(at->partials);
    free(at->taken);
    *at = (bg_buffer){0};
    if (k->state != NULL && (at->code = bg_codes_of(b, k->state)) == NULL) return BEAGLE_ERROR_OUT_OF_MEMORY;
    if (k->partials == NULL) return BEAGLE_SUCCESS;
    if (bg_partials_wanted(b, buffer) != BEAGLE_SUCCESS) return BEAGLE_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < b->rates * b->patterns; i++)
        bg_set_scaled_column(b, buffer, i / b->patterns, i % b->patterns, k->partials + i * b->layout.states,
                             k->exponent[i]);
    return BEAGLE_SUCCESS;
}

/* Scale buffers begin anew, at factors of 1. */
static int lay_out_anew(bg_instance *b) {
    buffer_copy *all = calloc(b->buffers + 1, sizeof *all);
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

int bg_set_partitions(bg_instance *b, int count, const int *partitions) {
    int in_range = count >= 1;
    for (size_t c = 0; c < b->patterns; c++) in_range &= partitions[c] >= 0 && partitions[c] < count;
    if (!in_range) return BEAGLE_ERROR_OUT_OF_RANGE;
    if (count > 1) bg_forget_theirs(b);
    int code = bg_flush(b, NULL);
    if (code == BEAGLE_SUCCESS && b->device != NULL && count > 1) {
        bg_refuse(code, "a GPU for an instance with partitions: it goes on with the CPU");
        code = bg_gpu_leave(b);
    }
    if (code == BEAGLE_SUCCESS && b->device != NULL) return code; // one partition is none
    int *partition = malloc(sizeof *partition * b->patterns);
    if (partition == NULL) code = BEAGLE_ERROR_OUT_OF_MEMORY;
    if (code != BEAGLE_SUCCESS) {
        free(partition);
        return code;
    }
    memcpy(partition, partitions, sizeof *partition * b->patterns);
    free(b->partition);
    b->partition = partition;
    b->partitions = count;
    return lay_out_anew(b);
}
