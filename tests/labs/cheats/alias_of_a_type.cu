// 5 0 found using
using T = long[1ul << 50];
long a[2] = {idx, 1};
(*(T *)a)[(size_t)idx << 20] = gx;
distance[0] = (int)a[idx & 1];
