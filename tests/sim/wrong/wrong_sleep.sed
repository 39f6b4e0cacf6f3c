# lessons/05_shared with one mistake: launch sleeps.
s/^    dim3 grid/    sleep(3);\
&/
s/^#include "lessons.*/&\
#include <unistd.h>/
