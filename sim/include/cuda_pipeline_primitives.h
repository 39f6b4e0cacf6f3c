#include "cuda_pipeline.h" // which has it all
