/* What a check found. It is kept as data and formatted on output. */
#pragma once

#include <stddef.h>

#include "harness/base/error.h"

typedef enum {
    WL_UNCHECKED,
    WL_PASSED,
    WL_FAILED,
    WL_UNSUPPORTED // this device or this much memory is not there, or the variant does not take the input
} wl_verdict_state;

enum { WL_REASON_SIZE = 1024 };

typedef struct {
    wl_verdict_state state;
    size_t wrong;                // elements of the result that differ, where one was compared
    char reason[WL_REASON_SIZE]; // of FAILED and UNSUPPORTED: "3 wrong, first ..."
    char checked_by[96];         // "reference", "reference on 3 of 65536 slices, ..."; "": nothing was compared
} wl_verdict;

/* Set state and reason (printf format; unused for WL_OK) from a status: WL_OK has passed, WL_NO_MACHINE is unsupported,
   all others failed. Returns `status`. Arguments may point into the verdict's own reason. */
wl_status wl_verdict_set(wl_verdict *verdict, wl_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

int wl_passed(const wl_verdict *verdict);
int wl_failed(const wl_verdict *verdict);

/* "ok", "FAILED", "unsupported"; "" where nothing was checked. */
const char *wl_verdict_word(const wl_verdict *verdict);

/* "ok", "FAILED: 3 wrong, first ...", "unsupported: reason". The text lives until the end of the caller's full expression:
   printf("%s\n", wl_verdict_line(&verdict).text). */
typedef struct {
    char text[WL_REASON_SIZE + 16];
} wl_verdict_text;
wl_verdict_text wl_verdict_line(const wl_verdict *verdict);
