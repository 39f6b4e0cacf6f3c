/* Alignments of nucleotides as SAM: the queries are the reads, the subjects the references, as with BLAST's "17 SR". */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "io/names.h"
#include "tools/search/report/internal.h"

enum { NAME_MOST = 254, MINUS = 16, UNMAPPED = 4, SECONDARY = 256 };

/* What SAM cannot have in a name is '_'. renamed: counts it; NULL: it has been counted. */
static void print_name(const char *name, int is_reference, sw_renamed *renamed, FILE *out) {
    static const char barred[] = "\\,\"`'()[]{}<>"; // of references
    size_t replaced = 0, i = 0;
    for (; name[i] && i < NAME_MOST; i++) {
        const char c = name[i];
        const int fits = c > ' ' && c < 0x7F &&
                         (is_reference ? !strchr(barred, c) && !(i == 0 && (c == '*' || c == '=')) : c != '@');
        replaced += !fits;
        fputc(fits ? c : '_', out);
    }
    if (renamed == NULL) return;
    renamed->replaced += replaced > 0;
    renamed->cut += name[i] != 0;
}

static void print_reference(const sw_report *report, size_t subject, sw_renamed *renamed, FILE *out) {
    char number[SW_NUMBER];
    const uint64_t place = report->database->order[subject] + 1;
    print_name(sw_name_or(sw_database_name(report->database, subject), "Subject", place, number), 1, renamed, out);
    if (report->repeated[place - 1]) fprintf(out, "_%llu", (unsigned long long)place);
}

/* References must have names of their own: of several subjects with one name all but the first get a number. */
static wl_status find_repeated(sw_report *report) {
    const sw_database *database = report->database;
    const size_t count = database->set.count;
    wl_name *names;
    if (!WL_ALLOCATE(WL_ARRAY(names, count), WL_ARRAY(report->at, count), WL_ZEROS(report->repeated, count)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for the names of %zu sequences", count);
    for (size_t s = 0; s < count; s++) {
        names[s] = (wl_name){sw_database_name(database, s), database->order[s]};
        report->at[database->order[s]] = s;
    }
    wl_names_sort(names, count);
    for (size_t k = 1; k < count; k++) {
        const int again = strcmp(names[k].text, names[k - 1].text) == 0;
        report->repeated[names[k].index] = (uint8_t)again;
        report->references.numbered += (size_t)again;
    }
    free(names);
    return WL_OK;
}

wl_status sw_sam_begin(sw_report *report) {
    const sw_set *set = &report->database->set;
    FILE *out = report->stream;
    WL_TRY(find_repeated(report));
    fputs("@HD\tVN:1.6\tSO:unsorted\tGO:query\n", out);
    for (size_t i = 0; i < set->count; i++) {
        fputs("@SQ\tSN:", out);
        print_reference(report, report->at[i], &report->references, out);
        fprintf(out, "\tLN:%u\n", set->length[report->at[i]]);
    }
    fprintf(out, "@PG\tID:warpladder\tPN:warpladder search\tVN:%s\n", WL_VERSION);
    return WL_OK;
}

/* Runs of equal steps, between what is clipped: hard, or soft where all of the query is shown. */
static void print_cigar(const sw_shown *hit, char clip, FILE *out) {
    const sw_alignment *a = hit->alignment;
    if (a->query_first > 0) fprintf(out, "%u%c", a->query_first, clip);
    for (const char *step = a->operations; *step;) {
        size_t run = 1;
        while (step[run] == *step) run++;
        fprintf(out, "%zu%c", run, *step);
        step += run;
    }
    const uint32_t rest = hit->found->length - 1 - a->query_last;
    if (rest > 0) fprintf(out, "%u%c", rest, clip);
}

static void print_letters(const uint8_t *residues, uint32_t first, uint32_t end, FILE *out) {
    for (uint32_t i = first; i < end; i++) fputc(sw_letter(SW_NUCLEOTIDE, residues[i]), out);
}

/* The qualities of the residues that are shown, backwards if those are a reverse complement. */
static void print_quality(const sw_found *found, int minus, uint32_t first, uint32_t end, FILE *out) {
    if (found->quality == NULL) fputc('*', out);
    for (uint32_t i = first; i < end && found->quality; i++)
        fputc(found->quality[minus ? found->length - 1 - i : i], out);
}

static void print_record(const sw_shown *hit, const char *name, sw_renamed *renamed, FILE *out) {
    const sw_alignment *a = hit->alignment;
    const int first = hit->place == 0;
    const uint32_t from = first ? 0 : a->query_first, end = first ? hit->found->length : a->query_last + 1;
    print_name(name, 0, renamed, out);
    fprintf(out, "\t%d\t", (hit->minus ? MINUS : 0) | (first ? 0 : SECONDARY));
    print_reference(hit->report, hit->index, NULL, out);
    fprintf(out, "\t%u\t255\t", a->subject_first + 1);
    print_cigar(hit, first ? 'S' : 'H', out);
    fputs("\t*\t0\t0\t", out);
    print_letters(hit->query, from, end, out);
    fputc('\t', out);
    print_quality(hit->found, hit->minus, from, end, out);
    fprintf(out, "\tAS:i:%d\tNM:i:%u\tPI:f:%.2f", hit->score, a->mismatches + a->gap_residues,
            100.0 * a->identities / (a->identities + a->mismatches)); // as BLAST: of the pairs
    if (!isnan(hit->evalue)) fprintf(out, "\tEV:f:%.6g\tBS:f:%.6g", hit->evalue < 1e-180 ? 0 : hit->evalue, hit->bits);
    fputc('\n', out);
}

void sw_sam_query(sw_report *report, const sw_found *found) {
    char number[SW_NUMBER];
    const char *name = sw_name_or(found->name, "Query", report->queries, number);
    FILE *out = report->stream;
    for (size_t h = 0; h < found->count; h++) {
        sw_shown hit;
        sw_show(report, found, h, &hit);
        print_record(&hit, name, h == 0 ? &report->reads : NULL, out);
    }
    if (found->count > 0) return;
    print_name(name, 0, &report->reads, out);
    fprintf(out, "\t%d\t*\t0\t255\t*\t*\t0\t0\t", UNMAPPED);
    print_letters(found->residues, 0, found->length, out);
    fputc('\t', out);
    print_quality(found, 0, 0, found->length, out);
    fputc('\n', out);
}
