#include <string.h>

#include "tools/search/report/internal.h"

void sw_show(const sw_report *report, const sw_found *found, size_t hit, sw_shown *shown) {
    const sw_database *database = report->database;
    const size_t s = found->hits[hit].hit.subject;
    *shown =
        (sw_shown){.report = report, .found = found, .index = s, .place = hit, .score = found->hits[hit].hit.score};
    shown->name = sw_name_or(sw_database_name(database, s), "Subject", database->order[s] + 1, shown->number);
    shown->minus = found->hits[hit].strand < 0;
    shown->query = shown->minus ? found->reverse : found->residues;
    shown->subject = database->set.residues + database->set.start[s];
    shown->subject_length = database->set.length[s];
    const sw_statistics *statistics = found->statistics ? found->statistics : &report->statistics;
    shown->bits = sw_bits(statistics, shown->score);
    shown->evalue = sw_evalue(statistics, &found->space, shown->subject_length, shown->score);
    if (!found->aligned) return;
    const sw_alignment *a = shown->alignment = &found->hits[hit].alignment;
    shown->query_start = a->query_first + 1;
    shown->query_end = a->query_last + 1;
    shown->subject_start = a->subject_first + 1;
    shown->subject_end = a->subject_last + 1;
    if (shown->minus) {
        shown->query_start = found->length - a->query_last;
        shown->query_end = found->length - a->query_first;
        shown->subject_start = a->subject_last + 1;
        shown->subject_end = a->subject_first + 1;
    }
}

/* The letter as it is shown. The complement of a set of bases is the set of their complements. */
static char letter_of(const sw_shown *hit, uint8_t code) {
    static const char complements[] = "TGCAYRSWMKVHDBN"; // of SW_NUCLEOTIDE_LETTERS
    if (hit->minus && code < sizeof complements - 1) return complements[code];
    return sw_letter(hit->report->scoring->alphabet, code);
}

int sw_walk_next(sw_walk *walk, char *query, char *middle, char *subject) {
    const sw_shown *hit = walk->hit;
    const sw_alignment *a = hit->alignment;
    if (walk->column == a->columns) return 0;
    char step = a->operations[hit->minus ? a->columns - 1 - walk->column : walk->column];
    uint8_t q = 0, s = 0;
    *query = *subject = '-';
    *middle = ' ';
    if (step != 'D') {
        q = hit->query[hit->minus ? a->query_last - walk->query : a->query_first + walk->query];
        *query = letter_of(hit, q);
        walk->query++;
    }
    if (step != 'I') {
        s = hit->subject[hit->minus ? a->subject_last - walk->subject : a->subject_first + walk->subject];
        *subject = letter_of(hit, s);
        walk->subject++;
    }
    const sw_scoring *scoring = hit->report->scoring;
    if (step == 'M' && q == s)
        *middle = scoring->alphabet == SW_PROTEIN ? *query : '|';
    else if (step == 'M' && scoring->alphabet == SW_PROTEIN && scoring->matrix[q][s] > 0)
        *middle = '+';
    walk->column++;
    return 1;
}

void sw_print_row(const sw_shown *hit, int row, FILE *stream) {
    sw_walk walk = {.hit = hit};
    char query, middle, subject;
    while (sw_walk_next(&walk, &query, &middle, &subject))
        fputc(row == 'q' ? query : row == 's' ? subject : middle, stream);
}

void sw_print_btop(const sw_shown *hit, FILE *stream) {
    sw_walk walk = {.hit = hit};
    char query, middle, subject;
    unsigned equal = 0;
    while (sw_walk_next(&walk, &query, &middle, &subject)) {
        if (query == subject) {
            equal++;
            continue;
        }
        if (equal > 0) fprintf(stream, "%u", equal);
        equal = 0;
        fputc(query, stream);
        fputc(subject, stream);
    }
    if (equal > 0) fprintf(stream, "%u", equal);
}
