/* What intrinsics.cu offers to main.c: the cases of cases.h, evaluated on a device. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "harness/base/linkage.h"
#include "cases.h"

WL_C_BEGIN

#define CASE_NUMBER(id, ...) case_##id,
enum { EXACT_CASES(CASE_NUMBER) exact_cases };
enum { APPROXIMATE_CASES(CASE_NUMBER) approximate_cases };
enum { MATRIX_CASES(CASE_NUMBER) matrix_cases };
#undef CASE_NUMBER

/* A warp's operands: for each lane four words of A, two of B, four of C (m8n8k4: the doubles A in words 0 and 1, B in
   4 and 5, C in 6 to 9). Its results: four words per lane. */
enum { MATRIX_A = 0, MATRIX_B = 4, MATRIX_C = 6, MATRIX_WORDS = 10 };
typedef struct {
    uint32_t x[32][MATRIX_WORDS];
} matrix_operands;
typedef struct {
    uint32_t x[32][4];
} matrix_result;

/* Each returns NULL, or what went wrong in words. */
typedef struct {
    const char *(*open)(char name[256]); /* the device's name; fails where there is none that will do */
    const char *(*exact)(int number, size_t count, const uint64_t *a, const uint64_t *b, const uint64_t *c,
                         uint64_t *out);
    const char *(*approximate)(int number, size_t count, const uint64_t *a, const uint64_t *b, float *out);
    const char *(*matrix)(int number, size_t warps, const matrix_operands *operands, matrix_result *out);
} intrinsics_device;

/* Set before main by a constructor in intrinsics.cu, whose names are otherwise its own: the same file can be linked
   twice, for the GPU and for the simulated device. */
extern const intrinsics_device *intrinsics_on;

WL_C_END
