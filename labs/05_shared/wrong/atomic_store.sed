# no_atomics: has most of them
s/distance\[(size_t)instances \* gy + gx\] = dist\[0\];/atomicExch(\&distance[(size_t)instances * gy + gx], dist[0]);/
