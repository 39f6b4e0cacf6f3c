/* A program's end: what was found wrong decides its exit code, and what was counted is reported. The environment says how:

     WL_SIM_REPORT=FILE       as JSON to FILE, not as tables to standard error
     WL_SIM_QUIET=1           no tables
     WL_SIM_PAGE=FILE         a page for the browser that shows the kernels step by step
     WL_SIM_BLOCKS=4          run the first 4 blocks of each launch
     WL_SIM_ORDER=7           run blocks and warps in another order
     WL_SIM_OUTPUT=FILE       what the program prints goes to FILE
     WL_SIM_LIMIT=60          stop after 60 seconds
     WL_SIM_KEEP_GOING=1      go on after a finding
     WL_SIM_SUPPRESS=add      the kernels, or lines as race.cu:6, whose findings are harmless, separated by commas
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
#include "sim/program/stop.h"

namespace wl_sim {

constexpr size_t MOST_STEPS = 15000; // on a page: as `warpladder explain --interactive`

static std::mutex mutex;
// Not destroyed: the report comes after the program's destructors.
static Report &made = *new Report{};

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value && value[0] ? value : nullptr;
}

/* As options that are wrong end `simulate`. */
[[noreturn]] static void refuse(const char *name, const char *expected) {
    fprintf(stderr, "%s: %s: found '%s'; expected %s\n", program_invocation_short_name, name, getenv(name), expected);
    _exit(2);
}

static unsigned long number_of(const char *name) {
    const char *value = setting(name);
    if (value && value[strspn(value, "0123456789")]) refuse(name, "a number");
    return value ? strtoul(value, nullptr, 10) : 0;
}

/* What a finding is told by may say the same twice: a race between streams is an error and a complaint. */
static void found(const wl_sim_finding *finding) {
    const auto given = [](const char *text) { return std::string(text ? text : ""); };
    const FindingReport now = {finding->message, given(finding->kind), given(finding->kernel), given(finding->lines),
                               finding->count};
    std::lock_guard<std::mutex> guard(mutex);
    std::vector<FindingReport> &all = finding->level == WL_SIM_ERROR ? made.found : made.suppressed;
    for (FindingReport &before : all) {
        if (before.kind.empty() ? before.message != now.message
                                : before.kind != now.kind || before.kernel != now.kernel || before.lines != now.lines)
            continue;
        if (!now.kind.empty()) before.count += now.count;
        return;
    }
    all.push_back(now);
    if (finding->level != WL_SIM_ERROR) return;
    fflush(stdout);
    fprintf(stderr, "%s: found wrong: %s\n", program_invocation_short_name, finding->message);
}
static void found_message(const char *message) {
    const wl_sim_finding finding = {WL_SIM_ERROR, message, nullptr, nullptr, nullptr, 1};
    found(&finding);
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

static void check_registers(void) {
    const char *at = setting("WL_SIM_REGISTERS");
    while (at && *at) {
        const size_t length = strcspn(at, ","), equals = strcspn(at, "="), begin = equals < length ? equals + 1 : 0;
        if (begin == length || strspn(at + begin, "0123456789") != length - begin)
            refuse("WL_SIM_REGISTERS", "a number, or KERNEL=NUMBER,...");
        at += length + (at[length] == ',');
    }
}

static void add_launch(const wl_sim_launch &launch) {
    const unsigned threads = launch.block[0] * launch.block[1] * launch.block[2];
    KernelReport *kernel = nullptr;
    for (KernelReport &k : made.kernels)
        if (k.name == launch.kernel && memcmp(k.block, launch.block, sizeof k.block) == 0) kernel = &k;
    if (kernel == nullptr) {
        made.kernels.push_back({launch.kernel, 0, 0, 0, 0, {}, {}, 0, {}, registers_of(launch.kernel)});
        kernel = &made.kernels.back();
        memcpy(kernel->block, launch.block, sizeof kernel->block);
    }
    memcpy(kernel->grid, launch.grid, sizeof kernel->grid);
    kernel->launches++;
    kernel->blocks += launch.blocks;
    kernel->left_out += (uint64_t)launch.grid[0] * launch.grid[1] * launch.grid[2] - launch.blocks;
    kernel->warps += launch.blocks * ((threads + WARP - 1) / WARP);
    kernel->shared_bytes = std::max(kernel->shared_bytes, launch.shared_bytes);
    add_counters(&kernel->counters, launch.counters);
}

/* False: the file cannot be written, or memory is short. */
static bool write_page(const char *path) {
    const char *wrong = made.found.empty() ? nullptr : made.found[0].message.c_str();
    const wl_sim_heading heading = {program_invocation_short_name, "warpladder simulate", wrong};
    wl_sim_trace trace;
    wl_sim_trace_end(&trace);
    FILE *file = fopen(path, "w");
    bool written = file && wl_sim_page_write(file, &trace, &heading);
    if (file) written &= fclose(file) == 0;
    wl_sim_trace_free(&trace);
    return written;
}

static std::mutex finishing; // held to the end of the program by who stops it

/* The program's exit code. */
static int finish(int code, bool whole = true) {
    static bool finished;
    if (finished) return code;
    finished = true;
    fflush(nullptr);
    size_t count;
    const wl_sim_launch *launches = wl_sim_launches(&count);
    for (size_t i = 0; i < count; i++) add_launch(launches[i]);
    // No mistakes for certain: a program may expect an error, nobody may use a value, and the end of the program frees all memory.
    made.warnings = take_warnings();
    const std::string suspicion = take_suspicion(),
                      leak = whole && code == 0 && made.found.empty() ? first_leak(0) : "";
    if (!suspicion.empty()) made.warnings.insert(made.warnings.begin(), suspicion);
    for (const std::string &copy : take_unwritten_copies()) made.notes.push_back(copy);
    if (!leak.empty()) made.notes.push_back(leak);
    if (const char *gpu = setting("WL_SIM_GPU")) made.gpu = wl_gpu_named(gpu);
    made.exit_code = code == 0 && !made.found.empty() ? 1 : code;
    const auto unwritten = [](const char *path) {
        fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, path, strerror(errno));
        if (made.exit_code == 0) made.exit_code = 4;
    };
    const char *path = setting("WL_SIM_REPORT"), *page = setting("WL_SIM_PAGE");
    if (page && !write_page(page)) unwritten(page); // first, since the report has the exit code
    if (path && !write_report(made, path)) unwritten(path);
    if (!path && !setting("WL_SIM_QUIET")) print_report(made);
    return made.exit_code;
}

static void stopped(const std::string &why, int code) {
    finishing.lock();
    made.notes.push_back(why + ": what is reported is what was seen until then");
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, why.c_str());
    finish(code, false);
    _exit(code);
}

static void at_exit(int code, void *) {
    std::lock_guard<std::mutex> guard(finishing);
    if (const char *refused = wl_sim_untaken()) found_message(refused);
    const int now = finish(code);
    if (now != code) _exit(now);
}

/* A crash of host code. */
static void at_crash(const char *message) {
    std::lock_guard<std::mutex> guard(finishing);
    found_message(message);
    finish(1);
}

__attribute__((constructor)) static void begin(void) {
    close_device_memory();
    wl_sim_on_finding(found);
    wl_sim_keep_going(setting("WL_SIM_KEEP_GOING") != nullptr, setting("WL_SIM_SUPPRESS"));
    wl_sim_on_crash(at_crash);
    wl_sim_count_lines();
    if (setting("WL_SIM_PAGE")) wl_sim_trace_begin(nullptr, MOST_STEPS);
    wl_sim_first_blocks(number_of("WL_SIM_BLOCKS"));
    wl_sim_set_order(number_of("WL_SIM_ORDER"));
    if (const char *output = setting("WL_SIM_OUTPUT"))
        if (freopen(output, "w", stdout) == nullptr) perror(output), _exit(4);
    check_registers();
    watch_for_stop((unsigned)number_of("WL_SIM_LIMIT"), stopped);
    if (char *folder = getcwd(nullptr, 0)) {
        short_paths_in(folder);
        free(folder);
    }
    on_exit(at_exit, nullptr);
}

} // namespace wl_sim
