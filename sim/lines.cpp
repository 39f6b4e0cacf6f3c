/* Source lines, functions and types, which elfutils reads from the program's debugging information. */
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <execinfo.h>
#include <unistd.h>

#include <cstring>
#include <mutex>
#include <unordered_map>

#include <algorithm>

#include "sim/internal.h"
#include "sim/pointers.h"

extern "C" char __executable_start[], etext[]; // the linker's

namespace wl_sim {

static std::mutex reading;

static std::string folder; // "/home/me/"

void short_paths_in(const char *path) { folder = std::string(path) + "/"; }

std::string short_path(const char *path) {
    if (!folder.empty() && strncmp(path, folder.c_str(), folder.size()) == 0) return path + folder.size();
    const char *tail = path + strlen(path);
    for (int parts = 2; tail > path; tail--)
        if (tail[-1] == '/' && --parts == 0) break;
    return tail;
}

static Dwfl *open_debug_information(void) {
    // The program's own, a file beside it, or that of an installed program (cmake/Install.cmake): libdw reads the program's
    // debug link. Relative folders start at the program's.
    static char folders[] = ":.debug:../lib/debug:/usr/lib/debug", *paths = folders;
    static const Dwfl_Callbacks callbacks = {dwfl_linux_proc_find_elf, dwfl_standard_find_debuginfo, nullptr, &paths};
    Dwfl *dwfl = dwfl_begin(&callbacks);
    if (dwfl && (dwfl_linux_proc_report(dwfl, getpid()) != 0 || dwfl_report_end(dwfl, nullptr, nullptr) != 0)) {
        dwfl_end(dwfl);
        dwfl = nullptr;
    }
    return dwfl;
}

/* The module that has `address`; null when there is none. The information is opened once and kept: it takes milliseconds. */
static Dwfl_Module *module_of(Dwarf_Addr address) {
    static Dwfl *dwfl = open_debug_information();
    return dwfl ? dwfl_addrmodule(dwfl, address) : nullptr;
}

static std::string line_of(const std::string &file, int line) {
    return short_path(file.c_str()) + ":" + std::to_string(line);
}

/* Tells `visit` of the function that is called before a return address, and of those into which it was inlined, innermost first, each with
   the line that it has come to, until it returns true. */
template <typename Visit> static void each_function(const void *frame, Visit visit) {
    const Dwarf_Addr address = (Dwarf_Addr)(uintptr_t)frame - 1; // the call is just before it
    Dwfl_Module *module = module_of(address);
    Dwfl_Line *line = module ? dwfl_module_getsrc(module, address) : nullptr;
    int number = 0;
    const char *file = line ? dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr) : nullptr;
    Dwarf_Addr bias;
    Dwarf_Die *unit = file ? dwfl_module_addrdie(module, address, &bias) : nullptr, *innermost = nullptr,
              *scopes = nullptr;
    Dwarf_Files *files = nullptr;
    int count = unit ? dwarf_getscopes(unit, address - bias, &innermost) : 0;
    if (count > 0) count = dwarf_getscopes_die(innermost, &scopes); // those into which it was inlined
    free(innermost);
    if (unit) dwarf_getsrcfiles(unit, &files, nullptr);
    for (int i = 0; i < count && file; i++) {
        const int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
        const char *name = dwarf_diename(&scopes[i]);
        if (visit(SourceLine{file, number, name ? name : ""})) break;
        Dwarf_Attribute attribute;
        Dwarf_Word value = 0;
        dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_line, &attribute), &value);
        number = (int)value;
        file = files && dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_file, &attribute), &value) == 0
                   ? dwarf_filesrc(files, value, nullptr, nullptr)
                   : nullptr;
    }
    free(scopes);
    if (unit && count <= 0 && file) visit(SourceLine{file, number, ""});
}

/* The line of a return address, or of the function into which it was inlined: the first one that is not in a file that `skips`.
   Not known: no file. */
static SourceLine line_outside(const void *frame, bool (*skips)(const char *file)) {
    SourceLine found = {"", 0, ""};
    each_function(frame, [&](const SourceLine &line) {
        const bool right = !skips(line.file.c_str());
        if (right) found = line;
        return right;
    });
    return found;
}

/* What stands in for CUDA's headers: __ldg and the like are functions there. */
bool is_cuda_header(const char *file) { return strstr(file, "/sim/include/") != nullptr; }
static bool is_none(const char *) { return false; }

/* Looking one up takes milliseconds, and a kernel that goes wrong does so at few places, in many blocks. */
SourceLine source_line(Place place) {
    static auto &known = *new std::unordered_map<Place, SourceLine>; // never destroyed: the report at exit asks, too
    std::lock_guard<std::mutex> guard(reading);
    const auto found = known.find(place);
    if (found != known.end()) return found->second;
    const SourceLine outside = line_outside(place, is_cuda_header);
    return known[place] = outside.file.empty() ? line_outside(place, is_none) : outside;
}

std::string place_name(Place place) {
    const SourceLine line = source_line(place);
    if (!line.file.empty()) return line_of(line.file, line.line);
    const std::string function = function_before(place);
    return function.empty() ? "an unknown line" : "an unknown line of " + function;
}

// ---------------------------------------------------------------- host code

/* The harness and the simulator are not what a reader looks for: their functions stand between the program and the device. A program's own
   folder may be called sim, so the simulator's files are known by their names (WL_SIM_SOURCES, "/core.cpp/warp.cpp/"). */
static bool is_simulator(const char *file) {
    if (is_cuda_header(file)) return true;
    const char *slash = strrchr(file, '/');
    if (slash == nullptr) return false;
    const std::string folder(file, slash), suffixes[] = {"/sim", "/sim/program"};
    return strstr(WL_SIM_SOURCES, (slash + std::string("/")).c_str()) &&
           std::any_of(std::begin(suffixes), std::end(suffixes), [&](const std::string &s) {
               return folder.size() >= s.size() && folder.compare(folder.size() - s.size(), s.size(), s) == 0;
           });
}
static bool is_harness(const char *file) { return strstr(file, "/harness/") || is_simulator(file); }

std::string callers_here(Place place) {
    constexpr int FRAMES = 24;
    constexpr size_t MOST = 4;
    void *frames[FRAMES];
    const int count = backtrace(frames, FRAMES);
    const SourceLine from = place ? source_line(place) : SourceLine{"", 0, ""};
    static auto &known = *new std::unordered_map<void *, std::vector<SourceLine>>; // as above
    std::vector<SourceLine> all;                                                   // from there outwards
    std::lock_guard<std::mutex> guard(reading);
    for (int i = 0; i < count && all.size() < MOST + 2; i++) {
        const auto [at, is_new] = known.emplace(frames[i], std::vector<SourceLine>());
        if (is_new)
            each_function(frames[i], [&at = at](const SourceLine &line) {
                if (!is_simulator(line.file.c_str())) at->second.push_back(line);
                return false;
            });
        for (const SourceLine &line : at->second)
            if (!place || !all.empty() || (line.file == from.file && line.line == from.line)) all.push_back(line);
    }
    std::string text;
    for (size_t i = 1; i < all.size() && i <= MOST; i++)
        text += (i > 1 ? "; " : "; called from ") + all[i].function + ", " + line_of(all[i].file, all[i].line);
    return all.size() > MOST + 1 ? text + "; ..." : text;
}

/* The first line outside of harness/. */
static const SourceLine &host_line(const HostPlace &place) {
    static auto &known = *new std::unordered_map<void *, SourceLine>; // as above
    static const SourceLine none = {"", 0, ""};
    std::lock_guard<std::mutex> guard(reading);
    for (int i = 0; i < place.count; i++) {
        const uintptr_t frame = (uintptr_t)place.frames[i];
        if (frame <= (uintptr_t)__executable_start || frame > (uintptr_t)etext) continue; // a library's
        const auto [at, is_new] = known.emplace(place.frames[i], none);
        if (is_new) at->second = line_outside(place.frames[i], is_harness); // to find it takes milliseconds
        if (!at->second.file.empty()) return at->second;
    }
    return none;
}

std::string host_place_name(const HostPlace &place) {
    const SourceLine &line = host_line(place);
    if (line.file.empty()) return "an unknown line";
    return (line.function.empty() ? "" : line.function + ", ") + line_of(line.file, line.line);
}

std::string memory_place(const HostPlace &place) {
    const SourceLine &line = host_line(place);
    const std::string name = line.file.empty() ? "" : allocated_name(line);
    return (name.empty() ? "in " : "as " + name + " in ") + host_place_name(place);
}

// ---------------------------------------------------------------- __shared__ variables

/* The type of a variable, without const, volatile and other names. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *type) {
    Dwarf_Attribute attribute;
    if (!dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), type)) return false;
    return dwarf_peel_type(type, type) == 0;
}

/* The first variable of this name and size anywhere in `die`. */
static bool find_variable(Dwarf_Die *die, const std::string &name, size_t bytes, Dwarf_Die *type) {
    Dwarf_Die child;
    if (dwarf_child(die, &child) != 0) return false;
    do {
        const char *here = dwarf_tag(&child) == DW_TAG_variable ? dwarf_diename(&child) : nullptr;
        Dwarf_Word size = 0;
        if (here && name == here && type_of(&child, type) && dwarf_aggregate_size(type, &size) == 0 && size == bytes)
            return true;
        if (find_variable(&child, name, bytes, type)) return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* The extents of an array type, and the bytes of its elements. */
static std::vector<long> extents_of(Dwarf_Die *array, size_t *element_bytes) {
    std::vector<long> extents;
    Dwarf_Die child, element;
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    if (dwarf_tag(array) != DW_TAG_array_type || dwarf_child(array, &child) != 0) return extents;
    do {
        if (dwarf_tag(&child) != DW_TAG_subrange_type) continue;
        if (dwarf_formudata(dwarf_attr(&child, DW_AT_upper_bound, &attribute), &value) == 0)
            extents.push_back((long)value + 1);
        else if (dwarf_formudata(dwarf_attr(&child, DW_AT_count, &attribute), &value) == 0)
            extents.push_back((long)value);
    } while (dwarf_siblingof(&child, &child) == 0);
    if (!type_of(array, &element) || dwarf_aggregate_size(&element, &value) != 0 || value == 0) return {};
    *element_bytes = value;
    return extents;
}

Element element_at(const Symbol &variable, const void *kernel, long offset) {
    std::lock_guard<std::mutex> guard(reading);
    const long bytes = (long)(variable.high - variable.low);
    Dwfl_Module *module = module_of((Dwarf_Addr)(uintptr_t)kernel);
    Dwarf_Addr bias;
    Dwarf_Die *unit = module ? dwfl_module_addrdie(module, (Dwarf_Addr)(uintptr_t)kernel, &bias) : nullptr, type;
    size_t element_bytes = 1;
    std::vector<long> extents;
    const bool known = unit && find_variable(unit, variable.name, (size_t)bytes, &type);
    if (known) extents = extents_of(&type, &element_bytes);
    if (known && extents.empty() && offset >= 0 && offset < bytes) return {variable.name, variable.name};
    if (extents.empty())
        return {"byte " + std::to_string(offset) + " of " + variable.name,
                variable.name + ", which has " + std::to_string(bytes) + " bytes"};
    const long size = (long)element_bytes;
    long index = offset >= 0 ? offset / size : -((size - 1 - offset) / size);
    Element all = {variable.name, variable.name};
    std::string indices;
    for (size_t d = extents.size(); d-- > 0;) {
        const long here = d == 0 ? index : (index % extents[d] + extents[d]) % extents[d];
        indices = "[" + std::to_string(here) + "]" + indices;
        index = (index - here) / extents[d];
    }
    all.element += indices;
    for (const long extent : extents) all.variable += "[" + std::to_string(extent) + "]";
    return all;
}

} // namespace wl_sim
