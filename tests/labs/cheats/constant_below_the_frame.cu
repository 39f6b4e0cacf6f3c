// 5 0 its own frame
long a[2] = {idx, 1};
*(volatile long *)((char *)a - 8192) = gx;
distance[0] = (int)a[idx & 1];
