# lessons/05_shared with one mistake: a kernel that does not end.
s/^    dist\[idx\] = 0;/&\
    for (;;)\
        ;/
