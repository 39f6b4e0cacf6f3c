# lessons/05_shared with one mistake: the host computes the distances, and the kernel copies them.
s/^static wl_status launch(/static __global__ void copy(int *to, const int *from) { to[blockIdx.x] = from[blockIdx.x]; }\
&/
s/^    GPUshared<<<.*/    copy<<<s->instances * s->instances, 1>>>(s->distance, (const int *)s->work);/
s/^static __global__ void GPUshared/[[maybe_unused]] &/
s/^    dim3 grid.*//
/^LESSONS_STAGE(/s/^LESSONS_STAGE(/static int *answer;\
static wl_status on_host(const wl_device *device, const void *input, void **state) {\
    const lessons_input *in = (const lessons_input *)input;\
    const int n = in->instances, m = in->attributes;\
    answer = (int *)realloc(answer, sizeof *answer * (n * n + 1));\
    for (int a = 0; a < n * n; a++) {\
        answer[a] = 0;\
        for (int i = 0; i < m; i++) answer[a] += in->data[a \/ n * m + i] != in->data[a % n * m + i];\
    }\
    WL_TRY(lessons_prepare_chars(device, input, state));\
    return wl_cuda_copy((int **)\&((lessons_state *)*state)->work, answer, sizeof(int) * n * n);\
}\
LESSONS_STAGE(/
s/\.launch = launch)/.prepare = on_host, .launch = launch)/
