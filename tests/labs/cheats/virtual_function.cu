// 5 0 found struct
struct A { virtual int f(int x) { return x; } };
struct B : A { int f(int x) override { return x + 1; } };
A a; B b;
A *volatile p = idx ? &a : &b;
distance[0] = p->f(idx);
