/* The core for any machine. */
#include "sw/kit/vectors_portable.h"

#include "sw/cpu_simd/lanes.h"

/* The word of a lane among `words`. */
INLINE size_t place(size_t lane) { return lane; }

INLINE void transpose(const uint32_t *words, vector columns[COLUMNS]) {
    const uint8_t *residues = (const uint8_t *)words; // [lanes][COLUMNS]
    for (int c = 0; c < COLUMNS; c++) {
        vector column = {0};
        for (int lane = 0; lane < VECTOR_BYTES; lane++) column[lane] = residues[lane * COLUMNS + c];
        columns[c] = column;
    }
}

#define WL_CORE(name) name##_portable
#include "sw/cpu_simd/widths.h"
