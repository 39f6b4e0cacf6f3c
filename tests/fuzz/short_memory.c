/* Memory that runs out: every file of the corpus is read with the first allocation failing, then the second, and so
   on until none fails. Each time the reader must say WL_NO_MACHINE or WL_BAD_INPUT, and give back what it has taken
   (the leak checker of the `sanitize` preset looks). The readers are compiled a second time for this, with malloc and
   its kin renamed to the functions below. */
#include <dirent.h>
#include <stdio.h>

#undef malloc
#undef calloc
#undef realloc
#undef strdup
#undef aligned_alloc
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "distances/data.h"
#include "harness/bench/problem.h"
#include "io/alignment.h"
#include "io/newick.h"
#include "io/fasta.h"
#include "tests/support/table.h"
#include "io/database/database.h"

static size_t left = (size_t)-1; /* allocations until one fails; those before main do not */

static int fails(void) { return left == 0 ? 1 : (left--, 0); }

void *short_malloc(size_t size) { return fails() ? NULL : malloc(size); }
void *short_calloc(size_t count, size_t size) { return fails() ? NULL : calloc(count, size); }
void *short_realloc(void *old, size_t size) { return fails() ? NULL : realloc(old, size); }
void *short_aligned_alloc(size_t to, size_t size) { return fails() ? NULL : aligned_alloc(to, size); }
char *short_strdup(const char *text) { return fails() ? NULL : strdup(text); }

static wl_status read_sequences(const char *path) {
    wl_sequences sequences;
    wl_status status = wl_sequences_read(path, &sequences);
    if (status == WL_OK) wl_sequences_free(&sequences);
    return status;
}

static wl_status read_table(const char *path) {
    wl_table table;
    wl_status status = table_read(path, 2, &table);
    if (status == WL_OK) wl_table_free(&table);
    return status;
}

static wl_status read_lessons(const char *path) {
    const wl_problem *lessons = wl_problem_named("lessons");
    const char *values[16] = {0};
    wl_arguments arguments = {lessons->options, values, 0};
    for (; lessons->options[arguments.count].name; arguments.count++)
        if (strcmp(lessons->options[arguments.count].name, "input") == 0) values[arguments.count] = path;
    void *input;
    wl_status status = lessons->input_create(&arguments, 1, 0, &input);
    if (status == WL_OK) lessons->input_free(input);
    return status;
}

static wl_status read_database(const char *path) {
    sw_database database;
    wl_status status = sw_database_open(path, SW_PROTEIN, &database);
    if (status == WL_OK) sw_database_close(&database);
    return status;
}

static wl_status read_newick(const char *path) {
    wl_newick tree;
    wl_status status = wl_newick_read(path, &tree);
    if (status == WL_OK) wl_newick_free(&tree);
    return status;
}

static wl_status read_alignment(const char *path) {
    wl_alignment alignment;
    wl_status status = wl_alignment_read(path, WL_ALIGNMENT_AUTO, &alignment);
    if (status == WL_OK) wl_alignment_free(&alignment);
    return status;
}

static wl_status read_distances(const char *path) {
    const distances_reading reading = {.every_letter = 1};
    distances_data data;
    wl_status status = distances_read(path, &reading, NULL, &data);
    if (status == WL_OK) distances_data_free(&data);
    return status;
}

static int wrong;

static void try(const char *path, wl_status read(const char *path)) {
    left = (size_t)-1;
    wl_status with_memory = read(path);
    for (size_t allocations = 0;; allocations++) {
        left = allocations;
        wl_status status = read(path);
        if (left > 0 || allocations > 10000) { /* none has failed */
            wrong += status != with_memory;
            return;
        }
        /* A file may be refused before memory runs out, and the last allocation left may have been enough. */
        if (status != WL_NO_MACHINE && status != with_memory) {
            fprintf(stderr, "%s: status %d with %zu allocations: %s\n", path, (int)status, allocations, wl_error());
            wrong++;
        }
    }
}

static void try_all(const char *path) {
    try(path, read_sequences);
    try(path, read_table);
    try(path, read_lessons);
    try(path, read_database);
    try(path, read_newick);
    try(path, read_alignment);
    try(path, read_distances);
}

/* Texts of a length that makes them grow. */
static void try_long(int fastq) {
    char path[] = "/tmp/wl-test-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    for (int i = 0; file && i < 2; i++) {
        fprintf(file, "%cname%0999d comment%0999d\n", fastq ? '@' : '>', i, i);
        for (int k = 0; k < 200000; k++) fputc('A', file);
        fputs(fastq ? "\n+\n" : "\n", file);
        for (int k = 0; fastq && k < 200000; k++) fputc('I', file);
        fputc('\n', file);
    }
    if (file == NULL || fclose(file) != 0) {
        perror(path);
        wrong++;
    }
    try_all(path);
    unlink(path);
}

int main(int count, char **folders) {
    size_t files = 0;
    for (int i = 1; i < count; i++) {
        DIR *folder = opendir(folders[i]);
        if (folder == NULL) return fprintf(stderr, "%s: cannot open; expected a folder\n", folders[i]), 2;
        for (struct dirent *entry; (entry = readdir(folder));) {
            if (entry->d_name[0] == '.') continue;
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", folders[i], entry->d_name);
            try_all(path);
            files++;
        }
        closedir(folder);
    }
    try_long(0);
    try_long(1);
    printf("%zu files\n", files);
    return wrong > 0 || files == 0;
}
