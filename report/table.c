#include "report/table.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/base/text.h"

static wl_status no_memory(void) { return wl_fail(WL_NO_MACHINE, "no memory for the result files"); }

static wl_status take_fact(report_table *t, char *line) {
    static char note[] = "note";
    char *name = line + 1 + strspn(line + 1, " "), *value = strstr(name, ": ");
    if (!wl_memory_grow(&t->fact_since, &t->facts, &t->fact_room, 2 * t->fact_count + 2, sizeof *t->facts))
        return no_memory();
    if (value != NULL) {
        *value = 0;
        value += 2;
    }
    t->facts[2 * t->fact_count] = value == NULL ? note : name;
    t->facts[2 * t->fact_count++ + 1] = value == NULL ? name : value;
    return WL_OK;
}

static wl_status take_row(report_table *t, char *line, size_t number) {
    const int is_head = t->columns == 0;
    const size_t first = is_head ? 0 : (t->rows + 1) * t->columns;
    size_t count = 0;
    while (line != NULL) {
        if (!wl_memory_grow(&t->since, &t->cells, &t->room, first + count + 1, sizeof *t->cells)) return no_memory();
        t->cells[first + count++] = wl_text_field(&line);
    }
    if (is_head)
        t->columns = count;
    else if (count != t->columns)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: found %zu fields; expected %zu, as many as there are names of columns",
                       t->path, number, count, t->columns);
    else
        t->rows++;
    return WL_OK;
}

wl_status report_table_read(const char *path, report_table *t) {
    size_t number = 0;
    *t = (report_table){.path = strdup(path)};
    if (t->path == NULL) return no_memory();
    WL_TRY(wl_text_read(path, &t->raw));
    t->text = strdup(t->raw);
    if (t->text == NULL) return no_memory();
    for (char *line = t->text, *next; line != NULL && *line; line = next) {
        next = strchr(line, '\n');
        if (next != NULL) *next++ = 0;
        number++;
        const size_t length = strlen(line);
        if (length > 0 && line[length - 1] == '\r') line[length - 1] = 0;
        if (*line == 0) continue;
        WL_TRY(*line == '#' ? take_fact(t, line) : take_row(t, line, number));
    }
    if (t->columns < 2)
        return wl_fail(WL_BAD_INPUT, "%s: found no columns; expected a result file, tab-separated values", path);
    return WL_OK;
}

void report_table_free(report_table *t) {
    WL_FREE(t->path, t->raw, t->text, t->facts, t->cells);
    *t = (report_table){0};
}

int report_column(const report_table *t, const char *name) {
    for (size_t i = 0; i < t->columns; i++)
        if (strcmp(t->cells[i], name) == 0) return (int)i;
    return -1;
}

const char *report_cell(const report_table *t, size_t row, const char *column) {
    const int at = report_column(t, column);
    return at < 0 ? "NA" : t->cells[(row + 1) * t->columns + (size_t)at];
}

const char *report_name(const report_table *t) {
    const char *slash = strrchr(t->path, '/');
    return slash == NULL ? t->path : slash + 1;
}
