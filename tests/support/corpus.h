/* The corpus of good and broken input files, tests/corpus, against what reading each must give, expected.tsv. */
#pragma once

#include <ctype.h>
#include <dirent.h>
#include <unistd.h>

#include "tests/support/unit.h"
#include "harness/base/error.h"

#define CORPUS WL_SOURCE_DIR "/tests/corpus/"

/* A text that grows. */
typedef struct {
    char *text;
    size_t length;
    FILE *stream;
} corpus_text;

static inline void corpus_open(corpus_text *t) { t->stream = open_memstream(&t->text, &t->length); }

static inline const char *corpus_close(corpus_text *t) {
    fclose(t->stream);
    return t->text;
}

/* `text` as a golden file can show it. */
static inline void corpus_put(corpus_text *t, const char *text) {
    for (; *text; text++)
        if (isprint((unsigned char)*text))
            fputc(*text, t->stream);
        else
            fprintf(t->stream, "\\x%02X", (unsigned char)*text);
}

/* Read `path`; when that works, describe what was read. */
typedef wl_status corpus_reader(const char *path, corpus_text *description);

/* Is `text` what `pattern` says, in which {path} stands for `path`? */
static inline int corpus_matches(const char *pattern, const char *text, const char *path) {
    const char *place = strstr(pattern, "{path}");
    if (place == NULL) return strcmp(pattern, text) == 0;
    size_t before = (size_t)(place - pattern), length = strlen(path);
    return strncmp(pattern, text, before) == 0 && strncmp(text + before, path, length) == 0 &&
           corpus_matches(place + 6, text + before + length, path);
}

/* An error line is one line of text that names the file. */
static inline void corpus_check_error(const char *path) {
    const char *error = wl_error();
    assert_non_null(strstr(error, path));
    for (const char *c = error; *c; c++) assert_false(iscntrl((unsigned char)*c));
}

/* Lines of expected.tsv: kind, file, exit code, and the error line or the description. All of `kind` are tried, and
   every file of corpus/<kind>/ must be there. */
static inline void corpus_check(const char *kind, corpus_reader *read) {
    FILE *expected = fopen(CORPUS "expected.tsv", "r");
    assert_non_null(expected);
    char *line = NULL;
    size_t capacity = 0, wrong = 0, listed = 0, present = 0;
    ssize_t length;
    while ((length = getline(&line, &capacity, expected)) > 0) {
        if (line[length - 1] == '\n') line[length - 1] = 0;
        char *rest = line, *of = strsep(&rest, "\t"), *file = strsep(&rest, "\t"), *code = strsep(&rest, "\t");
        if (strcmp(of, kind) != 0) continue;
        listed += strncmp(file, kind, strlen(kind)) == 0;
        char path[4096];
        snprintf(path, sizeof path, CORPUS "%s", file);
        corpus_text description = {0};
        corpus_open(&description);
        wl_status status = read(path, &description);
        const char *text = corpus_close(&description);
        if (status != WL_OK) {
            text = wl_error();
            corpus_check_error(path);
        }
        if ((int)status != atoi(code) || !corpus_matches(rest, text, path)) {
            const char *from = status != WL_OK ? text + strlen(path) : text;
            fprintf(stderr, "%s\t%s\t%d\t%s%s\n", kind, file, (int)status, status != WL_OK ? "{path}" : "", from);
            wrong++;
        }
        free(description.text);
    }
    free(line);
    fclose(expected);
    char folder[4096];
    snprintf(folder, sizeof folder, CORPUS "%s", kind);
    DIR *files = opendir(folder);
    if (files) {
        for (struct dirent *entry; (entry = readdir(files));) present += entry->d_name[0] != '.';
        closedir(files);
    }
    assert_int_equal(listed, present);
    assert_int_equal(wrong, 0);
}
