// 5 0 this lab does not allow
int a[4] = {3, 2, 1, idx};
qsort(a, 4, sizeof *a, [](const void *, const void *) { return 0; });
