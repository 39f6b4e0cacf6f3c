/* What the host may not do: touch device memory, or call a kernel as a function. On a machine with a GPU, a pointer from cudaMalloc leads
   nowhere on the host, and the name of a __device__ variable means another variable. Here kernels run in the host's own memory, so pages
   that only kernels may use are closed while none runs. */
#include <sys/mman.h>
#include <unistd.h>

#include "sim/memory.h"

// The linker brackets the sections that chevrons names; weak, since a program may have none.
extern "C" char __start_wl_device[] __attribute__((weak)), __stop_wl_device[] __attribute__((weak)),
    __start_wl_device_zero[] __attribute__((weak)), __stop_wl_device_zero[] __attribute__((weak)),
    __start_wl_managed[] __attribute__((weak)), __stop_wl_managed[] __attribute__((weak)),
    __start_wl_managed_zero[] __attribute__((weak)), __stop_wl_managed_zero[] __attribute__((weak));

namespace wl_sim {

struct Part {
    char *low, *high;
    const char *word; // of CUDA's that the variables in it have; null: allocations
};
constexpr size_t PARTS = 4;

/* What is closed. cmake/symbol-table.sh gives each section whole pages. */
static const Part &part(size_t i) {
    static const Part sections[] = {{__start_wl_device, __stop_wl_device, "__device__"},
                                    {__start_wl_device_zero, __stop_wl_device_zero, "__device__"},
                                    {__start_wl_constant, __stop_wl_constant, "__constant__"}};
    static Part memory;
    if (i < PARTS - 1) return sections[i];
    memory = {(char *)arena, (char *)shared_low, nullptr};
    return memory;
}

static std::recursive_mutex mutex; // of all that follows
static unsigned open_windows;
static bool closing; // pages are closed at all: there is a kernel file

/* Pages in part lie in memory that anybody may use. */
static void set_pages(uintptr_t low, uintptr_t high, bool open) {
    const Working here;
    static const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    low = open ? low / page * page : (low + page - 1) / page * page;
    high = open ? (high + page - 1) / page * page : high / page * page;
    if (low < high) mprotect((void *)low, high - low, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

static void set_all(bool open) {
    for (size_t i = 0; i < PARTS; i++)
        if (part(i).low < part(i).high) set_pages((uintptr_t)part(i).low, (uintptr_t)part(i).high, open);
}

void close_device_memory(void) {
    std::lock_guard<std::recursive_mutex> guard(mutex);
    closing = true;
    if (open_windows == 0) set_all(false);
}

void enter_window(bool enters) {
    std::lock_guard<std::recursive_mutex> guard(mutex);
    if (enters && open_windows++ == 0 && closing) set_all(true);
    if (!enters && --open_windows == 0 && closing) set_all(false);
}

/* The kernel changes each page's protection twice, which costs milliseconds if there are many. So memory is closed after each of the first
   launches in a row, but stays open after further ones until the host waits for the device, as programs do before they read a result. */
static unsigned launches_in_row;
static bool left_open;
void enter_launch(bool enters) {
    constexpr unsigned CLOSED = 16;
    std::lock_guard<std::recursive_mutex> guard(mutex);
    if (enters || launches_in_row++ < CLOSED || left_open)
        enter_window(enters);
    else
        left_open = true; // the kernel's window is kept
}

void settle_window(void) {
    std::lock_guard<std::recursive_mutex> guard(mutex);
    launches_in_row = 0;
    if (!left_open) return;
    left_open = false;
    enter_window(false);
}

static bool is_closed(uintptr_t address) {
    for (size_t i = 0; i < PARTS; i++)
        if (address >= (uintptr_t)part(i).low && address < (uintptr_t)part(i).high) return true;
    return false;
}

/* All pages that the range shares are closed again: whoever else had opened them is over, for a window of a range holds the lock. */
RangeWindow::RangeWindow(uintptr_t low, size_t bytes) : low(low), bytes(bytes) {
    mutex.lock();
    changes = closing && open_windows == 0 && bytes > 0 && is_closed(low);
    if (changes) set_pages(low, low + bytes, true);
}
RangeWindow::~RangeWindow() {
    static const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (changes) set_pages(low / page * page, (low + bytes + page - 1) / page * page, false);
    mutex.unlock();
}

void wl_host_element(const void *element, size_t bytes) {
    if (active || open_windows) return;
    std::lock_guard<std::recursive_mutex> guard(mutex);
    if (closing && is_closed((uintptr_t)element)) set_pages((uintptr_t)element, (uintptr_t)element + bytes, true);
}

// ---------------------------------------------------------------- variables

static thread_local bool named; // the calling thread copies to or from a variable by its name, as it may
static std::vector<uintptr_t> &asked = *new std::vector<uintptr_t>; // variables whose address the program has asked for

bool name_symbols(bool on) {
    const bool before = named;
    named = on;
    return before;
}

void wl_note_symbol(const void *symbol) {
    std::lock_guard<std::recursive_mutex> guard(mutex);
    asked.push_back((uintptr_t)symbol);
}

bool is_in_section(uintptr_t address) {
    const Part managed[] = {{__start_wl_managed, __stop_wl_managed, ""},
                            {__start_wl_managed_zero, __stop_wl_managed_zero, ""}};
    for (const Part &m : managed)
        if (address >= (uintptr_t)m.low && address < (uintptr_t)m.high) return true;
    for (size_t i = 0; i < PARTS - 1; i++)
        if (address >= (uintptr_t)part(i).low && address < (uintptr_t)part(i).high) return true;
    return false;
}

const char *word_of_variable(uintptr_t address) {
    for (size_t i = 0; i < PARTS - 1; i++)
        if (address >= (uintptr_t)part(i).low && address < (uintptr_t)part(i).high) return part(i).word;
    return nullptr;
}

/* A variable that the host has named, where it needs an address of the device's; null: it may, or there is no variable. */
static const Symbol *misused(uintptr_t address) {
    if (word_of_variable(address) == nullptr) return nullptr;
    const Symbol *s = containing(device_symbols(), address);
    if (s == nullptr) return nullptr;
    std::lock_guard<std::recursive_mutex> guard(mutex);
    return std::find(asked.begin(), asked.end(), s->low) == asked.end() ? s : nullptr;
}

static std::string variable_name(const Symbol &s) {
    return std::string(word_of_variable(s.low)) + " variable " + s.name;
}

bool refuse_symbol(const char *call, const void *to, const void *from) {
    if (named) return false;
    for (const void *side : {to, from}) {
        const Symbol *s = misused((uintptr_t)side);
        if (s == nullptr) continue;
        complain(std::string(call) + " in " + host_place_name(host_place()) + ": on the host, the name of the " +
                 variable_name(*s) + " is not its address on the device, so a GPU copies nothing; call " +
                 (side == to ? "cudaMemcpyToSymbol" : "cudaMemcpyFromSymbol"));
        return true;
    }
    return false;
}

bool refuse_symbol_argument(const std::string &kernel, const void *arguments, size_t bytes) {
    for (size_t at = 0; at + sizeof(uintptr_t) <= bytes; at += sizeof(uintptr_t)) {
        uintptr_t word;
        memcpy(&word, (const char *)arguments + at, sizeof word);
        const Symbol *s = misused(word);
        if (s == nullptr) continue;
        complain(kernel + ", launched in " + host_place_name(host_place()) + ": an argument is the address of the " +
                 variable_name(*s) +
                 " as the host has it, which is not its address on the device; cudaGetSymbolAddress gives that");
        return true;
    }
    return false;
}

// ---------------------------------------------------------------- faults

std::string host_fault(uintptr_t address, int writes) {
    const char *does = writes < 0 ? "uses" : writes ? "writes" : "reads";
    const std::string host = std::string("the host ") + does + " ", place = " in " + host_place_name(host_place());
    const Symbol *s = word_of_variable(address) ? containing(device_symbols(), address) : nullptr;
    if (s)
        return host + "the " + variable_name(*s) + place +
               ": on the host, this name is not the device's variable; call " +
               (writes > 0 ? "cudaMemcpyToSymbol" : "cudaMemcpyFromSymbol");
    if (!is_closed(address)) return "";
    auto at = find_allocation(address);
    std::string where;
    if (at != allocations.end() && address < at->high)
        where = " (byte " + std::to_string(address - at->low) + " of " + std::to_string(at->high - at->low) +
                ", allocated " + memory_place(at->place) + ")";
    return host + "device memory" + place + where + ": with a GPU the program crashes here; call cudaMemcpy, and " +
           (does[0] == 'r' ? "read the copy" : "write before it");
}

void refuse_host_call(Place place) {
    const std::string kernel = function_before(place);
    HostPlace caller = host_place(); // without the kernel itself
    void **frames = caller.frames, **own = std::find(frames, frames + caller.count, (void *)place);
    if (own < frames + caller.count) {
        caller.count -= (int)(own + 1 - frames);
        std::copy(own + 1, own + 1 + caller.count, frames);
    }
    end_with("the host calls the kernel " + kernel + " in " + host_place_name(caller) +
             " like a function; launch it with " + kernel + "<<<blocks, threads>>>(...)");
}

// ---------------------------------------------------------------- launches by a stub

static thread_local std::map<unsigned, std::vector<shape>> shapes; // by the thread of a block that launches a kernel

static std::vector<shape> &own_shapes(void) { return shapes[active ? active->lane : MAX_THREADS]; }

bool configure(shape where) {
    own_shapes().push_back(where);
    return false;
}
shape configured() {
    const shape where = own_shapes().back();
    own_shapes().pop_back();
    return where;
}

} // namespace wl_sim
