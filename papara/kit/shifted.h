/* What stages 08 and 09 share: the limits of scores without the costs that are known beforehand (papara/08_shifted_scores/README.md
   derives them), in stripes of columns, so that they fit into 16 bits. */
#pragma once

#include "harness/base/linkage.h"
#include "papara/kit/plan.h"

WL_C_BEGIN

enum {
    PAPARA_STRIPE = 512,        // columns, at most, after which scores are shifted back
    PAPARA_SHIFT_MOST = 12000,  // the largest shift in a stripe
    PAPARA_NO_CELL = 20000,     // infinity: above every S'; sums with it stay below 32,768
    PAPARA_SHIFTED_MOST = 19000 // the largest S' without the shift, up or down
};

/* Columns of a stripe: whole blocks, whose sites shift a score by at most PAPARA_SHIFT_MOST. */
int papara_stripe(const papara_input *in, int columns);
/* A papara_plan's `refuses`. */
const char *papara_shifted_refuses(const papara_input *in);
/* wl_variant's `cost`: two DPX instructions and a minimum, which takes half as long, for each two cells that are computed. */
void papara_shifted_cost(const wl_device *device, const void *input, wl_cost *cost);

WL_C_END
