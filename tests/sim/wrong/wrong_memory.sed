# lessons/05_shared with one mistake: prepare finds no memory where supports says that there is enough.
/^LESSONS_STAGE(/s/^LESSONS_STAGE(/static wl_status none(const wl_device *, const void *, void **) {\
    return wl_fail(WL_NO_MACHINE, "no memory for the rows");\
}\
LESSONS_STAGE(/
s/\.launch = launch)/.prepare = none, .launch = launch)/
