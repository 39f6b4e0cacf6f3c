/* BLAST's XML (its format 5), by NCBI's BlastOutput.dtd. */
#include <math.h>
#include <string.h>

#include "tools/search/report/internal.h"

/* As it is between tags. What is no UTF-8 is '?', and a control character a blank. */
static void print_escaped(const char *text, FILE *out) {
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        const size_t length = wl_utf8_length(c);
        const char *name = *c == '&' ? "&amp;" : *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : *c == '"' ? "&quot;" : NULL;
        if (name)
            fputs(name, out);
        else if (*c < ' ' || *c == 0x7F || length == 0)
            fputc(length == 0 ? '?' : ' ', out);
        else
            fwrite(c, 1, length, out);
        c += length > 0 ? length : 1;
    }
}

static void put_text(FILE *out, const char *indent, const char *tag, const char *text) {
    fprintf(out, "%s<%s>", indent, tag);
    print_escaped(text, out);
    fprintf(out, "</%s>\n", tag);
}

static void put_count(FILE *out, const char *indent, const char *tag, uint64_t count) {
    fprintf(out, "%s<%s>%llu</%s>\n", indent, tag, (unsigned long long)count, tag);
}

/* -1 is BLAST's for what is not known. */
static void put_number(FILE *out, const char *indent, const char *tag, double number) {
    fprintf(out, "%s<%s>%.6g</%s>\n", indent, tag, isnan(number) ? -1 : number, tag);
}

/* The name and the rest of the header line; of a sequence without a name "Query_1". */
static void put_header(FILE *out, const char *indent, const char *tag, const char *name, const char *comment) {
    fprintf(out, "%s<%s>", indent, tag);
    print_escaped(name, out);
    if (*comment) fputc(' ', out);
    print_escaped(comment, out);
    fprintf(out, "</%s>\n", tag);
}

static void put_query(sw_report *report, const sw_found *found, const char *indent, const char *lead) {
    static const char *const what[] = {"query-ID", "query-def", "query-len"};
    char number[SW_NUMBER], tag[3][SW_NUMBER];
    for (int i = 0; i < 3; i++) snprintf(tag[i], SW_NUMBER, "%s_%s", lead, what[i]);
    put_text(report->stream, indent, tag[0], sw_name_or("", "Query", report->queries, number));
    put_header(report->stream, indent, tag[1], sw_name_or(found->name, "Query", report->queries, number),
               found->comment);
    put_count(report->stream, indent, tag[2], found->length);
}

/* What comes before the first query: it names that, and there may be none. */
static void put_beginning(sw_report *report, const sw_found *first) {
    const sw_scoring *scoring = report->scoring;
    const int is_protein = scoring->alphabet == SW_PROTEIN;
    FILE *out = report->stream;
    fputs("<?xml version=\"1.0\"?>\n<!DOCTYPE BlastOutput PUBLIC \"-//NCBI//NCBI BlastOutput/EN\" "
          "\"http://www.ncbi.nlm.nih.gov/dtd/NCBI_BlastOutput.dtd\">\n<BlastOutput>\n",
          out);
    put_text(out, "  ", "BlastOutput_program", is_protein ? "blastp" : "blastn");
    put_text(out, "  ", "BlastOutput_version", "Warpladder " WL_VERSION);
    put_text(out, "  ", "BlastOutput_reference", "Smith-Waterman, exact");
    put_text(out, "  ", "BlastOutput_db", report->database->title);
    put_query(report, first, "  ", "BlastOutput");
    fputs("  <BlastOutput_param>\n    <Parameters>\n", out);
    if (is_protein) put_text(out, "      ", "Parameters_matrix", scoring->name);
    put_number(out, "      ", "Parameters_expect", report->evalue);
    if (!is_protein) fprintf(out, "      <Parameters_sc-match>%d</Parameters_sc-match>\n", scoring->matrix[0][0]);
    if (!is_protein) fprintf(out, "      <Parameters_sc-mismatch>%d</Parameters_sc-mismatch>\n", scoring->matrix[0][1]);
    put_count(out, "      ", "Parameters_gap-open", (uint64_t)(scoring->gap_open - scoring->gap_extend));
    put_count(out, "      ", "Parameters_gap-extend", (uint64_t)scoring->gap_extend);
    put_text(out, "      ", "Parameters_filter", "F");
    fputs("    </Parameters>\n  </BlastOutput_param>\n<BlastOutput_iterations>\n", out);
}

static void put_row(FILE *out, const char *tag, int row, const sw_shown *hit) {
    fprintf(out, "      <%s>", tag);
    sw_print_row(hit, row, out); // letters, '-', '*', '|', '+' and blanks
    fprintf(out, "</%s>\n", tag);
}

static void put_alignment(const sw_shown *hit, size_t number) {
    const sw_alignment *a = hit->alignment;
    const int is_protein = hit->report->scoring->alphabet == SW_PROTEIN;
    FILE *out = hit->report->stream;
    fputs("    <Hsp>\n", out);
    put_count(out, "      ", "Hsp_num", number);
    put_number(out, "      ", "Hsp_bit-score", hit->bits);
    put_count(out, "      ", "Hsp_score", (uint64_t)hit->score);
    put_number(out, "      ", "Hsp_evalue", hit->evalue < 1e-180 ? 0 : hit->evalue);
    put_count(out, "      ", "Hsp_query-from", hit->query_start);
    put_count(out, "      ", "Hsp_query-to", hit->query_end);
    put_count(out, "      ", "Hsp_hit-from", hit->subject_start);
    put_count(out, "      ", "Hsp_hit-to", hit->subject_end);
    fprintf(out, "      <Hsp_query-frame>%d</Hsp_query-frame>\n", !is_protein);
    fprintf(out, "      <Hsp_hit-frame>%d</Hsp_hit-frame>\n", is_protein ? 0 : hit->minus ? -1 : 1);
    put_count(out, "      ", "Hsp_identity", a->identities);
    put_count(out, "      ", "Hsp_positive", a->positives);
    put_count(out, "      ", "Hsp_gaps", a->gap_residues);
    put_count(out, "      ", "Hsp_align-len", a->columns);
    put_row(out, "Hsp_qseq", 'q', hit);
    put_row(out, "Hsp_hseq", 's', hit);
    put_row(out, "Hsp_midline", 'm', hit);
    fputs("    </Hsp>\n", out);
}

/* The alignments of a subject stand together. */
static void put_hits(sw_report *report, const sw_found *found) {
    FILE *out = report->stream;
    size_t hits = 0, alignments = 0;
    for (size_t h = 0; h < found->count; h++) {
        const size_t subject = found->hits[h].hit.subject;
        sw_shown hit;
        sw_show(report, found, h, &hit);
        if (h == 0 || found->hits[h - 1].hit.subject != subject) {
            fputs("<Hit>\n", out);
            put_count(out, "  ", "Hit_num", ++hits);
            put_text(out, "  ", "Hit_id", hit.name);
            put_header(out, "  ", "Hit_def", hit.name, sw_database_comment(report->database, subject));
            put_text(out, "  ", "Hit_accession", hit.name);
            put_count(out, "  ", "Hit_len", hit.subject_length);
            fputs("  <Hit_hsps>\n", out);
            alignments = 0;
        }
        put_alignment(&hit, ++alignments);
        if (h + 1 == found->count || found->hits[h + 1].hit.subject != subject) fputs("  </Hit_hsps>\n</Hit>\n", out);
    }
}

void sw_xml_query(sw_report *report, const sw_found *found) {
    const sw_statistics *s = found->statistics ? found->statistics : &report->statistics;
    FILE *out = report->stream;
    if (report->queries == 1) put_beginning(report, found);
    fputs("<Iteration>\n", out);
    put_count(out, "  ", "Iteration_iter-num", report->queries);
    put_query(report, found, "  ", "Iteration");
    fputs("<Iteration_hits>\n", out);
    put_hits(report, found);
    fputs("</Iteration_hits>\n  <Iteration_stat>\n    <Statistics>\n", out);
    put_count(out, "      ", "Statistics_db-num", report->database->set.count);
    put_count(out, "      ", "Statistics_db-len", report->database->set.letters);
    put_count(out, "      ", "Statistics_hsp-len", 0);
    put_number(out, "      ", "Statistics_eff-space", s->known ? found->space.size : 0);
    put_number(out, "      ", "Statistics_kappa", s->known ? s->K : NAN);
    put_number(out, "      ", "Statistics_lambda", s->known ? s->lambda : NAN);
    put_number(out, "      ", "Statistics_entropy", s->known ? s->H : NAN);
    fputs("    </Statistics>\n  </Iteration_stat>\n", out);
    if (found->count == 0) put_text(out, "  ", "Iteration_message", "No hits found");
    fputs("</Iteration>\n", out);
}

void sw_xml_end(sw_report *report) {
    if (report->queries == 0) put_beginning(report, &(sw_found){.name = "", .comment = ""});
    fputs("</BlastOutput_iterations>\n</BlastOutput>\n", report->stream);
}
