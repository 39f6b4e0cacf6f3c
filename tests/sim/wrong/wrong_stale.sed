# lessons/01_naive with one mistake: the sums are set to zero for the first launch only, and its own collect leaves them there.
s/^    WL_CUDA(cudaMemsetAsync/    static const void *cleared;\
    const int first = cleared != state;\
    cleared = state;\
    if (first) WL_CUDA(cudaMemsetAsync/
/^LESSONS_STAGE(/s/^LESSONS_STAGE(/static wl_status own_collect(void *state, void *output, int) {\
    return lessons_collect(state, output, 0);\
}\
LESSONS_STAGE(/
s/\.launch = launch,/.launch = launch, .collect = own_collect,/
