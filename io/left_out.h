/* Records that a reader leaves out and counts, where it would otherwise refuse the file. */
#pragma once

#include <stddef.h>

#include "harness/base/error.h"
#include "harness/base/linkage.h"

WL_C_BEGIN

/* What can be wrong with a record. The alphabet is the tool's, so a taker of records may also call wl_leave_out for a letter. */
typedef enum { WL_RECORD_EMPTY, WL_RECORD_NAMELESS, WL_RECORD_ODD, WL_RECORD_FAULTS } wl_record_fault;
#define WL_LEAVES_OUT(fault) (1u << (fault))
#define WL_LEAVES_OUT_ALL (WL_LEAVES_OUT(WL_RECORD_FAULTS) - 1)

typedef struct {
    unsigned faults;                // bits: WL_LEAVES_OUT of what is left out; the rest is refused
    int may_leave_none;             // a file without a record that is kept, or an empty one, is not refused
    size_t count[WL_RECORD_FAULTS]; // a record counts once, for the fault that is seen first
    size_t line;                    // of the first record that was left out
} wl_left_out;

/* Whether a record with this fault, whose header is in `line`, is left out; then it is counted. left_out may be NULL: no. */
int wl_leave_out(wl_left_out *left_out, wl_record_fault fault, size_t line);
size_t wl_left_out_count(const wl_left_out *left_out);

/* WL_BAD_INPUT if none of a file's records is kept, and none has to be. */
wl_status wl_refuse_all_left_out(const char *path, const wl_left_out *left_out);

/* "3 records were left out: 1 without letters, 2 with an unexpected letter; the first is in line 7", or "" if none was. Returns `text`. */
enum { WL_LEFT_OUT_TEXT = 256 };
const char *wl_left_out_show(const wl_left_out *left_out, char text[WL_LEFT_OUT_TEXT]);

WL_C_END
