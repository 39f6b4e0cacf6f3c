/* Half of this stage's kernels. They have their own file so that nvcc compiles both halves at the same time. */
#define ANY_COSTS
#include "sw/08_two_pipes/kernel.cu"
