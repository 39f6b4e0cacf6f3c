# lessons/05_shared with one mistake: launch does not end.
s/^    dim3 grid/    for (;;)\
        ;\
&/
