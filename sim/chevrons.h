/* What the parts of chevrons share: the file that is translated. */
#pragma once

#include <stddef.h>
#include <stdio.h>

extern char *text; // the file
extern char *code; // the same with comments and literals blanked

/* Ends the program with a message about what stands at `at`. */
void fail(size_t at, const char *format, ...);
/* Where the literal ends that the quote at `i` begins. */
size_t literal_end(size_t i);
/* The matching bracket of code[open], counting only that kind. */
size_t matching(size_t open, char left, char right);
void put(FILE *out, size_t from, size_t to);
void put_line(FILE *out, size_t from, size_t to); // on one line

/* ptx.c: puts the asm statement with the brackets `open` and `close` as calls of sim/include/sim_ptx.h. */
void put_ptx(FILE *out, size_t open, size_t close);
