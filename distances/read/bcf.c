/* BCF, which htslib reads from the file itself. */
#include <errno.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include <htslib/hts.h>
#include <htslib/hts_log.h>

#include "distances/read/variants.h"

static wl_status read_records(distances_variants *v, htsFile *file, bcf_hdr_t *header, bcf1_t *record) {
    for (unsigned long long number = 1;; number++) {
        char place[4200];
        snprintf(place, sizeof place, "%.4000s: record %llu", v->rows->file, number);
        int result = bcf_read(file, header, record);
        if (result == -1) return distances_variants_finish(v);
        if (result < -1)
            return wl_fail(WL_BAD_INPUT,
                           "%s: found what htslib cannot read; expected a record of BCF, or the file's end", place);
        WL_TRY(distances_variant_errors(record, result, place));
        WL_TRY(distances_variant(v, header, record, place));
    }
}

static wl_status read_header(distances_variants *v, const bcf_hdr_t *header) {
    distances_rows *rows = v->rows;
    rows->place = "column"; /* of the header's line, were it VCF; htslib has refused names that occur twice */
    v->samples = (size_t)bcf_hdr_nsamples(header);
    if (v->samples == 0) return wl_fail(WL_BAD_INPUT, "%s: found no sample; expected at least one", rows->file);
    for (size_t i = 0; i < v->samples; i++)
        WL_TRY(distances_rows_name(rows, header->samples[i], strlen(header->samples[i]), i + 10));
    return WL_OK;
}

static wl_status read_open(distances_variants *v, htsFile *file) {
    const char *name = v->rows->file;
    if (hts_get_format(file)->format != bcf)
        return wl_fail(WL_BAD_INPUT, "%s: found %s; expected BCF", name,
                       hts_format_file_extension(hts_get_format(file)));
    if (hts_check_EOF(file) == 0)
        return wl_fail(WL_BAD_INPUT, "%s: the file is cut short: found no end-of-file block; expected one", name);
    if (omp_get_max_threads() > 1) hts_set_threads(file, omp_get_max_threads()); /* to unpack; it may fail */
    bcf_hdr_t *header = bcf_hdr_read(file);
    bcf1_t *record = bcf_init();
    wl_status status;
    if (header == NULL)
        status = wl_fail(WL_BAD_INPUT, "%s: found a header that htslib cannot read; expected BCF's, samples named once",
                         name);
    else if (record == NULL)
        status = wl_fail(WL_NO_MACHINE, "%s: not enough memory to read it", name);
    else
        status = read_header(v, header);
    if (status == WL_OK) status = read_records(v, file, header, record);
    if (record) bcf_destroy(record);
    if (header) bcf_hdr_destroy(header);
    return status;
}

wl_status distances_read_bcf(distances_rows *rows, const char *path) {
    distances_variants variants = {.rows = rows};
    enum htsLogLevel level = hts_get_log_level();
    hts_set_log_level(HTS_LOG_OFF); /* what is wrong is told in one line, and by us */
    htsFile *file = hts_open(path, "r");
    wl_status status = file ? read_open(&variants, file)
                            : wl_fail(WL_BAD_INPUT, "%s: cannot open: %s; expected BCF", path, strerror(errno));
    if (file) hts_close(file);
    hts_set_log_level(level);
    distances_variants_drop(&variants);
    return status;
}
