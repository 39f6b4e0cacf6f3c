/* Encoded sequences, as a database file has them and as kernels read them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "harness/base/linkage.h"

WL_C_BEGIN

/* Both alphabets share the numbers' range, so that kernels know one kind of sequence. Rows and columns of a scoring matrix have
   SW_CODES. Codes 0 .. SW_LETTERS - 1 are letters, SW_END ends a sequence. */
#define SW_CODES 32
#define SW_LETTERS 27
#define SW_END 27
typedef enum { SW_PROTEIN, SW_NUCLEOTIDE } sw_alphabet;

/* A set in one block of memory. Sequence s is residues[start[s]] .. residues[start[s] + length[s] - 1], then SW_END bytes, at least 3, up to the next multiple of 4,
   where sequence s + 1 begins. This is a view: whoever made the arrays frees them. start[0] may be more than
   0: a set can be a stretch of a larger one, and `residues` is then still the larger one's. */
typedef struct {
    size_t count;
    const uint32_t *length;  // [count], each 1 .. SW_LENGTH_MOST
    const uint64_t *start;   // [count]
    const uint8_t *residues; // codes
    uint64_t letters;        // sum of length
    uint32_t longest;        // 0 when count is 0
} sw_set;

/* Bytes from the first sequence's first residue to the last one's end. 0 for an empty set. */
uint64_t sw_set_bytes(const sw_set *set);

WL_C_END
