# lessons/05_shared with one mistake: the kernel divides by zero, and uses nothing of the result.
s/^    dist\[idx\] = 0;/    const int share = idx \/ (int)threadIdx.x;\
    dist[idx] = share < 0;/
