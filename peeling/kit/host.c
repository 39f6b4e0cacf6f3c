/* What is the same in every stage, on the host: the data, the model and the buffers on the device,
   lists of work, and the order of the launches. */
#include "peeling/kit/state.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "peeling/engine/engine.h"
#include "peeling/kit/branches.h"
#include "peeling/kit/device.h"
#include "peeling/kit/cut.h"
#include "peeling/kit/repeats.h"
#include "peeling/work.h"

typedef struct {
    peeling_state open; // what the stage sees
    const peeling_plan *plan;
    peeling_subtrees subtrees;
    peeling_repeats repeats;
    uint32_t *first_join; // [levels + 1]
    peeling_join *joins;  // level by level
    uint32_t *scratch;    // [vectors]
    uint8_t *part_of;     // [vectors]: see peeling_program_of_subtrees
    void *list;           // on the host, copied to device_list: joins, then edges
    void *device_list;
    void *memory[20]; // on the device: everything that is allocated
    int memory_count;
    peeling_branch branch;
} host_state;

/* --- Sizes ------------------------------------------------------------------------------------------------------- */

static peeling_task task_of(const peeling_input *in, const peeling_plan *plan) {
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

/* The larger buffers in bytes. The rest takes less than two megabytes and 32 bytes per pattern. */
typedef struct {
    size_t list, code, tip, factor, matrix, partial, exponent, own;
} sizes;
static sizes sizes_of(const peeling_input *in, const peeling_plan *plan) {
    const peeling_task task = task_of(in, plan);
    const size_t real = peeling_real(in), column = real * task.padded, C = task.patterns, R = task.rates;
    sizes size;
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

const char *peeling_supports(const peeling_plan *plan, const wl_device *device, const void *input) {
    const peeling_input *in = input;
    const char *why = plan->refuses != NULL ? plan->refuses(device, in) : NULL;
    if (why != NULL) return why;
    const sizes size = sizes_of(in, plan);
    const size_t sum =
        size.list + size.code + size.tip + size.factor + size.matrix + size.partial + size.exponent + size.own;
    const size_t rest = ((size_t)1 << 21) + 32 * (size_t)in->data.patterns;
    return sum + rest > device->memory_free ? "data and partials do not fit into device memory" : NULL;
}

/* --- Memory ------------------------------------------------------------------------------------------------------ */

static void release(void *state) {
    host_state *h = state;
    if (h == NULL) return;
    for (int i = 0; i < h->memory_count; i++) h->plan->device->release(h->memory[i]);
    peeling_repeats_free(&h->repeats);
    WL_FREE(h->first_join, h->joins, h->scratch, h->part_of, h->list, h);
}

/* The memory is poisoned, and released with the state. */
static wl_status allocate(host_state *h, void *to, size_t bytes) {
    void *made;
    WL_TRY(h->plan->device->allocate(&made, bytes));
    h->memory[h->memory_count++] = made;
    memcpy(to, &made, sizeof made);
    return WL_OK;
}
static wl_status copy(host_state *h, void *to, const void *from, size_t bytes) {
    void *made;
    WL_TRY(allocate(h, &made, bytes));
    memcpy(to, &made, sizeof made);
    return h->plan->device->copy(made, from, bytes);
}

/* --- The model --------------------------------------------------------------------------------------------------- */

/* One piece of memory has the eigenvectors (padded with zeros), eigenvalues, frequencies, rates and shares, in this
   order. */
static size_t model_numbers(const peeling_task *task) {
    return (size_t)task->padded * (2 * (size_t)task->padded + 2) + 2 * (size_t)task->rates;
}
static wl_status set_model(void *state, const peeling_model *model) {
    const host_state *h = state;
    const peeling_task *task = &h->open.task;
    const size_t S = task->states, W = task->padded, R = task->rates, bytes = sizeof(double) * model_numbers(task);
    double *numbers = calloc(1, bytes);
    if (numbers == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a model");
    double *right = numbers, *left = right + W * W, *eigenvalue = left + W * W, *frequency = eigenvalue + W;
    for (size_t i = 0; i < S; i++) {
        memcpy(right + i * W, model->right + i * S, sizeof(double) * S);
        memcpy(left + i * W, model->left + i * S, sizeof(double) * S);
    }
    memcpy(eigenvalue, model->eigenvalue, sizeof(double) * S);
    memcpy(frequency, model->frequency, sizeof(double) * S);
    memcpy(frequency + W, model->rate, sizeof(double) * R);
    memcpy(frequency + W + R, model->share, sizeof(double) * R);
    const wl_status status = h->plan->device->copy((void *)task->right, numbers, bytes);
    free(numbers);
    return status;
}

static wl_status allocate_model(host_state *h) {
    peeling_task *task = &h->open.task;
    WL_TRY(allocate(h, &task->right, sizeof(double) * model_numbers(task)));
    task->left = task->right + task->padded * task->padded;
    task->eigenvalue = task->left + task->padded * task->padded;
    task->frequency = task->eigenvalue + task->padded;
    task->rate = task->frequency + task->padded;
    task->share = task->rate + task->rates;
    return WL_OK;
}

/* --- The list of work -------------------------------------------------------------------------------------------- */

/* The number of joins after which a program rescales: four in doubles, one in floats (peeling/kit/cut.c says why).
   With branches so short that no data can tell them from 0, it is one in doubles, too. */
static uint32_t unscaled(const peeling_input *in, const peeling_work *work) {
    for (uint32_t i = 0; i < work->edge_count; i++)
        if (work->edges[i].length > 0 && work->edges[i].length < 1e-20) return 1;
    return in->precision == PEELING_DOUBLE ? 4 : 1;
}

static wl_status check_list(const host_state *h, const peeling_work *work) {
    const uint32_t edge_room = h->open.input->matrices, join_room = h->open.input->partials;
    if (work->edge_count > edge_room || work->join_count > join_room)
        return wl_fail(WL_CHECK_FAILED, "a list of %u edges and %u joins, where there are buffers for %u and %u",
                       work->edge_count, work->join_count, edge_room, join_room);
    if (h->plan->whole_trees_only && work->join_count != h->open.task.tips - 1)
        return wl_fail(WL_CHECK_FAILED, "%u joins, where this stage computes whole trees of %u", work->join_count,
                       h->open.task.tips - 1);
    for (uint32_t i = 0; h->plan->pieces && i < 2 * work->join_count; i++)
        if (work->joins[i / 2].matrix[i % 2] != work->joins[i / 2].child[i % 2])
            return wl_fail(WL_CHECK_FAILED,
                           "matrix %u for the branch above vector %u, where this stage needs one number",
                           work->joins[i / 2].matrix[i % 2], work->joins[i / 2].child[i % 2]);
    return WL_OK;
}

/* Stages with pieces expect the last result as the first child of its join, and a tip as the second, unless both are tips. */
static void order_children(uint32_t tips, peeling_join *program, uint32_t joins) {
    for (uint32_t i = 0; i < joins; i++) {
        peeling_join *join = &program[i];
        if (join->child[1] != PEELING_LAST && (join->child[0] >= tips || join->child[1] < tips)) continue;
        const uint32_t flag = join->matrix[0] & PEELING_RESCALE, first = join->child[1], matrix = join->matrix[1];
        join->child[1] = join->child[0], join->matrix[1] = join->matrix[0] & ~PEELING_RESCALE;
        join->child[0] = first, join->matrix[0] = matrix | flag;
    }
}

/* A whole tree's joins as a program. */
static wl_status write_program(host_state *h, const peeling_work *work, peeling_join *program) {
    peeling_state *s = &h->open;
    uint32_t workers = 0, most_roots = 0;
    h->subtrees.count = 0;
    if (h->plan->cut != NULL) h->plan->cut(s, &workers, &most_roots);
    peeling_cut(work, s->task.tips, workers, most_roots, h->scratch, h->part_of, &h->subtrees);
    s->slots = peeling_program_of_subtrees(work, s->task.tips, unscaled(s->input, work), &h->subtrees, program,
                                           h->scratch, h->part_of);
    if (s->slots > PEELING_SLOTS_MOST)
        return wl_fail(WL_CHECK_FAILED, "joins in an order that keeps more than %d vectors alive", PEELING_SLOTS_MOST);
    if (h->plan->pieces) order_children(s->task.tips, program, work->join_count);
    return WL_OK;
}

/* The joins above tables are what is left of the work. */
static wl_status leave_out_tables(host_state *h, peeling_work *work) {
    peeling_state *s = &h->open;
    int is_new;
    WL_TRY(peeling_find_repeats(s->input, work->joins, work->join_count, &h->repeats, &is_new));
    if (is_new) WL_TRY(h->plan->tables(s));
    work->joins = h->repeats.join;
    s->join_count = work->join_count = h->repeats.joins;
    return WL_OK;
}

/* Sorts the list by levels, into the host's copy and the device's. */
static wl_status load(void *state, const peeling_work *work) {
    host_state *h = state;
    peeling_state *s = &h->open;
    WL_TRY(check_list(h, work));
    s->root = work->root;
    s->join_count = work->join_count;
    s->task.edge_count = work->edge_count;
    s->levels = peeling_levels(work, s->task.tips + s->input->partials, h->joins, h->first_join, h->scratch);
    char *list = h->list;
    peeling_work left = *work;
    if (h->plan->tables != NULL) WL_TRY(leave_out_tables(h, &left));
    const size_t joins = sizeof *work->joins * left.join_count, edges = sizeof *work->edges * work->edge_count;
    /* Edges have doubles in them, so they begin at a multiple of 8 bytes. */
    const size_t begin = (joins + 7) / 8 * 8;
    if (h->plan->whole_trees_only)
        WL_TRY(write_program(h, &left, h->list));
    else if (joins > 0)
        memcpy(list, h->joins, joins);
    if (edges > 0) memcpy(list + begin, work->edges, edges);
    s->task.joins = h->device_list;
    s->task.edges = (const peeling_edge *)((char *)h->device_list + begin);
    return h->plan->device->copy(h->device_list, list, begin + edges);
}

static wl_status allocate_list(host_state *h) {
    const peeling_input *in = h->open.input;
    const size_t bytes = sizes_of(in, h->plan).list;
    h->open.joins = h->joins = malloc(sizeof(peeling_join) * (in->partials + (size_t)1));
    h->open.first_join = h->first_join = malloc(sizeof(uint32_t) * (in->partials + (size_t)2));
    h->scratch = malloc(sizeof(uint32_t) * (in->data.tips + (size_t)in->partials));
    h->part_of = malloc(in->data.tips + (size_t)in->partials);
    h->list = malloc(bytes);
    if (h->part_of == NULL || h->joins == NULL || h->first_join == NULL || h->scratch == NULL || h->list == NULL)
        return wl_fail(WL_NO_MACHINE, "no memory for a list of %u joins", in->partials);
    return allocate(h, &h->device_list, bytes);
}

/* --- Open -------------------------------------------------------------------------------------------------------- */

static wl_status upload(host_state *h) {
    peeling_state *s = &h->open;
    const peeling_input *in = s->input;
    const peeling_data *data = &in->data;
    peeling_task *task = &s->task;
    const sizes size = sizes_of(in, h->plan);
    WL_TRY(allocate_list(h));
    WL_TRY(allocate_model(h));
    WL_TRY(set_model(h, in->model));
    WL_TRY(copy(h, &task->code, data->code, size.code));
    WL_TRY(copy(h, &task->set, data->set, sizeof *data->set * data->codes));
    WL_TRY(copy(h, &task->weight, data->weight, sizeof(double) * task->patterns));
    WL_TRY(allocate(h, &task->factor, size.factor));
    WL_TRY(allocate(h, &task->matrix, size.matrix));
    WL_TRY(allocate(h, &task->partial, size.partial));
    WL_TRY(allocate(h, &task->exponent, size.exponent));
    WL_TRY(allocate(h, &task->site, sizeof(double) * (task->patterns + (size_t)1)));
    WL_TRY(allocate(h, &task->block_total, sizeof(double) * peeling_blocks(task->patterns, PEELING_SUM_BLOCK)));
    if (size.own > 0) WL_TRY(allocate(h, &s->own, size.own));
    if (h->plan->tips_as_vectors) {
        WL_TRY(allocate(h, &task->tip, size.tip));
        WL_TRY(h->plan->device->tips(s));
    }
    return h->plan->ready != NULL ? h->plan->ready(s) : WL_OK;
}

wl_status peeling_open(const peeling_plan *plan, const wl_device *device, const peeling_input *in, void **state) {
    size_t shared_most;
    WL_TRY(plan->device->shared_most(device->ordinal, &shared_most));
    host_state *h = calloc(1, sizeof *h);
    if (h == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a state");
    h->plan = plan;
    h->open = (peeling_state){.input = in,
                              .is_double = in->precision == PEELING_DOUBLE,
                              .tiles = in->tiles,
                              .task = task_of(in, plan),
                              .multiprocessors = device->multiprocessors,
                              .shared_most = shared_most,
                              .subtrees = &h->subtrees,
                              .repeats = &h->repeats};
    h->branch = (peeling_branch){.device = plan->device};
    return wl_prepared(upload(h), h, release, state);
}

/* --- Launch ------------------------------------------------------------------------------------------------------ */

static int has_joins(const peeling_state *s) { return s->join_count > 0 && s->task.patterns > 0; }

static wl_status edges_and_joins(host_state *h) {
    peeling_state *s = &h->open;
    if (s->task.edge_count > 0) {
        if (!h->plan->factors_within) WL_TRY(h->plan->device->factors(s));
        WL_TRY(h->plan->matrices(s));
    }
    return has_joins(s) ? h->plan->joins(s) : WL_OK;
}

static wl_status launch(void *state) {
    host_state *h = state;
    peeling_state *s = &h->open;
    WL_TRY(edges_and_joins(h));
    if (!h->plan->whole_trees_only) WL_TRY(h->plan->device->sites(s));
    return h->plan->totals_within && has_joins(s) ? WL_OK : h->plan->device->total(s);
}

static wl_status result(void *state, double *total, double *site, int poison) {
    const host_state *h = state;
    const peeling_device *device = h->plan->device;
    double *from = h->open.task.site;
    const size_t C = h->open.task.patterns;
    if (site != NULL && site + C == total) return device->take(site, from, sizeof(double) * (C + 1), poison);
    WL_TRY(device->take(total, from + C, sizeof(double), poison));
    return site != NULL ? device->take(site, from, sizeof(double) * C, poison) : WL_OK;
}

/* --- For branches.c ---------------------------------------------------------------------------------------------- */

peeling_branch *peeling_branch_of(void *state) { return &((host_state *)state)->branch; }
wl_status peeling_state_allocate(void *state, void *to, size_t bytes) { return allocate(state, to, bytes); }
wl_status peeling_state_update(void *state, const peeling_work *work) {
    WL_TRY(load(state, work));
    return edges_and_joins(state);
}

/* --- The stage --------------------------------------------------------------------------------------------------- */

wl_status peeling_prepare(const peeling_plan *plan, const wl_device *device, const void *input, void **state) {
    return peeling_variant_prepare(plan->engine, device, input, state);
}

/* What every stage must do: read the codes once, write the sites once, and do peeling_operations_done. */
void peeling_cost(const peeling_plan *plan, const void *input, wl_cost *cost) {
    const peeling_input *in = input;
    const wl_rate usual = in->precision == PEELING_DOUBLE ? WL_RATE_FP64 : WL_RATE_FP32;
    cost->bytes =
        sizeof(uint16_t) * (double)in->data.tips * in->data.patterns + sizeof(double) * (double)in->data.patterns;
    cost->operations = peeling_operations_done(in);
    cost->rate = plan->rate[in->precision] != WL_RATE_NONE ? plan->rate[in->precision] : usual;
}

/* Before main, where nobody could handle an error. */
void peeling_register_stage(peeling_plan *plan, const peeling_stage_functions *functions,
                            const struct peeling_device *device, const char *name, wl_backend backend) {
    struct {
        peeling_engine engine;
        wl_variant variant;
    } *made = calloc(1, sizeof *made);
    if (made == NULL) exit(WL_NO_MACHINE);
    made->engine =
        (peeling_engine){.keeps_partials = !plan->whole_trees_only,
                         .faster = plan->faster,
                         .open = functions->open,
                         .set_model = set_model,
                         .load = load,
                         .launch = launch,
                         .result = result,
                         .release = release,
                         .branches = plan->whole_trees_only || plan->exchanged ? NULL : &peeling_stage_branches};
    made->variant = (wl_variant){.idea = plan->idea,
                                 .source = plan->source,
                                 .limits = plan->limits,
                                 .check_shapes = plan->check_shapes,
                                 .supports = functions->supports,
                                 .cost = functions->cost,
                                 .instruction_set = plan->version};
    plan->device = device;
    plan->engine = &made->engine;
    peeling_register_folder(&made->engine, &made->variant, functions->prepare, name, backend);
}

/* --- Tensor cores ------------------------------------------------------------------------------------------------ */

uint32_t peeling_padded_to_bands(uint32_t states) { return states <= 32 ? 32 : 64; }
const char *peeling_tensor_refuses(const wl_device *device, const peeling_input *in) {
    if (device->backend == WL_GPU && device->compute_capability < 80)
        return "tensor cores of doubles and tf32 came with compute capability 8.0";
    return in->model->states <= 8 ? "four states do not fill a tensor core's tile; see 08_fused" : NULL;
}
