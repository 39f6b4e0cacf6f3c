# lessons/05_shared with one mistake: launch allocates, and frees.
s/^    WL_LAUNCHED();/&\
    void *memory;\
    cudaMalloc(\&memory, 1000);\
    cudaFree(memory);/
