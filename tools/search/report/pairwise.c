/* Alignments to read, in the layout that everybody knows from BLAST. */
#include <math.h>
#include <string.h>

#include "tools/search/report/internal.h"

enum { ROW = 60, TABLE_TITLE = 68 };

/* `name comment`, in lines of at most ROW characters, broken between words where there are any. */
static void print_wrapped(const char *lead, const char *name, const char *comment, FILE *out) {
    fputs(lead, out);
    sw_print_text(name, out);
    size_t at = strlen(lead) + strlen(name);
    while (*comment) {
        size_t word = strcspn(comment, " ");
        if (at + 1 + word > ROW) {
            fputc('\n', out);
            at = 0;
        } else {
            fputc(' ', out);
            at++;
        }
        char piece[256];
        if (word >= sizeof piece) word = sw_cut(comment, sizeof piece - 1);
        snprintf(piece, sizeof piece, "%.*s", (int)word, comment);
        sw_print_text(piece, out);
        at += word;
        comment += word;
        if (*comment == ' ') comment++;
    }
    fputc('\n', out);
}

static void print_table_line(const sw_shown *hit, FILE *out) {
    const char *comment = sw_database_comment(hit->report->database, hit->index);
    char title[TABLE_TITLE + 2], bits[SW_NUMBER], evalue[SW_NUMBER];
    int length = snprintf(title, sizeof title, "%s%s%s", hit->name, *comment ? " " : "", comment);
    if (length > TABLE_TITLE) memcpy(title + sw_cut(title, TABLE_TITLE - 3), "...", 4);
    sw_format_bits(hit->bits, bits);
    sw_format_evalue(hit->evalue, 0, evalue);
    sw_print_text(title, out);
    if (isnan(hit->bits)) snprintf(bits, sizeof bits, "%d", hit->score);
    fprintf(out, "%*s%-7s %s\n", TABLE_TITLE + 2 - (int)strlen(title), "", bits, evalue);
}

static int digits_of(uint32_t number) { return snprintf(NULL, 0, "%u", number); }

/* One row of letters between the positions of its first and last; a row of gaps alone has none. */
static void print_letters(const char *label, int width, uint32_t start, uint32_t before, uint32_t behind, int backwards,
                          const char *letters, FILE *out) {
    if (before == behind) {
        fprintf(out, "%s  %*s  %s  \n", label, width, "", letters);
        return;
    }
    uint32_t first = backwards ? start - before : start + before;
    uint32_t last = backwards ? start + 1 - behind : start + behind - 1;
    fprintf(out, "%s  %-*u  %s  %u\n", label, width, first, letters, last);
}

static void print_alignment(const sw_shown *hit, FILE *out) {
    uint32_t largest = hit->query_end > hit->subject_end ? hit->query_end : hit->subject_end;
    if (hit->subject_start > largest) largest = hit->subject_start;
    const int width = digits_of(largest);
    sw_walk walk = {.hit = hit};
    for (int more = 1; more;) {
        char query[ROW + 1], middle[ROW + 1], subject[ROW + 1];
        const sw_walk begin = walk;
        int n = 0;
        while (n < ROW && (more = sw_walk_next(&walk, &query[n], &middle[n], &subject[n]))) n++;
        if (n == 0) break;
        query[n] = middle[n] = subject[n] = '\0';
        print_letters("Query", width, hit->query_start, begin.query, walk.query, 0, query, out);
        fprintf(out, "%*s%s\n", 9 + width, "", middle);
        print_letters("Sbjct", width, hit->subject_start, begin.subject, walk.subject, hit->minus, subject, out);
        fputc('\n', out);
    }
}

/* Of its subject's alignments. */
static int is_first(const sw_shown *hit) {
    return hit->place == 0 || hit->found->hits[hit->place - 1].hit.subject != hit->index;
}

static void print_hit(const sw_shown *hit, FILE *out) {
    const sw_alignment *a = hit->alignment;
    char bits[SW_NUMBER], evalue[SW_NUMBER];
    sw_format_bits(hit->bits, bits);
    sw_format_evalue(hit->evalue, 0, evalue);
    if (is_first(hit)) {
        print_wrapped(">", hit->name, sw_database_comment(hit->report->database, hit->index), out);
        fprintf(out, "Length=%u\n\n", hit->subject_length);
    }
    fprintf(out, " Score = %s bits (%d),  Expect = %s\n", bits, hit->score, evalue);
    fprintf(out, " Identities = %u/%u (%d%%), ", a->identities, a->columns, sw_percent(a->identities, a->columns));
    if (hit->report->scoring->alphabet == SW_PROTEIN)
        fprintf(out, "Positives = %u/%u (%d%%), ", a->positives, a->columns, sw_percent(a->positives, a->columns));
    fprintf(out, "Gaps = %u/%u (%d%%)\n", a->gap_residues, a->columns, sw_percent(a->gap_residues, a->columns));
    if (hit->report->scoring->alphabet == SW_NUCLEOTIDE)
        fprintf(out, " Strand=Plus/%s\n", hit->minus ? "Minus" : "Plus");
    fputc('\n', out);
    print_alignment(hit, out);
    fputc('\n', out);
}

static void print_database(const sw_report *report, const char *lead, FILE *out) {
    const sw_database *database = report->database;
    char letters[SW_NUMBER], sequences[SW_NUMBER];
    sw_format_count(database->set.letters, letters);
    sw_format_count(database->set.count, sequences);
    fprintf(out, "%sDatabase: ", lead);
    sw_print_text(database->title, out);
    fprintf(out, "\n           %s sequences; %s total letters\n", sequences, letters);
}

void sw_pairwise_begin(sw_report *report) {
    fprintf(report->stream, "Warpladder %s\n\n", WL_VERSION);
    print_database(report, "", report->stream);
    fputs("\n\n", report->stream);
}

static void print_statistics(const sw_report *report, const sw_found *found, FILE *out) {
    const sw_statistics *s = found->statistics ? found->statistics : &report->statistics;
    if (!s->known) {
        fputs("\nNo E-values: nobody has published statistics for this matrix and these gap costs.\n\n\n", out);
        return;
    }
    fprintf(out, "\nGapped\nLambda      K        H%s\n%#8.3g %#8.3g %#8.3g",
            s->by_pair ? "        a         alpha    sigma" : "", s->lambda, s->K, s->H);
    if (s->by_pair) fprintf(out, " %#8.3g %#8.3g %#8.3g", s->length.per, s->variance.per, s->covariance.per);
    fprintf(out, "\n\nEffective search space used: %.0f\n\n\n", found->space.size);
}

void sw_pairwise_query(sw_report *report, const sw_found *found) {
    FILE *out = report->stream;
    char number[SW_NUMBER];
    print_wrapped("Query= ", sw_name_or(found->name, "Query", report->queries, number), found->comment, out);
    fprintf(out, "\nLength=%u\n", found->length);
    if (found->count == 0) {
        fputs("\n\n***** No hits found *****\n\n\n", out);
    } else {
        fprintf(out, "%*sScore     E\n", TABLE_TITLE + 2, "");
        fprintf(out, "%-*s%s  Value\n\n", TABLE_TITLE + 1,
                "Sequences producing significant alignments:", report->statistics.known ? "(Bits)" : "(raw) ");
        sw_shown hit;
        for (size_t h = 0; h < found->count; h++) {
            sw_show(report, found, h, &hit);
            if (is_first(&hit)) print_table_line(&hit, out);
        }
        fputs("\n\n", out);
        for (size_t h = 0; h < found->count; h++) {
            sw_show(report, found, h, &hit);
            print_hit(&hit, out);
        }
    }
    print_statistics(report, found, out);
}

void sw_pairwise_end(sw_report *report) {
    const sw_scoring *scoring = report->scoring;
    print_database(report, "  ", report->stream);
    fputs("\n\nMatrix: ", report->stream);
    sw_print_text(scoring->name, report->stream);
    fprintf(report->stream, "\nGap Penalties: Existence: %d, Extension: %d\n", scoring->gap_open - scoring->gap_extend,
            scoring->gap_extend);
}
