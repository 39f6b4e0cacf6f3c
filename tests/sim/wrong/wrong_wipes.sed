# lessons/05_shared with one mistake: a second kernel wipes the data, so the next launch finds none.
s/^static wl_status launch(/static __global__ void wipe(char *data) { data[3 + threadIdx.x] = 0; }\
&/
s/^    WL_LAUNCHED();/    wipe<<<1, 32>>>((char *)s->data);\
&/
