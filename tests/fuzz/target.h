/* What the fuzz targets share. A target is one function, LLVMFuzzerTestOneInput, that gives a
   reader `size` bytes as a file and aborts when anything is wrong with what comes out. The
   sanitizers see crashes and leaks themselves. driver.c calls it in the ordinary build, clang's
   libFuzzer through libfuzzer.sh. */
#pragma once

#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* driver.c: calls a target with what the command line says. */
int fuzz_drive(int count, char **words, int (*target)(const uint8_t *, size_t));
#ifdef FUZZ_MAIN /* set where all targets are in one program: what this one's main is called there */
int FUZZ_MAIN(int count, char **words);
int FUZZ_MAIN(int count, char **words) { return fuzz_drive(count, words, LLVMFuzzerTestOneInput); }
#endif

/* Like assert, in release builds too. */
#define REQUIRE(condition)                                                                                       \
    do {                                                                                                         \
        if (!(condition)) {                                                                                      \
            fprintf(stderr, "%s:%d: not so: %s (last error: %s)\n", __FILE__, __LINE__, #condition, wl_error()); \
            abort();                                                                                             \
        }                                                                                                        \
    } while (0)

/* The path of a file in memory with these bytes; valid until the next call. */
const char *fuzz_file(const void *data, size_t size);

/* The same bytes as gzip; the caller frees *packed. */
size_t fuzz_pack(const void *data, size_t size, unsigned char **packed);

/* Whether the readers unpack it: its text is not `data`. */
int fuzz_is_packed(const uint8_t *data, size_t size);
/* Whether to try these bytes packed as well: every fourth time, and never for what is packed already. */
int fuzz_also_packed(const uint8_t *data, size_t size);

/* A refusal must be the input's fault, and its line must be one line of text that says so. */
static inline void fuzz_require_refusal(wl_status status, const char *path) {
    const char *error = wl_error();
    REQUIRE(status == WL_BAD_INPUT);
    REQUIRE(strncmp(error, path, strlen(path)) == 0);
    REQUIRE(strstr(error, "expected"));
    for (const char *c = error; *c; c++) REQUIRE(!iscntrl((unsigned char)*c));
}

/* A copy of the input as readers of text keep it: with '_' for each byte of U+0080 to U+009F. The caller frees it. */
char *fuzz_calm(const void *data, size_t size);
