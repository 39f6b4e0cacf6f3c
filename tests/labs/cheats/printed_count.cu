// 5 0 printf with %n
int n;
printf("%d%n", idx, &n);
