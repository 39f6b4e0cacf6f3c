/* The distances between all sequences of an aligned FASTA file, as `warpladder distances` prints them, by libwarpladder.

       cc distances.c $(pkg-config --cflags --libs warpladder) -o distances
       ./distances alignment.fasta */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpladder.h"

/* A program of its own would have its sequences already; here they come from a file. */
typedef struct {
    char **names;  // [count]
    char *letters; // [count][sites]
    size_t count, sites;
} alignment;

static void add_row(alignment *a, char *header) {
    header[strcspn(header, " \t\r\n")] = 0;
    a->names = realloc(a->names, (a->count + 1) * sizeof *a->names);
    a->names[a->count++] = strdup(header + 1);
}

static int read_fasta(const char *path, alignment *a) {
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0, used = 0;
    if (file == NULL) return 0;
    while (getline(&line, &capacity, file) > 0) {
        if (*line == '>') {
            add_row(a, line);
            continue;
        }
        a->letters = realloc(a->letters, used + strlen(line));
        for (const char *c = line; *c; c++)
            if (!isspace((unsigned char)*c)) a->letters[used++] = *c;
    }
    free(line);
    fclose(file);
    a->sites = a->count ? used / a->count : 0;
    return a->count > 0 && a->sites * a->count == used;
}

static void print(const alignment *a, const double *distance) {
    printf("warpladder %s", warpladder_version());
    for (size_t i = 0; i < a->count; i++) printf("\t%s", a->names[i]);
    for (size_t i = 0; i < a->count; i++) {
        printf("\n%s", a->names[i]);
        for (size_t j = 0; j < a->count; j++) printf("\t%.0f", distance[i * a->count + j]);
    }
    putchar('\n');
}

int main(int argc, char **argv) {
    alignment a = {0};
    if (argc != 2 || !read_fasta(argv[1], &a)) {
        fprintf(stderr, "usage: distances FILE, aligned sequences in FASTA\n");
        return 2;
    }
    double *distance = malloc(a.count * a.count * sizeof *distance);
    warpladder *session;
    warpladder_status status = warpladder_open("auto", &session);
    if (status == WARPLADDER_OK)
        status = warpladder_distances_letters(session, NULL, a.letters, a.count, a.sites, distance, NULL);
    if (status == WARPLADDER_OK)
        print(&a, distance);
    else
        fprintf(stderr, "distances: %s\n", warpladder_error(session));
    warpladder_close(session);
    for (size_t i = 0; i < a.count; i++) free(a.names[i]);
    free(a.names);
    free(a.letters);
    free(distance);
    return (int)status;
}
