// 5 0 wrong
for (int i = 0; i < 1000; i++) {
    char *a = (char *)malloc(1 << 20);
    if (a) a[0] = 1;
}
