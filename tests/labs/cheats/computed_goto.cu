// 5 0 through a pointer
void *const places[2] = {&&one, &&two};
volatile int which = idx;
goto *places[which & 1];
one:
distance[0] = 1;
two:
distance[1] = 2;
