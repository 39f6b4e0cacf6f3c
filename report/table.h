/* A result file as it is: facts of the header, names of columns, cells. */
#ifndef WL_REPORT_TABLE_H
#define WL_REPORT_TABLE_H

#include <stddef.h>

#include "harness/base/error.h"

typedef struct {
    char *path, *raw; /* the whole text, as read */
    char *text;       /* the same, taken apart; what follows points into it */
    char **facts;     /* [2 fact_count]: name, value. A line that is not "# name: value" has the name "note" */
    size_t fact_count, fact_room, fact_since;
    char **cells; /* [rows + 1][columns], the names first */
    size_t columns, rows, room, since;
} report_table;

/* WL_BAD_INPUT, with the line, for a file without columns or with a row of another length. Free in any case. */
wl_status report_table_read(const char *path, report_table *table);
void report_table_free(report_table *table);

/* The column's place; -1: none. */
int report_column(const report_table *table, const char *name);
/* A cell of row 0, 1, ...; "NA" where there is no such column. */
const char *report_cell(const report_table *table, size_t row, const char *column);
/* The file's name without folders. */
const char *report_name(const report_table *table);

#endif
