# lessons/03_char4 with one mistake: it runs once, and each further launch leaves what the first one wrote.
/static wl_status launch(/,/^}/s/^    lessons_state \*s = .*/&\
    static const void *done;\
    if (done == state) return WL_OK;\
    done = state;/
