/* Stripes, limits and costs of shifted scores. */
#include "papara/kit/shifted.h"

int papara_stripe(const papara_input *in, int columns) {
    const int extend = in->penalties.gap_extend;
    const int most = extend > 0 ? PAPARA_SHIFT_MOST / extend / columns * columns : PAPARA_STRIPE;
    return most < PAPARA_STRIPE ? most : PAPARA_STRIPE;
}

const char *papara_shifted_refuses(const papara_input *in) {
    const papara_penalties *p = &in->penalties;
    const int highest = p->mismatch + p->cgap - p->insertion, lowest = p->insertion;
    const int fits = (double)in->reads.longest * (highest > lowest ? highest : lowest) <= PAPARA_SHIFTED_MOST;
    return fits ? NULL : "a score of the longest read may not fit into 16 bits";
}

void papara_shifted_cost(const wl_device *device, const void *input, wl_cost *cost) {
    papara_cost(device, input, cost);
    cost->operations = cost->operations / PAPARA_CELL_OPERATIONS * 2.5 / 2;
    cost->rate = WL_RATE_DPX16;
}
