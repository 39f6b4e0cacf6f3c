/* The matrices that the program knows by name. */
#ifndef SW_SCORING_MATRICES_H
#define SW_SCORING_MATRICES_H

#include <stdint.h>

/* NCBI's order of letters, which is not that of our codes: J stands before Z, U and O are not there. */
#define SW_PUBLISHED_LETTERS "ARNDCQEGHILKMFPSTWYVBJZX*"
#define SW_PUBLISHED_COUNT 25

typedef struct {
    const char *name;
    int open, extend; /* BLAST's default for it, counted as BLAST counts */
    int8_t triangle[SW_PUBLISHED_COUNT * (SW_PUBLISHED_COUNT + 1) / 2]; /* row by row, up to the diagonal */
} sw_published;

/* Ends with an entry without a name. */
extern const sw_published sw_published_matrices[];

#endif
