#include "harness/base/error.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LINE 1024 // bytes kept, with the terminating zero

static _Thread_local char error_line[LINE];

size_t wl_utf8_length(const unsigned char *text) {
    const unsigned char first = text[0];
    size_t length = first < 0x80                     ? 1
                    : first >= 0xC2 && first <= 0xDF ? 2
                    : first >= 0xE0 && first <= 0xEF ? 3
                    : first >= 0xF0 && first <= 0xF4 ? 4
                                                     : 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xC0) != 0x80) return 0; // also stops at the terminating zero
    if (first == 0xE0 && text[1] < 0xA0) return 0;
    if (first == 0xED && text[1] > 0x9F) return 0;
    if (first == 0xF0 && text[1] < 0x90) return 0;
    if (first == 0xF4 && text[1] > 0x8F) return 0;
    return length;
}

size_t wl_control_length(const unsigned char *text) {
    if (*text < 0x20 || *text == 0x7F) return 1;
    if (*text < 0x80 || *text > 0xC2) return 0;
    if (*text == 0xC2) return text[1] >= 0x80 && text[1] < 0xA0 ? 2 : 0;
    return *text < 0xA0;
}

/* File names and file contents end up in error lines. A line must stay one line, and must not steer a terminal. */
static void keep_printable(const char *from, char *to, size_t size) {
    size_t used = 0;
    const unsigned char *text = (const unsigned char *)from;
    while (*text) {
        char piece[8];
        size_t length = wl_utf8_length(text), step = length;
        if (length > 0 && wl_control_length(text) == 0) {
            memcpy(piece, text, length);
        } else {
            length = (size_t)snprintf(piece, sizeof piece, "\\x%02X", *text);
            step = 1;
        }
        if (used + length >= size) break; // never half a sequence
        memcpy(to + used, piece, length);
        used += length;
        text += step;
    }
    to[used] = 0;
}

wl_status wl_fail(wl_status code, const char *format, ...) {
    char raw[LINE]; // apart from error_line, since the arguments may be wl_error() itself
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    keep_printable(raw, error_line, sizeof error_line);
    return code;
}

const char *wl_error(void) { return error_line; }

void wl_save_error(wl_saved_error *kept, size_t at, wl_status status) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (status == WL_OK) return;
    pthread_mutex_lock(&lock);
    if (kept->status == WL_OK || at < kept->at) {
        kept->status = status;
        kept->at = at;
        snprintf(kept->line, sizeof kept->line, "%s", error_line);
    }
    pthread_mutex_unlock(&lock);
}

wl_status wl_saved_error_again(const wl_saved_error *kept) {
    return kept->status == WL_OK ? WL_OK : wl_fail(kept->status, "%s", kept->line);
}
