/* One JSON object. What is not known is null. */
#include <math.h>

#include "harness/base/json.h"
#include "tools/search/report/internal.h"

static void print_member(const char *name, const char *text, FILE *out) {
    fprintf(out, "\"%s\": ", name);
    wl_json_text(out, text);
}

/* As many digits as it takes to read the same number again, or null. */
static void print_number(const char *name, double number, FILE *out) {
    if (isnan(number))
        fprintf(out, "\"%s\": null", name);
    else
        fprintf(out, "\"%s\": %.17g", name, number);
}

static void print_statistics(const sw_statistics *s, FILE *out) {
    fputs("  \"statistics\": ", out);
    if (s->known)
        fprintf(out,
                "{\"lambda\": %.9g, \"K\": %.9g, \"H\": %.9g, \"alpha\": %.9g, \"beta\": %.9g, \"evalues\": \"%s\"},\n",
                s->lambda, s->K, s->H, s->alpha, s->beta, s->by_pair ? "spouge" : "karlin");
    else
        fputs("null,\n", out);
}

void sw_json_begin(sw_report *report) {
    const sw_scoring *scoring = report->scoring;
    const sw_database *database = report->database;
    FILE *out = report->stream;
    fprintf(out, "{\n  \"program\": \"warpladder search\",\n  \"version\": \"%s\",\n  \"parameters\": {", WL_VERSION);
    print_member("matrix", scoring->name, out);
    fprintf(out, ", \"gap_open\": %d, \"gap_extend\": %d, ", scoring->gap_open - scoring->gap_extend,
            scoring->gap_extend);
    print_member("database", database->title, out);
    fprintf(out, ", \"database_sequences\": %zu, \"database_letters\": %llu},\n", database->set.count,
            (unsigned long long)database->set.letters);
    print_statistics(&report->statistics, out);
    fputs("  \"queries\": [", out);
}

static void print_row(const char *name, int row, const sw_shown *hit, FILE *out) {
    fprintf(out, ", \"%s\": \"", name);
    sw_print_row(hit, row, out);
    fputc('"', out);
}

static void print_alignment(const sw_shown *hit, FILE *out) {
    const sw_alignment *a = hit->alignment;
    fprintf(out, ",\n       \"query_from\": %u, \"query_to\": %u, \"subject_from\": %u, \"subject_to\": %u",
            hit->query_start, hit->query_end, hit->subject_start, hit->subject_end);
    if (hit->report->scoring->alphabet == SW_NUCLEOTIDE)
        fprintf(out, ", \"strand\": \"%s\"", hit->minus ? "minus" : "plus");
    fprintf(out,
            ", \"columns\": %u, \"identities\": %u, \"positives\": %u, \"mismatches\": %u, \"gap_openings\": %u, "
            "\"gaps\": %u",
            a->columns, a->identities, a->positives, a->mismatches, a->gap_openings, a->gap_residues);
    print_row("aligned_query", 'q', hit, out);
    print_row("midline", 'm', hit, out);
    print_row("aligned_subject", 's', hit, out);
}

void sw_json_query(sw_report *report, const sw_found *found) {
    FILE *out = report->stream;
    char number[SW_NUMBER];
    fprintf(out, "%s\n    {", report->queries > 1 ? "," : "");
    print_member("query", sw_name_or(found->name, "Query", report->queries, number), out);
    fputs(", ", out);
    print_member("comment", found->comment, out);
    fprintf(out, ", \"length\": %u, ", found->length);
    print_number("search_space", report->statistics.known ? found->space.size : NAN, out);
    fputs(", \"hits\": [", out);
    for (size_t h = 0; h < found->count; h++) {
        sw_shown hit;
        sw_show(report, found, h, &hit);
        fprintf(out, "%s\n      {", h > 0 ? "," : "");
        print_member("subject", hit.name, out);
        fputs(", ", out);
        print_member("comment", sw_database_comment(report->database, hit.index), out);
        fprintf(out, ", \"length\": %u, \"score\": %d, ", hit.subject_length, hit.score);
        print_number("bits", hit.bits, out);
        fputs(", ", out);
        print_number("evalue", hit.evalue, out);
        if (hit.alignment) print_alignment(&hit, out);
        fputc('}', out);
    }
    fputs(found->count > 0 ? "\n    ]}" : "]}", out);
}

void sw_json_end(sw_report *report) { fprintf(report->stream, "%s]\n}\n", report->queries > 0 ? "\n  " : ""); }
