/* Joins of one tile and rate class. */
#include <math.h>

#include "beagle/instance.h"

cpu_child bg_child(const bg_instance *b, int buffer, const bg_matrix *matrix, size_t rate, size_t tile) {
    const void *code = b->buffer[buffer].code;
    const void *packed = matrix == NULL ? b->identity : matrix->packed + rate * b->layout.matrix_bytes;
    if (code == NULL) return cpu_inner_child(&b->layout, packed, bg_partials(b, buffer, rate, tile));
    return (cpu_child){.matrix = packed,
                       .missing = matrix == NULL ? 0 : ldexp(matrix->missing, -matrix->power[rate]) - 1,
                       .code = (const unsigned char *)code + tile * b->layout.tile * b->layout.code_bytes};
}

void bg_operate(const bg_instance *b, const bg_operation *operation, size_t rate, size_t tile, void *scratch) {
    cpu_child child[2];
    int32_t power = 0;
    for (int i = 0; i < 2; i++) {
        const bg_matrix *matrix = &b->matrix[operation->matrix[i]];
        child[i] = bg_child(b, operation->child[i], matrix, rate, tile);
        power += matrix->power[rate];
    }
    unsigned char *to = bg_partials(b, operation->to, rate, tile);
    cpu_join_vectors(&b->layout, child, b->set, b->tiles[tile].columns, to, scratch);
    int32_t *exponent = (int32_t *)(to + b->layout.exponent_at);
    for (size_t c = 0; power != 0 && c < b->tiles[tile].columns; c++) exponent[c] += power;
}
