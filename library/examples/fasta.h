/* What the examples share: sequences from a FASTA file, and text from a file. Other programs have their data already. */
#pragma once

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpladder.h"

typedef struct {
    warpladder_sequence *items; // [count]
    size_t count;
} fasta;

static void must(int is_so, const char *what) {
    if (is_so) return;
    fprintf(stderr, "example: %s\n", what);
    exit(2);
}

/* The whole file as a string, which the caller frees. */
static inline char *read_text(const char *path) {
    FILE *file = fopen(path, "r");
    size_t used = 0, got;
    char *text = malloc(1);
    must(file != NULL, path);
    do {
        text = realloc(text, used + 65537);
        must(text != NULL, "no memory");
        got = fread(text + used, 1, 65536, file);
        used += got;
    } while (got > 0);
    text[used] = 0;
    fclose(file);
    return text;
}

/* Names and letters point into *text, which the caller frees after the sequences. */
static inline fasta read_fasta(const char *path, char **text) {
    fasta f = {NULL, 0};
    *text = read_text(path);
    for (char *at = *text; *at == '>';) {
        char *name = at + 1, *line = strchr(name, '\n'), *to = line;
        must(line != NULL, path);
        for (at = line + 1; *at && *at != '>'; at++)
            if (!isspace((unsigned char)*at)) *to++ = *at; // letters move together, after the name
        f.items = realloc(f.items, (f.count + 1) * sizeof *f.items);
        must(f.items != NULL, "no memory");
        f.items[f.count++] = (warpladder_sequence){name, line, (size_t)(to - line)};
    }
    for (size_t i = 0; i < f.count; i++) { // names end now that all letters have moved
        char *name = (char *)f.items[i].name;
        size_t length = strcspn(name, " \t\r\n");
        if (name + length >= f.items[i].letters) length = (size_t)(f.items[i].letters - name);
        char *copy = malloc(length + 1);
        must(copy != NULL, "no memory");
        memcpy(copy, name, length);
        copy[length] = 0;
        f.items[i].name = copy;
    }
    must(f.count > 0, path);
    return f;
}

static inline void free_fasta(fasta *f, char *text) {
    for (size_t i = 0; i < f->count; i++) free((char *)f->items[i].name);
    free(f->items);
    free(text);
}
