// The C library writes through a device pointer, here that of a row.
#include <cstdio>
#include <cstring>
int main() {
    char *p;
    size_t pitch;
    cudaMallocPitch((void **)&p, &pitch, 100, 40);
    memset(p + 3 * pitch, 0, 100);
    puts("not so on a GPU");
}
