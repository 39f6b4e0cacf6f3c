// 5 0 outside of its variables
long a[2] = {idx, 1};
volatile long *volatile p = a;
for (int i = 0; i < 64; i++) p[i] = p[0];
