/* Hashes that tell one content from another: of data, options and files. No protection against malice. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Of `count` 64-bit words, at any address. */
uint64_t wl_hash_words(const void *words, size_t count);
/* Of `size` bytes. */
uint64_t wl_hash_bytes(const void *bytes, size_t size);
/* Of a string; NULL is "". */
uint64_t wl_hash_text(const char *text);
/* Of bytes that come one after the other, begun with 0: the same, wherever they are cut. */
uint64_t wl_hash_more(uint64_t before, const void *bytes, size_t size);
/* Of what came before, and of what comes next: the order counts. */
uint64_t wl_hash_join(uint64_t before, uint64_t next);
