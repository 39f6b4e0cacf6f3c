/* Joins two vectors, site by site, with one loop per alphabet that the compiler vectorises. */
#pragma once

#include <stdint.h>

/* The bit that a gapped site has above its states. An open gap has the next higher bit instead. DNA has one byte per site, protein a
   word. */
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
