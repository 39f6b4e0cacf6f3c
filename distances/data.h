/* What is compared: instances with names, read from files. */
#ifndef DISTANCES_DATA_H
#define DISTANCES_DATA_H

#include <stdio.h>

#include "distances/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    DISTANCES_LETTERS,   /* an alignment's: DISTANCES_DIFFERENT; A, C, G, T in two planes, other alphabets in more */
    DISTANCES_GENOTYPES, /* 0, 1 or 2 of the counted allele: planes in unary serve both sums */
    DISTANCES_INTEGERS,  /* a table of small integers, 0 .. 127 */
    DISTANCES_REALS      /* a table with decimal points: no planes, `real` */
} distances_kind;

typedef struct {
    distances_kind kind;
    size_t count;   /* instances, at least 1 */
    uint64_t sites; /* at least 1 */
    size_t words;   /* of a plane */
    int planes;     /* 0 for reals */
    distances_sum
        sum;        /* that the planes are made for; in unary planes of genotypes, differing is any plane differing, so
                          DISTANCES_DIFFERENT serves, too */
    int complete;   /* no value is missing */
    char **names;   /* [count] */
    uint64_t *bits; /* [count][planes + 1][words], see distances_side; NULL for reals */
    double *real;   /* [count][sites], NaN where missing; NULL else */
} distances_data;

typedef enum { DISTANCES_AUTO, DISTANCES_FASTA, DISTANCES_VCF, DISTANCES_PLINK, DISTANCES_TABLE } distances_format;

typedef struct {
    distances_format
        format; /* AUTO: by the file's first bytes (FASTA '>', BCF and VCF their magic, .bed theirs), else a table */
    const char
        *present; /* letters that are compared, others are missing; NULL: "ACGT" for nucleotides, for amino acids all
                                but X, '-', '.', '?', '*' */
    int every_letter;      /* nothing is missing: a gap is a letter like others, as in the lessons */
    int integers_in_unary; /* a table's integers for DISTANCES_STEPS (at most 7 then); else binary for DISTANCES_DIFFERENT */
    int keep_duplicates; /* names that occur twice are refused else */
    size_t memory;       /* bytes that the data may take; 0: what is free */
} distances_reading;

/* Read INPUT: an alignment in FASTA (plain or gzip, '-'), VCF or BCF (htslib: diploid genotypes, GT of biallelic records;
   others are counted and reported), PLINK's .bed with .bim and .fam beside it (any of the three names, or their common stem), a
   TSV of integers or reals (a header line where there is one; names in the first column where it is no number).
   Notes on what was left out or taken as missing go to `notes` (may be NULL), one line each. WL_BAD_INPUT names file, line or
   record, what was found, what was expected. On success free with distances_data_free. */
wl_status distances_read(const char *path, const distances_reading *reading, FILE *notes, distances_data *data);
void distances_data_free(distances_data *data);

/* Random data with missing values, for checks and measurements; depends on the seed only. Letters are in binary planes for
   DISTANCES_DIFFERENT, genotypes and integers in unary ones for DISTANCES_STEPS. */
typedef struct {
    distances_kind kind; /* not reals */
    size_t count;
    uint64_t sites;
    int values;        /* 2 .. 128, of genotypes and integers at most 8; 4: nucleotides, 3: genotypes */
    double missing;    /* share, 0 .. 1 */
    double difference; /* share of sites at which an instance differs from the common ancestor; 1: independent */
    uint64_t seed;
} distances_recipe;
wl_status distances_generate(const distances_recipe *recipe, distances_data *data);

#ifdef __cplusplus
}
#endif
#endif
