/* The join of two vectors, site by site: a loop for each alphabet that the compiler turns into vector instructions. */
#ifndef PAPARA_ANCESTORS_JOIN_H
#define PAPARA_ANCESTORS_JOIN_H

#include <stdint.h>

/* A site's bit beside its states where it is gapped; the next higher one where it is gapped and open. Never both. DNA has a
   byte a site, protein a word. */
enum { PAPARA_DNA_GAPPED = 1 << 4, PAPARA_PROTEIN_GAPPED = 1 << 20 };

/* by_tip: at least one of x and y is a tip. All [count]; `to` overlaps neither. */
void papara_join_dna(int by_tip, uint8_t *restrict to, const uint8_t *restrict x, const uint8_t *restrict y,
                     uint32_t count);
void papara_join_protein(int by_tip, uint32_t *restrict to, const uint32_t *restrict x, const uint32_t *restrict y,
                         uint32_t count);
/* The same into papara_input.site's layout: states and PAPARA_CGAP. */
void papara_root_dna(int by_tip, uint32_t *restrict site, const uint8_t *restrict x, const uint8_t *restrict y,
                     uint32_t count);
void papara_root_protein(int by_tip, uint32_t *restrict site, const uint32_t *restrict x, const uint32_t *restrict y,
                         uint32_t count);
#endif
