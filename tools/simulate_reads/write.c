/* Simulated data as files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/outfile.h"
#include "io/alignment.h"
#include "tools/simulate_reads/simulate.h"

static void write_tree(FILE *stream, const papara_simulated *s) { fputs(s->newick, stream); }

static void write_reference(FILE *stream, const papara_simulated *s) {
    wl_alignment_write_header(stream, WL_ALIGNMENT_FASTA, s->taxa, s->sites);
    for (uint32_t t = 0; t < s->taxa; t++)
        wl_alignment_write_row(stream, WL_ALIGNMENT_FASTA, s->name[t], s->row[t], s->sites);
}

static void write_reads(FILE *stream, const papara_simulated *s) {
    for (uint32_t q = 0; q < s->reads; q++) fprintf(stream, ">%s\n%s\n", s->read_name[q], s->read[q]);
}

/* Runs of neighbouring columns as first-last; runs of letters without one as +count. */
static void write_columns(FILE *stream, const int32_t *column, size_t letters) {
    for (size_t first = 0, end; first < letters; first = end) {
        int32_t step = column[first] >= 0; // from letter to letter in the run
        for (end = first + 1; end < letters && (column[end] >= 0) == step && column[end] == column[end - 1] + step;)
            end++;
        if (first > 0) putc(',', stream);
        if (!step)
            fprintf(stream, "+%zu", end - first);
        else if (end - first == 1)
            fprintf(stream, "%d", column[first] + 1);
        else
            fprintf(stream, "%d-%d", column[first] + 1, column[end - 1] + 1);
    }
}

static void write_truth(FILE *stream, const papara_simulated *s) {
    fputs("read\ttaxon\tcolumns\n", stream);
    for (uint32_t q = 0; q < s->reads; q++) {
        fprintf(stream, "%s\t%s\t", s->read_name[q], s->name[s->source[q]]);
        write_columns(stream, s->column[q], strlen(s->read[q]));
        putc('\n', stream);
    }
}

static const struct {
    const char *name;
    void (*write)(FILE *stream, const papara_simulated *s);
} files[] = {{"tree.nwk", write_tree},
             {"reference.fasta", write_reference},
             {"reads.fasta", write_reads},
             {"truth.tsv", write_truth}};

enum { FILES = sizeof files / sizeof *files };

static wl_status open_file(const char *folder, const char *name, wl_outfile *file) {
    char *path;
    if (asprintf(&path, "%s/%s", folder, name) < 0) return wl_fail(WL_NO_MACHINE, "not enough memory for a path");
    wl_status status = wl_outfile_open(path, file);
    free(path);
    return status;
}

wl_status papara_simulate_into(const papara_recipe *recipe, const char *folder) {
    papara_simulated simulated = {0};
    wl_outfile file[FILES] = {0};
    wl_status status = WL_OK;
    for (int f = 0; f < FILES && status == WL_OK; f++) status = open_file(folder, files[f].name, &file[f]);
    if (status == WL_OK) status = papara_simulate(recipe, &simulated);
    for (int f = 0; f < FILES && status == WL_OK; f++) files[f].write(file[f].stream, &simulated);
    for (int f = 0; f < FILES && status == WL_OK; f++) status = wl_outfile_commit(&file[f]);
    for (int f = 0; f < FILES; f++) wl_outfile_discard(&file[f]);
    papara_simulated_free(&simulated);
    return status;
}
