# lessons/05_shared with one mistake: launch ends the program as if all were well.
s/^    dim3 grid/    if (s->instances > 0) exit(0);\
&/
