/* Divisions of integers by zero in kernels, and of the lowest number by -1. x86-64 traps at both, where a GPU goes on with an undefined
   value. 64-bit ARM does not trap. */
#include "sim/internal.h"

#if defined(__x86_64__)

#include <signal.h>
#include <ucontext.h>

#include <cstring>
#include <limits>

namespace wl_sim {

/* A `div` or `idiv`. */
struct Division {
    unsigned length, bytes; // of the instruction; of the divisor
    bool is_signed;
    int64_t divisor;
};

/* A register by the number that instructions have for it. */
static greg_t &register_of(ucontext_t *u, unsigned number) {
    static const int order[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    return u->uc_mcontext.gregs[order[number]];
}

/* The instruction that has trapped; length 0: another one. */
static Division division_at(ucontext_t *u) {
    const uint8_t *const begin = (const uint8_t *)u->uc_mcontext.gregs[REG_RIP], *p = begin;
    unsigned rex = 0;
    bool is_short = false, is_thread_local = false; // as __shared__ variables are
    for (; *p == 0x66 || *p == 0x64; p++) (*p == 0x66 ? is_short : is_thread_local) = true;
    if (*p >> 4 == 4) rex = *p++;
    const unsigned opcode = *p++, mode = *p >> 6, which = *p >> 3 & 7, base = *p & 7;
    p++;
    if ((opcode != 0xf6 && opcode != 0xf7) || which < 6) return {};
    Division d = {0, opcode == 0xf6 ? 1u : rex & 8 ? 8u : is_short ? 2u : 4u, which == 7, 0};
    const auto value = [&](unsigned number) -> uintptr_t { return (uintptr_t)register_of(u, number); };
    const unsigned first = (rex & 1) << 3; // of the registers that the instruction's number counts from
    if (mode == 3) {
        const bool is_high = d.bytes == 1 && !rex && base >= 4; // ah, ch, dh, bh
        d.divisor = (int64_t)(is_high ? value(base - 4) >> 8 : value(first | base));
    } else {
        uintptr_t address = 0;
        bool by_instruction = mode == 0 && base == 5, far = mode == 2 || by_instruction;
        if (base == 4) {
            const unsigned scale = *p >> 6, index = (*p >> 3 & 7) | (rex & 2) << 2, low = *p & 7;
            p++;
            if (index != 4) address += value(index) << scale;
            if (mode == 0 && low == 5)
                far = true;
            else
                address += value(first | low);
        } else if (!by_instruction) {
            address += value(first | base);
        }
        int32_t offset = 0;
        if (far)
            memcpy(&offset, p, sizeof offset);
        else if (mode == 1)
            offset = (int8_t)*p;
        p += far ? 4 : mode == 1;
        address += (uintptr_t)(intptr_t)offset + (by_instruction ? (uintptr_t)p : 0);
        if (is_thread_local) address += (uintptr_t)__builtin_thread_pointer();
        memcpy(&d.divisor, (const void *)address, d.bytes);
    }
    const unsigned unused = 64 - 8 * d.bytes;
    d.divisor = (int64_t)((uint64_t)d.divisor << unused) >> unused;
    d.length = (unsigned)(p - begin);
    return d;
}

/* Something has to stand there: all bits of a quotient by zero and of its remainder are set, and the lowest number stays what it is. */
static void go_on_after(ucontext_t *u, const Division &d) {
    const uint64_t bits = d.bytes == 8 ? ~0ull : (1ull << 8 * d.bytes) - 1,
                   kept = d.bytes >= 4 ? 0 : ~bits; // 32 bits clear the others of a register
    uint64_t quotient = bits, remainder = bits;
    if (d.divisor) quotient = bits / 2 + 1, remainder = 0;
    greg_t *const registers = u->uc_mcontext.gregs;
    if (d.bytes == 1) {
        registers[REG_RAX] = (greg_t)(((uint64_t)registers[REG_RAX] & ~0xffffull) | remainder << 8 | quotient);
    } else {
        registers[REG_RAX] = (greg_t)(((uint64_t)registers[REG_RAX] & kept) | quotient);
        registers[REG_RDX] = (greg_t)(((uint64_t)registers[REG_RDX] & kept) | remainder);
    }
    registers[REG_RIP] += d.length;
}

bool refuse_division(void *context) {
    ucontext_t *u = (ucontext_t *)context;
    const Division d = division_at(u);
    if (d.length == 0) return false;
    Worker *w = active;
    end_store(w);
    const Place at = (Place)u->uc_mcontext.gregs[REG_RIP] + 1,
                place = source_line(at).file.empty() ? place_of(w, w->lane) : at; // 128 bits are divided by a library
    find(w, {d.divisor ? "integer overflow" : "integer division by zero", place, nullptr, nullptr}, [&] {
        const std::string lowest = std::to_string(std::numeric_limits<int64_t>::min() >> (64 - 8 * d.bytes));
        return (d.divisor ? "integer overflow: " + lowest + " is divided by -1 at " : "integer division by zero at ") +
               place_name(place) + ", where a GPU goes on with an undefined value";
    });
    go_on_after(u, d);
    return true;
}

} // namespace wl_sim

#else

namespace wl_sim {
bool refuse_division(void *) { return false; }
} // namespace wl_sim

#endif
