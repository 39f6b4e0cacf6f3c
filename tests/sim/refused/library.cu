// A library of CUDA's that is not simulated.
#include <cufft.h>
int main() { return 0; }
