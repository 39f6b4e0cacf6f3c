/* Headers of C functions that C++ and CUDA include, too, have their declarations between these two. */
#pragma once

#ifdef __cplusplus
#define WL_C_BEGIN extern "C" {
#define WL_C_END }
#else
#define WL_C_BEGIN
#define WL_C_END
#endif
