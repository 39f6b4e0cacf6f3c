// 2 0 found an attribute
[/* [ */ [gnu::unused]] int x = 1;
distance[0] = x;
