#include "peeling/core/layout.h"

#include <string.h>

size_t cpu_rounded(size_t a, size_t b) { return (a + b - 1) / b * b; }

cpu_layout cpu_lay_out(const cpu_core *core, peeling_precision precision, size_t states, size_t tile) {
    cpu_layout l = {
        .core = core, .of = &core->precision[precision], .few = states == CPU_FEW, .states = states, .tile = tile};
    l.number = precision == PEELING_SINGLE ? sizeof(float) : sizeof(double);
    l.padded = l.few ? CPU_FEW : cpu_rounded(states, core->vector_bytes / l.number);
    l.row = cpu_rounded(states, core->vector_bytes / sizeof(double));
    l.matrix_bytes = cpu_rounded((l.few ? CPU_FEW_MATRIX : states * l.padded) * l.number, CPU_LINE);
    l.scale_at = cpu_rounded(tile * l.padded * l.number, CPU_LINE);
    l.exponent_at = l.scale_at + (l.few ? 0 : cpu_rounded(tile * l.number, CPU_LINE));
    l.vector_bytes = l.exponent_at + cpu_rounded(tile * sizeof(int32_t), CPU_LINE);
    l.code_bytes = l.few ? sizeof(uint8_t) : sizeof(uint16_t);
    const size_t product = 2 * cpu_rounded(states, CPU_STEP) * l.row * sizeof(double);
    const size_t join = (tile + 2 * PEELING_STATES_MOST) * CPU_LINE;
    l.scratch_bytes = cpu_rounded(product > join ? product : join, CPU_LINE);
    return l;
}

void cpu_store_matrix(const cpu_layout *l, const double *from, void *to) {
    if (l->few)
        l->of->store_few(from, l->row, to);
    else
        l->of->store(l->states, from, l->row, 0, to);
}

cpu_child cpu_inner_child(const cpu_layout *l, const void *matrix, const void *vector) {
    const unsigned char *from = vector;
    return (cpu_child){.matrix = matrix,
                       .partials = from,
                       .scale = from + l->scale_at,
                       .exponent = (const int32_t *)(from + l->exponent_at)};
}

void cpu_join_vectors(const cpu_layout *l, const cpu_child child[2], const uint64_t *set, size_t columns, void *to,
                      void *scratch) {
    unsigned char *vector = to;
    const cpu_join job = {.states = l->states,
                          .padded = l->padded,
                          .columns = columns,
                          .stride = l->tile,
                          .set = set,
                          .child = {child[0], child[1]},
                          .partials = vector,
                          .scale = vector + l->scale_at,
                          .exponent = (int32_t *)(vector + l->exponent_at),
                          .scratch = scratch};
    (l->few ? l->of->join_few : l->of->join)(&job);
}

cpu_root cpu_root_of(const cpu_layout *l, const void *vector, const double *frequency, size_t columns, double *sum) {
    return (cpu_root){.states = l->states,
                      .padded = l->padded,
                      .columns = columns,
                      .stride = l->tile,
                      .frequency = frequency,
                      .partials = vector,
                      .scale = (const unsigned char *)vector + l->scale_at,
                      .sum = sum};
}

void cpu_sum_root(const cpu_layout *l, const cpu_root *root, int32_t *exponent) {
    (l->few ? l->of->root_few : l->of->root)(root);
    if (exponent != NULL)
        memcpy(exponent, (const unsigned char *)root->partials + l->exponent_at, sizeof *exponent * root->columns);
}
