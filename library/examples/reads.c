/* Reads aligned to a reference tree, as `warpladder align-reads --format fasta --keep-insertions` prints them.

       cc reads.c $(pkg-config --cflags --libs warpladder) -o reads
       ./reads tree.nwk reference.fasta reads.fasta */
#include "fasta.h"

static void print_rows(const fasta *f, const char *letters, size_t columns) {
    for (size_t i = 0; i < f->count; i++) printf(">%s\n%.*s\n", f->items[i].name, (int)columns, letters + i * columns);
}

int main(int argc, char **argv) {
    char *reference_text, *reads_text;
    must(argc == 4, "expected a Newick file and two FASTA files, reference and reads");
    char *newick = read_text(argv[1]);
    fasta reference = read_fasta(argv[2], &reference_text), reads = read_fasta(argv[3], &reads_text);
    warpladder *session;
    warpladder_alignment *alignment = NULL;
    warpladder_read_options options = WARPLADDER_READ_OPTIONS;
    options.keep_insertions = 1;
    warpladder_status status = warpladder_open("auto", &session);
    if (status == WARPLADDER_OK)
        status = warpladder_align_reads(session, &options, reference.items, reference.count, newick, reads.items,
                                        reads.count, &alignment);
    if (status == WARPLADDER_OK) {
        const size_t columns = warpladder_alignment_columns(alignment);
        const char *letters = warpladder_alignment_letters(alignment);
        print_rows(&reference, letters, columns);
        print_rows(&reads, letters + reference.count * columns, columns);
    } else {
        fprintf(stderr, "reads: %s\n", warpladder_error(session));
    }
    warpladder_alignment_close(alignment);
    warpladder_close(session);
    free_fasta(&reads, reads_text);
    free_fasta(&reference, reference_text);
    free(newick);
    return (int)status;
}
