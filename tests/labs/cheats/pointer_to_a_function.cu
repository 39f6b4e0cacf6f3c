// 5 0 through a pointer
((void (*)(int))(size_t)(idx + 0x1000))(0);
