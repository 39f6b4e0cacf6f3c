/* What the parts of tools/search/report/report.c share. */
#pragma once

#include "tools/search/report/report.h"

enum { SW_COLUMNS_MOST = 64, SW_NUMBER = 32 };

/* A hit as it is shown: the query runs forwards, and the subject backwards where they matched on opposite strands.
   Positions count from 1. Those, and what follows them, hold where there is an alignment. */
typedef struct {
    const struct sw_report *report;
    const sw_found *found;
    const char *name; // the subject's
    char number[SW_NUMBER];
    const uint8_t *query, *subject; // the residues that were aligned
    size_t index;                   // of the subject in the set
    size_t place;                   // of the hit in what was found
    uint32_t subject_length;
    int score, minus;
    double bits, evalue;           // NAN without statistics
    const sw_alignment *alignment; // or NULL
    uint32_t query_start, query_end, subject_start, subject_end;
} sw_shown;

typedef struct {
    const char *name, *heading; // BLAST's, in --format and in a commented table
    int aligns;                 // takes an alignment
    void (*print)(const sw_shown *hit, FILE *stream);
} sw_column;

/* Names that a format does not have as they are. */
typedef struct {
    size_t replaced, cut, numbered, repeated;
} sw_renamed;

struct sw_report {
    sw_format format;
    FILE *stream;
    const sw_scoring *scoring;
    sw_statistics statistics;
    const sw_database *database;
    const sw_column *columns[SW_COLUMNS_MOST]; // of a table
    size_t column_count;
    char separator[SW_NUMBER]; // between a table's fields
    size_t queries;            // reported so far
    double evalue;             // the highest, as the report says; it is not looked at
    size_t *at;                // of SAM: [database->set.count]: where the input's sequences are in the set
    uint8_t *repeated; // of SAM: [database->set.count], in the input's order: has it the name of one before it? or NULL
    sw_renamed references, reads; // of SAM
    sw_found_taker *take;         // of SW_TAKEN
    void *context;
    int aligns;
};

/* --- report_hit.c: hits and their alignments --------------------------------------------------------------------- */

void sw_show(const sw_report *report, const sw_found *found, size_t hit, sw_shown *shown);

/* An alignment column by column, in the direction in which it is shown. */
typedef struct {
    const sw_shown *hit;
    uint32_t column;         // of the alignment, shown so far
    uint32_t query, subject; // residues shown so far
} sw_walk;
/* The next column's letters, '-' for a gap; middle is the letter, '|', '+' or a blank, as BLAST prints it. Returns
   0 after the last. */
int sw_walk_next(sw_walk *walk, char *query, char *middle, char *subject);
/* 'q', 'm' or 's': that row of the whole alignment. */
void sw_print_row(const sw_shown *hit, int row, FILE *stream);
/* BLAST's trace-back operations: how many pairs are equal, then the two letters of what is not, and so on. */
void sw_print_btop(const sw_shown *hit, FILE *stream);

/* --- report_numbers.c: numbers and text as BLAST prints them ------------------------------------------------------ */

/* "NA" for NAN. table: three digits of small ones, as in BLAST's tables. */
void sw_format_evalue(double evalue, int table, char text[SW_NUMBER]);
void sw_format_bits(double bits, char text[SW_NUMBER]);
/* With a comma every three digits. */
void sw_format_count(uint64_t count, char text[SW_NUMBER]);
/* Rounded; 100 only where it is all. */
int sw_percent(uint32_t part, uint32_t of);
/* Names and comments are others' text: control characters become blanks, so that a line stays a line and a field a
   field. */
void sw_print_text(const char *text, FILE *stream);
/* Where to cut a text that is longer: `most` bytes, or up to three fewer, so that no letter of UTF-8 is cut in two. */
size_t sw_cut(const char *text, size_t most);
/* A name, or "Query_3" where a sequence has none. */
const char *sw_name_or(const char *name, const char *what, uint64_t number, char text[SW_NUMBER]);

/* --- The formats ------------------------------------------------------------------------------------------------- */

const sw_column *sw_column_named(const char *name, size_t length);
/* Number of the twelve that BLAST prints when no columns are named, into columns. */
size_t sw_columns_standard(const sw_column **columns);
void sw_columns_known(char *text, size_t size);
void sw_table_query(sw_report *report, const sw_found *found);
void sw_table_end(sw_report *report);

void sw_pairwise_begin(sw_report *report);
void sw_pairwise_query(sw_report *report, const sw_found *found);
void sw_pairwise_end(sw_report *report);

wl_status sw_sam_begin(sw_report *report);
void sw_sam_query(sw_report *report, const sw_found *found);

void sw_json_begin(sw_report *report);
void sw_json_query(sw_report *report, const sw_found *found);
void sw_json_end(sw_report *report);

void sw_xml_query(sw_report *report, const sw_found *found);
void sw_xml_end(sw_report *report);
