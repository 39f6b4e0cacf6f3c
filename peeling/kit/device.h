/* What the GPU stages share on the host side: the data, the model and the buffers on the device, lists of work, and the
   steps that all stages take in the same way. What they share inside kernels is in peeling/kit/stage.h. */
#ifndef PEELING_DEVICE_H
#define PEELING_DEVICE_H

#include <stdlib.h>
#include <string.h>

#include "harness/device/memory.h"
#include "peeling/evaluate/engine.h"
#include "peeling/problem.h"
#include "peeling/kit/program.h"

/* A launch in a header: the tool that rewrites <<<...>>> for the simulated device reads kernel.cu only. */
#ifdef WL_SIMULATED
#define PEELING_LAUNCH(kernel, grid, block, ...) wl_sim_launch(wl_sim_shape(grid, block, 0), kernel, __VA_ARGS__)
#else
#define PEELING_LAUNCH(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)
#endif

enum { PEELING_WARP = 32 };

/* What kernels get, by value. S is the model's number of states, `padded` the one that buffers have: F and P of the
   states above S are 0. real is float or double. */
typedef struct {
    uint32_t tips, patterns, rates;
    uint32_t states;          // S
    uint32_t padded;          // at least S
    uint32_t edge_count;      // of the list
    uint32_t exchange;        // state s of pattern c of `partial` is at s ^ 8 (c & exchange): 0 unless the plan says so
    const uint16_t *code;     // [tips][patterns]
    const uint64_t *set;      // [codes]
    const double *weight;     // [patterns]
    const double *right;      // E [padded][padded]
    const double *left;       // E^-1 [padded][padded]
    const double *eigenvalue; // [padded]
    const double *frequency;  // [padded]
    const double *rate;       // [rates]
    const double *share;      // [rates]
    const peeling_edge *edges; // [edge_count]
    const peeling_join *joins; // level by level
    double *factor;            // [edge of the list][rates][padded]: expm1(eigenvalue * rate * length)
    void *matrix;  // real [matrices][rates][padded][padded]: row s, column j; of a transposed stage column j, row s
    void *tip;     // real [tips][patterns][padded]: 1 for the states of the tip's set, else 0; NULL: see plan
    void *partial; // real [partials][rates][patterns][padded]
    int *exponent; // [partials][rates][patterns]
    double *site;  // [patterns], and behind them the total
    double *block_total; // [blocks of the sum]
} peeling_task;

typedef struct peeling_state peeling_state;

/* What a stage is: what it does not name is 0. The functions of its wl_variant and its engine are made of it. */
typedef struct {
    uint32_t (*padded)(uint32_t states);
    /* Optional (NULL): why it cannot take an input, apart from memory; NULL: it can. */
    const char *(*refuses)(const wl_device *device, const peeling_input *in);
    int (*is_faster)(const peeling_input *in); // see peeling_engine; NULL: of every input
    int tips_as_vectors;                       // `tip` is wanted
    int whole_trees_only;                      // there is no `partial`; task.joins is a program (peeling/kit/program.h)
    int exchanged;                             // see task.exchange: rows that are read together lie in different banks
    int factors_within;                        // `matrices` computes the factors itself: there is no task.factor
    wl_status (*matrices)(peeling_state *s);   // of s->task.edges, s->task.factor being ready
    wl_status (*joins)(peeling_state *s);      // of s->joins, and of s->task.joins level by level
    /* Optional (NULL): bytes of device memory of the stage's own, `own`. */
    size_t (*own_bytes)(const peeling_input *in, const peeling_task *task);
    /* Optional (NULL): what is in it from the beginning. */
    wl_status (*fill_own)(peeling_state *s);
} peeling_plan;

struct peeling_state {
    const peeling_input *input; // outlives the state
    const peeling_plan *plan;
    peeling_task task;
    int multiprocessors;
    size_t shared_most;  // bytes of shared memory that a block may ask for
    uint32_t root;       // vector
    uint32_t join_count; // of the list
    uint32_t levels;
    uint32_t slots;       // of the program
    uint32_t *first_join; // [levels + 1] into joins
    peeling_join *joins;  // level by level
    uint32_t *scratch;    // [vectors]
    uint32_t edge_room, join_room;
    void *list; // host, what `device_list` gets: joins, then edges
    void *device_list;
    void *own;        // device, the stage's
    void *memory[16]; // device, all of the task's
    int memory_count;
};

static inline int peeling_is_double(const peeling_state *s) { return s->input->precision == PEELING_DOUBLE; }
static inline size_t peeling_real(const peeling_input *in) {
    return in->precision == PEELING_DOUBLE ? sizeof(double) : sizeof(float);
}

/* Run f<double>(s) or f<float>(s). */
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
    /* As many neighbours as a warp reads 64 bytes (32) from in one go: two patterns of doubles, four of floats. */
    if (plan->exchanged) task.exchange = in->precision == PEELING_DOUBLE ? 1 : 3;
    return task;
}

enum { PEELING_SUM_BLOCK = 256 }; // patterns of a block of the last sum
static inline uint32_t peeling_sum_blocks(const peeling_task *task) {
    return (task->patterns + PEELING_SUM_BLOCK - 1) / PEELING_SUM_BLOCK;
}

/* Rate classes x patterns, by which stages say what they are faster for. */
static inline double peeling_cells(const peeling_input *in) { return in->model->rates * (double)in->data.patterns; }
/* Levels of a large tree have many joins, and 06_levels' launch a level weighs less: measured with 62, 200 and 1,000 taxa. */
static inline int peeling_is_large(const peeling_input *in) { return in->data.tips > 128; }

/* The larger buffers in bytes; the rest is less than two megabytes and 32 bytes a pattern. */
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
    size.matrix = column * task.padded * in->matrices * R;
    if (!plan->whole_trees_only) {
        size.partial = column * in->partials * R * C;
        size.exponent = sizeof(int) * in->partials * R * C;
    }
    if (plan->own_bytes != NULL) size.own = plan->own_bytes(in, &task);
    return size;
}

/* wl_variant's `supports` of a stage with this plan; peeling_prepare and peeling_cost are below. */
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
    for (int i = 0; i < s->memory_count; i++) cudaFree(s->memory[i]);
    free(s->first_join);
    free(s->joins);
    free(s->scratch);
    free(s->list);
    free(s);
}

/* Poisoned, and released with the state. */
static inline wl_status peeling_allocate(peeling_state *s, void **to, size_t bytes) {
    WL_TRY(wl_cuda_output(to, bytes));
    s->memory[s->memory_count++] = *to;
    return WL_OK;
}
static inline wl_status peeling_copy(peeling_state *s, const void **to, const void *from, size_t bytes) {
    void *made = NULL;
    wl_status status = peeling_allocate(s, &made, bytes);
    if (status != WL_OK) return status;
    if (bytes) WL_CUDA(cudaMemcpy(made, from, bytes, cudaMemcpyHostToDevice));
    *to = made;
    return WL_OK;
}

/* --- The model --------------------------------------------------------------------------------------------------- */

/* Eigenvectors with zeros around, eigenvalues, frequencies, rates and shares lie in one piece of memory, in this
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
    double *numbers = NULL;
    wl_status status = peeling_allocate(s, (void **)&numbers, sizeof(double) * peeling_model_numbers(task));
    if (status != WL_OK) return status;
    task->right = numbers;
    task->left = task->right + task->padded * task->padded;
    task->eigenvalue = task->left + task->padded * task->padded;
    task->frequency = task->eigenvalue + task->padded;
    task->rate = task->frequency + task->padded;
    task->share = task->rate + task->rates;
    return WL_OK;
}

/* --- The list of work -------------------------------------------------------------------------------------------- */

static inline wl_status peeling_room(peeling_state *s, const peeling_work *work) {
    if (work->edge_count <= s->edge_room && work->join_count <= s->join_room) return WL_OK;
    return wl_fail(WL_CHECK_FAILED, "a list of %u edges and %u joins, where there are buffers for %u and %u",
                   work->edge_count, work->join_count, s->edge_room, s->join_room);
}

/* After how many joins a program is to rescale. In doubles four are safe, in floats one (peeling/kit/program.h says why), but
   for lengths that no data tell from 0. */
static inline uint32_t peeling_unscaled(const peeling_state *s, const peeling_work *work) {
    for (uint32_t i = 0; i < work->edge_count; i++)
        if (work->edges[i].length > 0 && work->edges[i].length < 1e-20) return 1;
    return peeling_is_double(s) ? 4 : 1;
}

/* The list, level by level, to the host's copy and to the device's. */
static inline wl_status peeling_put_work(peeling_state *s, const peeling_work *work) {
    wl_status status = peeling_room(s, work);
    if (status != WL_OK) return status;
    if (s->plan->whole_trees_only && work->join_count != s->task.tips - 1)
        return wl_fail(WL_CHECK_FAILED, "%u joins, where this stage computes whole trees of %u", work->join_count,
                       s->task.tips - 1);
    const uint32_t vectors = s->task.tips + s->input->partials;
    s->root = work->root;
    s->join_count = work->join_count;
    s->task.edge_count = work->edge_count;
    s->levels = peeling_levels(work, vectors, s->joins, s->first_join, s->scratch);
    char *list = (char *)s->list;
    const size_t joins = sizeof *work->joins * work->join_count, edges = sizeof *work->edges * work->edge_count;
    /* Lengths are doubles: joins are padded to 8 bytes. */
    const size_t begin = (joins + 7) / 8 * 8;
    if (s->plan->whole_trees_only) {
        s->slots = peeling_program(work, s->task.tips, peeling_unscaled(s, work), (peeling_join *)list, s->scratch);
        if (s->slots > 64) return wl_fail(WL_CHECK_FAILED, "joins in an order that keeps more than 64 vectors alive");
    } else if (joins) {
        memcpy(list, s->joins, joins);
    }
    if (edges) memcpy(list + begin, work->edges, edges);
    s->task.joins = (const peeling_join *)s->device_list;
    s->task.edges = (const peeling_edge *)((char *)s->device_list + begin);
    /* Not the asynchronous copy, of which nobody says that it has read memory that is not pinned when it returns. */
    if (begin + edges) WL_CUDA(cudaMemcpy(s->device_list, list, begin + edges, cudaMemcpyHostToDevice));
    return WL_OK;
}

static inline wl_status peeling_allocate_list(peeling_state *s) {
    const peeling_input *in = s->input;
    s->edge_room = in->matrices;
    s->join_room = in->partials;
    const size_t bytes = peeling_sizes_of(in, s->plan).list;
    s->joins = (peeling_join *)malloc(sizeof(peeling_join) * (s->join_room + (size_t)1));
    s->first_join = (uint32_t *)malloc(sizeof(uint32_t) * (s->join_room + (size_t)2));
    s->scratch = (uint32_t *)malloc(sizeof(uint32_t) * (in->data.tips + (size_t)in->partials));
    s->list = malloc(bytes);
    if (s->joins == NULL || s->first_join == NULL || s->scratch == NULL || s->list == NULL)
        return wl_fail(WL_NO_MACHINE, "no memory for a list of %u joins", s->join_room);
    return peeling_allocate(s, &s->device_list, bytes);
}

#include "peeling/kit/stage.h"

/* --- Open -------------------------------------------------------------------------------------------------------- */

static inline wl_status peeling_upload(peeling_state *s) {
    const peeling_input *in = s->input;
    const peeling_data *data = &in->data;
    peeling_task *task = &s->task;
    const peeling_sizes size = peeling_sizes_of(in, s->plan);
    wl_status status = peeling_allocate_list(s);
    if (status == WL_OK) status = peeling_allocate_model(s);
    if (status == WL_OK) status = peeling_set_model(s, in->model);
    if (status == WL_OK) status = peeling_copy(s, (const void **)&task->code, data->code, size.code);
    if (status == WL_OK)
        status = peeling_copy(s, (const void **)&task->set, data->set, sizeof *data->set * data->codes);
    if (status == WL_OK)
        status = peeling_copy(s, (const void **)&task->weight, data->weight, sizeof(double) * task->patterns);
    if (status == WL_OK) status = peeling_allocate(s, (void **)&task->factor, size.factor);
    if (status == WL_OK) status = peeling_allocate(s, &task->matrix, size.matrix);
    if (status == WL_OK) status = peeling_allocate(s, &task->partial, size.partial);
    if (status == WL_OK) status = peeling_allocate(s, (void **)&task->exponent, size.exponent);
    if (status == WL_OK)
        status = peeling_allocate(s, (void **)&task->site, sizeof(double) * (task->patterns + (size_t)1));
    if (status == WL_OK)
        status = peeling_allocate(s, (void **)&task->block_total, sizeof(double) * peeling_sum_blocks(task));
    if (status == WL_OK && size.own > 0) status = peeling_allocate(s, &s->own, size.own);
    if (status == WL_OK && s->plan->fill_own != NULL) status = s->plan->fill_own(s);
    if (status != WL_OK || !s->plan->tips_as_vectors) return status;
    status = peeling_allocate(s, &task->tip, size.tip);
    return status == WL_OK ? PEELING_BY_PRECISION(peeling_expand_tips, s) : status;
}

static inline wl_status peeling_limits(peeling_state *s, const wl_device *device) {
    int bytes = 0;
    WL_CUDA(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device->ordinal));
    s->shared_most = (size_t)bytes;
    s->multiprocessors = device->multiprocessors;
    return WL_OK;
}

/* peeling_engine's `open`. */
template <const peeling_plan &PLAN>
static wl_status peeling_open(const wl_device *device, const peeling_input *in, void **state) {
    peeling_state *s = (peeling_state *)calloc(1, sizeof *s);
    if (s == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a state");
    s->input = in;
    s->plan = &PLAN;
    s->task = peeling_task_of(in, &PLAN);
    wl_status status = peeling_limits(s, device);
    if (status == WL_OK) status = peeling_upload(s);
    if (status != WL_OK) {
        peeling_release(s);
        return status;
    }
    *state = s;
    return WL_OK;
}

/* wl_variant's `prepare`: with the whole tree's list on the device. */
template <const peeling_plan &PLAN>
static wl_status peeling_prepare(const wl_device *device, const void *input, void **state) {
    const peeling_input *in = (const peeling_input *)input;
    void *made = NULL;
    wl_status status = peeling_open<PLAN>(device, in, &made);
    if (status != WL_OK) return status;
    status = peeling_put_work((peeling_state *)made, &in->work);
    if (status != WL_OK)
        peeling_release(made);
    else
        *state = made;
    return status;
}

/* --- Run --------------------------------------------------------------------------------------------------------- */

static inline wl_status peeling_launch(void *state) {
    peeling_state *s = (peeling_state *)state;
    wl_status status = WL_OK;
    if (s->task.edge_count > 0) {
        if (!s->plan->factors_within) status = peeling_factors(s);
        if (status == WL_OK) status = s->plan->matrices(s);
    }
    if (status == WL_OK && s->join_count > 0 && s->task.patterns > 0) status = s->plan->joins(s);
    if (status == WL_OK && !s->plan->whole_trees_only) status = PEELING_BY_PRECISION(peeling_sites, s);
    return status == WL_OK ? peeling_total(s) : status;
}

static inline wl_status peeling_run(void *state, const peeling_work *work) {
    const wl_status status = peeling_put_work((peeling_state *)state, work);
    return status == WL_OK ? peeling_launch(state) : status;
}

/* double [patterns + 1] */
static inline wl_status peeling_collect(void *state, void *output, int poison) {
    peeling_state *s = (peeling_state *)state;
    return wl_cuda_take(output, s->task.site, sizeof(double) * (s->task.patterns + (size_t)1), poison);
}

static inline wl_status peeling_result(void *state, double *total, double *site) {
    peeling_state *s = (peeling_state *)state;
    const size_t C = s->task.patterns;
    WL_CUDA(cudaMemcpy(total, s->task.site + C, sizeof(double), cudaMemcpyDeviceToHost));
    if (site != NULL && C > 0) WL_CUDA(cudaMemcpy(site, s->task.site, sizeof(double) * C, cudaMemcpyDeviceToHost));
    return WL_OK;
}

/* A stage's engine, behind its wl_variant. */
#define PEELING_ENGINE(stage, plan)                     \
    static const peeling_engine peeling_this_engine = { \
        .variant = &(stage),                            \
        .keeps_partials = !(plan).whole_trees_only,     \
        .is_faster = (plan).is_faster,                  \
        .open = peeling_open<plan>,                     \
        .set_model = peeling_set_model,                 \
        .run = peeling_run,                             \
        .result = peeling_result,                       \
        .release = peeling_release,                     \
    };                                                  \
    PEELING_REGISTER_ENGINE(peeling_this_engine)

/* --- Cost -------------------------------------------------------------------------------------------------------- */

/* What any stage has to do: the codes once, the sites once, and the operations of peeling_operations_done, at one of
   these rates. */
template <wl_rate SINGLE, wl_rate DOUBLE>
static void peeling_cost(const wl_device *, const void *input, wl_cost *cost) {
    const peeling_input *in = (const peeling_input *)input;
    cost->bytes =
        sizeof(uint16_t) * (double)in->data.tips * in->data.patterns + sizeof(double) * (double)in->data.patterns;
    cost->operations = peeling_operations_done(in);
    cost->rate = in->precision == PEELING_DOUBLE ? DOUBLE : SINGLE;
}

#endif
