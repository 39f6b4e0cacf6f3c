#include "harness/bench/verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

wl_status wl_verdict_set(wl_verdict *verdict, wl_status status, const char *format, ...) {
    char reason[WL_REASON_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    verdict->state = status == WL_OK ? WL_PASSED : status == WL_NO_MACHINE ? WL_UNSUPPORTED : WL_FAILED;
    memcpy(verdict->reason, reason, sizeof reason);
    return status;
}

int wl_passed(const wl_verdict *verdict) { return verdict->state == WL_PASSED; }
int wl_failed(const wl_verdict *verdict) { return verdict->state == WL_FAILED; }

const char *wl_verdict_word(const wl_verdict *verdict) {
    static const char *const words[] = {"", "ok", "FAILED", "unsupported"};
    return words[verdict->state];
}

wl_verdict_text wl_verdict_line(const wl_verdict *verdict) {
    wl_verdict_text line;
    int says_why = verdict->state == WL_FAILED || verdict->state == WL_UNSUPPORTED;
    snprintf(line.text, sizeof line.text, "%s%s%s", wl_verdict_word(verdict), says_why ? ": " : "",
             says_why ? verdict->reason : "");
    return line;
}
