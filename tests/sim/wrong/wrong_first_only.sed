# lessons/05_shared with one mistake: it runs once per state, and its own collect leaves the result where it is.
/static wl_status launch(/,/^}/s/^    lessons_state \*s = .*/&\
    static const void *done;\
    if (done == state) return WL_OK;\
    done = state;/
/^LESSONS_STAGE(/s/^LESSONS_STAGE(/static wl_status own_collect(void *state, void *output, int) {\
    return lessons_collect(state, output, 0);\
}\
LESSONS_STAGE(/
s/\.launch = launch)/.launch = launch, .collect = own_collect)/
