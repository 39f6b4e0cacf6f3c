/* simulated_speed PROGRAM N TIMES: the four programs of simulated_speed.cu as plain C, for gcc -O1. Prints seconds of user time per
   repetition. */
#include "simulated_speed.h"

__attribute__((noinline)) static void axpy(int n, float a, const float *x, float *y) {
    for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}
__attribute__((noinline)) static void sum(int n, const float *x, float *out) {
    float total = 0;
    for (int i = 0; i < n; i++) total += x[i];
    *out = total;
}
__attribute__((noinline)) static void product(int n, const float *a, const float *b, float *c) {
    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++) {
            float total = 0;
            for (int k = 0; k < n; k++) total += a[row * n + k] * b[k * n + column];
            c[row * n + column] = total;
        }
}
__attribute__((noinline)) static void histogram(int n, const unsigned char *letters, unsigned *counts) {
    for (int i = 0; i < n; i++) counts[letters[i]]++;
}

int main(int count, char **arguments) {
    if (count != 4) return 2;
    const char *program = arguments[1];
    const int n = atoi(arguments[2]), times = atoi(arguments[3]);
    const size_t elements = strcmp(program, "product") == 0 ? (size_t)n * (size_t)n : (size_t)n;
    float *x = calloc(elements, sizeof *x), *y = calloc(elements + 256, sizeof *y), *z = calloc(elements, sizeof *z);
    if (x == NULL || y == NULL || z == NULL) return 4;
    memset(x, 0, elements * sizeof *x); // else its pages come while the program is timed
    memset(y, 0, elements * sizeof *y);
    memset(z, 0, elements * sizeof *z);
    if (strcmp(program, "histogram") == 0) fill_letters((unsigned char *)x, n);
    const double begun = user_seconds();
    for (int i = 0; i < times; i++) {
        if (strcmp(program, "axpy") == 0) axpy(n, 2, x, y);
        if (strcmp(program, "sum") == 0) sum(n, x, y);
        if (strcmp(program, "product") == 0) product(n, x, y, z);
        if (strcmp(program, "histogram") == 0) histogram(n, (const unsigned char *)x, (unsigned *)y);
    }
    printf("%.9f\n", (user_seconds() - begun) / times);
    free(x);
    free(y);
    free(z);
    return 0;
}
