/* The matrix, tile by tile on all devices, in memory or on disk. */
#pragma once

#include "distances/data.h"
#include "io/part.h"

typedef enum {
    DISTANCES_COUNT,      // sites that differ; the paper's distance
    DISTANCES_ALLELES,    // allele-count difference, summed over sites: PLINK's --distance
    DISTANCES_IBS,        // identity by state: 1 - ALLELES / (2 compared)
    DISTANCES_EUCLIDEAN2, // squared Euclidean, reals and integers
    DISTANCES_MANHATTAN,
    DISTANCES_P,    // differing / compared
    DISTANCES_JC69, // and below, of nucleotides: tools/distances/matrix/models.h
    DISTANCES_K80,
    DISTANCES_TN93, // with the bases' frequencies in all data
    DISTANCES_LOGDET
} distances_measure;

/* A run in parts. The matrix is cut into tiles by the number of instances and of parts alone, and each part has a stretch of them. */
typedef struct {
    size_t parts;
    const wl_part_range *range; // compute these parts' tiles and put them there; the matrix that is made has no rows
    const wl_part_set *set;     // or take all tiles from there
} distances_share;

/* A hash of the data with its names. It tells which data a store or a part belongs to. */
uint64_t distances_data_hash(const distances_data *data, int threads);

typedef struct {
    const distances_data *data;
    const distances_share *share; // NULL: all is computed here
    distances_measure measure;
    int rescale;           // times sites / compared, so that pairs with fewer compared sites are comparable
    uint64_t min_compared; // a pair with fewer compared sites has no distance, which is NaN then
    int discard_compared;  // nobody will ask for compared sites: half the memory and disk, where the measure needs none
    int once; /* distances_compute_begin: rows are asked for once, in order, and of each only what is right of the diagonal. Few rows are
                     in memory then, unless the run is long and has a store, or is in parts */
    /* 0: all pairs; else, with `once`, the first `split` instances are rows, the others columns */
    size_t split;
    const wl_device *devices; // [device_count]: each takes tiles by demand; a CPU beside GPUs would be waited for
    size_t device_count;
    const char *pattern;  // of variants of the problem "distances"; NULL: the best
    size_t memory;        // host memory for tiles and matrix, bytes; 0: half of what is free
    size_t device_memory; // of each device; 0: what is free there
    int threads;          // of CPU variants, and for laying out; 0: OpenMP's choice
    const char
        *store; /* where tiles are kept when the matrix does not fit into `memory`, and for resuming: a file beside the
                          output; NULL: memory only (WL_NO_MACHINE where it does not fit) */
    void (*progress)(void *user, double done, double seconds); // done: share of what this run has to do; may be NULL
    void *user;
} distances_request;

/* Can it be that two of the instances have fewer common sites? Counts the values of each instance only. */
int distances_may_lack(const distances_data *data, uint64_t min_compared);

typedef struct distances_matrix distances_matrix;

typedef struct {
    double comparisons, seconds, kernel_seconds; // kernel_seconds: of launches, all devices together
    size_t tiles, resumed;                       // resumed: tiles found finished in `store`
    int on_disk;
    char devices[512];
} distances_summary;

/* Computes the matrix. A store is used if there is one already at that path, if the matrix does not fit into memory, or if the run will
   take minutes. Each finished tile is kept there (data first, then its mark). If a run is killed, the next one with the same data and
   options continues it. A store of other data or options is refused (WL_BAD_INPUT). A full disk is WL_NO_MACHINE and keeps the store. If
   a measure has no meaning for the data's kind, that is WL_BAD_INPUT. On success close the matrix with distances_matrix_close; it does
   not need the data any more. */
wl_status distances_compute(const distances_request *request, distances_matrix **matrix, distances_summary *summary);
/* Only whether the measure has a meaning for such data, those of the file `name`. */
wl_status distances_fit(const char *name, const distances_data *data, distances_measure measure);
/* The same without waiting, where the matrix is in memory: a row that is asked for is waited for, and a failure is then that row's. It ends
   with distances_compute_end, whether rows were read or not; the request and what it points to outlive that. Else, and where a CPU
   computes, which the reader of rows would only disturb, it waits. */
wl_status distances_compute_begin(const distances_request *request, distances_matrix **matrix);
/* Whether anything has failed so far; waits for nothing. */
wl_status distances_compute_so_far(distances_matrix *matrix);
/* Waits for what is left. On failure the matrix can still only be closed. */
wl_status distances_compute_end(distances_matrix *matrix, distances_summary *summary);

/* Row i [count] of distances, and of compared sites (may be NULL). Rows in order are read fast from a store. NaN where nothing
   was compared and the measure is a proportion or is rescaled. One thread at a time. */
wl_status distances_matrix_row(distances_matrix *matrix, size_t i, double *distance, uint32_t *compared);
/* Rows first .. first + rows - 1 at once, [rows][count], by all threads. */
wl_status distances_matrix_rows(distances_matrix *matrix, size_t first, size_t rows, double *distance,
                                uint32_t *compared);
/* Are distances the sums in memory, as they are? Then rows of them can be had without becoming numbers of another kind. */
int distances_matrix_has_sums(const distances_matrix *matrix);
wl_status distances_matrix_sums(distances_matrix *matrix, size_t first, size_t rows, uint32_t *sum);
/* Rows are gathered by so many threads from now on, or by fewer. */
void distances_matrix_gather_with(distances_matrix *matrix, int threads);
/* remove: the store is deleted, the output being safely written. */
void distances_matrix_close(distances_matrix *matrix, int remove);
size_t distances_matrix_count(const distances_matrix *matrix);   // rows
size_t distances_matrix_columns(const distances_matrix *matrix); // as many, unless the request splits the instances
size_t distances_matrix_first(const distances_matrix *matrix);   // the instance that is column 0
int distances_matrix_on_disk(const distances_matrix *matrix);
/* Bytes of main memory that rows may take while they are laid out, beside what the matrix itself takes. */
size_t distances_matrix_room(const distances_matrix *matrix);
/* May a pair have fewer compared sites than are asked for, and so no distance? */
int distances_matrix_has_gaps(const distances_matrix *matrix);
/* No distance is larger, where all that are numbers are whole; 0: they need not be. */
uint64_t distances_matrix_largest(const distances_matrix *matrix);

typedef enum {
    DISTANCES_TSV,    // square; corner cell, names, one row an instance, as snp-dists lays it out
    DISTANCES_LOWER,  // lower triangle: row i is its name and i distances, tabs between
    DISTANCES_PHYLIP, /* square: the number of rows; name and distances, spaces between. Names are padded to
                         DISTANCES_PHYLIP_NAME bytes, which PHYLIP's own programs count; longer ones are whole */
    DISTANCES_LIST,   // "name<TAB>name<TAB>distance" of each pair i < j, at most most_distance
    DISTANCES_MOLTEN, // the same of all i and j, as snp-dists -m has them
    DISTANCES_NUMPY, // .npy, a square of little-endian int32, or float64 where distances are no integers or may be larger
    DISTANCES_PHYLIP_STRICT, // PHYLIP for its own programs: names are DISTANCES_PHYLIP_NAME bytes, blanks and all
    DISTANCES_CLUSTERS       // "name<TAB>cluster": single linkage of distances that are at most most_distance
} distances_output;

typedef struct {
    size_t clusters, singles, largest; // clusters of one are among them, and counted again
} distances_cluster_count;

typedef struct {
    distances_output output;
    int csv;                           // commas for tabs
    int header;                        // of lists and clusters: a first line that names the columns
    distances_cluster_count *clusters; // where their numbers go; NULL: nowhere
    int blank_corner;                  // -b: the corner cell is empty
    const char *corner;                // what it holds else
    double most_distance;              // of lists and clusters; infinity: all
    int with_compared;                 // lists: a fourth column
    int digits;                        // significant, of distances that are no integers; 0: 6
    int threads;                       // that write; 0: OpenMP's choice
    int to_disk;                       // the stream's file will be waited for
} distances_layout;

enum { DISTANCES_PHYLIP_NAME = 10 };

/* A line about names that are longer than that, where the layout is of PHYLIP. */
void distances_names_note(char *const *names, size_t count, const distances_layout *layout, FILE *notes);

/* WL_BAD_INPUT where a name cannot be written in the format: white space in PHYLIP, a tab or line end anywhere. */
wl_status distances_names_check(char *const *names, size_t count, const distances_layout *layout);

/* From beginning to end onto `stream`; "nan" where there is no distance. Before anything is written, names are checked as above.
   WL_NO_MACHINE when writing is seen to fail; what the stream still holds, whoever closes it finds out. After a failure to compute, a
   regular file ends where it did before. */
wl_status distances_write(distances_matrix *matrix, char *const *names, const distances_layout *layout, FILE *stream);
