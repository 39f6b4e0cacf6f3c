/* What the variants call of cuBLAS is what simulated programs have (sim/program/cublas.cpp), in the shape of harness/gpu/cublas.h. */
#include "harness/gpu/cublas.h"

#include <type_traits>

extern "C" {
/* Enumerations are ints there. */
std::remove_pointer_t<decltype(wl_cublas::cublasGemmEx)> cublasGemmEx;
std::remove_pointer_t<decltype(wl_cublas::cublasDgemmBatched)> cublasDgemmBatched;
std::remove_pointer_t<decltype(wl_cublas::cublasSgemmBatched)> cublasSgemmBatched;
int cublasCreate_v2(cublasHandle_t *handle);
}

const wl_cublas *wl_cublas_library(const char **why) {
    static const wl_cublas library = {cublasGemmEx, cublasDgemmBatched, cublasSgemmBatched, "simulated"};
    if (why != NULL) *why = "";
    return &library;
}

wl_status wl_cublas_handle(cublasHandle_t *handle) {
    static cublasHandle_t kept;
    WL_CUBLAS(kept ? CUBLAS_STATUS_SUCCESS : cublasCreate_v2(&kept));
    *handle = kept;
    return WL_OK;
}

wl_status wl_cublas_check(int status, const char *call, const char *file, int line) {
    if (status == CUBLAS_STATUS_SUCCESS) return WL_OK;
    return wl_fail(WL_CHECK_FAILED, "%s:%d: %.200s: status %d", file, line, call, status);
}
