// 2 0 expected at least
if (idx == 0) {
    int n = 0;
    for (int i = 0; i < attributes; i++)
        n += atomicAdd((int *)data + (size_t)attributes * gx + i, 0) != atomicAdd((int *)data + (size_t)attributes * gy + i, 0);
    distance[(size_t)instances * gy + gx] = n;
}
