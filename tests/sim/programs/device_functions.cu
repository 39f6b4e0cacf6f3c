// Function pointers, a table of them, virtual functions of objects made on the device, and recursion.
#include <cstdio>

__device__ int add(int a, int b) { return a + b; }
__device__ int multiply(int a, int b) { return a * b; }
typedef int (*Operation)(int, int);
__device__ Operation table[2] = {add, multiply};

struct Shape {
    __device__ virtual float area() const = 0;
    __device__ virtual ~Shape() {}
};
struct Square : Shape {
    float side;
    __device__ Square(float side) : side(side) {}
    __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
    float radius;
    __device__ Circle(float radius) : radius(radius) {}
    __device__ float area() const override { return 3 * radius * radius; }
};
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__global__ void kernel(int *ints, float *floats, Operation given) {
    int i = threadIdx.x;
    ints[i] = table[i % 2](i, 10) + (given ? given(i, 1) : 0);
    Shape *shape = i % 3 == 0 ? (Shape *)new Square(i) : new Circle(i);
    floats[i] = shape->area();
    delete shape;
    ints[i + 32] = fibonacci(i % 12);
}
__global__ void take_address(Operation *p) { *p = add; }

int main() {
    int *ints;
    float *floats;
    Operation *pointer;
    cudaMallocManaged(&ints, 64 * sizeof(int));
    cudaMallocManaged(&floats, 32 * sizeof(float));
    cudaMallocManaged(&pointer, sizeof *pointer);
    take_address<<<1, 1>>>(pointer);
    cudaDeviceSynchronize();
    kernel<<<1, 32>>>(ints, floats, *pointer);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%d %d %d %g %g %d\n", ints[3], ints[4], ints[31], floats[3], floats[4], ints[32 + 11]);
    cudaFree(ints);
    cudaFree(floats);
    cudaFree(pointer);
}
