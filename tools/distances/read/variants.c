#include <stdlib.h>
#include <string.h>

#include "distances/planes.h"
#include "tools/distances/read/genotypes.h"
#include "tools/distances/read/variants.h"
#include "harness/base/memory.h"

#define GROWTH ((uint64_t)256 << 20) /* bytes, at most, at a time */

static const char *const reasons[REASONS] = {
    [WITHOUT_ALTERNATIVE] = "without an alternative allele",
    [MULTIALLELIC] = "with several alternative alleles",
    [TOO_MANY_ALLELES] = "with more than 127 alternative alleles",
    [SYMBOLIC] = "with a symbolic alternative allele",
    [WITHOUT_GENOTYPES] = "without genotypes (GT)",
    [NOT_DIPLOID] = "with genotypes that are not diploid",
};
enum { ALLELES_MOST = 128 }; /* that a code of DISTANCES_PLANES_MOST planes tells apart */

static wl_status no_memory(const distances_variants *v) {
    return wl_fail(WL_NO_MACHINE, "%s: not enough memory after %llu variants", v->rows->file,
                   (unsigned long long)(v->count + v->haploid));
}

/* --- Genotypes --------------------------------------------------------------------------------------------------- */

enum { GT_NONE = -1, GT_END = -2 }; /* an allele that is missing, or behind the last */

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

enum { NO_CALLS, HAPLOID = 1, DIPLOID = 2, OTHERS = 4 };

/* All genotypes of a record into v->genotype, a haploid one in front of GT_END. *ploidy: which kinds were among those with a call. */
static wl_status read_genotypes(distances_variants *v, const bcf1_t *record, const bcf_fmt_t *gt, const char *place,
                                int *ploidy) {
    const int alleles = record->n_allele;
    *ploidy = NO_CALLS;
    for (size_t i = 0; i < v->samples; i++) {
        int *genotype = v->genotype[i], count = 0, calls = 0;
        genotype[0] = genotype[1] = GT_END;
        for (int k = 0; k < gt->n; k++) {
            const int allele = allele_of(gt, i * (size_t)gt->n + (size_t)k);
            if (allele == GT_END) break;
            if (allele >= alleles)
                return wl_fail(WL_BAD_INPUT,
                               "%s: found a genotype of sample %zu with an allele above %d; expected 0 to %d, of the "
                               "record's %d alleles",
                               place, i + 1, alleles - 1, alleles - 1, alleles);
            if (count < 2) genotype[count] = allele;
            count++;
            calls += allele >= 0;
        }
        if (calls > 0) *ploidy |= count == 1 ? HAPLOID : count == 2 ? DIPLOID : OTHERS;
        if (count > 2) *ploidy |= OTHERS;
    }
    return WL_OK;
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
    if (larger == NULL) return no_memory(v);
    *items = larger;
    *capacity += more;
    return WL_OK;
}

/* The next diploid site, without calls; v->count is the caller's to raise. */
static wl_status new_site(distances_variants *v, uint8_t **site) {
    const size_t bytes = distances_site_bytes(v->samples);
    if (v->count == DISTANCES_SITES_MOST)
        return wl_fail(WL_BAD_INPUT, "%s: found one more variant; expected at most %llu", v->rows->file,
                       (unsigned long long)DISTANCES_SITES_MOST);
    WL_TRY(reserve(v, &v->sites, v->count, &v->capacity, bytes));
    *site = v->sites + v->count * bytes;
    memset(*site, 0, bytes);
    return WL_OK;
}

static void put_code(uint8_t *site, size_t sample, int code) {
    site[sample / 4] |= (uint8_t)(code << 2 * (sample % 4));
}

static wl_status add_empty_sites(distances_variants *v, uint64_t count) {
    for (; count > 0; count--) {
        uint8_t *site = NULL;
        WL_TRY(new_site(v, &site));
        for (size_t i = 0; i < v->samples; i++) put_code(site, i, DISTANCES_UNKNOWN);
        v->count++;
    }
    return WL_OK;
}

/* The first diploid genotype: what came before was not a haploid's. */
static wl_status turn_diploid(distances_variants *v) {
    if (v->is_diploid) return WL_OK;
    v->is_diploid = 1;
    v->skipped[NOT_DIPLOID] += v->haploid - v->empty;
    distances_rows_return(v->rows, v->haploid_capacity * v->samples);
    free(v->alleles);
    v->alleles = NULL;
    v->haploid = v->haploid_capacity = 0;
    return add_empty_sites(v, v->empty_sites);
}

/* A site for each alternative allele that is no symbol. */
static wl_status add_diploid(distances_variants *v, const bcf1_t *record) {
    static const int8_t code_of_sum[] = {DISTANCES_NONE, DISTANCES_ONE, DISTANCES_TWO};
    for (int allele = 1; allele < record->n_allele; allele++) {
        if (is_symbolic(record->d.allele[allele])) continue;
        uint8_t *site = NULL;
        WL_TRY(new_site(v, &site));
        for (size_t i = 0; i < v->samples; i++) {
            const int *genotype = v->genotype[i];
            const int known = genotype[0] >= 0 && genotype[1] >= 0;
            put_code(site, i,
                     known ? code_of_sum[(genotype[0] == allele) + (genotype[1] == allele)] : DISTANCES_UNKNOWN);
        }
        v->count++;
    }
    for (size_t i = 0; i < v->samples; i++) v->half_missing += (v->genotype[i][0] >= 0) != (v->genotype[i][1] >= 0);
    return turn_diploid(v);
}

/* What snp-sites writes for a gap and for N, and callers for a deletion that spans the site. */
static int is_no_base(const char *allele) { return is_symbolic(allele) || strcmp(allele, "N") == 0; }

static wl_status add_haploid(distances_variants *v, const bcf1_t *record) {
    if (v->haploid == DISTANCES_SITES_MOST)
        return wl_fail(WL_BAD_INPUT, "%s: found one more variant; expected at most %llu", v->rows->file,
                       (unsigned long long)DISTANCES_SITES_MOST);
    WL_TRY(reserve(v, &v->alleles, v->haploid, &v->haploid_capacity, v->samples));
    uint8_t code[ALLELES_MOST];
    for (int k = 0; k < record->n_allele; k++)
        code[k] = is_no_base(record->d.allele[k]) ? 0 : (uint8_t)(DISTANCES_PRESENT | k);
    uint8_t *site = v->alleles + v->haploid * v->samples;
    for (size_t i = 0; i < v->samples; i++) site[i] = v->genotype[i][0] >= 0 ? code[v->genotype[i][0]] : 0;
    v->haploid++;
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
    if (gt->type != BCF_BT_INT8 || gt->n != 2 || record->n_allele != 2) return WL_OK;
    uint8_t *site = NULL;
    unsigned calls = 0;
    WL_TRY(new_site(v, &site));
    for (size_t i = 0; i < v->samples; i++) {
        const unsigned first = gt->p[2 * i] >> 1, second = gt->p[2 * i + 1] >> 1;
        if (first > 2 || second > 2 || code_of[first][second] == OTHER) return WL_OK;
        calls |= first;
        put_code(site, i, code_of[first][second]);
    }
    if (calls == 0 && !v->is_diploid) return WL_OK;
    v->count++;
    *taken = 1;
    return turn_diploid(v);
}

static wl_status add_record(distances_variants *v, const bcf1_t *record, const bcf_fmt_t *gt, const char *place) {
    int taken, ploidy, alternatives = 0;
    WL_TRY(add_usual(v, record, gt, &taken));
    if (taken) return WL_OK;
    for (int k = 1; k < record->n_allele; k++) alternatives += !is_symbolic(record->d.allele[k]);
    if (v->genotype == NULL) {
        WL_TRY(distances_rows_memory(v->rows, v->samples * sizeof *v->genotype));
        if ((v->genotype = malloc(v->samples * sizeof *v->genotype)) == NULL) return no_memory(v);
    }
    WL_TRY(read_genotypes(v, record, gt, place, &ploidy));
    if (ploidy == DIPLOID) v->split += alternatives > 1;
    if (ploidy == DIPLOID) return add_diploid(v, record);
    if (ploidy == NO_CALLS && v->is_diploid) return add_empty_sites(v, (uint64_t)alternatives);
    if ((ploidy != NO_CALLS && ploidy != HAPLOID) || v->is_diploid || record->n_allele > ALLELES_MOST) {
        v->skipped[record->n_allele > ALLELES_MOST ? TOO_MANY_ALLELES : NOT_DIPLOID]++;
        return WL_OK;
    }
    v->empty += ploidy == NO_CALLS;
    if (ploidy == NO_CALLS) v->empty_sites += (uint64_t)alternatives;
    return add_haploid(v, record);
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
    if (bcf_unpack(record, BCF_UN_STR) < 0) return distances_variant_errors(record, -1, place);
    if (record->n_sample != v->samples) /* else its genotypes would be taken for missing ones */
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

/* --- The end ----------------------------------------------------------------------------------------------------- */

static wl_status finish_diploid(distances_variants *v) {
    WL_TRY(distances_genotype_rows(v->rows, v->samples, v->count));
    const size_t bytes = distances_site_bytes(v->samples);
    for (uint64_t first = 0; first < v->count; first += DISTANCES_BLOCK) {
        size_t count = v->count - first < DISTANCES_BLOCK ? (size_t)(v->count - first) : DISTANCES_BLOCK;
        distances_block(&v->rows->data, v->sites + first * bytes, first, count);
    }
    return WL_OK;
}

/* Alleles come site by site; planes are made of samples, some at a time, lest each byte be fetched from memory alone. */
static wl_status finish_haploid(distances_variants *v) {
    enum { TOGETHER = 32 };
    distances_rows *rows = v->rows;
    uint8_t highest = 0;
    for (size_t i = 0; i < v->haploid * v->samples; i++) {
        const uint8_t allele = v->alleles[i] & (uint8_t)~DISTANCES_PRESENT;
        if (allele > highest) highest = allele;
    }
    rows->data.kind = DISTANCES_HAPLOID;
    rows->data.sum = DISTANCES_DIFFERENT;
    distances_rows_shape(rows, v->haploid, distances_planes(DISTANCES_DIFFERENT, highest + 1));
    const size_t length = rows->data.words * 64;
    WL_TRY(distances_rows_memory(rows, TOGETHER * length));
    uint8_t *codes = calloc(TOGETHER, length); // [TOGETHER][length]
    wl_status status = codes ? distances_rows_reserve(rows, v->samples) : no_memory(v);
    for (size_t first = 0; first < v->samples && status == WL_OK; first += TOGETHER) {
        const size_t count = v->samples - first < TOGETHER ? v->samples - first : TOGETHER;
        for (uint64_t k = 0; k < v->haploid; k++)
            for (size_t i = 0; i < count; i++) codes[i * length + k] = v->alleles[k * v->samples + first + i];
        for (size_t i = 0; i < count && status == WL_OK; i++) status = distances_rows_codes(rows, codes + i * length);
    }
    free(codes);
    distances_rows_return(rows, TOGETHER * length);
    if (status == WL_OK) distances_rows_note(rows, "genotypes are haploid: a site's values are its alleles");
    return status;
}

static const char *plural(uint64_t count) { return distances_verb(count, "", "s"); }

wl_status distances_variants_finish(distances_variants *v) {
    uint64_t skipped = 0;
    int most = 0; /* of the reasons */
    for (int i = 0; i < REASONS; i++) {
        skipped += v->skipped[i];
        if (v->skipped[i] > v->skipped[most]) most = i;
        if (v->skipped[i] > 0)
            distances_rows_note(v->rows, "%llu record%s %s %s left out", (unsigned long long)v->skipped[i],
                                plural(v->skipped[i]), reasons[i], distances_verb(v->skipped[i], "is", "are"));
    }
    if (v->half_missing > 0)
        distances_rows_note(v->rows, "%llu genotype%s with one of two alleles missing %s taken as missing",
                            (unsigned long long)v->half_missing, plural(v->half_missing),
                            distances_verb(v->half_missing, "is", "are"));
    if (v->split > 0)
        distances_rows_note(v->rows, "%llu record%s with several alternative alleles: each alternative is a site",
                            (unsigned long long)v->split, plural(v->split));
    if (v->haploid > 0 && v->haploid == v->empty) WL_TRY(turn_diploid(v)); /* nobody knows */
    if (v->count > 0) return finish_diploid(v);
    if (v->haploid > 0) return finish_haploid(v);
    return wl_fail(WL_BAD_INPUT, "%s: found no genotypes of a variant among %llu record%s%s%s; expected some",
                   v->rows->file, (unsigned long long)skipped, plural(skipped), skipped > 0 ? ", most of them " : "",
                   skipped > 0 ? reasons[most] : "");
}

void distances_variants_drop(distances_variants *v) {
    distances_rows_return(v->rows, v->capacity * distances_site_bytes(v->samples) + v->haploid_capacity * v->samples +
                                       (v->genotype ? v->samples * sizeof *v->genotype : 0));
    WL_FREE(v->sites, v->alleles, v->genotype);
    v->sites = v->alleles = NULL;
    v->genotype = NULL;
}
