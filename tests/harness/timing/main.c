/* Events, flush, clock probe and rates on a real GPU: each must show what is known beforehand. Prints what it found, since
   the numbers are worth reading; exits with 4 where there is no GPU. */
#include <math.h>
#include <stdio.h>

#include "harness/bench/device.h"
#include "harness/gpu/gpu.h"
#include "harness/base/stats.h"
#include "harness/probes/rates.h"
#include "tests/harness/timing/kernels.h"

enum { SAMPLES = 101 };

static int failures;

static void expect(int holds, const char *what) {
    if (!holds) failures++;
    printf("%s %s\n", holds ? "ok    " : "FAILED", what);
}

/* Median seconds and clock of a few samples. */
static wl_timing sample(const wl_device *device, wl_status (*run)(void *), kernel_state *state, int cold) {
    double seconds[SAMPLES], clocks[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        wl_timing timing = {NAN, NAN};
        if (wl_gpu_time(device, (wl_timed){run, state}, cold, &timing) != WL_OK) {
            printf("FAILED %s\n", wl_error());
            failures++;
        }
        seconds[i] = timing.seconds;
        clocks[i] = timing.clock;
    }
    return (wl_timing){wl_median(seconds, SAMPLES), wl_median(clocks, SAMPLES)};
}

static void kernels(const wl_device *device, const wl_gpu_facts *facts) {
    kernel_state state = {.bytes = facts->l2 / 4, .spin_seconds = 200e-6};
    if (kernel_allocate(&state) != WL_OK) {
        expect(0, wl_error());
        return;
    }
    sample(device, kernel_spin, &state, 1); // brings the clock up
    wl_timing spun = sample(device, kernel_spin, &state, 1);
    wl_timing cold = sample(device, kernel_read, &state, 1), hot = sample(device, kernel_read, &state, 0);
    printf("a kernel of 200 us: %.2f us, clock %.3f of %.0f MHz\n", 1e6 * spun.seconds, spun.clock, facts->clock_mhz);
    printf("reading a quarter of the L2 cache (%zu bytes): cold %.2f us, hot %.2f us\n", state.bytes,
           1e6 * cold.seconds, 1e6 * hot.seconds);
    expect(spun.seconds > 199e-6 && spun.seconds < 215e-6, "a kernel of 200 us takes 200 us between the events");
    expect(spun.clock > 0.2 && spun.clock < 1.1, "the clock probe gives a share of the nominal clock");
    expect(cold.clock > 0.2 && hot.clock > 0.2, "... over short kernels too");
    expect(cold.seconds > 1.2 * hot.seconds, "the flush evicts what the last sample read");
    kernel_free(&state);
}

static void empty_kernel(const wl_device *device) {
    double seconds = NAN;
    expect(wl_gpu_empty_seconds(device, &seconds) == WL_OK, "an empty kernel can be timed");
    printf("an empty kernel: %.2f us\n", 1e6 * seconds);
    expect(seconds > 0 && seconds < 10e-6, "the time between events does not hold the host's time for a launch");
}

static void rates(const wl_device *device, const wl_gpu_facts *facts) {
    wl_rates r = {0}, again = {0};
    if (wl_gpu_rates(device, &r) != WL_OK || wl_gpu_rates(device, &again) != WL_OK) {
        expect(0, wl_error());
        return;
    }
    double a_clock = 1e6 * facts->clock_mhz * device->multiprocessors;
    printf("copy %.3g B/s; a clock and multiprocessor: int32 %.1f, popc %.1f, dpx16 %.1f, min16x2 %.1f, half2 %.1f; "
           "atomics %.3g a second\n",
           r.bandwidth, r.operations[WL_RATE_INT32] / a_clock, r.operations[WL_RATE_POPC] / a_clock,
           r.operations[WL_RATE_DPX16] / a_clock, r.operations[WL_RATE_MIN16X2] / a_clock,
           r.operations[WL_RATE_HALF2] / a_clock, r.operations[WL_RATE_ATOMIC]);
    /* 64 or 128 and 16 lanes on everything since Volta, at whatever clock it ran. */
    expect(r.operations[WL_RATE_INT32] / a_clock > 30 && r.operations[WL_RATE_INT32] / a_clock < 135, "int32 rate");
    expect(r.operations[WL_RATE_POPC] / a_clock > 8 && r.operations[WL_RATE_POPC] / a_clock < 17, "popc rate");
    /* 64 where DPX is hardware (9.0 and on), a few where it is several instructions; half2 64 or 128 since Volta. */
    int has_dpx = device->compute_capability >= 90;
    expect(r.operations[WL_RATE_DPX16] / a_clock > (has_dpx ? 50 : 3) && r.operations[WL_RATE_DPX16] / a_clock < 135,
           "dpx16 rate");
    /* On the H200 a minimum of two takes half as long as an instruction of three operands: PaPaRa's last stages rest on it. */
    expect(
        r.operations[WL_RATE_MIN16X2] / a_clock > (has_dpx ? 50 : 3) && r.operations[WL_RATE_MIN16X2] / a_clock < 135,
        "min16x2 rate");
    expect(!has_dpx || r.operations[WL_RATE_MIN16X2] > 0.95 * r.operations[WL_RATE_DPX16],
           "two operands are no slower than three");
    expect(r.operations[WL_RATE_HALF2] / a_clock > 50 && r.operations[WL_RATE_HALF2] / a_clock < 135, "half2 rate");
    expect(r.operations[WL_RATE_ATOMIC] < r.operations[WL_RATE_POPC], "atomics are slower than arithmetic");
    expect(fabs(r.bandwidth / again.bandwidth - 1) < 0.05, "bandwidth twice alike");
    /* Floats 64 or 128 lanes, doubles half as many or, on most GPUs for graphics, 1 or 2; an instruction of each is two
       operations. */
    double fp32 = r.operations[WL_RATE_FP32] / a_clock, fp64 = r.operations[WL_RATE_FP64] / a_clock;
    printf("fp32 %.1f, fp64 %.1f, mma_tf32 %.0f, mma_f64 %.1f a clock and multiprocessor\n", fp32, fp64,
           r.operations[WL_RATE_MMA_TF32] / a_clock, r.operations[WL_RATE_MMA_F64] / a_clock);
    expect(fp32 > 100 && fp32 < 270, "fp32 rate");
    expect(fp64 > 1.5 && fp64 < 135 && fp64 < 0.6 * fp32, "fp64 rate");
    /* Bits are an eighth of a byte, and go through in the same time; a tf32 number is four bytes or more. */
    int has_tensor_cores = device->compute_capability >= 80;
    expect(!has_tensor_cores || r.operations[WL_RATE_MMA_B1] > 4 * r.operations[WL_RATE_MMA_S8], "mma_b1 rate");
    expect(!has_tensor_cores || r.operations[WL_RATE_MMA_TF32] < 0.5 * r.operations[WL_RATE_MMA_S8], "mma_tf32 rate");
    /* Tensor cores with doubles are what A100 and its successors have; elsewhere the instruction is made of others. */
    expect(!has_tensor_cores || r.operations[WL_RATE_MMA_F64] > 0.5 * r.operations[WL_RATE_FP64], "mma_f64 rate");
    for (int i = WL_RATE_INT32; i <= WL_RATE_ATOMIC; i++) {
        int of_tensor_cores =
            i == WL_RATE_MMA_S8 || i == WL_RATE_MMA_B1 || i == WL_RATE_MMA_TF32 || i == WL_RATE_MMA_F64;
        expect((of_tensor_cores && !has_tensor_cores) || fabs(r.operations[i] / again.operations[i] - 1) < 0.05,
               wl_rate_name((wl_rate)i));
    }
}

int main(void) {
    const char *reason;
    wl_device device;
    wl_gpu_facts facts;
    if (wl_gpu_count(&reason) == 0) {
        printf("skipped: %s\n", reason);
        return WL_NO_MACHINE;
    }
    if (wl_gpu_open(0, &device) != WL_OK || wl_gpu_describe(0, &facts) != WL_OK) {
        printf("FAILED %s\n", wl_error());
        return 1;
    }
    printf("%s, timer steps of %.0f ns\n", device.name, facts.clock_tick_ns);
    expect(facts.clock_tick_ns >= 1 && facts.clock_tick_ns <= 2000, "the global timer moves");
    kernels(&device, &facts);
    empty_kernel(&device);
    rates(&device, &facts);
    return failures > 0;
}
