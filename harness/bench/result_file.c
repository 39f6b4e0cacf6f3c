#include "harness/bench/result_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/memory.h"
#include "harness/base/record.h"
#include "harness/base/text.h"

static wl_status no_memory(void) { return wl_fail(WL_NO_MACHINE, "no memory for the result files"); }

static wl_status take_fact(wl_result_file *t, char *line) {
    static char note[] = "note";
    char *name = line + 1 + strspn(line + 1, " "), *value = strstr(name, ": ");
    if (!WL_GROW(t->facts, 2 * t->fact_count, 2)) return no_memory();
    if (value != NULL) {
        *value = 0;
        value += 2;
    }
    t->facts[2 * t->fact_count] = value == NULL ? note : name;
    t->facts[2 * t->fact_count++ + 1] = value == NULL ? name : value;
    return WL_OK;
}

/* Text that has a tab in it is no table yet. */
static wl_status check_names(const wl_result_file *t) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    for (size_t c = 0; t->columns > 1 && c < t->columns; c++) {
        const char *name = t->cells[c];
        size_t first = 0;
        while (strcmp(t->cells[first], name) != 0) first++;
        if (*name && strspn(name, letters) == strlen(name) && !(*name >= '0' && *name <= '9') && first == c) continue;
        return wl_fail(WL_BAD_INPUT, "%s:%zu: found '%.60s' as the name of column %zu; expected %s", t->path,
                       t->lines[0], name, c + 1,
                       first < c ? "each name once" : "letters, digits and '_', as a result file has");
    }
    return WL_OK;
}

static wl_status take_row(wl_result_file *t, char *line, size_t number) {
    const int is_head = t->columns == 0;
    const size_t first = is_head ? 0 : (t->rows + 1) * t->columns;
    size_t count = 0;
    if (!WL_GROW(t->lines, t->rows, 2)) return no_memory();
    t->lines[is_head ? 0 : t->rows + 1] = number;
    while (line != NULL) {
        if (!WL_GROW(t->cells, first + count, 1) || !WL_GROW(t->quoted, first + count, 1)) return no_memory();
        t->quoted[first + count] = *line == '"';
        t->cells[first + count++] = wl_text_field(&line);
    }
    if (is_head) {
        t->columns = count;
        return check_names(t);
    }
    if (count != t->columns)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: found %zu fields; expected %zu, as many as there are names of columns",
                       t->path, number, count, t->columns);
    else
        t->rows++;
    return WL_OK;
}

wl_status wl_result_file_read(const char *path, wl_result_file *t) {
    size_t number = 0;
    *t = (wl_result_file){.path = strdup(path)};
    if (t->path == NULL) return no_memory();
    WL_TRY(wl_text_read(path, &t->raw));
    wl_text_calm(t->raw, strlen(t->raw), "\n\t\r", '?'); // it goes to pages, charts and terminals
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
    if (t->columns < 2 || (t->rows == 0 && t->fact_count == 0))
        return wl_fail(WL_BAD_INPUT, "%s: found no columns; expected a result file, tab-separated values", path);
    return WL_OK;
}

void wl_result_file_free(wl_result_file *t) {
    WL_FREE(t->path, t->raw, t->text, t->facts, t->cells, t->lines, t->quoted);
    *t = (wl_result_file){0};
}

/* What is looked at in a folder: other folders, and files that end in .tsv. */
static int is_shown(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static int is_table(const char *path) {
    const size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".tsv") == 0;
}

static wl_status walk(const char *path, int depth, wl_result_taker *take, void *context, size_t *files) {
    struct stat found;
    if (stat(path, &found) != 0)
        return wl_fail(WL_BAD_INPUT, "%s: %s; expected a result file or a folder of them", path, strerror(errno));
    if (!S_ISDIR(found.st_mode)) {
        ++*files;
        return take(context, path);
    }
    struct dirent **entries;
    const int count = scandir(path, &entries, is_shown, versionsort);
    if (count < 0)
        return wl_fail(WL_BAD_INPUT, "%s: %s; expected a result file or a folder of them", path, strerror(errno));
    wl_status status = WL_OK;
    for (int i = 0; i < count; i++) {
        char *inner = NULL;
        if (status == WL_OK && asprintf(&inner, "%s/%s", path, entries[i]->d_name) < 0) {
            inner = NULL;
            status = no_memory();
        }
        const int is_folder = inner != NULL && stat(inner, &found) == 0 && S_ISDIR(found.st_mode);
        if (inner != NULL && (is_folder ? depth > 0 : is_table(inner)))
            status = walk(inner, depth - 1, take, context, files);
        WL_FREE(inner, entries[i]);
    }
    free(entries);
    return status;
}

wl_status wl_result_files_each(const char *path, wl_result_taker *take, void *context) {
    size_t files = 0;
    WL_TRY(walk(path, 2, take, context, &files));
    return files > 0 ? WL_OK : wl_fail(WL_BAD_INPUT, "%s: found no .tsv in this folder; expected result files", path);
}

int wl_result_column(const wl_result_file *t, const char *name) {
    for (size_t i = 0; i < t->columns; i++)
        if (strcmp(t->cells[i], name) == 0) return (int)i;
    return -1;
}

const char *wl_result_cell(const wl_result_file *t, size_t row, const char *column) {
    const int at = wl_result_column(t, column);
    return at < 0 ? "NA" : t->cells[(row + 1) * t->columns + (size_t)at];
}

const char *wl_result_name(const wl_result_file *t) {
    const char *slash = strrchr(t->path, '/');
    return slash == NULL ? t->path : slash + 1;
}

static int is_number(const char *text) {
    char *end;
    if (strspn(text, "+-.0123456789eE") != strlen(text)) return 0; // strtod reads more than that
    strtod(text, &end);
    return end != text && *end == 0;
}

static int has_numbers(const wl_result_file *t, size_t column) {
    for (size_t row = 1; row <= t->rows; row++) {
        const size_t at = row * t->columns + column;
        if (t->quoted[at] || (strcmp(t->cells[at], "NA") != 0 && !is_number(t->cells[at]))) return 0;
    }
    return 1;
}

wl_status wl_result_file_lines(FILE *stream, const wl_result_file *t) {
    wl_record out = wl_record_lines(stream);
    char *numbers = malloc(t->columns + 1); // whether a column has numbers
    if (numbers == NULL) return no_memory();
    for (size_t c = 0; c < t->columns; c++) numbers[c] = (char)has_numbers(t, c);
    for (size_t row = 1; row <= t->rows; row++) {
        wl_record_text(&out, "result_file", wl_result_name(t));
        for (size_t c = 0; c < t->columns; c++) {
            const size_t at = row * t->columns + c;
            const char *cell = !t->quoted[at] && strcmp(t->cells[at], "NA") == 0 ? NULL : t->cells[at];
            if (cell != NULL && numbers[c])
                wl_record_given(&out, t->cells[c], strtod(cell, NULL));
            else
                wl_record_text(&out, t->cells[c], cell);
        }
        wl_record_end(&out);
    }
    free(numbers);
    return WL_OK;
}
