/* Makes the student's repository from labs/template: the stub, the page, and what is needed to check it anywhere. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/json.h"
#include "harness/base/outfile.h"
#include "harness/bench/count.h"
#include "labs/lab.h"
#include "sim/toolchain/toolchain.h"
#include "harness/base/memory.h"

typedef struct {
    const char *from, *to;
    int executable;
    int needs_source; // it is left out if nobody says where other machines get Warpladder
} template;
static const template files[] = {
    {"check.in", "check", 1, 0},
    {"setup.in", "setup", 1, 0},
    {"Makefile.in", "Makefile", 0, 0},
    {"lab.in", "lab", 0, 0},
    {"gitignore.in", ".gitignore", 0, 0},
    {"devcontainer.json.in", ".devcontainer/devcontainer.json", 0, 1},
    {"workflow.yml.in", ".github/workflows/check.yml", 0, 1},
    {"notebook.ipynb.in", "notebook.ipynb", 0, 1},
    {"README.md.in", "README.md", 0, 0},
};
static const template autograder[] = {{"setup.sh.in", "setup.sh", 1, 0}, {"run_autograder.in", "run_autograder", 1, 0}};

/* The values of @NAME@ and the like in a template. */
typedef struct {
    const wl_lab *lab;
    const char *source;
    char *stub, *page;
} values;

/* "atomic_requests at most 0". */
static void put_limit(FILE *out, const wl_lab_test *t, const char *unit) {
    if (t->counter == WL_LAB_NO_COUNTER) return;
    fputs("; ", out);
    wl_lab_put_measure(out, t, unit, "`");
    if (isfinite(t->most)) fprintf(out, ": at most %g", t->most);
    if (t->least > 0) fprintf(out, "%s at least %g", isfinite(t->most) ? " and" : ":", t->least);
}

static void put_tests(FILE *out, const wl_lab *lab) {
    const wl_problem *problem = wl_problem_named(lab->problem);
    const char *unit = problem ? problem->unit : "units";
    size_t counts = 0, conditions = 0;
    fputs("| | what is tested | points |\n| --- | --- | ---: |\n", out);
    for (size_t i = 0; i < lab->count; i++) {
        const wl_lab_test *t = &lab->tests[i];
        fprintf(out, "| %zu | %s", i + 1, t->name);
        put_limit(out, t, unit);
        if (t->hidden) fputs(" (only when it is graded)", out);
        if (t->condition) fputs(" (a condition)", out);
        fprintf(out, " | %g |\n", t->points);
        counts += t->counter != WL_LAB_NO_COUNTER;
        conditions += t->condition;
    }
    if (conditions)
        fputs("\nAs long as a *condition* fails, all other tests are *held back*: they earn no points. A condition has "
              "sizes of its own, "
              "and fails also if the results are wrong there.",
              out);
    if (counts)
        fprintf(out, "%sA test that counts earns points only if the results of all tests are right.\n",
                conditions ? " " : "\n");
}

/* A notebook's cell: one JSON string per line. */
static void put_cell(FILE *out, const char *text) {
    for (int first = 1; *text; first = 0) {
        const size_t length = strcspn(text, "\n") + (text[strcspn(text, "\n")] == '\n');
        char *line = strndup(text, length);
        if (line) wl_put_text(out, first ? "" : ",\n    ", line);
        free(line);
        text += length;
    }
}

static void put_program_folder(FILE *out) {
    char *program = realpath("/proc/self/exe", NULL), *slash = program ? strrchr(program, '/') : NULL;
    for (const char *at = program; slash && at < slash; at++) fputs(*at == '\'' ? "'\\''" : (char[]){*at, 0}, out);
    free(program);
}

static int put_value(FILE *out, const values *v, const char *name, size_t length) {
#define IS(word) (length == strlen(word) && strncmp(name, word, length) == 0)
    if (IS("NAME"))
        fputs(v->lab->name, out);
    else if (IS("TITLE"))
        fputs(v->lab->title, out);
    else if (IS("PROBLEM"))
        fputs(v->lab->problem, out);
    else if (IS("SEED"))
        fprintf(out, "%llu", (unsigned long long)v->lab->seed);
    else if (IS("POINTS"))
        fprintf(out, "%g", wl_lab_points(v->lab));
    else if (IS("SOURCE"))
        fputs(v->source ? v->source : "", out);
    else if (IS("PROGRAM_FOLDER"))
        put_program_folder(out);
    else if (IS("NOTEBOOK"))
        fputs(v->source ? " If you have one, `notebook.ipynb` also runs your kernel on it; without one, it is "
                          "`./check` in a browser."
                        : "",
              out);
    else if (IS("PAGE"))
        fputs(v->page, out);
    else if (IS("TESTS"))
        put_tests(out, v->lab);
    else if (IS("PAGE_CELL"))
        put_cell(out, v->page);
    else if (IS("STUB_CELL"))
        put_cell(out, v->stub);
    else
        return 0;
#undef IS
    return 1;
}

static void put_template(FILE *out, const values *v, const char *text) {
    while (*text) {
        const size_t length = *text == '@' ? strspn(text + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") : 0;
        if (length > 0 && text[1 + length] == '@' && put_value(out, v, text + 1, length))
            text += length + 2;
        else
            fputc(*text++, out);
    }
}

static wl_status write_text(const char *folder, const char *name, const char *text, const values *v, int executable) {
    char *path;
    wl_outfile file;
    if (asprintf(&path, "%s/%s", folder, name) < 0) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    wl_status status = wl_outfile_open(path, &file);
    if (status == WL_OK) {
        if (v)
            put_template(file.stream, v, text);
        else
            fputs(text, file.stream);
        status = wl_outfile_commit(&file);
    }
    if (status == WL_OK && executable && chmod(path, 0755) != 0)
        status = wl_fail(WL_NO_MACHINE, "%s: %s", path, strerror(errno));
    free(path);
    return status;
}

static wl_status write_template(const values *v, const char *folder, const char *from, const char *to, int executable) {
    char *path, *text = NULL, *tools;
    WL_TRY(wl_tools_find(WL_TOOLS_SIMULATOR, &tools));
    const int made = asprintf(&path, "%s/labs/template/%s", tools, from);
    free(tools);
    if (made < 0) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    wl_status status = wl_text_read(path, &text);
    if (status == WL_OK) status = write_text(folder, to, text, v, executable);
    WL_FREE(text, path);
    return status;
}

static wl_status read_stub(const wl_lab *lab, char **stub) {
    char *path, *text = NULL;
    WL_TRY(wl_lab_solution(lab, &path));
    wl_status status = wl_text_read(path, &text);
    if (status == WL_OK) status = wl_lab_stub(lab, text, stub);
    WL_FREE(text, path);
    return status;
}

static wl_status read_page(const wl_lab *lab, char **page) {
    char *path;
    if (asprintf(&path, "%s/page.md", lab->folder) < 0) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    const wl_status status = wl_text_read(path, page);
    free(path);
    return status;
}

wl_status wl_lab_make(const wl_lab *lab, const char *folder, const char *source) {
    values v = {.lab = lab, .source = source};
    if (rmdir(folder) != 0 && errno != ENOENT)
        return wl_fail(WL_BAD_USAGE, "option --out: %s is there already; expected a new or an empty folder", folder);
    wl_status status = read_stub(lab, &v.stub);
    if (status == WL_OK) status = read_page(lab, &v.page);
    if (status == WL_OK) status = write_text(folder, "kernel.cu", v.stub, NULL, 0);
    for (size_t i = 0; status == WL_OK && i < sizeof files / sizeof *files; i++)
        if (source != NULL || !files[i].needs_source)
            status = write_template(&v, folder, files[i].from, files[i].to, files[i].executable);
    WL_FREE(v.stub, v.page);
    return status;
}

wl_status wl_lab_make_stub(const wl_lab *lab, const char *path) {
    char *stub;
    wl_outfile file;
    WL_TRY(read_stub(lab, &stub));
    wl_status status = wl_outfile_open(path, &file);
    if (status == WL_OK) {
        fputs(stub, file.stream);
        status = wl_outfile_commit(&file);
    }
    free(stub);
    return status;
}

static wl_status zip(const char *folder, const char *package, const char *to) {
    wl_word_list words = {0};
    char *whole = to[0] == '/' ? strdup(to) : NULL, *here = whole ? NULL : getcwd(NULL, 0);
    int code = 0;
    if (whole == NULL && (here == NULL || asprintf(&whole, "%s/%s", here, to) < 0))
        return wl_fail(WL_NO_MACHINE, "no memory");
    wl_words(&words, "sh", "-c",
             "cd \"$1\" && { [ -z \"$3\" ] || cp -- \"$3\" warpladder.deb; } && rm -f -- \"$2\" && zip -qX \"$2\" *",
             "sh", folder, whole, package ? package : "");
    wl_status status = wl_run_command(words.items, NULL, NULL, &code);
    if (status == WL_OK && code != 0) status = wl_fail(WL_NO_MACHINE, "%s: cannot be packed (is zip installed?)", to);
    wl_words_free(&words);
    WL_FREE(whole, here);
    return status;
}

/* A .deb is an archive of ar. */
static int is_package(const char *path) {
    static const char magic[] = "!<arch>\ndebian-binary";
    char begins[sizeof magic] = "";
    FILE *file = fopen(path, "r");
    const size_t read = file ? fread(begins, 1, sizeof magic - 1, file) : 0;
    if (file) fclose(file);
    return read == sizeof magic - 1 && memcmp(begins, magic, read) == 0;
}

wl_status wl_lab_make_autograder(const wl_lab *lab, const char *source, const char *package, const char *path) {
    const values v = {.lab = lab, .source = source};
    char *folder, *whole = NULL;
    if (package && access(package, R_OK) != 0) return wl_fail(WL_BAD_INPUT, "%s: %s", package, strerror(errno));
    if (package && !is_package(package))
        return wl_fail(WL_BAD_INPUT, "%s: found no Debian package; expected a .deb", package);
    wl_status status = wl_temporary_folder(&folder);
    if (status != WL_OK) return status;
    for (size_t i = 0; status == WL_OK && i < sizeof autograder / sizeof *autograder; i++)
        status = write_template(&v, folder, autograder[i].from, autograder[i].to, autograder[i].executable);
    if (status == WL_OK && package && (whole = realpath(package, NULL)) == NULL)
        status = wl_fail(WL_NO_MACHINE, "%s: %s", package, strerror(errno));
    if (status == WL_OK) status = zip(folder, whole, path);
    wl_remove_folder(folder);
    WL_FREE(folder, whole);
    return status;
}
