/* Result files to sections of the page: each with its table, charts, machine, and the file itself. */
#include "report/page.h"

#include <ctype.h>
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
    wl_result_file *tables; // [count]
    size_t count, room, since, drawings;
    char *folder; // for charts; NULL: no charts
    FILE *page;
} report;

static wl_status no_memory(void) { return wl_fail(WL_NO_MACHINE, "no memory for the result files"); }

static wl_status add_file(void *context, const char *path) {
    report *r = context;
    if (!wl_memory_grow(&r->since, &r->tables, &r->room, r->count + 1, sizeof *r->tables)) return no_memory();
    return wl_result_file_read(path, &r->tables[r->count++]);
}

/* --- Charts ------------------------------------------------------------------------------------------------------ */

/* Draws the file with the script, into *drawing, which the caller frees. */
static wl_status draw(const report *r, const wl_result_file *t, const char *script, wl_chart_place place,
                      char **drawing) {
    char *tsv = NULL, *svg = NULL;
    wl_status status = no_memory();
    if (asprintf(&tsv, "%s/chart.tsv", r->folder) >= 0 && asprintf(&svg, "%s/chart.svg", r->folder) >= 0) {
        wl_outfile file;
        status = wl_outfile_open(tsv, &file);
        if (status == WL_OK) {
            fputs(t->raw, file.stream);
            status = wl_outfile_commit(&file);
        }
        if (status == WL_OK) status = wl_chart_draw_for_page(script, tsv, t->path, place);
        if (status == WL_OK) status = wl_text_read(svg, drawing);
    }
    WL_FREE(tsv, svg);
    return status;
}

enum { CHARTS_MOST = 10000 }; // the numbers of drawings for telephones are larger

/* A chart, with a second drawing for telephones if `has_narrow`. */
static wl_status put_chart(report *r, const wl_result_file *t, const char *script, const char *says, int has_narrow) {
    char *wide = NULL, *narrow = NULL, *words = NULL;
    wl_status status = draw(r, t, script, WL_CHART_PAGE, &wide);
    if (status == WL_OK && has_narrow) status = draw(r, t, script, WL_CHART_TELEPHONE, &narrow);
    if (status == WL_OK) {
        if (asprintf(&words, "%s of %s; the values are below", says, wl_result_name(t)) < 0) words = NULL;
        const size_t number = ++r->drawings;
        fprintf(r->page, "<div class=\"wide chart%s\" tabindex=0 role=region aria-label=\"Chart %zu\">",
                has_narrow ? " fits" : "", number);
        report_drawing(r->page, wide, words == NULL ? says : words, number);
        if (narrow) report_drawing(r->page, narrow, words == NULL ? says : words, CHARTS_MOST + number);
        fputs("</div>\n", r->page);
        report_values(r->page, wide, number);
    }
    WL_FREE(wide, narrow, words);
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

/* Has it two stages with a speedup? */
static int has_stages(const wl_result_file *t) {
    size_t count = 0;
    for (size_t row = 0; is_ladder(t) && row < t->rows; row++)
        count += isdigit((unsigned char)*wl_result_cell(t, row, "variant")) &&
                 strtod(wl_result_cell(t, row, "speedup_serial"), NULL) > 0;
    return count > 1;
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
    if (is_sweep(t)) return put_chart(r, t, "sweep", "Work per second", 0);
    if (is_ladder(t)) {
        if (has_number(t, "speedup_serial")) WL_TRY(put_chart(r, t, "speedup", "Speedups", 0));
        return has_number(t, "bytes") ? put_chart(r, t, "roofline", "Roofline", 0) : WL_OK;
    }
    char *script = script_of(t);
    const wl_status status =
        script == NULL
            ? WL_OK
            : put_chart(r, t, script,
                        strcmp(script, "compare") == 0 ? "Ratios of times" : "The paper's figure and this machine's",
                        0);
    free(script);
    return status;
}

/* --- A file ------------------------------------------------------------------------------------------------------- */

static wl_status put_file(report *r, const wl_result_file *t) {
    report_put(r->page, "<details class=file><summary>%s</summary>\n", wl_result_name(t));
    const wl_status status = put_charts(r, t);
    if (is_ladder(t))
        report_ladder(r->page, t);
    else
        report_rows(r->page, t);
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

/* The day on which a GPU was measured; "": none was. */
static const char *gpu_day(const wl_result_file *t) {
    const char *day = "";
    int has_gpu = 0;
    for (size_t i = 0; i < t->fact_count; i++) {
        if (strcmp(t->facts[2 * i], "date") == 0) day = t->facts[2 * i + 1];
        if (strcmp(t->facts[2 * i], "gpu") == 0) has_gpu = strncmp(t->facts[2 * i + 1], "none", 4) != 0;
    }
    return has_gpu ? day : "";
}

/* The newest files of a GPU first; of one day the longer; files without a GPU last, by their names. */
static int newest_first(const void *a, const void *b) {
    enum { DAY = 10 };
    const wl_result_file *x = a, *y = b;
    const int day = strncmp(gpu_day(y), gpu_day(x), DAY);
    if (day != 0) return day;
    if (*gpu_day(x) && x->rows != y->rows) return x->rows < y->rows ? 1 : -1;
    const int time = strcmp(gpu_day(y), gpu_day(x));
    return time != 0 ? time : strcmp(x->path, y->path);
}

/* Each ladder's staircase, of the newest file that has one. */
static wl_status put_staircases(report *r) {
    size_t drawn = 0;
    for (size_t i = 0; i < r->count && r->folder != NULL; i++) {
        const wl_result_file *t = &r->tables[i];
        const wl_problem *problem = has_stages(t) ? problem_of(t) : NULL;
        size_t before = 0;
        while (before < i && !(problem_of(&r->tables[before]) == problem && has_stages(&r->tables[before]))) before++;
        if (problem == NULL || before < i) continue;
        if (drawn++ == 0) fputs("<section aria-labelledby=ladders><h2 id=ladders>The ladders</h2>\n", r->page);
        report_put(r->page, "<h3><a href=\"#%s\">%s</a></h3>\n<p class=from>%s</p>\n", problem->name, problem->title,
                   wl_result_name(t));
        WL_TRY(put_chart(r, t, "staircase", "Speedup of each stage", 1));
    }
    if (drawn > 0) fputs("</section>\n", r->page);
    return WL_OK;
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
    WL_TRY(put_staircases(r));
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
    if (r.count > 0) qsort(r.tables, r.count, sizeof *r.tables, newest_first);
    *missing = !wl_chart_possible();
    if (status == WL_OK) status = wl_outfile_open(path, &file);
    if (status == WL_OK && !*missing) status = wl_temporary_folder(&r.folder);
    if (status == WL_OK) {
        r.page = file.stream;
        status = put_page(&r, command);
    }
    if (status == WL_OK) status = wl_outfile_commit(&file);
    wl_outfile_discard(&file);
    if (r.folder) wl_remove_folder(r.folder);
    for (size_t i = 0; i < r.count; i++) wl_result_file_free(&r.tables[i]);
    WL_FREE(r.tables, r.folder, path);
    return status;
}
