#include "io/left_out.h"

#include <stdio.h>

int wl_leave_out(wl_left_out *left_out, wl_record_fault fault, size_t line) {
    if (left_out == NULL || !(left_out->faults & WL_LEAVES_OUT(fault))) return 0;
    if (left_out->line == 0) left_out->line = line;
    left_out->count[fault]++;
    return 1;
}

size_t wl_left_out_count(const wl_left_out *left_out) {
    size_t count = 0;
    for (int fault = 0; fault < WL_RECORD_FAULTS; fault++) count += left_out->count[fault];
    return count;
}

const char *wl_left_out_show(const wl_left_out *left_out, char text[WL_LEFT_OUT_TEXT]) {
    static const char *const what[] = {"without letters", "without a name", "with an unexpected letter"};
    const size_t count = wl_left_out_count(left_out);
    size_t used = 0;
    *text = 0;
    if (count == 0) return text;
    used += (size_t)snprintf(text, WL_LEFT_OUT_TEXT, "%zu record%s left out:", count, count == 1 ? " was" : "s were");
    const char *between = " ";
    for (int fault = 0; fault < WL_RECORD_FAULTS; fault++) {
        if (left_out->count[fault] == 0) continue;
        used += (size_t)snprintf(text + used, WL_LEFT_OUT_TEXT - used, "%s%zu %s", between, left_out->count[fault],
                                 what[fault]);
        between = ", ";
    }
    snprintf(text + used, WL_LEFT_OUT_TEXT - used, "; the first is in line %zu", left_out->line);
    return text;
}

wl_status wl_refuse_all_left_out(const char *path, const wl_left_out *left_out) {
    char text[WL_LEFT_OUT_TEXT];
    if (left_out->may_leave_none) return WL_OK;
    return wl_fail(WL_BAD_INPUT, "%s: found no sequence that can be used: %s", path, wl_left_out_show(left_out, text));
}
