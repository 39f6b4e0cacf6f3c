// 5 0 outside of its variables
long a[2] = {idx, 1}, sum = 0;
volatile long *volatile p = a;
for (int i = 0; i < 64; i++) sum += p[i];
distance[0] = (int)sum;
