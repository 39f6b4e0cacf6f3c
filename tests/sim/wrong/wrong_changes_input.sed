# lessons/05_shared with one mistake: prepare wipes the harness's own data, of which all distances are 0.
/^LESSONS_STAGE(/s/^LESSONS_STAGE(/static wl_status wiping(const wl_device *device, const void *input, void **state) {\
    const lessons_input *in = (const lessons_input *)input;\
    memset((void *)in->data, 0, sizeof *in->data * in->instances * in->attributes);\
    return lessons_prepare_chars(device, input, state);\
}\
LESSONS_STAGE(/
s/\.launch = launch)/.prepare = wiping, .launch = launch)/
