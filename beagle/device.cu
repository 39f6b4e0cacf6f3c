/* Instances on a GPU: the buffers, and the work that a flush brings, in a handful of launches.

   Joins are those of peeling/06_levels: register tiles (peeling/kit/registers.h), four states by peeling/kit/four.h, all joins of a level
   in one launch. What a level is, the host decides: operations come in any order and for a part of the tree. */
#include "beagle/device.h"

#include <stdio.h>

#include "beagle/interface.h"
#include "beagle/kernels.h"
#include "peeling/kit/matrices.h"
#include "peeling/model/generator.h"

struct bg_device {
    int ordinal;
    bg_device_size size;
    peeling_state state;  // task, multiprocessors
    uint32_t missing;     // the code of a missing state
    double *eigen;        // device [eigens][padded (2 padded + 1)]: E, E^-1, eigenvalues
    double *weight;       // device [patterns]
    peeling_scaled *part; // device [patterns]: the sum over subsets so far
    int32_t *scale;       // device [scales][patterns]
    int32_t *taken;       // device [buffers][patterns]: what scale factors have taken off
    char *list, *device_list;
    size_t list_bytes;
};

/* --- Joins -------------------------------------------------------------------------------------------------------- */

template <typename real, int W> static wl_status joins_of(peeling_state *s, uint32_t first, uint32_t count) {
    typedef typename peeling_shapes<real, W>::large large;
    typedef typename peeling_shapes<real, W>::small small;
    const unsigned tiles = peeling_blocks(s->task.patterns, large::PATTERNS), each = count * s->task.rates;
    const unsigned small_tiles = peeling_blocks(s->task.patterns, small::PATTERNS);
    if (peeling_takes_large(s, each * (size_t)tiles, 1))
        beagle_joins<large><<<each * tiles, large::THREADS>>>(s->task, first, tiles);
    else
        beagle_joins<small><<<each * small_tiles, small::THREADS>>>(s->task, first, small_tiles);
    WL_LAUNCHED();
    return WL_OK;
}

template <typename real> static wl_status joins_of_four(peeling_state *s, uint32_t first, uint32_t count) {
    enum { MANY = peeling_four_each<real>::MANY };
    const unsigned tiles = peeling_blocks(s->task.patterns, MANY * PEELING_FOUR_BLOCK), each = count * s->task.rates;
    const unsigned small_tiles = peeling_blocks(s->task.patterns, PEELING_FOUR_BLOCK);
    if (peeling_takes_large(s, each * (size_t)tiles, PEELING_FOUR_FULL))
        beagle_joins_of_four<real, MANY><<<each * tiles, PEELING_FOUR_BLOCK>>>(s->task, first, tiles);
    else
        beagle_joins_of_four<real, 1><<<each * small_tiles, PEELING_FOUR_BLOCK>>>(s->task, first, small_tiles);
    WL_LAUNCHED();
    return WL_OK;
}

/* Joins that do not need one another. */
template <typename real> static wl_status joins(peeling_state *s, uint32_t first, uint32_t count) {
    if (count == 0) return WL_OK;
    if (s->task.padded == 4) return joins_of_four<real>(s, first, count);
    return s->task.padded == 20 ? joins_of<real, 20>(s, first, count) : joins_of<real, 64>(s, first, count);
}

/* --- Likelihoods -------------------------------------------------------------------------------------------------- */

template <typename real>
static wl_status subset_of(bg_device *d, const bg_device_subset *subset, const double *weight, uint32_t join,
                           int is_first) {
    peeling_state *s = &d->state;
    uint32_t root = subset->parent, lanes = 1;
    if (subset->child != BG_NONE) {
        WL_TRY(joins<real>(s, join, 1));
        root = d->size.buffers + d->size.partials;
    }
    while (lanes < 32 && 2 * lanes <= s->task.padded) lanes *= 2;
    WL_LAUNCH(beagle_add_root<real>, peeling_blocks(s->task.patterns * (size_t)lanes, 256), 256, 0, s->task, root,
              lanes, weight, weight + d->size.rates, d->part, is_first);
    return WL_OK;
}

static wl_status sites_of(bg_device *d, double *total) {
    peeling_task *task = &d->state.task;
    const uint32_t blocks = peeling_blocks(task->patterns, PEELING_SUM_BLOCK);
    WL_LAUNCH(beagle_sites, blocks, PEELING_SUM_BLOCK, 0, *task, d->part);
    WL_LAUNCH(peeling_sum_blocks_of, 1, PEELING_SUM_BLOCK, 0, *task, blocks);
    WL_CUDA(cudaMemcpy(total, task->site + task->patterns, sizeof *total, cudaMemcpyDeviceToHost));
    return WL_OK;
}

/* --- A flush ------------------------------------------------------------------------------------------------------ */

/* Where the parts of a list begin, in bytes: each a multiple of 8. */
typedef struct {
    size_t joins, edges, notes, numbers, end;
} parts;
static size_t rounded(size_t bytes) { return (bytes + 7) / 8 * 8; }
static parts parts_of(const bg_device *d, const bg_device_work *w) {
    parts p;
    p.joins = 0;
    p.edges = rounded(sizeof *w->joins * (w->join_count + w->subset_count));
    p.notes = p.edges + sizeof *w->edges * w->edge_count;
    p.numbers = p.notes + rounded(sizeof *w->notes * w->note_count);
    p.end = p.numbers + sizeof(double) * (d->size.rates * (size_t)w->model_count +
                                          (d->size.rates + d->size.states) * (size_t)w->subset_count);
    return p;
}

static wl_status room_for(bg_device *d, size_t bytes) {
    if (bytes <= d->list_bytes) return WL_OK;
    char *device_list;
    char *list = (char *)realloc(d->list, 2 * bytes);
    if (list == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a list of work");
    d->list = list;
    WL_TRY(wl_cuda_allocate(&device_list, 2 * bytes));
    wl_cuda_free(d->device_list);
    d->device_list = device_list;
    d->list_bytes = 2 * bytes;
    return WL_OK;
}

template <typename T> static void append(char **to, const T *from, size_t count) {
    if (count > 0) memcpy(*to, from, sizeof *from * count);
    *to += sizeof *from * count;
}

/* The list to the device, in one copy. The last join of a branch is of its two ends, the parent's by way of no branch at all. */
static wl_status upload(bg_device *d, const bg_device_work *w, const parts *p) {
    WL_TRY(room_for(d, p->end));
    char *to = d->list;
    append(&to, w->joins, w->join_count);
    for (uint32_t i = 0; i < w->subset_count; i++) {
        const bg_device_subset *subset = &w->subsets[i];
        const peeling_join join = {
            d->size.buffers + d->size.partials, {subset->child, subset->parent}, {subset->matrix, d->size.matrices}};
        append(&to, &join, 1);
    }
    to = d->list + p->edges;
    append(&to, w->edges, w->edge_count);
    append(&to, w->notes, w->note_count);
    to = d->list + p->numbers;
    for (uint32_t i = 0; i < w->model_count; i++) append(&to, w->models[i].rate, d->size.rates);
    for (uint32_t i = 0; i < w->subset_count; i++) {
        append(&to, w->subsets[i].weight, d->size.rates);
        append(&to, w->subsets[i].frequency, d->size.states);
    }
    /* Synchronous: the list is pageable memory, and is filled anew by the next flush. */
    WL_CUDA(cudaMemcpy(d->device_list, d->list, p->end, cudaMemcpyHostToDevice));
    d->state.task.joins = (const peeling_join *)d->device_list;
    return WL_OK;
}

static wl_status matrices_of(bg_device *d, const bg_device_model *model, const peeling_edge *edges,
                             const double *rate) { // device
    peeling_task *task = &d->state.task;
    const size_t W = task->padded;
    task->right = d->eigen + model->eigen * W * (2 * W + 1);
    task->left = task->right + W * W;
    task->eigenvalue = task->left + W * W;
    task->rate = rate;
    task->edges = edges + model->first;
    task->edge_count = model->count;
    return model->count > 0 ? PEELING_ON(peeling_matrices)(&d->state) : WL_OK;
}

template <typename real> static wl_status run(bg_device *d, const bg_device_work *w, double *total) {
    const parts p = parts_of(d, w);
    if (p.end == 0) return WL_OK;
    WL_TRY(upload(d, w, &p));
    const double *numbers = (const double *)(d->device_list + p.numbers);
    for (uint32_t i = 0; i < w->model_count; i++, numbers += d->size.rates)
        WL_TRY(matrices_of(d, &w->models[i], (const peeling_edge *)(d->device_list + p.edges), numbers));
    for (uint32_t l = 0; l < w->levels; l++)
        WL_TRY(joins<real>(&d->state, w->first_join[l], w->first_join[l + 1] - w->first_join[l]));
    if (w->note_count > 0)
        WL_LAUNCH(beagle_notes, peeling_blocks(d->size.patterns, 128), 128, 0, d->state.task,
                  (const bg_device_note *)(d->device_list + p.notes), w->note_count, d->scale, d->taken);
    for (uint32_t i = 0; i < w->subset_count; i++, numbers += d->size.rates + d->size.states)
        WL_TRY(subset_of<real>(d, &w->subsets[i], numbers, w->join_count + i, i == 0));
    if (w->subset_count > 0) return sites_of(d, total);
    WL_CUDA(cudaStreamSynchronize(0));
    return WL_OK;
}

/* --- What the host calls ------------------------------------------------------------------------------------------- */

static int code_of(wl_status status) {
    return status == WL_OK           ? BEAGLE_SUCCESS
           : status == WL_NO_MACHINE ? BEAGLE_ERROR_OUT_OF_MEMORY
                                     : BEAGLE_ERROR_GENERAL;
}
/* On the device of this instance, whichever thread calls. */
#define ON(d, call)                                                                                              \
    do {                                                                                                         \
        const wl_status used_ = wl_cuda_check(cudaSetDevice((d)->ordinal), "cudaSetDevice", __FILE__, __LINE__); \
        return code_of(used_ == WL_OK ? (call) : used_);                                                         \
    } while (0)
#define BY_PRECISION(f, d, ...) ((d)->size.is_single ? f<float>(d, __VA_ARGS__) : f<double>(d, __VA_ARGS__))

int bg_device_count(void) {
    int count = 0;
    if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
    cudaGetLastError();
    return 0;
}

void bg_device_name(int device, char *name, size_t size, char *description, size_t description_size) {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
        cudaGetLastError();
        snprintf(name, size, "GPU %d", device);
        snprintf(description, description_size, "cannot be used");
        return;
    }
    snprintf(name, size, "%s (Warpladder)", properties.name);
    snprintf(description, description_size, "Global memory (MB): %zu | Number of multiprocessors: %d",
             properties.totalGlobalMem >> 20, properties.multiProcessorCount);
}

template <typename T> static wl_status zeros(T **to, size_t count) { return wl_cuda_filled(to, 0, sizeof(T) * count); }

template <typename real> static wl_status set_identity(bg_device *d, size_t) {
    const size_t W = d->state.task.padded, all = W * W * d->size.rates;
    real *host = (real *)calloc(all, sizeof *host);
    if (host == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a matrix");
    for (size_t i = 0; i < all; i++) host[i] = i % (W * W) % (W + 1) == 0 && i % W < d->size.states ? (real)1 : (real)0;
    const cudaError_t error = cudaMemcpy((real *)d->state.task.matrix + d->size.matrices * all, host,
                                         sizeof *host * all, cudaMemcpyHostToDevice);
    free(host);
    return wl_cuda_check(error, "cudaMemcpy", __FILE__, __LINE__);
}

static wl_status allocate(bg_device *d) {
    const bg_device_size *z = &d->size;
    peeling_task *task = &d->state.task;
    const size_t C = z->patterns, R = z->rates, W = task->padded, real = z->is_single ? sizeof(float) : sizeof(double);
    uint64_t set[PEELING_STATES_MOST + 1] = {0};
    for (uint32_t s = 0; s < z->states; s++) set[s] = (uint64_t)1 << s;
    /* Of four states, or of fewer that are padded to four, the last of all 16 sets is what is missing. */
    set[d->missing] = W == PEELING_FOUR ? PEELING_SETS - 1 : ~(uint64_t)0 >> (64 - z->states);
    WL_TRY(zeros((uint16_t **)&task->code, z->buffers * C));
    WL_TRY(wl_cuda_copy((uint64_t **)&task->set, set, sizeof set));
    WL_TRY(zeros((char **)&task->matrix, (z->matrices + (size_t)1) * R * W * W * real));
    WL_TRY(zeros((char **)&task->partial, (z->partials + (size_t)1) * R * C * W * real));
    WL_TRY(zeros(&task->exponent, (z->partials + (size_t)1) * R * C));
    WL_TRY(zeros(&task->site, C + 1));
    WL_TRY(zeros(&task->block_total, peeling_blocks(C, PEELING_SUM_BLOCK)));
    WL_TRY(zeros(&d->eigen, z->eigens * W * (2 * W + 1)));
    WL_TRY(zeros(&d->weight, C));
    WL_TRY(zeros(&d->part, C));
    WL_TRY(zeros(&d->scale, z->scales * C));
    WL_TRY(zeros(&d->taken, z->buffers * C));
    task->weight = d->weight;
    return BY_PRECISION(set_identity, d, 0);
}

static wl_status open(bg_device *d) {
    const bg_device_size *z = &d->size;
    WL_CUDA(cudaDeviceGetAttribute(&d->state.multiprocessors, cudaDevAttrMultiProcessorCount, d->ordinal));
    d->state.is_double = !z->is_single;
    peeling_task *task = &d->state.task;
    task->tips = z->buffers;
    task->patterns = z->patterns;
    task->rates = z->rates;
    task->states = z->states;
    task->padded = peeling_padded(z->states);
    d->missing = z->states > PEELING_FOUR ? z->states : (uint32_t)PEELING_FOUR;
    const wl_status status = allocate(d);
    WL_CUDA(cudaStreamSynchronize(0));
    return status;
}

int bg_device_open(int device, const bg_device_size *size, bg_device **opened) {
    bg_device *d = (bg_device *)calloc(1, sizeof *d);
    if (d == NULL) return BEAGLE_ERROR_OUT_OF_MEMORY;
    d->ordinal = device;
    d->size = *size;
    wl_status status = wl_cuda_check(cudaSetDevice(device), "cudaSetDevice", __FILE__, __LINE__);
    if (status == WL_OK) status = open(d);
    if (status == WL_OK)
        *opened = d;
    else
        bg_device_close(d);
    return code_of(status);
}

void bg_device_close(bg_device *d) {
    if (d == NULL) return;
    const peeling_task *task = &d->state.task;
    cudaSetDevice(d->ordinal);
    void *memory[] = {(void *)task->code, (void *)task->set, task->matrix,  task->partial, task->exponent,
                      task->site,         task->block_total, d->eigen,      d->weight,     d->part,
                      d->scale,           d->taken,          d->device_list};
    for (void *each : memory) wl_cuda_free(each);
    cudaStreamSynchronize(0);
    free(d->list);
    free(d);
}

static wl_status to_device(void *to, const void *from, size_t bytes) {
    WL_CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    return WL_OK;
}
static wl_status to_host(void *to, const void *from, size_t bytes) {
    WL_CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
    return WL_OK;
}

int bg_device_set_codes(bg_device *d, uint32_t buffer, const uint16_t *code) {
    const size_t C = d->size.patterns;
    uint16_t *host = (uint16_t *)malloc(sizeof *host * C);
    if (host == NULL) return BEAGLE_ERROR_OUT_OF_MEMORY;
    for (size_t c = 0; c < C; c++) host[c] = code[c] < d->size.states ? code[c] : (uint16_t)d->missing;
    wl_status status = wl_cuda_check(cudaSetDevice(d->ordinal), "cudaSetDevice", __FILE__, __LINE__);
    if (status == WL_OK) status = to_device((uint16_t *)d->state.task.code + buffer * C, host, sizeof *host * C);
    free(host);
    return code_of(status);
}

/* Partials and matrices are padded on the device, and may be floats: [count] rows of `length` numbers, `row` apart on the host. The rows of
   the device are of `padded`. */
template <typename real>
static wl_status move_rows(bg_device *d, void *device, double *host, size_t count, size_t length, size_t row,
                           size_t padded, int to_the_device) {
    (void)d;
    real *rows = (real *)calloc(count * padded + 1, sizeof *rows);
    if (rows == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a buffer");
    if (to_the_device)
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < length; k++) rows[i * padded + k] = (real)host[i * row + k];
    const wl_status status = to_the_device ? to_device(device, rows, sizeof *rows * count * padded)
                                           : to_host(rows, device, sizeof *rows * count * padded);
    if (!to_the_device)
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < length; k++) host[i * row + k] = (double)rows[i * padded + k];
    free(rows);
    return status;
}

static wl_status move_partials(bg_device *d, uint32_t vector, double *partials, int32_t *exponent, int to_the_device) {
    peeling_task *task = &d->state.task;
    const size_t cells = (size_t)d->size.rates * d->size.patterns, at = (vector - d->size.buffers) * cells;
    const size_t bytes = d->size.is_single ? sizeof(float) : sizeof(double);
    WL_TRY(BY_PRECISION(move_rows, d, (char *)task->partial + at * task->padded * bytes, partials, cells,
                        d->size.states, d->size.states, task->padded, to_the_device));
    return to_the_device ? to_device(task->exponent + at, exponent, sizeof *exponent * cells)
                         : to_host(exponent, task->exponent + at, sizeof *exponent * cells);
}
int bg_device_set_partials(bg_device *d, uint32_t vector, const double *partials, const int32_t *exponent) {
    ON(d, move_partials(d, vector, (double *)partials, (int32_t *)exponent, 1));
}
int bg_device_get_partials(bg_device *d, uint32_t vector, double *partials, int32_t *exponent) {
    ON(d, move_partials(d, vector, partials, exponent, 0));
}

/* The rate classes one after the other: on the host there are `states` rows of each, on the device `padded`. */
static wl_status move_matrix(bg_device *d, uint32_t matrix, double *column, size_t row, int to_the_device) {
    peeling_task *task = &d->state.task;
    const size_t W = task->padded, S = d->size.states, bytes = d->size.is_single ? sizeof(float) : sizeof(double);
    for (size_t r = 0; r < d->size.rates; r++)
        WL_TRY(BY_PRECISION(move_rows, d, (char *)task->matrix + (matrix * (size_t)d->size.rates + r) * W * W * bytes,
                            column + r * S * row, S, S, row, W, to_the_device));
    return WL_OK;
}
int bg_device_set_matrix(bg_device *d, uint32_t matrix, const double *column, size_t row) {
    ON(d, move_matrix(d, matrix, (double *)column, row, 1));
}
int bg_device_get_matrix(bg_device *d, uint32_t matrix, double *column, size_t row) {
    ON(d, move_matrix(d, matrix, column, row, 0));
}

static wl_status set_eigen(bg_device *d, uint32_t eigen, const double *right, const double *left, const double *value) {
    const size_t W = d->state.task.padded, S = d->size.states, all = W * (2 * W + 1);
    double *numbers = (double *)calloc(all, sizeof *numbers);
    if (numbers == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a model");
    for (size_t i = 0; i < S; i++) {
        memcpy(numbers + i * W, right + i * S, sizeof *numbers * S);
        memcpy(numbers + (W + i) * W, left + i * S, sizeof *numbers * S);
    }
    memcpy(numbers + 2 * W * W, value, sizeof *numbers * S);
    const wl_status status = to_device(d->eigen + eigen * all, numbers, sizeof *numbers * all);
    free(numbers);
    return status;
}
int bg_device_set_eigen(bg_device *d, uint32_t eigen, const double *right, const double *left, const double *value) {
    ON(d, set_eigen(d, eigen, right, left, value));
}
int bg_device_set_weights(bg_device *d, const double *weight) {
    ON(d, to_device(d->weight, weight, sizeof *weight * d->size.patterns));
}

int bg_device_run(bg_device *d, const bg_device_work *work, double *total) { ON(d, BY_PRECISION(run, d, work, total)); }
int bg_device_get_sites(bg_device *d, double *site) {
    ON(d, to_host(site, d->state.task.site, sizeof *site * d->size.patterns));
}
int bg_device_get_scale(bg_device *d, uint32_t scale, int32_t *exponent) {
    ON(d, to_host(exponent, d->scale + scale * (size_t)d->size.patterns, sizeof *exponent * d->size.patterns));
}
int bg_device_get_taken(bg_device *d, uint32_t buffer, int32_t *exponent) {
    ON(d, to_host(exponent, d->taken + buffer * (size_t)d->size.patterns, sizeof *exponent * d->size.patterns));
}
