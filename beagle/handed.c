/* Instances that are handed on to BEAGLE's own library. */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beagle/device.h"
#include "beagle/instance.h"
#include "harness/base/cpu.h"

/* A text for as long as this library is loaded, as details of instances are: one for each that there is. NULL: no memory. */
static char *kept(const char *format, ...) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char **texts;
    static size_t count;
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) text = NULL;
    va_end(arguments);
    if (text == NULL) return NULL;
    pthread_mutex_lock(&lock);
    size_t i = 0;
    while (i < count && strcmp(texts[i], text) != 0) i++;
    char **grown = i == count ? realloc(texts, sizeof *texts * (count + 1)) : texts;
    if (i < count || grown == NULL) {
        free(text);
    } else {
        grown[count++] = text;
        texts = grown;
    }
    text = grown != NULL ? texts[i] : NULL;
    pthread_mutex_unlock(&lock);
    return text;
}

int bg_make_theirs(bg_instance *b, const bg_wish *wish, const char *why, BeagleInstanceDetails *details) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // it keeps all instances in one vector
    /* Numbers of resources are ours: the kind of processor says the same to both. */
    const long processor = b->resource == 0 ? BEAGLE_FLAG_PROCESSOR_CPU : BEAGLE_FLAG_PROCESSOR_GPU;
    /* With SSE and an odd number of states, 3.1.2 reads past the partials of tips: wrong likelihoods, or none. */
    const long vectors = wish->states % 2 != 0 ? BEAGLE_FLAG_VECTOR_NONE : 0;
    const bg_theirs *theirs = bg_find_theirs();
    BeagleInstanceDetails its = {0};
    if (theirs == NULL) return BEAGLE_ERROR_NO_IMPLEMENTATION;
    pthread_mutex_lock(&lock);
    const int number = theirs->CreateInstance(wish->tips, wish->partials, wish->compact, wish->states, wish->patterns,
                                              wish->eigens, wish->matrices, wish->rates, wish->scales, NULL, 0,
                                              wish->preferences, wish->requirements | processor | vectors, &its);
    pthread_mutex_unlock(&lock);
    if (number < 0) {
        bg_tell("%s: no instance there, code %d", theirs->path, number);
        return number;
    }
    bg_tell("handed on to %s: %s", theirs->path, why);
    b->theirs = theirs;
    b->their_number = number;
    if (its.flags & BEAGLE_FLAG_THREADING_CPP) theirs->SetCPUThreadCount(number, wl_cpu_threads());
    if (details == NULL) return BEAGLE_SUCCESS;
    bg_describe(b->resource, details);
    char *name = kept("Warpladder, by BEAGLE's %s", its.implName == NULL ? "library" : its.implName);
    char *description = kept("handed on to BEAGLE %s, %s: %s", theirs->version, theirs->path, why);
    if (name != NULL) details->implName = name;
    if (description != NULL) details->implDescription = description;
    details->flags = its.flags;
    return BEAGLE_SUCCESS;
}

/* What theirs has more than the client asked for, to write scale buffers with: partials of a client's own and their product, a matrix, and
   a scale buffer. */
enum { OWN, ONES, PRODUCT, MORE_PARTIALS, MORE = 1 };

int bg_prepare_theirs(bg_instance *b, const char *why, BeagleInstanceDetails *details) {
    const long told = BEAGLE_FLAG_PRECISION_SINGLE | BEAGLE_FLAG_PRECISION_DOUBLE | BEAGLE_FLAG_EIGEN_REAL |
                      BEAGLE_FLAG_EIGEN_COMPLEX | BEAGLE_FLAG_SCALING_MANUAL | BEAGLE_FLAG_SCALING_AUTO |
                      BEAGLE_FLAG_SCALING_ALWAYS | BEAGLE_FLAG_SCALING_DYNAMIC | BEAGLE_FLAG_SCALERS_RAW |
                      BEAGLE_FLAG_SCALERS_LOG | BEAGLE_FLAG_INVEVEC_STANDARD | BEAGLE_FLAG_INVEVEC_TRANSPOSED;
    const bg_wish wish = {.tips = (int)b->tips,
                          .partials = (int)b->partials + MORE_PARTIALS,
                          .compact = (int)(b->buffers - b->partials),
                          .states = (int)b->states,
                          .patterns = (int)b->patterns,
                          .eigens = (int)b->eigens,
                          .matrices = (int)b->matrices + MORE,
                          .rates = (int)b->rates,
                          .scales = (int)b->scales + MORE,
                          .preferences = b->preferences & ~told,
                          .requirements = b->requirements | (b->flags & told)};
    if (b->flags & BEAGLE_FLAG_SCALING_DYNAMIC) return BEAGLE_ERROR_NO_IMPLEMENTATION; // theirs ends in a crash
    return bg_make_theirs(b, &wish, why, details);
}

void bg_forget_theirs(bg_instance *b) {
    if (b->theirs != NULL) b->theirs->FinalizeInstance(b->their_number);
    b->theirs = NULL;
}

/* ---- handing over ---- */

static int give_models(const bg_instance *b) {
    const bg_theirs *to = b->theirs;
    const int n = b->their_number;
    int code = to->SetPatternWeights(n, b->pattern_weight);
    for (int i = 0; i < (int)b->eigens && code == BEAGLE_SUCCESS; i++) {
        const bg_eigen *eigen = &b->eigen[i];
        const double *inverse = eigen->given + b->states * b->states;
        if (eigen->value != NULL) code = to->SetEigenDecomposition(n, i, eigen->given, inverse, eigen->value);
        if (code == BEAGLE_SUCCESS) code = to->SetCategoryRatesWithIndex(n, i, b->rate[i]);
        if (code == BEAGLE_SUCCESS) code = to->SetCategoryWeights(n, i, b->weight[i]);
        if (code == BEAGLE_SUCCESS) code = to->SetStateFrequencies(n, i, b->frequency[i]);
    }
    return code;
}

/* numbers: room for a matrix, or for a buffer's partials; integers: [patterns]. */
static int give_buffers(bg_instance *b, double *numbers, int *integers) {
    const bg_theirs *to = b->theirs;
    const int n = b->their_number;
    int code = BEAGLE_SUCCESS;
    for (int i = 0; i < (int)b->matrices && code == BEAGLE_SUCCESS; i++) {
        if (b->matrix[i].column == NULL) continue;
        code = bg_get_matrix(b, i, numbers);
        if (code == BEAGLE_SUCCESS) code = to->SetTransitionMatrix(n, i, numbers, b->matrix[i].missing);
    }
    for (int i = 0; i < (int)b->buffers && code == BEAGLE_SUCCESS; i++) {
        if (b->buffer[i].code != NULL) {
            bg_get_states(b, i, integers);
            code = to->SetTipStates(n, i, integers);
        } else if (bg_is_full(b, i)) {
            code = bg_get_partials(b, i, BEAGLE_OP_NONE, 0, numbers);
            if (code == BEAGLE_SUCCESS) code = to->SetPartials(n, i, numbers);
        }
    }
    return code;
}

/* A scale buffer of theirs gets 2^exponent: no function sets one, but an operation writes the largest of the partials that it makes. Those
   are numbers of its precision, so that more is accumulated; so are sums, which are logarithms always. */
static int give_scale(const bg_instance *b, int scale, int32_t *exponent, double *numbers) {
    const bg_theirs *to = b->theirs;
    const int32_t range = b->flags & BEAGLE_FLAG_PRECISION_SINGLE ? FLT_MAX_EXP - 1 : DBL_MAX_EXP - 1;
    const int n = b->their_number, first = (int)b->buffers, spare = (int)b->scales, identity = (int)b->matrices;
    int is_sum = b->scale_use[scale] == BG_SUM, code = BEAGLE_SUCCESS;
    for (size_t c = 0; c < b->patterns; c++) is_sum |= abs(exponent[c]) > range;
    if (is_sum) code = to->ResetScaleFactors(n, scale);
    for (int is_left = 1; is_left && code == BEAGLE_SUCCESS;) {
        is_left = 0;
        for (size_t c = 0; c < b->patterns; c++) {
            const int32_t part = exponent[c] > range ? range : exponent[c] < -range + 1 ? -range + 1 : exponent[c];
            exponent[c] -= part;
            is_left |= exponent[c] != 0;
            for (size_t i = 0; i < b->rates * b->states; i++)
                numbers[(i / b->states * b->patterns + c) * b->states + i % b->states] = ldexp(1, part);
        }
        const BeagleOperation make = {first + PRODUCT, is_sum ? spare : scale, BEAGLE_OP_NONE, first + OWN,
                                      identity,        first + ONES,           identity};
        code = to->SetPartials(n, first + OWN, numbers);
        if (code == BEAGLE_SUCCESS) code = to->UpdatePartials(n, &make, 1, BEAGLE_OP_NONE);
        if (code == BEAGLE_SUCCESS && is_sum) code = to->AccumulateScaleFactors(n, &spare, 1, scale);
    }
    return code;
}

static int give_scales(bg_instance *b, double *numbers, int32_t *exponent) {
    const size_t S = b->states;
    for (size_t i = 0; i < b->rates * S * S; i++) numbers[i] = i / S % S == i % S;
    int code = b->theirs->SetTransitionMatrix(b->their_number, (int)b->matrices, numbers, 1);
    for (size_t i = 0; i < b->rates * b->patterns * S; i++) numbers[i] = 1;
    if (code == BEAGLE_SUCCESS) code = b->theirs->SetPartials(b->their_number, (int)b->buffers + ONES, numbers);
    for (int i = 0; i < (int)b->scales && code == BEAGLE_SUCCESS; i++) {
        if (b->scale_use[i] == BG_NOTHING) continue;
        code = bg_get_scale(b, i, exponent);
        if (code == BEAGLE_SUCCESS) code = give_scale(b, i, exponent, numbers);
    }
    return code;
}

/* What has been handed over is theirs to keep. */
static void empty(bg_instance *b) {
    for (size_t i = 0; i < b->buffers; i++) {
        free(b->buffer[i].code);
        free(b->buffer[i].partials);
        free(b->buffer[i].taken);
        b->buffer[i] = (bg_buffer){0};
    }
    if (b->device != NULL) bg_device_close(b->device);
    b->device = NULL;
}

int bg_hand_over(bg_instance *b) {
    if (b->is_handed) return BEAGLE_SUCCESS;
    const size_t S = b->states, matrix = b->rates * S * S, partials = b->rates * b->patterns * S;
    double *numbers = malloc(sizeof *numbers * (matrix > partials ? matrix : partials));
    int32_t *integers = malloc(sizeof *integers * b->patterns);
    int code = numbers == NULL || integers == NULL ? BEAGLE_ERROR_OUT_OF_MEMORY : bg_flush(b, NULL);
    if (code == BEAGLE_SUCCESS) code = give_models(b);
    if (code == BEAGLE_SUCCESS) code = give_buffers(b, numbers, integers);
    if (code == BEAGLE_SUCCESS) code = give_scales(b, numbers, integers);
    free(numbers);
    free(integers);
    if (code != BEAGLE_SUCCESS) {
        bg_tell("%s does not take what an instance has, code %d", b->theirs->path, code);
        bg_forget_theirs(b);
        return code;
    }
    b->is_handed = 1;
    empty(b);
    return code;
}
