# right: race on shared memory
/^        dist\[idx\] += count;/,/^    if (idx == 0)/ { /__syncthreads/d; }
