/* Karlin-Altschul parameters as published: data for tools/search/statistics/evalues.c. */
#pragma once

typedef struct {
    const char *matrix; // NULL ends the table
    int open, extend;   // as BLAST counts: open + k extend
    double lambda, K, H, alpha, beta;
    double variance,
        covariance; // of what an alignment takes of the two sequences, per unit of score, as alpha is the mean
} sw_protein_row;

typedef struct {
    const char *matrix; // NULL ends the table
    double alpha, variance;
} sw_protein_limit;

typedef struct {
    int match, mismatch; // 0 ends the table
    int open, extend;
    double lambda, K, H, alpha, beta;
} sw_nucleotide_row;

extern const sw_protein_row sw_protein_rows[];
extern const sw_protein_limit sw_protein_limits[]; // one for each matrix
extern const sw_nucleotide_row sw_nucleotide_rows[];
extern const sw_nucleotide_row sw_nucleotide_limits[]; // open and extend: at least these
