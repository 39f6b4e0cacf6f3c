/* An instance: its buffers, and the work that waits.

   Partials are stored as the joins of peeling/core write them (core.h): every column of every rate class has an integer exponent, so nothing
   underflows and no likelihood needs a scale factor. A client that asks for scale factors gets consistent ones: see scaling.c.

   Columns: the patterns in the order of their partitions, cut into tiles of at most layout.tile columns, none of which belongs to two partitions.
   Everything that has a number for each column has layout.tile of them for each tile. The numbers past a tile's last column are computed
   and never used.

   Work waits: matrices and operations are queued. flush() does all of it, tile by tile, when a result is asked for or when something
   that it reads would be overwritten. */
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "beagle/theirs.h"
#include "peeling/core/layout.h"

typedef struct {
    size_t first;   // of the columns in their order: the tile's begin
    size_t columns; // at most layout.tile
    int partition;
} bg_tile;

typedef struct {
    void *code;              // tip states, [tiles][tile] of uint16_t, or with four states uint8_t sets; NULL: partials
    unsigned char *partials; // [rates][tiles][vector_bytes]; NULL: nothing yet
    int32_t *taken;          // [tiles][tile]: binary exponents that scale factors have taken off; NULL: none ever
    int is_taken;            // or they are all 0
    /* On a GPU (gpu.c): */
    uint32_t slot;           // of its partials there, from 1 on; 0: none yet
    int on_device, is_stale; // they are there; and newer than `partials`
    int waits;               // an operation that waits makes them
} bg_buffer;

typedef struct {
    double *left, *right; // E^-1 transposed, [S][row]; E transposed, as the core's product wants it
    double *value;        // [2 S]: real parts, imaginary parts
    double *given;        // [2][S][S]: vectors and inverse as the client gave them
    int is_complex;       // not all of the imaginary ones are 0
} bg_eigen;

typedef struct {
    double *column;          // [rates][S][row]: row j has the probabilities of going to j
    unsigned char *packed;   // [rates][matrix_bytes], as joins read it, times 2^-power
    int32_t *power;          // [rates]: 0 unless rows add up to more than 1
    double missing;          // what a tip without a state contributes
    int is_packed, waits;    // or still to be made
    int on_device, is_stale; // as a buffer's; `column` is what may be older
} bg_matrix;

typedef struct {
    int eigen, rates;
    int matrix[3]; // probabilities, first and second derivatives; BEAGLE_OP_NONE: not wanted
    double length;
} bg_edge;

typedef struct {
    int to, child[2],
        matrix[2]; // to BEAGLE_OP_NONE, on a GPU: no more than scale buffer `write` gets sign times that of `read`
    int write, read, sum; // scale buffers: as in BeagleOperation, and the cumulative one
    int sign;
    int partition; // BEAGLE_OP_NONE: all
    int tells;     // has factors to note, of its own or from below
} bg_operation;

/* What a likelihood is asked of: of a root's partials, or of both ends of a branch. A subset is one of several trees whose likelihoods
   are added for each pattern. */
typedef struct {
    int parent, child; // child BEAGLE_OP_NONE: a root
    int matrix[3];
    int weights, frequencies;
} bg_subset;

typedef struct {
    const bg_subset *subsets;
    size_t count;
    int partition;   // BEAGLE_OP_NONE: all
    int derivatives; // 0 to 2
    double total[3]; // the log-likelihood and its derivatives
    int is_done;     // by a GPU; else there are sums
} bg_request;

enum { BG_NOTHING, BG_FACTORS, BG_SUM }; // what a scale buffer has been used for
enum { BG_TRIAL = 12 };                  // flushes by one thread, and by all: flush.c

typedef struct {
    pthread_mutex_t lock; // a client's threads may call on one instance by turns
    /* Their instance of this number does all once is_handed; until then it waits, if there is one. */
    const bg_theirs *theirs;
    int their_number, is_handed;
    long preferences, requirements; // the client's
    cpu_layout layout;              // of a tile
    size_t states; // the client's. On the CPU 2 and 3 are laid out as 4, of which nothing reaches the last ones
    size_t rates, patterns, tips;
    size_t buffers, eigens, matrices, scales; // how many of each
    size_t partials, slots;        // of the buffers those that are no tip states, and how many have a place on the GPU
    struct bg_device *device;      // NULL: the CPU
    int resource, sites_are_stale; // site[0] is older than the device's
    long flags;
    int threads;
    size_t tile_count, scratch_bytes; // scratch_bytes: a thread's, the layout's and then a vector
    bg_tile *tiles;
    size_t *column; // [patterns]: where a pattern is, tile * tile's number + place
    int *partition; // [patterns]; NULL: one
    int partitions;
    uint64_t *set;           // [S + 1]: a state's bit; missing
    unsigned char *identity; // [matrix_bytes]: of a branch of length 0

    bg_buffer *buffer;
    bg_eigen *eigen;
    bg_matrix *matrix;
    int32_t **scale;          // [scales] of [tiles][tile]: binary exponents; NULL: zeros
    unsigned char *scale_use; // [scales]
    double **weight;          // [eigens][rates]
    double **rate;            // [eigens][rates]
    double **frequency;       // [eigens][S]
    double *pattern_weight;   // [patterns]

    unsigned char *scratch; // [threads][scratch_bytes]
    double *sum;            // [subsets][1 + derivatives][rates][tiles][tile]
    int32_t *exponent;      // [subsets][rates][tiles][tile]
    double *by_column;      // [3][tiles][tile]: of all subsets and rate classes
    double *log_of_column;  // [tiles][tile]: the logarithms
    int32_t *of_column;     // [tiles][tile]: its exponents
    double *class_weight;   // [subsets][rates]
    size_t sum_room, exponent_room, class_room;
    double *site[3]; // [patterns]: of the last request, log-likelihoods and derivatives
    double total[3];

    struct {
        double one, all; // nanoseconds per operation: the median of the last trial
        double sample[BG_TRIAL];
        unsigned samples;
        unsigned left, wait; // flushes until the next trial, and how many there were between the last two
        double spent;        // nanoseconds of this half of a trial
        unsigned slow;       // flushes by all threads one after the other that took far longer than by one
        int use_all;
    } pace; // of small work, see flush.c
    bg_edge *edges;
    bg_operation *operations;
    size_t edge_count, edge_room, operation_count, operation_room;
} bg_instance;

/* What each file offers to those after it: a file calls only what is listed before it. */

/* ---- memory.c ---- */

/* Room for `count` items of a growing array. BEAGLE_SUCCESS or BEAGLE_ERROR_OUT_OF_MEMORY. */
int bg_grow(void *array, size_t *room, size_t count, size_t item_bytes);
/* Zeros, aligned for vectors. NULL: no memory. */
void *bg_zeros(size_t bytes);
/* Where WARPLADDER_BEAGLE_VERBOSE is set: one line on standard error. bg_refuse returns `code`. */
void bg_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
int bg_refuse(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- resources.c ---- */

enum { BG_RESOURCES_MOST = 17 };
const cpu_core *bg_core_of(long flags);
BeagleResourceList *bg_resources(void);
/* The flags of an instance on this resource. If there can be none, returns 0, and *code says why. */
long bg_flags(int resource, long preferences, long requirements, int *code);
/* The resource for an instance, of those in `list` [count] or (NULL) of all; or a code. */
int bg_choose(const int *list, int count, long preferences, long requirements);
void bg_describe(int resource, BeagleInstanceDetails *details);

/* ---- layout.c ---- */

peeling_precision bg_precision(const bg_instance *b);
size_t bg_columns(const bg_instance *b); // tiles times a tile's
/* Tiles for the partitions of b->partition; what buffers hold is lost. */
int bg_lay_out(bg_instance *b);
int bg_make_identity(bg_instance *b);

/* ---- buffers.c ---- */

int bg_is_full(const bg_instance *b, int buffer); // there is such a buffer, and it has states or partials
int bg_bias(const bg_instance *b);                // of the instance's precision: peeling/core/core.h
/* The partials of a tile and rate class. */
unsigned char *bg_partials(const bg_instance *b, int buffer, size_t rate, size_t tile);
int bg_partials_wanted(bg_instance *b, int buffer); // allocates them; the buffer has no states from here on
/* A column's partials as plain numbers times 2^*exponent; of a tip's states, 1 for each that it may be. */
void bg_get_column(const bg_instance *b, int buffer, size_t rate, size_t tile, size_t place, double *to,
                   int32_t *exponent);
void bg_set_column(bg_instance *b, int buffer, size_t rate, size_t tile, size_t place, const double *from);
/* The same of a pattern, times 2^exponent. */
void bg_set_scaled_column(bg_instance *b, int buffer, size_t rate, size_t pattern, const double *from,
                          int32_t exponent);
void *bg_codes_of(const bg_instance *b, const int *states); // [patterns], as bg_buffer.code. NULL: no memory

/* ---- scaling.c ---- */

int bg_scale_wanted(bg_instance *b, int scale);
/* Binary exponents by pattern [patterns]: a scale buffer's (below 0: zeros), and what factors have taken off a buffer. */
int bg_get_scale(bg_instance *b, int scale, int32_t *to);
int bg_get_taken(bg_instance *b, int buffer, int32_t *to);
/* Notes what an operation takes off the columns of a tile. */
void bg_note_scale(bg_instance *b, const bg_operation *operation, size_t tile);

/* ---- matrices.c ---- */

void bg_make_matrices(bg_instance *b, const bg_edge *edge, size_t rate, void *scratch);
int bg_matrix_wanted(bg_instance *b, int matrix); // allocates it
void bg_pack(bg_instance *b, int matrix);         // as joins read it

/* ---- joins.c ---- */

/* A join's child: a buffer's tile and rate class, and the matrix of the branch above it (NULL: the identity). */
cpu_child bg_child(const bg_instance *b, int buffer, const bg_matrix *matrix, size_t rate, size_t tile);
void bg_operate(const bg_instance *b, const bg_operation *operation, size_t rate, size_t tile, void *scratch);

/* ---- likelihood.c ---- */

void bg_sum_tile(bg_instance *b, const bg_request *request, size_t rate, size_t tile, void *scratch);
void bg_add_up(bg_instance *b, bg_request *request); // all tiles' sums; sites, too

/* ---- gpu.c: of instances with a device; each returns a code ---- */

int bg_gpu_open(bg_instance *b, int device);
int bg_gpu_leave(bg_instance *b); // goes on with the CPU
/* What waits; with sums left to the host, all they need is there. */
int bg_gpu_flush(bg_instance *b, bg_request *request);
int bg_gpu_wanted(bg_instance *b, int buffer);                        // a place for its partials
int bg_gpu_set_states(bg_instance *b, int buffer, const int *states); // [patterns]
int bg_gpu_take_buffer(bg_instance *b, int buffer);                   // the host's copy is as new as the device's
int bg_gpu_take_matrix(bg_instance *b, int matrix);

/* ---- flush.c ---- */

/* All that waits; and sums for `request` where it is not NULL. BEAGLE_SUCCESS or BEAGLE_ERROR_OUT_OF_MEMORY. */
int bg_flush(bg_instance *b, bg_request *request);

/* ---- store.c ---- */

/* partials [rates][patterns][states], or without the rates, the same for all. */
int bg_set_partials(bg_instance *b, int buffer, const double *partials, int with_rates);
/* A pattern's partials may be too small or too large for doubles. Then `to` has their ratios if is_shown, and otherwise what doubles
   make of them. */
int bg_get_partials(bg_instance *b, int buffer, int scale, int is_shown, double *to);
void bg_get_states(const bg_instance *b, int buffer, int *to); // of tip states, [patterns]: b->states is missing
int bg_set_states(bg_instance *b, int buffer, const int *states);
int bg_set_row(const bg_instance *b, double **rows, int row, const double *from, size_t length);
int bg_set_pattern_weights(bg_instance *b, const double *weights);
int bg_set_partitions(bg_instance *b, int count, const int *partitions);

/* ---- models.c ---- */

int bg_set_eigen(bg_instance *b, int index, const double *vectors, const double *inverse, const double *values);
int bg_set_rates(bg_instance *b, int index, const double *rates);
/* missing: one for each matrix; NULL: 1. */
int bg_set_matrices(bg_instance *b, const int *indices, const double *from, const double *missing, int count);
int bg_get_matrix(bg_instance *b, int index, double *to);
int bg_convolve(bg_instance *b, const int *firsts, const int *seconds, const int *results, int count);

/* ---- queue.c ---- */

int bg_queue_operation(bg_instance *b, bg_operation operation);
/* One call's matrices, where `eigen` and `rates` may be the same for all (NULL: `one`, and 0). */
int bg_queue_edges(bg_instance *b, int one, const int *eigen, const int *rates, const int *const indices[3],
                   const double *lengths, int count);
/* to += sign * each of `indices`; sign 0: to = 0. Changes one partition's columns, or all. */
int bg_add_scales(bg_instance *b, const int *indices, int count, int to, int sign, int partition);
int bg_get_scale_factors(bg_instance *b, int scale, double *to);

/* ---- ask.c ---- */

/* What both kinds of calls say: of branches and of roots (children NULL), of all patterns and by partition (partitions NULL). */
typedef struct {
    const int *parents, *children, *matrices[3], *weights, *frequencies;
    int count, partition_count;
    const int *partitions;
    double *by_partition[3], *total[3]; // each may be NULL
} bg_question;
int bg_answer(bg_instance *b, const bg_question *question);
int bg_get_sites(bg_instance *b, int derivative, double *to); // [patterns]

/* ---- handed.c: BEAGLE's own library ---- */

/* As beagleCreateInstance is told. */
typedef struct {
    int tips, partials, compact, states, patterns, eigens, matrices, rates, scales;
    const int *resources;
    int resource_count;
    long preferences, requirements;
} bg_wish;
/* Makes b's instance there, for b->resource and `wish`. Details, which may be NULL, get a note of it and of `why`. */
int bg_make_theirs(bg_instance *b, const bg_wish *wish, const char *why, BeagleInstanceDetails *details);
/* The same for an instance that this library can do, too. It does so until bg_hand_over. */
int bg_prepare_theirs(bg_instance *b, const char *why, BeagleInstanceDetails *details);
void bg_forget_theirs(bg_instance *b);
/* From here on theirs does all: it gets what b has. */
int bg_hand_over(bg_instance *b);

/* ---- instance.c ---- */

int bg_create(const bg_wish *wish, BeagleInstanceDetails *details); // its number, or a code
int bg_end(int instance);
int bg_end_all(void);
/* The instance of this number, locked; NULL: there is none. bg_leave unlocks and returns `code`. */
bg_instance *bg_enter(int number);
int bg_leave(bg_instance *b, int code);
int bg_set_threads(bg_instance *b, int threads);
