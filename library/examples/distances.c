/* The distances between all sequences of an aligned FASTA file, as `warpladder distances` prints them.

       cc distances.c $(pkg-config --cflags --libs warpladder) -o distances
       ./distances alignment.fasta */
#include "fasta.h"

static void print(const fasta *f, const double *distance) {
    printf("warpladder %s", warpladder_version());
    for (size_t i = 0; i < f->count; i++) printf("\t%s", f->items[i].name);
    for (size_t i = 0; i < f->count; i++) {
        printf("\n%s", f->items[i].name);
        for (size_t j = 0; j < f->count; j++) printf("\t%.0f", distance[i * f->count + j]);
    }
    putchar('\n');
}

/* [count][sites], as the library takes aligned letters. */
static char *join(const fasta *f) {
    const size_t sites = f->items[0].length;
    char *letters = malloc(f->count * sites);
    must(letters != NULL, "no memory");
    for (size_t i = 0; i < f->count; i++) {
        must(f->items[i].length == sites, "sequences of different lengths");
        memcpy(letters + i * sites, f->items[i].letters, sites);
    }
    return letters;
}

int main(int argc, char **argv) {
    char *text;
    must(argc == 2, "expected a FASTA file of aligned sequences");
    fasta f = read_fasta(argv[1], &text);
    char *letters = join(&f);
    double *distance = malloc(f.count * f.count * sizeof *distance);
    must(distance != NULL, "no memory");
    warpladder *session;
    warpladder_status status = warpladder_open("auto", &session);
    if (status == WARPLADDER_OK)
        status = warpladder_distances_letters(session, NULL, letters, f.count, f.items[0].length, distance, NULL);
    if (status == WARPLADDER_OK)
        print(&f, distance);
    else
        fprintf(stderr, "distances: %s\n", warpladder_error(session));
    warpladder_close(session);
    free(distance);
    free(letters);
    free_fasta(&f, text);
    return (int)status;
}
