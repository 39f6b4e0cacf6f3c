// 5 0 found alloca
int *a = (int *)alloca(attributes * 1000);
a[idx] = 1;
