/* What the readers of an alignment's letters share. */
#pragma once

#include "tools/distances/read/rows.h"
#include "io/alignment.h"
#include "io/fasta.h"

enum {
    DISTANCES_LETTER_MISSING = 0,
    DISTANCES_LETTER_UNSEEN = 0x40,
    DISTANCES_LETTER_REFUSED = 0x41, // has UNSEEN's bit
};                                   // in the table of codes, whose others are DISTANCES_PRESENT | code

typedef struct {
    char *name, *letters; // letters in the same block, before the name
    size_t length, line;
} distances_kept;

typedef struct {
    distances_rows *rows;
    wl_alignment_letters said; // by the file
    int decided, are_nucleotides;
    distances_kept *first; // [first_count], before the decision
    size_t first_count, first_bytes;
    /* Among the letters of the alphabet seen so far: A, C, G, T, U, N, and those that are no nucleotide's code. */
    uint64_t bases, seen, no_codes;

    uint8_t table[256]; // of letters, both cases
    int codes;
    uint8_t *row; // [words][64]
    size_t first_line;
    uint64_t missing[256]; // how often each letter was taken as missing
} distances_letters;

/* Every reader that has begun is to be ended, also after an error, which `status` is; its rows keep what it returns. */
distances_letters distances_letters_begin(distances_rows *rows);
wl_status distances_letters_end(distances_letters *r, wl_status status);
/* The next sequence: a wl_sequence_taker, of which `context` is a distances_letters. */
wl_status distances_letters_take(void *context, const wl_sequence *sequence);
/* row [length]: the letters' codes. Returns the bits that any of them has; `every` keeps those that all have. */
uint8_t distances_letters_encode(const uint8_t *table, const unsigned char *letters, size_t length, uint8_t *row,
                                 uint8_t *every);
/* Adds to missing [256] which letters of a row were taken as missing. */
void distances_letters_count_missing(const char *letters, const uint8_t *row, size_t length, uint64_t *missing);

/* A plain FASTA file of `size` bytes, open as `file`, by all processors (letters_file.c). False: the file has something in it that needs
   a closer look, or there is not enough memory; what was read so far is to be forgotten. */
int distances_letters_of_file(distances_letters *r, int file, uint64_t size);
