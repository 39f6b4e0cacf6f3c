# atomics: has most of them
s/count++;/atomicAdd(distance + (size_t)instances * gy + gx, 1);/
s/gx, count);/gx, 0 * count);/
