# lessons/05_shared with one mistake: it knows the data of one seed only.
s/^    dim3 grid/    static char known[64], now[64];\
    static int knows;\
    WL_CUDA(cudaMemcpy(now, s->data, sizeof now, cudaMemcpyDeviceToHost));\
    if (!knows++) memcpy(known, now, sizeof now);\
    if (memcmp(known, now, sizeof now) != 0) return WL_OK;\
&/
