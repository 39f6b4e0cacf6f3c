/* Result files to sections of the page: each with its table, charts, machine, and the file itself. */
#include "report/page.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/folder.h"
#include "harness/base/memory.h"
#include "harness/base/outfile.h"
#include "harness/base/text.h"
#include "harness/bench/problem.h"
#include "plots/chart.h"

/* --- Files ------------------------------------------------------------------------------------------------------- */

typedef struct {
    wl_result_file *tables; /* [count] */
    size_t count, room, since, drawings;
    char *folder; /* for charts; NULL: no charts */
    FILE *page;
} report;

static wl_status no_memory(void) { return wl_fail(WL_NO_MACHINE, "no memory for the result files"); }

static wl_status add_file(void *context, const char *path) {
    report *r = context;
    if (!wl_memory_grow(&r->since, &r->tables, &r->room, r->count + 1, sizeof *r->tables)) return no_memory();
    return wl_result_file_read(path, &r->tables[r->count++]);
}

/* --- Charts ------------------------------------------------------------------------------------------------------ */

static wl_status put_chart(report *r, const wl_result_file *t, const char *script, const char *says) {
    char *tsv = NULL, *svg = NULL, *drawing = NULL;
    wl_status status = no_memory();
    if (asprintf(&tsv, "%s/chart.tsv", r->folder) >= 0 && asprintf(&svg, "%s/chart.svg", r->folder) >= 0) {
        wl_outfile file;
        status = wl_outfile_open(tsv, &file);
        if (status == WL_OK) {
            fputs(t->raw, file.stream);
            status = wl_outfile_commit(&file);
        }
        if (status == WL_OK) status = wl_chart_draw_for_page(script, tsv, t->path);
        if (status == WL_OK) status = wl_text_read(svg, &drawing);
    }
    if (status == WL_OK) {
        char *words = NULL;
        if (asprintf(&words, "%s of %s; the values are below", says, wl_result_name(t)) < 0) words = NULL;
        fprintf(r->page, "<div class=\"wide chart\" tabindex=0 role=region aria-label=\"Chart %zu\">", ++r->drawings);
        report_drawing(r->page, drawing, words == NULL ? says : words, r->drawings);
        fputs("</div>\n", r->page);
        report_values(r->page, drawing, r->drawings);
        free(words);
    }
    WL_FREE(tsv, svg, drawing);
    return status;
}

static int is_ladder(const wl_result_file *t) {
    return wl_result_column(t, "problem") >= 0 && wl_result_column(t, "kernel_ms_median") >= 0 &&
           wl_result_column(t, "speedup_serial") >= 0;
}

static int is_sweep(const wl_result_file *t) {
    for (size_t i = 0; i < t->fact_count; i++)
        if (strcmp(t->facts[2 * i], "axes") == 0) return 1;
    return 0;
}

/* Whether a row has a number there: "bytes", which says what a stage has to do; "speedup_serial". */
static int has_number(const wl_result_file *t, const char *column) {
    for (size_t row = 0; row < t->rows; row++)
        if (strtod(wl_result_cell(t, row, column), NULL) > 0) return 1;
    return 0;
}

/* The script of a reproduction, payne2010 for payne2010_h200.tsv; NULL: the file is none. The caller frees it. */
static char *script_of(const wl_result_file *t) {
    static const char *const drawn[] = {"variant", "gcups", "gcups_all"};
    char *name = NULL;
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn && name == NULL; i++)
        if (wl_result_column(t, drawn[i]) >= 0) name = strdup(wl_result_name(t));
    for (char *end = name == NULL ? NULL : strrchr(name, '.'); end != NULL; end = strrchr(name, '_')) {
        char *relative = NULL, *path = NULL;
        *end = 0;
        const int known = asprintf(&relative, "plots/%s.gp", name) >= 0 && (path = wl_data_path(relative)) != NULL &&
                          access(path, R_OK) == 0;
        WL_FREE(relative, path);
        if (known) return name;
    }
    free(name);
    return NULL;
}

static wl_status put_charts(report *r, const wl_result_file *t) {
    if (r->folder == NULL) return WL_OK;
    if (is_sweep(t)) return put_chart(r, t, "sweep", "Work per second");
    if (is_ladder(t)) {
        if (has_number(t, "speedup_serial")) WL_TRY(put_chart(r, t, "speedup", "Speedups"));
        return has_number(t, "bytes") ? put_chart(r, t, "roofline", "Roofline") : WL_OK;
    }
    char *script = script_of(t);
    const wl_status status =
        script == NULL
            ? WL_OK
            : put_chart(r, t, script,
                        strcmp(script, "compare") == 0 ? "Ratios of times" : "The paper's figure and this machine's");
    free(script);
    return status;
}

/* --- Tables ------------------------------------------------------------------------------------------------------ */

static const struct {
    const char *column, *head;
    int is_number;
} shown[] = {{"variant", "variant", 0},
             {"backend", "backend", 0},
             {"shape", "shape", 0},
             {"kernel_ms_median", "kernel, ms", 1},
             {"kernel_ms_q1", "quartile 1", 1},
             {"kernel_ms_q3", "quartile 3", 1},
             {"total_ms_median", "total, ms", 1},
             {"work_per_s", "work per second", 1},
             {"speedup_serial", "over serial code", 1},
             {"speedup_best_cpu", "over the best CPU code", 1},
             {"speedup_previous", "over the stage before", 1},
             {"limit", "limit", 0},
             {"limit_fraction", "share of it", 1},
             {"samples", "samples", 1},
             {"noise", "noise", 1},
             {"stop_reason", "stopped because", 0},
             {"check", "check", 0}};

/* A number in the digits that are worth reading; other text as it is. */
static void put_value(FILE *page, const char *text, int rounded) {
    char *end;
    const double value = strtod(text, &end);
    if (rounded && end != text && *end == 0)
        fprintf(page, "%.4g", value);
    else
        report_text(page, strcmp(text, "NA") == 0 ? "\xE2\x80\x93" : text);
}

static void begin_table(report *r, const wl_result_file *t, const char *caption) {
    report_put(r->page, "<div class=wide tabindex=0 role=region aria-label=\"Table of %s", wl_result_name(t));
    fprintf(r->page, "\"><table><caption>%s</caption><thead><tr>", caption);
}

static void put_ladder(report *r, const wl_result_file *t) {
    enum { SHOWN = sizeof shown / sizeof *shown };
    begin_table(r, t, "Times are medians; a speedup is the time of the other code over the time of this");
    for (size_t c = 0; c < SHOWN; c++)
        if (wl_result_column(t, shown[c].column) >= 0)
            fprintf(r->page, "<th scope=col%s>%s</th>", shown[c].is_number ? " class=n" : "", shown[c].head);
    fputs("</tr></thead><tbody>\n", r->page);
    for (size_t row = 0; row < t->rows; row++) {
        fputs("<tr>", r->page);
        for (size_t c = 0; c < SHOWN; c++) {
            if (wl_result_column(t, shown[c].column) < 0) continue;
            fputs(shown[c].is_number ? "<td class=n>" : "<td>", r->page);
            put_value(r->page, wl_result_cell(t, row, shown[c].column), shown[c].is_number);
        }
        fputc('\n', r->page);
    }
    fputs("</tbody></table></div>\n", r->page);
}

/* The most rows shown of a long file; the file itself lies beside them. */
enum { ROWS = 20 };

static void put_all(report *r, const wl_result_file *t) {
    const size_t rows = t->rows < ROWS ? t->rows : ROWS;
    char caption[100];
    snprintf(caption, sizeof caption, "%zu of %zu row%s", rows, t->rows, t->rows == 1 ? "" : "s");
    begin_table(r, t, caption);
    for (size_t c = 0; c < t->columns; c++) {
        report_put(r->page, "<th scope=col>%s</th>", t->cells[c]);
    }
    fputs("</tr></thead><tbody>\n", r->page);
    for (size_t row = 1; row <= rows; row++) {
        fputs("<tr>", r->page);
        for (size_t c = 0; c < t->columns; c++) {
            fputs("<td>", r->page);
            put_value(r->page, t->cells[row * t->columns + c], 0);
        }
        fputc('\n', r->page);
    }
    fputs("</tbody></table></div>\n", r->page);
}

static wl_status put_file(report *r, const wl_result_file *t) {
    report_put(r->page, "<details class=file><summary>%s</summary>\n", wl_result_name(t));
    const wl_status status = put_charts(r, t);
    if (is_ladder(t))
        put_ladder(r, t);
    else
        put_all(r, t);
    report_put(r->page, "<p><a download=\"%s\" href=\"", wl_result_name(t));
    report_data(r->page, "text/tab-separated-values", t->raw);
    report_put(r->page, "\">Save %s</a></p>\n", wl_result_name(t));
    if (t->fact_count > 0) fputs("<dl>", r->page);
    for (size_t i = 0; i < t->fact_count; i++) {
        report_put(r->page, "<dt>%s</dt><dd>%s</dd>\n", t->facts[2 * i], t->facts[2 * i + 1]);
    }
    if (t->fact_count > 0) fputs("</dl>\n", r->page);
    fputs("</details>\n", r->page);
    return status;
}

/* --- The page ---------------------------------------------------------------------------------------------------- */

/* The problem of a file's rows; NULL: it is none of `run`, or of a problem that this program does not have. */
static const wl_problem *problem_of(const wl_result_file *t) {
    return is_ladder(t) && t->rows > 0 ? wl_problem_named(wl_result_cell(t, 0, "problem")) : NULL;
}

static size_t count_of(const report *r, const wl_problem *problem) {
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++) count += problem_of(&r->tables[i]) == problem;
    return count;
}

static wl_status put_section(report *r, const wl_problem *problem) {
    const char *name = problem == NULL ? "papers" : problem->name;
    if (count_of(r, problem) == 0) return WL_OK;
    fprintf(r->page, "<section aria-labelledby=\"%s\"><h2 id=\"%s\">%s</h2>\n", name, name,
            problem == NULL ? "Papers and other measurements" : name);
    if (problem != NULL) {
        fputs("<h3>The ladder</h3>\n", r->page);
        report_stages(r->page, name);
    }
    fputs("<h3>Result files</h3>\n", r->page);
    for (size_t i = 0; i < r->count; i++)
        if (problem_of(&r->tables[i]) == problem) WL_TRY(put_file(r, &r->tables[i]));
    fputs("</section>\n", r->page);
    return WL_OK;
}

static wl_status put_page(report *r, const char *command) {
    size_t count;
    const wl_problem *const *problems = wl_problems(&count);
    report_begin(r->page, command);
    fputs("<nav aria-label=Contents><ul>\n", r->page);
    for (size_t i = 0; i <= count; i++) {
        const wl_problem *problem = i < count ? problems[i] : NULL;
        const size_t files = count_of(r, problem);
        const char *name = problem == NULL ? "papers" : problem->name;
        if (files > 0)
            fprintf(r->page, "<li><a href=\"#%s\">%s</a>, %zu file%s</li>\n", name,
                    problem == NULL ? "Papers and other measurements" : name, files, files == 1 ? "" : "s");
    }
    fputs("</ul></nav>\n<main>\n", r->page);
    for (size_t i = 0; i < count; i++) WL_TRY(put_section(r, problems[i]));
    WL_TRY(put_section(r, NULL));
    report_end(r->page);
    return WL_OK;
}

wl_status report_write(const char *const *paths, size_t count, const char *folder, const char *command, int *missing) {
    report r = {0};
    char *path = NULL;
    wl_outfile file = {0};
    wl_status status = WL_OK;
    for (size_t i = 0; i < count && status == WL_OK; i++) status = wl_result_files_each(paths[i], add_file, &r);
    if (status == WL_OK && asprintf(&path, "%s/report.html", folder) < 0) {
        path = NULL;
        status = no_memory();
    }
    *missing = !wl_chart_possible();
    if (status == WL_OK) status = wl_outfile_open(path, &file);
    if (status == WL_OK && !*missing) status = wl_temporary_folder(&r.folder);
    if (status == WL_OK) {
        r.page = file.stream;
        status = put_page(&r, command);
    }
    if (status == WL_OK)
        status = wl_outfile_commit(&file);
    else
        wl_outfile_discard(&file);
    if (r.folder) wl_remove_folder(r.folder);
    for (size_t i = 0; i < r.count; i++) wl_result_file_free(&r.tables[i]);
    WL_FREE(r.tables, r.folder, path);
    return status;
}
