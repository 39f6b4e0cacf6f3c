/* Makes sets of encoded sequences (view.h), which one block of memory holds. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "harness/base/linkage.h"
#include "harness/base/error.h"
#include "io/fasta.h"
#include "io/database/alphabet.h"
#include "io/database/view.h"

WL_C_BEGIN

#define SW_LENGTH_MOST ((uint32_t)1 << 30)
#define SW_ALIGN 4 // every sequence begins at a multiple of it
#define SW_ENDS 3  // SW_END bytes after every sequence, at least: so the last group of SW_ALIGN has one letter at most

/* Sequences first .. first + count - 1 as a set of their own, over the same memory. */
sw_set sw_set_part(const sw_set *set, size_t first, size_t count);

/* A set that owns its memory. */
typedef struct {
    sw_set set;
    void *memory;
    size_t *order;  // [count]: which of the input's sequences (in the order given) each is
    char **name;    // [count], "" where there is none
    char **comment; // [count]
    char **quality; // [count]: of FASTQ, [length], a string; NULL where there is none
} sw_owned_set;

/* Bytes a sequence of `length` takes, ends included. */
#define SW_PITCH_MORE (SW_ENDS + SW_ALIGN - 1) // beside its length, at most
static inline uint64_t sw_pitch(uint64_t length) { return (length + SW_ENDS + SW_ALIGN - 1) / SW_ALIGN * SW_ALIGN; }

/* What error lines expect of a letter. */
const char *sw_letters_expected(sw_alphabet alphabet);

/* Encode sequences. longest_first: sorted by length, descending, equal lengths in the order given; else in the order given.
   A letter that is not of the alphabet ('-', '?', '.'; in nucleotides any but IUPAC's) is WL_BAD_INPUT with file, line, position
   and sequence. `path` for the error lines. On success free with sw_owned_set_free. */
wl_status sw_set_encode(const char *path, const wl_sequences *sequences, sw_alphabet alphabet, int longest_first,
                        sw_owned_set *owned);
void sw_owned_set_free(sw_owned_set *owned);

/* The codes of one sequence's letters into residues [sequence->length]; NULL: they are only checked. code: sw_code of every byte, made once. Refuses as
   sw_set_encode does. */
wl_status sw_encode(const char *path, const wl_sequence *sequence, sw_alphabet alphabet, const int8_t code[256],
                    uint8_t *residues);

/* A record as sw_encode takes it: without '-' and '.', if strips_gaps, and of the alphabet's letters. *kept: whether it is one; else it is
   left out and counted, or WL_BAD_INPUT if left_out, which may be NULL, does not have that fault. If it has
   none, letters are left to sw_encode. */
wl_status sw_examine(const char *path, wl_sequence *sequence, sw_alphabet alphabet, const int8_t code[256],
                     int strips_gaps, wl_left_out *left_out, int *kept);

/* Which part of a set of proteins' letters (the last million, shortest sequences first in a database) are A, C, G, T, U
   or N: about a quarter in real proteins, 0.9 and more where somebody took nucleotides for proteins. 0 where there are too
   few letters to tell. */
double sw_set_bases(const sw_set *set);

/* Room for sequences of these lengths, start and the ends filled in, every residue still to be written through
   (uint8_t *)owned->set.residues. Names and comments are "". WL_NO_MACHINE when it does not fit. */
wl_status sw_set_allocate(size_t count, const uint32_t *lengths, sw_owned_set *owned);

WL_C_END
