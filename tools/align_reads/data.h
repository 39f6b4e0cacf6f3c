/* The input of `align-reads`: a tree, its alignment and the reads, checked against each other. */
#pragma once

#include "io/alignment.h"
#include "io/newick.h"
#include "io/fasta.h"
#include "papara/alphabet.h"
#include "tools/align_reads/tree/ancestors.h"

typedef struct {
    const char *tree, *reference, *reads; // paths; one of them may be "-"
    wl_alignment_format reference_format;
    papara_alphabet alphabet;
    int wants_all_reads; // refuse reads of nothing but N, too, which are left out otherwise
    int skip_bad_reads;  // leave out reads without letters, with too many, or with a taken name, instead of refusing
    int paired;          // two reads of one name are the first and the second of a pair
} papara_files;

/* Why a read is left out. */
typedef enum {
    PAPARA_LEFT_NOT,
    PAPARA_LEFT_EMPTY,
    PAPARA_LEFT_UNKNOWN, // all of its letters are N (protein: X), which fit everywhere
    PAPARA_LEFT_LONG,
    PAPARA_LEFT_ROW_NAME,  // its name is a row's
    PAPARA_LEFT_READ_NAME, // or that of a read before it
    PAPARA_LEFT_SCORE      // its score per letter is above the limit
} papara_left_reason;

typedef struct {
    wl_sequence sequence;
    papara_left_reason reason;
    int score; // with PAPARA_LEFT_SCORE
} papara_left;

/* Sequences with something unusual that is not wrong. */
typedef struct {
    size_t count;      // of sequences
    uint64_t letters;  // of those letters, in all of them
    const char *first; // the first one's name; NULL: none
} papara_oddity;

typedef struct {
    papara_alphabet alphabet;
    wl_newick newick;
    papara_tree tree;            // its tips are the rows
    papara_ancestors *ancestors; // of the tree, for several calls of papara_align; NULL: each makes its own
    wl_alignment reference;
    const char **name, **row; // [reference.count], of its rows
    wl_sequences sequences;   // the reads in the file's order; letters as in the file, without '-', '.' and '?'
    papara_reads reads;       // the same as codes; view of the three below
    uint32_t *length;
    uint64_t *start;
    uint8_t *codes;    // [letters]
    uint64_t letters;  // of all reads of the file, also those that are left out
    char *pair_names;  // of reads that papara_name_pairs has renamed; NULL: none
    papara_left *left; // [left_count]: reads that are left out; nothing above has them
    size_t left_count;
    papara_oddity dropped; // reads with '-', '.' or '?', which are left out
    papara_oddity unusual; // rows with '.', which has become '-', or '?': both are gaps
    papara_oddity without; // rows that have only gaps
    papara_oddity unknown; // rows that have only gaps and N (protein: X)
    double bases;          // the share of the reads' letters that are A, C, G, T, U or N
} papara_data;

/* Reads all three files. Bad input is WL_BAD_INPUT, with file, line and name. The tree's taxa have to be the rows. No name may occur
   twice or have a blank. A read needs letters, but not more than there are sites, and it may not have a row's name (unless such reads are
   skipped). Each letter has to be a nucleotide or an amino acid. On success free with papara_data_free; on failure there is nothing to
   free. */
wl_status papara_data_read(const papara_files *files, papara_data *data);
/* The same for data in memory. Takes over all three, also on failure; error lines use the paths of `files`. */
wl_status papara_data_make(const papara_files *files, wl_alignment reference, wl_newick newick, wl_sequences reads,
                           papara_data *data);
void papara_data_free(papara_data *data);
/* The tree's ancestral state vectors, on `threads` threads (0: all). On success free with papara_ancestors_free. */
wl_status papara_data_ancestors(const papara_data *data, int threads, papara_ancestors **ancestors);
