// 5 0 calls fopen
FILE *f = fopen("/proc/self/mem", "r+");
distance[0] = f != NULL;
