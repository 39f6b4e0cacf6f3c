/* A session, and how each function of the library begins and ends. */
#pragma once

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/bench/device.h"
#include "library/warpladder.h"

#define LIBRARY_API __attribute__((visibility("default")))

struct warpladder {
    wl_device_list devices;
    int is_open; // else the session is there for its error line
    int threads;
    size_t memory;
    char error[1024];
    char *notes; // NULL: none
    size_t notes_length;
    locale_t numbers; // "C", in which files and messages are read and written

    /* The call under way: */
    FILE *noting;
    locale_t outside;
    int outside_threads;
};

/* At the beginning of a call: forget the last one's error and notes. WL_BAD_USAGE where `session` is no open session,
   and then library_end must not be called. */
wl_status library_begin(warpladder *session);
/* At its end: keep the error line, give the thread back as it was, and return `status`. */
warpladder_status library_end(warpladder *session, wl_status status);

/* Copies the options that the caller knows over the defaults: `given` (NULL: none) begins with its size in bytes, and
   so does `defaults`. WL_BAD_USAGE where it is larger than this library's, or smaller than that size. */
wl_status library_options(const void *given, void *defaults);
