// 5 0 a pointer or reference to an array
long a[2] = {idx, 1};
(*(long(*)[1ul << 50])a)[(size_t)idx << 20] = gx;
distance[0] = (int)a[idx & 1];
