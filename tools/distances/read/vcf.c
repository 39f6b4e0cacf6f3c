/* VCF, as text: lines come through io/bytes, as all text does, so that a broken line is named; what a line says is htslib's. */
#include <stdlib.h>
#include <string.h>

#include <htslib/hts_log.h>
#include <htslib/kstring.h>

#include "tools/distances/read/formats.h"
#include "tools/distances/read/variants.h"

#define FIXED_COLUMNS 9
static const char fixed_columns[] = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t";

typedef struct {
    distances_variants variants;
    kstring_t text; // of the header
    bcf_hdr_t *header;
    bcf1_t *record;
    size_t line;
} reader;

#define REFUSE(r, format, ...) \
    wl_fail(WL_BAD_INPUT, "%s:%zu: " format, (r)->variants.rows->file, (r)->line, __VA_ARGS__)

static wl_status no_memory(const reader *r) {
    return wl_fail(WL_NO_MACHINE, "%s:%zu: not enough memory for the header", r->variants.rows->file, r->line);
}

/* Where the columns FORMAT and of the first sample begin, too. */
static size_t count_columns(const char *line, size_t length, size_t *format, size_t *samples) {
    size_t count = 1;
    for (size_t i = 0; i < length; i++) {
        if (line[i] != '\t') continue;
        count++;
        if (count == FIXED_COLUMNS) *format = i + 1;
        if (count == FIXED_COLUMNS + 1) *samples = i + 1;
    }
    return count;
}

/* --- The header -------------------------------------------------------------------------------------------------- */

/* htslib refuses a sample that occurs twice, and so might we, in words of our own: it gets names without meaning. */
static wl_status take_samples(reader *r, const char *line) {
    distances_rows *rows = r->variants.rows;
    const size_t fixed = strlen(fixed_columns);
    if (strncmp(line, fixed_columns, fixed) != 0)
        return REFUSE(r, "found the columns '%.80s'; expected '%s' and samples, separated by tabs", line,
                      "#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT");
    rows->place = "column";
    rows->names_line = r->line;
    if (kputsn(fixed_columns, (int)fixed - 1, &r->text) < 0) return no_memory(r);
    size_t column = FIXED_COLUMNS;
    for (const char *name = line + fixed, *end; name; name = *end ? end + 1 : NULL) {
        size_t length = strcspn(name, "\t");
        end = name + length;
        column++;
        if (length == 0) return REFUSE(r, "found no name in column %zu; expected a sample's", column);
        WL_TRY(distances_rows_name(rows, name, length, column));
        if (ksprintf(&r->text, "\t%zu", column) < 0) return no_memory(r);
    }
    if (kputc('\n', &r->text) < 0) return no_memory(r);
    r->variants.samples = rows->named;
    r->header = bcf_hdr_init("r");
    r->record = bcf_init();
    if (r->header == NULL || r->record == NULL) return no_memory(r);
    if (bcf_hdr_parse(r->header, r->text.s) < 0 || (size_t)bcf_hdr_nsamples(r->header) != rows->named)
        return REFUSE(r, "found a header up to this line that %s; expected VCF's", "htslib cannot read");
    free(ks_release(&r->text));
    return WL_OK;
}

static wl_status header_line(reader *r, const char *line, size_t length) {
    if (r->line == 1 && strncmp(line, "##fileformat=VCF", 16) != 0)
        return REFUSE(r, "found '%.40s'; expected '##fileformat=VCF'", line);
    if (strncmp(line, "##", 2) != 0) return take_samples(r, line);
    wl_status status = distances_rows_memory(r->variants.rows, 0);
    if (status == WL_OK && (length > 1 << 30 || kputsn(line, (int)length, &r->text) < 0 || kputc('\n', &r->text) < 0))
        status = no_memory(r);
    return status;
}

/* --- A record that htslib refuses: which character was it? ------------------------------------------------------------ */

/* htslib has put zeros for the tabs, and for the colons of FORMAT. */
static const char *field_end(const char *at, const char *end) {
    while (at < end && *at != 0 && *at != '\t' && *at != ':') at++;
    return at;
}

/* The bytes that values of this key may have; NULL: any. */
static const char *bytes_of(const reader *r, const char *key, const char *key_end) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(key_end - key), key);
    if (strcmp(name, "GT") == 0) return "0123456789./|";
    const int id = bcf_hdr_id2int(r->header, BCF_DT_ID, name);
    if (!bcf_hdr_idinfo_exists(r->header, BCF_HL_FMT, id)) return NULL;
    const int type = bcf_hdr_id2type(r->header, BCF_HL_FMT, id);
    return type == BCF_HT_INT ? "0123456789.,-+" : type == BCF_HT_REAL ? "0123456789.,-+eEinfatyINFATY" : NULL;
}

static wl_status refuse_byte(const reader *r, int byte, const char *key, const char *key_end, size_t sample) {
    char shown[16];
    const char *name = r->variants.rows->data.names[sample];
    wl_bytes_show(byte, shown);
    if (key_end - key == 2 && memcmp(key, "GT", 2) == 0)
        return REFUSE(r, "found %s in the genotype of sample '%.80s'; expected alleles' numbers, '/', '|' and '.'",
                      shown, name);
    return REFUSE(r, "found %s in %.*s of sample '%.80s'; expected a number", shown, (int)(key_end - key), key, name);
}

/* Keys are in FORMAT, [keys, samples), and what they are keys of follows up to `end`. */
static wl_status diagnose_value(const reader *r, const char *keys, const char *samples, const char *end) {
    const char *at = samples;
    for (size_t sample = 0; at < end && sample < r->variants.samples; sample++, at++)
        for (const char *key = keys, *key_end; key < samples; key = key_end + 1) {
            key_end = field_end(key, samples);
            const char *stop = field_end(at, end), *allowed = bytes_of(r, key, key_end);
            for (; at < stop; at++)
                if (allowed && strchr(allowed, *at) == NULL)
                    return refuse_byte(r, (unsigned char)*at, key, key_end, sample);
            if (at >= end || *at != ':') break;
            at++;
        }
    return WL_BAD_INPUT;
}

/* --- Records ----------------------------------------------------------------------------------------------------- */

static wl_status record_line(reader *r, char *line, size_t length) {
    size_t format = 0, samples = 0;
    const size_t columns = count_columns(line, length, &format, &samples);
    const size_t expected = FIXED_COLUMNS + r->variants.samples;
    if (columns != expected) // htslib would take a line that was cut short for one without genotypes
        return REFUSE(r, "found %zu columns; expected %zu, as in the header", columns, expected);
    char place[4200];
    snprintf(place, sizeof place, "%.4000s:%zu", r->variants.rows->file, r->line);
    kstring_t text = {length, length + 1, line};
    bcf_clear(r->record);
    const int result = vcf_parse(&text, r->header, r->record);
    wl_status status = distances_variant_errors(r->record, result, place);
    if (status == WL_OK) return distances_variant(&r->variants, r->header, r->record, place);
    return status == WL_BAD_INPUT ? diagnose_value(r, line + format, line + samples, line + length) : status;
}

static wl_status read_lines(reader *r, wl_bytes *bytes) {
    size_t blank = 0;
    for (;;) {
        char *line;
        size_t length;
        wl_status status = wl_bytes_line(bytes, &line, &length, &r->line);
        if (status != WL_OK) return status;
        if (line == NULL) break;
        if (length == 0 && blank == 0) blank = r->line;
        if (length == 0) continue;
        if (blank > 0)
            return REFUSE(r, "found a record after blank line %zu; expected blank lines at the end only", blank);
        if (r->header == NULL)
            status = header_line(r, line, length);
        else
            status = record_line(r, line, length);
        if (status != WL_OK) return status;
    }
    if (r->header == NULL)
        return wl_fail(WL_BAD_INPUT, "%s: the file ends in the header; expected the line that begins with '#CHROM'",
                       r->variants.rows->file);
    return distances_variants_finish(&r->variants);
}

wl_status distances_read_vcf(distances_rows *rows, wl_bytes *bytes) {
    reader r = {.variants = {.rows = rows}};
    enum htsLogLevel level = hts_get_log_level();
    hts_set_log_level(HTS_LOG_OFF); // what is wrong is told in one line, and by us
    wl_status status = read_lines(&r, bytes);
    hts_set_log_level(level);
    if (r.record) bcf_destroy(r.record);
    if (r.header) bcf_hdr_destroy(r.header);
    free(r.text.s);
    distances_variants_drop(&r.variants);
    return status == WL_BAD_INPUT ? wl_bytes_diagnose(bytes) : status;
}
