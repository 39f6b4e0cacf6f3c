#define _GNU_SOURCE /* asprintf */
#include "labs/class.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/outfile.h"
#include "harness/base/memory.h"

/* ---- one submission ---- */

wl_status wl_lab_submission(const char *path, char **kernel, char **student) {
    struct stat status;
    char *whole = realpath(path, NULL);
    *kernel = *student = NULL;
    if (whole == NULL || stat(whole, &status) != 0) {
        free(whole);
        return wl_fail(WL_BAD_INPUT, "%s: %s", path, strerror(errno));
    }
    char *slash = strrchr(whole, '/'), *dot = strrchr(slash, '.');
    if (S_ISDIR(status.st_mode)) {
        *student = strdup(slash + 1);
        if (asprintf(kernel, "%s/kernel.cu", whole) < 0) *kernel = NULL;
    } else {
        *student = strndup(slash + 1, dot ? (size_t)(dot - slash - 1) : strlen(slash + 1));
        *kernel = strdup(whole);
    }
    free(whole);
    /* No FIFO, which would never end, and no link, which could lead to another student's work. */
    if (*kernel != NULL && lstat(*kernel, &status) == 0 && S_ISREG(status.st_mode) && access(*kernel, R_OK) == 0)
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

/* The name of a submission without a kernel.cu. */
static char *name_of(const char *path) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    const char *slash = memrchr(path, '/', length);
    const char *name = slash ? slash + 1 : path;
    return strndup(name, length - (size_t)(name - path));
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
    if (found != WL_OK) student = name_of(submission);
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

/* Makes class.tsv from the submissions' lines. */
static wl_status gather(const wl_lab_class *class, const char *const *submissions, size_t count) {
    char *path;
    wl_outfile file;
    if (asprintf(&path, "%s/class.tsv", class->out) < 0) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    wl_status status = wl_outfile_open(path, &file);
    free(path);
    if (status != WL_OK) return status;
    fputs("student\tlab\tscore\tpoints\tseconds\ttests\n", file.stream);
    for (size_t i = 0; i < count; i++) {
        char *kernel, *student, *line = NULL;
        if (wl_lab_submission(submissions[i], &kernel, &student) != WL_OK) student = name_of(submissions[i]);
        if (asprintf(&path, "%s/%s.line", class->out, student) >= 0 && wl_text_read(path, &line) == WL_OK) {
            fputs(line, file.stream);
            unlink(path);
        }
        WL_FREE(path, line, kernel, student);
    }
    return wl_outfile_commit(&file);
}

wl_status wl_lab_grade_class(const wl_lab_class *class, const char *const *submissions, size_t count) {
    wl_status worst = WL_OK;
    int running = 0;
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

static wl_status add_folder(table *t, const char *folder) {
    char *path, *text, *rest = NULL;
    if (asprintf(&path, "%s/class.tsv", folder) < 0) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    wl_status status = wl_text_read(path, &text);
    if (status != WL_OK) return free(path), status;
    char **texts = realloc(t->texts, (t->text_count + 1) * sizeof *texts);
    if (texts == NULL) return free(path), free(text), wl_fail(WL_NO_MACHINE, "no memory for a class");
    t->texts = texts;
    t->texts[t->text_count++] = text;
    size_t number = 0;
    for (char *line = strtok_r(text, "\n", &rest); line && status == WL_OK; line = strtok_r(NULL, "\n", &rest)) {
        char *field[6];
        size_t fields = 0;
        if (number++ == 0) continue;
        for (char *at = line; fields < 6; at = field[fields - 1] + strcspn(field[fields - 1], "\t"), *at++ = 0) {
            field[fields++] = at;
            if (fields == 6 || strchr(at, '\t') == NULL) break;
        }
        row *rows = realloc(t->rows, (t->count + 1) * sizeof *rows);
        if (rows) t->rows = rows;
        if (fields != 6 || rows == NULL)
            status = wl_fail(fields != 6 ? WL_BAD_INPUT : WL_NO_MACHINE, "%s:%zu: found %zu fields; expected 6", path,
                             number, fields);
        else
            rows[t->count++] = (row){field[0], field[1], field[5], strtod(field[2], NULL), strtod(field[3], NULL)};
    }
    free(path);
    return status;
}

static void put_csv(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text == '\t' ? ' ' : *text, out);
    }
    fputc('"', out);
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
            put_csv(out, r->student);
            fputc(',', out);
            put_csv(out, r->lab);
            fprintf(out, ",%g,%g,", r->score, r->points);
            put_csv(out, r->tests);
            fputc('\n', out);
        }
    }
    for (size_t i = 0; i < t.text_count; i++) free(t.texts[i]);
    WL_FREE(t.texts, t.rows);
    return status;
}
