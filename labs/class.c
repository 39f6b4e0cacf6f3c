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
        result = (wl_lab_result){.lab = &lab, .failed = strdup(wl_error()), .mistake = WL_LAB_MISSING};
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

const char wl_lab_class_head[] = "student\tlab\tscore\tpoints\tseconds\treason\ttests";

/* Makes class.tsv from the submissions' lines. */
static wl_status gather(const wl_lab_class *class, const char *const *submissions, size_t count) {
    char *path;
    wl_outfile file;
    if (asprintf(&path, "%s/class.tsv", class->out) < 0) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    wl_status status = wl_outfile_open(path, &file);
    free(path);
    if (status != WL_OK) return status;
    fprintf(file.stream, "%s\n", wl_lab_class_head);
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

static wl_status compare_all(const wl_lab_class *class, const char *const *submissions, size_t count) {
    wl_lab lab;
    char *path = NULL, *solution = NULL, *given = NULL, *text = NULL;
    wl_status status = wl_lab_read(class->lab_folder, 1, &lab);
    if (status == WL_OK) status = wl_lab_solution(&lab, &solution);
    if (status == WL_OK) status = wl_text_read(solution, &text);
    if (status == WL_OK) status = wl_lab_stub(&lab, text, &given); // the names that all have
    if (status == WL_OK && asprintf(&path, "%s/similar.tsv", class->out) < 0)
        status = wl_fail(WL_NO_MACHINE, "no memory for a path");
    if (status == WL_OK) status = wl_lab_write_similar(submissions, count, given, path);
    WL_FREE(path, solution, given, text);
    wl_lab_free(&lab);
    return status;
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
    wl_status gathered = gather(class, submissions, count);
    if (gathered == WL_OK) gathered = compare_all(class, submissions, count);
    return worst != WL_OK ? worst : gathered;
}
