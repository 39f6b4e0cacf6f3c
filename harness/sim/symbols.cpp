/* What the program's own ELF file knows: where the __shared__ and __device__ variables are and how large, and which
   source line an instruction came from. elfutils reads it. */
#include <cxxabi.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <mutex>

#include "harness/sim/internal.h"

// Its place in the thread-local block is known to the linker, its address to every thread: the difference is where the
// block begins.
thread_local char wl_sim_anchor[16];

namespace wl_sim {

static std::vector<Symbol> shared_list, device_list;
static std::map<uintptr_t, Owner> functions; // by address
static uintptr_t bias, anchor_offset;

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
    elf_version(EV_CURRENT);
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, nullptr) : nullptr;
    Elf_Scn *section = nullptr;
    size_t file = 0;
    while (elf && (section = elf_nextscn(elf, section)) != nullptr) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB) continue;
        Elf_Data *data = elf_getdata(section, nullptr);
        for (size_t i = 0; data && i < header.sh_size / header.sh_entsize; i++) {
            GElf_Sym s;
            if (!gelf_getsym(data, (int)i, &s)) continue;
            // Local symbols follow the name of their file, so the number of names says whose they are.
            file += GELF_ST_TYPE(s.st_info) == STT_FILE;
            size_t of = GELF_ST_BIND(s.st_info) == STB_LOCAL ? file : 0;
            const char *mangled = elf_strptr(elf, header.sh_link, s.st_name);
            if (mangled == nullptr || s.st_size == 0) continue;
            if (GELF_ST_TYPE(s.st_info) == STT_TLS) {
                if (strcmp(mangled, "wl_sim_anchor") == 0) anchor_offset = s.st_value;
                // Thread-local variables of functions are what __shared__ makes; C++ mangles them _ZZ.
                if (strncmp(mangled, "_ZZ", 3) != 0) continue;
                shared_list.push_back({s.st_value, s.st_value + s.st_size, {owner_of(mangled), of}});
            } else if (GELF_ST_TYPE(s.st_info) == STT_FUNC && strncmp(mangled, "_Z", 2) == 0) {
                functions[bias + s.st_value] = {mangled + 2, of};
            } else if (GELF_ST_TYPE(s.st_info) == STT_OBJECT && s.st_shndx != SHN_UNDEF &&
                       strncmp(mangled, "C.", 2) != 0) { // the compiler's own constants
                device_list.push_back({bias + s.st_value, bias + s.st_value + s.st_size, {"", of}});
            }
        }
    }
    auto lower = [](const Symbol &a, const Symbol &b) { return a.low < b.low; };
    std::sort(shared_list.begin(), shared_list.end(), lower);
    std::sort(device_list.begin(), device_list.end(), lower);
    if (elf) elf_end(elf);
    if (fd >= 0) close(fd);
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

uintptr_t thread_local_base(void) {
    read_once();
    return (uintptr_t)wl_sim_anchor - anchor_offset;
}

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
    static char *paths = nullptr;
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
    return file ? short_path(file) + ":" + std::to_string(number) : "an unknown line";
}

} // namespace wl_sim
