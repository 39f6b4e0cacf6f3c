/* Numbers as BLAST prints them: found by comparing, and tests/blast compares on. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/text.h"
#include "tools/search/report/internal.h"

void sw_format_evalue(double evalue, int table, char text[SW_NUMBER]) {
    const char *format = evalue < 1e-180   ? "0.0"
                         : evalue < 0.0009 ? (table ? "%.2e" : "%.0e")
                         : evalue < 0.1    ? "%.3f"
                         : evalue < 1      ? "%.2f"
                         : evalue < 10     ? "%.1f"
                                           : "%.0f";
    snprintf(text, SW_NUMBER, isnan(evalue) ? "NA" : format, evalue);
}

void sw_format_bits(double bits, char text[SW_NUMBER]) {
    if (isnan(bits))
        snprintf(text, SW_NUMBER, "NA");
    else if (bits > 99999)
        snprintf(text, SW_NUMBER, "%.3e", bits);
    else if (bits > 99.9)
        snprintf(text, SW_NUMBER, "%d", (int)bits); // BLAST cuts the fraction off
    else
        snprintf(text, SW_NUMBER, "%.1f", bits);
}

void sw_format_count(uint64_t count, char text[SW_NUMBER]) {
    char digits[SW_NUMBER];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
    for (int i = 0; i < length; i++) {
        *text++ = digits[i];
        if ((length - 1 - i) % 3 == 0 && i + 1 < length) *text++ = ',';
    }
    *text = '\0';
}

int sw_percent(uint32_t part, uint32_t of) {
    if (part == of) return 100;
    int rounded = (int)(0.5 + 100.0 * part / of);
    return rounded < 100 ? rounded : 99;
}

void sw_print_text(const char *text, FILE *stream) { wl_put_plain(stream, text, strlen(text)); }

size_t sw_cut(const char *text, size_t most) {
    for (size_t at = most; at > 0 && at + 3 >= most; at--)
        if (((unsigned char)text[at] & 0xC0) != 0x80) return at;
    return most; // not UTF-8
}

const char *sw_name_or(const char *name, const char *what, uint64_t number, char text[SW_NUMBER]) {
    if (*name) return name;
    snprintf(text, SW_NUMBER, "%s_%" PRIu64, what, number);
    return text;
}
