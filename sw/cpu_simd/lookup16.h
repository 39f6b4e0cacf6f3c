/* A byte shuffle looks up in a table of 16. A row of the matrix is two tables, and an index whose highest bit is set gives 0, so
   that either table answers for its own residues. */
#ifndef SW_CPU_SIMD_LOOKUP16_H
#define SW_CPU_SIMD_LOOKUP16_H

INLINE vector scores_of(const int8_t *row, vector residues) {
    const vector low = REPEATED(_mm_loadu_si128((const __m128i *)row));
    const vector high = REPEATED(_mm_loadu_si128((const __m128i *)(row + 16)));
    const vector in_low = V(add_epi8)(residues, V(set1_epi8)(0x70)); // from 16 on: 0x80 and more
    const vector in_high = V(sub_epi8)(residues, V(set1_epi8)(16));  // below 16: negative
    return either(V(shuffle_epi8)(low, in_low), V(shuffle_epi8)(high, in_high));
}

#endif
