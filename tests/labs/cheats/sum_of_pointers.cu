// 5 0 outside of its variables
long a[2] = {idx, 1};
for (int i = idx; i < 64; i++) *(a + i) = i;
distance[0] = (int)a[idx & 1];
