/* Host code of all GPU stages: the data, the model and the buffers on the device, lists of work, and the steps that are
   the same in every stage. The device code is in peeling/kit/stage.h. */
#ifndef PEELING_KIT_DEVICE_H
#define PEELING_KIT_DEVICE_H

#include <stdlib.h>
#include <string.h>

#include "peeling/engine/engine.h"
#include "peeling/kit/program.h"
#include "peeling/kit/stage.h"
#include "peeling/kit/subtrees.h"

typedef struct peeling_state peeling_state;

/* A stage's description. Give the members in this order; members that are left out are 0. PEELING_STAGE makes the
   stage's engine and its wl_variant from it. */
typedef struct {
    const char *idea, *source, *limits; // see wl_variant
    const char *const *check_shapes;    // see wl_variant
    uint32_t (*padded)(uint32_t states);
    /* Optional: says why the stage cannot take an input, memory apart, or returns NULL if it can. */
    const char *(*refuses)(const wl_device *device, const peeling_input *in);
    const peeling_faster *faster;            // see peeling_engine
    int tips_as_vectors;                     // the stage needs task.tip
    int whole_trees_only;                    // there is no task.partial; task.joins is a program (program.h)
    int exchanged;                           // sets task.exchange: rows that are read together lie in different banks
    int pieces;                              // matrices are stored as peeling/kit/rows.h says
    int factors_within;                      // `matrices` computes the factors itself; there is no task.factor
    wl_status (*matrices)(peeling_state *s); // makes the matrices of task.edges; task.factor is ready
    wl_status (*joins)(peeling_state *s);    // computes s->joins, which task.joins has too, level by level
    int totals_within;                       // `joins` computes the total, too
    /* Optional: cuts a whole tree into s->subtrees (peeling/kit/subtrees.h). */
    void (*cut)(peeling_state *s, const peeling_work *work);
    /* Optional: bytes of device memory that the stage needs for itself (s->own). */
    size_t (*own_bytes)(const peeling_input *in, const peeling_task *task);
    /* Optional: runs once, after everything is allocated. */
    wl_status (*ready)(peeling_state *s);
    wl_rate rate[2];              // the limiting rate in each precision; 0: WL_RATE_FP32 and WL_RATE_FP64
    const char *(*version)(void); // see wl_variant's instruction_set
} peeling_plan;

struct peeling_state {
    const peeling_input *input; // outlives the state
    const peeling_plan *plan;
    peeling_task task;
    int multiprocessors;
    size_t shared_most;  // bytes of shared memory that a block may have
    uint32_t root;       // its vector
    uint32_t join_count; // in the list
    uint32_t levels;
    uint32_t slots;            // that the program needs
    peeling_subtrees subtrees; // of the program
    uint32_t *first_join;      // [levels + 1] into joins
    peeling_join *joins;       // level by level
    uint32_t *scratch;         // [vectors]
    uint8_t *part_of;          // [vectors]: see peeling_program_of_subtrees
    void *list;                // on the host, copied to device_list: joins, then edges
    void *device_list;
    void *own;        // on the device, for the stage itself
    void *memory[16]; // on the device: everything that is allocated
    int memory_count;
};

static inline int peeling_is_double(const peeling_state *s) { return s->input->precision == PEELING_DOUBLE; }
static inline size_t peeling_real(const peeling_input *in) {
    return in->precision == PEELING_DOUBLE ? sizeof(double) : sizeof(float);
}

/* Runs f<double>(s) or f<float>(s). */
#define PEELING_BY_PRECISION(f, s) (peeling_is_double(s) ? f<double>(s) : f<float>(s))

/* --- Sizes ------------------------------------------------------------------------------------------------------- */

static inline peeling_task peeling_task_of(const peeling_input *in, const peeling_plan *plan) {
    peeling_task task;
    memset(&task, 0, sizeof task);
    task.tips = in->data.tips;
    task.patterns = in->data.patterns;
    task.rates = (uint32_t)in->model->rates;
    task.states = (uint32_t)in->model->states;
    task.padded = plan->padded(task.states);
    /* A warp's load takes 64 bytes of each pattern (floats: 32). The exchange spreads two neighbouring patterns (four)
       over all banks, which are 128 bytes wide together. */
    if (plan->exchanged) task.exchange = in->precision == PEELING_DOUBLE ? 1 : 3;
    return task;
}

static inline unsigned peeling_blocks(size_t threads, size_t block) {
    return (unsigned)((threads + block - 1) / block);
}
/* Large tiles are used if they make at least `each` blocks per multiprocessor, which keeps the device busy. */
static inline int peeling_takes_large(const peeling_state *s, size_t blocks, int each) {
    return s->input->tiles > 0 ? s->input->tiles > 1 : blocks >= (size_t)s->multiprocessors * each;
}

/* The larger buffers in bytes. The rest takes less than two megabytes and 32 bytes per pattern. */
typedef struct {
    size_t list, code, tip, factor, matrix, partial, exponent, own;
} peeling_sizes;
static inline peeling_sizes peeling_sizes_of(const peeling_input *in, const peeling_plan *plan) {
    const peeling_task task = peeling_task_of(in, plan);
    const size_t real = peeling_real(in), column = real * task.padded, C = task.patterns, R = task.rates;
    peeling_sizes size;
    memset(&size, 0, sizeof size);
    size.list = sizeof(peeling_join) * in->partials + 8 + sizeof(peeling_edge) * in->matrices;
    size.code = sizeof(uint16_t) * task.tips * C;
    if (plan->tips_as_vectors) size.tip = column * task.tips * C;
    if (!plan->factors_within) size.factor = sizeof(double) * in->matrices * R * task.padded;
    size.matrix = (plan->pieces ? sizeof(double) : real) * task.padded * task.padded * in->matrices * R;
    if (!plan->whole_trees_only) {
        size.partial = column * in->partials * R * C;
        size.exponent = sizeof(int) * in->partials * R * C;
    }
    if (plan->own_bytes != NULL) size.own = plan->own_bytes(in, &task);
    return size;
}

/* The `supports` of the stage's wl_variant. */
template <const peeling_plan &PLAN> static const char *peeling_supports(const wl_device *device, const void *input) {
    const peeling_input *in = (const peeling_input *)input;
    const char *why = PLAN.refuses != NULL ? PLAN.refuses(device, in) : NULL;
    if (why != NULL) return why;
    const peeling_sizes size = peeling_sizes_of(in, &PLAN);
    const size_t sum =
        size.list + size.code + size.tip + size.factor + size.matrix + size.partial + size.exponent + size.own;
    const size_t rest = ((size_t)1 << 21) + 32 * (size_t)in->data.patterns;
    return sum + rest > device->memory_free ? "data and partials do not fit into device memory" : NULL;
}

/* --- Memory ------------------------------------------------------------------------------------------------------ */

static inline void peeling_release(void *state) {
    peeling_state *s = (peeling_state *)state;
    if (s == NULL) return;
    for (int i = 0; i < s->memory_count; i++) wl_cuda_free(s->memory[i]);
    free(s->first_join);
    free(s->joins);
    free(s->scratch);
    free(s->part_of);
    free(s->list);
    free(s);
}

/* The memory is poisoned, and released with the state. */
template <typename T> static wl_status peeling_allocate(peeling_state *s, T **to, size_t bytes) {
    void *made;
    WL_TRY(wl_cuda_output(&made, bytes));
    s->memory[s->memory_count++] = made;
    *to = (T *)made;
    return WL_OK;
}
template <typename T> static wl_status peeling_copy(peeling_state *s, const T **to, const T *from, size_t bytes) {
    WL_TRY(peeling_allocate(s, to, bytes));
    if (bytes > 0) WL_CUDA(cudaMemcpy((void *)*to, from, bytes, cudaMemcpyHostToDevice));
    return WL_OK;
}

/* --- The model --------------------------------------------------------------------------------------------------- */

/* One piece of memory has the eigenvectors (padded with zeros), eigenvalues, frequencies, rates and shares, in this
   order. */
static inline size_t peeling_model_numbers(const peeling_task *task) {
    return (size_t)task->padded * (2 * (size_t)task->padded + 2) + 2 * (size_t)task->rates;
}
static inline wl_status peeling_set_model(void *state, const peeling_model *model) {
    peeling_state *s = (peeling_state *)state;
    const uint32_t S = s->task.states, W = s->task.padded, R = s->task.rates;
    const size_t bytes = sizeof(double) * peeling_model_numbers(&s->task);
    double *numbers = (double *)calloc(1, bytes);
    if (numbers == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a model");
    double *right = numbers, *left = right + W * W, *eigenvalue = left + W * W, *frequency = eigenvalue + W;
    for (uint32_t i = 0; i < S; i++) {
        memcpy(right + i * W, model->right + i * S, sizeof(double) * S);
        memcpy(left + i * W, model->left + i * S, sizeof(double) * S);
    }
    memcpy(eigenvalue, model->eigenvalue, sizeof(double) * S);
    memcpy(frequency, model->frequency, sizeof(double) * S);
    memcpy(frequency + W, model->rate, sizeof(double) * R);
    memcpy(frequency + W + R, model->share, sizeof(double) * R);
    const cudaError_t error = cudaMemcpy((void *)s->task.right, numbers, bytes, cudaMemcpyHostToDevice);
    free(numbers);
    return wl_cuda_check(error, "copying a model", __FILE__, __LINE__);
}

static inline wl_status peeling_allocate_model(peeling_state *s) {
    peeling_task *task = &s->task;
    WL_TRY(peeling_allocate(s, &task->right, sizeof(double) * peeling_model_numbers(task)));
    task->left = task->right + task->padded * task->padded;
    task->eigenvalue = task->left + task->padded * task->padded;
    task->frequency = task->eigenvalue + task->padded;
    task->rate = task->frequency + task->padded;
    task->share = task->rate + task->rates;
    return WL_OK;
}

/* --- The list of work -------------------------------------------------------------------------------------------- */

/* The number of joins after which a program rescales: four in doubles, one in floats (peeling/kit/program.h says why).
   With branches so short that no data can tell them from 0, it is one in doubles, too. */
static inline uint32_t peeling_unscaled(const peeling_state *s, const peeling_work *work) {
    for (uint32_t i = 0; i < work->edge_count; i++)
        if (work->edges[i].length > 0 && work->edges[i].length < 1e-20) return 1;
    return peeling_is_double(s) ? 4 : 1;
}

/* Sorts the list by levels, into the host's copy and the device's. */
static inline wl_status peeling_load(void *state, const peeling_work *work) {
    peeling_state *s = (peeling_state *)state;
    const uint32_t edge_room = s->input->matrices, join_room = s->input->partials;
    if (work->edge_count > edge_room || work->join_count > join_room)
        return wl_fail(WL_CHECK_FAILED, "a list of %u edges and %u joins, where there are buffers for %u and %u",
                       work->edge_count, work->join_count, edge_room, join_room);
    if (s->plan->whole_trees_only && work->join_count != s->task.tips - 1)
        return wl_fail(WL_CHECK_FAILED, "%u joins, where this stage computes whole trees of %u", work->join_count,
                       s->task.tips - 1);
    for (uint32_t i = 0; s->plan->pieces && i < 2 * work->join_count; i++)
        if (work->joins[i / 2].matrix[i % 2] != work->joins[i / 2].child[i % 2])
            return wl_fail(WL_CHECK_FAILED,
                           "matrix %u for the branch above vector %u, where this stage needs one number",
                           work->joins[i / 2].matrix[i % 2], work->joins[i / 2].child[i % 2]);
    const uint32_t vectors = s->task.tips + s->input->partials;
    s->root = work->root;
    s->join_count = work->join_count;
    s->task.edge_count = work->edge_count;
    s->levels = peeling_levels(work, vectors, s->joins, s->first_join, s->scratch);
    char *list = (char *)s->list;
    const size_t joins = sizeof *work->joins * work->join_count, edges = sizeof *work->edges * work->edge_count;
    /* Edges have doubles in them, so they begin at a multiple of 8 bytes. */
    const size_t begin = (joins + 7) / 8 * 8;
    if (s->plan->whole_trees_only) {
        s->subtrees.count = 0;
        if (s->plan->cut != NULL) s->plan->cut(s, work);
        s->slots = peeling_program_of_subtrees(work, s->task.tips, peeling_unscaled(s, work), &s->subtrees,
                                               (peeling_join *)list, s->scratch, s->part_of);
        if (s->slots > 64) return wl_fail(WL_CHECK_FAILED, "joins in an order that keeps more than 64 vectors alive");
    } else if (joins) {
        memcpy(list, s->joins, joins);
    }
    if (edges) memcpy(list + begin, work->edges, edges);
    s->task.joins = (const peeling_join *)s->device_list;
    s->task.edges = (const peeling_edge *)((char *)s->device_list + begin);
    /* Not the asynchronous copy: it may return before it has read memory that is not pinned. */
    if (begin + edges) WL_CUDA(cudaMemcpy(s->device_list, list, begin + edges, cudaMemcpyHostToDevice));
    return WL_OK;
}

static inline wl_status peeling_allocate_list(peeling_state *s) {
    const peeling_input *in = s->input;
    const size_t bytes = peeling_sizes_of(in, s->plan).list;
    s->joins = (peeling_join *)malloc(sizeof(peeling_join) * (in->partials + (size_t)1));
    s->first_join = (uint32_t *)malloc(sizeof(uint32_t) * (in->partials + (size_t)2));
    s->scratch = (uint32_t *)malloc(sizeof(uint32_t) * (in->data.tips + (size_t)in->partials));
    s->part_of = (uint8_t *)malloc(in->data.tips + (size_t)in->partials);
    s->list = malloc(bytes);
    if (s->part_of == NULL || s->joins == NULL || s->first_join == NULL || s->scratch == NULL || s->list == NULL)
        return wl_fail(WL_NO_MACHINE, "no memory for a list of %u joins", in->partials);
    return peeling_allocate(s, &s->device_list, bytes);
}

/* --- Open -------------------------------------------------------------------------------------------------------- */

template <typename real> static inline wl_status peeling_expand_tips(peeling_state *s) {
    const size_t threads = s->task.tips * (size_t)s->task.patterns * s->task.padded;
    if (threads > 0) WL_LAUNCH(peeling_tip_vectors<real>, peeling_blocks(threads, 256), 256, 0, s->task);
    return WL_OK;
}

static inline wl_status peeling_upload(peeling_state *s) {
    const peeling_input *in = s->input;
    const peeling_data *data = &in->data;
    peeling_task *task = &s->task;
    const peeling_sizes size = peeling_sizes_of(in, s->plan);
    WL_TRY(peeling_allocate_list(s));
    WL_TRY(peeling_allocate_model(s));
    WL_TRY(peeling_set_model(s, in->model));
    WL_TRY(peeling_copy(s, &task->code, data->code, size.code));
    WL_TRY(peeling_copy(s, &task->set, data->set, sizeof *data->set * data->codes));
    WL_TRY(peeling_copy(s, &task->weight, data->weight, sizeof(double) * task->patterns));
    WL_TRY(peeling_allocate(s, &task->factor, size.factor));
    WL_TRY(peeling_allocate(s, &task->matrix, size.matrix));
    WL_TRY(peeling_allocate(s, &task->partial, size.partial));
    WL_TRY(peeling_allocate(s, &task->exponent, size.exponent));
    WL_TRY(peeling_allocate(s, &task->site, sizeof(double) * (task->patterns + (size_t)1)));
    WL_TRY(peeling_allocate(s, &task->block_total, sizeof(double) * peeling_blocks(task->patterns, PEELING_SUM_BLOCK)));
    if (size.own > 0) WL_TRY(peeling_allocate(s, &s->own, size.own));
    if (s->plan->tips_as_vectors) {
        WL_TRY(peeling_allocate(s, &task->tip, size.tip));
        WL_TRY(PEELING_BY_PRECISION(peeling_expand_tips, s));
    }
    return s->plan->ready != NULL ? s->plan->ready(s) : WL_OK;
}

/* peeling_engine's `open`. */
template <const peeling_plan &PLAN>
static wl_status peeling_open(const wl_device *device, const peeling_input *in, void **state) {
    int bytes = 0;
    WL_CUDA(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device->ordinal));
    peeling_state *s = (peeling_state *)calloc(1, sizeof *s);
    if (s == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a state");
    s->input = in;
    s->plan = &PLAN;
    s->task = peeling_task_of(in, &PLAN);
    s->shared_most = (size_t)bytes;
    s->multiprocessors = device->multiprocessors;
    const wl_status status = peeling_upload(s);
    if (status == WL_OK)
        *state = s;
    else
        peeling_release(s);
    return status;
}

/* --- Launch ------------------------------------------------------------------------------------------------------ */

/* For stages that rescale in a launch of its own. */
template <typename real> static inline wl_status peeling_rescaled(peeling_state *s, const peeling_join *join) {
    const size_t threads = s->task.rates * (size_t)s->task.patterns;
    WL_LAUNCH(peeling_rescale<real>, peeling_blocks(threads, 128), 128, 0, s->task, *join);
    return WL_OK;
}

static inline wl_status peeling_factors(peeling_state *s) {
    const size_t threads = (size_t)s->task.edge_count * s->task.rates * s->task.padded;
    WL_LAUNCH(peeling_factor, peeling_blocks(threads, 256), 256, 0, s->task);
    return WL_OK;
}

template <typename real> static inline wl_status peeling_sites(peeling_state *s) {
    if (s->task.patterns == 0) return WL_OK;
    uint32_t lanes = 1;
    while (lanes < 32 && 2 * lanes <= s->task.padded) lanes *= 2;
    WL_LAUNCH(peeling_site<real>, peeling_blocks(s->task.patterns * (size_t)lanes, 256), 256, 0, s->task, s->root,
              lanes);
    return WL_OK;
}

static inline wl_status peeling_total(peeling_state *s) {
    const uint32_t blocks = peeling_blocks(s->task.patterns, PEELING_SUM_BLOCK);
    if (blocks > 0) WL_LAUNCH(peeling_sum_sites, blocks, PEELING_SUM_BLOCK, 0, s->task);
    WL_LAUNCH(peeling_sum_blocks_of, 1, PEELING_SUM_BLOCK, 0, s->task, blocks);
    return WL_OK;
}

static inline wl_status peeling_launch(void *state) {
    peeling_state *s = (peeling_state *)state;
    if (s->task.edge_count > 0) {
        if (!s->plan->factors_within) WL_TRY(peeling_factors(s));
        WL_TRY(s->plan->matrices(s));
    }
    if (s->join_count > 0 && s->task.patterns > 0) WL_TRY(s->plan->joins(s));
    if (!s->plan->whole_trees_only) WL_TRY(PEELING_BY_PRECISION(peeling_sites, s));
    return s->plan->totals_within && s->join_count > 0 && s->task.patterns > 0 ? WL_OK : peeling_total(s);
}

static inline wl_status peeling_result(void *state, double *total, double *site, int poison) {
    const peeling_state *s = (const peeling_state *)state;
    const size_t C = s->task.patterns;
    if (site != NULL && site + C == total) return wl_cuda_take(site, s->task.site, sizeof(double) * (C + 1), poison);
    WL_TRY(wl_cuda_take(total, s->task.site + C, sizeof(double), poison));
    return site != NULL ? wl_cuda_take(site, s->task.site, sizeof(double) * C, poison) : WL_OK;
}

/* --- The stage --------------------------------------------------------------------------------------------------- */

/* What every stage must do: read the codes once, write the sites once, and do peeling_operations_done. */
template <const peeling_plan &PLAN> static void peeling_cost(const wl_device *, const void *input, wl_cost *cost) {
    const peeling_input *in = (const peeling_input *)input;
    const wl_rate usual = in->precision == PEELING_DOUBLE ? WL_RATE_FP64 : WL_RATE_FP32;
    cost->bytes =
        sizeof(uint16_t) * (double)in->data.tips * in->data.patterns + sizeof(double) * (double)in->data.patterns;
    cost->operations = peeling_operations_done(in);
    cost->rate = PLAN.rate[in->precision] != WL_RATE_NONE ? PLAN.rate[in->precision] : usual;
}

#define PEELING_STAGE(...)                                                                                   \
    static constexpr peeling_plan peeling_this_plan = {__VA_ARGS__};                                         \
    static peeling_engine peeling_this_engine = {                                                            \
        .keeps_partials = !peeling_this_plan.whole_trees_only,                                               \
        .faster = peeling_this_plan.faster,                                                                  \
        .open = peeling_open<peeling_this_plan>,                                                             \
        .set_model = peeling_set_model,                                                                      \
        .load = peeling_load,                                                                                \
        .launch = peeling_launch,                                                                            \
        .result = peeling_result,                                                                            \
        .release = peeling_release,                                                                          \
    };                                                                                                       \
    PEELING_ENGINE(peeling_this_engine, .idea = peeling_this_plan.idea, .source = peeling_this_plan.source,  \
                   .limits = peeling_this_plan.limits, .check_shapes = peeling_this_plan.check_shapes,       \
                   .supports = peeling_supports<peeling_this_plan>, .cost = peeling_cost<peeling_this_plan>, \
                   .instruction_set = peeling_this_plan.version)

#endif
