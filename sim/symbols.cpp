/* Where the __shared__ and __device__ variables are and how large, from the tables in the kernels' object files. */
#include <cxxabi.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <mutex>

#include "sim/memory.h"
#include "sim/symbols.h"

// The thread-local variables of all threads lie at the same distances from this one. Offsets count from far below it, so that
// all are positive.
static thread_local char wl_sim_anchor[16];

namespace wl_sim {

static std::vector<Symbol> shared_list, device_list, guard_list;
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
static std::string owner_of(const char *mangled, std::string *variable) {
    const char *end = mangled + strlen(mangled);
    while (end > mangled + 3 && isdigit((unsigned char)end[-1])) end--; // a number that tells namesakes apart
    // The name is what follows the last E<length> whose length fits.
    for (const char *e = end - 1; e > mangled + 3; e--) {
        if (*e != 'E' || !isdigit((unsigned char)e[1])) continue;
        char *name;
        unsigned long length = strtoul(e + 1, &name, 10);
        if (name + length > mangled + strlen(mangled)) continue;
        *variable = std::string(name, length);
        return std::string(mangled + 3, e);
    }
    return "";
}

/* May kernels use the variable? Not if it is the host's own. A function's (_ZZ), and one that all files share, as a template's, may belong to
   either: g++ gives it no section. Only those of main are certainly the host's. Tables of virtual functions (_ZTV) serve both. */
static bool is_kernels_variable(uintptr_t address, const char *name, int known_to_all) {
    if (strncmp(name, "_ZZ4main", 8) == 0) return false;
    return known_to_all || is_in_section(address) || strncmp(name, "_ZZ", 3) == 0 || strncmp(name, "_ZTV", 4) == 0;
}

static void read_symbols(void) {
    dl_iterate_phdr(first_object, &bias);
    size_t file = 0;
    for (const auto &[table, count] : tables()) {
        file++;
        for (const wl_sim_symbol *s = table; s < table + count; s++) {
            size_t of = s->known_to_all ? 0 : file;
            uintptr_t low = s->here ? (uintptr_t)s->here() - thread_local_base() : (uintptr_t)s->address;
            std::string name;
            if (s->here && strncmp(s->name, "_ZGV", 4) == 0)
                guard_list.push_back({low, low + s->size, {"", of}, s->name});
            else if (s->here)
                shared_list.push_back({low, low + s->size, {owner_of(s->name, &name), of}, name});
            else if (s->size && is_kernels_variable(low, s->name, s->known_to_all))
                device_list.push_back({low, low + s->size, {"", of}, s->name});
            else if (!s->size)
                functions[low] = {
                    strncmp(s->name, "_Z", 2) == 0 ? s->name + 2 : std::to_string(strlen(s->name)) + s->name, of};
        }
    }
    for (auto *list : {&shared_list, &device_list, &guard_list}) {
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

bool has_function(std::initializer_list<const char *> parts) {
    read_once();
    for (const auto &[address, owner] : functions)
        for (const char *part : parts)
            if (owner.mangled.find(part) != std::string::npos) return true;
    return false;
}

std::string readable(const Owner &owner) {
    int status = 0;
    char *text = abi::__cxa_demangle(("_Z" + owner.mangled).c_str(), nullptr, nullptr, &status);
    std::string name = text ? text : owner.mangled;
    free(text);
    const std::string nameless = "(anonymous namespace)::";
    for (size_t at; (at = name.find(nameless)) != std::string::npos;) name.erase(at, nameless.size());
    int depth = 0; // of template arguments, which may have parentheses too: <(kind)0>
    size_t end = 0;
    while (end < name.size() && (name[end] != '(' || depth > 0))
        depth += (name[end] == '<') - (name[end] == '>'), end++;
    name.erase(end);               // the parameters
    size_t space = name.find(' '); // a template's result type comes first
    if (space < name.find('<')) name.erase(0, space + 1);
    return name;
}

const std::vector<Symbol> &shared_symbols(void) {
    read_once();
    return shared_list;
}

bool is_guard(uintptr_t address) {
    read_once();
    return containing(guard_list, address - thread_local_base()) != nullptr;
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

unsigned saved_registers(Place place) {
    auto after = functions.upper_bound((uintptr_t)place - 1);
    unsigned count = 0;
#if defined(__x86_64__)
    if (after == functions.begin()) return 0;
    const unsigned char *code = (const unsigned char *)std::prev(after)->first;
    static const unsigned char begin[] = {0x55, 0x48, 0x89, 0xe5}; // push %rbp; mov %rsp,%rbp
    if (memcmp(code, begin, sizeof begin) != 0) return 0;
    for (code += sizeof begin; code[0] == 0x53 || (code[0] == 0x41 && code[1] >= 0x54 && code[1] <= 0x57); count++)
        code += code[0] == 0x53 ? 1 : 2;
#endif
    return count;
}

std::string function_before(Place place) {
    auto after = functions.upper_bound((uintptr_t)place - 1);
    return after == functions.begin() ? "" : readable(std::prev(after)->second);
}

} // namespace wl_sim

void wl_sim_add_symbols(const wl_sim_symbol *table, unsigned long count) { wl_sim::tables().push_back({table, count}); }
