/* The files that `align-reads` writes, each whole or as it was before; see align_outputs_write. */
#ifndef WL_CLI_ALIGN_OUTPUTS_H
#define WL_CLI_ALIGN_OUTPUTS_H

#include "cli/line.h"
#include "harness/base/outfile.h"
#include "papara/align/write.h"

enum { ALIGN_OUTPUTS_MOST = 8 }; // more than there are options for

typedef enum { ALIGN_ROWS, ALIGN_TABLE, ALIGN_TREE, ALIGN_JPLACE, ALIGN_LEFT } align_output_kind;

typedef struct {
    align_output_kind kind;
    int rows; // of ALIGN_ROWS: PAPARA_ROWS_...
    char *path;
    wl_outfile file;
} align_output;

typedef struct {
    align_output items[ALIGN_OUTPUTS_MOST];
    size_t count;
    wl_alignment_format format;
    const char *command; // the whole line, for outputs that say where they come from
} align_outputs;

/* From --output, --format, --split, --table, --numbered-tree, --jplace and --left-out; opens all files, so that what is wrong with their
   names is known before hours of work. inputs [input_count]: files that must not be written over. Close with
   align_outputs_close in either case. */
wl_status align_outputs_open(const wl_line *line, const char *const *inputs, size_t input_count,
                             align_outputs *outputs);
/* Rows and reads of a PHYLIP file whose names RAxML refuses. */
papara_oddity align_outputs_names_refused(const align_outputs *outputs, const papara_data *data);
/* All are written and on the disk before the first gets its name: a full disk leaves every file as it was. Then they are
   renamed, that of --output last (of --split, the reference's), so that where it is new, all are. A rename that fails is the
   last, and the error line says which files are new. When standard output has failed, no file gets its name; wl_finish
   says why. */
wl_status align_outputs_write(align_outputs *outputs, const papara_data *data, const papara_aligned *aligned,
                              const papara_layout *layout);
/* Whether one of them is the program's standard output. */
int align_outputs_to_stdout(const align_outputs *outputs);
void align_outputs_close(align_outputs *outputs);

#endif
