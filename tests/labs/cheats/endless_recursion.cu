// 5 0 stack overflow
auto deep = [](auto &&self, int x) -> int {
    volatile int y = x;
    return y + self(self, y + 1) + y;
};
distance[0] = deep(deep, idx);
