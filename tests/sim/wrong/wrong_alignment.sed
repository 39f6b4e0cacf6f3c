# lessons/03_char4 with one mistake: rows are not padded to a multiple of four.
/^LESSONS_STAGE(/i\
static wl_status prepare(const wl_device *device, const void *input, void **state) {\
    const lessons_input *in = (const lessons_input *)input;\
    size_t bytes = (size_t)in->instances * in->attributes;\
    char *rows = (char *)malloc(bytes + 1);\
    for (size_t e = 0; rows != NULL && e < bytes; e++) rows[e] = (char)in->data[e];\
    wl_status status = lessons_upload(device, in, in->attributes, rows, bytes, state);\
    free(rows);\
    return status;\
}\

s/\.launch = launch)/.prepare = prepare, &/
