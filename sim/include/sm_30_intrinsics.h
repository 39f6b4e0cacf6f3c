#include "cuda_runtime.h" // which has it all
