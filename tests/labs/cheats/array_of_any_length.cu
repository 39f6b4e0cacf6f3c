// 5 0 does not compile
int a[attributes];
for (int i = 0; i < attributes; i++) a[i] = i;
distance[0] = a[idx & 1];
