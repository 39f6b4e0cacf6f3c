# lessons/05_shared with one mistake: launch reads through a null pointer.
s/^    dim3 grid/    if (*(volatile int *)4 == 3) return WL_OK;\
&/
