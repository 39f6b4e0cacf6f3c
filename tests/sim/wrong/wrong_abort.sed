# lessons/05_shared with one mistake: launch aborts.
s/^    dim3 grid/    if (s->instances > 0) abort();\
&/
