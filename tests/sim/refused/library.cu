// A library of CUDA's that is not simulated.
#include <cudnn.h>
int main() { return 0; }
