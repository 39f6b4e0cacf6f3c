// 5 0 printf with %n
char format[4] = {'%', 'd', 0, 0};
volatile char *p = format;
p[1] = 'n';
printf(format, &idx);
