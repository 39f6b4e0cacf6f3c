// 5 0 returns with
long x = idx;
for (int i = idx; i < 200; i++) ((cudaDeviceProp *)&x)->name[i] = (char)idx;
distance[0] = (int)x;
