// 5 0 found asm
register long x asm("rbx");
distance[0] = (int)x;
