/* Tables: one line a hit, fields separated by tabs, columns named as BLAST names them. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/text.h"
#include "tools/search/report/internal.h"

/* --- Columns ----------------------------------------------------------------------------------------------------- */

static void print_query(const sw_shown *hit, FILE *out) {
    char number[SW_NUMBER];
    sw_print_text(sw_name_or(hit->found->name, "Query", hit->report->queries, number), out);
}
static void print_subject(const sw_shown *hit, FILE *out) { sw_print_text(hit->name, out); }

/* NCBI joins the header lines of identical sequences with control-A. */
enum { JOINED = 1 };

static void print_part(const char *text, size_t length, FILE *out) {
    char piece[256];
    for (size_t at = 0, most; at < length; at += most) {
        most = length - at < sizeof piece ? length - at : sizeof piece - 1;
        memcpy(piece, text + at, most);
        piece[most] = '\0';
        sw_print_text(piece, out);
    }
}
/* What follows the name in the first of the header lines. */
static size_t own_comment(const char *comment) { return strcspn(comment, (const char[]){JOINED, '\0'}); }

static void print_title(const sw_shown *hit, FILE *out) {
    const char *comment = sw_database_comment(hit->report->database, hit->index);
    const size_t own = own_comment(comment);
    sw_print_text(hit->name, out);
    if (own > 0) fputc(' ', out);
    print_part(comment, own, out);
}
static void print_titles(const sw_shown *hit, FILE *out) {
    const char *comment = sw_database_comment(hit->report->database, hit->index);
    print_title(hit, out);
    for (comment += own_comment(comment); *comment; comment += own_comment(comment)) {
        fputs("<>", out);
        comment++;
        print_part(comment, own_comment(comment), out);
    }
}
static void print_subjects(const sw_shown *hit, FILE *out) {
    const char *comment = sw_database_comment(hit->report->database, hit->index);
    print_subject(hit, out);
    for (comment += own_comment(comment); *comment; comment += own_comment(comment)) {
        fputc(';', out);
        comment++;
        print_part(comment, strcspn(comment, (const char[]){JOINED, ' ', '\t', '\0'}), out);
    }
}
static void print_none(const sw_shown *hit, FILE *out) {
    (void)hit;
    fputs("N/A", out);
}
static void print_zero(const sw_shown *hit, FILE *out) {
    (void)hit;
    fputc('0', out);
}
static void print_qframe(const sw_shown *hit, FILE *out) {
    (void)hit;
    fputc('1', out);
}
static void print_sframe(const sw_shown *hit, FILE *out) { fputs(hit->minus ? "-1" : "1", out); }
static void print_frames(const sw_shown *hit, FILE *out) { fputs(hit->minus ? "1/-1" : "1/1", out); }
static void print_qlen(const sw_shown *hit, FILE *out) { fprintf(out, "%u", hit->found->length); }
static void print_slen(const sw_shown *hit, FILE *out) { fprintf(out, "%u", hit->subject_length); }
static void print_score(const sw_shown *hit, FILE *out) { fprintf(out, "%d", hit->score); }
static void print_bits(const sw_shown *hit, FILE *out) {
    char text[SW_NUMBER];
    sw_format_bits(hit->bits, text);
    fputs(text, out);
}
static void print_evalue(const sw_shown *hit, FILE *out) {
    char text[SW_NUMBER];
    sw_format_evalue(hit->evalue, 1, text);
    fputs(text, out);
}
static void print_share(uint32_t part, const sw_shown *hit, int digits, FILE *out) {
    fprintf(out, "%.*f", digits, 100.0 * part / hit->alignment->columns);
}
static void print_pident(const sw_shown *hit, FILE *out) { print_share(hit->alignment->identities, hit, 3, out); }
static void print_ppos(const sw_shown *hit, FILE *out) { print_share(hit->alignment->positives, hit, 2, out); }
static void print_nident(const sw_shown *hit, FILE *out) { fprintf(out, "%u", hit->alignment->identities); }
static void print_positive(const sw_shown *hit, FILE *out) { fprintf(out, "%u", hit->alignment->positives); }
static void print_length(const sw_shown *hit, FILE *out) { fprintf(out, "%u", hit->alignment->columns); }
static void print_mismatch(const sw_shown *hit, FILE *out) { fprintf(out, "%u", hit->alignment->mismatches); }
static void print_gapopen(const sw_shown *hit, FILE *out) { fprintf(out, "%u", hit->alignment->gap_openings); }
static void print_gaps(const sw_shown *hit, FILE *out) { fprintf(out, "%u", hit->alignment->gap_residues); }
static void print_qstart(const sw_shown *hit, FILE *out) { fprintf(out, "%u", hit->query_start); }
static void print_qend(const sw_shown *hit, FILE *out) { fprintf(out, "%u", hit->query_end); }
static void print_sstart(const sw_shown *hit, FILE *out) { fprintf(out, "%u", hit->subject_start); }
static void print_send(const sw_shown *hit, FILE *out) { fprintf(out, "%u", hit->subject_end); }
static void print_qseq(const sw_shown *hit, FILE *out) { sw_print_row(hit, 'q', out); }
static void print_sseq(const sw_shown *hit, FILE *out) { sw_print_row(hit, 's', out); }
static void print_strand(const sw_shown *hit, FILE *out) {
    fputs(hit->report->scoring->alphabet == SW_PROTEIN ? "N/A" : hit->minus ? "minus" : "plus", out);
}
static void print_hsp_coverage(const sw_shown *hit, FILE *out) {
    fprintf(out, "%d", sw_percent(hit->query_end - hit->query_start + 1, hit->found->length));
}

/* The query's residues in any of the subject's alignments. */
static uint32_t covered(const sw_shown *hit) {
    const sw_found *found = hit->found;
    uint32_t total = 0, from = 0; // counted are those before `from`
    for (;;) {
        uint32_t first = UINT32_MAX, last = 0;
        for (size_t h = 0; h < found->count; h++) { // the next to the right
            if (found->hits[h].hit.subject != hit->index) continue;
            sw_shown other;
            sw_show(hit->report, found, h, &other);
            if (other.query_end <= from || other.query_start > first) continue;
            if (other.query_start < first || other.query_end > last) last = other.query_end;
            first = other.query_start;
        }
        if (last == 0) return total;
        total += last - (first - 1 > from ? first - 1 : from);
        from = last;
    }
}
static void print_coverage(const sw_shown *hit, FILE *out) {
    fprintf(out, "%d", sw_percent(covered(hit), hit->found->length));
}
static void print_unique_coverage(const sw_shown *hit, FILE *out) {
    if (hit->report->scoring->alphabet == SW_PROTEIN)
        print_none(hit, out); // as blastp
    else
        print_coverage(hit, out);
}

static const sw_column columns[] = {
    // the standard twelve first
    {"qaccver", "query acc.ver", 0, print_query},
    {"saccver", "subject acc.ver", 0, print_subject},
    {"pident", "% identity", 1, print_pident},
    {"length", "alignment length", 1, print_length},
    {"mismatch", "mismatches", 1, print_mismatch},
    {"gapopen", "gap opens", 1, print_gapopen},
    {"qstart", "q. start", 1, print_qstart},
    {"qend", "q. end", 1, print_qend},
    {"sstart", "s. start", 1, print_sstart},
    {"send", "s. end", 1, print_send},
    {"evalue", "evalue", 0, print_evalue},
    {"bitscore", "bit score", 0, print_bits},
    {"score", "score", 0, print_score},
    {"qlen", "query length", 0, print_qlen},
    {"slen", "subject length", 0, print_slen},
    {"nident", "identical", 1, print_nident},
    {"positive", "positives", 1, print_positive},
    {"ppos", "% positives", 1, print_ppos},
    {"gaps", "gaps", 1, print_gaps},
    {"qseq", "query seq", 1, print_qseq},
    {"sseq", "subject seq", 1, print_sseq},
    {"btop", "BTOP", 1, sw_print_btop},
    {"stitle", "subject title", 0, print_title},
    {"sstrand", "subject strand", 0, print_strand},
    {"qcovs", "% query coverage per subject", 1, print_coverage},
    {"qcovhsp", "% query coverage per hsp", 1, print_hsp_coverage},
    {"qcovus", "% query coverage per uniq subject", 1, print_unique_coverage},
    {"qseqid", "query id", 0, print_query},
    {"sseqid", "subject id", 0, print_subject},
    {"qacc", "query acc.", 0, print_query},
    {"sacc", "subject acc.", 0, print_subject},
    {"sallseqid", "subject ids", 0, print_subjects},
    {"sallacc", "subject accs.", 0, print_subjects},
    {"salltitles", "subject titles", 0, print_titles},
    {"qframe", "query frame", 0, print_qframe},
    {"sframe", "sbjct frame", 0, print_sframe},
    {"frames", "query/sbjct frames", 0, print_frames},
    // what FASTA does not say
    {"qgi", "query gi", 0, print_zero},
    {"sgi", "subject gi", 0, print_zero},
    {"sallgi", "subject gis", 0, print_zero},
    {"staxid", "subject tax id", 0, print_none},
    {"staxids", "subject tax ids", 0, print_none},
    {"ssciname", "subject sci name", 0, print_none},
    {"sscinames", "subject sci names", 0, print_none},
    {"scomname", "subject com names", 0, print_none},
    {"scomnames", "subject com names", 0, print_none},
    {"sblastname", "subject blast name", 0, print_none},
    {"sblastnames", "subject blast names", 0, print_none},
    {"sskingdom", "subject super kingdom", 0, print_none},
    {"sskingdoms", "subject super kingdoms", 0, print_none},
};
enum { COLUMNS = sizeof columns / sizeof *columns, STANDARD = 12 };

const sw_column *sw_column_named(const char *name, size_t length) {
    for (size_t i = 0; i < COLUMNS; i++)
        if (strlen(columns[i].name) == length && memcmp(columns[i].name, name, length) == 0) return &columns[i];
    return NULL;
}

size_t sw_columns_standard(const sw_column **standard) {
    for (size_t i = 0; i < STANDARD; i++) standard[i] = &columns[i];
    return STANDARD;
}

void sw_columns_known(char *text, size_t size) {
    size_t used = 0;
    for (size_t i = 0; i < COLUMNS && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, " %s", columns[i].name);
}

/* --- Lines ------------------------------------------------------------------------------------------------------- */

static void print_heading(const sw_report *report, const sw_found *found) {
    FILE *out = report->stream;
    char number[SW_NUMBER];
    fprintf(out, "# Warpladder %s\n# Query: ", WL_VERSION);
    sw_print_text(sw_name_or(found->name, "Query", report->queries, number), out);
    if (*found->comment) fputc(' ', out);
    sw_print_text(found->comment, out);
    fputs("\n# Database: ", out);
    sw_print_text(report->database->title, out);
    if (found->count > 0) fputs("\n# Fields: ", out);
    for (size_t i = 0; found->count > 0 && i < report->column_count; i++)
        fprintf(out, "%s%s", i > 0 ? ", " : "", report->columns[i]->heading);
    fprintf(out, "\n# %zu hit%s found\n", found->count, found->count == 1 ? "" : "s");
}

/* A column of CSV; `*text` is memory for it, kept for the next one. */
static void print_csv(const sw_column *column, const sw_shown *hit, FILE *field, char *const *text) {
    fseeko(field, 0, SEEK_SET);
    column->print(hit, field);
    fputc(0, field);
    if (fflush(field) == 0) wl_put_csv(hit->report->stream, *text, 0);
}

void sw_table_query(sw_report *report, const sw_found *found) {
    char *text = NULL;
    size_t size;
    FILE *field = *report->separator == ',' ? open_memstream(&text, &size) : NULL;
    if (report->format == SW_COMMENTED) print_heading(report, found);
    for (size_t h = 0; h < found->count; h++) {
        sw_shown hit;
        sw_show(report, found, h, &hit);
        for (size_t i = 0; i < report->column_count; i++) {
            if (i > 0) fputs(report->separator, report->stream);
            if (field)
                print_csv(report->columns[i], &hit, field, &text);
            else
                report->columns[i]->print(&hit, report->stream);
        }
        fputc('\n', report->stream);
    }
    if (field) fclose(field);
    free(text);
}

void sw_table_end(sw_report *report) {
    fprintf(report->stream, "# Warpladder processed %zu %s\n", report->queries,
            report->queries == 1 ? "query" : "queries");
}
