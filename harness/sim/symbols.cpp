/* Where the __shared__ and __device__ variables are and how large, from the tables in the kernels' object files; and which
   source line an instruction came from, which elfutils reads from the debugging information. */
#include <cxxabi.h>
#include <elfutils/libdwfl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <mutex>

#include "harness/sim/internal.h"
#include "harness/sim/symbols.h"

// The thread-local variables of all threads lie at the same distances from this one. Offsets count from far below it, so that
// all are positive.
static thread_local char wl_sim_anchor[16];

namespace wl_sim {

static std::vector<Symbol> shared_list, device_list;
static std::map<uintptr_t, Owner> functions; // by address
static uintptr_t bias;

// Filled by constructors, so it is there as soon as the first of them asks for it.
static auto &tables(void) {
    static std::vector<std::pair<const wl_sim_symbol *, size_t>> all;
    return all;
}

static int first_object(struct dl_phdr_info *info, size_t, void *to) {
    *(uintptr_t *)to = info->dlpi_addr; // the program itself comes first
    return 1;
}

/* A variable of a function is mangled _ZZ<function>E<length><name>; its function _Z<function>. */
static std::string owner_of(const char *mangled) {
    const char *end = mangled + strlen(mangled);
    while (end > mangled + 3 && isdigit((unsigned char)end[-1])) end--; // a number that tells namesakes apart
    // The name is what follows the last E<length> whose length fits.
    for (const char *e = end - 1; e > mangled + 3; e--) {
        if (*e != 'E' || !isdigit((unsigned char)e[1])) continue;
        char *name;
        unsigned long length = strtoul(e + 1, &name, 10);
        if (name + length <= mangled + strlen(mangled)) return std::string(mangled + 3, e);
    }
    return "";
}

static void read_symbols(void) {
    dl_iterate_phdr(first_object, &bias);
    size_t file = 0;
    for (const auto &[table, count] : tables()) {
        file++;
        for (const wl_sim_symbol *s = table; s < table + count; s++) {
            size_t of = s->known_to_all ? 0 : file;
            uintptr_t low = s->here ? (uintptr_t)s->here() - thread_local_base() : (uintptr_t)s->address;
            if (s->here)
                shared_list.push_back({low, low + s->size, {owner_of(s->name), of}});
            else if (s->size)
                device_list.push_back({low, low + s->size, {"", of}});
            else
                functions[low] = {s->name + 2, of};
        }
    }
    for (auto *list : {&shared_list, &device_list}) {
        std::sort(list->begin(), list->end(), [](const Symbol &a, const Symbol &b) { return a.low < b.low; });
        // What is known to all is in several tables, but there once.
        auto same = [](const Symbol &a, const Symbol &b) { return a.low == b.low; };
        list->erase(std::unique(list->begin(), list->end(), same), list->end());
    }
}

static void read_once(void) {
    static std::once_flag once;
    std::call_once(once, read_symbols);
}

Owner owner_at(const void *function) {
    read_once();
    auto at = functions.find((uintptr_t)function);
    return at == functions.end() ? Owner{"?", 0} : at->second;
}

std::string readable(const Owner &owner) {
    int status = 0;
    char *text = abi::__cxa_demangle(("_Z" + owner.mangled).c_str(), nullptr, nullptr, &status);
    std::string name = text ? text : owner.mangled;
    free(text);
    name.erase(std::min(name.find('('), name.size())); // the parameters
    size_t space = name.find(' ');                     // a template's result type comes first
    if (space < name.find('<')) name.erase(0, space + 1);
    return name;
}

const std::vector<Symbol> &shared_symbols(void) {
    read_once();
    return shared_list;
}

const std::vector<Symbol> &device_symbols(void) {
    read_once();
    return device_list;
}

uintptr_t thread_local_base(void) { return (uintptr_t)wl_sim_anchor - ((uintptr_t)1 << 30); }

uintptr_t text_base(void) {
    static const uintptr_t base = (read_once(), bias);
    return base;
}

std::string short_path(const char *path) {
    const char *tail = path + strlen(path);
    for (int parts = 2; tail > path; tail--)
        if (tail[-1] == '/' && --parts == 0) break;
    return tail;
}

/* The program's debugging information; null when there is none. Opened once, kept: it takes milliseconds. */
static Dwfl *debug_information(void) {
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

std::string place_name(Place place) {
    static std::mutex mutex;
    std::lock_guard<std::mutex> guard(mutex);
    static Dwfl *dwfl = debug_information();
    Dwarf_Addr address = (Dwarf_Addr)(uintptr_t)place - 1; // a return address: the call is just before it
    Dwfl_Module *module = dwfl ? dwfl_addrmodule(dwfl, address) : nullptr;
    Dwfl_Line *line = module ? dwfl_module_getsrc(module, address) : nullptr;
    int number = 0;
    const char *file = line ? dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr) : nullptr;
    if (file) return short_path(file) + ":" + std::to_string(number);
    auto after = functions.upper_bound((uintptr_t)place - 1);
    return after == functions.begin() ? "an unknown line" : "an unknown line of " + readable(std::prev(after)->second);
}

} // namespace wl_sim

void wl_sim_add_symbols(const wl_sim_symbol *table, unsigned long count) { wl_sim::tables().push_back({table, count}); }
