/* Machines whose GPUs cannot be used, as a table of faked drivers: what "gpu" answers, and what "auto" takes. */
#include "tests/harness/gpu/fake_cuda.h"
#include "tests/support/unit.h"

/* The program's own, compiled once more over the faked runtime. */
#ifndef WL_HAVE_CUDA
#define WL_HAVE_CUDA
#endif
#define wl_gpu_devices faked_gpu_devices
#define wl_gpu_open faked_gpu_open
#define wl_gpu_trim faked_gpu_trim
#define wl_gpu_use faked_gpu_use
#define wl_gpu_sleep_in_waits faked_gpu_sleep_in_waits
#define wl_gpu_try_kernel faked_gpu_try_kernel
#define wl_gpu_time faked_gpu_time
#define wl_nvml_memory faked_nvml_memory
#define wl_nvml_energy faked_nvml_energy
#define wl_gpu_energy faked_gpu_energy
#define wl_gpu_count faked_gpu_count
#define wl_device_use faked_device_use
#define wl_device_sleep_in_waits faked_device_sleep_in_waits
#define wl_device_trim faked_device_trim
#define wl_devices_select faked_devices_select
#define wl_devices_left_out faked_devices_left_out
#define wl_devices_of_tool faked_devices_of_tool
#define wl_devices_all_gpus faked_devices_all_gpus
#define wl_devices_of_hybrid faked_devices_of_hybrid
#define wl_devices_one faked_devices_one
#define wl_devices_begin faked_devices_begin
#define wl_devices_main faked_devices_main
#define wl_devices_drop faked_devices_drop
#define wl_devices_wait faked_devices_wait
#define wl_clockwork_real faked_clockwork_real
#include "harness/bench/device.c"
#include "harness/gpu/open.c"

wl_status wl_gpu_trim(int ordinal) { return (void)ordinal, WL_OK; }
wl_status wl_gpu_use(int ordinal) { return (void)ordinal, WL_OK; }
wl_status wl_gpu_sleep_in_waits(int ordinal) { return (void)ordinal, WL_OK; }
int wl_gpu_try_kernel(void) { return (int)fake->gpu[fake_current].kernel; }
wl_status wl_gpu_time(const wl_device *device, wl_timed timed, int cold, wl_timing *timing) {
    return (void)device, (void)timed, (void)cold, (void)timing, WL_NO_MACHINE;
}
int wl_nvml_memory(const char *bus, size_t *available, size_t *total) {
    *available = fake->gpu[atoi(bus)].free_mb * 1000000;
    *total = (size_t)143771 * 1000000;
    return *available > 0;
}
int wl_nvml_energy(const char *bus, double *joules) { return (void)bus, (void)joules, 0; }

#define FULL \
    { cudaErrorMemoryAllocation, cudaSuccess, 0, 200 }
#define FINE \
    { cudaSuccess, cudaSuccess, 0, 90000 }

static const struct {
    fake_driver driver;
    const char *gpu;  // what "--device gpu" answers; NULL: it is used
    int taken;        // by "auto": the GPU's number, or -1: the CPU
    const char *left; // and what it says of those left out
} machines[] = {
    {{.driver = 13000, .gpus = 1, .gpu = {FINE}}, NULL, 0, ""},
    {{.driver = 0}, "option --device gpu: no GPU: no NVIDIA driver is installed", -1, ""},
    {{.driver = 11040, .count = cudaErrorInsufficientDriver},
     "option --device gpu: no GPU: the driver knows CUDA up to 11.4; this program is built with 13.0",
     -1,
     ""},
    {{.driver = 13000, .count = cudaErrorNoDevice},
     "option --device gpu: no GPU: no CUDA-capable device is detected (CUDA error 100)",
     -1,
     ""},
    {{.driver = 13000, .count = cudaErrorUnknown},
     "option --device gpu: no GPU: unknown error (CUDA error 999)",
     -1,
     ""},
    {{.driver = 13000, .gpus = 1, .gpu = {FULL}},
     "GPU 0 (Fake 0): 200 MB of its 143771 MB are free; expected 600 MB or more for a start: other programs hold the "
     "rest "
     "(nvidia-smi lists them)",
     -1,
     "GPU 0 (Fake 0): 200 MB of its 143771 MB are free; expected 600 MB or more for a start: other programs hold the "
     "rest "
     "(nvidia-smi lists them); the CPU is used"},
    {{.driver = 13000, .gpus = 1, .gpu = {{.start = cudaErrorMemoryAllocation}}},
     "GPU 0 (Fake 0): too little memory is free for a start, which takes 600 MB: other programs hold it (nvidia-smi "
     "lists "
     "them)",
     -1,
     "GPU 0 (Fake 0): too little memory is free for a start, which takes 600 MB: other programs hold it (nvidia-smi "
     "lists "
     "them); the CPU is used"},
    {{.driver = 13000, .gpus = 2, .gpu = {FULL, FINE}},
     "GPU 0 (Fake 0): 200 MB of its 143771 MB are free; expected 600 MB or more for a start: other programs hold the "
     "rest "
     "(nvidia-smi lists them)",
     1,
     "GPU 0 (Fake 0): 200 MB of its 143771 MB are free; expected 600 MB or more for a start: other programs hold the "
     "rest "
     "(nvidia-smi lists them); GPU 1 is used"},
    /* It starts, and then has nothing left for work: "gpu" tries, "auto" goes on. */
    {{.driver = 13000, .gpus = 1, .gpu = {{.free_mb = 40}}},
     NULL,
     -1,
     "GPU 0 (Fake 0): 40 MB of memory are free; expected 600 MB or more; the CPU is used"},
    {{.driver = 13000,
      .gpus = 1,
      .gpu = {{.start = cudaErrorDevicesUnavailable, .mode = cudaComputeModeExclusiveProcess}}},
     "GPU 0 (Fake 0): it is in exclusive mode, and another program has it (nvidia-smi shows who uses it)",
     -1,
     "GPU 0 (Fake 0): it is in exclusive mode, and another program has it (nvidia-smi shows who uses it); the CPU is "
     "used"},
    {{.driver = 13000, .gpus = 1, .gpu = {{.start = cudaErrorDevicesUnavailable, .mode = cudaComputeModeProhibited}}},
     "GPU 0 (Fake 0): its compute mode is 'prohibited': no program may use it (nvidia-smi shows who uses it)",
     -1,
     "GPU 0 (Fake 0): its compute mode is 'prohibited': no program may use it (nvidia-smi shows who uses it); the CPU "
     "is "
     "used"},
    {{.driver = 13000, .gpus = 1, .gpu = {{.start = cudaErrorDevicesUnavailable}}},
     "GPU 0 (Fake 0): it is busy or not available (nvidia-smi shows who uses it)",
     -1,
     "GPU 0 (Fake 0): it is busy or not available (nvidia-smi shows who uses it); the CPU is used"},
    {{.driver = 13000, .gpus = 1, .gpu = {{.start = cudaErrorUnknown}}},
     "GPU 0 (Fake 0) does not start: unknown error (CUDA error 999; nvidia-smi shows its state)",
     -1,
     "GPU 0 (Fake 0) does not start: unknown error (CUDA error 999; nvidia-smi shows its state); the CPU is used"},
    {{.driver = 13000, .gpus = 3, .gpu = {{.kernel = cudaErrorECCUncorrectable, .free_mb = 90000}, FULL, FINE}},
     "GPU 0 (Fake 0) does not start: uncorrectable ECC error encountered (CUDA error 214; nvidia-smi shows its state)",
     2,
     "GPU 0 (Fake 0) does not start: uncorrectable ECC error encountered (CUDA error 214; nvidia-smi shows its state); "
     "GPU 2 is used"},
    {{.driver = 13000, .gpus = 1, .gpu = {{.kernel = cudaErrorNoKernelImageForDevice, .free_mb = 90000}}},
     "GPU 0 (Fake 0): this program has no kernels for it: build it on this machine",
     -1,
     "GPU 0 (Fake 0): this program has no kernels for it: build it on this machine; the CPU is used"},
};

TEST(gpu_is_used_or_refused_in_one_line) {
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        wl_device_list devices;
        fake = &machines[i].driver;
        const wl_status status = wl_devices_of_tool("gpu", &devices);
        if (machines[i].gpu == NULL) {
            assert_int_equal(status, WL_OK);
            assert_int_equal(devices.count, 1);
            assert_int_equal(devices.items[0].backend, WL_GPU);
        } else {
            assert_int_equal(status, WL_NO_MACHINE);
            assert_string_equal(wl_error(), machines[i].gpu);
        }
    }
}

TEST(auto_takes_what_works_and_says_so) {
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        wl_device_list devices;
        fake = &machines[i].driver;
        assert_int_equal(wl_devices_of_tool("auto", &devices), WL_OK);
        assert_int_equal(devices.count, 1);
        assert_int_equal(devices.items[0].backend, machines[i].taken < 0 ? WL_CPU : WL_GPU);
        if (machines[i].taken >= 0) assert_int_equal(devices.items[0].ordinal, machines[i].taken);
        assert_string_equal(wl_devices_left_out(), machines[i].left);
        assert_string_equal(wl_devices_left_out(), "");
    }
}

/* For checks and runs, the simulated device stands in, and the CPU's baselines stay first. */
TEST(auto_of_a_run_falls_back_to_the_simulated_device) {
    static const fake_driver full = {.driver = 13000, .gpus = 1, .gpu = {FULL}};
    wl_device_list devices;
    fake = &full;
    assert_int_equal(wl_devices_select("auto", &devices), WL_OK);
    assert_int_equal(devices.count, 2);
    assert_int_equal(devices.items[0].backend, WL_CPU);
    assert_int_equal(devices.items[1].backend, WL_SIM);
    assert_non_null(strstr(wl_devices_left_out(), "; the simulated device is used"));
}

/* Several start side by side: in the order of the request, and of several failures the first one's line. */
TEST(several_are_in_order) {
    static const fake_driver fine = {.driver = 13000, .gpus = 3, .gpu = {FINE, FINE, FINE}};
    static const fake_driver broken = {.driver = 13000, .gpus = 3, .gpu = {FINE, {.start = cudaErrorUnknown}, FULL}};
    wl_device_list devices;
    fake = &fine;
    assert_int_equal(wl_devices_of_tool("gpu:2,0,1", &devices), WL_OK);
    assert_int_equal(devices.count, 3);
    for (int i = 0; i < 3; i++) assert_int_equal(devices.items[i].ordinal, (i + 2) % 3);
    fake = &broken;
    assert_int_equal(wl_devices_of_tool("gpu:0,1,2", &devices), WL_NO_MACHINE);
    assert_string_equal(wl_error(),
                        "GPU 1 (Fake 1) does not start: unknown error (CUDA error 999; nvidia-smi shows its state)");
}

int main(void) { return run_all_tests(NULL, NULL); }
