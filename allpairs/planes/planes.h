/* All pairs of instances by their bit planes, on every core of the CPU: distances between values of a few bits, 512 sites at a time.

   Plane p of an instance holds bit p of its value at each site. A word is 512 sites of one plane: 64 bytes, one cache line, one
   AVX-512 register. Four instances make a panel:

       panel: [words][PANEL instances][kept planes][WORD_BYTES]

   so that the inner loop reads two streams of memory from front to back and nothing else. The kept planes are the instance's own
   and, unless nothing is missing, one more that is 1 where the value is present. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    WL_PLANES_PANEL = 4,        // instances side by side: a square is PANEL x PANEL pairs
    WL_PLANES_WORD_BYTES = 64,  // of one plane
    WL_PLANES_WORD_SITES = 512, // sites in a word
    WL_PLANES_MOST = 8,         // planes of a value, without the one of present values
    WL_PLANES_MOST_WORDS = 64   // that one call of a count or pack function is given
};

/* What is compared. */
typedef struct {
    size_t rows, columns; // instances; the same where symmetric
    size_t sites;
    int planes;        // 1 .. WL_PLANES_MOST
    int steps;         // 0: a site adds 1 if any plane differs; 1: it adds the number of planes that differ
    int complete;      // no value is missing
    int distance_only; // the sites compared are not asked for
    int symmetric;     // rows and columns are the same instances: half of the pairs do
    int threads;       // 0: all cores
} wl_planes_shape;

typedef struct wl_planes wl_planes;

/* Writes words word .. word + words - 1 of an instance of the rows (side 0) or columns (side 1): its kept planes, 0 past the last
   site, to `to` and every PANEL * kept * WORD_BYTES bytes from there. Called by several threads. */
typedef void wl_planes_fill(const wl_planes *p, const void *source, int side, size_t instance, size_t word,
                            size_t words, unsigned char *to);

/* Why this shape cannot be computed in `memory` bytes (0: unknown) on this CPU, or NULL. */
const char *wl_planes_unsupported(const wl_planes_shape *shape, size_t memory);
/* The instruction set that wl_planes_new chooses, as result rows have it; "none" where WL_CPU_ISA asks for one that is not there. */
const char *wl_planes_instruction_set(void);

/* For a shape that is supported: memory, and the panels filled in. NULL where there is not enough; freed by wl_planes_free. */
wl_planes *wl_planes_new(const wl_planes_shape *shape, wl_planes_fill *fill, const void *source);
void wl_planes_free(wl_planes *p);
/* For a fill function: cuts `count` values into planes, `words` words of them. Which bit of a word a value gets is the instruction
   set's own affair, but the same in all instances. */
void wl_planes_pack(const wl_planes *p, const int *values, size_t count, size_t words, unsigned char *to);
/* Counts all pairs. */
void wl_planes_count(const wl_planes *p);
/* Writes distance [rows][columns]. Unless distance_only is set, compared [rows][columns] follows it in the same memory: the number of
   sites at which both values are present. */
void wl_planes_collect(const wl_planes *p, uint32_t *distance);

/* Bytes that have to move, the planes and the matrices once, and operations in the unit of WL_RATE_LOGIC512: words of two planes
   without missing values, which are four vector instructions. */
void wl_planes_cost(const wl_planes_shape *shape, double *bytes, double *operations);
