/* CUDA's functions that one thread computes by itself; cuda_runtime.h includes them all.
   (Half precision has headers of its own, as in CUDA: cuda_fp16.h and cuda_bf16.h.) */
#pragma once

#include "sim_bits.h"
#include "sim_integer.h"
#include "sim_simd.h"
#include "sim_dpx.h"
#include "sim_convert.h"
#include "sim_float.h"
#include "sim_math.h"
