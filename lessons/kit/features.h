/* What lessons 10 to 16 share: instances as rows of features.

   Features are zeros and ones, chosen so that the product of two rows, the number of features that both have, says how
   many attributes are equal. An attribute of three or four values becomes three features: its two bits, and whether they
   differ. Two different values differ in exactly two of these three (a simplex code), so that
       distance = (ones of row j + ones of row i) / 2 - product of row j and row i.
   An attribute of another alphabet becomes one feature per value, exactly one of which is one. The same formula holds. */
#pragma once

#include "lessons/kit/device.h"

enum {
    LESSONS_PADDED =
        128, // rows of zeros follow the last instance up to a multiple of this, the tile of lessons 10 to 16
    LESSONS_ROW_WORDS = 16, // a row's words are a multiple of this, if a lesson does not ask for more
};

static __host__ __device__ inline int lessons_planes(int alphabet) {
    return alphabet == 3 || alphabet == 4 ? 3 : alphabet;
}

/* Feature `plane` of an attribute with this value: 0 or 1. */
static __device__ __forceinline__ uint32_t lessons_feature(int alphabet, int plane, int value) {
    if (alphabet != 3 && alphabet != 4) return value == plane;
    return plane < 2 ? value >> plane & 1 : (value ^ value >> 1) & 1;
}

/* One block per instance packs its features, `per` in each word of 32 bits (32: bits, 4: bytes), plane after plane, and
   counts the ones. Features after the last instance or attribute are 0. */
static __global__ void lessons_pack_features(const char *rows, // [instances][pitch]
                                             int instances, int attributes, size_t pitch, int alphabet, int per,
                                             uint32_t *features,        // [padded][words]
                                             size_t words, int *ones) { // [padded]
    const int width = 32 / per, planes = lessons_planes(alphabet), row_words = (attributes + per - 1) / per;
    int sum = 0;
    for (size_t w = threadIdx.x; w < words; w += blockDim.x) {
        const int plane = (int)(w / row_words), first = (int)(w % row_words) * per;
        uint32_t word = 0;
        for (int k = 0; k < per && first + k < attributes && plane < planes && (int)blockIdx.x < instances; k++)
            word |= lessons_feature(alphabet, plane, rows[blockIdx.x * pitch + first + k]) << width * k;
        features[blockIdx.x * words + w] = word;
        sum += __popc(word);
    }
    atomicAdd(&ones[blockIdx.x], sum);
}

/* Words per row, rounded up to a multiple of `multiple`. */
static inline size_t lessons_row_words(const lessons_input *in, int per, size_t multiple) {
    const size_t words = (size_t)lessons_planes(in->alphabet) * ((in->attributes + per - 1) / per);
    return (words + multiple - 1) / multiple * multiple;
}
static inline size_t lessons_feature_words(const lessons_input *in, int per) {
    return lessons_row_words(in, per, LESSONS_ROW_WORDS);
}
static inline size_t lessons_padded(int instances) {
    return ((size_t)instances + LESSONS_PADDED - 1) / LESSONS_PADDED * LESSONS_PADDED;
}

static inline const int *lessons_ones(const lessons_state *s) {
    return (const int *)((const uint32_t *)s->data + lessons_padded(s->instances) * s->pitch); // [padded]
}

static inline wl_status lessons_make_features(lessons_state *s, const lessons_input *in, const void *rows, size_t pitch,
                                              int per) {
    const size_t padded = lessons_padded(in->instances);
    int *ones = (int *)lessons_ones(s);
    WL_CUDA(cudaMemset(ones, 0, sizeof(int) * padded));
    if (padded == 0) return WL_OK;
    WL_LAUNCH(lessons_pack_features, (unsigned)padded, 128, 0, (const char *)rows, in->instances, in->attributes, pitch,
              in->alphabet, per, (uint32_t *)s->data, s->pitch, ones);
    WL_CUDA(cudaDeviceSynchronize());
    return WL_OK;
}

/* state->data: features [padded][pitch], words of PER features each, pitch a multiple of MULTIPLE; then ones [padded]. */
template <int PER, int MULTIPLE>
static wl_status lessons_prepare_features(const wl_device *device, const void *input, void **state) {
    const lessons_input *in = (const lessons_input *)input;
    size_t pitch = 0;
    char *rows = lessons_char_rows(in, &pitch), *on_device = NULL;
    if (rows == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for the rows of %d instances", in->instances);
    const size_t words = lessons_row_words(in, PER, MULTIPLE);
    lessons_state *s;
    wl_status status =
        lessons_begin(device, in, words, sizeof(uint32_t) * lessons_padded(in->instances) * (words + 1), &s);
    if (status == WL_OK) status = wl_cuda_copy(&on_device, rows, pitch * in->instances);
    if (status == WL_OK) status = lessons_make_features(s, in, on_device, pitch, PER);
    wl_cuda_free(on_device);
    free(rows);
    return wl_prepared(status, s, lessons_release, state);
}

template <int PER> static const char *lessons_features_supports(const wl_device *device, const void *input) {
    enum { AMPERE = 80 };
    const lessons_input *in = (const lessons_input *)input;
    if (device->compute_capability < AMPERE && device->backend == WL_GPU)
        return "tensor cores multiply bytes and bits from compute capability 8.0 on";
    const double features = sizeof(uint32_t) * (double)lessons_padded(in->instances) *
                            ((double)lessons_row_words(in, PER, 2 * LESSONS_ROW_WORDS) + 1);
    const double n = in->instances;
    if (features + n * in->attributes + sizeof(int) * n * n > (double)device->memory_free)
        return "the features and the distances do not fit into device memory";
    return NULL;
}

/* The cost of multiplying the features of HALVES halves of all pairs. The rate counts multiplications and additions. */
template <int PER, int HALVES, wl_rate RATE>
static void lessons_features_cost(const wl_device *, const void *input, wl_cost *cost) {
    const lessons_input *in = (const lessons_input *)input;
    const double n = in->instances, words = (double)lessons_feature_words(in, PER);
    cost->bytes = sizeof(uint32_t) * n * words + sizeof(int) * n * n;
    cost->operations = PER * words * n * n * HALVES;
    cost->rate = RATE;
}

/* PER: features per word. */
template <int PER>
static const wl_variant lessons_features_defaults = {
    .source = "Warpladder",
    .supports = lessons_features_supports<PER>,
    .prepare = lessons_prepare_features<PER, LESSONS_ROW_WORDS>,
    .collect = lessons_collect,
    .release = lessons_release,
    .cost = lessons_features_cost<PER, 1, WL_RATE_MMA_B1>,
};
#define LESSONS_FEATURES_STAGE(per, ...) WL_STAGE(&lessons_features_defaults<per>, __VA_ARGS__)

/* Unsigned, and halved last: for 2^30 attributes neither the ones nor their sum fit an int, twice the distance does. */
static __device__ __forceinline__ int lessons_distance(int row_ones, int column_ones, int common) {
    return (int)(((unsigned)row_ones + (unsigned)column_ones - 2u * (unsigned)common) / 2);
}
