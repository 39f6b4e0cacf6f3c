/* What a file is, and who reads it. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "tools/distances/read/formats.h"
#include "harness/base/text.h"

#define EXPECTED \
    "an alignment in FASTA, PHYLIP or NEXUS, VCF or BCF, PLINK's .bed, .bim and .fam, or a tab-separated table"

static int begins(const unsigned char *text, size_t count, const char *magic) {
    return count >= strlen(magic) && memcmp(text, magic, strlen(magic)) == 0;
}

static int ends(const char *path, const char *end) {
    size_t length = strlen(path), other = strlen(end);
    return length > other && strcmp(path + length - other, end) == 0;
}

/* Whether there is a file beside `path` with the same name and `end`: instead of its four last bytes, or appended to all of it. */
static int stands_beside(const char *path, int instead, const char *end) {
    char *other = malloc(strlen(path) + strlen(end) + 1);
    if (other == NULL) return 0;
    size_t length = strlen(path) - (instead ? 4 : 0);
    memcpy(other, path, length);
    strcpy(other + length, end);
    int found = access(other, F_OK) == 0;
    free(other);
    return found;
}

/* The names alone: .bim and .fam are text, and a common stem is no file at all. */
static int names_plink(const char *path) {
    if (ends(path, ".bim") || ends(path, ".fam")) return stands_beside(path, 1, ".bed");
    return access(path, F_OK) != 0 && errno == ENOENT && stands_beside(path, 0, ".bed");
}

int distances_names_plink(const char *path) { return ends(path, ".bed") || names_plink(path); }

/* PLINK 2's own files are another format, whose first two bytes are .bed's. */
static wl_status is_plink2(const char *path) {
    return wl_fail(WL_BAD_INPUT,
                   "%s: found PLINK 2's files (.pgen, .pvar, .psam); expected PLINK 1's .bed, .bim and .fam, which "
                   "'plink2 --pfile NAME --make-bed' writes",
                   path);
}

static wl_status refuse_plink2(const char *path) {
    static const char *const endings[] = {".pgen", ".pvar", ".psam"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends(path, endings[i])) return is_plink2(path);
    const int is_stem = access(path, F_OK) != 0 && errno == ENOENT && stands_beside(path, 0, ".pgen");
    return is_stem ? is_plink2(path) : WL_OK;
}

/* Two counts and nothing else but perhaps the layout begin PHYLIP. A tab between them begins a table, unless the name says PHYLIP. */
static int is_phylip(const unsigned char *text, size_t count, const char *path) {
    size_t at = 0, blanks = (size_t)(ends(path, ".phy") || ends(path, ".phylip"));
    while (at < count && isspace(text[at])) at++;
    for (int number = 0; number < 2; number++) {
        const size_t begin = at;
        while (at < count && isdigit(text[at])) at++;
        if (at == begin) return 0;
        for (; number == 0 && at < count && (text[at] == ' ' || text[at] == '\t'); at++) blanks += text[at] == ' ';
    }
    while (at < count && (text[at] == ' ' || text[at] == '\r' || isalpha(text[at]))) at++;
    return blanks > 0 && at < count && text[at] == '\n';
}

static int is_nexus(const unsigned char *text, size_t count) {
    static const char magic[] = "#NEXUS";
    size_t at = 0;
    while (at < count && isspace(text[at])) at++;
    return count - at >= strlen(magic) && strncasecmp((const char *)text + at, magic, strlen(magic)) == 0;
}

static wl_status refuse_packed(const char *name) {
    return wl_fail(
        WL_BAD_INPUT,
        "%s: found one of PLINK's .bed, .bim and .fam packed; expected all three unpacked, side by side: use "
        "gunzip first",
        name);
}

/* The first bytes. A .bed of BED's regions has the same ending as PLINK's, and not its magic. */
static wl_status look(wl_bytes *bytes, distances_format *format) {
    const unsigned char *text;
    size_t count;
    int first;
    WL_TRY(wl_bytes_peek(bytes, &text, &count));
    WL_TRY(wl_bytes_first(bytes, &first));
    if (first < 0)
        return wl_fail(WL_BAD_INPUT, "%s: found nothing in the file; expected " EXPECTED, wl_bytes_name(bytes));
    if (begins(text, count, "\x6C\x1B") && count > 2 && text[2] > 1) return is_plink2(wl_bytes_name(bytes));
    const int is_bed = begins(text, count, "\x6C\x1B");
    uint64_t size;
    const int is_stream = strcmp(wl_bytes_name(bytes), "standard input") == 0;
    if (is_bed && !is_stream && wl_bytes_plain_file(bytes, &size) < 0) return refuse_packed(wl_bytes_name(bytes));
    if (!is_bed && (ends(wl_bytes_name(bytes), ".bed") || ends(wl_bytes_name(bytes), ".bed.gz")))
        return wl_fail(WL_BAD_INPUT,
                       "%s: found no 6C 1B at the beginning, perhaps BED's regions; expected PLINK's genotypes",
                       wl_bytes_name(bytes));
    if (ends(wl_bytes_name(bytes), ".bim.gz") || ends(wl_bytes_name(bytes), ".fam.gz"))
        return refuse_packed(wl_bytes_name(bytes));
    if (is_bed)
        *format = DISTANCES_PLINK;
    else if (begins(text, count, "##fileformat=VCF") || begins(text, count, "BCF\2"))
        *format = DISTANCES_VCF;
    else if (is_nexus(text, count) || ends(wl_bytes_name(bytes), ".nex") || ends(wl_bytes_name(bytes), ".nexus"))
        *format = DISTANCES_NEXUS;
    else if (is_phylip(text, count, wl_bytes_name(bytes)))
        *format = DISTANCES_PHYLIP_FILE;
    else
        *format = first == '>' || first == '@' ? DISTANCES_FASTA : DISTANCES_TABLE;
    return WL_OK;
}

static wl_status read_vcf(distances_rows *rows, const char *path, wl_bytes *bytes) {
    const unsigned char *text;
    size_t count;
    WL_TRY(wl_bytes_peek(bytes, &text, &count));
    return begins(text, count, "BCF\2") ? distances_read_bcf(rows, bytes, path) : distances_read_vcf(rows, bytes);
}

/* If there are two files, both are alignments or both are tables. */
static wl_status read_sources(distances_rows *rows, const char *path, const distances_source *sources, size_t count) {
    const int are_letters = sources[0].format < DISTANCES_VCF, are_tables = sources[0].format >= DISTANCES_TABLE;
    const distances_format last = sources[count - 1].format;
    if (count > 1 && !(are_letters && last < DISTANCES_VCF) && !(are_tables && last >= DISTANCES_TABLE))
        return wl_fail(WL_BAD_INPUT,
                       "%s: found %s; expected two alignments, or two tables: genotypes can be joined by 'bcftools "
                       "merge' and compared with --only",
                       wl_bytes_name(sources[1].bytes), "two files of which one has genotypes, or of two kinds");
    if (are_letters) return distances_read_letters(rows, sources, count);
    if (are_tables) return distances_read_table(rows, sources, count);
    if (sources[0].format == DISTANCES_VCF) return read_vcf(rows, path, sources[0].bytes);
    if (strcmp(path, "-") != 0) return distances_read_plink(rows, path);
    return wl_fail(WL_BAD_INPUT,
                   "standard input: found PLINK's .bed; expected it as a file, with .bim and .fam beside it");
}

static wl_status open_source(distances_format format, const char *path, distances_source *source) {
    WL_TRY(wl_bytes_open(path, EXPECTED, &source->bytes));
    source->format = format;
    return format == DISTANCES_AUTO ? look(source->bytes, &source->format) : WL_OK;
}

static wl_status read_any(distances_rows *rows, const char *path) {
    const distances_format format = rows->reading->format;
    const char *second = rows->reading->second;
    const int standard_input = strcmp(path, "-") == 0;
    if (!standard_input && second == NULL &&
        (format == DISTANCES_PLINK || (format == DISTANCES_AUTO && names_plink(path))))
        return distances_read_plink(rows, path);
    if (!standard_input && format == DISTANCES_AUTO) WL_TRY(refuse_plink2(path));
    distances_source sources[2] = {{0}, {0}};
    wl_status status = open_source(format, path, &sources[0]);
    if (status == WL_OK && second) status = open_source(format, second, &sources[1]);
    if (sources[0].bytes) rows->file = wl_bytes_name(sources[0].bytes);
    if (status == WL_OK) status = read_sources(rows, path, sources, second ? 2 : 1);
    for (size_t i = 0; i < 2; i++)
        if (sources[i].bytes) wl_bytes_close(sources[i].bytes);
    return status;
}

wl_status distances_read(const char *path, const distances_reading *reading, FILE *notes, distances_data *data) {
    distances_rows rows = {.file = wl_path_shown(path), .reading = reading, .notes = notes, .place = "line"};
    wl_status status = read_any(&rows, path);
    if (status == WL_OK) {
        rows.file = wl_path_shown(reading->second ? reading->second : path);
        rows.before = wl_path_shown(path);
        status = distances_rows_finish(&rows, data);
    }
    if (status != WL_OK) distances_rows_drop(&rows);
    return status;
}
