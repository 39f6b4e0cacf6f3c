// 5 0 out of bounds
for (volatile char *volatile p = (volatile char *)&distance; ; p += 4096) *p = 0;
