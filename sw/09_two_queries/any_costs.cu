/* Half of this stage's kernels, in a file of their own: nvcc compiles both halves at the same time. */
#define ANY_COSTS
#include "sw/09_two_queries/kernel.cu"
