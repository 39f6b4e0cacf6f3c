/* An instance: its buffers, and the work that waits.

   Partials are stored as the joins of peeling/core write them (core.h): every column of every rate class has an integer exponent, so nothing
   underflows and no likelihood needs a scale factor. A client that asks for scale factors is told a consistent tale about them: see scaling.c.

   Columns: the patterns in the order of their partitions, cut into tiles of at most `tile` columns, none of which belongs to two partitions.
   Everything that has a number for each column has `tile` of them for each tile; those behind a tile's last column are computed and
   never used.

   Work waits: matrices and operations are queued. flush() does all of it, tile by tile, when a result is asked for or when something
   that it reads would be overwritten. */
#ifndef BEAGLE_INSTANCE_H
#define BEAGLE_INSTANCE_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "beagle/interface.h"
#include "peeling/core/core.h"

typedef struct {
    size_t first;   /* of the columns in their order: the tile's begin */
    size_t columns; /* at most bg_instance.tile */
    int partition;
} bg_tile;

typedef struct {
    void *code; /* tip states, [tiles][tile] of uint16_t, or with four states uint8_t sets; NULL: partials */
    unsigned char *partials; /* [rates][tiles][vector_bytes]; NULL: nothing yet */
    int32_t *taken;          /* [tiles][tile]: binary exponents that scale factors have taken off; NULL: none ever */
    int is_taken;            /* or they are all 0 */
    /* On a GPU (gpu.c): */
    uint32_t slot;           /* of its partials there, from 1 on; 0: none yet */
    int on_device, is_stale; /* they are there; and newer than `partials` */
    int waits;               /* an operation that waits makes them */
} bg_buffer;

typedef struct {
    double *left, *right; /* E^-1 transposed, [S][row]; E transposed, as the core's product wants it */
    double *value;        /* [2 S]: real parts, imaginary parts */
    int is_complex;       /* not all of the imaginary ones are 0 */
} bg_eigen;

typedef struct {
    double *column;          /* [rates][S][row]: row j has the probabilities of going to j */
    unsigned char *packed;   /* [rates][matrix_bytes], as joins read it */
    double missing;          /* what a tip without a state contributes */
    int is_packed, waits;    /* or still to be made */
    int on_device, is_stale; /* as a buffer's; `column` is what may be older */
} bg_matrix;

typedef struct {
    int eigen, rates;
    int matrix[3]; /* probabilities, first and second derivatives; BEAGLE_OP_NONE: not wanted */
    double length;
} bg_edge;

typedef struct {
    int to, child[2],
        matrix[2]; /* to BEAGLE_OP_NONE, on a GPU: no more than scale buffer `write` gets sign times that of `read` */
    int write, read, sum; /* scale buffers: as in BeagleOperation, and the cumulative one */
    int sign;
    int partition; /* BEAGLE_OP_NONE: all */
    int tells;     /* has factors to note, of its own or from below */
} bg_operation;

/* What a likelihood is asked of: of a root's partials, or of both ends of a branch. A subset is one of several trees whose likelihoods
   are added for each pattern. */
typedef struct {
    int parent, child; /* child BEAGLE_OP_NONE: a root */
    int matrix[3];
    int weights, frequencies;
} bg_subset;

typedef struct {
    const bg_subset *subsets;
    size_t count;
    int partition;   /* BEAGLE_OP_NONE: all */
    int derivatives; /* 0 to 2 */
    double total[3]; /* the log-likelihood and its derivatives */
    int is_done;     /* by a GPU; else there are sums */
} bg_request;

enum { BG_TRIAL = 12 }; /* flushes by one thread, and by all: update.c */

typedef struct {
    pthread_mutex_t lock; /* a client's threads may call on one instance by turns */
    size_t states, rates, patterns, tips;
    size_t buffers, eigens, matrices, scales; /* how many of each */
    size_t partials, slots;   /* of the buffers those that are no tip states, and how many have a place on the GPU */
    struct bg_device *device; /* NULL: the CPU */
    int resource, sites_are_stale; /* site[0] is older than the device's */
    long flags;
    const cpu_core *core;
    const cpu_precision *of;
    int few, threads;
    size_t number, padded, row, tile, tile_count, matrix_bytes, vector_bytes, scale_at, exponent_at;
    size_t scratch_bytes, vector_at; /* a thread's: a product's or a join's, and then a vector */
    bg_tile *tiles;
    size_t *column; /* [patterns]: where a pattern is, tile * tile's number + place */
    int *partition; /* [patterns]; NULL: one */
    int partitions;
    uint64_t *set;           /* [S + 1]: a state's bit; missing */
    unsigned char *identity; /* [matrix_bytes]: of a branch of length 0 */

    bg_buffer *buffer;
    bg_eigen *eigen;
    bg_matrix *matrix;
    int32_t **scale;        /* [scales] of [tiles][tile]: binary exponents; NULL: zeros */
    double **weight;        /* [eigens][rates] */
    double **rate;          /* [eigens][rates] */
    double **frequency;     /* [eigens][S] */
    double *pattern_weight; /* [patterns] */

    unsigned char *scratch; /* [threads][scratch_bytes] */
    double *sum;            /* [subsets][1 + derivatives][rates][tiles][tile] */
    int32_t *exponent;      /* [subsets][rates][tiles][tile] */
    double *by_column;      /* [3][tiles][tile]: of all subsets and rate classes */
    double *log_of_column;  /* [tiles][tile]: the logarithms */
    int32_t *of_column;     /* [tiles][tile]: its exponents */
    double *class_weight;   /* [subsets][rates] */
    size_t sum_room, exponent_room, class_room;
    double *site[3]; /* [patterns]: of the last request, log-likelihoods and derivatives */
    double total[3];

    struct {
        double one, all; /* nanoseconds per operation: the median of the last trial */
        double sample[BG_TRIAL];
        unsigned samples;
        unsigned left, wait; /* flushes until the next trial, and how many there were between the last two */
        double spent;        /* nanoseconds of this half of a trial */
        unsigned slow;       /* flushes by all threads one after the other that took far longer than by one */
        int use_all;
    } pace; /* of small work, see update.c */
    bg_edge *edges;
    bg_operation *operations;
    size_t edge_count, edge_room, operation_count, operation_room;
} bg_instance;

/* ---- instance.c ---- */

/* The instance of this number, locked; NULL: there is none. bg_leave unlocks and returns `code`. */
bg_instance *bg_enter(int number);
int bg_leave(bg_instance *b, int code);
/* Room for `count` items of a growing array. BEAGLE_SUCCESS or BEAGLE_ERROR_OUT_OF_MEMORY. */
int bg_grow(void *array, size_t *room, size_t count, size_t item_bytes);
/* Zeros, aligned for vectors. NULL: no memory. */
void *bg_zeros(size_t bytes);
/* Tiles for the partitions of b->partition; what buffers hold is lost. */
int bg_lay_out(bg_instance *b);
size_t bg_columns(const bg_instance *b); /* tiles times a tile's */

/* ---- resources.c ---- */

/* Of an instance on this resource; *code: why there is none. */
long bg_flags(int resource, long preferences, long requirements, int *code);
/* The resource for an instance, of those in `list` [count] or (NULL) of all; or a code. */
int bg_choose(const int *list, int count, long preferences, long requirements);
const cpu_core *bg_core(void);
/* Where WARPLADDER_BEAGLE_VERBOSE is set: one line on standard error. Returns `code`. */
int bg_refuse(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
void bg_describe(int resource, BeagleInstanceDetails *details);

/* ---- buffers.c ---- */

int bg_is_full(const bg_instance *b, int buffer); /* there is such a buffer, and it has states or partials */
int bg_bias(const bg_instance *b);                /* of the instance's precision: peeling/core/core.h */

/* The partials of a tile and rate class. */
unsigned char *bg_partials(const bg_instance *b, int buffer, size_t rate, size_t tile);
int bg_partials_wanted(bg_instance *b, int buffer); /* allocates them; the buffer has no states from here on */
/* A column's partials as plain numbers times 2^*exponent; of a tip's states, 1 for each that it may be. */
void bg_get_column(const bg_instance *b, int buffer, size_t rate, size_t tile, size_t place, double *to,
                   int32_t *exponent);
void bg_set_column(bg_instance *b, int buffer, size_t rate, size_t tile, size_t place, const double *from);

/* The same of a pattern, times 2^exponent. */
void bg_set_scaled_column(bg_instance *b, int buffer, size_t rate, size_t pattern, const double *from,
                          int32_t exponent);

/* ---- matrices.c ---- */

void bg_make_matrices(bg_instance *b, const bg_edge *edge, size_t rate, void *scratch);
int bg_matrix_wanted(bg_instance *b, int matrix); /* allocates it */
void bg_pack(bg_instance *b, int matrix);         /* as joins read it */

/* ---- update.c ---- */

/* One more operation that waits. */
int bg_queue(bg_instance *b, const bg_operation *operation);
/* All that waits; and sums for `request` where it is not NULL. BEAGLE_SUCCESS or BEAGLE_ERROR_OUT_OF_MEMORY. */
int bg_flush(bg_instance *b, bg_request *request);
/* A join's child: a buffer's tile and rate class, behind a packed matrix; and the join into a vector. */
void bg_child(const bg_instance *b, cpu_child *child, int buffer, const void *matrix, double missing, size_t rate,
              size_t tile);
void bg_join(const bg_instance *b, const cpu_child child[2], unsigned char *to, size_t tile, void *scratch);
void bg_operate(const bg_instance *b, const bg_operation *operation, size_t rate, size_t tile, void *scratch);

/* ---- gpu.c: of instances with a device; each returns a code ---- */

int bg_gpu_open(bg_instance *b, int device);
int bg_gpu_leave(bg_instance *b); /* goes on with the CPU */
int bg_gpu_flush(bg_instance *b,
                 bg_request *request);         /* what waits; with sums left to the host, all they need is there */
int bg_gpu_wanted(bg_instance *b, int buffer); /* a place for its partials */
int bg_gpu_set_states(bg_instance *b, int buffer, const int *states); /* [patterns] */
int bg_gpu_take_buffer(bg_instance *b, int buffer);                   /* the host's copy is as new as the device's */
int bg_gpu_take_matrix(bg_instance *b, int matrix);

/* ---- likelihood.c ---- */

void bg_sum_tile(bg_instance *b, const bg_request *request, size_t rate, size_t tile, void *scratch);

/* ---- scaling.c ---- */

int bg_scale_wanted(bg_instance *b, int scale);
/* Binary exponents by pattern [patterns]: a scale buffer's (below 0: zeros), and what factors have taken off a buffer. */
int bg_get_scale(bg_instance *b, int scale, int32_t *to);
int bg_get_taken(bg_instance *b, int buffer, int32_t *to);
/* Notes what an operation takes off the columns of a tile. */
void bg_note_scale(bg_instance *b, const bg_operation *operation, size_t tile);

#endif
