/* Columns that repeat within a subtree: what is above such a subtree needs each different column's vector only once. Found on the
   host, for stages that read subtrees of few different columns from tables. */
#pragma once

#include "harness/base/error.h"
#include "harness/base/linkage.h"
#include "peeling/join.h"

WL_C_BEGIN

struct peeling_input;

/* An entry of a table: T = P F, where F is the product of two other entries, state by state. A tip's entry: F is 1 for the states in
   `left`, a set as bits, and 0 for others; `right` is PEELING_OF_TIP. */
#define PEELING_OF_TIP 0xffffffffu
typedef struct {
    uint32_t left, right, matrix; // P of the branch above the subtree
} peeling_entry;

/* Entries [first, first + count) can be computed together, after those of the table's steps before. */
typedef struct {
    uint32_t first, count;
} peeling_step;

/* The first of each batch of joins that a block of threads has in shared memory together. */
typedef struct peeling_batch {
    uint32_t join, table, entry;
} peeling_batch;

/* The join that reads a table: its number among all, which child the table is, and where the table is in the batch. */
typedef struct peeling_reader {
    uint32_t join, child, table, entry;
} peeling_reader;

/* The largest subtrees with few different columns. Each is a table: its last step's entries, which `code` picks for each pattern.
   Tables are numbered in the order in which the joins above read them, and their entries follow each other in that order. */
typedef struct peeling_repeats {
    uint32_t tables, entries, steps, joins;
    peeling_entry *entry;   // [entries]: those of subtrees within the tables first
    uint32_t *first;        // [tables + 1] into `entry`: a table's own
    uint32_t *first_step;   // [tables + 1]
    peeling_step *step;     // [steps]
    uint8_t *code;          // [tables][row]: an entry of the table, from 0; 0 after the last pattern
    uint32_t row;           // the patterns, rounded up to PEELING_ROW
    peeling_join *join;     // [joins]: the joins above the tables, whose numbers below `tips` are tables
    peeling_join *whole;    // [tips - 1]: the joins of which all this was found
    peeling_batch *batch;   // [joins + 1]: see peeling_cut_repeats
    peeling_reader *reader; // [tables]: the same
    uint32_t batches;
} peeling_repeats;
enum { PEELING_ROW = 1024 };

/* How many different columns a table may have for so many patterns, at most 256: a code is a byte. Blocks of threads read all tables,
   so small inputs have small tables. */
uint32_t peeling_repeats_most(uint32_t patterns);

/* Finds them for the joins of a whole tree in the order of peeling_tree_work, if its shape is another than the last time: *is_new. Data of
   at most 256 codes. WL_NO_MACHINE: no memory. A `repeats` that is all zero is empty. */
wl_status peeling_find_repeats(const struct peeling_input *in, const peeling_join *joins, uint32_t count,
                               peeling_repeats *repeats, int *is_new);
/* Cuts the joins into batches of up to `joins`, whose tables have up to `entries`: batch [batches + 1], reader [tables]. */
void peeling_cut_repeats(peeling_repeats *repeats, uint32_t tips, uint32_t joins, uint32_t entries);
void peeling_repeats_free(peeling_repeats *repeats);

WL_C_END
