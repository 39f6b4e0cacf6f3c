/* What is reported of a query. */
#ifndef TOOLS_SEARCH_ANSWER_H
#define TOOLS_SEARCH_ANSWER_H

#include "tools/search/search.h"

typedef struct {
    size_t query;             // of the request's
    size_t count;             // alignments; those of a subject stand together, subjects and their alignments best first
    size_t *subject;          // [count]
    int *score;               // [count]
    int8_t *strand;           // [count]
    sw_alignment *alignments; // [count]
} sw_answer;

void sw_answer_free(sw_answer *answer);

/* Whether the request asks for more than each subject's best alignment, or for some of these only. */
static inline int sw_search_refines(const sw_search_request *request) {
    return request->least_identity > 0 || request->least_coverage > 0 || request->most_alignments > 1;
}

/* From the best alignment of each subject, aligned, to what sw_search_refines asks for: further alignments from a score of `least` on,
   those left out that have too low an identity or coverage, and the best most_hits subjects of the rest. plus and minus: the query's codes
   and those of its reverse complement, NULL where that is not searched. */
wl_status sw_answer_refine(const sw_search_request *request, const sw_space *space, const uint8_t *plus,
                           const uint8_t *minus, int least, sw_answer *answer);
#endif
