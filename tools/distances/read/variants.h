/* What VCF and BCF have in common: records, as htslib gives them, become sites. */
#pragma once

#include <htslib/vcf.h>

#include "tools/distances/read/rows.h"

/* Why a record is no site. */
enum { WITHOUT_ALTERNATIVE, MULTIALLELIC, TOO_MANY_ALLELES, SYMBOLIC, WITHOUT_GENOTYPES, OTHER_PLOIDY, REASONS };

enum { OF_HAPLOIDS, OF_DIPLOIDS, OF_POLYPLOIDS, PLOIDIES };
enum { DISTANCES_NO_COPIES = 0xFF }; // a polyploid's genotype that is missing

/* A byte for each sample of a site. */
typedef struct {
    uint8_t *codes; // [count][samples]
    uint64_t count, capacity;
} distances_byte_sites;

/* All genotypes of a file are of one ploidy, which --ploidy says or most of its genotypes have. Until that is known, sites of each are
   kept. Diploid and polyploid genotypes: each alternative allele is a site, at which copies of it are counted. Haploid ones: each record
   is a site, whose values are alleles. */
typedef struct {
    distances_rows *rows;
    size_t samples;
    uint8_t *sites; // of diploids: [count][site bytes], as tools/distances/read/rows.h has them, and slack
    uint64_t count, capacity;
    distances_byte_sites haploid;         // codes as tools/distances/read/rows.h has them
    distances_byte_sites polyploid;       // copies, DISTANCES_NO_COPIES where the genotype is missing
    int copies;                           // of polyploids: the first ploidy above 2 that was met; 0: none
    int settled;                          // ploidy, from here on; 0: not yet
    uint64_t genotypes[PLOIDIES];         // with a call: haploid, diploid, polyploid
    uint64_t records[PLOIDIES], mixed;    // with calls of one ploidy alone, and of several
    uint64_t polyploid_records, too_many; // that are sites; too many alleles for a haploid's
    uint64_t empty, empty_sites;          // records without any call, and alternative alleles in them
    uint64_t heterozygous;                // genotypes of several copies among haploid ones
    int (*genotype)
        [DISTANCES_PLOIDY_MOST]; // [samples]: of a record, alleles or what stands for none; made for the first that needs it
    uint64_t skipped[REASONS], half_missing, split;
} distances_variants;

/* A record, unpacked up to its genotypes: a site more, or one skipped. `place` names it in error lines: "file:line". */
wl_status distances_variant(distances_variants *variants, const bcf_hdr_t *header, bcf1_t *record, const char *place);
/* What htslib says against a record that it has read; WL_OK where nothing. */
wl_status distances_variant_errors(const bcf1_t *record, int result, const char *place);
/* All sites are there. */
wl_status distances_variants_finish(distances_variants *variants);
void distances_variants_drop(distances_variants *variants);

/* For variants_finish.c. The next diploid site, without calls; variants->count is the caller's to raise. */
wl_status distances_new_site(distances_variants *variants, uint8_t **site);
wl_status distances_variants_no_memory(const distances_variants *variants);
static inline void distances_put_code(uint8_t *site, size_t sample, int code) {
    site[sample / 4] |= (uint8_t)(code << 2 * (sample % 4));
}
