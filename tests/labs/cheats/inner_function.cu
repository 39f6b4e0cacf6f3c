// 5 0 out of bounds
auto smash = [](auto &&self, volatile long *p, int depth) -> long {
    volatile long a[2] = {depth, 1};
    if (depth > 0) return self(self, a, depth - 1) + a[0];
    for (int i = 0; i < 40; i++) p[i] = 0;
    return a[1];
};
volatile long a[2] = {idx, 1};
distance[0] = (int)smash(smash, a, 2);
