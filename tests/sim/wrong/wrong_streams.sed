# lessons/05_shared with one mistake: two streams that nothing orders write the result.
s/^    GPUshared<<<grid, THREADS>>>/    cudaStream_t one, other;\
    cudaStreamCreateWithFlags(\&one, cudaStreamNonBlocking);\
    cudaStreamCreateWithFlags(\&other, cudaStreamNonBlocking);\
    cudaMemsetAsync(s->distance, 0, lessons_result_bytes(s), one);\
    GPUshared<<<grid, THREADS, 0, other>>>/
