# one_store: expected at most
s/^        distance\[(size_t)instances \* gy + gx\] = dist\[0\];/    } __syncthreads(); {&/
