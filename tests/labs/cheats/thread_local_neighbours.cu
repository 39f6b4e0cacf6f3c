// 5 0 out of bounds
static thread_local int mine[4];
volatile int *volatile p = mine;
for (int i = 0; i < 4096; i++) p[1024 + i] = i;
