# loads: has most of them
s/data\[i + (size_t)attributes \* gx\] != data\[i + (size_t)attributes \* gy\]/data[(size_t)instances * i + gx] != data[(size_t)instances * i + gy]/
s/in->data, bytes, state)/transposed(in), bytes, state)/
/^static wl_status prepare/i\
static int *transposed(const lessons_input *in) {\
    int *columns = (int *)malloc(sizeof(int) * in->instances * in->attributes + 1);\
    for (int g = 0; g < in->instances; g++)\
        for (int i = 0; i < in->attributes; i++) columns[(size_t)in->instances * i + g] = in->data[(size_t)in->attributes * g + i];\
    return columns;\
}
