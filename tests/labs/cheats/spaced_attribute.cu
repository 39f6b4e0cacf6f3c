// 2 0 found an attribute
auto differ = [] [ [gnu::no_sanitize("thread"), gnu::noinline]] (const int *a, const int *b) { return *a != *b; };
distance[0] = differ(data, data + 1);
