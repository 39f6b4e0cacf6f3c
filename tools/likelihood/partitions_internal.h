/* What the files of tools/likelihood/partitions*.c share. */
#pragma once

#include "tools/likelihood/partitions.h"

/* A text between two places of the file. */
typedef struct {
    const char *begin, *end;
    size_t line;
} partitions_piece;

typedef struct {
    const char *path;
    size_t columns;
    peeling_partitions *made;
    uint32_t *owner;        // [columns]: the partition that has it, from 1; 0: none
    partitions_piece *sets; // [set_count], of NEXUS: names and columns by turns
    size_t set_count;
    partitions_piece charpartition, partition; // what follows the last of these words; of MrBayes the second
} partitions_reader;

/* WL_BAD_INPUT: the file, the line and the text. */
wl_status partitions_refuse(const partitions_reader *r, const partitions_piece *at, const char *expected);
/* Without white space around it. */
partitions_piece partitions_trimmed(partitions_piece text);
/* Text before the next `mark` outside of braces, and *rest after it. 0: there is none, and all text is before. */
int partitions_cut_at(partitions_piece text, char mark, partitions_piece *before, partitions_piece *rest);
int partitions_same_text(const partitions_piece *text, const partitions_piece *other);
/* One more partition. model: NULL: the file has none. */
wl_status partitions_add(partitions_reader *r, const partitions_piece *name, const partitions_piece *model,
                         const partitions_piece *ranges);

wl_status partitions_read_nexus(partitions_reader *r, char *text, size_t size);
