/* Runs untrusted programs with limits, watches them, and ends them.

   The sandbox is bubblewrap's. It has its own users, processes, network and mounts. The system can only be read, and /tmp is a folder in
   memory of bounded size. Other files are not there unless they are named. When the program ends, so do all processes that it has
   started. */
#pragma once

#include <stddef.h>

#include "harness/base/error.h"

typedef struct {
    double seconds;         // after this time it is ended
    size_t memory;          // bytes that it and what it starts may use; 0: no limit
    size_t address_space;   // bytes that each of its processes may map; 0: no limit
    int closed;             // in the sandbox; few files and environment variables
    unsigned user;          // closed, by root: runs as this user; 0: as the caller
    const char *const *see; // closed: the files and folders that it can read besides the system's; ends with NULL
    const char *folder;     // not closed: its working folder; NULL: the caller's
    int results;            // an open file that it gets as WL_SANDBOX_RESULTS; 0: none
} wl_sandbox;

typedef struct {
    char *said;        // the last part of its standard output and standard error
    int code;          // its exit code; 128 + signal
    const char *ended; // NULL, or why it was ended: "it took too long"
    double seconds;
} wl_sandbox_end;

enum { WL_SANDBOX_RESULTS = 3 };

/* WL_OK however the program ended. wl_sandbox_end_free frees. */
wl_status wl_sandbox_run(char *const *words, const wl_sandbox *sandbox, wl_sandbox_end *end);
void wl_sandbox_end_free(wl_sandbox_end *end);

/* A user for one submission, used by nobody else; 0: the caller is not root. */
unsigned wl_sandbox_user(void);

/* Why this system has no sandbox, such as "bwrap: is not installed"; "": it has one. */
const char *wl_sandbox_lacks(void);

/* Called by a program in the sandbox: from now on it has few processes. And with `alone` only this one, which can compute, read files and
   write to those that are open, and nothing else: all other system calls end it or fail. */
wl_status wl_sandbox_enter(int alone);
