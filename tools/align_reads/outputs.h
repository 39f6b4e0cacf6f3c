/* The files that `align-reads` writes, each whole or as it was before; see papara_outputs_write. */
#pragma once

#include "harness/base/outfile.h"
#include "tools/align_reads/write.h"

enum { PAPARA_OUTPUTS_MOST = 8 }; // more than a request can name

typedef enum {
    PAPARA_OUTPUT_ROWS,
    PAPARA_OUTPUT_TABLE,
    PAPARA_OUTPUT_TREE,
    PAPARA_OUTPUT_JPLACE,
    PAPARA_OUTPUT_LEFT
} papara_output_kind;

typedef struct {
    papara_output_kind kind;
    int rows; // of PAPARA_OUTPUT_ROWS: PAPARA_ROWS_...
    char *path;
    wl_outfile file;
} papara_output;

typedef struct {
    papara_output items[PAPARA_OUTPUTS_MOST];
    size_t count;
    wl_alignment_format format; // PHYLIP or FASTA
    const char *command;        // the whole command line, for outputs that name their origin
} papara_outputs;

/* What to write. */
typedef struct {
    const char *output;         // of the alignment; "-": standard output
    wl_alignment_format format; // AUTO: by the name's end; standard output is PHYLIP
    int split;                  // out.reference.fasta and out.reads.fasta instead of out.fasta
    const char *table, *numbered_tree, *jplace, *left_out; // files, or "-"; NULL: not written
    const char *command;                                   // stays until the outputs are closed
    const char *const *inputs;                             // [input_count]: files that must not be written over
    size_t input_count;
} papara_outputs_request;

/* Opens all files, so that wrong names are reported before hours of work. WL_BAD_USAGE: a name without a format, a name of two outputs
   or of an input, a path that cannot be written. WL_NO_MACHINE: no memory, a full disk. Always close with papara_outputs_close. */
wl_status papara_outputs_open(const papara_outputs_request *request, papara_outputs *outputs);
/* Rows and reads of a PHYLIP file whose names RAxML refuses. The name is the data's. */
papara_oddity papara_outputs_names_refused(const papara_outputs *outputs, const papara_data *data);
/* Writes all files to the disk before the first gets its name, so a full disk leaves all old files as they were. Then renames them, the
   alignment last (with `split`, the reference's): if it is new, all are. Renaming stops at the first failure, and the error line says
   which files are new. If standard output has failed, no file gets its name and the result is WL_OK; the last flush reports it. */
wl_status papara_outputs_write(papara_outputs *outputs, const papara_data *data, const papara_aligned *aligned,
                               const papara_layout *layout);
/* Whether one of them is the program's standard output. */
int papara_outputs_to_stdout(const papara_outputs *outputs);
void papara_outputs_close(papara_outputs *outputs);
