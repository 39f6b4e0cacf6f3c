#include "cub/cub.cuh" // which has it all
