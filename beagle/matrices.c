/* Transition matrices: from eigenvectors, set by the client, multiplied. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beagle/device.h"
#include "beagle/instance.h"

int bg_matrix_wanted(bg_instance *b, int matrix) {
    bg_matrix *at = &b->matrix[matrix];
    if (at->column == NULL) at->column = bg_zeros(sizeof(double) * b->rates * b->states * b->row);
    if (at->packed == NULL) at->packed = bg_zeros(b->rates * b->matrix_bytes);
    return at->column == NULL || at->packed == NULL ? BEAGLE_ERROR_OUT_OF_MEMORY : BEAGLE_SUCCESS;
}

/* One rate class of a matrix as joins read it. */
static void pack(const bg_instance *b, const bg_matrix *matrix, size_t rate) {
    const double *from = matrix->column + rate * b->states * b->row;
    void *to = matrix->packed + rate * b->matrix_bytes;
    if (!b->few) {
        b->of->store(b->states, from, b->row, 0, to);
        return;
    }
    b->of->store_few(from, b->row, to);
    if (matrix->missing == 1) return;
    const size_t first = CPU_FEW * CPU_FEW + CPU_FEW_SETS - 1; /* of the last set, all states: peeling/core/few.h */
    for (size_t s = 0; s < CPU_FEW; s++) {
        const size_t at = first + s * CPU_FEW_SETS;
        const double value =
            ldexp(matrix->missing, b->number == sizeof(float) ? CPU_FEW_BIAS_SINGLE : CPU_FEW_BIAS_DOUBLE);
        if (b->number == sizeof(float))
            ((float *)to)[at] = (float)value;
        else
            ((double *)to)[at] = value;
    }
}

void bg_pack(bg_instance *b, int matrix) {
    for (size_t r = 0; r < b->rates; r++) pack(b, &b->matrix[matrix], r);
    b->matrix[matrix].is_packed = 1;
}

/* grown[j] = left[j] times the n-th derivative of exp(lambda mu t) by t; for n = 0 less 1, so that short branches keep their digits. A pair
   of conjugate eigenvalues a + ib turns its two eigenvectors: (cos, sin; -sin, cos). */
static void grow(const bg_instance *b, const bg_eigen *eigen, double rate, double length, int derivative,
                 double *grown) {
    const double *imaginary = eigen->value + b->states;
    for (size_t k = 0; k < b->states; k++) {
        const double complex speed = rate * (eigen->value[k] + I * imaginary[k]);
        if (imaginary[k] == 0 || k + 1 == b->states) {
            const double x = creal(speed);
            double factor = derivative == 0 ? expm1(x * length) : (derivative == 1 ? x : x * x) * exp(x * length);
            if (x == 0) factor = 0; /* not 0 times infinity */
            for (size_t j = 0; j < b->states; j++) grown[j * b->row + k] = eigen->left[j * b->row + k] * factor;
            continue;
        }
        double complex factor = cexp(speed * length);
        for (int n = 0; n < derivative; n++) factor *= speed;
        if (derivative == 0) factor -= 1;
        for (size_t j = 0; j < b->states; j++) {
            const double *left = eigen->left + j * b->row + k;
            double *to = grown + j * b->row + k;
            to[0] = left[0] * creal(factor) + left[1] * cimag(factor);
            to[1] = left[1] * creal(factor) - left[0] * cimag(factor);
        }
        k++;
    }
}

void bg_make_matrices(bg_instance *b, const bg_edge *edge, size_t rate, void *scratch) {
    double *grown = scratch, *P = grown + (b->states + CPU_STEP - 1) / CPU_STEP * CPU_STEP * b->row;
    const bg_eigen *eigen = &b->eigen[edge->eigen];
    for (int derivative = 0; derivative < 3; derivative++) {
        if (edge->matrix[derivative] == BEAGLE_OP_NONE) continue;
        bg_matrix *matrix = &b->matrix[edge->matrix[derivative]];
        grow(b, eigen, b->rate[edge->rates][rate], edge->length, derivative, grown);
        b->core->product(b->states, b->row, eigen->right, grown, P);
        for (size_t j = 0; derivative == 0 && j < b->states; j++) {
            P[j * b->row + j] += 1;
            for (size_t s = 0; s < b->states; s++)
                if (!(P[j * b->row + s] > 0)) P[j * b->row + s] = 0;
        }
        memcpy(matrix->column + rate * b->states * b->row, P, sizeof(double) * b->states * b->row);
        if (derivative == 0) pack(b, matrix, rate);
    }
}

/* ---- what clients call ---- */

static int is_matrix(const bg_instance *b, int i) { return i >= 0 && (size_t)i < b->matrices; }

int beagleSetEigenDecomposition(int instance, int eigenIndex, const double *inEigenVectors,
                                const double *inInverseEigenVectors, const double *inEigenValues) {
    bg_instance *b = bg_enter(instance);
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
    if (eigenIndex < 0 || (size_t)eigenIndex >= b->eigens) return bg_leave(b, BEAGLE_ERROR_OUT_OF_RANGE);
    const int code = b->edge_count > 0 ? bg_flush(b, NULL) : BEAGLE_SUCCESS;
    bg_eigen *eigen = &b->eigen[eigenIndex];
    const size_t S = b->states, square = sizeof(double) * S * b->row;
    if (eigen->value == NULL) {
        eigen->left = bg_zeros(square);
        eigen->right = bg_zeros(square + CPU_LINE);
        eigen->value = calloc(2 * S, sizeof *eigen->value);
    }
    if (code != BEAGLE_SUCCESS || eigen->left == NULL || eigen->right == NULL || eigen->value == NULL)
        return bg_leave(b, code != BEAGLE_SUCCESS ? code : BEAGLE_ERROR_OUT_OF_MEMORY);
    double *row = (double *)b->scratch; /* E transposed, [k][s] */
    for (size_t k = 0; k < S; k++)
        for (size_t i = 0; i < S; i++) {
            row[k * b->row + i] = inEigenVectors[i * S + k];
            eigen->left[i * b->row + k] =
                inInverseEigenVectors[b->flags & BEAGLE_FLAG_INVEVEC_TRANSPOSED ? i * S + k : k * S + i];
        }
    b->core->precision[PEELING_DOUBLE].store(S, row, b->row, -INFINITY, eigen->right);
    memcpy(eigen->value, inEigenValues, sizeof(double) * (b->flags & BEAGLE_FLAG_EIGEN_COMPLEX ? 2 * S : S));
    eigen->is_complex = 0;
    for (size_t k = S; k < 2 * S; k++) eigen->is_complex |= eigen->value[k] != 0;
    if (b->device == NULL || eigen->is_complex) return bg_leave(b, BEAGLE_SUCCESS);
    double *left = malloc(square); /* E^-1, row by row */
    for (size_t k = 0; left != NULL && k < S; k++)
        for (size_t i = 0; i < S; i++) left[k * S + i] = eigen->left[i * b->row + k];
    const int result = left == NULL
                           ? BEAGLE_ERROR_OUT_OF_MEMORY
                           : bg_device_set_eigen(b->device, (uint32_t)eigenIndex, inEigenVectors, left, inEigenValues);
    free(left);
    return bg_leave(b, result);
}

int beagleSetCategoryRates(int instance, const double *inCategoryRates) {
    return beagleSetCategoryRatesWithIndex(instance, 0, inCategoryRates);
}

int beagleSetCategoryRatesWithIndex(int instance, int categoryRatesIndex, const double *inCategoryRates) {
    bg_instance *b = bg_enter(instance);
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
    if (categoryRatesIndex < 0 || (size_t)categoryRatesIndex >= b->eigens)
        return bg_leave(b, BEAGLE_ERROR_OUT_OF_RANGE);
    const int code = b->edge_count > 0 ? bg_flush(b, NULL) : BEAGLE_SUCCESS;
    memcpy(b->rate[categoryRatesIndex], inCategoryRates, sizeof(double) * b->rates);
    return bg_leave(b, code);
}

static int in_range(const bg_instance *b, const int *indices, int i) {
    return indices == NULL || indices[i] == BEAGLE_OP_NONE || is_matrix(b, indices[i]);
}

/* One call's matrices, where `eigen` and `rates` may be the same for all (NULL: `one`, and 0). */
static int queue_edges(int instance, int one, const int *eigen, const int *rates, const int *const indices[3],
                       const double *lengths, int count) {
    bg_instance *b = bg_enter(instance);
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
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
            if (matrix->waits) code = bg_flush(b, NULL); /* made twice before anybody reads it */
            if (code == BEAGLE_SUCCESS) code = bg_matrix_wanted(b, edge.matrix[d]);
            matrix->missing = d == 0;
            matrix->is_packed = d == 0;
        }
        if (code == BEAGLE_SUCCESS) code = bg_grow(&b->edges, &b->edge_room, b->edge_count + 1, sizeof *b->edges);
        if (code != BEAGLE_SUCCESS) break;
        for (int d = 0; d < 3; d++)
            if (edge.matrix[d] != BEAGLE_OP_NONE) b->matrix[edge.matrix[d]].waits = 1;
        b->edges[b->edge_count++] = edge;
    }
    return bg_leave(b, code);
}

int beagleUpdateTransitionMatrices(int instance, int eigenIndex, const int *probabilityIndices,
                                   const int *firstDerivativeIndices, const int *secondDerivativeIndices,
                                   const double *edgeLengths, int count) {
    const int *const indices[3] = {probabilityIndices, firstDerivativeIndices, secondDerivativeIndices};
    return queue_edges(instance, eigenIndex, NULL, NULL, indices, edgeLengths, count);
}

int beagleUpdateTransitionMatricesWithMultipleModels(int instance, const int *eigenIndices,
                                                     const int *categoryRateIndices, const int *probabilityIndices,
                                                     const int *firstDerivativeIndices,
                                                     const int *secondDerivativeIndices, const double *edgeLengths,
                                                     int count) {
    const int *const indices[3] = {probabilityIndices, firstDerivativeIndices, secondDerivativeIndices};
    return queue_edges(instance, 0, eigenIndices, categoryRateIndices, indices, edgeLengths, count);
}

static int set_matrix(bg_instance *b, int index, const double *from, double missing) {
    if (!is_matrix(b, index)) return BEAGLE_ERROR_OUT_OF_RANGE;
    if (bg_matrix_wanted(b, index) != BEAGLE_SUCCESS) return BEAGLE_ERROR_OUT_OF_MEMORY;
    bg_matrix *matrix = &b->matrix[index];
    const size_t S = b->states;
    for (size_t r = 0; r < b->rates; r++)
        for (size_t s = 0; s < S; s++)
            for (size_t j = 0; j < S; j++) matrix->column[(r * S + j) * b->row + s] = from[(r * S + s) * S + j];
    matrix->missing = missing;
    matrix->on_device = matrix->is_stale = 0;
    bg_pack(b, index);
    return BEAGLE_SUCCESS;
}

int beagleSetTransitionMatrix(int instance, int matrixIndex, const double *inMatrix, double paddedValue) {
    return beagleSetTransitionMatrices(instance, &matrixIndex, inMatrix, &paddedValue, 1);
}

int beagleSetTransitionMatrices(int instance, const int *matrixIndices, const double *inMatrices,
                                const double *paddedValues, int count) {
    bg_instance *b = bg_enter(instance);
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
    int code = bg_flush(b, NULL);
    for (int i = 0; code == BEAGLE_SUCCESS && i < count; i++)
        code = set_matrix(b, matrixIndices[i], inMatrices + (size_t)i * b->rates * b->states * b->states,
                          paddedValues == NULL ? 1 : paddedValues[i]);
    return bg_leave(b, code);
}

int beagleGetTransitionMatrix(int instance, int matrixIndex, double *outMatrix) {
    bg_instance *b = bg_enter(instance);
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
    const int code = bg_flush(b, NULL);
    if (code != BEAGLE_SUCCESS) return bg_leave(b, code);
    if (!is_matrix(b, matrixIndex) || b->matrix[matrixIndex].column == NULL)
        return bg_leave(b, BEAGLE_ERROR_OUT_OF_RANGE);
    if (b->device != NULL && bg_gpu_take_matrix(b, matrixIndex) != BEAGLE_SUCCESS)
        return bg_leave(b, BEAGLE_ERROR_GENERAL);
    const size_t S = b->states;
    for (size_t r = 0; r < b->rates; r++)
        for (size_t s = 0; s < S; s++)
            for (size_t j = 0; j < S; j++)
                outMatrix[(r * S + s) * S + j] = b->matrix[matrixIndex].column[(r * S + j) * b->row + s];
    return bg_leave(b, BEAGLE_SUCCESS);
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
    const size_t S = b->states, row = b->row;
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

int beagleConvolveTransitionMatrices(int instance, const int *firstIndices, const int *secondIndices,
                                     const int *resultIndices, int matrixCount) {
    bg_instance *b = bg_enter(instance);
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
    int code = bg_flush(b, NULL);
    for (int i = 0; code == BEAGLE_SUCCESS && i < matrixCount; i++)
        code = convolve(b, firstIndices[i], secondIndices[i], resultIndices[i]);
    return bg_leave(b, code);
}
