/* Different values of which none is missing, and packing, once for each instruction set: what every program has.
   Compiled for: portable sse41 avx2 bw_avx512 avx512 */
#include <string.h>

#include "allpairs/planes/count.h"

INLINE void pack_row(const int planes, const int *values, size_t count, size_t words, unsigned char *out) {
    for (size_t k = 0; k < words; k++) {
        for (int q = 0; q < WORD_BYTES / 8; q++) {
            uint64_t bits[WL_PLANES_MOST] = {0};
            if (count >= 64) {
                pack_64(values, planes, bits);
                values += 64;
                count -= 64;
            } else if (count > 0) {
                int last[64] = {0};
                memcpy(last, values, sizeof(int) * count);
                pack_64(last, planes, bits);
                count = 0;
            }
            for (int p = 0; p < planes; p++) memcpy(out + p * WORD_BYTES + q * 8, &bits[p], 8);
        }
        out += PANEL * planes * WORD_BYTES;
    }
}

#define FUNCTIONS(planes)                                                                          \
    COUNT(0, PLANES_COMPLETE, planes)                                                              \
    static void pack_##planes(const int *values, size_t count, size_t words, unsigned char *out) { \
        pack_row(planes, values, count, words, out);                                               \
    }
EACH_NUMBER_OF_PLANES(FUNCTIONS)

extern const planes_more WL_CORE(planes_more) __attribute__((weak));

const planes_core WL_CORE(planes_core) = {
    .count = NAMES(count_0_PLANES_COMPLETE), .pack = NAMES(pack), .more = &WL_CORE(planes_more)};
