/* Likelihoods, as clients ask for them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beagle/device.h"
#include "beagle/instance.h"

static int is_right(const bg_instance *b, const bg_subset *subset, int derivatives) {
    if (!bg_is_full(b, subset->parent) || subset->weights < 0 || (size_t)subset->weights >= b->eigens ||
        subset->frequencies < 0 || (size_t)subset->frequencies >= b->eigens)
        return 0;
    if (subset->child < 0) return subset->child == BEAGLE_OP_NONE;
    if (!bg_is_full(b, subset->child)) return 0;
    for (int d = 0; d <= derivatives; d++)
        if (subset->matrix[d] < 0 || (size_t)subset->matrix[d] >= b->matrices ||
            b->matrix[subset->matrix[d]].column == NULL)
            return 0;
    return 1;
}

/* The request done, its totals in b->total too. BEAGLE_ERROR_FLOATING_POINT where the log-likelihood is not finite. */
static int ask(bg_instance *b, bg_request *request) {
    for (size_t i = 0; i < request->count; i++)
        if (!is_right(b, &request->subsets[i], request->derivatives)) return BEAGLE_ERROR_OUT_OF_RANGE;
    for (size_t i = 0; i < request->count; i++) {
        const bg_subset *subset = &request->subsets[i];
        if (subset->child < 0 || b->device != NULL || b->matrix[subset->matrix[0]].is_packed) continue;
        if (bg_flush(b, NULL) != BEAGLE_SUCCESS) return BEAGLE_ERROR_OUT_OF_MEMORY;
        bg_pack(b, subset->matrix[0]);
    }
    const int code = bg_flush(b, request);
    if (code != BEAGLE_SUCCESS) return code;
    if (!request->is_done) bg_add_up(b, request);
    memcpy(b->total, request->total, sizeof b->total);
    return isfinite(request->total[0]) ? BEAGLE_SUCCESS : BEAGLE_ERROR_FLOATING_POINT;
}

static bg_subset subset_of(const bg_question *q, int i) {
    bg_subset subset = {.parent = q->parents[i],
                        .child = q->children == NULL ? BEAGLE_OP_NONE : q->children[i],
                        .weights = q->weights[i],
                        .frequencies = q->frequencies[i]};
    for (int d = 0; d < 3; d++) subset.matrix[d] = q->matrices[d] == NULL ? BEAGLE_OP_NONE : q->matrices[d][i];
    return subset;
}

int bg_answer(bg_instance *b, const bg_question *q) {
    if (q->count < 1) return BEAGLE_ERROR_OUT_OF_RANGE;
    if (q->partitions != NULL && q->count > 1) return BEAGLE_ERROR_NO_IMPLEMENTATION; // as in BEAGLE
    const int derivatives = q->matrices[0] == NULL || q->matrices[1] == NULL ? 0 : q->matrices[2] == NULL ? 1 : 2;
    const int requests = q->partitions == NULL ? 1 : q->partition_count, each = q->partitions == NULL ? q->count : 1;
    bg_subset *subsets = malloc(sizeof *subsets * (size_t)each);
    if (subsets == NULL) return BEAGLE_ERROR_OUT_OF_MEMORY;
    double all[3] = {0};
    int code = BEAGLE_SUCCESS;
    for (int n = 0; n < requests; n++) {
        for (int i = 0; i < each; i++) subsets[i] = subset_of(q, n * each + i);
        bg_request request = {.subsets = subsets,
                              .count = (size_t)each,
                              .partition = q->partitions == NULL ? BEAGLE_OP_NONE : q->partitions[n],
                              .derivatives = derivatives};
        const int one = request.partition >= b->partitions ? BEAGLE_ERROR_OUT_OF_RANGE : ask(b, &request);
        if (one != BEAGLE_SUCCESS) code = one;
        for (int d = 0; d < 3; d++) {
            all[d] += request.total[d];
            if (q->by_partition[d] != NULL && d <= derivatives) q->by_partition[d][n] = request.total[d];
        }
        if (one != BEAGLE_SUCCESS && one != BEAGLE_ERROR_FLOATING_POINT) break;
    }
    free(subsets);
    memcpy(b->total, all, sizeof all);
    for (int d = 0; d < 3; d++)
        if (q->total[d] != NULL && d <= derivatives) *q->total[d] = all[d];
    return code;
}

int bg_get_sites(bg_instance *b, int derivative, double *to) {
    if (derivative == 0 && b->sites_are_stale) {
        const int code = bg_device_get_sites(b->device, b->site[0]);
        if (code != BEAGLE_SUCCESS) return code;
        b->sites_are_stale = 0;
    }
    memcpy(to, b->site[derivative], sizeof *to * b->patterns);
    return BEAGLE_SUCCESS;
}
