# right: race on global memory
s/atomicAdd(distance + (size_t)instances \* gy + gx, 1);/distance[(size_t)instances * gy + gx] += 1;/
