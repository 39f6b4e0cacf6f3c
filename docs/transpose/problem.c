/* The problem `transpose`: random matrices, and how two results are compared. */
#include "transpose/problem.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/base/random.h"
#include "harness/bench/problem.h"

static const wl_option options[] = {
    {"rows", "N", "1024", "rows of the matrix, 0 to 65536"},
    {"columns", "N", "1024", "columns of the matrix, 0 to 65536"},
    {NULL, NULL, NULL, NULL},
};

static wl_status input_create(const wl_arguments *arguments, uint64_t seed, size_t index, void **input) {
    int64_t rows, columns;
    wl_status status = wl_argument_integer(arguments, "rows", 0, 65536, &rows);
    if (status == WL_OK) status = wl_argument_integer(arguments, "columns", 0, 65536, &columns);
    if (status != WL_OK) return status;
    transpose_input *in = malloc(sizeof *in);
    float *data = malloc(sizeof *data * (size_t)(rows * columns) + 1); /* never 0 bytes */
    if (in == NULL || data == NULL) {
        free(in);
        free(data);
        return wl_fail(WL_NO_MACHINE, "not enough memory for %lld x %lld numbers", (long long)rows, (long long)columns);
    }
    wl_random random = wl_random_stream(seed, index);
    for (size_t i = 0; i < (size_t)(rows * columns); i++) data[i] = (float)wl_random_unit(&random);
    *in = (transpose_input){(int)rows, (int)columns, data};
    *input = in;
    return WL_OK;
}

static void input_free(void *input) {
    transpose_input *in = input;
    if (in != NULL) free(in->data);
    free(in);
}

static size_t numbers(const transpose_input *in) { return (size_t)in->rows * (size_t)in->columns; }

static void shape(const void *input, char *text, size_t size) {
    const transpose_input *in = input;
    snprintf(text, size, "%dx%d", in->rows, in->columns);
}
static double work(const void *input) { return (double)numbers(input); }
static size_t output_size(const void *input) { return sizeof(float) * numbers(input); }
static size_t slices(const void *input) { return (size_t)((const transpose_input *)input)->rows; }

static size_t compare(const void *input, const void *expected, const void *actual, char *first, size_t size) {
    const transpose_input *in = input;
    const float *should = expected, *is = actual; /* [columns][rows] */
    size_t wrong = 0;
    for (size_t i = 0; i < numbers(in); i++)
        if (!(is[i] == should[i]) && wrong++ == 0) /* written so that NaN is wrong */
            snprintf(first, size, "out[column=%zu][row=%zu]: expected %g, found %g", i / (size_t)in->rows,
                     i % (size_t)in->rows, should[i], is[i]);
    return wrong;
}

/* A single row, or column, has the same order in memory when it is transposed. */
static int result_is_input(const void *input) {
    const transpose_input *in = input;
    return in->rows == 1 || in->columns == 1;
}

/* One below and above a warp and a tile of 32, and empty matrices. */
static const char *const check_shapes[] = {
    "--rows 1 --columns 1",   "--rows 31 --columns 33",
    "--rows 32 --columns 32", "--rows 33 --columns 31",
    "--rows 64 --columns 65", "--rows 1 --columns 300",
    "--rows 300 --columns 1", "--rows 0 --columns 5",
    "--rows 5 --columns 0",   NULL,
};

static const wl_problem transpose = {
    .name = "transpose",
    .title = "Matrix transpose",
    .unit = "numbers",
    .options = options,
    .input_create = input_create,
    .input_free = input_free,
    .shape = shape,
    .work = work,
    .output_size = output_size,
    .slices = slices,
    .reference = transpose_reference,
    .compare = compare,
    .check_shapes = check_shapes,
    .serial_baseline = "serial_O3",
    .result_is_input = result_is_input,
};
WL_REGISTER_PROBLEM(transpose)
