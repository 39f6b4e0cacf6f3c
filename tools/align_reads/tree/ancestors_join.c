#include "tools/align_reads/tree/ancestors_join.h"

#include "papara/problem.h"

/* The rule for a site, for both alphabets, as one expression of bit operations in the width of T, so that the compiler can vectorise the
   loop. `gapped` is the gap's bit, the next higher one is the open gap's, and the states are below. If a tip takes part, an open gap
   counts as a gap. */
#define DEFINE_JOIN(name, T, gapped)                                    \
    static inline T name(int by_tip, T x, T y) {                        \
        const T states = (T)((gapped)-1);                               \
        T common = (T)(x & y & states), either = (T)((x | y) & states); \
        T gap_x = (T)((by_tip ? x | x >> 1 : x) & (gapped));            \
        T gap_y = (T)((by_tip ? y | y >> 1 : y) & (gapped));            \
        T both = (T)(gap_x & gap_y), one = (T)(gap_x ^ gap_y);          \
        return (T)((common ? common : either) | both | (T)(one << 1));  \
    }

DEFINE_JOIN(join_dna, uint8_t, PAPARA_DNA_GAPPED)
DEFINE_JOIN(join_protein, uint32_t, PAPARA_PROTEIN_GAPPED)

/* States keep their bits, the gap's bit becomes PAPARA_CGAP, and an open gap disappears. */
static inline uint32_t root(uint32_t join, uint32_t gapped) {
    return (join & (gapped - 1)) | (join & gapped ? PAPARA_CGAP : 0);
}

/* `by_tip` is the same at all sites, so it is tested outside the loops. SITE(join) makes of a site's join what is written. */
#define DEFINE_LOOP(name, join, T, TO, SITE)                                                           \
    void name(int by_tip, TO *restrict to, const T *restrict x, const T *restrict y, uint32_t count) { \
        if (by_tip)                                                                                    \
            for (uint32_t s = 0; s < count; s++) to[s] = SITE(join(1, x[s], y[s]));                    \
        else                                                                                           \
            for (uint32_t s = 0; s < count; s++) to[s] = SITE(join(0, x[s], y[s]));                    \
    }
#define ITSELF(join) join
#define ROOT_DNA(join) root(join, PAPARA_DNA_GAPPED)
#define ROOT_PROTEIN(join) root(join, PAPARA_PROTEIN_GAPPED)

DEFINE_LOOP(papara_join_dna, join_dna, uint8_t, uint8_t, ITSELF)
DEFINE_LOOP(papara_join_protein, join_protein, uint32_t, uint32_t, ITSELF)
DEFINE_LOOP(papara_root_dna, join_dna, uint8_t, uint32_t, ROOT_DNA)
DEFINE_LOOP(papara_root_protein, join_protein, uint32_t, uint32_t, ROOT_PROTEIN)
