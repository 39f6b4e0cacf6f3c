/* The page of a trace (wl_sim_page_write): the trace as JSON within page.html, which is part of the program. */
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "sim/pointers.h"

extern "C" {
#include "harness/base/json.h"
}

// The template, word for word.
__asm__(R"(
.pushsection .rodata
.globl wl_sim_page_begin
.globl wl_sim_page_end
wl_sim_page_begin:
.incbin ")" WL_SIM_PAGE R"("
wl_sim_page_end:
.popsection
)");
extern "C" const char wl_sim_page_begin[], wl_sim_page_end[];

namespace wl_sim {

// ---------------------------------------------------------------- counters

static const struct {
    const char *name;
    uint64_t wl_sim_counters::*value;
} counters[] = {
#define WL_COUNTER(name) \
    { #name, &wl_sim_counters::name }
    WL_COUNTER(global_load_requests),
    WL_COUNTER(global_load_sectors),
    WL_COUNTER(global_store_requests),
    WL_COUNTER(global_store_sectors),
    WL_COUNTER(atomic_requests),
    WL_COUNTER(atomic_operations),
    WL_COUNTER(atomic_addresses),
    WL_COUNTER(atomic_sectors),
    WL_COUNTER(shared_requests),
    WL_COUNTER(shared_passes),
    WL_COUNTER(shared_loads),
    WL_COUNTER(shared_stores),
    WL_COUNTER(constant_requests),
    WL_COUNTER(warp_calls),
    WL_COUNTER(barriers),
    WL_COUNTER(steps),
    WL_COUNTER(step_lanes),
#undef WL_COUNTER
};

void put_counters(FILE *out, const wl_sim_counters &values) {
    const char *before = "\"counters\": {";
    for (const auto &c : counters) {
        fprintf(out, "%s\"%s\": %" PRIu64, before, c.name, values.*c.value);
        before = ", ";
    }
    fputs("}", out);
}

// ---------------------------------------------------------------- source lines

/* The files and places of the trace, each once. */
struct Sources {
    std::vector<std::string> files;
    std::vector<SourceLine> lines;
    std::map<const void *, size_t> places;               // to `lines`; none of what stands in for CUDA's headers
    std::map<std::pair<std::string, int>, size_t> known; // likewise
};

/* -1: not known. */
static int file_number(const Sources &s, const std::string &file) {
    for (size_t i = 0; i < s.files.size(); i++)
        if (s.files[i] == file) return (int)i;
    return -1;
}

static Sources sources_of(const wl_sim_trace *trace) {
    Sources s;
    for (size_t i = 0; i < trace->count; i++) {
        const void *place = trace->events[i].place;
        if (s.places.count(place)) continue;
        const SourceLine line = source_line((Place)place);
        if (is_cuda_header(line.file.c_str())) continue;
        const auto [at, is_new] = s.known.emplace(std::make_pair(line.file, line.line), s.lines.size());
        if (is_new) s.lines.push_back(line);
        if (!line.file.empty() && file_number(s, line.file) < 0) s.files.push_back(line.file);
        s.places[place] = at->second;
    }
    return s;
}

static void put_files(FILE *out, const Sources &sources) {
    const char *before = "\"files\": [";
    for (const std::string &path : sources.files) {
        fputs(before, out);
        wl_put_text(out, "\n {\"name\": ", short_path(path.c_str()).c_str());
        fputs(", \"lines\": [", out);
        std::ifstream file = opened(path);
        std::string line;
        for (const char *comma = ""; std::getline(file, line); comma = ",") wl_put_text(out, comma, line.c_str());
        fputs("]}", out);
        before = ",";
    }
    fputs(sources.files.empty() ? "\"files\": [" : "", out);
    fputs("],\n\"places\": [", out);
    for (size_t i = 0; i < sources.lines.size(); i++) {
        const SourceLine &line = sources.lines[i];
        fprintf(out, "%s[%d,%d,", i ? "," : "", file_number(sources, line.file), line.line);
        wl_put_text(out, "", line.function.c_str());
        fputs("]", out);
    }
    fputs("],\n", out);
}

// ---------------------------------------------------------------- events

/* Offsets of the lanes: the first one's and the distance from lane to lane, where it is the same for all; else a list. */
static void put_offsets(FILE *out, const wl_sim_trace_event &e) {
    const int first = __builtin_ctz(e.lanes);
    int64_t stride = 0;
    bool regular = true, known = false;
    for (int l = first + 1; l < (int)WARP; l++) {
        if (!(e.lanes >> l & 1)) continue;
        const int64_t distance = e.offset[l] - e.offset[first];
        if (!known) stride = distance / (l - first), known = true;
        regular = regular && distance == stride * (l - first);
    }
    if (regular) {
        fprintf(out, ",%" PRId64 ",%" PRId64, e.offset[first], stride);
        return;
    }
    fputs(",[", out);
    int64_t last = 0;
    for (int l = first; l < (int)WARP; l++) {
        if (!(e.lanes >> l & 1)) continue;
        fprintf(out, l > first ? ",%" PRId64 : "%" PRId64, e.offset[l] - last);
        last = e.offset[l];
    }
    fputs("]", out);
}

/* [kind, place, lanes, alive], and of a request also memory, size, sectors or passes, offsets. Lanes are 0 where all 32 are meant. */
static void put_event(FILE *out, const wl_sim_trace_event &e, size_t place, const wl_sim_trace *trace) {
    static const char kinds[] = ".bwlsa";
    const auto lanes = [](uint32_t mask) { return mask == ~0u ? 0 : mask; };
    fprintf(out, "[%d,%zu,%u,%u", (int)(strchr(kinds, e.kind) - kinds), place, lanes(e.lanes), lanes(e.alive));
    if (strchr("lsa", e.kind)) {
        const char space = trace->memories[e.memory].space;
        fprintf(out, ",%u,%u,%u", e.memory, e.size, space == 's' ? e.passes : e.sectors);
        put_offsets(out, e);
    }
    fputs("]", out);
}

/* The events of one warp. What has no line of the program is a request of the line before, or a step that is left out. */
static void put_warp(FILE *out, const wl_sim_trace *trace, const std::vector<size_t> &events, const Sources &sources) {
    size_t place = 0;
    const char *before = "";
    fputs("[", out);
    for (const size_t i : events) {
        const wl_sim_trace_event &e = trace->events[i];
        const auto at = sources.places.find(e.place);
        if (at != sources.places.end())
            place = at->second;
        else if (e.kind == '.')
            continue;
        fputs(before, out);
        put_event(out, e, place, trace);
        before = ",";
    }
    fputs("]", out);
}

static void put_block(FILE *out, const wl_sim_trace *trace, size_t first, size_t last, const Sources &sources) {
    std::vector<std::vector<size_t>> warps;
    for (size_t i = first; i < last; i++) {
        const uint32_t warp = trace->events[i].warp;
        if (warps.size() <= warp) warps.resize(warp + 1);
        warps[warp].push_back(i);
    }
    fprintf(out, "{\"block\": %" PRIu64 ", \"warps\": [", trace->events[first].block);
    for (size_t w = 0; w < warps.size(); w++) {
        fputs(w ? ",\n" : "\n", out);
        put_warp(out, trace, warps[w], sources);
    }
    fputs("]}", out);
}

static void put_launches(FILE *out, const wl_sim_trace *trace, const Sources &sources) {
    size_t i = 0;
    fputs("\"launches\": [", out);
    for (size_t l = 0; l < trace->launch_count; l++) {
        const wl_sim_launch &launch = trace->launches[l];
        wl_put_text(out, l ? ",\n {\"kernel\": " : "\n {\"kernel\": ", launch.kernel);
        fprintf(out, ", \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], \"shared_bytes\": %zu, ", launch.grid[0],
                launch.grid[1], launch.grid[2], launch.block[0], launch.block[1], launch.block[2], launch.shared_bytes);
        put_counters(out, launch.counters);
        fputs(", \"blocks\": [", out);
        for (const char *comma = ""; i < trace->count && trace->events[i].launch == l; comma = ",\n") {
            size_t last = i;
            while (last < trace->count && trace->events[last].launch == l &&
                   trace->events[last].block == trace->events[i].block)
                last++;
            fputs(comma, out);
            put_block(out, trace, i, last, sources);
            i = last;
        }
        fputs("]}", out);
    }
    fputs("]}\n", out);
}

static void put_trace(FILE *out, const wl_sim_trace *trace, const wl_sim_heading *heading) {
    const Sources sources = sources_of(trace);
    wl_put_text(out, "{\"title\": ", heading->title);
    wl_put_text(out, ", \"command\": ", heading->command);
    wl_put_text(out, ", \"note\": ", heading->note ? heading->note : "");
    fprintf(out, ", \"kept\": %zu, \"left_out\": %" PRIu64 ",\n", trace->count, trace->left_out);
    put_files(out, sources);
    fputs("\"memories\": [", out);
    for (size_t m = 0; m < trace->memory_count; m++) {
        const wl_sim_memory &memory = trace->memories[m];
        wl_put_text(out, m ? ",\n {\"name\": " : "\n {\"name\": ", memory.name);
        fprintf(out, ", \"space\": \"%c\", \"bytes\": %" PRIu64 ", \"phase\": %u}", memory.space, memory.bytes,
                memory.phase);
    }
    fputs("],\n", out);
    put_launches(out, trace, sources);
}

} // namespace wl_sim

using namespace wl_sim;

extern "C" int wl_sim_page_write(FILE *stream, const wl_sim_trace *trace, const wl_sim_heading *heading) {
    static const char mark[] = "@TRACE@";
    const char *at =
        (const char *)memmem(wl_sim_page_begin, (size_t)(wl_sim_page_end - wl_sim_page_begin), mark, strlen(mark));
    char *text = nullptr;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (memory == nullptr) return 0;
    put_trace(memory, trace, heading);
    const bool whole = fclose(memory) == 0;
    fwrite(wl_sim_page_begin, 1, (size_t)(at - wl_sim_page_begin), stream);
    // Nothing in the trace ends the element that it is in.
    for (size_t i = 0; i < size; i++)
        if (text[i] == '<')
            fputs("\\u003c", stream);
        else
            fputc(text[i], stream);
    free(text);
    at += strlen(mark);
    fwrite(at, 1, (size_t)(wl_sim_page_end - at), stream);
    return whole;
}
