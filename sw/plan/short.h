/* Queries so short that a lane has all their rows. A lane has two subjects and one query (stage 08), or one subject and two queries
   (stage 09). */
#pragma once

#include "harness/base/linkage.h"
#include "sw/plan/bands.h"

WL_C_BEGIN

/* What a lane has at a time, and the scheduler's clock cycles for a row of a warp. */
typedef struct {
    int subjects, queries;
    double clocks;
} sw_short_form;
extern const sw_short_form sw_short_two_subjects, sw_short_two_queries;

/* The rows that the build has kernels for. */
#define SW_SHORT_ROWS(X) X(4) X(6) X(8) X(10) X(12) X(14) X(16) X(20) X(24) X(28) X(32)
enum { SW_SHORT_MOST = 32 };

/* Words of a profile for each letter: one for two rows of one query, or for one row of two. A lane loads four at a time. */
#define SW_SHORT_WORDS(queries, rows) (((queries) * (rows) / 2 + 3) / 4 * 4)

/* A kernel's launch: its queries, and where its profile begins. */
typedef struct {
    int index;       // into SW_SHORT_ROWS
    size_t query[2]; // [queries]
    int queries;     // one or two
    size_t profile;  // in words: [SW_PROFILE_CODES][SW_SHORT_WORDS]
} sw_short_launch;

/* Are all queries short, and does it take less time if each lane works alone than with groups of lanes? With few subjects most lanes
   would have none. _two_subjects: in stage 08. */
int sw_is_short_two_subjects(const wl_device *device, const sw_input *in);
int sw_is_short_two_queries(const wl_device *device, const sw_input *in);

/* As sw_stream_supports and sw_plan_bands. */
const char *sw_short_supports(const sw_short_form *form, const wl_device *device, const sw_input *in);
wl_status sw_plan_short(const sw_short_form *form, const wl_device *device, const sw_input *in,
                        const sw_numbers *numbers, sw_scan_plan *plan);

WL_C_END
