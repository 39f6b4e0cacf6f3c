#include "harness/base/argfile.h"
#include "harness/base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static wl_status no_memory(void) { return wl_fail(WL_NO_MACHINE, "no memory for the command line"); }

/* --- Words that grow ---------------------------------------------------------------------------------------------- */

static wl_status add(wl_argfile *g, char *word) {
    if (!WL_GROW(g->argv, (size_t)g->argc, 2)) return no_memory();
    g->argv[g->argc++] = word;
    g->argv[g->argc] = NULL;
    return WL_OK;
}

/* The same of a word from malloc, NULL if there was no memory for it. */
static wl_status add_own(wl_argfile *g, char *word) {
    if (word == NULL || !WL_GROW(g->own, (size_t)g->own_count, 1)) {
        free(word);
        return no_memory();
    }
    g->own[g->own_count++] = word;
    return add(g, word);
}

/* --- Lists of options --------------------------------------------------------------------------------------------- */

/* Reads the next word as a shell does: blanks end it, except in quotes, and a backslash takes the next character as it is. *open says
   whether a quote is not closed. The word is written over `text`. */
static char *next_word(char **text, int *open) {
    char *from = *text, *word, *to, quote = 0;
    for (;;) {
        from += strspn(from, " \t\r\n");
        if (*from != '#') break;
        from += strcspn(from, "\n"); // a comment
    }
    if (*from == 0) return NULL;
    for (word = to = from; *from && (quote || !isspace((unsigned char)*from)); from++) {
        if (quote ? *from == quote : *from == '\'' || *from == '"') {
            quote = quote ? 0 : *from;
            continue;
        }
        if (*from == '\\' && quote != '\'' && from[1]) from++;
        *to++ = *from;
    }
    *open = quote != 0;
    *text = from + (*from != 0);
    *to = 0;
    return word;
}

static wl_status read_text(const char *path, char **text) {
    FILE *file = fopen(path, "r");
    if (file == NULL) return wl_fail(WL_BAD_INPUT, "%s: %s; expected a list of options", path, strerror(errno));
    size_t size = 0;
    errno = 0;
    const ssize_t length = getdelim(text, &size, '\0', file);
    const int error = errno, more = length > 0 && (*text)[length - 1] == '\0' && strlen(*text) != (size_t)length;
    fclose(file);
    if (length < 0 && error != 0)
        return wl_fail(WL_BAD_INPUT, "%s: %s; expected a list of options", path, strerror(error));
    if (more) return wl_fail(WL_BAD_INPUT, "%s: found a zero byte; expected a list of options", path);
    return WL_OK;
}

static wl_status add_list(wl_argfile *g, const char *path) {
    char *text = NULL, *at, *word;
    int open = 0;
    wl_status status = read_text(path, &text);
    at = text;
    while (status == WL_OK && at && (word = next_word(&at, &open)) != NULL) {
        if (open)
            status = wl_fail(WL_BAD_INPUT, "%s: found a quote that is not closed; expected another", path);
        else
            status = add_own(g, strdup(word));
    }
    free(text);
    return status;
}

/* --- Another program's options ------------------------------------------------------------------------------------ */

static const wl_foreign *row_of(const wl_foreign *rows, const char *word, size_t length, const char *value) {
    const wl_foreign *found = NULL;
    for (const wl_foreign *r = rows; r && r->name; r++) {
        if (strlen(r->name) != length || memcmp(r->name, word, length) != 0) continue;
        if (r->value == NULL && found == NULL) found = r;
        if (r->value && value && strcmp(r->value, value) == 0) found = r;
    }
    return found;
}

static wl_status ignore(wl_argfile *g, const wl_foreign *row) {
    char *more;
    if (asprintf(&more, "%s%s-%s", g->ignored ? g->ignored : "", g->ignored ? ", " : "", row->name) < 0)
        return no_memory();
    free(g->ignored);
    g->ignored = more;
    return WL_OK;
}

static wl_status add_translation(wl_argfile *g, const wl_foreign *row, const char *value) {
    if (row->words == NULL) return ignore(g, row);
    wl_status status = WL_OK;
    for (const char *at = row->words; *at && status == WL_OK; at += at[0] == '\n') {
        const size_t length = strcspn(at, "\n");
        const char *place = memmem(at, length, "%s", 2);
        char *word;
        const int before = place ? (int)(place - at) : (int)length;
        if (asprintf(&word, "%.*s%s", before, at, place ? value : "") < 0) word = NULL;
        status = add_own(g, word);
        at += length;
    }
    return status;
}

/* *taken: the row's, and *at is at its last word. */
static wl_status translate(const wl_foreign *rows, int argc, char **argv, int *at, wl_argfile *g, int *taken) {
    const char *word = argv[*at] + 1;
    const size_t length = strcspn(word, "=");
    const char *value = word[length] ? word + length + 1 : NULL;
    const wl_foreign *row = row_of(rows, word, length, NULL);
    *taken = 0;
    for (const wl_foreign *r = rows; row == NULL && r->name; r++) // a name of which all rows are about a value
        if (strlen(r->name) == length && memcmp(r->name, word, length) == 0) row = r;
    if (row == NULL) return WL_OK;
    if (!row->takes_value) {
        *taken = value == NULL;
        return *taken ? add_translation(g, row, NULL) : WL_OK;
    }
    if (value == NULL && *at + 1 == argc) return wl_fail(WL_BAD_USAGE, "option -%s: the value is missing", row->name);
    if (value == NULL) value = argv[++*at];
    *taken = 1;
    const wl_foreign *about = row_of(rows, word, length, value);
    if (about == NULL)
        return wl_fail(WL_BAD_USAGE, "option -%s: found '%.80s'; expected '%s' or another value that is known",
                       row->name, value, row->value);
    return add_translation(g, about, value);
}

/* --- A line ------------------------------------------------------------------------------------------------------- */

wl_status wl_argfile_read(const wl_foreign *foreign, int argc, char **argv, wl_argfile *argfile) {
    wl_argfile lists = {0};
    *argfile = (wl_argfile){0};
    wl_status status = WL_OK;
    int ended = 0;
    for (int i = 0; i < argc && status == WL_OK; i++) {
        ended |= i > 0 && strcmp(argv[i], "--") == 0;
        if (i > 0 && !ended && argv[i][0] == '@' && argv[i][1])
            status = add_list(&lists, argv[i] + 1);
        else
            status = add(&lists, argv[i]);
    }
    argfile->own = lists.own; // these words stay, their list does not
    argfile->own_count = lists.own_count;
    ended = 0;
    for (int i = 0, taken; i < lists.argc && status == WL_OK; i++) {
        ended |= strcmp(lists.argv[i], "--") == 0;
        taken = 0;
        if (i > 0 && !ended && foreign && lists.argv[i][0] == '-' && isalpha((unsigned char)lists.argv[i][1]) &&
            lists.argv[i][2])
            status = translate(foreign, lists.argc, lists.argv, &i, argfile, &taken);
        if (status == WL_OK && !taken) status = add(argfile, lists.argv[i]);
    }
    free(lists.argv);
    return status;
}

void wl_argfile_free(wl_argfile *argfile) {
    for (int i = 0; i < argfile->own_count; i++) free(argfile->own[i]);
    WL_FREE(argfile->own, argfile->argv, argfile->ignored);
    *argfile = (wl_argfile){0};
}

char *wl_argfile_line(int argc, char **argv) {
    static const char plain[] = "%+,-./:=@_";
    static const char *const variables[] = {"WL_CPU_ISA", "OMP_NUM_THREADS"};
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream) return NULL;
    for (size_t v = 0; v < sizeof variables / sizeof *variables; v++)
        if (getenv(variables[v])) fprintf(stream, "%s=%s ", variables[v], getenv(variables[v]));
    for (int i = 0; i < argc; i++) {
        int quote = i > 0 && *argv[i] == 0;
        for (const char *c = argv[i]; *c && i > 0; c++) quote |= !isalnum((unsigned char)*c) && !strchr(plain, *c);
        fputs(i > 0 ? quote ? " '" : " " : "", stream);
        for (const char *c = argv[i]; *c; c++) fputs(*c == '\'' ? "'\\''" : (char[]){*c, 0}, stream);
        if (quote) fputc('\'', stream);
    }
    if (fclose(stream) == 0) return text;
    free(text);
    return NULL;
}
