/* sw_align with its memory as a parameter, for the test that the result does not depend on it. */
#ifndef SW_ALIGN_WITH_H
#define SW_ALIGN_WITH_H

#include "sw/align/align.h"

wl_status sw_align_with(const sw_scoring *scoring, const uint8_t *query, uint32_t m, const uint8_t *subject, uint32_t n,
                        size_t direct, sw_alignment *alignment);

#endif
