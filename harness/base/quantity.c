#include "harness/base/quantity.h"

#include <math.h>
#include <stdio.h>

/* Four significant digits at most, with the scale's letter: "21.3 us", "4.49 G". */
static char *scaled(double value, const char *const *units, int last, char *text) {
    int unit = 0;
    if (!isfinite(value)) {
        snprintf(text, WL_QUANTITY, "-");
        return text;
    }
    while (unit < last && fabs(value) >= 999.5) {
        value /= 1e3;
        unit++;
    }
    const int digits = fabs(value) < 10 ? 3 : fabs(value) < 100 ? 2 : 1;
    snprintf(text, WL_QUANTITY, "%.*f %s", digits, value, units[unit]);
    return text;
}

char *wl_time_text(double ms, char *text) {
    static const char *const units[] = {"us", "ms", "s"};
    return scaled(1e3 * ms, units, 2, text);
}

char *wl_rate_text(double rate, char *text) {
    static const char *const units[] = {" ", "k", "M", "G", "T", "P"};
    return scaled(rate, units, 5, text);
}

char *wl_factor_text(double factor, char *text) {
    if (!isfinite(factor))
        snprintf(text, WL_QUANTITY, "-");
    else if (factor < 1 || factor >= 1e7)
        snprintf(text, WL_QUANTITY, "%.3g", factor);
    else
        snprintf(text, WL_QUANTITY, "%.*f", factor < 10 ? 2 : factor < 100 ? 1 : 0, factor);
    return text;
}

/* Two significant digits: "0.16", "1.0", "120", "1e+07". */
static int two_digits(double value, char *text, size_t size) {
    if (value < 9.95 || value >= 9.95e6) return snprintf(text, size, value < 9.95 ? "%#.2g" : "%.2g", value);
    double unit = 1;
    while (value >= 99.5 * unit) unit *= 10;
    return snprintf(text, size, "%.0f", unit * round(value / unit));
}

char *wl_cpu_factor_text(double factor, double low, double high, char *text) {
    int length = 0;
    if (!isfinite(factor)) {
        snprintf(text, WL_QUANTITY, "-");
        return text;
    }
    if (isfinite(low) && high >= 1.1 * low) { // false for NaN
        length = two_digits(low, text, WL_QUANTITY);
        length += snprintf(text + length, WL_QUANTITY - (size_t)length, " to ");
        factor = high;
    }
    two_digits(factor, text + length, WL_QUANTITY - (size_t)length);
    return text;
}

char *wl_percent_text(double share, char *text) {
    if (!isfinite(share))
        snprintf(text, WL_QUANTITY, "-");
    else
        snprintf(text, WL_QUANTITY, "%.*f%%", share < 0.00995 ? 2 : share < 0.0995 ? 1 : 0, 100 * share);
    return text;
}
