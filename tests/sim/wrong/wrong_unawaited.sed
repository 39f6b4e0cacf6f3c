# lessons/05_shared with one mistake: the host reads a copy that it has not waited for.
s/^    WL_LAUNCHED();/&\
    int *first;\
    cudaMallocHost(\&first, sizeof *first);\
    cudaMemcpyAsync(first, s->distance, sizeof *first, cudaMemcpyDeviceToHost);\
    if (*first < 0) return WL_CHECK_FAILED;\
    cudaFreeHost(first);/
