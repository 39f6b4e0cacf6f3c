#include <stdlib.h>
#include <string.h>

#include "tools/distances/read/genotypes.h"
#include "tools/distances/read/variants.h"
#include "harness/base/memory.h"

#define GROWTH ((uint64_t)256 << 20) // bytes, at most, at a time

enum { ALLELES_MOST = 128 };                 // that a code of DISTANCES_PLANES_MOST planes tells apart
#define UNSETTLED_BYTES ((uint64_t)64 << 20) // of sites that may not be used

/* --- Genotypes --------------------------------------------------------------------------------------------------- */

enum { GT_NONE = -1, GT_END = -2 }; // an allele that is missing; no more alleles

/* The alleles in a GT of one, two or four bytes each: (allele + 1) << 1 | phased, 0 for a missing one. Nonsense comes out as an
   allele that no record has. */
static int allele_of(const bcf_fmt_t *gt, size_t i) {
    int32_t value;
    if (gt->type == BCF_BT_INT8) {
        int8_t byte;
        memcpy(&byte, gt->p + i, sizeof byte);
        value = byte == bcf_int8_vector_end ? bcf_int32_vector_end : byte == bcf_int8_missing ? 0 : byte;
    } else if (gt->type == BCF_BT_INT16) {
        int16_t two;
        memcpy(&two, gt->p + 2 * i, sizeof two);
        value = two == bcf_int16_vector_end ? bcf_int32_vector_end : two == bcf_int16_missing ? 0 : two;
    } else {
        memcpy(&value, gt->p + 4 * i, sizeof value);
        if (value == bcf_int32_missing) value = 0;
    }
    if (value == bcf_int32_vector_end) return GT_END;
    return value < 0 ? INT32_MAX : (value >> 1) - 1;
}

/* Genotypes of a record that have a call. */
typedef struct {
    uint64_t of[PLOIDIES];
    int copies; // of its polyploid genotypes; 0: they differ, or are too many
} calls;

/* All genotypes of a record into v->genotype, the alleles in front of GT_END. */
static wl_status read_genotypes(distances_variants *v, const bcf1_t *record, const bcf_fmt_t *gt, const char *place,
                                calls *called) {
    const int alleles = record->n_allele;
    *called = (calls){0};
    for (size_t i = 0; i < v->samples; i++) {
        int *genotype = v->genotype[i], count = 0, known = 0;
        for (int k = 0; k < DISTANCES_PLOIDY_MOST; k++) genotype[k] = GT_END;
        for (int k = 0; k < gt->n; k++) {
            const int allele = allele_of(gt, i * (size_t)gt->n + (size_t)k);
            if (allele == GT_END) break;
            if (allele >= alleles)
                return wl_fail(WL_BAD_INPUT,
                               "%s: found a genotype of sample %zu with an allele above %d; expected 0 to %d, of the "
                               "record's %d alleles",
                               place, i + 1, alleles - 1, alleles - 1, alleles);
            if (count < DISTANCES_PLOIDY_MOST) genotype[count] = allele;
            count++;
            known += allele >= 0;
        }
        if (known == 0) continue;
        const int kind = count == 1 ? OF_HAPLOIDS : count == 2 ? OF_DIPLOIDS : OF_POLYPLOIDS;
        const int first = kind == OF_POLYPLOIDS && called->of[kind] == 0;
        called->of[kind]++;
        if (first && count <= DISTANCES_PLOIDY_MOST) called->copies = count;
        if (kind == OF_POLYPLOIDS && called->copies != count) called->copies = 0;
    }
    return WL_OK;
}

/* Which of them the alleles are; GT_NONE where one is missing. */
static int copies_of(const int *genotype, int ploidy, int allele) {
    int copies = 0;
    for (int k = 0; k < ploidy; k++) {
        if (genotype[k] < 0) return GT_NONE;
        copies += genotype[k] == allele;
    }
    return copies;
}

static int is_half_missing(const int *genotype) {
    int known = 0, missing = 0;
    for (int k = 0; k < DISTANCES_PLOIDY_MOST && genotype[k] != GT_END; k++) genotype[k] < 0 ? missing++ : known++;
    return known > 0 && missing > 0;
}

/* The one allele of a haploid; of several copies only if they are the same. */
static int haploid_allele(distances_variants *v, const int *genotype) {
    for (int k = 1; k < DISTANCES_PLOIDY_MOST && genotype[k] != GT_END; k++)
        if (genotype[k] != genotype[0]) {
            v->heterozygous++;
            return GT_NONE;
        }
    return genotype[0];
}

/* --- Records ----------------------------------------------------------------------------------------------------- */

/* <DEL>, *, breakends with and without a mate: G]17:198982], G. */
static int is_symbolic(const char *allele) { return strpbrk(allele, "<>[]*.") != NULL; }

/* Room for one item more of `bytes` each, and others; the whole has some slack. */
static wl_status reserve(distances_variants *v, uint8_t **items, uint64_t count, uint64_t *capacity, size_t bytes) {
    if (count < *capacity) return WL_OK;
    uint64_t more = count / 2 + 64;
    if (more > GROWTH / bytes) more = GROWTH / bytes + 1;
    WL_TRY(distances_rows_memory(v->rows, more * bytes));
    uint8_t *larger = realloc(*items, (*capacity + more) * bytes + DISTANCES_BLOCK_SLACK);
    if (larger == NULL) return distances_variants_no_memory(v);
    *items = larger;
    *capacity += more;
    return WL_OK;
}

wl_status distances_new_site(distances_variants *v, uint8_t **site) {
    const size_t bytes = distances_site_bytes(v->samples);
    if (v->count == DISTANCES_SITES_MOST)
        return wl_fail(WL_BAD_INPUT, "%s: found one more variant; expected at most %llu", v->rows->file,
                       (unsigned long long)DISTANCES_SITES_MOST);
    WL_TRY(reserve(v, &v->sites, v->count, &v->capacity, bytes));
    *site = v->sites + v->count * bytes;
    memset(*site, 0, bytes);
    return WL_OK;
}

/* Room for one site more of a byte for each sample. */
static wl_status new_byte_site(distances_variants *v, distances_byte_sites *sites, uint8_t **site) {
    if (sites->count == DISTANCES_SITES_MOST)
        return wl_fail(WL_BAD_INPUT, "%s: found one more variant; expected at most %llu", v->rows->file,
                       (unsigned long long)DISTANCES_SITES_MOST);
    WL_TRY(reserve(v, &sites->codes, sites->count, &sites->capacity, v->samples));
    *site = sites->codes + sites->count++ * v->samples;
    return WL_OK;
}

static void drop_byte_sites(distances_variants *v, distances_byte_sites *sites) {
    distances_rows_return(v->rows, sites->capacity * v->samples);
    free(sites->codes);
    *sites = (distances_byte_sites){0};
}

/* A site for each alternative allele that is no symbol, of diploids and of polyploids. */
static wl_status add_polyploid(distances_variants *v, const bcf1_t *record) {
    for (int allele = 1; allele < record->n_allele; allele++) {
        if (is_symbolic(record->d.allele[allele])) continue;
        uint8_t *site = NULL;
        WL_TRY(new_byte_site(v, &v->polyploid, &site));
        for (size_t i = 0; i < v->samples; i++) {
            const int copies = copies_of(v->genotype[i], v->copies, allele);
            site[i] = copies < 0 ? DISTANCES_NO_COPIES : (uint8_t)copies;
        }
    }
    return WL_OK;
}

static wl_status add_diploid(distances_variants *v, const bcf1_t *record) {
    static const int8_t code_of_sum[] = {DISTANCES_NONE, DISTANCES_ONE, DISTANCES_TWO};
    for (int allele = 1; allele < record->n_allele; allele++) {
        if (is_symbolic(record->d.allele[allele])) continue;
        uint8_t *site = NULL;
        WL_TRY(distances_new_site(v, &site));
        for (size_t i = 0; i < v->samples; i++) {
            const int copies = copies_of(v->genotype[i], 2, allele);
            distances_put_code(site, i, copies < 0 ? DISTANCES_UNKNOWN : code_of_sum[copies]);
        }
        v->count++;
    }
    return WL_OK;
}

/* What snp-sites writes for a gap and for N, and callers for a deletion that spans the site. */
static int is_no_base(const char *allele) { return is_symbolic(allele) || strcmp(allele, "N") == 0; }

static wl_status add_haploid(distances_variants *v, const bcf1_t *record) {
    uint8_t code[ALLELES_MOST], *site = NULL;
    WL_TRY(new_byte_site(v, &v->haploid, &site));
    for (int k = 0; k < record->n_allele; k++)
        code[k] = is_no_base(record->d.allele[k]) ? 0 : (uint8_t)(DISTANCES_PRESENT | k);
    for (size_t i = 0; i < v->samples; i++) {
        const int allele = haploid_allele(v, v->genotype[i]);
        site[i] = allele >= 0 ? code[allele] : 0;
    }
    return WL_OK;
}

wl_status distances_variant_errors(const bcf1_t *record, int result, const char *place) {
    /* Chromosomes and keys that the header does not name change nothing here. */
    int errors = record->errcode & ~(BCF_ERR_CTG_UNDEF | BCF_ERR_TAG_UNDEF);
    if (result >= 0 && errors == 0) return WL_OK;
    const char *what = errors & BCF_ERR_NCOLS    ? "a wrong number of columns, or an empty one"
                       : errors & BCF_ERR_CHAR   ? "a character that cannot stand there"
                       : errors & BCF_ERR_LIMITS ? "a value that is too large"
                       : errors & (BCF_ERR_CTG_INVALID | BCF_ERR_TAG_INVALID) ? "a name that cannot be one"
                                                                              : "what htslib cannot read";
    return wl_fail(WL_BAD_INPUT, "%s: found %s; expected a record of VCF", place, what);
}

/* What nearly all records are: two alleles, genotypes of a byte each, both there or both missing. Other records stay as they are:
   *taken is 0. */
static wl_status add_usual(distances_variants *v, const bcf1_t *record, const bcf_fmt_t *gt, int *taken) {
    enum { OTHER = -1 };
    static const int8_t code_of[3][3] = {{DISTANCES_UNKNOWN, OTHER, OTHER},
                                         {OTHER, DISTANCES_NONE, DISTANCES_ONE},
                                         {OTHER, DISTANCES_ONE, DISTANCES_TWO}};
    *taken = 0;
    if ((v->settled > 0 && v->settled != 2) || gt->type != BCF_BT_INT8 || gt->n != 2 || record->n_allele != 2)
        return WL_OK;
    uint8_t *site = NULL;
    uint64_t known = 0;
    WL_TRY(distances_new_site(v, &site));
    for (size_t i = 0; i < v->samples; i++) {
        const unsigned first = gt->p[2 * i] >> 1, second = gt->p[2 * i + 1] >> 1;
        if (first > 2 || second > 2 || code_of[first][second] == OTHER) return WL_OK;
        known += first != 0;
        distances_put_code(site, i, code_of[first][second]);
    }
    if (known == 0) return WL_OK;
    v->genotypes[OF_DIPLOIDS] += known;
    v->records[OF_DIPLOIDS]++;
    v->count++;
    *taken = 1;
    return WL_OK;
}

/* Lest sites that will hardly be used take much memory, what leads by then wins. */
static void settle_early(distances_variants *v) {
    const uint64_t *found = v->genotypes;
    const uint64_t kept = (v->haploid.count + v->polyploid.count) * v->samples;
    if (v->settled > 0 || kept < UNSETTLED_BYTES) return;
    if (found[OF_DIPLOIDS] < found[OF_HAPLOIDS] || found[OF_DIPLOIDS] < found[OF_POLYPLOIDS]) return;
    v->settled = 2;
    drop_byte_sites(v, &v->haploid);
    drop_byte_sites(v, &v->polyploid);
}

/* A record with calls, as a site of whatever ploidy the file may turn out to be of. */
static wl_status add_called(distances_variants *v, const bcf1_t *record, const calls *called, int alternatives) {
    const int ploidy = v->settled,
              kinds = (called->of[OF_HAPLOIDS] > 0) + (called->of[OF_DIPLOIDS] > 0) + (called->of[OF_POLYPLOIDS] > 0);
    int only = 0;
    while (called->of[only] == 0) only++;
    for (int k = 0; k < PLOIDIES; k++) v->genotypes[k] += called->of[k];
    v->records[only] += kinds == 1;
    v->mixed += kinds > 1;
    if (ploidy == 1 || (ploidy == 0 && called->of[OF_HAPLOIDS] > 0)) {
        if (record->n_allele > ALLELES_MOST)
            v->too_many++;
        else
            WL_TRY(add_haploid(v, record));
    }
    if (kinds > 1) return WL_OK;
    if (only == OF_DIPLOIDS && (ploidy == 0 || ploidy == 2)) {
        v->split += alternatives > 1;
        for (size_t i = 0; i < v->samples; i++) v->half_missing += (uint64_t)is_half_missing(v->genotype[i]);
        return add_diploid(v, record);
    }
    if (only != OF_POLYPLOIDS || called->copies == 0 || (ploidy != 0 && ploidy != called->copies)) return WL_OK;
    if (v->copies == 0) v->copies = called->copies;
    if (v->copies != called->copies) return WL_OK;
    v->polyploid_records++;
    return add_polyploid(v, record);
}

static wl_status add_record(distances_variants *v, const bcf1_t *record, const bcf_fmt_t *gt, const char *place) {
    int taken, alternatives = 0;
    calls called;
    WL_TRY(add_usual(v, record, gt, &taken));
    if (taken) return WL_OK;
    for (int k = 1; k < record->n_allele; k++) alternatives += !is_symbolic(record->d.allele[k]);
    if (v->genotype == NULL) {
        WL_TRY(distances_rows_memory(v->rows, v->samples * sizeof *v->genotype));
        if ((v->genotype = malloc(v->samples * sizeof *v->genotype)) == NULL) return distances_variants_no_memory(v);
    }
    WL_TRY(read_genotypes(v, record, gt, place, &called));
    if (called.of[OF_HAPLOIDS] + called.of[OF_DIPLOIDS] + called.of[OF_POLYPLOIDS] > 0) {
        WL_TRY(add_called(v, record, &called, alternatives));
        settle_early(v);
        return WL_OK;
    }
    v->empty++;
    v->empty_sites += (uint64_t)alternatives;
    return WL_OK;
}

/* REASONS: it has an alternative allele that can be counted. */
static int objection(const distances_variants *v, const bcf1_t *record) {
    if (record->n_allele < 2) return WITHOUT_ALTERNATIVE;
    if (record->n_allele > 2 && v->rows->reading->biallelic) return MULTIALLELIC;
    for (int k = 1; k < record->n_allele; k++)
        if (!is_symbolic(record->d.allele[k])) return REASONS;
    return record->n_allele == 2 && strcmp(record->d.allele[1], ".") == 0 ? WITHOUT_ALTERNATIVE : SYMBOLIC;
}

wl_status distances_variant(distances_variants *v, const bcf_hdr_t *header, bcf1_t *record, const char *place) {
    if (v->settled == 0) v->settled = v->rows->reading->ploidy;
    if (bcf_unpack(record, BCF_UN_STR) < 0) return distances_variant_errors(record, -1, place);
    if (record->n_sample != v->samples) // else its genotypes would be taken for missing ones
        return wl_fail(WL_BAD_INPUT, "%s: found %u samples; expected %zu, as in the header", place,
                       (unsigned)record->n_sample, v->samples);
    int reason = objection(v, record);
    bcf_fmt_t *gt = NULL;
    if (reason == REASONS) {
        if (bcf_unpack(record, BCF_UN_FMT) < 0) return distances_variant_errors(record, -1, place);
        gt = bcf_get_fmt(header, record, "GT");
        if (gt == NULL || gt->p == NULL || gt->n == 0) reason = WITHOUT_GENOTYPES;
    }
    if (reason < REASONS) {
        v->skipped[reason]++;
        return WL_OK;
    }
    if (gt->type != BCF_BT_INT8 && gt->type != BCF_BT_INT16 && gt->type != BCF_BT_INT32)
        return wl_fail(WL_BAD_INPUT, "%s: found genotypes (GT) of type %d; expected integers", place, gt->type);
    return add_record(v, record, gt, place);
}

void distances_variants_drop(distances_variants *v) {
    drop_byte_sites(v, &v->haploid);
    drop_byte_sites(v, &v->polyploid);
    distances_rows_return(
        v->rows, v->capacity * distances_site_bytes(v->samples) + (v->genotype ? v->samples * sizeof *v->genotype : 0));
    WL_FREE(v->sites, v->genotype);
    v->sites = NULL;
    v->genotype = NULL;
}
