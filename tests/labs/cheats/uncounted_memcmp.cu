// 2 0 expected at most
volatile size_t one = 1;
if (idx == 0) {
    int n = 0;
    for (int i = 0; i < attributes; i++)
        n += memcmp(data + (size_t)attributes * gx + i, data + (size_t)attributes * gy + i, 4 * one) != 0;
    distance[(size_t)instances * gy + gx] = n;
}
