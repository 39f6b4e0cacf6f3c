#include <stdlib.h>
#include <string.h>

#include "distances/read/variants.h"

#define GROWTH ((uint64_t)256 << 20) /* bytes, at most, at a time */

static const char *const reasons[REASONS] = {
    [WITHOUT_ALTERNATIVE] = "without an alternative allele", [MULTIALLELIC] = "with several alternative alleles",
    [SYMBOLIC] = "with a symbolic alternative allele",       [WITHOUT_GENOTYPES] = "without genotypes (GT)",
    [NOT_DIPLOID] = "with genotypes that are not diploid",
};

/* --- Genotypes --------------------------------------------------------------------------------------------------- */

enum { GT_NONE = -1, GT_END = -2, GT_WRONG = -3 }; /* an allele that is missing, behind the last, or nonsense */

/* The alleles in a GT of one, two or four bytes each: (allele + 1) << 1 | phased, 0 for a missing one. */
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
    if (value < 0 || value >> 1 > 2) return GT_WRONG; /* there are two alleles */
    return (value >> 1) - 1;
}

/* A sample's code, or -1: not diploid, -2: wrong. */
static int code_of(distances_variants *v, const bcf_fmt_t *gt, size_t sample) {
    static const int8_t code_of_sum[] = {DISTANCES_NONE, DISTANCES_ONE, DISTANCES_TWO};
    int allele[2] = {GT_END, GT_END}, count = 0;
    for (int i = 0; i < gt->n; i++) {
        int found = allele_of(gt, sample * (size_t)gt->n + (size_t)i);
        if (found == GT_WRONG) return -2;
        if (found == GT_END) break;
        if (count == 2) return -1;
        allele[count++] = found;
    }
    if (allele[0] >= 0 && allele[1] >= 0) return code_of_sum[allele[0] + allele[1]];
    if (count == 1 && allele[0] >= 0) return -1;
    if (allele[0] >= 0 || allele[1] >= 0) v->half_missing++;
    return DISTANCES_UNKNOWN;
}

/* The same, quickly, for what nearly all are: two alleles, of a byte each, both there or both missing. */
static int usual_code_of(distances_variants *v, const bcf_fmt_t *gt, size_t sample) {
    enum { OTHER = -1 };
    static const int8_t code[3][3] = {{DISTANCES_UNKNOWN, OTHER, OTHER},
                                      {OTHER, DISTANCES_NONE, DISTANCES_ONE},
                                      {OTHER, DISTANCES_ONE, DISTANCES_TWO}};
    if (gt->type == BCF_BT_INT8 && gt->n == 2) {
        const unsigned first = gt->p[2 * sample] >> 1, second = gt->p[2 * sample + 1] >> 1;
        if (first < 3 && second < 3 && code[first][second] != OTHER) return code[first][second];
    }
    return code_of(v, gt, sample);
}

/* --- Records ----------------------------------------------------------------------------------------------------- */

/* <DEL>, *, breakends with and without a mate: G]17:198982], G. */
static int is_symbolic(const char *allele) { return strpbrk(allele, "<>[]*.") != NULL; }

static wl_status no_memory(const distances_variants *v) {
    return wl_fail(WL_NO_MACHINE, "%s: not enough memory after %llu variants", v->rows->file,
                   (unsigned long long)v->count);
}

/* Room for one site more, and others. */
static wl_status reserve(distances_variants *v) {
    const size_t bytes = distances_site_bytes(v->samples);
    if (v->count < v->capacity) return WL_OK;
    uint64_t more = v->count / 2 + 64;
    if (more > GROWTH / bytes) more = GROWTH / bytes + 1;
    WL_TRY(distances_rows_memory(v->rows, more * bytes));
    uint8_t *sites = realloc(v->sites, (v->capacity + more) * bytes + DISTANCES_BLOCK_SLACK);
    if (sites == NULL) return no_memory(v);
    v->sites = sites;
    v->capacity += more;
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

wl_status distances_variant(distances_variants *v, const bcf_hdr_t *header, bcf1_t *record, const char *place) {
    if (bcf_unpack(record, BCF_UN_STR) < 0) return distances_variant_errors(record, -1, place);
    int reason = REASONS;
    if (record->n_allele < 2)
        reason = WITHOUT_ALTERNATIVE;
    else if (record->n_allele > 2)
        reason = MULTIALLELIC;
    else if (is_symbolic(record->d.allele[1]))
        reason = strcmp(record->d.allele[1], ".") == 0 ? WITHOUT_ALTERNATIVE : SYMBOLIC;
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
    if (record->n_sample != v->samples)
        return wl_fail(WL_BAD_INPUT, "%s: found %u samples; expected %zu, as in the header", place,
                       (unsigned)record->n_sample, v->samples);
    if (gt->type != BCF_BT_INT8 && gt->type != BCF_BT_INT16 && gt->type != BCF_BT_INT32)
        return wl_fail(WL_BAD_INPUT, "%s: found genotypes (GT) of type %d; expected integers", place, gt->type);
    if (v->count == DISTANCES_SITES_MOST)
        return wl_fail(WL_BAD_INPUT, "%s: found one more variant; expected at most %llu", place,
                       (unsigned long long)DISTANCES_SITES_MOST);
    WL_TRY(reserve(v));
    const size_t bytes = distances_site_bytes(v->samples);
    uint8_t *site = memset(v->sites + v->count * bytes, 0, bytes);
    const uint64_t half_missing = v->half_missing;
    for (size_t i = 0; i < v->samples; i++) {
        int code = usual_code_of(v, gt, i);
        if (code == -2)
            return wl_fail(WL_BAD_INPUT,
                           "%s: found a genotype of sample %zu with an allele above 1; expected 0 and 1, of "
                           "the record's two alleles",
                           place, i + 1);
        if (code == -1) {
            v->half_missing = half_missing;
            v->skipped[NOT_DIPLOID]++;
            return WL_OK;
        }
        site[i / 4] |= (uint8_t)(code << 2 * (i % 4));
    }
    v->count++;
    return WL_OK;
}

/* --- The end ----------------------------------------------------------------------------------------------------- */

wl_status distances_variants_finish(distances_variants *v) {
    uint64_t skipped = 0;
    for (int i = 0; i < REASONS; i++) {
        skipped += v->skipped[i];
        if (v->skipped[i] > 0)
            distances_rows_note(v->rows, "%llu record%s %s %s left out", (unsigned long long)v->skipped[i],
                                v->skipped[i] == 1 ? "" : "s", reasons[i], v->skipped[i] == 1 ? "is" : "are");
    }
    if (v->half_missing > 0)
        distances_rows_note(v->rows, "%llu genotype%s with one of two alleles missing %s taken as missing",
                            (unsigned long long)v->half_missing, v->half_missing == 1 ? "" : "s",
                            v->half_missing == 1 ? "is" : "are");
    if (v->count == 0)
        return wl_fail(WL_BAD_INPUT,
                       "%s: found no diploid genotypes of a variant with two alleles among %llu records; expected some",
                       v->rows->file, (unsigned long long)skipped);
    wl_status status = distances_genotype_rows(v->rows, v->samples, v->count);
    const size_t bytes = distances_site_bytes(v->samples);
    for (uint64_t first = 0; status == WL_OK && first < v->count; first += DISTANCES_BLOCK) {
        size_t count = v->count - first < DISTANCES_BLOCK ? (size_t)(v->count - first) : DISTANCES_BLOCK;
        distances_block(&v->rows->data, v->sites + first * bytes, first, count);
    }
    return status;
}

void distances_variants_drop(distances_variants *v) {
    distances_rows_return(v->rows, v->capacity * distances_site_bytes(v->samples));
    free(v->sites);
    v->sites = NULL;
}
