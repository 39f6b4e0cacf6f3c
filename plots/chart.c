#include "plots/chart.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/outfile.h"
#include "harness/base/memory.h"

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

/* Run gnuplot in `folder` with `settings` before `script`; everything it says, on either stream, goes to *said, which
   the caller frees. Returns its exit status, 127 when it could not be run, -1 when no process could be made. */
static int run_gnuplot(const char *folder, const char *settings, const char *script, char **said, size_t *said_size) {
    int ends[2];
    *said = NULL;
    *said_size = 0;
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    fflush(NULL); /* the child must not write what is still in our buffers */
    pid_t child = fork();
    if (child == 0) {
        int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(ends[1], 1) < 0 || dup2(ends[1], 2) < 0) _exit(127);
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
    static int known = -1; /* asked once: the answer costs a process */
    if (known < 0) {
        char *said;
        size_t size;
        known = run_gnuplot("/", "exit", "/dev/null", &said, &size) == 0;
        free(said);
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

/* The pieces of a drawing's command line. gnuplot runs in the file's own folder, so that only the file's name, which
   the suite chose, has to survive gnuplot's and the shell's quoting. */
typedef struct {
    char *folder, *name, *script; /* name without ".tsv" */
} drawing;

static void drawing_free(drawing *d) { WL_FREE(d->folder, d->name, d->script); }

static wl_status drawing_of(const char *script, const char *tsv, drawing *d) {
    const char *slash = strrchr(tsv, '/'), *base = slash == NULL ? tsv : slash + 1;
    size_t length = strlen(base);
    char *path = NULL;
    *d = (drawing){0};
    if (length < 5 || strcmp(base + length - 4, ".tsv") != 0 || strpbrk(base, "'\"\\") != NULL)
        return wl_fail(WL_BAD_USAGE, "%s: a file to draw is named *.tsv, without quotes", tsv);
    if (asprintf(&path, "plots/%s.gp", script) >= 0) d->script = wl_data_path(path);
    free(path);
    d->folder = slash == NULL ? strdup(".") : slash == tsv ? strdup("/") : strndup(tsv, (size_t)(slash - tsv));
    d->name = strndup(base, length - 4);
    if (d->script == NULL || d->folder == NULL || d->name == NULL) {
        drawing_free(d);
        return wl_fail(WL_NO_MACHINE, "not enough memory for a chart");
    }
    if (d->script[0] != '/') { /* WL_DATA may be relative, and gnuplot runs elsewhere */
        char *absolute = realpath(d->script, NULL);
        if (absolute == NULL) {
            wl_status status = wl_fail(WL_NO_MACHINE, "%s: %s", d->script, strerror(errno));
            drawing_free(d);
            return status;
        }
        free(d->script);
        d->script = absolute;
    }
    return WL_OK;
}

/* Move folder/<from><ending> to folder/<to><ending>. */
static int rename_in(const char *folder, const char *from, const char *to, const char *ending) {
    char *old = NULL, *new = NULL;
    int done = asprintf(&old, "%s/%s%s", folder, from, ending) >= 0 &&
               asprintf(&new, "%s/%s%s", folder, to, ending) >= 0 && rename(old, new) == 0;
    if (!done && old != NULL) unlink(old);
    WL_FREE(old, new);
    return done;
}

static wl_status draw(const char *script, const char *tsv, const char *suffix, int is_for_page) {
    drawing d;
    wl_status status = drawing_of(script, tsv, &d);
    if (status != WL_OK) return status;
    /* Drawn under another name first, so that a chart is whole or absent. */
    char *name = NULL, *part = NULL, *settings = NULL, *said = NULL;
    size_t size;
    if (asprintf(&name, "%s%s", d.name, suffix) < 0 || asprintf(&part, ".%s.%ld", name, (long)getpid()) < 0 ||
        asprintf(&settings, "input='%s.tsv'; output='%s'%s", d.name, part,
                 is_for_page ? "; targets='svg'; hover=1" : "") < 0) {
        status = wl_fail(WL_NO_MACHINE, "not enough memory for a chart");
    } else {
        int code = run_gnuplot(d.folder, settings, d.script, &said, &size);
        int svg = rename_in(d.folder, part, name, ".svg"), png = is_for_page || rename_in(d.folder, part, name, ".png");
        if (code != 0 || !svg || !png)
            status = wl_fail(WL_NO_MACHINE, "gnuplot could not draw %s (exit %d): %s", tsv, code, complaint(said));
    }
    WL_FREE(said, settings, part, name);
    drawing_free(&d);
    return status;
}

wl_status wl_chart_draw(const char *script, const char *tsv, const char *suffix) {
    return draw(script, tsv, suffix, 0);
}

wl_status wl_chart_draw_for_page(const char *script, const char *tsv) { return draw(script, tsv, "", 1); }

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
            fprintf(stream, "%.*s\n", (int)length, drawing);
            printed++;
        }
        drawing += whole + (drawing[whole] != 0);
    }
}

wl_status wl_chart_print(FILE *stream, const char *script, const char *tsv) {
    drawing d;
    wl_status status = drawing_of(script, tsv, &d);
    if (status != WL_OK) return status;
    char *settings = NULL, *said = NULL;
    size_t size;
    if (asprintf(&settings, "input='%s.tsv'; terminal='dumb'", d.name) < 0) {
        status = wl_fail(WL_NO_MACHINE, "not enough memory for a chart");
    } else {
        int code = run_gnuplot(d.folder, settings, d.script, &said, &size);
        if (code == 0 && said != NULL) {
            print_trimmed(stream, said);
        } else {
            status = wl_fail(WL_NO_MACHINE, "gnuplot could not draw %s (exit %d): %s", tsv, code, complaint(said));
        }
    }
    WL_FREE(said, settings);
    drawing_free(&d);
    return status;
}

wl_status wl_file_try(const char *path) {
    wl_outfile file = {0};
    wl_status status = wl_outfile_open(path, &file);
    if (status == WL_OK) wl_outfile_discard(&file);
    return status;
}
