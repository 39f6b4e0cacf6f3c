/* Operands of the checked functions: edge cases, pairs of edge cases, and random numbers of the kinds where things go
   wrong. The same on every machine, and independent of which other cases there are. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "harness/base/linkage.h"

WL_C_BEGIN

/* Operands of one evaluation; of those a case does not have, zero. */
typedef struct {
    uint64_t *a, *b, *c; /* [count] */
} operand_lists;

/* Fill `count` operands of the kinds in `kinds` (see cases.h), from random numbers that depend on `name` only. */
void make_operands(const char *name, const char *kinds, size_t count, operand_lists operands);

/* The number whose bits an operand of the kinds m, n, e and k is. */
double operand_value(char kind, uint64_t bits);
double half_value(uint16_t bits);
/* A whole number |x| <= 2048 as a half. */
uint16_t half_of_integer(int x);

WL_C_END
