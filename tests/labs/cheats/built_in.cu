// 5 0 found __builtin_memcpy
__builtin_memcpy(distance, data, 4);
