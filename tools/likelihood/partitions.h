/* Partitions: parts of an alignment's columns, each with a model of its own. */
#pragma once

#include "io/alignment.h"
#include "peeling/model/model.h"

typedef struct {
    char *name;
    char *model;               // as in the file, without +BU; NULL: it names none
    int type;                  // peeling_alphabet, of DNA, AA and CODON; -1: not said
    peeling_genetic_code code; // of CODON2
    size_t *column;            // [columns], from 0, in the order of the file
    size_t columns;
    double length; // of the partition's tree, in all: IQ-TREE's {..} after the name; NaN: not said
    double factor; // of the tree's lengths: RAxML-NG's +BU{..}; NaN: not said
    size_t line;   // of the file, from 1
} peeling_partition;

typedef struct {
    peeling_partition *items;
    size_t count;
    int is_nexus;
} peeling_partitions;

/* Reads partitions in one of two formats.
   RAxML-NG: a line is one partition, "MODEL, name = 1-100, 200-300\3" (or "/3"). Empty lines and lines that begin with '#' are skipped.
   NEXUS: a block SETS, MRBAYES, PAUP or ASSUMPTIONS has "charset name = 1-100 200-.\3;". It may also have "charpartition any =
   MODEL:name, ...;" or MrBayes' "partition any = 2: name, name;".
   DNA, AA (or PROT) and CODON, with NCBI's number of the genetic code as in CODON2, may stand in place of a model, or with ',' before the
   columns. Column numbers are from 1 to `columns`; '.' is the last; a charset may name others. A model's own commas stand in braces.
   Columns that no partition has are left out.
   WL_BAD_INPUT comes with file and line. The text is none of this; there is no partition; a column is there twice, or beyond the last; a
   name is there twice. A charset may also be missing, or be in a file of another program (its "file:" prefix). The models check that
   codon partitions are whole codons. On success free with peeling_partitions_free; else nothing is to be freed. */
wl_status peeling_partitions_read(const char *path, size_t columns, peeling_partitions *made);
void peeling_partitions_free(peeling_partitions *partitions);
/* Whether the file says that their lengths differ: by factors that are not 1, or lengths that are not the same. */
int peeling_partitions_are_scaled(const peeling_partitions *partitions);

/* The alignment's columns of one partition, all rows. Free with wl_alignment_free. */
wl_status peeling_partition_cut(const wl_alignment *alignment, const peeling_partition *partition, wl_alignment *made);
