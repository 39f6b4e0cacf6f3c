// 5 0 out of bounds: index
long a[2] = {0, 0};
for (int i = 0; i < 64; i++) a[i + idx] = i;
distance[0] = (int)a[idx & 1];
