// 5 0 calls nanosleep
timespec *t = 0;
nanosleep(t, t);
