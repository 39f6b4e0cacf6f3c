/* A program's end: what was found wrong decides its exit code, and what was counted is reported. The environment says how:

     WL_SIM_REPORT=FILE       as JSON to FILE, not as tables to standard error
     WL_SIM_QUIET=1           no tables
     WL_SIM_GPU=H200          with the occupancy on this GPU
     WL_SIM_REGISTERS=40      registers per thread, or KERNEL=40,OTHER=32 */
#include "sim/program/report.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "sim/internal.h"

namespace wl_sim {

static std::mutex mutex;
// Not destroyed: the report comes after the program's destructors.
static Report &made = *new Report{};

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value && value[0] ? value : nullptr;
}

/* What a finding is told by may say the same twice: a race between streams is an error and a complaint. */
static void found(const char *message) {
    std::lock_guard<std::mutex> guard(mutex);
    for (const std::string &before : made.found)
        if (before == message) return;
    made.found.push_back(message);
    fflush(stdout);
    fprintf(stderr, "%s: found wrong: %s\n", program_invocation_short_name, message);
}

/* "40", or "add=40,scale=32": of the kernel, without its template arguments. */
static int registers_of(const std::string &kernel) {
    const char *at = setting("WL_SIM_REGISTERS");
    const std::string plain = kernel.substr(0, kernel.find('<'));
    while (at && *at) {
        const size_t length = strcspn(at, ","), equals = strcspn(at, "=");
        if (equals >= length) return atoi(at);
        if (plain == std::string(at, equals)) return atoi(at + equals + 1);
        at += length + (at[length] == ',');
    }
    return 0;
}

static void add_launch(const wl_sim_launch &launch) {
    const uint64_t blocks = (uint64_t)launch.grid[0] * launch.grid[1] * launch.grid[2];
    const unsigned threads = launch.block[0] * launch.block[1] * launch.block[2];
    KernelReport *kernel = nullptr;
    for (KernelReport &k : made.kernels)
        if (k.name == launch.kernel && memcmp(k.block, launch.block, sizeof k.block) == 0) kernel = &k;
    if (kernel == nullptr) {
        made.kernels.push_back({launch.kernel, 0, 0, 0, {}, {}, 0, {}, registers_of(launch.kernel)});
        kernel = &made.kernels.back();
        memcpy(kernel->block, launch.block, sizeof kernel->block);
    }
    memcpy(kernel->grid, launch.grid, sizeof kernel->grid);
    kernel->launches++;
    kernel->blocks += blocks;
    kernel->warps += blocks * ((threads + WARP - 1) / WARP);
    kernel->shared_bytes = std::max(kernel->shared_bytes, launch.shared_bytes);
    add_counters(&kernel->counters, launch.counters);
}

/* The program's exit code. */
static int finish(int code) {
    static bool finished;
    if (finished) return code;
    finished = true;
    fflush(nullptr);
    size_t count;
    const wl_sim_launch *launches = wl_sim_launches(&count);
    for (size_t i = 0; i < count; i++) add_launch(launches[i]);
    made.notes = take_notes();
    // No mistakes for certain: a program may expect an error, nobody may use a value, and the end of the program frees all memory.
    for (const std::string &note : {take_suspicion(), first_leak(0)})
        if (!note.empty()) made.notes.push_back(note);
    if (const char *gpu = setting("WL_SIM_GPU")) made.gpu = wl_gpu_named(gpu);
    made.exit_code = code == 0 && !made.found.empty() ? 1 : code;
    const char *path = setting("WL_SIM_REPORT");
    if (path && !write_report(made, path)) {
        fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, path, strerror(errno));
        if (made.exit_code == 0) made.exit_code = 4;
    }
    if (!path && !setting("WL_SIM_QUIET")) print_report(made);
    return made.exit_code;
}

static void at_exit(int code, void *) {
    if (const char *refused = wl_sim_untaken()) found(refused);
    const int now = finish(code);
    if (now != code) _exit(now);
}

/* A crash of host code. */
static void at_crash(const char *message) {
    found(message);
    finish(1);
}

__attribute__((constructor)) static void begin(void) {
    close_device_memory();
    wl_sim_on_finding(found);
    wl_sim_on_crash(at_crash);
    wl_sim_count_lines();
    if (char *folder = getcwd(nullptr, 0)) {
        short_paths_in(folder);
        free(folder);
    }
    on_exit(at_exit, nullptr);
}

} // namespace wl_sim
