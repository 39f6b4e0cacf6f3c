/* printf, puts and putchar in kernels, and the mathematical functions that store a second result through a pointer. The texts that %s
   prints, and those results, are checked and counted like any other access. cmake/symbol-table.sh has kernel files call these functions
   in place of the C library's; host code in such a file goes on to the latter. */
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "sim/internal.h"

using namespace wl_sim;

namespace {

[[noreturn]] void fail(Worker *w, const std::string &what, Place place) {
    w->error = what + " at " + place_name(place);
    abandon(w);
}

/* A text of at most `most` characters; less than 0: up to its end. */
void load_text(Worker *w, const char *text, int most, Place place) {
    for (int i = 0; most < 0 || i < most; i++) {
        access(w, (uintptr_t)(text + i), 1, Kind::load, false, place, true);
        if (text[i] == 0) return;
    }
}

constexpr size_t LONGEST_FORMAT = 1024;

/* Takes each value that the format names, so that the texts among them are checked. */
void check_format(Worker *w, const char *format, va_list values, Place place) {
    while ((format = strchr(format, '%')) != nullptr) {
        int most = -1, wide = 0, narrow = 0;
        format += 1 + strspn(format + 1, "-+ #0");
        if (*format == '*') va_arg(values, int), format++;
        format += strspn(format, "0123456789");
        if (*format == '.') {
            most = 0;
            if (*++format == '*') most = va_arg(values, int), format++;
            for (; *format >= '0' && *format <= '9'; format++) most = most > 1 << 20 ? most : 10 * most + *format - '0';
        }
        for (; *format && strchr("hljzt", *format); format++) (*format == 'h' ? narrow : wide)++;
        const char kind = *format;
        if (kind == 0) fail(w, "printf with a format that ends within a conversion", place);
        format++;
        if (strchr("diouxXc", kind)) {
            if (wide)
                va_arg(values, long);
            else
                va_arg(values, int);
        } else if (strchr("eEfFgGaA", kind)) {
            va_arg(values, double);
        } else if (kind == 's' && !wide && !narrow) {
            load_text(w, va_arg(values, const char *), most, place);
        } else if (kind == 'p') {
            va_arg(values, void *);
        } else if (kind != '%') {
            fail(w, std::string("printf with %") + kind + ", which a device's printf does not have,", place);
        }
    }
}

} // namespace

#define WL_HERE ((Place)__builtin_return_address(0))

extern "C" {
int wl_sim_printf(const char *format, ...);
int wl_sim_puts(const char *text);
int wl_sim_putchar(int c);

int wl_sim_printf(const char *format, ...) {
    va_list values;
    char copy[LONGEST_FORMAT]; // which no other block changes after it has been checked
    if (active) {
        load_text(active, format, LONGEST_FORMAT, WL_HERE);
        const size_t length = strnlen(format, LONGEST_FORMAT);
        if (length == LONGEST_FORMAT) fail(active, "printf with a format of more than 1,023 characters", WL_HERE);
        memcpy(copy, format, length);
        copy[length] = 0;
        format = copy;
        va_start(values, format);
        check_format(active, format, values, WL_HERE);
        va_end(values);
    }
    va_start(values, format);
    const int length = vprintf(format, values);
    va_end(values);
    return length;
}
int wl_sim_puts(const char *text) {
    if (active) load_text(active, text, -1, WL_HERE);
    return puts(text);
}
int wl_sim_putchar(int c) { return putchar(c); }

#define WL_CHECKED(pointer) \
    if (active) access(active, (uintptr_t)(pointer), sizeof *(pointer), Kind::store, false, WL_HERE, false)
#define WL_STORES(T, R, name)     \
    T wl_sim_##name(T x, R *to);  \
    T wl_sim_##name(T x, R *to) { \
        WL_CHECKED(to);           \
        return name(x, to);       \
    }
#define WL_STORES_OF(T, suffix)                           \
    WL_STORES(T, int, frexp##suffix)                      \
    WL_STORES(T, T, modf##suffix)                         \
    T wl_sim_remquo##suffix(T x, T y, int *to);           \
    T wl_sim_remquo##suffix(T x, T y, int *to) {          \
        WL_CHECKED(to);                                   \
        return remquo##suffix(x, y, to);                  \
    }                                                     \
    void wl_sim_sincos##suffix(T x, T *sine, T *cosine);  \
    void wl_sim_sincos##suffix(T x, T *sine, T *cosine) { \
        WL_CHECKED(sine);                                 \
        WL_CHECKED(cosine);                               \
        sincos##suffix(x, sine, cosine);                  \
    }
WL_STORES_OF(double, )
WL_STORES_OF(float, f)
}
