/* Alignments of nucleotides as SAM: the queries are the reads, the subjects the references, as with BLAST's "17 SR". */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/names.h"
#include "tools/search/report/internal.h"

enum { NAME_MOST = 254, MINUS = 16, UNMAPPED = 4, SECONDARY = 256 };

/* What SAM cannot have in a name is '_'. */
static void print_name(const char *name, int is_reference, FILE *out) {
    static const char barred[] = "\\,\"`'()[]{}<>"; // of references
    for (size_t i = 0; name[i] && i < NAME_MOST; i++) {
        const char c = name[i];
        const int fits = c > ' ' && c < 0x7F &&
                         (is_reference ? !strchr(barred, c) && !(i == 0 && (c == '*' || c == '=')) : c != '@');
        fputc(fits ? c : '_', out);
    }
}

static void print_reference(const sw_report *report, size_t subject, FILE *out) {
    char number[SW_NUMBER];
    const uint64_t place = report->database->order[subject] + 1;
    print_name(sw_name_or(sw_database_name(report->database, subject), "Subject", place, number), 1, out);
    if (report->repeated && report->repeated[place - 1]) fprintf(out, "_%llu", (unsigned long long)place);
}

/* References must have names of their own: of several subjects with one name all but the first get a number. Without memory for that, none
   gets one. */
static void find_repeated(sw_report *report) {
    const sw_database *database = report->database;
    const size_t count = database->set.count;
    wl_name *names = malloc(count * sizeof *names + 1);
    report->repeated = calloc(count + 1, 1);
    if (names == NULL || report->repeated == NULL) {
        free(names);
        free(report->repeated);
        report->repeated = NULL;
        return;
    }
    for (size_t s = 0; s < count; s++) names[s] = (wl_name){sw_database_name(database, s), database->order[s]};
    wl_names_sort(names, count);
    for (size_t k = 1; k < count; k++) report->repeated[names[k].index] = strcmp(names[k].text, names[k - 1].text) == 0;
    free(names);
}

void sw_sam_begin(sw_report *report) {
    const sw_set *set = &report->database->set;
    FILE *out = report->stream;
    find_repeated(report);
    fputs("@HD\tVN:1.6\tSO:unsorted\tGO:query\n", out);
    for (size_t s = 0; s < set->count; s++) {
        fputs("@SQ\tSN:", out);
        print_reference(report, s, out);
        fprintf(out, "\tLN:%u\n", set->length[s]);
    }
    fprintf(out, "@PG\tID:warpladder\tPN:warpladder search\tVN:%s\n", WL_VERSION);
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

static void print_record(const sw_shown *hit, const char *name, FILE *out) {
    const sw_alignment *a = hit->alignment;
    const int first = hit->place == 0;
    print_name(name, 0, out);
    fprintf(out, "\t%d\t", (hit->minus ? MINUS : 0) | (first ? 0 : SECONDARY));
    print_reference(hit->report, hit->index, out);
    fprintf(out, "\t%u\t255\t", a->subject_first + 1);
    print_cigar(hit, first ? 'S' : 'H', out);
    fputs("\t*\t0\t0\t", out);
    print_letters(hit->query, first ? 0 : a->query_first, first ? hit->found->length : a->query_last + 1, out);
    fprintf(out, "\t*\tAS:i:%d\tNM:i:%u\tPI:f:%.2f", hit->score, a->mismatches + a->gap_residues,
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
        print_record(&hit, name, out);
    }
    if (found->count > 0) return;
    print_name(name, 0, out);
    fprintf(out, "\t%d\t*\t0\t255\t*\t*\t0\t0\t", UNMAPPED);
    print_letters(found->residues, 0, found->length, out);
    fputs("\t*\n", out);
}
