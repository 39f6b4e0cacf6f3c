// 5 0 out of bounds
static int mine;
for (volatile long *volatile p = (volatile long *)((size_t)&mine & ~4095ul); ; p -= 512) *p = 0;
