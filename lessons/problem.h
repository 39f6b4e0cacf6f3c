/* All-pairs distance: the number of attributes in which each two instances differ (Payne et al. 2010). */
#ifndef LESSONS_PROBLEM_H
#define LESSONS_PROBLEM_H

#include <stddef.h>
#include <stdint.h>

#include "harness/variant.h"

/* Threads a block in lessons 01 to 05: the paper's 128. */
#define THREADS 128

#ifdef __cplusplus
extern "C" {
#endif

/* One data set, row-major as the paper's Appendix 1 has it. */
typedef struct {
    int instances;
    int attributes;
    const int *data; /* [instances][attributes], every value in 0..alphabet-1 */
    int alphabet;    /* 1..256 */
    char **names;    /* [instances], or NULL for random data */
} lessons_input;

/* The result is int distance[instances][instances]; distance[INSTANCES*j + i] is that of instances i and j. */

/* Rows of characters for the char4 lessons: [instances][*pitch], pitch = attributes rounded up to a multiple of four,
   the padding zero. The caller frees it; NULL when memory is short. */
char *lessons_char_rows(const lessons_input *input, size_t *pitch);

#ifdef __cplusplus
}
#endif
#endif
