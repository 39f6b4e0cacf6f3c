/* PLINK's binary files: the genotypes in .bed, the samples in .fam, the variants in .bim. */
#include <errno.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/distances/read/formats.h"
#include "tools/distances/read/genotypes.h"
#include "harness/base/memory.h"
#include "harness/base/timings.h"
#include "io/names.h"

#define HEAD 3 // bytes before the first site: the magic, and which way round the table is
#define FAM_FIELDS 6
#define BIM_FIELDS 6 // or one less: the position in centimorgans may be left out

typedef struct {
    distances_rows *rows;
    char *bed, *bim, *fam; // paths
    char **families;       // [family_count]
    size_t family_count;
    uint64_t variants, not_autosomal;
    uint64_t *left_out; // [left_out_count]: variants, rising, whose position is negative
    size_t left_out_count;
} reader;

static wl_status no_memory(const reader *r, const char *file) {
    return wl_fail(WL_NO_MACHINE, "%s: not enough memory for %zu samples", file, r->rows->named);
}

/* --- Names of files ---------------------------------------------------------------------------------------------- */

static char *with_ending(const char *stem, size_t length, const char *ending) {
    char *path = malloc(length + strlen(ending) + 1);
    if (path == NULL) return NULL;
    memcpy(path, stem, length);
    strcpy(path + length, ending);
    return path;
}

/* The given path is one of the three, or what they have in common. */
static int name_files(reader *r, const char *path) {
    size_t length = strlen(path);
    const char *end = length > 4 ? path + length - 4 : "";
    if (strcmp(end, ".bed") == 0 || strcmp(end, ".bim") == 0 || strcmp(end, ".fam") == 0) length -= 4;
    r->bed = with_ending(path, length, ".bed");
    r->bim = with_ending(path, length, ".bim");
    r->fam = with_ending(path, length, ".fam");
    return r->bed && r->bim && r->fam;
}

/* --- .fam and .bim ----------------------------------------------------------------------------------------------- */

typedef struct {
    const char *text;
    size_t length;
} field;

/* The fields of a line, separated by blanks and tabs; returns how many there are, of which the first `most` are kept. */
static size_t split(const char *line, field *fields, size_t most) {
    size_t count = 0;
    for (line += strspn(line, " \t"); *line; line += strspn(line, " \t"), count++) {
        size_t length = strcspn(line, " \t");
        if (count < most) fields[count] = (field){line, length};
        line += length;
    }
    return count;
}

typedef wl_status line_taker(reader *r, size_t line, const field *fields, size_t count);

/* Each line of a file, none of them empty but at the end. */
static wl_status each_line(reader *r, const char *path, const char *expected, line_taker *take) {
    wl_bytes *bytes = NULL;
    wl_status status = wl_bytes_open(path, expected, &bytes);
    size_t empty = 0;
    while (status == WL_OK) {
        char *line;
        size_t length, number;
        field fields[BIM_FIELDS];
        status = wl_bytes_line(bytes, &line, &length, &number);
        if (status != WL_OK || line == NULL) break;
        size_t count = split(line, fields, BIM_FIELDS);
        if (count == 0 && empty == 0) empty = number;
        if (count > 0 && empty > 0)
            status = wl_fail(WL_BAD_INPUT, "%s:%zu: found a blank line before line %zu; expected %s", path, empty,
                             number, expected);
        else if (count > 0)
            status = take(r, number, fields, count);
    }
    if (status == WL_BAD_INPUT && bytes) status = wl_bytes_diagnose(bytes);
    wl_bytes_close(bytes);
    return status;
}

static wl_status take_sample(reader *r, size_t line, const field *fields, size_t count) {
    if (count != FAM_FIELDS)
        return wl_fail(WL_BAD_INPUT,
                       "%s:%zu: found %zu fields; expected %d: family, sample, father, mother, sex, phenotype", r->fam,
                       line, count, FAM_FIELDS);
    size_t index = r->rows->named;
    WL_TRY(distances_rows_name(r->rows, fields[1].text, fields[1].length, line));
    if (!WL_GROW(r->families, index, 1)) return no_memory(r, r->fam);
    r->families[index] = strndup(fields[0].text, fields[0].length);
    r->family_count = index + 1;
    return r->families[index] ? WL_OK : no_memory(r, r->fam);
}

/* Chromosomes of which not everybody has two: as PLINK codes humans', and as people write them. */
static int is_autosome(field chromosome) {
    static const char *const others[] = {"23", "24", "26", "X", "Y", "MT", "M"};
    if (chromosome.length > 3 && strncasecmp(chromosome.text, "chr", 3) == 0)
        chromosome.text += 3, chromosome.length -= 3;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i]) == chromosome.length && strncasecmp(others[i], chromosome.text, chromosome.length) == 0)
            return 0;
    return 1;
}

/* A negative position is how people take a variant out of a .bim: PLINK passes over it. */
static wl_status leave_out(reader *r) {
    WL_TRY(distances_rows_memory(r->rows, sizeof *r->left_out));
    if (!WL_GROW(r->left_out, r->left_out_count, 1)) return no_memory(r, r->bim);
    r->left_out[r->left_out_count++] = r->variants;
    return WL_OK;
}

static wl_status take_variant(reader *r, size_t line, const field *fields, size_t count) {
    if (count != BIM_FIELDS && count != BIM_FIELDS - 1)
        return wl_fail(
            WL_BAD_INPUT,
            "%s:%zu: found %zu fields; expected %d: chromosome, variant, centimorgans, position, two alleles", r->bim,
            line, count, BIM_FIELDS);
    const field position = fields[count - 3];
    if (position.text[0] == '-') {
        WL_TRY(leave_out(r));
    } else {
        r->not_autosomal += !is_autosome(fields[0]);
    }
    r->variants++;
    if (r->variants > DISTANCES_SITES_MOST)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: found one more variant; expected at most %llu", r->bim, line,
                       (unsigned long long)DISTANCES_SITES_MOST);
    return WL_OK;
}

/* A sample's name is unique in its family only. Where it is not in the file, names are "family_sample". */
static wl_status name_samples(reader *r) {
    distances_rows *rows = r->rows;
    char **names = rows->data.names;
    wl_name *sorted = malloc(rows->named * sizeof *sorted); // [named]
    if (sorted == NULL) return no_memory(r, r->fam);
    for (size_t i = 0; i < rows->named; i++) sorted[i] = (wl_name){names[i], i};
    wl_names_sort(sorted, rows->named);
    size_t again, first;
    const size_t twice = wl_names_repeated(sorted, rows->named, &again, &first);
    free(sorted);
    for (size_t i = 0; twice > 0 && i < rows->named; i++) {
        size_t family = strlen(r->families[i]), bytes = family + strlen(names[i]) + 2;
        WL_TRY(distances_rows_memory(rows, family + 1));
        char *both = malloc(bytes);
        if (both == NULL) return no_memory(r, r->fam);
        snprintf(both, bytes, "%s_%s", r->families[i], names[i]);
        free(names[i]);
        names[i] = both;
    }
    if (twice > 0)
        distances_rows_note(rows,
                            "%zu of %zu samples have the name of a sample in another family: names are family_sample",
                            twice, rows->named);
    return WL_OK;
}

/* --- .bed -------------------------------------------------------------------------------------------------------- */

static wl_status check_bed(const reader *r, FILE *bed) {
    unsigned char head[HEAD];
    size_t had = fread(head, 1, HEAD, bed);
    if (had < HEAD || head[0] != 0x6C || head[1] != 0x1B)
        return wl_fail(WL_BAD_INPUT, "%s: found %s; expected PLINK's binary genotypes, which begin with 6C 1B 01",
                       r->bed, had == 0 ? "an empty file" : "another kind of file");
    if (head[2] != 1)
        return wl_fail(
            WL_BAD_INPUT,
            "%s: found the third byte %02X%s; expected 01, variant by variant (plink --make-bed writes it so)", r->bed,
            head[2], head[2] == 0 ? ", sample by sample" : "");
    struct stat found;
    const size_t samples = r->rows->named;
    const uint64_t bytes = distances_site_bytes(samples), expected = HEAD + bytes * r->variants;
    if (fstat(fileno(bed), &found) != 0 || !S_ISREG(found.st_mode))
        return wl_fail(WL_BAD_INPUT, "%s: found no ordinary file; expected one", r->bed);
    if ((uint64_t)found.st_size != expected)
        return wl_fail(WL_BAD_INPUT,
                       "%s: found %llu bytes; expected %llu: %d and %llu for each of the %llu variants of %s, for the "
                       "%zu samples of %s",
                       r->bed, (unsigned long long)found.st_size, (unsigned long long)expected, HEAD,
                       (unsigned long long)bytes, (unsigned long long)r->variants, r->bim, samples, r->fam);
    return WL_OK;
}

/* Variants first .. first + count - 1. Where no others do, all processors copy from the page cache. 0, or errno; -1: the file has become
   shorter. */
static int read_variants(int file, uint8_t *into, size_t bytes, uint64_t first, size_t count) {
    enum { PIECE = 1 << 20 };
    const size_t all = bytes * count, pieces = (all + PIECE - 1) / PIECE;
    int error = 0;
#pragma omp parallel for schedule(static) if (pieces > 1)
    for (size_t p = 0; p < pieces; p++) {
        size_t at = p * PIECE;
        const size_t end = all - at < PIECE ? all : at + PIECE;
        while (at < end) {
            const ssize_t got = pread(file, into + at, end - at, (off_t)(HEAD + first * bytes + at));
            if (got < 0 && errno == EINTR) continue;
            if (got > 0) {
                at += (size_t)got;
                continue;
            }
#pragma omp atomic write
            error = got < 0 ? errno : -1;
            break;
        }
    }
    return error;
}

/* A stretch of the sites that are kept, and where in the file the first of them is. */
typedef struct {
    uint64_t site, variant;
    size_t count, passed; // sites; variants before the first that are left out
} stretch;

/* The stretch after `s`, of up to DISTANCES_BLOCK sites. */
static stretch after(const reader *r, const stretch *s, uint64_t sites) {
    stretch next = {.site = s->site + s->count, .variant = s->variant + s->count, .passed = s->passed};
    /* Each variant that is left out within `s` moves its end on by one. */
    while (next.passed < r->left_out_count && r->left_out[next.passed] <= next.variant) next.passed++, next.variant++;
    next.count = sites - next.site < DISTANCES_BLOCK ? (size_t)(sites - next.site) : DISTANCES_BLOCK;
    return next;
}

/* The stretch's sites into block [count][bytes], without what is left out among them. As read_variants. */
static int read_stretch(const reader *r, int file, const stretch *s, size_t bytes, uint8_t *block) {
    uint64_t variant = s->variant;
    size_t passed = s->passed, kept = 0;
    int error = 0;
    while (kept < s->count && error == 0) {
        const uint64_t end = passed < r->left_out_count ? r->left_out[passed] : r->variants;
        const size_t count = end - variant < s->count - kept ? (size_t)(end - variant) : s->count - kept;
        error = read_variants(file, block + kept * bytes, bytes, variant, count);
        kept += count;
        variant += count + 1; // over the one that is left out
        passed++;
    }
    return error;
}

/* Seconds of all threads together. */
typedef struct {
    double reading, packing;
} spent;

/* A buffer for each thread that reads stretches of its own, but no more than half of what is left has room for: of the limit, or else of
   a quarter of the memory that is free. */
static size_t count_buffers(const reader *r, size_t stretches, size_t buffer) {
    const distances_rows *rows = r->rows;
    const distances_reading *reading = rows->reading;
    const size_t threads = (size_t)(reading->threads > 0 ? reading->threads : omp_get_max_threads());
    if (stretches < 2 * threads) return 1; // fewer are for all threads, one at a time
    const size_t most = reading->memory > 0 ? reading->memory : rows->used + wl_memory_available() / 4;
    const size_t fit = rows->used < most ? (most - rows->used) / 2 / buffer : 0;
    return fit < 1 ? 1 : fit < threads ? fit : threads;
}

/* The stretches [count] by `threads` threads, each with a buffer. The first stretch that cannot be read; `count`: none. *error: as
   read_variants. */
static size_t read_stretches(reader *r, int file, const stretch *all, size_t count, uint8_t *memory, size_t buffer,
                             size_t threads, int *error, spent *sum) {
    const size_t bytes = distances_site_bytes(r->rows->named);
    double reading = 0, packing = 0;
    size_t failed = count;
#pragma omp parallel for schedule(dynamic) num_threads(threads) reduction(+ : reading, packing) if (threads > 1)
    for (size_t s = 0; s < count; s++) {
        uint8_t *block = memory + (size_t)omp_get_thread_num() * buffer;
        size_t before;
#pragma omp atomic read
        before = failed;
        if (before < count) continue;
        const double begun = wl_timings_now();
        const int found = read_stretch(r, file, &all[s], bytes, block);
        const double read = wl_timings_now();
        if (found == 0) distances_block(&r->rows->data, block, all[s].site, all[s].count);
        reading += read - begun;
        packing += wl_timings_now() - read;
        if (found == 0) continue;
#pragma omp critical(distances_plink)
        if (s < failed) {
#pragma omp atomic write
            failed = s;
            *error = found;
        }
    }
    *sum = (spent){reading, packing};
    return failed;
}

/* Reading and packing take turns in each thread: what a thread has read is in its cache. The time that passes is both parts'. */
static void count_time(double passed, const spent *sum, double bytes) {
    const double both = sum->reading + sum->packing;
    if (both <= 0) return;
    wl_timings_add(WL_PHASE_READ, passed * sum->reading / both, bytes);
    wl_timings_add(WL_PHASE_PACK, passed * sum->packing / both, bytes);
}

static wl_status read_bed(reader *r, FILE *bed) {
    distances_rows *rows = r->rows;
    const size_t samples = rows->named, bytes = distances_site_bytes(samples),
                 buffer = DISTANCES_BLOCK * bytes + DISTANCES_BLOCK_SLACK;
    const uint64_t sites = r->variants - r->left_out_count;
    const size_t count = (size_t)((sites + DISTANCES_BLOCK - 1) / DISTANCES_BLOCK);
    wl_status status = check_bed(r, bed);
    if (status == WL_OK) status = distances_genotype_rows(rows, samples, sites);
    const size_t threads = status == WL_OK ? count_buffers(r, count, buffer) : 1,
                 room = threads * buffer + count * sizeof(stretch);
    if (status == WL_OK) status = distances_rows_memory(rows, room);
    if (status != WL_OK) return status;
    uint8_t *memory;
    stretch *all;
    if (!WL_ALLOCATE(WL_ZEROS(memory, threads * buffer), WL_ARRAY(all, count))) return no_memory(r, r->bed);
    stretch last = {0};
    for (size_t s = 0; s < count; s++) all[s] = last = after(r, &last, sites);
    int error = 0;
    spent sum;
    const double begun = wl_timings_now();
    const size_t failed = read_stretches(r, fileno(bed), all, count, memory, buffer, threads, &error, &sum);
    count_time(wl_timings_now() - begun, &sum, (double)bytes * (double)sites);
    if (failed < count)
        status = wl_fail(WL_BAD_INPUT, "%s: cannot read %zu variants from number %llu on: %s; expected them", r->bed,
                         all[failed].count, (unsigned long long)all[failed].variant + 1,
                         error > 0 ? strerror(error) : "the file has become shorter");
    WL_FREE(memory, all);
    distances_rows_return(rows, room);
    return status;
}

static wl_status read_all(reader *r) {
    WL_TRY(each_line(r, r->fam, "PLINK's samples", take_sample));
    if (r->rows->named == 0) WL_TRY(wl_fail(WL_BAD_INPUT, "%s: found no sample; expected at least one", r->fam));
    WL_TRY(name_samples(r));
    WL_TRY(each_line(r, r->bim, "PLINK's variants", take_variant));
    if (r->variants == r->left_out_count)
        WL_TRY(wl_fail(WL_BAD_INPUT, "%s: found no variant%s; expected at least one", r->bim,
                       r->variants > 0 ? " whose position is not negative" : ""));
    FILE *bed = fopen(r->bed, "rbe");
    if (bed == NULL)
        return wl_fail(WL_BAD_INPUT, "%s: cannot open: %s; expected PLINK's genotypes", r->bed, strerror(errno));
    setvbuf(bed, NULL, _IONBF, 0); // whole blocks are read
    wl_status status = read_bed(r, bed);
    fclose(bed);
    if (status == WL_OK && r->left_out_count > 0)
        distances_rows_note(r->rows, "%zu of %llu variants %s a negative position, and %s left out, as PLINK does",
                            r->left_out_count, (unsigned long long)r->variants,
                            distances_verb(r->left_out_count, "has", "have"),
                            distances_verb(r->left_out_count, "is", "are"));
    if (status == WL_OK && r->not_autosomal > 0)
        distances_rows_note(
            r->rows,
            "%llu of %llu variants %s on X, Y or MT, and %s compared as the others; PLINK's --distance leaves %s out",
            (unsigned long long)r->not_autosomal, (unsigned long long)r->variants,
            distances_verb(r->not_autosomal, "is", "are"), distances_verb(r->not_autosomal, "is", "are"),
            distances_verb(r->not_autosomal, "it", "them"));
    return status;
}

wl_status distances_read_plink(distances_rows *rows, const char *path) {
    reader r = {.rows = rows};
    wl_status status = name_files(&r, path) ? WL_OK : no_memory(&r, path);
    if (status == WL_OK) status = read_all(&r);
    if (status == WL_OK) {
        rows->names_file = r.fam;
        r.fam = NULL;
    }
    for (size_t i = 0; i < r.family_count; i++) free(r.families[i]);
    free(r.families);
    distances_rows_return(rows, r.left_out_count * sizeof *r.left_out);
    WL_FREE(r.left_out, r.bed, r.bim, r.fam);
    return status;
}
