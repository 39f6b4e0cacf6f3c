// 5 0 out of bounds
frexp((double)idx, (int *)(size_t)0x7f0000001000);
