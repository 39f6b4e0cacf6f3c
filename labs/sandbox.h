/* Runs untrusted programs with limits, watches them, and ends them. */
#ifndef LABS_SANDBOX_H
#define LABS_SANDBOX_H

#include <stddef.h>

#include "harness/base/error.h"

typedef struct {
    double seconds;       /* after this time it is ended */
    size_t memory;        /* bytes that it may use; 0: no limit */
    size_t address_space; /* bytes that each of its processes may map; 0: no limit */
    int sandboxed;        /* no network; few files, processes and environment variables */
    unsigned user;        /* sandboxed by root: runs as this user; 0: as the caller */
    const char *folder;   /* its working folder, the only one that it may write to */
    const char *input;    /* its standard input; NULL: empty */
} wl_sandbox;

typedef struct {
    char *results;     /* its output on file descriptor WL_SANDBOX_RESULTS */
    char *said;        /* the last part of its standard output and standard error */
    int code;          /* its exit code; 128 + signal */
    const char *ended; /* NULL, or why it was ended: "took more than 60 s" */
    double seconds;
} wl_sandbox_end;

enum { WL_SANDBOX_RESULTS = 3 };

/* WL_OK however the program ended. wl_sandbox_end_free frees. */
wl_status wl_sandbox_run(char *const *words, const wl_sandbox *sandbox, wl_sandbox_end *end);
void wl_sandbox_end_free(wl_sandbox_end *end);

/* A user for one submission, so that it cannot reach into another one's folder; 0: the caller is not root. */
unsigned wl_sandbox_user(void);

/* The limits of `sandboxed` that this system does not allow, such as "the network is not cut off"; "": none. */
const char *wl_sandbox_lacks(void);

#endif
