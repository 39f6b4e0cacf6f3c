// 2 0 counts only with: All threads
if (idx == 0) {
    int n = 0, i = 0;
    const int *a = data + (size_t)attributes * gx, *b = data + (size_t)attributes * gy;
    for (; attributes % 4 == 0 && i < attributes; i += 4) {
        const int4 x = *(const int4 *)(a + i), y = *(const int4 *)(b + i);
        n += (x.x != y.x) + (x.y != y.y) + (x.z != y.z) + (x.w != y.w);
    }
    for (; i < attributes; i++) n += a[i] != b[i];
    atomicAdd(distance + (size_t)instances * gy + gx, n);
}
