/* The report as JSON. */
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <regex>

#include "sim/internal.h"
#include "sim/program/report.h"

extern "C" {
#include "harness/base/json.h"
}

namespace wl_sim {

static void put_shape(FILE *out, const char *name, const unsigned *shape) {
    fprintf(out, ", \"%s\": [%u, %u, %u]", name, shape[0], shape[1], shape[2]);
}

/* Messages have one form: "kernel: block (x,y,z) thread (x,y,z): what ... file:line". */
static void put_finding(FILE *out, const FindingReport &finding) {
    static const std::regex place("^(.*): block \\((\\d+),(\\d+),(\\d+)\\) thread \\((\\d+),(\\d+),(\\d+)\\): "),
        source("([^ ():]+):(\\d+)");
    std::smatch found;
    const std::string &message = finding.message;
    wl_put_text(out, "{\"message\": ", message.c_str());
    if (!finding.kind.empty()) wl_put_text(out, ", \"kind\": ", finding.kind.c_str());
    fprintf(out, ", \"count\": %" PRIu64, finding.count);
    std::string rest = message;
    if (std::regex_search(message, found, place)) {
        wl_put_text(out, ", \"kernel\": ", found.str(1).c_str());
        fprintf(out, ", \"block\": [%s, %s, %s], \"thread\": [%s, %s, %s]", found.str(2).c_str(), found.str(3).c_str(),
                found.str(4).c_str(), found.str(5).c_str(), found.str(6).c_str(), found.str(7).c_str());
        rest = found.suffix();
    }
    if (std::regex_search(rest, found, source)) {
        wl_put_text(out, ", \"file\": ", found.str(1).c_str());
        fprintf(out, ", \"line\": %s", found.str(2).c_str());
    }
    fputs("}", out);
}

static void put_kernel(FILE *out, const Report &report, const KernelReport &k) {
    wl_put_text(out, "{\"name\": ", k.name.c_str());
    fprintf(out,
            ", \"launches\": %" PRIu64 ", \"blocks\": %" PRIu64 ", \"blocks_left_out\": %" PRIu64
            ", \"warps\": %" PRIu64,
            k.launches, k.blocks, k.left_out, k.warps);
    put_shape(out, "grid", k.grid);
    put_shape(out, "block", k.block);
    fprintf(out, ", \"shared_bytes\": %zu, ", k.shared_bytes);
    put_counters(out, k.counters);
    if (report.gpu) {
        const int threads = (int)(k.block[0] * k.block[1] * k.block[2]);
        const wl_occupancy o = wl_occupancy_of(report.gpu, threads, k.registers, k.shared_bytes);
        wl_put_text(out, ", \"occupancy\": {\"gpu\": ", report.gpu->name);
        fprintf(out, ", \"registers\": ");
        fprintf(out, k.registers ? "%d" : "null", k.registers);
        fprintf(out, ", \"blocks\": %d, \"warps\": %d, \"most_warps\": %d, \"spare_registers\": %d", o.blocks, o.warps,
                o.most_warps, o.spare_registers);
        wl_put_text(out, ", \"limit\": ", o.limit);
        fputs("}", out);
    }
    size_t count;
    wl_sim_line *lines = wl_sim_lines(k.name.c_str(), &count);
    fputs(",\n     \"lines\": [", out);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ",\n       {\"file\": " : "\n       {\"file\": ", out);
        if (lines[i].file)
            wl_json_text(out, lines[i].file);
        else
            fputs("null", out);
        fprintf(out, ", \"line\": %d, ", lines[i].line);
        put_counters(out, lines[i].counters);
        fputs("}", out);
    }
    fputs("]}", out);
    free(lines);
}

static void put_findings(FILE *out, const char *name, const std::vector<FindingReport> &all) {
    fprintf(out, ",\n \"%s\": [", name);
    for (size_t i = 0; i < all.size(); i++) {
        fputs(i ? ",\n   " : "\n   ", out);
        put_finding(out, all[i]);
    }
    fputs("]", out);
}

static void put_texts(FILE *out, const char *name, const std::vector<std::string> &all) {
    fprintf(out, ",\n \"%s\": [", name);
    for (size_t i = 0; i < all.size(); i++) wl_put_text(out, i ? ",\n   " : "\n   ", all[i].c_str());
    fputs("]", out);
}

bool write_report(const Report &report, const std::string &path) {
    FILE *out = fopen(path.c_str(), "w");
    if (out == nullptr) return false;
    wl_put_text(out, "{\"program\": ", program_invocation_name);
    fprintf(out, ", \"exit_code\": %d", report.exit_code);
    put_findings(out, "found", report.found);
    put_findings(out, "suppressed", report.suppressed);
    put_texts(out, "warnings", report.warnings);
    put_texts(out, "notes", report.notes);
    fputs(",\n \"kernels\": [", out);
    for (size_t i = 0; i < report.kernels.size(); i++) {
        fputs(i ? ",\n   " : "\n   ", out);
        put_kernel(out, report, report.kernels[i]);
    }
    fputs("]}\n", out);
    const bool failed = ferror(out) != 0;
    return fclose(out) == 0 && !failed;
}

} // namespace wl_sim
