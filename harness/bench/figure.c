#include "harness/bench/figure.h"

#include <stdlib.h>
#include <string.h>

#include "harness/bench/results.h"
#include "harness/base/memory.h"
#include "harness/base/outfile.h"

/* What the block did to a byte; the larger wins, so that an atomic shows over the load of its neighbour. */
enum { UNTOUCHED, FETCHED, LOADED, WRITTEN };
static const char marks[] = {'.', '+', '#', 'W'};

/* One allocation, byte by byte. */
typedef struct {
    uint32_t allocation;
    size_t bytes;   // up to the end of the last sector touched, or of the table's last sector
    size_t end;     // where the drawing stops: the table's own end
    size_t element; // bytes of a cell
    int is_table;
    unsigned char *state; // [bytes]
} strip;

/* Drawing wants every byte of an allocation at hand, and a picture larger than this shows nothing anyway. */
static const size_t largest_strip = (size_t)64 << 20;
/* A line of the strip: whole sectors, few enough cells to count them by eye. */
static const size_t line_bytes_at_most = 128, line_cells_at_most = 64;
static const size_t lines_at_most = 48;
static const size_t grid_rows_at_most = 64, grid_columns_at_most = 64;

wl_figure_access *wl_figure_accesses(const wl_sim_trace *trace, size_t *count) {
    wl_figure_access *accesses = calloc(32 * trace->count + 1, sizeof *accesses);
    *count = 0;
    for (size_t i = 0; accesses != NULL && i < trace->count; i++) {
        const wl_sim_trace_event *e = &trace->events[i];
        if (strchr("lsa", e->kind) == NULL || trace->memories[e->memory].space != 'g') continue;
        for (uint32_t l = 0; l < 32; l++)
            if (e->lanes >> l & 1)
                accesses[(*count)++] = (wl_figure_access){32 * e->warp + l,       (uint32_t)i, e->memory,
                                                          (uint64_t)e->offset[l], e->size,     e->kind};
    }
    return accesses;
}

static size_t round_up(size_t bytes) { return (bytes + WL_SECTOR - 1) / WL_SECTOR * WL_SECTOR; }

static size_t line_bytes(const strip *s) {
    size_t bytes = s->element * line_cells_at_most;
    if (bytes > line_bytes_at_most) bytes = line_bytes_at_most;
    return bytes < WL_SECTOR ? WL_SECTOR : bytes;
}

static void free_strips(strip *strips, size_t count) {
    for (size_t i = 0; i < count; i++) free(strips[i].state);
    free(strips);
}

static void mark(strip *s, const wl_figure_access *a) {
    size_t first = a->offset / WL_SECTOR * WL_SECTOR, last = round_up(a->offset + a->size);
    if (a->kind == 'l') {
        for (size_t b = first; b < last && b < s->bytes; b++)
            if (s->state[b] < FETCHED) s->state[b] = FETCHED;
    }
    unsigned char wanted = a->kind == 'l' ? LOADED : WRITTEN;
    for (size_t b = a->offset; b < a->offset + a->size; b++)
        if (s->state[b] < wanted) s->state[b] = wanted;
}

/* Every allocation the block touched, in the order of its first access. The caller frees with free_strips. */
static wl_status make_strips(const wl_figure *figure, strip **result, size_t *count) {
    strip *strips = NULL;
    size_t n = 0;
    int table_found = figure->rows == 0; // the table is the first memory loaded from
    for (size_t i = 0; i < figure->count; i++) {
        const wl_figure_access *a = &figure->accesses[i];
        size_t k = 0;
        while (k < n && strips[k].allocation != a->allocation) k++;
        if (k == n) {
            if (!WL_GROW(strips, n, 1)) {
                free_strips(strips, n);
                return wl_fail(WL_NO_MACHINE, "not enough memory for the figure");
            }
            strips[n++] = (strip){.allocation = a->allocation, .element = a->size};
        }
        if (!table_found && a->kind == 'l') {
            table_found = 1;
            strips[k].is_table = 1;
            if (strips[k].bytes < figure->rows * figure->columns * figure->element_bytes)
                strips[k].bytes = figure->rows * figure->columns * figure->element_bytes;
        }
        size_t reach = a->offset + a->size;
        if (!strips[k].is_table) reach = round_up(reach); // nobody said where this memory ends
        if (strips[k].bytes < reach) strips[k].bytes = reach;
        if (strips[k].element > a->size) strips[k].element = a->size;
    }
    for (size_t k = 0; k < n; k++) {
        if (strips[k].is_table) strips[k].element = figure->element_bytes;
        strips[k].end = strips[k].bytes;
        strips[k].bytes = round_up(strips[k].bytes);
        strips[k].state = strips[k].bytes <= largest_strip ? calloc(strips[k].bytes, 1) : NULL;
        if (strips[k].state == NULL) {
            size_t bytes = strips[k].bytes;
            free_strips(strips, n);
            return wl_fail(WL_BAD_USAGE,
                           "--figure: the block reaches over %zu bytes, too many to draw; try a smaller "
                           "input",
                           bytes);
        }
    }
    for (size_t i = 0; i < figure->count; i++) {
        size_t k = 0;
        while (strips[k].allocation != figure->accesses[i].allocation) k++;
        mark(&strips[k], &figure->accesses[i]);
    }
    *result = strips;
    *count = n;
    return WL_OK;
}

/* The strongest mark in a cell. */
static int cell(const strip *s, size_t offset, size_t bytes) {
    int state = UNTOUCHED;
    for (size_t b = offset; b < offset + bytes && b < s->bytes; b++)
        if (s->state[b] > state) state = s->state[b];
    return state;
}

/* The strip that is drawn as a grid too, NULL when there is none or it is too large to see anything in. */
static const strip *table_of(const wl_figure *figure, const strip *strips, size_t count) {
    if (figure->rows > grid_rows_at_most || figure->columns > grid_columns_at_most) return NULL;
    for (size_t k = 0; k < count; k++)
        if (strips[k].is_table) return &strips[k];
    return NULL;
}

/* Lines of the strip are drawn whole when they are few; of many, those that the block did not touch are left out. */
static int line_is_drawn(const strip *s, size_t offset) {
    return s->end <= lines_at_most * line_bytes(s) || cell(s, offset, line_bytes(s)) != UNTOUCHED;
}

/* ---- sums ---- */

typedef struct {
    uint32_t request, allocation;
    uint64_t sector;
} fetched;

static int compare_fetched(const void *a, const void *b) {
    const fetched *x = a, *y = b;
    if (x->allocation != y->allocation) return x->allocation < y->allocation ? -1 : 1;
    if (x->sector != y->sector) return x->sector < y->sector ? -1 : 1;
    return x->request < y->request ? -1 : x->request > y->request;
}

static int compare_requests(const void *a, const void *b) {
    uint32_t x = ((const fetched *)a)->request, y = ((const fetched *)b)->request;
    return x < y ? -1 : x > y;
}

static size_t count_useful_bytes(const wl_figure *figure, const char *kinds, const strip *strips, size_t strip_count) {
    /* The strips' own marks cannot tell a byte that was loaded and written, so mark again, this kind only. */
    size_t useful = 0;
    for (size_t k = 0; k < strip_count; k++) {
        unsigned char *state = strips[k].state;
        memset(state, 0, strips[k].bytes);
        for (size_t i = 0; i < figure->count; i++) {
            const wl_figure_access *a = &figure->accesses[i];
            if (a->allocation != strips[k].allocation || strchr(kinds, a->kind) == NULL) continue;
            for (size_t b = a->offset; b < a->offset + a->size; b++) {
                useful += state[b] == 0;
                state[b] = 1;
            }
        }
    }
    return useful;
}

wl_status wl_figure_add_up(const wl_figure *figure, const char *kinds, wl_figure_totals *totals) {
    *totals = (wl_figure_totals){0};
    strip *strips;
    size_t strip_count, n = 0;
    WL_TRY(make_strips(figure, &strips, &strip_count));
    totals->useful_bytes = count_useful_bytes(figure, kinds, strips, strip_count);
    free_strips(strips, strip_count);

    fetched *list = malloc((figure->count * 2 + 1) * sizeof *list); // an aligned access touches one sector; be safe
    if (list == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for the figure");
    for (size_t i = 0; i < figure->count; i++) {
        const wl_figure_access *a = &figure->accesses[i];
        if (strchr(kinds, a->kind) == NULL || a->size == 0) continue;
        totals->operations++;
        uint64_t first = a->offset / WL_SECTOR, last = (a->offset + a->size - 1) / WL_SECTOR;
        list[n++] = (fetched){a->request, a->allocation, first};
        if (last != first) list[n++] = (fetched){a->request, a->allocation, last};
    }
    qsort(list, n, sizeof *list, compare_fetched);
    for (size_t i = 0; i < n; i++) {
        int new_sector = i == 0 || list[i].allocation != list[i - 1].allocation || list[i].sector != list[i - 1].sector;
        totals->sectors += new_sector;
        totals->sectors_moved += new_sector || list[i].request != list[i - 1].request;
    }
    qsort(list, n, sizeof *list, compare_requests);
    for (size_t i = 0; i < n; i++) totals->requests += i == 0 || list[i].request != list[i - 1].request;
    free(list);
    return WL_OK;
}

static const char *plural(size_t count) { return count == 1 ? "" : "s"; }

/* Two lines: how many sectors for how many useful bytes, and what was written. */
static wl_status summary(const wl_figure *figure, char *loaded, char *written, size_t size) {
    wl_figure_totals loads, writes;
    WL_TRY(wl_figure_add_up(figure, "l", &loads));
    WL_TRY(wl_figure_add_up(figure, "sa", &writes));
    loaded[0] = written[0] = 0;
    if (loads.operations > 0) {
        size_t moved = loads.sectors_moved * WL_SECTOR;
        snprintf(loaded, size,
                 "loads: %zu useful bytes in %zu sector%s; %zu request%s fetch %zu sector%s, %zu bytes, of "
                 "which %.3g %% are useful",
                 loads.useful_bytes, loads.sectors, plural(loads.sectors), loads.requests, plural(loads.requests),
                 loads.sectors_moved, plural(loads.sectors_moved), moved,
                 100.0 * (double)loads.useful_bytes / (double)moved);
    }
    if (writes.operations > 0) {
        snprintf(written, size, "writes: %zu operation%s in %zu request%s to %zu different byte%s", writes.operations,
                 plural(writes.operations), writes.requests, plural(writes.requests), writes.useful_bytes,
                 plural(writes.useful_bytes));
    }
    return WL_OK;
}

/* ---- with characters ---- */

static void print_grid(FILE *stream, const wl_figure *figure, const strip *s) {
    fprintf(stream, "\nThe table in memory: rows are %s, columns are %s     # loaded by the block\n\n       ",
            figure->row_name, figure->column_name);
    for (size_t c = 0; c < figure->columns; c++) fprintf(stream, " %c", c % 10 == 0 ? (char)('0' + c / 10 % 10) : ' ');
    fprintf(stream, "\n       ");
    for (size_t c = 0; c < figure->columns; c++) fprintf(stream, " %zu", c % 10);
    fprintf(stream, "\n");
    for (size_t r = 0; r < figure->rows; r++) {
        fprintf(stream, "  %5zu", r);
        for (size_t c = 0; c < figure->columns; c++) {
            int state = cell(s, (r * figure->columns + c) * figure->element_bytes, figure->element_bytes);
            fprintf(stream, " %c", state == FETCHED ? '.' : marks[state]);
        }
        fprintf(stream, "\n");
    }
}

static void print_strip(FILE *stream, const strip *s) {
    size_t step = line_bytes(s), printed = 0;
    int left_out = 0;
    for (size_t offset = 0; offset < s->end && printed < lines_at_most; offset += step) {
        if (!line_is_drawn(s, offset)) {
            if (!left_out) fprintf(stream, "      ...\n");
            left_out = 1;
            continue;
        }
        left_out = 0;
        fprintf(stream, "  %7zu ", offset);
        for (size_t b = offset; b < offset + step && b < s->end; b += s->element) {
            if (b % WL_SECTOR == 0) fputc('|', stream);
            fputc(marks[cell(s, b, s->element)], stream);
        }
        fprintf(stream, "|\n");
        if (++printed == lines_at_most) fprintf(stream, "      ... up to byte %zu\n", s->end);
    }
}

/* "data, 4-byte elements", or "array 1, ..." of the first array, if its name is not known. */
static void name_strip(const wl_figure *figure, const strip *s, size_t number, char *text, size_t size) {
    const char *name = figure->memories == NULL ? "" : figure->memories[s->allocation].name;
    if (name[0] != '\0' && strchr(name, ':') == NULL)
        snprintf(text, size, "%s, %zu-byte elements", name, s->element);
    else
        snprintf(text, size, "array %zu, %zu-byte elements", number, s->element);
}

wl_status wl_figure_print(FILE *stream, const wl_figure *figure) {
    strip *strips;
    size_t count;
    char loaded[256], written[256];
    wl_status status = summary(figure, loaded, written, sizeof loaded);
    if (status != WL_OK || (status = make_strips(figure, &strips, &count)) != WL_OK) return status;
    fprintf(stream, "%s\n", figure->title);
    const strip *table = table_of(figure, strips, count);
    if (table != NULL) print_grid(stream, figure, table);
    if (count > 0)
        fprintf(stream,
                "\nThe memory by address, bars between sectors of %d bytes     # loaded   + fetched along with "
                "it   W written   . untouched\n",
                WL_SECTOR);
    for (size_t k = 0; k < count; k++) {
        char name[224];
        name_strip(figure, &strips[k], k + 1, name, sizeof name);
        fprintf(stream, "\n    %s\n", name);
        print_strip(stream, &strips[k]);
    }
    fprintf(stream, "\n%s%s%s\n", count > 0 ? loaded : "the block touched no global memory", loaded[0] ? "\n" : "",
            written);
    free_strips(strips, count);
    return WL_OK;
}

/* ---- for gnuplot ---- */

static void rectangle(FILE *stream, const char *panel, double x0, double x1, double y0, double y1, int state) {
    fprintf(stream, "\"%s\"\t%.6g\t%.6g\t%.6g\t%.6g\t%d\t\"\"\n", panel, x0, x1, y0, y1, state);
}

static void words(FILE *stream, const char *panel, double y, const char *text) {
    fprintf(stream, "\"%s\"\t0\t0\t%.6g\t%.6g\t0\t\"%s\"\n", panel, y, y, text);
}

static void write_grid(FILE *stream, const wl_figure *figure, const strip *s) {
    for (size_t r = 0; r < figure->rows; r++) {
        for (size_t c = 0; c < figure->columns; c++) {
            int state = cell(s, (r * figure->columns + c) * figure->element_bytes, figure->element_bytes);
            rectangle(stream, "grid", (double)c, (double)c + 1, (double)r, (double)r + 1,
                      state == FETCHED ? UNTOUCHED : state);
        }
    }
}

/* One strip from line `y` on; returns the next free line. A line is one unit high, its cells 0.62 of it. */
static double write_strip(FILE *stream, const strip *s, double y) {
    size_t step = line_bytes(s), drawn = 0;
    char text[64];
    for (size_t offset = 0; offset < s->end && drawn < lines_at_most; offset += step) {
        if (!line_is_drawn(s, offset)) continue;
        snprintf(text, sizeof text, "%zu", offset);
        words(stream, "address", y + 0.31, text);
        for (size_t b = offset; b < offset + step && b < s->end; b += s->element) {
            double x0 = (double)(b - offset) / (double)step, x1 = x0 + (double)s->element / (double)step;
            rectangle(stream, "strip", x0, x1, y, y + 0.62, cell(s, b, s->element));
        }
        for (size_t b = offset; b < offset + step && b < s->end; b += WL_SECTOR) {
            double x0 = (double)(b - offset) / (double)step, x1 = x0 + (double)WL_SECTOR / (double)step;
            rectangle(stream, "sector", x0, x1, y, y + 0.62, cell(s, b, WL_SECTOR));
        }
        y += 1;
        drawn++;
    }
    return y;
}

wl_status wl_figure_write(const char *path, const wl_figure *figure, const char *command, unsigned long long seed) {
    strip *strips;
    size_t count;
    char loaded[256], written[256], name[224], text[256];
    wl_outfile file;
    wl_status status = summary(figure, loaded, written, sizeof loaded);
    if (status != WL_OK || (status = make_strips(figure, &strips, &count)) != WL_OK) return status;
    if ((status = wl_outfile_open(path, &file)) != WL_OK) {
        free_strips(strips, count);
        return status;
    }
    wl_results_header(file.stream, command, seed);
    fprintf(file.stream, "# title: %s\n", figure->title);
    fprintf(file.stream, "# caption: %s\n# caption2: %s\n", loaded, written);
    const strip *table = table_of(figure, strips, count);
    fprintf(file.stream, "# grid_rows: %zu\n# grid_columns: %zu\n", table == NULL ? 0 : figure->rows,
            table == NULL ? 0 : figure->columns);
    fprintf(file.stream, "# row_name: %s\n# column_name: %s\n", table == NULL ? "" : figure->row_name,
            table == NULL ? "" : figure->column_name);
    fprintf(file.stream, "panel\tx0\tx1\ty0\ty1\tstate\ttext\n");
    if (table != NULL) write_grid(file.stream, figure, table);
    double y = 0;
    for (size_t k = 0; k < count; k++) {
        name_strip(figure, &strips[k], k + 1, name, sizeof name);
        snprintf(text, sizeof text, "%s, by address", name);
        words(file.stream, "heading", y + 0.5, text);
        y = write_strip(file.stream, &strips[k], y + 1) + 0.5;
    }
    free_strips(strips, count);
    return wl_outfile_commit(&file);
}
