/* cuFFT for simulated programs (sim/program/cufft.cpp): transforms of any size in one to three dimensions, in batches and layouts. */
#pragma once
#define _CUFFT_H_ // which other headers ask for

#include "cuComplex.h"
#include "cuda_runtime.h"
#include "library_types.h"

#define CUFFT_VERSION 12000
#define CUFFT_FORWARD (-1)
#define CUFFT_INVERSE 1

typedef enum cufftResult_t {
    CUFFT_SUCCESS = 0,
    CUFFT_INVALID_PLAN = 1,
    CUFFT_ALLOC_FAILED = 2,
    CUFFT_INVALID_TYPE = 3,
    CUFFT_INVALID_VALUE = 4,
    CUFFT_INTERNAL_ERROR = 5,
    CUFFT_EXEC_FAILED = 6,
    CUFFT_SETUP_FAILED = 7,
    CUFFT_INVALID_SIZE = 8,
    CUFFT_UNALIGNED_DATA = 9,
    CUFFT_INVALID_DEVICE = 11,
    CUFFT_NO_WORKSPACE = 13,
    CUFFT_NOT_IMPLEMENTED = 14,
    CUFFT_NOT_SUPPORTED = 16,
    CUFFT_MISSING_DEPENDENCY = 17,
    CUFFT_NVRTC_FAILURE = 18,
    CUFFT_NVJITLINK_FAILURE = 19,
    CUFFT_NVSHMEM_FAILURE = 20
} cufftResult;
#define CUFFT_INCOMPLETE_PARAMETER_LIST ((cufftResult)10) // of CUDA 12
#define CUFFT_PARSE_ERROR ((cufftResult)12)
#define CUFFT_LICENSE_ERROR ((cufftResult)15)
typedef enum cufftType_t {
    CUFFT_R2C = 0x2a,
    CUFFT_C2R = 0x2c,
    CUFFT_C2C = 0x29,
    CUFFT_D2Z = 0x6a,
    CUFFT_Z2D = 0x6c,
    CUFFT_Z2Z = 0x69
} cufftType;
typedef enum cufftCompatibility_t { CUFFT_COMPATIBILITY_FFTW_PADDING = 1 } cufftCompatibility;

typedef int cufftHandle;
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;

extern "C" {

cufftResult cufftCreate(cufftHandle *plan);
cufftResult cufftDestroy(cufftHandle plan);
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream);
cufftResult cufftGetVersion(int *version);
cufftResult cufftGetProperty(libraryPropertyType type, int *value);

/* The last dimension is the fastest. `embed`, strides and distances: of elements, as cuFFT's advanced layout has them. */
cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long *n, long long *in_embed, long long in_stride,
                                long long in_distance, long long *out_embed, long long out_stride,
                                long long out_distance, cufftType type, long long batch, size_t *work_bytes);
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *n, int *in_embed, int in_stride, int in_distance,
                              int *out_embed, int out_stride, int out_distance, cufftType type, int batch,
                              size_t *work_bytes);
cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *work_bytes);
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *work_bytes);
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *work_bytes);
cufftResult cufftPlanMany(cufftHandle *plan, int rank, int *n, int *in_embed, int in_stride, int in_distance,
                          int *out_embed, int out_stride, int out_distance, cufftType type, int batch);
cufftResult cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch);
cufftResult cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type);
cufftResult cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz, cufftType type);

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *in, cufftComplex *out, int direction);
cufftResult cufftExecR2C(cufftHandle plan, cufftReal *in, cufftComplex *out);
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *in, cufftReal *out);
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleComplex *out, int direction);
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *in, cufftDoubleComplex *out);
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleReal *out);
}

/* Work memory: none is needed. */
inline cufftResult wl_no_work(size_t *bytes) { return *bytes = 0, CUFFT_SUCCESS; }
inline cufftResult cufftGetSize(cufftHandle, size_t *bytes) { return wl_no_work(bytes); }
inline cufftResult cufftEstimate1d(int, cufftType, int, size_t *bytes) { return wl_no_work(bytes); }
inline cufftResult cufftEstimate2d(int, int, cufftType, size_t *bytes) { return wl_no_work(bytes); }
inline cufftResult cufftEstimate3d(int, int, int, cufftType, size_t *bytes) { return wl_no_work(bytes); }
inline cufftResult cufftGetSize1d(cufftHandle, int, cufftType, int, size_t *bytes) { return wl_no_work(bytes); }
inline cufftResult cufftGetSize2d(cufftHandle, int, int, cufftType, size_t *bytes) { return wl_no_work(bytes); }
inline cufftResult cufftGetSize3d(cufftHandle, int, int, int, cufftType, size_t *bytes) { return wl_no_work(bytes); }
inline cufftResult cufftSetWorkArea(cufftHandle, void *) { return CUFFT_SUCCESS; }
inline cufftResult cufftSetAutoAllocation(cufftHandle, int) { return CUFFT_SUCCESS; }
