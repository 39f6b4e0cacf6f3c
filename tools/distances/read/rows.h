/* Instances as the readers find them, one after another: how distances_data grows. */
#pragma once

#include "distances/data.h"
#include "io/bytes.h"
#include "io/fasta.h"

/* A byte of a row of codes: the value's bits, one a plane, and whether there is a value. 0 is a missing one. */
enum { DISTANCES_PRESENT = 0x80 };

typedef struct {
    const char *file;   // for error lines
    const char *before; // the same of those before `split`, where there are two files
    size_t split;       // instances of the first of two files; 0: there is one
    char *names_file;   // that has the names, when it is another; freed with the rows
    const distances_reading *reading;
    FILE *notes;         // may be NULL
    distances_data data; // [data.count] rows so far
    size_t named;        // names so far: count, or one more
    size_t *places;      // [named]: what `place` each name has in the file, counted from 1
    const char *place;   // "line", "column"
    size_t names_line;   // the line that has them all, in columns; 0 else
    size_t row_capacity; // of bits or real
    size_t used, room;   // bytes that are taken; for wl_memory_room
} distances_rows;

/* Whether `more` bytes may be taken: WL_NO_MACHINE, and a line that says how much there is. */
wl_status distances_rows_memory(distances_rows *rows, size_t more);
void distances_rows_return(distances_rows *rows, size_t bytes);

/* The next row's name; distances_rows_codes or _reals gives its values. */
wl_status distances_rows_name(distances_rows *rows, const char *name, size_t length, size_t place);

/* The second file begins. */
void distances_rows_split(distances_rows *rows, size_t split, const wl_bytes *second);

/* Settles how long a row is. Codes of a row are then [words][64]; those after the last site are 0. */
void distances_rows_shape(distances_rows *rows, uint64_t sites, int planes);
wl_status distances_rows_codes(distances_rows *rows, const uint8_t *codes);
/* The same into the planes of row i, for which there is room. Any thread; data.count stays as it is. */
void distances_rows_put(distances_rows *rows, size_t i, const uint8_t *codes);
wl_status distances_rows_reals(distances_rows *rows, const double *values);

/* Room for `count` rows at once, whose planes the caller fills. */
wl_status distances_rows_reserve(distances_rows *rows, size_t count);

/* Gives back the memory of rows that have not come. */
wl_status distances_rows_trim(distances_rows *rows);

/* More planes than so far, the new ones 0; real numbers instead of planes. */
wl_status distances_rows_widen(distances_rows *rows, int planes);
wl_status distances_rows_to_reals(distances_rows *rows);

/* All rows are there: names that occur twice, what is missing, `complete`. Hands the data over. */
wl_status distances_rows_finish(distances_rows *rows, distances_data *data);
void distances_rows_drop(distances_rows *rows);

/* What a sentence has where it is about `count` things. */
static inline const char *distances_verb(uint64_t count, const char *of_one, const char *of_several) {
    return count == 1 ? of_one : of_several;
}

/* One line to reading's notes, if anybody wants them. */
void distances_rows_note(const distances_rows *rows, const char *format, ...) __attribute__((format(printf, 2, 3)));
