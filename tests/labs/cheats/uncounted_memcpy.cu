// 2 0 expected at most
if (idx == 0) {
    int n = 0, a[16], b[16];
    for (int i = 0; i < attributes; i += 16) {
        const size_t bytes = attributes - i < 16 ? sizeof(int) * (attributes - i) : sizeof a;
        if (bytes == sizeof a) {
            memcpy(a, data + (size_t)attributes * gx + i, 64);
            memcpy(b, data + (size_t)attributes * gy + i, 64);
        } else {
            memcpy(a, data + (size_t)attributes * gx + i, bytes);
            memcpy(b, data + (size_t)attributes * gy + i, bytes);
        }
        for (int k = 0; k < 16 && i + k < attributes; k++) n += a[k] != b[k];
    }
    distance[(size_t)instances * gy + gx] = n;
}
