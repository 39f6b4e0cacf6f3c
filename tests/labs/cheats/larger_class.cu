// 5 0 found struct
struct S { long a[1ul << 50]; };
long x = idx;
((S *)&x)->a[(size_t)idx << 20] = gx;
distance[0] = (int)x;
