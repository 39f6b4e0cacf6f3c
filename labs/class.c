#include "labs/class.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/outfile.h"
#include "harness/base/memory.h"
#include "harness/base/text.h"

/* ---- one submission ---- */

/* The folder's name, or the file's without its suffix; of a kernel.cu, which every student has, its folder's. Signs that terminals obey
   become '?'. */
static char *student_of(const char *path, int is_folder) {
    const char *end = path + strlen(path), *dot = strrchr(path, '.');
    while (end > path + 1 && end[-1] == '/') end--;
    const char *slash = memrchr(path, '/', (size_t)(end - path)), *name = slash ? slash + 1 : path;
    if (!is_folder && strcmp(name, "kernel.cu") == 0 && slash > path) {
        end = slash;
        slash = memrchr(path, '/', (size_t)(end - path));
        name = slash ? slash + 1 : path;
    } else if (!is_folder && dot > name) {
        end = dot;
    }
    char *student = strndup(name, (size_t)(end - name));
    if (student == NULL) return NULL;
    wl_lab_tame(student);
    for (char *c = student; *c; c++)
        if (*c == '\n' || *c == '\t') *c = '?';
    return student;
}

wl_status wl_lab_submission(const char *path, char **kernel, char **student) {
    struct stat status;
    char *whole = realpath(path, NULL);
    *kernel = *student = NULL;
    if (whole == NULL || stat(whole, &status) != 0) {
        free(whole);
        return wl_fail(WL_BAD_INPUT, "%s: %s", path, strerror(errno));
    }
    const int is_folder = S_ISDIR(status.st_mode);
    *student = student_of(whole, is_folder);
    if (is_folder ? asprintf(kernel, "%s/kernel.cu", whole) < 0 : (*kernel = strdup(whole)) == NULL) *kernel = NULL;
    free(whole);
    /* No FIFO, which would never end, and no link, which could lead to another student's work. */
    if (*kernel != NULL && *student != NULL && lstat(*kernel, &status) == 0 && S_ISREG(status.st_mode) &&
        access(*kernel, R_OK) == 0)
        return WL_OK;
    const wl_status missing = wl_fail(WL_BAD_INPUT, "%s: found no kernel.cu; expected one, a plain file", path);
    WL_FREE(*kernel, *student);
    *kernel = *student = NULL;
    return missing;
}

typedef void writer(FILE *out, const wl_lab_result *result);

static wl_status write_one(const char *folder, const char *student, const char *suffix, writer *write,
                           const wl_lab_result *result) {
    char *path;
    wl_outfile file;
    if (asprintf(&path, "%s/%s.%s", folder, student, suffix) < 0) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    wl_status status = wl_outfile_open(path, &file);
    if (status == WL_OK) {
        if (write)
            write(file.stream, result);
        else
            wl_lab_line(file.stream, student, result);
        status = wl_outfile_commit(&file);
    }
    free(path);
    return status;
}

static wl_status grade_one(const wl_lab_class *class, const char *submission) {
    static const struct {
        const char *suffix;
        writer *write;
    } formats[] = {{"json", wl_lab_gradescope}, {"xml", wl_lab_junit}, {"txt", wl_lab_print}, {"line", NULL}};
    wl_lab lab;
    wl_lab_result result = {0};
    char *kernel, *student;
    const wl_status found = wl_lab_submission(submission, &kernel, &student);
    if (found != WL_OK) student = student_of(submission, 0);
    wl_status status = wl_lab_read(class->lab_folder, wl_lab_seed(class->seed ? class->seed : student), &lab);
    if (status == WL_OK && found == WL_OK)
        status = wl_lab_grade(&lab, kernel, WL_LAB_GRADED, &result);
    else if (status == WL_OK)
        result = (wl_lab_result){.lab = &lab, .failed = strdup(wl_error())};
    for (size_t i = 0; status == WL_OK && i < sizeof formats / sizeof *formats; i++)
        status = write_one(class->out, student, formats[i].suffix, formats[i].write, &result);
    if (status != WL_OK) fprintf(stderr, "%s: %s\n", student, wl_error());
    wl_lab_result_free(&result);
    wl_lab_free(&lab);
    WL_FREE(kernel, student);
    return status;
}

/* ---- all of them ---- */

static wl_status await_one(wl_status worst) {
    int status = 0;
    while (wait(&status) < 0)
        if (errno != EINTR) return worst;
    const wl_status code = WIFEXITED(status) ? (wl_status)WEXITSTATUS(status) : WL_NO_MACHINE;
    if (code == WL_OK || worst != WL_OK) return worst;
    return wl_fail(code, "some submissions could not be graded (see above)");
}

static const char HEAD[] = "student\tlab\tscore\tpoints\tseconds\ttests";

/* Makes class.tsv from the submissions' lines. */
static wl_status gather(const wl_lab_class *class, const char *const *submissions, size_t count) {
    char *path;
    wl_outfile file;
    if (asprintf(&path, "%s/class.tsv", class->out) < 0) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    wl_status status = wl_outfile_open(path, &file);
    free(path);
    if (status != WL_OK) return status;
    fprintf(file.stream, "%s\n", HEAD);
    for (size_t i = 0; i < count; i++) {
        char *kernel, *student, *line = NULL;
        if (wl_lab_submission(submissions[i], &kernel, &student) != WL_OK) student = student_of(submissions[i], 0);
        if (asprintf(&path, "%s/%s.line", class->out, student) >= 0 && wl_text_read(path, &line) == WL_OK) {
            fputs(line, file.stream);
            unlink(path);
        }
        WL_FREE(path, line, kernel, student);
    }
    return wl_outfile_commit(&file);
}

typedef struct {
    char *student;
    const char *submission;
} named;

static int by_student(const void *a, const void *b) {
    return strcmp(((const named *)a)->student, ((const named *)b)->student);
}

/* Two submissions of one name would write the same files. */
static wl_status refuse_namesakes(const char *const *submissions, size_t count) {
    wl_status status = WL_OK;
    named *all = calloc(count, sizeof *all);
    if (all == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a class");
    for (size_t i = 0; i < count; i++) {
        char *kernel;
        all[i].submission = submissions[i];
        if (wl_lab_submission(submissions[i], &kernel, &all[i].student) != WL_OK)
            all[i].student = student_of(submissions[i], 0);
        free(kernel);
        if (all[i].student == NULL) status = wl_fail(WL_NO_MACHINE, "no memory for a class");
    }
    if (status == WL_OK) qsort(all, count, sizeof *all, by_student);
    for (size_t i = 1; status == WL_OK && i < count; i++)
        if (by_student(&all[i - 1], &all[i]) == 0)
            status = wl_fail(WL_BAD_USAGE, "%s and %s would both be graded as %s; expected a name for each",
                             all[i - 1].submission, all[i].submission, all[i].student);
    for (size_t i = 0; i < count; i++) free(all[i].student);
    free(all);
    return status;
}

wl_status wl_lab_grade_class(const wl_lab_class *class, const char *const *submissions, size_t count) {
    wl_status worst = WL_OK;
    int running = 0;
    WL_TRY(refuse_namesakes(submissions, count));
    for (size_t i = 0; i < count; i++) {
        if (running == class->jobs) worst = await_one(worst), running--;
        fflush(NULL);
        const pid_t child = fork();
        if (child < 0) return wl_fail(WL_NO_MACHINE, "no process for %s: %s", submissions[i], strerror(errno));
        if (child == 0) {
            const wl_status status = grade_one(class, submissions[i]);
            fflush(NULL);
            _exit((int)status);
        }
        running++;
    }
    while (running-- > 0) worst = await_one(worst);
    const wl_status gathered = gather(class, submissions, count);
    return worst != WL_OK ? worst : gathered;
}

/* ---- the report ---- */

typedef struct {
    char *student, *lab, *tests;
    double score, points;
} row;
typedef struct {
    row *rows;
    size_t count;
    char **texts; /* the rows point into it */
    size_t text_count;
} table;

/* A number from 0 to `most`; -1: it is none. */
static double number_of(const char *text, double most) {
    const char *end;
    const double number = wl_decimal(text, &end);
    return end != text && *end == 0 && number >= 0 && number <= most ? number : -1;
}

/* A line's fields. The last one is the rest. Returns WL_BAD_INPUT with the line's number. */
static wl_status read_row(char *line, const char *path, size_t number, row *r) {
    enum { FIELDS = 6 };
    static const double MOST_POINTS = 1e6;
    char *field[FIELDS];
    size_t fields = 0;
    for (char *at = line; at && fields < FIELDS; fields++) {
        field[fields] = at;
        char *tab = fields + 1 < FIELDS ? strchr(at, '\t') : NULL;
        if (tab) *tab++ = 0;
        at = tab;
    }
    if (fields != FIELDS)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: found %zu fields; expected %d", path, number, fields, FIELDS);
    *r = (row){field[0], field[1], field[5], 0, number_of(field[3], MOST_POINTS)};
    if (*r->student == '\'' && wl_is_formula(r->student + 1)) r->student++; /* as wl_lab_line wrote it */
    r->score = number_of(field[2], r->points);
    if (r->points >= 0 && r->score >= 0) return WL_OK;
    return wl_fail(WL_BAD_INPUT,
                   "%s:%zu: found a score of '%.40s' of '%.40s' points; expected one from 0 to all of them", path,
                   number, field[2], field[3]);
}

static wl_status add_folder(table *t, const char *folder) {
    char *path, *text, *rest = NULL;
    if (asprintf(&path, "%s/class.tsv", folder) < 0) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    wl_status status = wl_text_read(path, &text);
    if (status == WL_OK && !WL_GROW(t->texts, t->text_count, 1)) {
        free(text);
        status = wl_fail(WL_NO_MACHINE, "no memory for a class");
    }
    if (status != WL_OK) return free(path), status;
    t->texts[t->text_count++] = text;
    wl_lab_tame(text);
    char *line = strtok_r(text, "\n", &rest);
    if (line == NULL || strcmp(line, HEAD) != 0)
        status = wl_fail(WL_BAD_INPUT, "%s:1: found no table of a class; expected the columns that 'lab grade' writes",
                         path);
    for (size_t number = 2; status == WL_OK && (line = strtok_r(NULL, "\n", &rest)) != NULL; number++)
        status = WL_GROW(t->rows, t->count, 1) ? read_row(line, path, number, &t->rows[t->count++])
                                               : wl_fail(WL_NO_MACHINE, "no memory for a class");
    free(path);
    return status;
}

static void put_html(FILE *out, const char *text) {
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else
            fputc(*text, out);
    }
}

/* How many students have which tenth of a lab's points. */
static void put_distribution(FILE *out, const table *t, const char *lab) {
    enum { TENTHS = 10 };
    size_t of[TENTHS] = {0}, students = 0, most = 1;
    double sum = 0, points = 0;
    for (const row *r = t->rows; r < t->rows + t->count; r++) {
        if (strcmp(r->lab, lab) != 0) continue;
        const int tenth = r->points > 0 ? (int)(TENTHS * r->score / r->points) : 0;
        of[tenth < TENTHS ? tenth : TENTHS - 1]++;
        students++;
        sum += r->score;
        points = r->points;
    }
    for (int i = 0; i < TENTHS; i++) most = of[i] > most ? of[i] : most;
    fputs("<h2>", out);
    put_html(out, lab);
    fprintf(out,
            "</h2>\n<p>%zu submissions, mean %.1f of %g points.</p>\n<table><caption>Share of the points</caption>\n",
            students, students ? sum / (double)students : 0, points);
    for (int i = 0; i < TENTHS; i++)
        fprintf(out, "<tr><th scope=\"row\">%d to %d %%</th><td><span style=\"width:%.1fem\"></span> %zu</td></tr>\n",
                10 * i, 10 * (i + 1), 20.0 * (double)of[i] / (double)most, of[i]);
    fputs("</table>\n", out);
}

static void put_page(FILE *out, const table *t) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Labs</title>\n"
          "<meta name=\"viewport\" content=\"width=device-width\">\n"
          "<style>:root{color-scheme:light dark}body{font-family:sans-serif;max-width:60em;margin:auto;padding:1em}"
          "th{text-align:left;font-weight:normal;padding-right:1em}td "
          "span{display:inline-block;height:1em;background:#36c}</style>"
          "</head><body>\n<h1>Labs</h1>\n",
          out);
    for (size_t i = 0; i < t->count; i++) {
        size_t before = 0;
        while (strcmp(t->rows[before].lab, t->rows[i].lab) != 0) before++;
        if (before == i) put_distribution(out, t, t->rows[i].lab);
    }
    fputs("<h2>Students</h2>\n<table><tr><th scope=\"col\">student</th><th scope=\"col\">lab</th><th "
          "scope=\"col\">score</th>"
          "<th scope=\"col\">tests</th></tr>\n",
          out);
    for (const row *r = t->rows; r < t->rows + t->count; r++) {
        fputs("<tr><th scope=\"row\">", out);
        put_html(out, r->student);
        fputs("</th><td>", out);
        put_html(out, r->lab);
        fprintf(out, "</td><td>%g of %g</td><td>", r->score, r->points);
        put_html(out, r->tests);
        fputs("</td></tr>\n", out);
    }
    fputs("</table>\n</body></html>\n", out);
}

wl_status wl_lab_report(const char *const *folders, size_t count, FILE *out, const char *page) {
    table t = {0};
    wl_outfile file;
    wl_status status = WL_OK;
    for (size_t i = 0; status == WL_OK && i < count; i++) status = add_folder(&t, folders[i]);
    if (status == WL_OK && page != NULL) {
        status = wl_outfile_open(page, &file);
        if (status == WL_OK) {
            put_page(file.stream, &t);
            status = wl_outfile_commit(&file);
        }
    }
    if (status == WL_OK) {
        fputs("student,lab,score,points,tests\n", out);
        for (const row *r = t.rows; r < t.rows + t.count; r++) {
            wl_put_csv(out, r->student, 1);
            fputc(',', out);
            wl_put_csv(out, r->lab, 1);
            fprintf(out, ",%g,%g,", r->score, r->points);
            wl_put_csv(out, r->tests, 1);
            fputc('\n', out);
        }
    }
    for (size_t i = 0; i < t.text_count; i++) free(t.texts[i]);
    WL_FREE(t.texts, t.rows);
    return status;
}
