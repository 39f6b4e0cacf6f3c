# shares: expected at most
s/for (int i = idx; i < attributes; i += THREADS)/for (int y = 0; gx + gy == 0 \&\& y < instances; y++) for (int x = 0; x < instances; x++) &/
s/data\[i + (size_t)attributes \* gx\] != data\[i + (size_t)attributes \* gy\]/data[i + (size_t)attributes * x] != data[i + (size_t)attributes * y]/
s/instances \* gy + gx, 1);/instances * y + x, 1);/
