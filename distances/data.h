/* What is compared: instances with names, read from files. */
#pragma once

#include <stdio.h>

#include "distances/problem.h"
#include "io/alignment.h"

enum { DISTANCES_PLOIDY_MOST = DISTANCES_PLANES_MOST };

typedef enum {
    DISTANCES_LETTERS,   // an alignment's: DISTANCES_DIFFERENT; A, C, G, T in two planes, other alphabets in more
    DISTANCES_GENOTYPES, // 0, 1 or 2 of the counted allele, or more of polyploids: planes in unary serve both sums
    DISTANCES_INTEGERS,  // a table of small integers, 0 .. 127
    DISTANCES_REALS,     // a table with decimal points: no planes, `real`
    DISTANCES_HAPLOID,   // alleles of haploids, by number: DISTANCES_DIFFERENT
    DISTANCES_CATEGORIES // allele numbers of cgMLST: planes in binary or, where a column has more than 128, `real`
} distances_kind;

typedef struct {
    distances_kind kind;
    size_t count;   // instances, at least 1
    uint64_t sites; // at least 1
    size_t words;   // of a plane
    int planes;     // 0 for reals
    distances_sum
        sum;         /* that the planes are made for; in unary planes of genotypes, differing is any plane differing, so
                          DISTANCES_DIFFERENT serves, too */
    int nucleotides; // letters: A, C, G and T are 0 to 3, and all others are missing
    int complete;    // no value is missing
    uint64_t least_values; // that an instance has, or fewer
    size_t split;          // 0; or the first `split` instances are to be compared with the others
    char **names;          // [count]
    uint64_t *bits;        // [count][planes + 1][words], see distances_side; NULL for reals
    double *real;          // [count][sites], NaN where missing; NULL else
} distances_data;

/* Are they in `real`? */
static inline int distances_are_real(const distances_data *data) {
    return data->planes == 0 && (data->kind == DISTANCES_REALS || data->kind == DISTANCES_CATEGORIES);
}

typedef enum {
    DISTANCES_AUTO,
    DISTANCES_FASTA,
    DISTANCES_PHYLIP_FILE,
    DISTANCES_PHYLIP_STRICT_FILE,
    DISTANCES_NEXUS,
    DISTANCES_VCF,
    DISTANCES_PLINK,
    DISTANCES_TABLE,
    DISTANCES_CGMLST
} distances_format;

typedef struct {
    distances_format
        format; /* AUTO: by the file's first bytes (FASTA '>', NEXUS '#NEXUS', PHYLIP two counts and a blank between them, BCF and
                   VCF their magic, .bed theirs), else a table */
    const char
        *present; /* letters that are compared, others are missing; NULL: "ACGT" for nucleotides, for amino acids all
                                but X, '-', '.', '?', '*' */
    wl_alignment_letters letters; // what the letters are, whatever the file says; UNSAID: found out
    int every_letter;             // nothing is missing: a gap is a letter like others, as in the lessons
    int names;                    // a table's first column has names, whatever they look like
    int equality;                 // only equal values matter: a table may be one of allele numbers
    int integers_in_unary; // a table's integers for DISTANCES_STEPS (larger than 7: they are reals); else binary for DISTANCES_DIFFERENT
    /* NULL, or another file, of the first one's kind: its instances follow, data.split is set */
    const char *second;
    const char *only;    // NULL; or the name of an instance, which becomes the first, and data.split 1
    int biallelic;       // VCF's records with several alternative alleles are left out
    int ploidy;          // of VCF's genotypes, 1 .. DISTANCES_PLOIDY_MOST; 0: what most have
    int keep_duplicates; // names that occur twice are refused else
    size_t memory;       // bytes that the data may take; 0: what is free
    int threads;         // that read; 0: all that this process may use
} distances_reading;

/* Read `path` ("-": standard input, but for PLINK). What it is, its first bytes say; text may be
   gzip.

   An alignment, FASTA (or FASTQ), PHYLIP or NEXUS (io/alignment.h): sequences of equal lengths.
   What `letters` or else NEXUS says of their kind holds. Otherwise the letters of the first sequences
   decide (10,000 letters or more, or all there are). They are nucleotides when at least four fifths
   are A, C, G, T, U or N. If all others are IUPAC's codes of nucleotides, half of 40 letters do, or
   any share of 100, which a note says. Else they are amino acids, which a note says. X does not
   count. Either case, and U is T.
   Memory is taken for the planes, and of FASTA for the longest sequence, of PHYLIP and NEXUS for
   all.
   VCF, BCF: samples are the instances. Of diploid and polyploid genotypes (GT, phased or not) each
   alternative allele is a site, whose values are how many of it there are, as after 'bcftools norm
   -m-'; a genotype with an allele missing is missing. Of haploid ones each record is a site, whose
   values are alleles, and a symbolic one or N is missing. `ploidy`, or what most genotypes have,
   says which they are. Records without an alternative allele, with symbolic ones only (<DEL>, *, a
   breakend), without GT, or in which a sample has another number of alleles are left out, and
   counted in the notes. Of haploid genotypes, records with some are kept (with `ploidy`, all), and
   genotypes of several alleles count if these are equal.
   PLINK's .bed, .bim and .fam: any of the three, or their common stem; as many bytes as samples and
   variants ask for, variant by variant. Names are those of the samples where they differ, else
   family_sample. X, Y and MT count, too; variants of negative position are left out.
   A table: one instance a row, tab-separated, a header line where there is one, names in the first
   column where these are words, else the rows' numbers. Missing: an empty field, NA, N/A, NaN, nan,
   NULL, null, '.', '?', '-'. Integers 0 to 127 (with integers_in_unary: to 7) make
   DISTANCES_INTEGERS; one other number in it, and the table is DISTANCES_REALS.

   Notes on what was left out or taken as missing go to `notes` (may be NULL), one line each.
   WL_BAD_INPUT names file, line or record, what was found, what was expected; WL_NO_MACHINE: it
   takes more than `memory`, or than there is. On success free with distances_data_free. */
wl_status distances_read(const char *path, const distances_reading *reading, FILE *notes, distances_data *data);
/* Whether the name says that these are PLINK's files, which all threads read. */
int distances_names_plink(const char *path);
/* The same of rows in memory, letters [count][sites], of which each is one that a sequence in a file may have; the rows are named by
   their numbers, from 1. `letters` is not needed any more afterwards. */
wl_status distances_of_letters(const char *letters, size_t count, size_t sites, const distances_reading *reading,
                               FILE *notes, distances_data *data);
/* The same of values [count][sites], NaN where one is missing. Where all are integers of 0 to 127 (with integers_in_unary: to 7) they
   are DISTANCES_INTEGERS, else DISTANCES_REALS. are_genotypes: they are 0, 1 or 2 of the counted allele. */
wl_status distances_of_numbers(const double *values, size_t count, size_t sites, int are_genotypes,
                               const distances_reading *reading, distances_data *data);
/* `data` has its kind, count, sites, planes and sum, all else zero: gets its words, bits (not yet written, 64-byte aligned) and
   names (NULL each). WL_NO_MACHINE where it does not fit into memory; the line begins with `who`, and `data` is empty. */
wl_status distances_data_allocate(const char *who, distances_data *data);
size_t distances_data_bytes(const distances_data *data);
void distances_data_free(distances_data *data);

/* Random data with missing values, for checks and measurements; depends on the seed only. Letters are in binary planes for
   DISTANCES_DIFFERENT, genotypes and integers in unary ones for DISTANCES_STEPS. */
typedef struct {
    distances_kind kind; // not reals
    size_t count;
    uint64_t sites;
    int values;        // 2 .. 128, of genotypes and integers at most 8; 4: nucleotides, 3: genotypes
    double missing;    // share, 0 .. 1
    double difference; // share of sites at which an instance differs from the common ancestor; 1: independent
    uint64_t seed;
} distances_recipe;
wl_status distances_generate(const distances_recipe *recipe, distances_data *data);
