// 5 0 takes the address of a function
int (*const table[2])(int) = {[](int x) { return x + 1; }, [](int x) { return x - 1; }};
distance[0] = table[idx & 1](idx);
