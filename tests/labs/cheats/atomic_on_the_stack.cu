// 5 0 outside of its variables
int a[2] = {idx, 1};
for (int i = 0; i < 64; i++) atomicExch(a + i, 0);
