// 5 0 does not compile
volatile char a[1 << 24];
a[idx * 4096] = 1;
