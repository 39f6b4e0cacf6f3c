/* Hashes that tell one content from another: of data, options and files. No protection against malice. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The hash of `count` 64-bit words, at any address. */
uint64_t wl_hash_words(const void *words, size_t count);
/* The hash of `size` bytes. */
uint64_t wl_hash_bytes(const void *bytes, size_t size);
/* The hash of a string; NULL is "". */
uint64_t wl_hash_text(const char *text);
/* The hash of bytes that come in pieces; `before` is 0 at first. The result does not depend on where they are cut. */
uint64_t wl_hash_more(uint64_t before, const void *bytes, size_t size);
/* Joins the hash of what came before and the hash of what comes next; their order counts. */
uint64_t wl_hash_join(uint64_t before, uint64_t next);
