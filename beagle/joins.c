/* Joins of one tile and rate class. */
#include "beagle/instance.h"

cpu_child bg_child(const bg_instance *b, int buffer, const void *matrix, double missing, size_t rate, size_t tile) {
    const void *code = b->buffer[buffer].code;
    if (code == NULL) return cpu_inner_child(&b->layout, matrix, bg_partials(b, buffer, rate, tile));
    return (cpu_child){.matrix = matrix,
                       .missing = missing - 1,
                       .code = (const unsigned char *)code + tile * b->layout.tile * b->layout.code_bytes};
}

void bg_operate(const bg_instance *b, const bg_operation *operation, size_t rate, size_t tile, void *scratch) {
    cpu_child child[2];
    for (int i = 0; i < 2; i++) {
        const bg_matrix *matrix = &b->matrix[operation->matrix[i]];
        child[i] = bg_child(b, operation->child[i], matrix->packed + rate * b->layout.matrix_bytes, matrix->missing,
                            rate, tile);
    }
    cpu_join_vectors(&b->layout, child, b->set, b->tiles[tile].columns, bg_partials(b, operation->to, rate, tile),
                     scratch);
}
