/* The report as tables. */
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "sim/internal.h"
#include "sim/program/report.h"

namespace wl_sim {

constexpr size_t MOST_KERNELS = 40;

static std::string format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));
static std::string format(const char *pattern, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, pattern);
    vsnprintf(text, sizeof text, pattern, arguments);
    va_end(arguments);
    return text;
}

/* 1,234,567 */
static std::string grouped(uint64_t number) {
    std::string text = std::to_string(number);
    for (size_t i = text.size(); i > 3;) text.insert(i -= 3, ",");
    return text;
}

static std::string count_of(uint64_t number, const char *what) {
    const bool hisses = what[strlen(what) - 1] == 'h'; // launches
    return grouped(number) + " " + what + (number == 1 ? "" : hisses ? "es" : "s");
}

/* "4 x 4 blocks" */
static std::string shape(const unsigned *s, const char *what) {
    std::string text = std::to_string(s[0]);
    if (s[1] > 1 || s[2] > 1) text += " x " + std::to_string(s[1]);
    if (s[2] > 1) text += " x " + std::to_string(s[2]);
    return text + " " + what + (text == "1" ? "" : "s");
}

static double ratio(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : 0; }

static double idle_lanes(const wl_sim_counters &c) { return c.steps ? 32 - ratio(c.step_lanes, c.steps) : 0; }

static void print_kind(const char *kind, uint64_t requests, uint64_t warps, const std::string &detail) {
    if (requests)
        fprintf(stderr, "  %-20s %15s %10.1f   %s\n", kind, grouped(requests).c_str(), ratio(requests, warps),
                detail.c_str());
}

static void print_kinds(const KernelReport &k) {
    const wl_sim_counters &c = k.counters;
    fprintf(stderr, "  %-20s %15s %10s\n", "instructions", "of all warps", "per warp");
    print_kind("global loads", c.global_load_requests, k.warps,
               format("%.1f sectors per request", ratio(c.global_load_sectors, c.global_load_requests)));
    print_kind("global stores", c.global_store_requests, k.warps,
               format("%.1f sectors per request", ratio(c.global_store_sectors, c.global_store_requests)));
    print_kind("global atomics", c.atomic_requests, k.warps,
               format("%.1f lanes and %.1f addresses per request", ratio(c.atomic_operations, c.atomic_requests),
                      ratio(c.atomic_addresses, c.atomic_requests)));
    const uint64_t shared_atomics = c.shared_requests - c.shared_loads - c.shared_stores;
    const std::string passes =
        format("%.2f passes per request, loads, stores and atomics", ratio(c.shared_passes, c.shared_requests));
    print_kind("shared loads", c.shared_loads, k.warps, passes);
    print_kind("shared stores", c.shared_stores, k.warps, c.shared_loads ? "" : passes);
    print_kind("shared atomics", shared_atomics, k.warps, c.shared_loads || c.shared_stores ? "" : passes);
    print_kind("constant loads", c.constant_requests, k.warps, "");
    print_kind("shuffles and votes", c.warp_calls, k.warps, "");
    print_kind("barriers", c.barriers, k.blocks, "");
    print_kind("steps", c.steps, k.warps, format("%.1f of 32 lanes idle per step", idle_lanes(c)));
}

/* Nothing to tell of a line that touches no memory and where no lanes wait, or which is of the simulated device's own headers. */
static bool is_dull(const wl_sim_line &line) {
    const wl_sim_counters &c = line.counters;
    if (c.global_load_requests + c.global_store_requests + c.atomic_requests + c.shared_requests + c.constant_requests)
        return false;
    return idle_lanes(c) < 0.05 || (line.file && strstr(line.file, "/sim_"));
}

static void print_lines(const KernelReport &k) {
    size_t count, width = 4;
    wl_sim_line *lines = wl_sim_lines(k.name.c_str(), &count);
    std::vector<std::string> names(count);
    for (size_t i = 0; i < count; i++) {
        names[i] = lines[i].file ? short_path(lines[i].file) + ":" + std::to_string(lines[i].line) : "(not known)";
        if (!is_dull(lines[i])) width = std::max(width, names[i].size());
    }
    fprintf(stderr, "\n  %-*s %12s %14s %8s %12s %12s %14s %8s %8s\n", (int)width, "", "global", "", "sectors",
            "atomic", "shared", "", "passes", "idle");
    fprintf(stderr, "  %-*s %12s %14s %8s %12s %12s %14s %8s %8s\n", (int)width, "line", "requests", "sectors",
            "/request", "operations", "requests", "passes", "/request", "lanes");
    for (size_t i = 0; i < count; i++) {
        const wl_sim_counters &c = lines[i].counters;
        const uint64_t requests = c.global_load_requests + c.global_store_requests,
                       sectors = c.global_load_sectors + c.global_store_sectors;
        if (is_dull(lines[i])) continue;
        auto or_blank = [](uint64_t number) { return number ? grouped(number) : std::string(); };
        fprintf(stderr, "  %-*s %12s %14s %8s %12s %12s %14s %8s %8s\n", (int)width, names[i].c_str(),
                or_blank(requests).c_str(), or_blank(sectors).c_str(),
                requests ? format("%.1f", ratio(sectors, requests)).c_str() : "", or_blank(c.atomic_operations).c_str(),
                or_blank(c.shared_requests).c_str(), or_blank(c.shared_passes).c_str(),
                c.shared_requests ? format("%.2f", ratio(c.shared_passes, c.shared_requests)).c_str() : "",
                c.steps ? format("%.1f", idle_lanes(c)).c_str() : "");
    }
    free(lines);
}

static void print_occupancy(const wl_gpu *gpu, const KernelReport &k) {
    const int threads = (int)(k.block[0] * k.block[1] * k.block[2]);
    const wl_occupancy o = wl_occupancy_of(gpu, threads, k.registers, k.shared_bytes);
    fprintf(stderr, "  on %s (compute capability %d.%d): ", gpu->name, gpu->major, gpu->minor);
    if (o.blocks == 0) {
        fprintf(stderr, "too much %s for one block\n", o.limit);
        return;
    }
    fprintf(stderr, "%s per multiprocessor, %d of %d warps (%.0f %%), limited by %s\n",
            count_of((uint64_t)o.blocks, "block").c_str(), o.warps, o.most_warps, 100.0 * o.warps / o.most_warps,
            o.limit);
    if (k.registers == 0)
        fprintf(stderr, "    if a thread needs at most %d registers; --registers says how many it needs\n",
                o.spare_registers);
}

/* How often, and where, the most frequent ones first. */
static void print_counts(const char *level, std::vector<FindingReport> all) {
    std::stable_sort(all.begin(), all.end(), [](const auto &a, const auto &b) { return a.count > b.count; });
    for (const FindingReport &f : all)
        if (!f.kind.empty())
            fprintf(stderr, "%s: %s: %s in %s, %s\n", level, count_of(f.count, "time").c_str(), f.kind.c_str(),
                    f.kernel.c_str(), f.lines.c_str());
}

void print_report(const Report &report) {
    const bool plain = report.found.empty() && report.suppressed.empty();
    if (report.kernels.empty() && plain && report.warnings.empty() && report.notes.empty()) return;
    fprintf(stderr, "\n---- simulated device: counted, not timed ----\n");
    print_counts("error", report.found);
    print_counts("suppressed", report.suppressed);
    for (const std::string &warning : report.warnings) fprintf(stderr, "warning: %s\n", warning.c_str());
    for (const std::string &note : report.notes) fprintf(stderr, "note: %s\n", note.c_str());
    for (size_t i = 0; i < report.kernels.size(); i++) {
        const KernelReport &k = report.kernels[i];
        if (i == MOST_KERNELS) {
            fprintf(stderr, "\n%zu more kernels: --report FILE writes all\n", report.kernels.size() - i);
            break;
        }
        fprintf(stderr, "\n%s: %s of %s of %s, %s, %s of shared memory per block\n", k.name.c_str(),
                count_of(k.launches, "launch").c_str(), shape(k.grid, "block").c_str(),
                shape(k.block, "thread").c_str(), count_of(k.warps, "warp").c_str(),
                count_of(k.shared_bytes, "byte").c_str());
        if (k.left_out)
            fprintf(stderr, "  only %s of %s simulated: results are not those of the program\n",
                    count_of(k.blocks, "block").c_str(), grouped(k.blocks + k.left_out).c_str());
        if (report.gpu) print_occupancy(report.gpu, k);
        print_kinds(k);
        bool told = false; // lines are counted by kernel, for blocks of all shapes
        for (size_t j = 0; j < i; j++) told |= report.kernels[j].name == k.name;
        if (!told) print_lines(k);
    }
    if (!report.found.empty())
        fprintf(stderr, "\n%s found wrong: see above\n", count_of(report.found.size(), "thing").c_str());
}

} // namespace wl_sim
