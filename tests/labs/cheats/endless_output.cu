// 5 0 endless loop
for (;;) printf("no end of it %d\n", idx);
