#include "cublas_v2.h" // which has it all
