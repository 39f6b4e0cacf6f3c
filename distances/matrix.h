/* The matrix, tile by tile on all devices, in memory or on disk. */
#ifndef DISTANCES_MATRIX_H
#define DISTANCES_MATRIX_H

#include "distances/data.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    DISTANCES_COUNT,      /* sites that differ; the paper's distance */
    DISTANCES_ALLELES,    /* allele-count difference, summed over sites: PLINK's --distance */
    DISTANCES_IBS,        /* identity by state: 1 - ALLELES / (2 compared) */
    DISTANCES_EUCLIDEAN2, /* squared Euclidean, reals and integers */
    DISTANCES_MANHATTAN
} distances_measure;

typedef struct {
    const distances_data *data;
    distances_measure measure;
    int rescale;              /* times sites / compared, so that pairs with fewer compared sites are comparable */
    const wl_device *devices; /* [device_count]: each takes tiles by demand */
    size_t device_count;
    const char *pattern;  /* of variants of the problem "distances"; NULL: the best */
    size_t memory;        /* host memory for tiles and matrix, bytes; 0: half of what is free */
    size_t device_memory; /* of each device; 0: what is free there */
    int threads;
    const char
        *store; /* where tiles are kept when the matrix does not fit into `memory`, and for resuming: a file beside the
                          output; NULL: memory only (WL_NO_MACHINE where it does not fit) */
    void (*progress)(void *user, double done, double seconds); /* may be NULL */
    void *user;
} distances_request;

typedef struct distances_matrix distances_matrix;

typedef struct {
    double comparisons, seconds, kernel_seconds; /* kernel_seconds: of launches, all devices together */
    size_t tiles, resumed;                       /* resumed: tiles found finished in `store` */
    int on_disk;
    char devices[512];
} distances_summary;

/* Compute. With a store: each finished tile is kept there (data first, then its mark), so that a run that was killed is taken up
   by the next with the same data and options; a store of other data or options is refused (WL_BAD_INPUT), a full disk is
   WL_NO_MACHINE and keeps the store. On success close with distances_matrix_close. */
wl_status distances_compute(const distances_request *request, distances_matrix **matrix, distances_summary *summary);
/* Row i [count] of distances, and of compared sites (may be NULL). Rows in order are read fast from a store. NaN where nothing
   was compared and the measure is a proportion or is rescaled. */
wl_status distances_matrix_row(distances_matrix *matrix, size_t i, double *distance, uint32_t *compared);
/* remove: the store is deleted, the output being safely written. */
void distances_matrix_close(distances_matrix *matrix, int remove);

typedef enum {
    DISTANCES_TSV,    /* square; corner cell, names, one row an instance, as snp-dists lays it out */
    DISTANCES_LOWER,  /* lower triangle with names */
    DISTANCES_PHYLIP, /* square, relaxed names */
    DISTANCES_LIST,   /* "name<TAB>name<TAB>distance" of each pair i < j, at most most_distance */
    DISTANCES_NUMPY   /* .npy, a square of little-endian int32, or float64 where distances are no integers */
} distances_output;

typedef struct {
    distances_output output;
    int blank_corner;     /* -b: the corner cell is empty */
    const char *corner;   /* what it holds else */
    double most_distance; /* of the list; infinity: all */
    int with_compared;    /* list: a fourth column */
    int digits;           /* significant, of distances that are no integers */
} distances_layout;

/* From beginning to end onto `stream`. WL_BAD_INPUT where a name cannot be written in the format (white space in PHYLIP; tab or
   line end anywhere). Whoever closes the stream finds out whether writing failed. */
wl_status distances_write(distances_matrix *matrix, char *const *names, const distances_layout *layout, FILE *stream);

#ifdef __cplusplus
}
#endif
#endif
