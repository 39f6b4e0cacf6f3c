/* What VCF and BCF have in common: records, as htslib gives them, become sites. */
#pragma once

#include <htslib/vcf.h>

#include "tools/distances/read/rows.h"

/* Why a record is no site. */
enum { WITHOUT_ALTERNATIVE, MULTIALLELIC, TOO_MANY_ALLELES, SYMBOLIC, WITHOUT_GENOTYPES, NOT_DIPLOID, REASONS };

/* Diploid genotypes: each alternative allele is a site, at which 0, 1 or 2 of it are counted. Haploid ones: each record is a site,
   whose values are alleles. Until a diploid genotype is met, the file may be a haploid's. */
typedef struct {
    distances_rows *rows;
    size_t samples;
    int is_diploid;
    uint8_t *sites; /* [count][site bytes], as tools/distances/read/rows.h has them, and slack */
    uint64_t count, capacity;
    uint8_t *alleles; /* of haploids: [haploid][samples], codes as tools/distances/read/rows.h has them */
    uint64_t haploid, haploid_capacity;
    uint64_t empty,
        empty_sites;    /* of `haploid`: records without any call, and how many sites they would be of diploids */
    int (*genotype)[2]; /* [samples]: of a record, alleles or what stands for none; made for the first that needs it */
    uint64_t skipped[REASONS], half_missing, split;
} distances_variants;

/* A record, unpacked up to its genotypes: a site more, or one skipped. `place` names it in error lines: "file:line". */
wl_status distances_variant(distances_variants *variants, const bcf_hdr_t *header, bcf1_t *record, const char *place);
/* What htslib says against a record that it has read; WL_OK where nothing. */
wl_status distances_variant_errors(const bcf1_t *record, int result, const char *place);
/* All sites are there. */
wl_status distances_variants_finish(distances_variants *variants);
void distances_variants_drop(distances_variants *variants);
