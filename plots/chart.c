#include "plots/chart.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/folder.h"
#include "harness/base/memory.h"
#include "harness/base/outfile.h"
#include "harness/base/text.h"

/* Where an installed program has its data, wherever the prefix was moved: <prefix>/share/warpladder, beside the program's
   <prefix>/bin. The caller frees it; NULL when the program runs in a build folder. */
static char *installed_data(void) {
    char *program = realpath("/proc/self/exe", NULL), *path = NULL;
    char *slash = program == NULL ? NULL : strrchr(program, '/');
    if (slash != NULL && asprintf(&path, "%.*s/../share/warpladder", (int)(slash - program), program) < 0) path = NULL;
    free(program);
    if (path != NULL && access(path, F_OK) == 0) return path;
    free(path);
    return NULL;
}

char *wl_data_path(const char *name) {
    const char *asked = getenv("WL_DATA");
    char *installed = installed_data(), *path;
    const char *folder = asked != NULL && asked[0] != 0 ? asked : installed != NULL ? installed : WL_SOURCE_DIR;
    if (asprintf(&path, "%s/%s", folder, name) < 0) path = NULL;
    free(installed);
    return path;
}

/* Run gnuplot in `folder` with `settings` before `script` and `data`, an open file, as its standard input; everything it says, on either
   stream, goes to *said, which the caller frees. Returns its exit status, 127 when it could not be run, -1 when no process could be made.

   gnuplot takes names apart: it runs what follows a '<' or '|' or stands between backticks. So it is given none but its scripts'. */
static int run_gnuplot(const char *folder, int data, const char *settings, const char *script, char **said,
                       size_t *said_size) {
    int ends[2];
    *said = NULL;
    *said_size = 0;
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    fflush(NULL); // the child must not write what is still in our buffers
    pid_t child = fork();
    if (child == 0) {
        if (dup2(data, 0) < 0 || dup2(ends[1], 1) < 0 || dup2(ends[1], 2) < 0) _exit(127);
        if (chdir(folder) != 0) _exit(127);
        /* The drawing must not depend on what the user keeps in ~/.gnuplot, nor on a locale without UTF-8, in which
           gnuplot complains about its own degree sign. */
        setenv("LC_ALL", "C.UTF-8", 1);
        execlp("gnuplot", "gnuplot", "--default-settings", "-e", settings, script, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE *memory = child < 0 ? NULL : open_memstream(said, said_size);
    char part[4096];
    ssize_t got;
    while (child > 0 && ((got = read(ends[0], part, sizeof part)) > 0 || (got < 0 && errno == EINTR)))
        if (got > 0 && memory != NULL) fwrite(part, 1, (size_t)got, memory);
    close(ends[0]);
    if (memory != NULL) fclose(memory);
    if (child < 0) return -1;
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int wl_chart_possible(void) {
    static int known = -1; // asked once: the answer costs a process
    if (known < 0) {
        char *said;
        size_t size;
        const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
        known = nothing >= 0 && run_gnuplot("/", nothing, "exit", "/dev/null", &said, &size) == 0;
        if (nothing >= 0) free(said), close(nothing);
    }
    return known;
}

/* The line of gnuplot's words that says what is wrong: the last that is not empty. */
static const char *complaint(char *said) {
    if (said == NULL) return "no message";
    size_t length = strlen(said);
    while (length > 0 && (said[length - 1] == '\n' || said[length - 1] == ' ')) said[--length] = 0;
    char *line = strrchr(said, '\n');
    return length == 0 ? "no message" : line == NULL ? said : line + 1;
}

/* What gnuplot is to draw. */
typedef struct {
    char *stem, *script; // the file's path without ".tsv"
    int data;            // the file, open
} drawing;

static void drawing_free(drawing *d) {
    if (d->data >= 0) close(d->data);
    WL_FREE(d->stem, d->script);
}

/* The script's absolute path: WL_DATA may be relative, and gnuplot runs elsewhere. */
static wl_status find_script(const char *script, drawing *d) {
    char *name = NULL, *path = NULL;
    if (asprintf(&name, "plots/%s.gp", script) >= 0) path = wl_data_path(name);
    d->script = path ? realpath(path, NULL) : NULL;
    wl_status status = WL_OK;
    if (d->script == NULL)
        status = wl_fail(WL_NO_MACHINE, "%s: %s", path ? path : "a chart", strerror(path ? errno : ENOMEM));
    WL_FREE(name, path);
    return status;
}

static wl_status drawing_of(const char *script, const char *tsv, drawing *d) {
    const char *slash = strrchr(tsv, '/'), *base = slash == NULL ? tsv : slash + 1;
    const size_t length = strlen(base);
    *d = (drawing){.data = -1};
    if (length < 5 || strcmp(base + length - 4, ".tsv") != 0)
        return wl_fail(WL_BAD_USAGE, "%s: a file to draw is named *.tsv", tsv);
    wl_status status = find_script(script, d);
    if (status == WL_OK && (d->data = open(tsv, O_RDONLY | O_CLOEXEC)) < 0)
        status = wl_fail(WL_BAD_USAGE, "%s: cannot be drawn: %s", tsv, strerror(errno));
    if (status == WL_OK && (d->stem = strndup(tsv, strlen(tsv) - 4)) == NULL)
        status = wl_fail(WL_NO_MACHINE, "not enough memory for a chart");
    if (status != WL_OK) drawing_free(d);
    return status;
}

/* Has the line of column names this one? */
static int has_column(const char *head, const char *name, size_t length) {
    for (const char *at = head; at != NULL; at = strchr(at, '\t')) {
        at += *at == '\t';
        const int quote = *at == '"';
        if (strncmp(at + quote, name, length) == 0 && strchr("\t\r\n\"", at[quote + length]) != NULL) return 1;
    }
    return 0;
}

/* Why gnuplot failed: WL_BAD_INPUT with the first column("name") or strcol("name") of the script that the file does not have, else gnuplot's
   own words. Not all columns are needed, so this is asked after the failure. */
static wl_status failure(const drawing *d, const char *tsv, const char *shown, int code, char *said) {
    static const char *const calls[] = {"column(\"", "strcol(\""};
    char *script = NULL, *text = NULL;
    wl_status status = wl_text_read(d->script, &script);
    if (status == WL_OK) status = wl_text_read(tsv, &text);
    char *head = text;
    while (head != NULL && *head == '#') head = strchr(head, '\n') ? strchr(head, '\n') + 1 : NULL;
    if (head != NULL) head[strcspn(head, "\n")] = 0;
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
        for (const char *at = script; status == WL_OK && (at = strstr(at, calls[c])) != NULL;) {
            at += strlen(calls[c]);
            const size_t length = strcspn(at, "\"");
            if (strncmp(at + length, "\")", 2) == 0 &&
                !has_column(head ? head : "", at, length)) // else a piece of a name
                status = wl_fail(WL_BAD_INPUT, "%s: found no column '%.*s'; expected one, to draw %s", shown,
                                 (int)length, at, strrchr(d->script, '/') + 1);
        }
    if (status == WL_OK)
        status = wl_fail(WL_NO_MACHINE, "gnuplot could not draw %s (exit %d): %s", shown, code, complaint(said));
    WL_FREE(script, text);
    return status;
}

/* Gives folder/chart<ending> the name <stem><suffix><ending>. */
static int take_chart(const char *folder, const char *stem, const char *suffix, const char *ending) {
    char *drawn = NULL, *name = NULL;
    const int done = asprintf(&drawn, "%s/chart%s", folder, ending) >= 0 &&
                     asprintf(&name, "%s%s%s", stem, suffix, ending) >= 0 && rename(drawn, name) == 0;
    WL_FREE(drawn, name);
    return done;
}

static wl_status draw(const char *script, const char *tsv, const char *shown, const char *suffix,
                      wl_chart_place place) {
    drawing d;
    char *folder = NULL, *said = NULL;
    size_t size;
    WL_TRY(drawing_of(script, tsv, &d));
    /* Drawn elsewhere first, so that a chart is whole or absent. */
    wl_status status = wl_folder_beside(tsv, &folder);
    if (status == WL_OK) {
        static const char *const all[] = {"input='/dev/stdin'; output='chart'",
                                          "input='/dev/stdin'; output='chart'; targets='svg'; hover=1",
                                          "input='/dev/stdin'; output='chart'; targets='svg'; narrow=1"};
        const char *settings = all[place];
        const int code = run_gnuplot(folder, d.data, settings, d.script, &said, &size);
        const int svg = take_chart(folder, d.stem, suffix, ".svg"),
                  png = place != WL_CHART_FILES || take_chart(folder, d.stem, suffix, ".png");
        if (code != 0 || !svg || !png) status = failure(&d, tsv, shown, code, said);
        wl_remove_folder(folder);
    }
    WL_FREE(said, folder);
    drawing_free(&d);
    return status;
}

wl_status wl_chart_draw(const char *script, const char *tsv, const char *suffix) {
    return draw(script, tsv, tsv, suffix, WL_CHART_FILES);
}

wl_status wl_chart_draw_for_page(const char *script, const char *tsv, const char *name, wl_chart_place place) {
    return draw(script, tsv, name, "", place);
}

/* gnuplot fills its drawing up with blanks, at the ends of lines and above and below. */
static void print_trimmed(FILE *stream, const char *drawing) {
    size_t printed = 0, empty = 0;
    while (*drawing) {
        size_t whole = strcspn(drawing, "\n\f"), length = whole;
        while (length > 0 && drawing[length - 1] == ' ') length--;
        if (length == 0) {
            empty++;
        } else {
            for (; empty > 0 && printed > 0; empty--) fputc('\n', stream);
            empty = 0;
            for (const char *at = drawing; at < drawing + length;) at += wl_put_character(stream, at);
            fputc('\n', stream);
            printed++;
        }
        drawing += whole + (drawing[whole] != 0);
    }
}

wl_status wl_chart_print(FILE *stream, const char *script, const char *tsv) {
    drawing d;
    char *said = NULL;
    size_t size;
    WL_TRY(drawing_of(script, tsv, &d));
    wl_status status = WL_OK;
    const int code = run_gnuplot("/", d.data, "input='/dev/stdin'; terminal='dumb'", d.script, &said, &size);
    if (code == 0 && said != NULL)
        print_trimmed(stream, said);
    else
        status = failure(&d, tsv, tsv, code, said);
    free(said);
    drawing_free(&d);
    return status;
}

wl_status wl_file_try(const char *path) {
    wl_outfile file = {0};
    wl_status status = wl_outfile_open(path, &file);
    if (status == WL_OK) wl_outfile_discard(&file);
    return status;
}
