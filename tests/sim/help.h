/* What the tests of the simulated device share: buffers, counters of a launch, comparing messages. */
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <vector>

#include "sim/sim.h"
#include "tests/sim/tests.h"

/* Device memory that comes back as a vector. */
template <typename T> struct Buffer {
    T *device = nullptr;
    size_t count;
    explicit Buffer(size_t n, T value = T()) : count(n) {
        std::vector<T> host(n, value);
        cudaMalloc(&device, n * sizeof(T));
        cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~Buffer() { cudaFree(device); }
    std::vector<T> host() const {
        std::vector<T> all(count);
        cudaMemcpy(all.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost);
        return all;
    }
};

/* The counters of the launches `work` makes, and the error it leaves ("" when none). */
template <typename W> wl_sim_counters counted(W work, std::string *error = nullptr) {
    wl_sim_forget();
    work();
    cudaError_t code = cudaGetLastError();
    if (error)
        *error = code == cudaSuccess ? "" : cudaGetErrorString(code);
    else if (code != cudaSuccess)
        sim_test_fail(__FILE__, __LINE__, cudaGetErrorString(code));
    size_t count;
    const wl_sim_launch *launches = wl_sim_launches(&count);
    return count ? launches[count - 1].counters : wl_sim_counters{};
}

static inline bool says(const std::string &text, const char *part) {
    bool found = text.find(part) != std::string::npos;
    if (!found) printf("  expected '%s' in '%s'\n", part, text.c_str());
    return found;
}
