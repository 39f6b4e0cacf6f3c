# lessons/05_shared with one mistake: memory is freed in release, and once more.
/^LESSONS_STAGE(/i\
static void release(void *state) {\
    cudaFree(((lessons_state *)state)->data);\
    lessons_release(state);\
}\

s/\.launch = launch/&, .release = release/
