/* An evaluation: transition matrices, then tile after tile through all joins, then the sites. */
#include <math.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "peeling/cpu_simd/state.h"

void cpu_use_large_pages(void *memory, size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (bytes > 0) madvise(memory, bytes, MADV_HUGEPAGE);
#else
    (void)memory;
    (void)bytes;
#endif
}

static size_t this_thread(void) {
#ifdef _OPENMP
    return (size_t)omp_get_thread_num();
#else
    return 0;
#endif
}

unsigned char *cpu_scratch(const cpu_state *s) { return s->scratch + this_thread() * s->layout.scratch_bytes; }

unsigned char *cpu_matrix_of(const cpu_state *s, size_t matrix, size_t rate) {
    return s->matrices + (matrix * s->rates + rate) * s->layout.matrix_bytes;
}

/* P^(rate)(length), transposed: row j is (E^-1[k][j] expm1(lambda[k] mu t))_k by E transposed, and 1 for itself. */
void cpu_make_matrix(const cpu_state *s, const peeling_edge *edge, size_t rate) {
    double *grown = (double *)cpu_scratch(s);
    double *P = grown + (s->layout.states + CPU_STEP - 1) / CPU_STEP * CPU_STEP * s->layout.row;
    double growth[PEELING_STATES_MOST];
    for (size_t k = 0; k < s->layout.states; k++) {
        const double speed = s->model.eigenvalue[k] * s->model.rate[rate];
        growth[k] = speed == 0 ? 0 : expm1(speed * edge->length); // not 0 times infinity
    }
    for (size_t j = 0; j < s->layout.states; j++)
        for (size_t k = 0; k < s->layout.states; k++)
            grown[j * s->layout.row + k] = s->left[j * s->layout.row + k] * growth[k];
    s->layout.core->product(s->layout.states, s->layout.row, s->right, grown, P);
    for (size_t j = 0; j < s->layout.states; j++) P[j * s->layout.row + j] += 1;
    cpu_store_matrix(&s->layout, P, cpu_matrix_of(s, edge->matrix, rate));
}

/* Where a vector's partials of a tile and rate are. */
unsigned char *cpu_partials_of(const cpu_state *s, uint32_t vector, size_t rate, size_t tile) {
    const size_t k = vector - s->input->data.tips;
    const size_t at = s->keep ? (k * s->rates + rate) * s->tiles + tile : this_thread() * s->slots + s->slot[k];
    return s->partials + at * s->layout.vector_bytes;
}

static const void *codes_of(const cpu_state *s, uint32_t tip, size_t tile) {
    return (const unsigned char *)s->code + (tip * s->tiles + tile) * s->layout.tile * s->layout.code_bytes;
}

size_t cpu_columns_of(const cpu_state *s, size_t tile) {
    const size_t left = s->input->data.patterns - tile * s->layout.tile;
    return left < s->layout.tile ? left : s->layout.tile;
}

void cpu_join_tile(const cpu_state *s, const peeling_join *join, const void *const matrix[2], double missing,
                   size_t rate, size_t tile) {
    cpu_child child[2];
    for (int i = 0; i < 2; i++) {
        if (join->child[i] < s->input->data.tips)
            child[i] = (cpu_child){.matrix = matrix[i], .missing = missing, .code = codes_of(s, join->child[i], tile)};
        else
            child[i] = cpu_inner_child(&s->layout, matrix[i], cpu_partials_of(s, join->child[i], rate, tile));
    }
    cpu_join_vectors(&s->layout, child, s->input->data.set, cpu_columns_of(s, tile),
                     cpu_partials_of(s, join->to, rate, tile), cpu_scratch(s));
}

static void join_tile(const cpu_state *s, const peeling_join *join, size_t rate, size_t tile) {
    const void *const matrix[2] = {cpu_matrix_of(s, join->matrix[0], rate), cpu_matrix_of(s, join->matrix[1], rate)};
    cpu_join_tile(s, join, matrix, 0, rate, tile);
}

/* A tip as root: the frequencies of the states in its set. */
static void sum_tip(const cpu_state *s, uint32_t tip, size_t tile, double *sum, int32_t *exponent) {
    const peeling_data *data = &s->input->data;
    for (size_t c = 0; c < cpu_columns_of(s, tile); c++) {
        const uint64_t set = data->set[data->code[(size_t)tip * data->patterns + tile * s->layout.tile + c]];
        sum[c] = exponent[c] = 0;
        for (size_t i = 0; i < s->layout.states; i++)
            if (set >> i & 1) sum[c] += s->model.frequency[i];
    }
}

static void sum_root(const cpu_state *s, uint32_t root, size_t rate, size_t tile) {
    double *sum = s->sum + (rate * s->tiles + tile) * s->layout.tile;
    int32_t *exponent = s->exponent + (rate * s->tiles + tile) * s->layout.tile;
    if (root < s->input->data.tips) {
        sum_tip(s, root, tile, sum, exponent);
        return;
    }
    const cpu_root job =
        cpu_root_of(&s->layout, cpu_partials_of(s, root, rate, tile), s->model.frequency, cpu_columns_of(s, tile), sum);
    cpu_sum_root(&s->layout, &job, exponent);
}

/* log sum_r share[r] sum[r] 2^exponent[r] of a tile's columns. */
static void make_sites(const cpu_state *s, size_t tile) {
    double *sum = (double *)cpu_scratch(s);
    int32_t *exponent = (int32_t *)(sum + s->layout.tile);
    const size_t columns = cpu_columns_of(s, tile), first = tile * s->layout.tile;
    s->layout.core->mix(s->rates, s->model.share, columns, s->layout.tile * s->tiles, s->sum + first,
                        s->exponent + first, sum, exponent);
    s->layout.core->logarithm(columns, sum, exponent, s->site + first);
}

void cpu_evaluate(cpu_state *s) {
    const peeling_work *work = &s->work;
    const size_t edges = work->edge_count, patterns = s->input->data.patterns;
#pragma omp parallel num_threads(s->threads)
    {
#pragma omp for schedule(dynamic) collapse(2)
        for (size_t e = 0; e < edges; e++)
            for (size_t r = 0; r < s->rates; r++) cpu_make_matrix(s, &work->edges[e], r);
                // Rate by rate, so that the threads read the same matrices at about the same time.
#pragma omp for schedule(dynamic) collapse(2)
        for (size_t r = 0; r < s->rates; r++)
            for (size_t t = 0; t < s->tiles; t++) {
                for (uint32_t j = 0; j < work->join_count; j++) join_tile(s, &work->joins[j], r, t);
                sum_root(s, work->root, r, t);
            }
#pragma omp for schedule(static)
        for (size_t t = 0; t < s->tiles; t++) make_sites(s, t);
    }
    s->total = 0;
    for (size_t c = 0; c < patterns; c++) s->total += s->input->data.weight[c] * s->site[c];
}
