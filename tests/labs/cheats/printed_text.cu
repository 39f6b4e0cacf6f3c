// 5 0 out of bounds
printf("%s", (const char *)(size_t)0x7f0000001000);
