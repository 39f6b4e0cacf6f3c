/* A stage as plain data, and what is open of it while it runs. peeling/kit/host.c does on the host what is the same in every stage. */
#pragma once

#include "harness/base/linkage.h"
#include "harness/bench/variant.h"
#include "peeling/join.h"

typedef struct peeling_input peeling_input; // peeling/problem.h

/* The kernels' parameter, by value. The model has S states and buffers have `padded` of them; F and P are 0 for the
   states above S. real is float or double. */
typedef struct {
    uint32_t tips, patterns, rates;
    uint32_t states;           // S
    uint32_t padded;           // at least S
    uint32_t edge_count;       // in the list
    uint32_t exchange;         // `partial` has state s of pattern c at s ^ 8 (c & exchange); 0 unless plan.exchanged
    const uint16_t *code;      // [tips][patterns]
    const uint64_t *set;       // [codes]
    const double *weight;      // [patterns]
    const double *right;       // E [padded][padded]
    const double *left;        // E^-1 [padded][padded]
    const double *eigenvalue;  // [padded]
    const double *frequency;   // [padded]
    const double *rate;        // [rates]
    const double *share;       // [rates]
    const peeling_edge *edges; // [edge_count]
    const peeling_join *joins; // level by level
    double *factor;            // [edge of the list][rates][padded]: expm1(eigenvalue * rate * length)
    void *matrix;  // real [matrices][rates][padded][padded]: [s][j] in stage 01 and library_cublas, else [j][s]
    void *tip;     // real [tips][patterns][padded]: 1 for the states of the tip's set, else 0; see tips_as_vectors
    void *partial; // real [partials][rates][patterns][padded]
    int *exponent; // [partials][rates][patterns]
    double *site;  // [patterns], then the total
    double *block_total; // [blocks of PEELING_SUM_BLOCK patterns]
} peeling_task;

/* What a stage's own code reads. */
typedef struct peeling_state {
    const peeling_input *input; // outlives the state
    peeling_task task;
    int is_double;  // input->precision
    uint32_t tiles; // input->tiles
    int multiprocessors;
    size_t shared_most;  // bytes of shared memory that a block may have
    uint32_t root;       // its vector
    uint32_t join_count; // in the list
    uint32_t levels;
    const uint32_t *first_join;              // [levels + 1] into joins
    const peeling_join *joins;               // level by level, on the host
    uint32_t slots;                          // that the program needs (peeling/kit/program.h)
    const struct peeling_subtrees *subtrees; // of the program
    struct peeling_repeats *repeats;         // of a plan that has `tables`
    void *own;                               // on the device, for the stage itself
} peeling_state;

/* A stage's description. Give the members in this order; members that are left out are 0. PEELING_STAGE makes the
   stage's engine and its wl_variant from it. */
typedef struct {
    const char *idea, *source, *limits; // see wl_variant
    const char *const *check_shapes;    // see wl_variant
    uint32_t (*padded)(uint32_t states);
    /* Optional: says why the stage cannot take an input, memory apart, or returns NULL if it can. */
    const char *(*refuses)(const wl_device *device, const peeling_input *in);
    const struct peeling_faster *faster; // see peeling_engine
    int tips_as_vectors;                 // the stage needs task.tip
    int whole_trees_only;                // there is no task.partial; task.joins is a program (program.h)
    int exchanged;                       // sets task.exchange: rows that are read together lie in different banks
    int pieces;         // matrices as peeling/kit/rows.h says; the last result is a first child, a tip a second one
    int factors_within; // `matrices` computes the factors itself; there is no task.factor
    wl_status (*matrices)(peeling_state *s); // makes the matrices of task.edges; task.factor is ready
    wl_status (*joins)(peeling_state *s);    // computes s->joins, which task.joins has too, level by level
    int totals_within;                       // `joins` computes the total, too
    /* Optional: how many blocks may compute subtrees side by side, and how many roots of subtrees there is memory for. */
    void (*cut)(const peeling_state *s, uint32_t *workers, uint32_t *most_roots);
    /* Optional: task.joins is the program of the joins above tables (repeats.h), whose numbers it has for children below task.tips;
       called whenever s->repeats is another one. */
    wl_status (*tables)(peeling_state *s);
    /* Optional: bytes of device memory that the stage needs for itself (s->own). */
    size_t (*own_bytes)(const peeling_input *in, const peeling_task *task);
    /* Optional: runs once, after everything is allocated. */
    wl_status (*ready)(peeling_state *s);
    wl_rate rate[2];                     // the limiting rate in each precision; 0: WL_RATE_FP32 and WL_RATE_FP64
    const char *(*version)(void);        // see wl_variant's instruction_set
    const struct peeling_device *device; // this and the next: by peeling_register_stage
    const struct peeling_engine *engine;
} peeling_plan;

static inline unsigned peeling_blocks(size_t threads, size_t block) {
    return (unsigned)((threads + block - 1) / block);
}
/* Large tiles are used if they make at least `each` blocks per multiprocessor, which keeps the device busy. */
static inline int peeling_takes_large(const peeling_state *s, size_t blocks, int each) {
    return s->tiles > 0 ? s->tiles > 1 : blocks >= (size_t)s->multiprocessors * (size_t)each;
}

/* What the macro PEELING_STAGE calls: the functions of an engine and its variant, with a plan. */
WL_C_BEGIN

wl_status peeling_open(const peeling_plan *plan, const wl_device *device, const peeling_input *in, void **state);
wl_status peeling_prepare(const peeling_plan *plan, const wl_device *device, const void *input, void **state);
const char *peeling_supports(const peeling_plan *plan, const wl_device *device, const void *input);
void peeling_cost(const peeling_plan *plan, const void *input, wl_cost *cost);

/* Those functions, with the plan of one stage. */
typedef struct {
    wl_status (*open)(const wl_device *device, const peeling_input *in, void **state);
    wl_status (*prepare)(const wl_device *device, const void *input, void **state);
    const char *(*supports)(const wl_device *device, const void *input);
    void (*cost)(const wl_device *device, const void *input, wl_cost *cost);
} peeling_stage_functions;
void peeling_register_stage(peeling_plan *plan, const peeling_stage_functions *functions,
                            const struct peeling_device *device, const char *name, wl_backend backend);

/* For the plans of stages with tensor cores. */
uint32_t peeling_padded_to_bands(uint32_t states); // the widths that there are kernels for
const char *peeling_tensor_refuses(const wl_device *device, const peeling_input *in);

WL_C_END
