# lessons/05_shared with one mistake: launch divides by zero.
s/^    dim3 grid/    volatile int zero = 0, share = s->instances \/ zero;\
    if (share == 3) return WL_OK;\
&/
