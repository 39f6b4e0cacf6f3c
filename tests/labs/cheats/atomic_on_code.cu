// 5 0 SIGSEGV
atomicAdd((int *)__func__, 1);
