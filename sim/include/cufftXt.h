/* cuFFT's extended interface for simulated programs: plans by data types, and descriptors of memory on one GPU. */
#pragma once

#include "cufft.h"

enum { CUDA_XT_DESCRIPTOR_VERSION = 0x01000000, MAX_CUDA_DESCRIPTOR_GPUS = 64 };
typedef enum libFormat_t { LIB_FORMAT_CUFFT = 0, LIB_FORMAT_UNDEFINED = 1 } libFormat;
typedef enum cufftXtSubFormat_t {
    CUFFT_XT_FORMAT_INPUT = 0,
    CUFFT_XT_FORMAT_OUTPUT = 1,
    CUFFT_XT_FORMAT_INPLACE = 2,
    CUFFT_XT_FORMAT_INPLACE_SHUFFLED = 3
} cufftXtSubFormat;
typedef enum cufftXtCopyType_t {
    CUFFT_COPY_HOST_TO_DEVICE = 0,
    CUFFT_COPY_DEVICE_TO_HOST = 1,
    CUFFT_COPY_DEVICE_TO_DEVICE = 2
} cufftXtCopyType;
typedef struct cudaXtDesc_t {
    int version, nGPUs, GPUs[MAX_CUDA_DESCRIPTOR_GPUS];
    void *data[MAX_CUDA_DESCRIPTOR_GPUS];
    size_t size[MAX_CUDA_DESCRIPTOR_GPUS];
    void *cudaXtState;
} cudaXtDesc;
typedef struct cudaLibXtDesc_t {
    int version;
    cudaXtDesc *descriptor;
    libFormat library;
    int subFormat;
    void *libDescriptor;
} cudaLibXtDesc;

extern "C" {

cufftResult cufftXtSetGPUs(cufftHandle plan, int count, int *gpus); // one, which is device 0
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long *n, long long *in_embed, long long in_stride,
                                long long in_distance, cudaDataType in_type, long long *out_embed, long long out_stride,
                                long long out_distance, cudaDataType out_type, long long batch, size_t *work_bytes,
                                cudaDataType computed_type);
cufftResult cufftXtExec(cufftHandle plan, void *in, void *out, int direction);
cufftResult cufftXtMalloc(cufftHandle plan, cudaLibXtDesc **memory, cufftXtSubFormat format);
cufftResult cufftXtFree(cudaLibXtDesc *memory);
cufftResult cufftXtMemcpy(cufftHandle plan, void *to, void *from, cufftXtCopyType type);
cufftResult cufftXtExecDescriptor(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out, int direction);
}

inline cufftResult cufftXtExecDescriptorC2C(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out, int direction) {
    return cufftXtExecDescriptor(plan, in, out, direction);
}
inline cufftResult cufftXtExecDescriptorZ2Z(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out, int direction) {
    return cufftXtExecDescriptor(plan, in, out, direction);
}
inline cufftResult cufftXtExecDescriptorR2C(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out) {
    return cufftXtExecDescriptor(plan, in, out, CUFFT_FORWARD);
}
inline cufftResult cufftXtExecDescriptorC2R(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out) {
    return cufftXtExecDescriptor(plan, in, out, CUFFT_INVERSE);
}
