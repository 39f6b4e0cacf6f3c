/* Programs of people whom one need not trust: run with limits, watched, and ended. */
#ifndef WL_LABS_GUARD_H
#define WL_LABS_GUARD_H

#include <stddef.h>

#include "harness/base/error.h"

typedef struct {
    double seconds;       /* that it may take; then it is ended */
    size_t memory;        /* bytes that it may use; 0: as many as it likes */
    size_t address_space; /* bytes that each of its processes may map; 0: as many as it likes */
    int guarded;          /* without network, with few files, processes and variables of its environment */
    unsigned user;        /* guarded by root: as this user; 0: as ourselves */
    const char *folder;   /* its working folder, and the only one that it may write to */
    const char *input;    /* its standard input; NULL: empty */
} wl_guard;

typedef struct {
    char *results;     /* what it wrote to file descriptor WL_GUARD_RESULTS */
    char *said;        /* and to standard output and standard error, the last part of it */
    int code;          /* its exit code; 128 + signal */
    const char *ended; /* NULL, or why it was ended: "took more than 60 s" */
    double seconds;
} wl_guard_end;

enum { WL_GUARD_RESULTS = 3 };

/* WL_OK however the program ended. wl_guard_end_free frees. */
wl_status wl_guard_run(char *const *words, const wl_guard *guard, wl_guard_end *end);
void wl_guard_end_free(wl_guard_end *end);

/* A user for one submission, so that it cannot reach into another's folder; 0: this process is not root's. */
unsigned wl_guard_user(void);

/* What this system does not allow of what `guarded` asks for, "the network is not cut off"; "" when all is. */
const char *wl_guard_lacks(void);

#endif
