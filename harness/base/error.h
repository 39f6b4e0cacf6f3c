/* Errors: one line, what was found and what was expected, and the exit code that goes with it. */
#pragma once

#include <stddef.h>

#include "harness/base/linkage.h"

WL_C_BEGIN

/* Every function that can fail returns one of these; the program exits with it. */
typedef enum {
    WL_OK = 0,
    WL_CHECK_FAILED = 1, // a result differs from the reference
    WL_BAD_USAGE = 2,    // the command line is wrong
    WL_BAD_INPUT = 3,    // an input file is wrong
    WL_NO_MACHINE = 4    // the machine lacks what was asked for: no GPU, too little memory or disk
} wl_status;

/* Record the calling thread's error line (printf format, no newline, at most 1023 bytes kept; control characters
   are escaped) and return `code`, so that a function can end with `return wl_fail(WL_BAD_INPUT, "...", ...)`. */
wl_status wl_fail(wl_status code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The calling thread's last error line; "" when there was none. Valid until that thread's next wl_fail. */
const char *wl_error(void);

/* Bytes of the UTF-8 character at `text`; 0 when it is none: overlong forms and surrogates are not. */
size_t wl_utf8_length(const unsigned char *text);
/* Bytes of the control character at `text`, which a terminal obeys: U+0000 to U+001F, U+007F to U+009F, or a byte of 0x80 to 0x9F that is no
   UTF-8, since terminals of eight bits take it for one. 0: it is none. */
size_t wl_control_length(const unsigned char *text);

/* A failure with its line, kept for another thread or for later; all zero: there is none. */
typedef struct {
    wl_status status;
    size_t at;
    char line[1024];
} wl_saved_error;
/* Keeps `status`, unless it is WL_OK, and the calling thread's line; of several failures that of the lowest `at`. Any thread. */
void wl_save_error(wl_saved_error *kept, size_t at, wl_status status);
/* What was kept, as the calling thread's own. */
wl_status wl_saved_error_again(const wl_saved_error *kept);

/* Leave the function with what `call` returned, unless that is WL_OK. */
#define WL_TRY(call)                            \
    do {                                        \
        wl_status wl_tried = (call);            \
        if (wl_tried != WL_OK) return wl_tried; \
    } while (0)

WL_C_END
