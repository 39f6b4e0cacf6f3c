/* What `align-reads` notes for people, a line each. */
#pragma once

#include "tools/align_reads/outputs.h"

typedef struct {
    const papara_files *files;
    const papara_data *data;
    const papara_outputs *outputs;
    papara_strand strand;
    int keeps_insertions, lists_left; // --keep-insertions, --left-out
} papara_notes;

void papara_note_input(FILE *notes, const papara_notes *of);
void papara_note_result(FILE *notes, const papara_notes *of, const papara_aligned *aligned,
                        const papara_layout *layout);
