/* The likelihood as a function of one branch's length. With the vectors F and G at the branch's ends, and Q = E diag(lambda) E^-1
   reversible, so that pi[i] E[i][k] = E^-1[k][i] (model/eigen.c), a column's likelihood in a class of rate mu is

     sum_i pi[i] G[i] sum_j P[i][j](t) F[j] = sum_k (E^-1 G)[k] (E^-1 F)[k] exp(lambda[k] mu t):

   a join with E^-1 in place of both transition matrices, and after that S multiplications for every length. Derivatives by t are the same
   sum, with each term times lambda[k] mu. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "harness/base/memory.h"
#include "peeling/cpu_simd/state.h"

/* Row j of `from` is column j of E^-1. Four states: as store_few, but that numbers may be below 0, and that missing data is a set like
   others. */
static void store_few(const cpu_state *s) {
    double *P = (double *)s->ends, *sums = P + CPU_FEW * CPU_FEW;
    const double scale = ldexp(1, CPU_FEW_BIAS_DOUBLE);
    for (size_t k = 0; k < CPU_FEW; k++) {
        for (size_t j = 0; j < CPU_FEW; j++) P[k * CPU_FEW + j] = s->left[j * s->layout.row + k] * scale;
        double *sum = &sums[k * CPU_FEW_SETS];
        sum[0] = 0;
        for (unsigned set = 1; set < CPU_FEW_SETS; set++)
            sum[set] = sum[set & (set - 1)] + P[k * CPU_FEW + (size_t)__builtin_ctz(set)];
    }
}

void cpu_branches_model(cpu_state *s) {
    if (s->layout.few)
        store_few(s);
    else
        s->layout.of->store(s->layout.states, s->left, s->layout.row, -INFINITY, s->ends);
}

static wl_status open_branches(void *state) {
    cpu_state *s = state;
    const size_t columns = s->layout.tile * s->tiles;
    if (s->ends != NULL) return WL_OK;
    s->ends = aligned_alloc(CPU_LINE, s->layout.matrix_bytes);
    if (s->ends == NULL || !WL_ALLOCATE(WL_ARRAY(s->end_weight, s->rates * columns + 1),
                                        WL_ARRAY(s->end_factor, s->rates), WL_ARRAY(s->end_exponent, columns + 1)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for a branch of %zu columns", columns);
    cpu_branches_model(s);
    return WL_OK;
}

static wl_status update(void *state, const peeling_work *work) {
    cpu_state *s = state;
    const size_t first = s->model.rate[0] == 0;
#pragma omp parallel num_threads(s->threads) if (s->threads > 1)
    {
#pragma omp for schedule(static) collapse(2)
        for (size_t e = 0; e < work->edge_count; e++)
            for (size_t r = first; r < s->rates; r++) cpu_make_matrix(s, &work->edges[e], r);
#pragma omp for schedule(static) collapse(2)
        for (size_t r = first; r < s->rates; r++)
            for (size_t t = 0; t < s->tiles; t++)
                for (uint32_t j = 0; j < work->join_count; j++) {
                    const peeling_join *join = &work->joins[j];
                    const void *const matrix[2] = {cpu_matrix_of(s, join->matrix[0], r),
                                                   cpu_matrix_of(s, join->matrix[1], r)};
                    cpu_join_tile(s, join, matrix, 0, r, t);
                }
    }
    return WL_OK;
}

static double power_of_two(int64_t exponent) {
    const union {
        int64_t bits;
        double number;
    } x = {exponent <= -1023 ? 0 : (exponent + 1023) << 52};
    return x.number;
}

/* Each class's weight, its share times a power of two, and the power that all of a column have in common. The first eigenvector's term
   is of what all states have, and above 0 unless the column is impossible. */
static void weigh(cpu_state *s, size_t tile, uint32_t to) {
    enum { NONE = INT32_MIN / 2 };
    const size_t columns = cpu_columns_of(s, tile), all = s->layout.tile * s->tiles,
                 stride = s->layout.few ? 1 : s->layout.padded;
    int32_t *most = s->end_exponent + tile * s->layout.tile;
    for (size_t c = 0; c < columns; c++) most[c] = NONE;
    for (int pass = 0; pass < 2; pass++)
        for (size_t r = s->model.rate[0] == 0; r < s->rates; r++) {
            const unsigned char *from = cpu_partials_of(s, to, r, tile);
            const double *first = (const double *)from;
            const int32_t *exponent = (const int32_t *)(from + s->layout.exponent_at);
            double *weight = s->end_weight + r * all + tile * s->layout.tile;
            for (size_t c = 0; c < columns; c++) {
                const int32_t e = first[c * stride] > 0 ? exponent[c] : NONE;
                if (pass == 0)
                    most[c] = e > most[c] ? e : most[c];
                else
                    weight[c] = e == NONE ? 0 : s->model.share[r] * power_of_two((int64_t)e - most[c]);
            }
        }
}

static wl_status ends(void *state, uint32_t one, uint32_t other, uint32_t to) {
    cpu_state *s = state;
    const peeling_join join = {.to = to, .child = {one, other}};
    const void *const matrix[2] = {s->ends, s->ends};
#pragma omp parallel for num_threads(s->threads) schedule(static) if (s->threads > 1)
    for (size_t t = 0; t < s->tiles; t++) {
        for (size_t r = s->model.rate[0] == 0; r < s->rates; r++) cpu_join_tile(s, &join, matrix, NAN, r, t);
        weigh(s, t, to);
    }
    return WL_OK;
}

static void at(void *state, uint32_t to, double length, int count, double *const sum[3], const int32_t **exponent) {
    cpu_state *s = state;
    const size_t first = s->model.rate[0] == 0, all = s->layout.tile * s->tiles;
    double(*factor)[3][PEELING_STATES_MOST] = s->end_factor;
    for (size_t r = first; r < s->rates; r++)
        for (size_t k = 0; k < s->layout.states; k++) {
            const double speed = s->model.eigenvalue[k] * s->model.rate[r];
            factor[r][0][k] = exp(speed * length);
            factor[r][1][k] = speed * factor[r][0][k];
            factor[r][2][k] = speed * factor[r][1][k];
        }
#pragma omp parallel for num_threads(s->threads) schedule(static) if (s->threads > 1)
    for (size_t t = 0; t < s->tiles; t++) {
        const size_t columns = cpu_columns_of(s, t), begin = t * s->layout.tile;
        double *scratch = (double *)cpu_scratch(s);
        for (int d = 0; d < count; d++) memset(sum[d] + begin, 0, columns * sizeof **sum);
        for (size_t r = first; r < s->rates; r++) {
            const double *weight = s->end_weight + r * all + begin;
            for (int d = 0; d < count; d++) {
                const cpu_root job =
                    cpu_root_of(&s->layout, cpu_partials_of(s, to, r, t), factor[r][d], columns, scratch);
                cpu_sum_root(&s->layout, &job, NULL);
                for (size_t c = 0; c < columns; c++) sum[d][begin + c] += weight[c] * scratch[c];
            }
        }
    }
    *exponent = s->end_exponent;
}

const peeling_branches cpu_branches = {.open = open_branches, .update = update, .ends = ends, .at = at};
