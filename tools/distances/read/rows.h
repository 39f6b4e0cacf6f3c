/* Instances as the readers find them, one after another: how distances_data grows. */
#ifndef TOOLS_DISTANCES_READ_ROWS_H
#define TOOLS_DISTANCES_READ_ROWS_H

#include "distances/data.h"
#include "io/bytes.h"
#include "io/sequences.h"

/* A byte of a row of codes: the value's bits, one a plane, and whether there is a value. 0 is a missing one. */
enum { DISTANCES_PRESENT = 0x80 };

typedef struct {
    const char *file; /* for error lines */
    char *names_file; /* that has the names, when it is another; freed with the rows */
    const distances_reading *reading;
    FILE *notes;          /* may be NULL */
    distances_data data;  /* [data.count] rows so far */
    size_t named;         /* names so far: count, or one more */
    size_t *places;       /* [named]: what `place` each name has in the file, counted from 1 */
    const char *place;    /* "line", "column" */
    size_t names_line;    /* the line that has them all, in columns; 0 else */
    size_t name_capacity; /* of names and places */
    size_t row_capacity;  /* of bits or real */
    size_t used, room;    /* bytes that are taken; for wl_memory_room */
} distances_rows;

/* Whether `more` bytes may be taken: WL_NO_MACHINE, and a line that says how much there is. */
wl_status distances_rows_memory(distances_rows *rows, size_t more);
void distances_rows_return(distances_rows *rows, size_t bytes);

/* The next row's name; distances_rows_codes or _reals gives its values. */
wl_status distances_rows_name(distances_rows *rows, const char *name, size_t length, size_t place);

/* Settles how long a row is. Codes of a row are then [words][64], those behind the last site 0. */
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

/* --- Genotypes: they come site by site, all samples of one after another, in two bits each; planes are instance by instance --- */

/* The two bits of PLINK's .bed: the first sample's are the lowest of a site's first byte. */
enum { DISTANCES_TWO = 0, DISTANCES_UNKNOWN = 1, DISTANCES_ONE = 2, DISTANCES_NONE = 3 }; /* of the counted allele */

/* Sites that go to the planes together: a cache line of each instance's planes. */
enum { DISTANCES_BLOCK = 64 * DISTANCES_WORDS_ALIGN, DISTANCES_BLOCK_SLACK = 8 };

/* The bytes of a site. */
static inline size_t distances_site_bytes(size_t samples) { return (samples + 3) / 4; }

/* Planes for `count` samples, whose names there are, and `sites`; the planes are all to be written by distances_block. */
wl_status distances_genotype_rows(distances_rows *rows, size_t count, uint64_t sites);

/* Sites first .. first + count - 1 of all samples, count at most DISTANCES_BLOCK and `first` a multiple of it; the block's
   DISTANCES_BLOCK_SLACK bytes behind the last site can be read. On all processors. */
void distances_block(distances_data *data, const uint8_t *block /* [count][site bytes] */, uint64_t first,
                     size_t count);

/* --- The formats --------------------------------------------------------------------------------------------------- */

/* The formats' readers. `bytes` is open at its beginning. */
wl_status distances_read_letters(distances_rows *rows, wl_bytes *bytes, distances_format format);
wl_status distances_read_table(distances_rows *rows, wl_bytes *bytes);
wl_status distances_read_vcf(distances_rows *rows, wl_bytes *bytes);
/* `path` is where bytes come from. */
wl_status distances_read_bcf(distances_rows *rows, wl_bytes *bytes, const char *path);
wl_status distances_read_plink(distances_rows *rows, const char *path);

/* Letters from elsewhere: `each` gives `take` one sequence after the other, with `context`, and ends with what `take` returned unless that
   is WL_OK. */
typedef wl_status distances_letters_source(void *source, wl_sequence_taker *take, void *context);
wl_status distances_take_letters(distances_rows *rows, distances_letters_source *each, void *source);

#endif
