/* What clients store of a model: eigenvectors, rates, and matrices of their own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beagle/device.h"
#include "beagle/instance.h"

int bg_set_eigen(bg_instance *b, int index, const double *vectors, const double *inverse, const double *values) {
    if (index < 0 || (size_t)index >= b->eigens) return BEAGLE_ERROR_OUT_OF_RANGE;
    const int code = b->edge_count > 0 ? bg_flush(b, NULL) : BEAGLE_SUCCESS;
    bg_eigen *eigen = &b->eigen[index];
    const size_t S = b->states, all = b->layout.states, square = sizeof(double) * all * b->layout.row;
    if (eigen->value == NULL) {
        eigen->left = bg_zeros(square);
        eigen->right = bg_zeros(square + CPU_LINE);
        eigen->value = calloc(2 * all, sizeof *eigen->value);
        eigen->given = calloc(2 * S * S, sizeof *eigen->given);
    }
    if (code != BEAGLE_SUCCESS || eigen->left == NULL || eigen->right == NULL || eigen->value == NULL ||
        eigen->given == NULL)
        return code != BEAGLE_SUCCESS ? code : BEAGLE_ERROR_OUT_OF_MEMORY;
    memcpy(eigen->given, vectors, sizeof *vectors * S * S);
    memcpy(eigen->given + S * S, inverse, sizeof *inverse * S * S);
    const int transposed = (b->flags & BEAGLE_FLAG_INVEVEC_TRANSPOSED) != 0;
    double *row = (double *)b->scratch; // E transposed, [k][s]
    for (size_t k = 0; k < all; k++)
        for (size_t i = 0; i < all; i++) { // a state that is not the client's is an eigenvector of its own
            const int is_given = i < S && k < S;
            row[k * b->layout.row + i] = is_given ? vectors[i * S + k] : i == k;
            eigen->left[i * b->layout.row + k] = is_given ? inverse[transposed ? i * S + k : k * S + i] : i == k;
        }
    b->layout.core->precision[PEELING_DOUBLE].store(all, row, b->layout.row, -INFINITY, eigen->right);
    memcpy(eigen->value, values, sizeof *values * S);
    if (b->flags & BEAGLE_FLAG_EIGEN_COMPLEX) memcpy(eigen->value + all, values + S, sizeof *values * S);
    eigen->is_complex = 0;
    for (size_t k = all; k < 2 * all; k++) eigen->is_complex |= eigen->value[k] != 0;
    if (b->device == NULL || eigen->is_complex) return BEAGLE_SUCCESS;
    double *left = malloc(square); // E^-1, row by row
    for (size_t k = 0; left != NULL && k < S; k++)
        for (size_t i = 0; i < S; i++) left[k * S + i] = eigen->left[i * b->layout.row + k];
    const int result = left == NULL ? BEAGLE_ERROR_OUT_OF_MEMORY
                                    : bg_device_set_eigen(b->device, (uint32_t)index, vectors, left, values);
    free(left);
    return result;
}

int bg_set_rates(bg_instance *b, int index, const double *rates) {
    if (index < 0 || (size_t)index >= b->eigens) return BEAGLE_ERROR_OUT_OF_RANGE;
    const int code = b->edge_count > 0 ? bg_flush(b, NULL) : BEAGLE_SUCCESS;
    memcpy(b->rate[index], rates, sizeof *rates * b->rates);
    return code;
}

static int is_matrix(const bg_instance *b, int i) { return i >= 0 && (size_t)i < b->matrices; }

static int set_matrix(bg_instance *b, int index, const double *from, double missing) {
    if (!is_matrix(b, index)) return BEAGLE_ERROR_OUT_OF_RANGE;
    if (bg_matrix_wanted(b, index) != BEAGLE_SUCCESS) return BEAGLE_ERROR_OUT_OF_MEMORY;
    bg_matrix *matrix = &b->matrix[index];
    const size_t S = b->states, all = b->layout.states;
    memset(matrix->column, 0, sizeof *matrix->column * b->rates * all * b->layout.row);
    for (size_t r = 0; r < b->rates; r++)
        for (size_t s = 0; s < S; s++)
            for (size_t j = 0; j < S; j++)
                matrix->column[(r * all + j) * b->layout.row + s] = from[(r * S + s) * S + j];
    matrix->missing = missing;
    matrix->on_device = matrix->is_stale = 0;
    bg_pack(b, index);
    return BEAGLE_SUCCESS;
}

int bg_set_matrices(bg_instance *b, const int *indices, const double *from, const double *missing, int count) {
    int code = bg_flush(b, NULL);
    for (int i = 0; code == BEAGLE_SUCCESS && i < count; i++)
        code = set_matrix(b, indices[i], from + (size_t)i * b->rates * b->states * b->states,
                          missing == NULL ? 1 : missing[i]);
    return code;
}

int bg_get_matrix(bg_instance *b, int index, double *to) {
    const int code = bg_flush(b, NULL);
    if (code != BEAGLE_SUCCESS) return code;
    if (!is_matrix(b, index) || b->matrix[index].column == NULL) return BEAGLE_ERROR_OUT_OF_RANGE;
    if (b->device != NULL && bg_gpu_take_matrix(b, index) != BEAGLE_SUCCESS) return BEAGLE_ERROR_GENERAL;
    const size_t S = b->states;
    for (size_t r = 0; r < b->rates; r++)
        for (size_t s = 0; s < S; s++)
            for (size_t j = 0; j < S; j++)
                to[(r * S + s) * S + j] = b->matrix[index].column[(r * b->layout.states + j) * b->layout.row + s];
    return BEAGLE_SUCCESS;
}

/* result = first times second, for each rate class. */
static int convolve(bg_instance *b, int first, int second, int result) {
    if (!is_matrix(b, first) || !is_matrix(b, second) || !is_matrix(b, result) || result == first || result == second ||
        b->matrix[first].column == NULL || b->matrix[second].column == NULL)
        return BEAGLE_ERROR_OUT_OF_RANGE;
    if (bg_matrix_wanted(b, result) != BEAGLE_SUCCESS) return BEAGLE_ERROR_OUT_OF_MEMORY;
    if (b->device != NULL &&
        (bg_gpu_take_matrix(b, first) != BEAGLE_SUCCESS || bg_gpu_take_matrix(b, second) != BEAGLE_SUCCESS))
        return BEAGLE_ERROR_GENERAL;
    const size_t S = b->layout.states, row = b->layout.row;
    for (size_t r = 0; r < b->rates; r++) {
        const double *A = b->matrix[first].column + r * S * row, *B = b->matrix[second].column + r * S * row;
        double *to = b->matrix[result].column + r * S * row;
        for (size_t j = 0; j < S; j++) {
            memset(to + j * row, 0, sizeof *to * S);
            for (size_t k = 0; k < S; k++)
                for (size_t s = 0; s < S; s++) to[j * row + s] += A[k * row + s] * B[j * row + k];
        }
    }
    b->matrix[result].missing = 1;
    b->matrix[result].on_device = b->matrix[result].is_stale = 0;
    bg_pack(b, result);
    return BEAGLE_SUCCESS;
}

int bg_convolve(bg_instance *b, const int *firsts, const int *seconds, const int *results, int count) {
    int code = bg_flush(b, NULL);
    for (int i = 0; code == BEAGLE_SUCCESS && i < count; i++) code = convolve(b, firsts[i], seconds[i], results[i]);
    return code;
}
