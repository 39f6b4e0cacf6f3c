/* When all records are there: which ploidy they are of, what was left out, and the planes. */
#include <stdlib.h>
#include <string.h>

#include "distances/planes.h"
#include "tools/distances/read/genotypes.h"
#include "tools/distances/read/variants.h"

static const char *const reasons[REASONS] = {
    [WITHOUT_ALTERNATIVE] = "without an alternative allele",
    [MULTIALLELIC] = "with several alternative alleles",
    [TOO_MANY_ALLELES] = "with more than 127 alternative alleles",
    [SYMBOLIC] = "with a symbolic alternative allele",
    [WITHOUT_GENOTYPES] = "without genotypes (GT)",
    [OTHER_PLOIDY] = "with genotypes that are not", // and what they would be
};

wl_status distances_variants_no_memory(const distances_variants *v) {
    return wl_fail(WL_NO_MACHINE, "%s: not enough memory after %llu variants", v->rows->file,
                   (unsigned long long)(v->count + v->haploid.count + v->polyploid.count));
}

static wl_status finish_diploid(distances_variants *v) {
    for (; v->empty_sites > 0; v->empty_sites--) {
        uint8_t *site = NULL;
        WL_TRY(distances_new_site(v, &site));
        for (size_t i = 0; i < v->samples; i++) distances_put_code(site, i, DISTANCES_UNKNOWN);
        v->count++;
    }
    WL_TRY(distances_genotype_rows(v->rows, v->samples, v->count));
    const size_t bytes = distances_site_bytes(v->samples);
    for (uint64_t first = 0; first < v->count; first += DISTANCES_BLOCK) {
        size_t count = v->count - first < DISTANCES_BLOCK ? (size_t)(v->count - first) : DISTANCES_BLOCK;
        distances_block(&v->rows->data, v->sites + first * bytes, first, count);
    }
    return WL_OK;
}

/* Bytes come site by site; planes are made of samples, some at a time, lest each byte be fetched from memory alone. `empty` sites follow, of
   which nobody has a value. */
static wl_status finish_bytes(distances_variants *v, const distances_byte_sites *sites, uint64_t empty, int planes,
                              const uint8_t code_of[256]) {
    enum { TOGETHER = 32 };
    distances_rows *rows = v->rows;
    if (sites->count + empty > DISTANCES_SITES_MOST)
        return wl_fail(WL_BAD_INPUT, "%s: found more than %llu variants; expected no more", rows->file,
                       (unsigned long long)DISTANCES_SITES_MOST);
    distances_rows_shape(rows, sites->count + empty, planes);
    const size_t length = rows->data.words * 64;
    WL_TRY(distances_rows_memory(rows, TOGETHER * length));
    uint8_t *codes = calloc(TOGETHER, length); // [TOGETHER][length]
    wl_status status = codes ? distances_rows_reserve(rows, v->samples) : distances_variants_no_memory(v);
    for (size_t first = 0; first < v->samples && status == WL_OK; first += TOGETHER) {
        const size_t count = v->samples - first < TOGETHER ? v->samples - first : TOGETHER;
        for (uint64_t k = 0; k < sites->count; k++)
            for (size_t i = 0; i < count; i++)
                codes[i * length + k] = code_of[sites->codes[k * v->samples + first + i]];
        for (size_t i = 0; i < count && status == WL_OK; i++) status = distances_rows_codes(rows, codes + i * length);
    }
    free(codes);
    distances_rows_return(rows, TOGETHER * length);
    return status;
}

static wl_status finish_haploid(distances_variants *v) {
    uint8_t same[256];
    int highest = 0;
    for (int k = 0; k < 256; k++) same[k] = (uint8_t)k;
    for (size_t i = 0; i < v->haploid.count * v->samples; i++) {
        const int allele = v->haploid.codes[i] & ~DISTANCES_PRESENT;
        if (allele > highest) highest = allele;
    }
    v->rows->data.kind = DISTANCES_HAPLOID;
    v->rows->data.sum = DISTANCES_DIFFERENT;
    WL_TRY(finish_bytes(v, &v->haploid, v->empty, distances_planes(DISTANCES_DIFFERENT, highest + 1), same));
    distances_rows_note(v->rows, "genotypes are haploid: a site's values are its alleles");
    return WL_OK;
}

static wl_status finish_polyploid(distances_variants *v) {
    uint8_t unary[256] = {0};
    for (int copies = 0; copies <= v->copies; copies++)
        unary[copies] = (uint8_t)(DISTANCES_PRESENT | ((1 << copies) - 1));
    v->rows->data.kind = DISTANCES_GENOTYPES;
    v->rows->data.sum = DISTANCES_STEPS;
    WL_TRY(finish_bytes(v, &v->polyploid, v->empty_sites, v->copies, unary));
    distances_rows_note(v->rows, "genotypes have %d alleles each: a site's values are how many are the alternative one",
                        v->copies);
    return WL_OK;
}

/* The ploidy that most genotypes have; where nobody knows, they are diploid. */
static int most_have(const distances_variants *v) {
    const uint64_t *found = v->genotypes;
    if (found[OF_POLYPLOIDS] > found[OF_DIPLOIDS] && found[OF_POLYPLOIDS] > found[OF_HAPLOIDS] && v->copies > 0)
        return v->copies;
    return found[OF_HAPLOIDS] > found[OF_DIPLOIDS] ? 1 : 2;
}

static const char *plural(uint64_t count) { return distances_verb(count, "", "s"); }

/* Records of which no site has been made, after `reason`: what their genotypes are not. */
static void count_left_out(distances_variants *v, char *reason, size_t size) {
    const int ploidy = v->settled;
    const uint64_t called = v->records[OF_HAPLOIDS] + v->records[OF_DIPLOIDS] + v->records[OF_POLYPLOIDS] + v->mixed;
    const uint64_t taken = ploidy == 1   ? v->haploid.count + v->too_many
                           : ploidy == 2 ? v->records[OF_DIPLOIDS]
                                         : v->polyploid_records;
    v->skipped[OTHER_PLOIDY] = called - taken;
    if (ploidy == 1) v->skipped[TOO_MANY_ALLELES] = v->too_many;
    if (ploidy <= 2)
        snprintf(reason, size, "%s %s", reasons[OTHER_PLOIDY], ploidy == 1 ? "haploid" : "diploid");
    else
        snprintf(reason, size, "%s of %d alleles", reasons[OTHER_PLOIDY], ploidy);
}

static void note_genotypes(const distances_variants *v) {
    if (v->settled == 1 && v->heterozygous > 0)
        distances_rows_note(v->rows, "%llu genotype%s with different alleles among haploid ones %s taken as missing",
                            (unsigned long long)v->heterozygous, plural(v->heterozygous),
                            distances_verb(v->heterozygous, "is", "are"));
    if (v->settled != 2) return;
    if (v->half_missing > 0)
        distances_rows_note(v->rows, "%llu genotype%s with one of two alleles missing %s taken as missing",
                            (unsigned long long)v->half_missing, plural(v->half_missing),
                            distances_verb(v->half_missing, "is", "are"));
    if (v->split > 0)
        distances_rows_note(v->rows, "%llu record%s with several alternative alleles: each alternative is a site",
                            (unsigned long long)v->split, plural(v->split));
}

wl_status distances_variants_finish(distances_variants *v) {
    uint64_t skipped = 0;
    int most = 0; // of the reasons
    char other_ploidy[64];
    const char *texts[REASONS];
    const int asked = v->rows->reading->ploidy;
    memcpy(texts, reasons, sizeof texts);
    texts[OTHER_PLOIDY] = other_ploidy;
    if (v->settled == 0) v->settled = asked > 0 ? asked : most_have(v);
    count_left_out(v, other_ploidy, sizeof other_ploidy);
    for (int i = 0; i < REASONS; i++) {
        skipped += v->skipped[i];
        if (v->skipped[i] > v->skipped[most]) most = i;
        if (v->skipped[i] > 0)
            distances_rows_note(v->rows, "%llu record%s %s %s left out%s", (unsigned long long)v->skipped[i],
                                plural(v->skipped[i]), texts[i], distances_verb(v->skipped[i], "is", "are"),
                                i == OTHER_PLOIDY && asked == 0 ? " (--ploidy chooses others)" : "");
    }
    note_genotypes(v);
    if (v->settled == 1 && v->haploid.count + v->empty > 0) return finish_haploid(v);
    if (v->settled > 2 && v->polyploid.count > 0) return finish_polyploid(v);
    if (v->settled == 2 && v->count + v->empty_sites > 0) return finish_diploid(v);
    return wl_fail(WL_BAD_INPUT, "%s: found no genotypes of a variant among %llu record%s%s%s; expected some",
                   v->rows->file, (unsigned long long)skipped, plural(skipped), skipped > 0 ? ", most of them " : "",
                   skipped > 0 ? texts[most] : "");
}
