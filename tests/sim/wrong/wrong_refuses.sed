# lessons/05_shared with one mistake: supports refuses what the kernel might get wrong.
/^LESSONS_STAGE(/s/^LESSONS_STAGE(/static const char *picky(const wl_device *, const void *input) {\
    return ((const lessons_input *)input)->attributes % 4 ? "attributes that are no multiple of four" : NULL;\
}\
LESSONS_STAGE(/
s/\.launch = launch)/.supports = picky, .launch = launch)/
