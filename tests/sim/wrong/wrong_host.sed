# lessons/05_shared with one mistake: the host computes the distances, whatever the kernel does.
/^LESSONS_STAGE(/s/^LESSONS_STAGE(/static int *answer;\
static wl_status on_host(const wl_device *device, const void *input, void **state) {\
    const lessons_input *in = (const lessons_input *)input;\
    const int n = in->instances, m = in->attributes;\
    answer = (int *)realloc(answer, sizeof *answer * (n * n + 1));\
    for (int a = 0; a < n * n; a++) {\
        answer[a] = 0;\
        for (int i = 0; i < m; i++) answer[a] += in->data[a \/ n * m + i] != in->data[a % n * m + i];\
    }\
    return lessons_prepare_chars(device, input, state);\
}\
static wl_status own_collect(void *state, void *output, int) {\
    const wl_status status = lessons_collect(state, output, 1);\
    memcpy(output, answer, lessons_result_bytes((lessons_state *)state));\
    return status;\
}\
LESSONS_STAGE(/
s/\.launch = launch)/.prepare = on_host, .launch = launch, .collect = own_collect)/
